//! From a response to a deposit: extract, compare identifiers, prove. Pure, given the response.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use bytes::Bytes;
use releve_extract::{Article, Envelope, ExtractError, Value, extract};
use releve_fetch::AccessHeader;
use releve_ledger::Entry;
use releve_proof::{Connector, Proof, Read, Received, Redirect, Response, RootSet, Sha256};
use releve_source::{Identifier, Source};
use releve_visit::Visited;

/// An article that is ready to be deposited.
#[derive(Debug)]
pub struct Ready {
    /// The identifier, the same wherever it was read (R6).
    pub identifier: String,
    /// The response's body after undoing a content coding, byte for byte (R11).
    pub envelope: Bytes,
    /// What was copied from the envelope.
    pub article: Article,
    /// The proof of the read.
    pub proof: Proof,
}

/// Why a response does not become a deposit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// Two places bear different identifiers (R6). The pass of the source stops.
    IdentifiersDiffer {
        /// Where one was read, and what.
        one: Reading,
        /// Where the other was read, and what.
        other: Reading,
    },
    /// A place that the configuration says has an identifier has none (R6).
    IdentifierMissing {
        /// What was looked for.
        why: String,
    },
    /// The article could not be extracted; of the reasons, one is an agreed field of another type (R5).
    Extract {
        /// A stable word.
        code: &'static str,
        /// The reason.
        why: String,
    },
    /// The credential stands in what would be sealed (R4).
    SecretEchoed,
    /// Extraction ended in a panic, which is a bug; the article is left alone and the pass goes on.
    Panicked,
    /// Nothing that could be sealed was found: neither text nor headline.
    Empty,
    /// No proof can be made of the read (R15, R16).
    Proof {
        /// The reason.
        why: String,
    },
}

/// An identifier and where it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The place: of the trigger, of the backlog's list, or of the article.
    pub place: String,
    /// The identifier.
    pub identifier: String,
}

impl Reading {
    fn in_article(value: &Value) -> Self {
        Self { place: format!("the article, at `{}`", value.place), identifier: value.text.clone() }
    }
}

impl Unfit {
    /// How long the article is left alone, where that is longer than until the next pass: what a publisher has withheld
    /// on purpose is not asked for every quarter of an hour.
    pub fn wait(&self) -> Option<Duration> {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        matches!(self.code(), "protected" | "not-published").then_some(DAY)
    }

    /// A stable word for records and `--json`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::IdentifiersDiffer { .. } => "identifiers-differ",
            Self::IdentifierMissing { .. } => "identifier-missing",
            Self::Extract { code, .. } => code,
            Self::SecretEchoed => "secret-echoed",
            Self::Panicked => "extraction-panicked",
            Self::Empty => "no-article",
            Self::Proof { .. } => "not-provable",
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdentifiersDiffer { one, other } => write!(
                f,
                "the identifier is `{}` in {} and `{}` in {}; which of them is the article's is for the publisher to say, and \
                 `releve retry` lifts it afterwards",
                one.identifier, one.place, other.identifier, other.place
            ),
            Self::IdentifierMissing { why } | Self::Extract { why, .. } => f.write_str(why),
            Self::SecretEchoed => f.write_str("the credential stands in the response; tell the publisher"),
            Self::Panicked => {
                f.write_str("extraction ended in a panic; please report this, with the address")
            }
            Self::Empty => f.write_str("neither text nor headline was found; see `releve extract`"),
            Self::Proof { why } => write!(f, "no proof can be made of the read: {why}"),
        }
    }
}

impl std::error::Error for Unfit {}

impl From<ExtractError> for Unfit {
    fn from(error: ExtractError) -> Self {
        if let ExtractError::IdentifiersDiffer { one, other } = error {
            return Self::IdentifiersDiffer {
                one: Reading::in_article(&one),
                other: Reading::in_article(&other),
            };
        }
        Self::Extract { code: error.code(), why: error.to_string() }
    }
}

/// What is the same for every article that a process reads.
#[derive(Clone, Copy, Debug)]
pub struct Under<'a> {
    /// The roots that are recognised.
    pub roots: &'a RootSet,
    /// The program that reads.
    pub connector: &'a Connector,
    /// The source's credential: nothing that it stands in is sealed, whoever answered with it and however it was spelt.
    pub access: Option<&'a AccessHeader>,
    /// Whether it is a lab's run.
    pub lab: bool,
}

/// Makes of a response what is deposited. Whatever the response holds, a pass goes on after it: a panic is an error here.
pub fn prepare(source: &Source, entry: &Entry, visited: &Visited, under: Under<'_>) -> Result<Ready, Unfit> {
    let made = std::panic::catch_unwind(AssertUnwindSafe(|| make(source, entry, visited, under)));
    made.unwrap_or(Err(Unfit::Panicked))
}

fn make(source: &Source, entry: &Entry, visited: &Visited, under: Under<'_>) -> Result<Ready, Unfit> {
    let response = &visited.response;
    // The visit took the response only because it has both.
    let body = response.body.as_ref().map_err(|error| Unfit::Proof { why: error.to_string() })?;
    let media_type = response.headers.first("content-type").unwrap_or_default();
    let media_type = String::from_utf8_lossy(media_type);

    let envelope = Envelope { bytes: &body.decoded, content_type: &media_type, address: &visited.address };
    let echoes = |said: &[u8]| under.access.is_some_and(|access| access.stands_in(said));
    if echoes(&body.decoded) {
        return Err(Unfit::SecretEchoed);
    }
    let article = extract(&envelope, source.rules()).map_err(Unfit::from);
    // However it is spelt in the response, it may come out of it in the article, or in the reason why there is none.
    let said = match &article {
        Ok(article) => article.to_json().to_string(),
        Err(unfit) => unfit.to_string(),
    };
    if echoes(said.as_bytes()) {
        return Err(Unfit::SecretEchoed);
    }
    let article = article?;
    let identifier = identify(source, entry, &article)?;
    if article.blocks.is_empty() && article.descriptor.headline.is_none() {
        return Err(Unfit::Empty);
    }

    let coding = body.coding.as_str();
    let proof = Proof::new(
        Read {
            requested: visited.requested.clone(),
            redirects: visited
                .redirects
                .iter()
                .map(|hop| Redirect { status: hop.status, address: hop.address.clone() })
                .collect(),
            read_at: response.read_at,
            received: Received {
                sha256: Sha256::from_bytes(body.received_sha256),
                length: body.received_len,
                coding: (coding != "identity").then(|| coding.to_owned()),
            },
            envelope: &body.decoded,
            media_type: &media_type,
            response: Response::new(response.status, response.headers.iter()),
            tls: &response.tls,
            connector: under.connector.clone(),
            lab: under.lab,
        },
        under.roots,
    )
    .map_err(|error| Unfit::Proof { why: error.to_string() })?;
    Ok(Ready { identifier, envelope: body.decoded.clone(), article, proof })
}

/// The identifier, where all places that have one agree (R6).
fn identify(source: &Source, entry: &Entry, article: &Article) -> Result<String, Unfit> {
    let Identifier::Rules { trigger, backlog, article: in_article } = source.identifier() else {
        return Ok(entry.identifier.clone());
    };
    let announced = match entry.seen_in {
        releve_ledger::SeenIn::Trigger => trigger,
        releve_ledger::SeenIn::Backlog => backlog,
    };
    let announced = announced.as_ref().map(|_| Reading {
        place: match entry.seen_in {
            releve_ledger::SeenIn::Trigger => "the trigger".to_owned(),
            releve_ledger::SeenIn::Backlog => "the backlog's list".to_owned(),
        },
        identifier: entry.identifier.clone(),
    });
    let read = article.identifier.as_ref().map(Reading::in_article);
    if in_article.is_some() && read.is_none() {
        return Err(Unfit::IdentifierMissing {
            why: "the article has no identifier where the configuration says that it has one".to_owned(),
        });
    }
    match (announced, read) {
        (Some(one), Some(other)) if one.identifier != other.identifier => {
            Err(Unfit::IdentifiersDiffer { one, other })
        }
        (_, Some(reading)) | (Some(reading), None) => Ok(reading.identifier),
        (None, None) => {
            Err(Unfit::IdentifierMissing { why: "no place has an identifier for this article".to_owned() })
        }
    }
}
