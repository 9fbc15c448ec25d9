//! Whether a chain leads to a root, at an instant, for a name.

use std::cell::RefCell;
use std::time::Duration;

use jiff::Timestamp;
use rustls_pki_types::{CertificateDer, ServerName, SignatureVerificationAlgorithm, TrustAnchor, UnixTime};
use webpki::ring as algorithms;
use webpki::{EndEntityCert, KeyUsage, VerifiedPath};

use crate::certificate::{Facts, shown};
use crate::reason::{Reason, Refusal};
use crate::roots::{Root, RootSet};

/// Finds the path from the first certificate presented to a root of the set and verifies it: signatures,
/// dates, constraints, purpose, key sizes, and that the first certificate covers the server name.
///
/// Returned is the path in DER, the server's own certificate first and the root last. Revocation is not
/// looked at.
///
/// The search and most of the rules are those of rustls-webpki. What it leaves to its user is checked here,
/// for every path it offers: that the root itself was valid at the instant, bears no critical extension
/// unknown here and is not passed its path length, that no authority's key usage forbids to sign
/// certificates, and that no RSA key is shorter than 2,048 bits.
pub fn verify_chain(
    presented: &[Vec<u8>],
    server_name: &str,
    at: Timestamp,
    roots: &RootSet,
) -> Result<Vec<Vec<u8>>, Refusal> {
    let certificates: Vec<CertificateDer<'_>> = presented.iter().map(|der| der.as_slice().into()).collect();
    let (leaf, intermediates) = certificates.split_first().ok_or_else(chain_empty)?;
    let end_entity = EndEntityCert::try_from(leaf).map_err(|error| refusal(&error))?;
    let ours: RefCell<Option<Refusal>> = RefCell::new(None);
    let judge = |path: &VerifiedPath<'_>| {
        judge_candidate(leaf, path, at, roots).map(drop).map_err(|refusal| {
            ours.borrow_mut().get_or_insert(refusal);
            webpki::Error::UnknownIssuer
        })
    };
    let path = verify_for_servers(&end_entity, intermediates, roots.anchors(), at, Some(&judge))
        // A path that failed by our own rules alone says more than what the others failed by.
        .map_err(|refusal| ours.borrow_mut().take().unwrap_or(refusal))?;
    verify_name(&end_entity, server_name)?;
    let root = judge_candidate(leaf, &path, at, roots)?;
    Ok(std::iter::once(leaf)
        .map(|leaf| leaf.to_vec())
        .chain(path.intermediate_certificates().map(|certificate| certificate.der().to_vec()))
        .chain([root.der.to_vec()])
        .collect())
}

/// A path that is there, as opposed to one that is to be found.
pub(crate) struct Path<'a> {
    leaf: CertificateDer<'a>,
    intermediates: Vec<CertificateDer<'a>>,
    root: &'a Root,
    anchor: &'a TrustAnchor<'static>,
    facts: Vec<Facts>,
}

impl<'a> Path<'a> {
    /// Takes the path recorded as verified, if it is made of certificates presented and ends in a root of the
    /// set.
    pub(crate) fn recorded(
        verified: &'a [Vec<u8>],
        presented: &[Vec<u8>],
        roots: &'a RootSet,
    ) -> Result<Self, Refusal> {
        let first = presented.first().ok_or_else(chain_empty)?;
        let [leaf, intermediates @ .., root] = verified else {
            return Err(Refusal::new(
                Reason::PathDiffers,
                "the path recorded has fewer than two certificates",
            ));
        };
        if leaf != first {
            return Err(Refusal::new(
                Reason::PathDiffers,
                "the path recorded does not begin with the certificate that the server presented first",
            ));
        }
        if intermediates.iter().any(|der| !presented.contains(der)) {
            return Err(Refusal::new(
                Reason::PathDiffers,
                "the path recorded holds a certificate that the server did not present",
            ));
        }
        let (root, anchor) = roots.find(root).ok_or_else(|| {
            let subject =
                Facts::read(root).map_or_else(|| "the last certificate".to_owned(), |facts| facts.subject);
            Refusal::new(Reason::RootUnknown, format!("{subject} is not among the roots"))
        })?;
        let facts =
            std::iter::once(leaf).chain(intermediates).map(|der| read(der)).collect::<Result<_, _>>()?;
        Ok(Self {
            leaf: leaf.as_slice().into(),
            intermediates: intermediates.iter().map(|der| der.as_slice().into()).collect(),
            root,
            anchor,
            facts,
        })
    }

    /// The rules of rustls-webpki, over exactly this path.
    pub(crate) fn verify(&self, at: Timestamp) -> Result<(), Refusal> {
        let end_entity = EndEntityCert::try_from(&self.leaf).map_err(|error| refusal(&error))?;
        let anchors = std::slice::from_ref(self.anchor);
        let path = verify_for_servers(&end_entity, &self.intermediates, anchors, at, None)?;
        if path.intermediate_certificates().map(webpki::Cert::der).eq(self.intermediates.iter().cloned()) {
            Ok(())
        } else {
            Err(Refusal::new(
                Reason::PathDiffers,
                "the path recorded holds certificates that it does not need",
            ))
        }
    }

    pub(crate) fn verify_name(&self, server_name: &str) -> Result<(), Refusal> {
        let end_entity = EndEntityCert::try_from(&self.leaf).map_err(|error| refusal(&error))?;
        verify_name(&end_entity, server_name)
    }

    pub(crate) fn own(&self) -> OwnRules<'_> {
        OwnRules { below_root: &self.facts, root: &self.root.facts }
    }

    pub(crate) fn subjects(&self) -> impl Iterator<Item = &str> {
        self.facts.iter().chain([&self.root.facts]).map(|facts| facts.subject.as_str())
    }
}

/// The rules that rustls-webpki leaves to its user.
pub(crate) struct OwnRules<'a> {
    /// The server's certificate, then the intermediates.
    pub(crate) below_root: &'a [Facts],
    pub(crate) root: &'a Facts,
}

impl OwnRules<'_> {
    fn all(&self, at: Timestamp) -> Result<(), Refusal> {
        self.root_dates(at)?;
        self.key_usage()?;
        self.root_constraints()?;
        self.key_sizes()
    }

    pub(crate) fn root_dates(&self, at: Timestamp) -> Result<(), Refusal> {
        let Facts { subject, not_before, not_after, .. } = self.root;
        // The dates are whole seconds and the last second counts in whole (RFC 5280 section 4.1.2.5).
        if at < *not_before {
            let detail = format!("the root {subject} is valid from {not_before} only");
            return Err(Refusal::new(Reason::RootNotYetValid, detail));
        }
        if at.as_second() > not_after.as_second() {
            let detail = format!("the root {subject} was valid until {not_after} only");
            return Err(Refusal::new(Reason::RootExpired, detail));
        }
        Ok(())
    }

    pub(crate) fn key_usage(&self) -> Result<(), Refusal> {
        let issuers = self.below_root.iter().skip(1).chain([self.root]);
        for Facts { subject, signs_certificates, .. } in issuers {
            if !signs_certificates {
                let detail = format!("the key usage of {subject} does not allow to sign certificates");
                return Err(Refusal::new(Reason::KeyUsage, detail));
            }
        }
        Ok(())
    }

    pub(crate) fn root_constraints(&self) -> Result<(), Refusal> {
        let Facts { subject, authority, path_length, critical_unknown, .. } = self.root;
        if !authority {
            return Err(Refusal::new(
                Reason::NotAnAuthority,
                format!("the root {subject} is not an authority"),
            ));
        }
        let intermediates = self.below_root.len().saturating_sub(1);
        if path_length.is_some_and(|most| usize::try_from(most).is_ok_and(|most| intermediates > most)) {
            let detail = format!("the root {subject} allows fewer than {intermediates} intermediates");
            return Err(Refusal::new(Reason::PathLength, detail));
        }
        if let Some(oid) = critical_unknown {
            let detail =
                format!("the root {subject} bears the critical extension {oid}, which is not understood");
            return Err(Refusal::new(Reason::CriticalExtension, detail));
        }
        Ok(())
    }

    pub(crate) fn key_sizes(&self) -> Result<(), Refusal> {
        for Facts { subject, rsa_bits, .. } in self.below_root.iter().chain([self.root]) {
            if let Some(bits) = rsa_bits.filter(|bits| *bits < RSA_BITS_MIN) {
                let detail = format!("the RSA key of {subject} has {bits} bits, fewer than {RSA_BITS_MIN}");
                return Err(Refusal::new(Reason::WeakKey, detail));
            }
        }
        Ok(())
    }
}

/// The least length of an RSA key: what the CA/Browser Forum's Baseline Requirements ask (section 6.1.5).
const RSA_BITS_MIN: usize = 2048;

/// Applies our own rules to a path that rustls-webpki found, and gives the root that it ends in.
fn judge_candidate<'a>(
    leaf: &CertificateDer<'_>,
    path: &VerifiedPath<'_>,
    at: Timestamp,
    roots: &'a RootSet,
) -> Result<&'a Root, Refusal> {
    let below_root = std::iter::once(read(leaf))
        .chain(path.intermediate_certificates().map(|certificate| read(&certificate.der())))
        .collect::<Result<Vec<_>, _>>()?;
    let mut refused = None;
    for root in roots.with_anchor(path.anchor()) {
        match (OwnRules { below_root: &below_root, root: &root.facts }).all(at) {
            Ok(()) => return Ok(root),
            Err(refusal) => refused = Some(refusal),
        }
    }
    Err(refused
        .unwrap_or_else(|| Refusal::new(Reason::RootUnknown, "the anchor found is not among the roots")))
}

fn read(der: &[u8]) -> Result<Facts, Refusal> {
    Facts::read(der)
        .ok_or_else(|| Refusal::new(Reason::CertificateMalformed, "a certificate of the path cannot be read"))
}

fn chain_empty() -> Refusal {
    Refusal::new(Reason::ChainEmpty, "the server presented no certificate")
}

type JudgePath<'a> = Option<&'a dyn Fn(&VerifiedPath<'_>) -> Result<(), webpki::Error>>;

fn verify_for_servers<'p>(
    end_entity: &'p EndEntityCert<'p>,
    intermediates: &'p [CertificateDer<'p>],
    anchors: &'p [TrustAnchor<'_>],
    at: Timestamp,
    judge: JudgePath<'_>,
) -> Result<VerifiedPath<'p>, Refusal> {
    let seconds = u64::try_from(at.as_second())
        .map_err(|_| Refusal::new(Reason::CertificateNotYetValid, "the instant lies before 1970"))?;
    let at = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
    let usage = KeyUsage::server_auth();
    end_entity
        .verify_for_usage(ALGORITHMS, anchors, intermediates, at, usage, None, judge)
        .map_err(|error| refusal(&error))
}

fn verify_name(end_entity: &EndEntityCert<'_>, server_name: &str) -> Result<(), Refusal> {
    let name = ServerName::try_from(server_name).map_err(|_| {
        Refusal::new(Reason::NameNotCovered, "the server name is neither a DNS name nor an IP address")
    })?;
    end_entity.verify_is_valid_for_subject_name(&name).map_err(|error| refusal(&error))
}

/// The algorithms that certificates may be signed with: all that ring has. SHA-1 is not among them.
static ALGORITHMS: &[&dyn SignatureVerificationAlgorithm] = &[
    algorithms::ECDSA_P256_SHA256,
    algorithms::ECDSA_P256_SHA384,
    algorithms::ECDSA_P384_SHA256,
    algorithms::ECDSA_P384_SHA384,
    algorithms::ED25519,
    algorithms::RSA_PSS_2048_8192_SHA256_LEGACY_KEY,
    algorithms::RSA_PSS_2048_8192_SHA384_LEGACY_KEY,
    algorithms::RSA_PSS_2048_8192_SHA512_LEGACY_KEY,
    algorithms::RSA_PKCS1_2048_8192_SHA256,
    algorithms::RSA_PKCS1_2048_8192_SHA384,
    algorithms::RSA_PKCS1_2048_8192_SHA512,
    algorithms::RSA_PKCS1_2048_8192_SHA256_ABSENT_PARAMS,
    algorithms::RSA_PKCS1_2048_8192_SHA384_ABSENT_PARAMS,
    algorithms::RSA_PKCS1_2048_8192_SHA512_ABSENT_PARAMS,
];

/// Puts an error of rustls-webpki into our words.
fn refusal(error: &webpki::Error) -> Refusal {
    use webpki::Error as E;
    let (reason, detail) = match error {
        E::CertExpired { not_after, .. } => (
            Reason::CertificateExpired,
            format!("a certificate was valid until {} only", instant(not_after.as_secs())),
        ),
        E::CertNotValidYet { not_before, .. } => (
            Reason::CertificateNotYetValid,
            format!("a certificate is valid from {} only", instant(not_before.as_secs())),
        ),
        E::CertNotValidForName(context) if context.presented.is_empty() => {
            (Reason::NameNotCovered, "the certificate names no server".to_owned())
        }
        E::CertNotValidForName(context) => (
            Reason::NameNotCovered,
            format!("the certificate names {} and not the server", shown(&context.presented.join(", "))),
        ),
        E::UnknownIssuer => (Reason::RootUnknown, "no path leads to a root of the set".to_owned()),
        E::InvalidSignatureForPublicKey => {
            (Reason::ChainSignature, "a certificate is not signed by the key of its issuer".to_owned())
        }
        E::CaUsedAsEndEntity => {
            (Reason::LeafIsAuthority, "the certificate presented first is an authority's".to_owned())
        }
        E::EndEntityUsedAsCa => {
            (Reason::NotAnAuthority, "a certificate that is not an authority's issued another".to_owned())
        }
        E::NameConstraintViolation => {
            (Reason::NameConstraint, "an authority issued for a name that it is barred from".to_owned())
        }
        E::PathLenConstraintViolated => {
            (Reason::PathLength, "an authority issued deeper than it is allowed to".to_owned())
        }
        E::RequiredEkuNotFoundContext(_) | E::EmptyEkuExtension => {
            (Reason::NotForServers, "a certificate is not meant for TLS servers".to_owned())
        }
        E::UnsupportedCriticalExtension => (
            Reason::CriticalExtension,
            "a certificate bears a critical extension that is not understood".to_owned(),
        ),
        E::UnsupportedSignatureAlgorithmContext(_)
        | E::UnsupportedSignatureAlgorithmForPublicKeyContext(_) => (
            Reason::UnsupportedAlgorithm,
            "a certificate is signed with an algorithm or for a kind of key that is not supported".to_owned(),
        ),
        E::MaximumPathBuildCallsExceeded
        | E::MaximumPathDepthExceeded
        | E::MaximumSignatureChecksExceeded
        | E::MaximumNameConstraintComparisonsExceeded => {
            (Reason::PathTooComplex, "the search for a path to a root was given up as too long".to_owned())
        }
        E::CertDistrusted => (Reason::Distrusted, "a key of the chain is explicitly distrusted".to_owned()),
        E::BadDer
        | E::BadDerTime
        | E::TrailingData(_)
        | E::UnsupportedCertVersion
        | E::ExtensionValueInvalid
        | E::MalformedExtensions
        | E::MalformedDnsIdentifier
        | E::MalformedNameConstraint
        | E::InvalidNetworkMaskConstraint
        | E::InvalidSerialNumber
        | E::InvalidCertValidity
        | E::SignatureAlgorithmMismatch => {
            (Reason::CertificateMalformed, format!("a certificate is malformed: {error:?}"))
        }
        _ => (Reason::ChainInvalid, format!("the chain is invalid: {error:?}")),
    };
    Refusal::new(reason, detail)
}

fn instant(seconds: u64) -> String {
    i64::try_from(seconds)
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .map_or_else(|| format!("{seconds} seconds after 1970"), |instant| instant.to_string())
}
