//! The check of a proof, line by line.

use std::fmt;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::chain::Path;
use crate::digest::Sha256;
use crate::document::{Proof, RecordedRoots};
use crate::reason::{Reason, Refusal};
use crate::roots::RootSet;

/// What a proof is checked under: data without which the verdict means nothing, so there is no default of the
/// whole.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// When the vault received the deposit. Years later it is still that instant, as the vault's seal has it.
    pub received_at: Timestamp,
    /// How long before the receipt the read may lie; see [`Context::WINDOW`].
    pub window: Duration,
    /// Whether this is the lab. A proof that was made in the lab is accepted there alone, and there no other
    /// is.
    pub lab: bool,
}

impl Context {
    /// The window where nothing else is said: 7 days. A connector that could not reach its vault for longer
    /// reads again.
    pub const WINDOW: Duration = Duration::from_secs(7 * 24 * 60 * 60);

    /// Outside the lab, with the window of 7 days.
    pub fn new(received_at: Timestamp) -> Self {
        Self { received_at, window: Self::WINDOW, lab: false }
    }
}

/// Checks a proof against the envelope it speaks of and a set of roots, as of the instant of the read.
///
/// Every check is made, also after one has failed, unless it needs what the failed one would have given.
/// Nothing but the arguments is looked at, so the same check gives the same report years later.
pub fn check(proof: &Proof, envelope: &[u8], roots: &RootSet, context: &Context) -> Report {
    let mut lines = vec![
        line(
            Check::Lab,
            if context.lab { "made in the lab" } else { "made outside the lab" },
            check_lab(proof, context),
        ),
        // That the address is https is an invariant of its type, and of every proof that could be read at
        // all.
        line(Check::Address, proof.address().as_str(), Ok(())),
        line(Check::ServerName, proof.address().host(), proof.verify_server_name()),
    ];
    check_chain(proof, roots, &mut lines);
    lines.push(line(Check::Evidence, &proof.tls.protocol.to_string(), proof.tls.verify()));
    check_envelope(proof, envelope, &mut lines);
    check_instants(proof, context, &mut lines);
    Report {
        lines,
        roots: RootsUsed {
            name: roots.name().to_owned(),
            sha256: roots.digest(),
            current: roots.is_current(),
            recorded: proof.roots.clone(),
        },
    }
}

fn check_lab(proof: &Proof, context: &Context) -> Result<(), Refusal> {
    match (proof.lab, context.lab) {
        (true, false) => {
            Err(Refusal::new(Reason::LabProof, "the proof was made in the lab and attests nothing"))
        }
        (false, true) => {
            Err(Refusal::new(Reason::NotLabProof, "the proof was not made in the lab, and this is the lab"))
        }
        _ => Ok(()),
    }
}

fn check_chain(proof: &Proof, roots: &RootSet, lines: &mut Vec<Line>) {
    let at = proof.read_at;
    let path = match Path::recorded(&proof.verified, &proof.tls.presented, roots) {
        Ok(path) => path,
        Err(refusal) => {
            lines.push(line(Check::Chain, &format!("the roots of {}, at {at}", roots.name()), Err(refusal)));
            lines.extend(Check::OF_PATH.map(|check| Line {
                check,
                against: String::new(),
                outcome: Outcome::NotReached,
            }));
            return;
        }
    };
    let subjects: Vec<&str> = path.subjects().collect();
    let root = subjects.last().copied().unwrap_or_default();
    let rules = path.own();
    lines.extend([
        line(Check::Chain, &format!("{}, at {at}", subjects.join(" < ")), path.verify(at)),
        line(Check::Name, &proof.tls.server_name, path.verify_name(&proof.tls.server_name)),
        line(Check::RootDates, &format!("{root}, at {at}"), rules.root_dates(at)),
        line(Check::KeyUsage, "every certificate that issued another", rules.key_usage()),
        line(Check::RootConstraints, root, rules.root_constraints()),
        line(Check::KeySizes, "every RSA key of the path", rules.key_sizes()),
    ]);
}

fn check_envelope(proof: &Proof, envelope: &[u8], lines: &mut Vec<Line>) {
    let (digest, length) = (Sha256::of(envelope), envelope.len());
    let expected = &proof.envelope;
    let digest_agrees = if digest == expected.sha256 {
        Ok(())
    } else {
        Err(Refusal::new(Reason::DigestDiffers, format!("the envelope has the SHA-256 {digest}")))
    };
    let length_agrees = if u64::try_from(length).is_ok_and(|length| length == expected.length) {
        Ok(())
    } else {
        Err(Refusal::new(Reason::LengthDiffers, format!("the envelope has {length} bytes")))
    };
    lines.push(line(Check::Digest, &expected.sha256.to_string(), digest_agrees));
    lines.push(line(Check::Length, &format!("{} bytes", expected.length), length_agrees));
}

fn check_instants(proof: &Proof, context: &Context, lines: &mut Vec<Line>) {
    let Context { received_at, window, .. } = *context;
    let age = received_at.duration_since(proof.read_at);
    let before = if age.is_negative() {
        Err(Refusal::new(Reason::ReadAfterReceipt, format!("the read is dated {}", proof.read_at)))
    } else {
        Ok(())
    };
    let recent = if SignedDuration::try_from(window).is_ok_and(|window| age > window) {
        Err(Refusal::new(Reason::ReadTooLongAgo, format!("the read is dated {}", proof.read_at)))
    } else {
        Ok(())
    };
    lines.push(line(Check::NotAfterReceipt, &format!("received at {received_at}"), before));
    lines.push(line(Check::WithinWindow, &format!("{window:?} before the receipt"), recent));
}

fn line(check: Check, against: &str, result: Result<(), Refusal>) -> Line {
    let outcome = match result {
        Ok(()) => Outcome::Passed,
        Err(refusal) => Outcome::Failed(refusal),
    };
    Line { check, against: against.to_owned(), outcome }
}

/// What a check found, line by line.
///
/// `Display` writes it for people: the set of roots that was used, then one line per check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    lines: Vec<Line>,
    roots: RootsUsed,
}

impl Report {
    /// Whether every check passed.
    pub fn accepted(&self) -> bool {
        self.refusal().is_none()
    }

    /// The first check that failed, with its reason.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.lines.iter().find_map(|line| match &line.outcome {
            Outcome::Failed(refusal) => Some(refusal),
            Outcome::Passed | Outcome::NotReached => None,
        })
    }

    /// The lines, in the order of the checks.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The set of roots that was used.
    pub fn roots(&self) -> &RootsUsed {
        &self.roots
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "roots: {}", self.roots)?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What was checked.
    pub check: Check,
    /// Against what.
    pub against: String,
    /// With what result.
    pub outcome: Outcome,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (question, against) = (self.check.question(), &self.against);
        match &self.outcome {
            Outcome::Passed => write!(f, "passed       {question}: {against}"),
            Outcome::Failed(refusal) => write!(f, "FAILED       {question}: {against}: {refusal}"),
            Outcome::NotReached => write!(f, "not reached  {question}"),
        }
    }
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed(Refusal),
    /// It could not be made, because an earlier one failed.
    NotReached,
}

/// The checks, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Check {
    /// A proof of the lab is checked in the lab, any other outside.
    Lab,
    /// The address is https.
    Address,
    /// The address's host is the server name of the handshake.
    ServerName,
    /// The path recorded is made of the certificates presented, leads to a root of the set, and verifies at
    /// the instant of the read.
    Chain,
    /// The server's certificate covers the server name.
    Name,
    /// The root itself was valid at the instant of the read.
    RootDates,
    /// The key usage of every issuer allows to sign certificates.
    KeyUsage,
    /// The root is an authority, allows that many intermediates, and bears no critical extension that is not
    /// understood.
    RootConstraints,
    /// No RSA key is shorter than 2,048 bits.
    KeySizes,
    /// The server signed this handshake with the key of its certificate.
    Evidence,
    /// The envelope's digest is the proof's.
    Digest,
    /// The envelope's length is the proof's.
    Length,
    /// The read does not lie after the receipt.
    NotAfterReceipt,
    /// The read does not lie too long before the receipt.
    WithinWindow,
}

impl Check {
    /// Those that need a path to look at.
    const OF_PATH: [Self; 5] =
        [Self::Name, Self::RootDates, Self::KeyUsage, Self::RootConstraints, Self::KeySizes];

    /// What was checked, in words.
    pub fn question(self) -> &'static str {
        match self {
            Self::Lab => "lab or not",
            Self::Address => "the address is https",
            Self::ServerName => "the address's host is the name asked for in the handshake",
            Self::Chain => "the certificate chain leads to a recognised authority",
            Self::Name => "the certificate covers the name",
            Self::RootDates => "the root was valid",
            Self::KeyUsage => "the issuers may sign certificates",
            Self::RootConstraints => "the root's constraints hold",
            Self::KeySizes => "RSA keys have at least 2048 bits",
            Self::Evidence => "the server's key signed the handshake",
            Self::Digest => "the envelope has the proof's SHA-256",
            Self::Length => "the envelope has the proof's length",
            Self::NotAfterReceipt => "the read is not after the receipt",
            Self::WithinWindow => "the read is within the window",
        }
    }
}

/// The set of roots that a check used, beside the one that the proof records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootsUsed {
    /// The name of the set used.
    pub name: String,
    /// The digest of the set used.
    pub sha256: Sha256,
    /// Whether it is the list that the program was built with; else it was handed in, as a sealed set is.
    pub current: bool,
    /// The set that the proof records.
    pub recorded: RecordedRoots,
}

impl fmt::Display for RootsUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let which = if self.current { "today's list" } else { "the sealed set" };
        write!(f, "{which} {}, SHA-256 {}", self.name, self.sha256)?;
        if self.sha256 == self.recorded.sha256 {
            f.write_str(", which is the one that the proof records")
        } else {
            write!(f, "; the proof records {}, SHA-256 {}", self.recorded.name, self.recorded.sha256)
        }
    }
}
