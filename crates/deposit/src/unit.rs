//! One deposit as bytes: three WARC records that belong together.

use std::fmt;
use std::io::{self, BufRead};
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use releve_extract::Article;
use releve_proof::{PROOF_BYTES_MAX, Proof, Sha256};
use releve_url_canon::HttpsUrl;
use serde_json::Value;

use crate::ArticleKey;
use crate::warc::{self, MemberError, Packing, Parsed, Record, RecordId};

/// The envelope in bytes, at most: the ceiling that no configuration can pass for a response once its coding
/// is undone.
pub const ENVELOPE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// `article.json` in bytes, at most: structured text is shorter than the envelope that it was copied from,
/// and the descriptor is small beside it.
pub const ARTICLE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A whole unit in bytes, at most: its three parts, each of which a compressor can lengthen by a little.
pub const UNIT_BYTES_MAX: usize = ENVELOPE_BYTES_MAX + ARTICLE_BYTES_MAX + PROOF_BYTES_MAX + 1024 * 1024;

/// How deep the arrays and objects of `article.json` may lie in one another. JSON readers stop somewhere
/// near; serde_json does at 128.
const DEPTH_MAX: usize = 100;

/// The version of `article.json`.
const ARTICLE_VERSION: u64 = 1;

/// What is deposited of one article: the parts of a unit, before they are one.
///
/// Final address, instant of the read and media type are the proof's. Making a unit of it is
/// [`Unit::encode`].
#[derive(Clone, Copy)]
pub struct Deposit<'a> {
    /// Which article of which source.
    pub key: &'a ArticleKey,
    /// The version before this one, if the vault has one.
    pub previous: Option<Sha256>,
    /// The response's body after undoing a content coding, byte for byte.
    pub envelope: &'a [u8],
    /// What was copied from it.
    pub article: &'a Article,
    /// What shows where and when it was read.
    pub proof: &'a Proof,
}

/// What an article must have in common with the last version of itself for a deposit to be the same again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContentKey {
    /// Which article of which source.
    pub article: ArticleKey,
    /// SHA-256 of structured text and descriptor in canonical form (RFC 8785). Envelope, instant and proof
    /// have no part in it.
    pub content: Sha256,
}

/// One deposit as bytes, read back and found whole. It never changes; a clone is the same unit, not a copy.
///
/// That a unit is whole says nothing about its proof: whether that convinces is for the vault to check,
/// before it seals.
#[derive(Clone)]
pub struct Unit(Arc<Inner>);

struct Inner {
    bytes: Vec<u8>,
    /// Where each record ends.
    ends: [usize; 3],
    digest: Sha256,
    key: ContentKey,
    previous: Option<Sha256>,
    envelope: Vec<u8>,
    article: Value,
    proof: Proof,
}

impl Unit {
    /// Makes the unit of a deposit. The same deposit gives the same bytes.
    ///
    /// Errors: a part is over its bound, or `article` bears another identifier than `key`.
    pub fn encode(deposit: &Deposit<'_>) -> Result<Self, MalformedUnit> {
        let mut article = serde_json::json!({
            "version": ARTICLE_VERSION,
            "source": deposit.key.source(),
            "identifier": deposit.key.identifier(),
            "content": deposit.article.to_json(),
        });
        if let (Some(previous), Some(members)) = (deposit.previous, article.as_object_mut()) {
            members.insert("previous".to_owned(), previous.to_string().into());
        }
        let article_json =
            canonical(&article).ok_or(MalformedUnit::Article { why: "it has no canonical form" })?;
        let proof_json = deposit.proof.to_json();
        let parts =
            Parts { envelope: deposit.envelope, article: &article_json, proof: proof_json.as_bytes() };
        parts.check_lengths()?;
        let (key, previous) = read_article(&article)?;

        let mut bytes = Vec::with_capacity(4096 + deposit.envelope.len() / 2);
        let ends = parts.records(deposit.proof).map(|record| {
            record.append_to(&mut bytes, Packing::Deflated);
            bytes.len()
        });
        Ok(Self(Arc::new(Inner {
            digest: Sha256::of(&bytes),
            bytes,
            ends,
            key,
            previous,
            envelope: deposit.envelope.to_vec(),
            article,
            proof: deposit.proof.clone(),
        })))
    }

    /// Reads a unit from its bytes: all of them, and nothing behind.
    pub fn read(bytes: &[u8]) -> Result<Self, MalformedUnit> {
        let mut rest = bytes;
        let mut raw = Vec::with_capacity(bytes.len());
        let unit = read_record(&mut rest, &mut raw)
            .and_then(|first| Self::read_after(&first, &mut rest, raw))
            .map_err(|fault| match fault {
                UnitFault::Malformed(malformed) => malformed,
                // A slice can only end.
                UnitFault::Io(_) => MalformedUnit::Truncated,
            })?;
        if rest.is_empty() {
            Ok(unit)
        } else {
            Err(MalformedUnit::Records { why: "bytes follow the third record" })
        }
    }

    /// Reads the unit whose first record, `first`, has just been read from `input`; `raw` holds that record's
    /// bytes as they lay there.
    pub(crate) fn read_after(
        first: &[u8],
        input: &mut impl BufRead,
        mut raw: Vec<u8>,
    ) -> Result<Self, UnitFault> {
        let mut ends = [raw.len(); 3];
        let second = read_record(input, &mut raw)?;
        ends[1] = raw.len();
        let third = read_record(input, &mut raw)?;
        ends[2] = raw.len();
        Ok(Self::from_records([first, &second, &third], ends, raw)?)
    }

    fn from_records(
        [first, second, third]: [&[u8]; 3],
        ends: [usize; 3],
        raw: Vec<u8>,
    ) -> Result<Self, MalformedUnit> {
        let records = |why| MalformedUnit::Records { why };
        let resource = Parsed::of(first).map_err(records)?;
        let conversion = Parsed::of(second).map_err(records)?;
        let metadata = Parsed::of(third).map_err(records)?;
        let parts = Parts { envelope: resource.block, article: conversion.block, proof: metadata.block };
        parts.check_lengths()?;

        let proof =
            Proof::from_json(parts.proof).map_err(|error| MalformedUnit::Proof { why: error.to_string() })?;
        let article: Value = serde_json::from_slice(parts.article)
            .map_err(|_| MalformedUnit::Article { why: "it is not JSON" })?;
        if canonical(&article).as_deref() != Some(parts.article) {
            return Err(MalformedUnit::Article { why: "it is not in canonical form" });
        }
        let (key, previous) = read_article(&article)?;
        let heads = [resource.head, conversion.head, metadata.head];
        for (record, head) in parts.records(&proof).iter().zip(heads) {
            if record.head() != head {
                return Err(records("a record's head is not the one that its content gives"));
            }
        }

        let envelope = parts.envelope.to_vec();
        Ok(Self(Arc::new(Inner {
            digest: Sha256::of(&raw),
            bytes: raw,
            ends,
            key,
            previous,
            envelope,
            article,
            proof,
        })))
    }

    /// The unit's bytes: three gzip members, which any WARC reader reads.
    pub fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// Where in [`Unit::bytes`] each of the three records lies, for an index of WARC files.
    pub fn records(&self) -> [Range<usize>; 3] {
        let [resource, conversion, metadata] = self.0.ends;
        [0..resource, resource..conversion, conversion..metadata]
    }

    /// SHA-256 of [`Unit::bytes`]: the unit's name wherever it is stored.
    pub fn digest(&self) -> Sha256 {
        self.0.digest
    }

    /// What makes two deposits the same.
    pub fn content_key(&self) -> &ContentKey {
        &self.0.key
    }

    /// Which article of which source.
    pub fn key(&self) -> &ArticleKey {
        &self.0.key.article
    }

    /// The version that this one follows on.
    pub fn previous(&self) -> Option<Sha256> {
        self.0.previous
    }

    /// The final address that the envelope was read at.
    pub fn address(&self) -> &HttpsUrl {
        self.0.proof.address()
    }

    /// The instant of the read.
    pub fn read_at(&self) -> Timestamp {
        self.0.proof.read_at()
    }

    /// The response's body after undoing a content coding, byte for byte.
    pub fn envelope(&self) -> &[u8] {
        &self.0.envelope
    }

    /// `Content-Type` as the server sent it.
    pub fn media_type(&self) -> &str {
        &self.0.proof.envelope().media_type
    }

    /// `article.json` as sealed.
    pub fn article_json(&self) -> &Value {
        &self.0.article
    }

    /// What was copied from the envelope.
    ///
    /// Errors: a later program sealed what this one cannot express. [`Unit::article_json`] has it all the
    /// same.
    pub fn article(&self) -> Result<Article, MalformedUnit> {
        let content = self.0.article.get("content").unwrap_or(&Value::Null);
        Article::from_json(content)
            .map_err(|_| MalformedUnit::Article { why: "this program cannot express its content" })
    }

    /// `proof.json`.
    pub fn proof(&self) -> &Proof {
        &self.0.proof
    }
}

impl fmt::Debug for Unit {
    /// Names the unit, and shows nothing of the article.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unit")
            .field("digest", &self.digest())
            .field("article", self.key())
            .finish_non_exhaustive()
    }
}

/// Two units are the same if their bytes are.
impl PartialEq for Unit {
    fn eq(&self, other: &Self) -> bool {
        self.digest() == other.digest()
    }
}

impl Eq for Unit {}

/// Why bytes are not a unit, or a deposit cannot become one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedUnit {
    /// The bytes end within the unit.
    #[error("the unit is cut off")]
    Truncated,
    /// A part is larger than any unit may hold.
    #[error("the {part} is over {bytes_max} bytes")]
    TooLarge {
        /// Which part.
        part: &'static str,
        /// Its bound.
        bytes_max: usize,
    },
    /// The records are not the three of a unit.
    #[error("the unit's records are not as a vault writes them: {why}")]
    Records {
        /// What is wrong with them.
        why: &'static str,
    },
    /// `article.json` is not one.
    #[error("article.json is not as a vault writes it: {why}")]
    Article {
        /// What is wrong with it.
        why: &'static str,
    },
    /// `proof.json` is not one.
    #[error("proof.json is not as a vault writes it: {why}")]
    Proof {
        /// What is wrong with it.
        why: String,
    },
    /// The article as read bears another identifier than the deposit.
    #[error("the article bears the identifier `{read}`, and the deposit `{deposited}`")]
    Identifiers {
        /// The article's, as read in the envelope.
        read: String,
        /// The deposit's.
        deposited: String,
    },
}

impl MalformedUnit {
    /// A short name that does not change between releases.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Truncated => "unit-truncated",
            Self::TooLarge { .. } => "unit-too-large",
            Self::Records { .. } => "unit-records",
            Self::Article { .. } => "unit-article",
            Self::Proof { .. } => "unit-proof",
            Self::Identifiers { .. } => "identifiers-differ",
        }
    }
}

/// The three blocks of a unit.
struct Parts<'a> {
    envelope: &'a [u8],
    article: &'a [u8],
    proof: &'a [u8],
}

impl Parts<'_> {
    fn check_lengths(&self) -> Result<(), MalformedUnit> {
        let bounds = [
            ("envelope", self.envelope, ENVELOPE_BYTES_MAX),
            ("article.json", self.article, ARTICLE_BYTES_MAX),
            ("proof.json", self.proof, PROOF_BYTES_MAX),
        ];
        match bounds.into_iter().find(|(_, bytes, bytes_max)| bytes.len() > *bytes_max) {
            Some((part, _, bytes_max)) => Err(MalformedUnit::TooLarge { part, bytes_max }),
            None => Ok(()),
        }
    }

    /// The records that these blocks give. Everything in their heads follows from the blocks and from
    /// `proof`, which is one of them.
    fn records<'a>(&'a self, proof: &'a Proof) -> [Record<'a>; 3] {
        let digests = [self.envelope, self.article, self.proof].map(Sha256::of);
        let seed: Vec<u8> = digests.iter().flat_map(Sha256::as_bytes).copied().collect();
        let id = |role: &str| RecordId::from_digest(&Sha256::of(&[&seed, role.as_bytes()].concat()));
        let [envelope, article, proof_digest] = digests;
        let (date, address) = (proof.read_at(), proof.address().as_str());
        let resource = id("resource");
        [
            Record {
                kind: "resource",
                id: resource,
                date,
                fields: vec![
                    ("WARC-Target-URI", address.to_owned()),
                    ("WARC-Payload-Digest", format!("sha256:{envelope}")),
                ],
                media_type: &proof.envelope().media_type,
                block: self.envelope,
                digest: envelope,
            },
            Record {
                kind: "conversion",
                id: id("conversion"),
                date,
                fields: vec![
                    ("WARC-Target-URI", address.to_owned()),
                    ("WARC-Refers-To", resource.to_string()),
                ],
                media_type: "application/json",
                block: self.article,
                digest: article,
            },
            Record {
                kind: "metadata",
                id: id("metadata"),
                date,
                fields: vec![("WARC-Concurrent-To", resource.to_string())],
                media_type: "application/json",
                block: self.proof,
                digest: proof_digest,
            },
        ]
    }
}

/// What of `article.json` the vault goes by: content key and the version before.
fn read_article(article: &Value) -> Result<(ContentKey, Option<Sha256>), MalformedUnit> {
    let wrong = |why| MalformedUnit::Article { why };
    if article.get("version").and_then(Value::as_u64) != Some(ARTICLE_VERSION) {
        return Err(wrong("its version is not 1"));
    }
    if depth(article) > DEPTH_MAX {
        return Err(wrong("it is nested too deep"));
    }
    let text = |name| article.get(name).and_then(Value::as_str);
    let (source, identifier) =
        text("source").zip(text("identifier")).ok_or(wrong("source or identifier is missing"))?;
    let key = ArticleKey::new(source, identifier).map_err(|_| wrong("source or identifier cannot be one"))?;
    let previous = match article.get("previous") {
        None => None,
        Some(previous) => {
            let digest = previous.as_str().and_then(|text| text.parse().ok());
            Some(digest.ok_or(wrong("the version before is not a digest"))?)
        }
    };
    let content = article.get("content").ok_or(wrong("its content is missing"))?;
    if let Some(read) = content.pointer("/identifier/text").and_then(Value::as_str)
        && read != identifier
    {
        return Err(MalformedUnit::Identifiers { read: read.to_owned(), deposited: identifier.to_owned() });
    }
    let (blocks, descriptor) = content
        .pointer("/body/blocks")
        .zip(content.get("descriptor"))
        .ok_or(wrong("blocks or descriptor are missing"))?;
    let content = canonical(&serde_json::json!({ "blocks": blocks, "descriptor": descriptor }))
        .ok_or(wrong("it has no canonical form"))?;
    Ok((ContentKey { article: key, content: Sha256::of(&content) }, previous))
}

fn canonical(json: &Value) -> Option<Vec<u8>> {
    serde_json_canonicalizer::to_vec(json).ok()
}

fn depth(json: &Value) -> usize {
    match json {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Why a unit could not be read from where it lies. The two are kept apart: bytes that cannot be read are not
/// bytes that are wrong.
#[derive(Debug)]
pub(crate) enum UnitFault {
    Malformed(MalformedUnit),
    Io(io::Error),
}

impl From<MalformedUnit> for UnitFault {
    fn from(error: MalformedUnit) -> Self {
        Self::Malformed(error)
    }
}

fn read_record(input: &mut impl BufRead, raw: &mut Vec<u8>) -> Result<Vec<u8>, UnitFault> {
    // The largest part bounds each of the three: one over its own bound is found once it is known which it
    // is.
    const RECORD_BYTES_MAX: usize = ENVELOPE_BYTES_MAX + 64 * 1024;
    match warc::read_member(input, raw, RECORD_BYTES_MAX) {
        Ok(Some(record)) => Ok(record),
        Ok(None) | Err(MemberError::Truncated) => Err(MalformedUnit::Truncated.into()),
        Err(MemberError::Malformed(why)) => Err(MalformedUnit::Records { why }.into()),
        Err(MemberError::TooLarge) => {
            Err(MalformedUnit::TooLarge { part: "record", bytes_max: RECORD_BYTES_MAX }.into())
        }
        Err(MemberError::Io(error)) => Err(UnitFault::Io(error)),
    }
}
