//! Which article of which source, and who may deposit it.

use std::fmt;
use std::str::FromStr;

use releve_proof::Sha256;

/// The name of a source in bytes, at most: it is a configuration file's name, and file systems allow no more.
const SOURCE_BYTES_MAX: usize = 255;

/// An identifier in bytes, at most. Where a source has none, it is the address, which is bounded to 8 KiB.
const IDENTIFIER_BYTES_MAX: usize = 8 * 1024;

/// An article's name in a vault: its source, and the identifier that its publisher gives it.
///
/// Two deposits under the same key are versions of one article.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArticleKey {
    source: String,
    identifier: String,
}

impl ArticleKey {
    /// The article `identifier` of `source`.
    ///
    /// Both are taken as they are. Refused are empty ones, control characters, and more than 255 bytes
    /// (source) or 8 KiB (identifier).
    pub fn new(source: impl Into<String>, identifier: impl Into<String>) -> Result<Self, InvalidKey> {
        let (source, identifier) = (source.into(), identifier.into());
        let fits = |text: &str, bytes_max| {
            !text.is_empty() && text.len() <= bytes_max && !text.chars().any(char::is_control)
        };
        if !fits(&source, SOURCE_BYTES_MAX) {
            return Err(InvalidKey { part: "source", bytes_max: SOURCE_BYTES_MAX });
        }
        if !fits(&identifier, IDENTIFIER_BYTES_MAX) {
            return Err(InvalidKey { part: "identifier", bytes_max: IDENTIFIER_BYTES_MAX });
        }
        Ok(Self { source, identifier })
    }

    /// The source's name.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The identifier, as the publisher writes it.
    pub fn identifier(&self) -> &str {
        &self.identifier
    }
}

impl fmt::Display for ArticleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of `{}`", self.identifier, self.source)
    }
}

/// Source or identifier cannot be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the {part} is empty, has control characters, or is over {bytes_max} bytes")]
pub struct InvalidKey {
    part: &'static str,
    bytes_max: usize,
}

/// A connector's key to a vault: a secret.
///
/// It is 256 random bits as hexadecimal, so the plain SHA-256 that a vault keeps of it cannot be guessed
/// back. `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct ConnectorKey(String);

impl ConnectorKey {
    /// A new key. `None` if the system has no randomness to give.
    pub(crate) fn generate() -> Option<Self> {
        let mut random = [0; 32];
        ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut random).ok()?;
        Some(Self(Sha256::from_bytes(random).to_string()))
    }

    /// The secret itself, to be written where the connector reads it and nowhere else.
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// What a vault keeps of it.
    pub(crate) fn hash(&self) -> Sha256 {
        Sha256::of(self.0.as_bytes())
    }
}

impl fmt::Debug for ConnectorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConnectorKey(…)")
    }
}

impl FromStr for ConnectorKey {
    type Err = InvalidConnectorKey;

    fn from_str(text: &str) -> Result<Self, InvalidConnectorKey> {
        let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidConnectorKey)
        }
    }
}

/// The text is no connector key. It is not repeated here: it may be a secret all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a connector key; one has 64 lower-case hexadecimal digits")]
pub struct InvalidConnectorKey;
