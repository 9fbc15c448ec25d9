//! SHA-256 digests.

use std::fmt;
use std::str::FromStr;

use ring::digest;

use crate::error::Error;

/// A SHA-256 digest, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut value = [0; 32];
        // SHA-256 is 32 bytes long, so the two lengths agree.
        value
            .iter_mut()
            .zip(digest::digest(&digest::SHA256, bytes).as_ref())
            .for_each(|(to, from)| *to = *from);
        Self(value)
    }

    /// A digest that was computed elsewhere.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256({self})")
    }
}

impl FromStr for Sha256 {
    type Err = Error;

    /// Reads the one form that [`Display`](fmt::Display) writes; upper case is refused.
    fn from_str(text: &str) -> Result<Self, Error> {
        let malformed = || Error::document("sha256", "is not 64 lower-case hexadecimal digits");
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let bytes: Option<Vec<u8>> = text
            .as_bytes()
            .chunks(2)
            .map(|pair| match pair {
                [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
                _ => None,
            })
            .collect();
        bytes.and_then(|bytes| bytes.try_into().ok()).map(Self).ok_or_else(malformed)
    }
}
