//! Timestamps of a third party (RFC 3161): the request, the reply, and what the token says.
//!
//! Only as much of ASN.1 is read as a token takes, in its distinguished encoding (X.690): every length in its
//! shortest form, nothing behind the end.

use std::fmt;

use jiff::Timestamp;

use crate::{Error, Sha256};

/// A token in bytes, at most. One is a few certificates and a signature: 3 to 8 KiB with the authorities seen.
pub const TIMESTAMP_BYTES_MAX: usize = 64 * 1024;

const BOOLEAN: u8 = 0x01;
const INTEGER: u8 = 0x02;
const OCTET_STRING: u8 = 0x04;
const NULL: u8 = 0x05;
const OBJECT_IDENTIFIER: u8 = 0x06;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
/// The tag `[0]`, around what has a tag of its own.
const EXPLICIT_0: u8 = 0xa0;

/// `id-sha256`: 2.16.840.1.101.3.4.2.1.
const SHA256: [u8; 9] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];

/// `id-signedData`: 1.2.840.113549.1.7.2 (RFC 5652).
const SIGNED_DATA: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];

/// `id-ct-TSTInfo`: 1.2.840.113549.1.9.16.1.4.
const TST_INFO: [u8; 11] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04];

/// A request for a timestamp of a digest. The authority learns the digest, and nothing of what it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimestampRequest {
    digest: Sha256,
    nonce: [u8; 8],
}

impl TimestampRequest {
    /// Asks for `digest`. A `nonce` that was never used before ties the reply to this request.
    pub fn new(digest: Sha256, nonce: [u8; 8]) -> Self {
        Self { digest, nonce }
    }

    /// The request as it is sent, as `application/timestamp-query`. It asks for the authority's certificate, so
    /// that the token can be checked when the authority is gone.
    pub fn to_der(&self) -> Vec<u8> {
        let algorithm = value(SEQUENCE, &[&value(OBJECT_IDENTIFIER, &[&SHA256]), &value(NULL, &[])]);
        let imprint = value(SEQUENCE, &[&algorithm, &value(OCTET_STRING, &[self.digest.as_bytes()])]);
        value(SEQUENCE, &[&value(INTEGER, &[&[1]]), &imprint, &self.nonce(), &value(BOOLEAN, &[&[0xff]])])
    }

    /// Takes the token from a reply, if it is one to this request.
    ///
    /// Errors: the authority refuses, or the token is of another digest or another request.
    pub fn token(&self, reply: &[u8]) -> Result<TimestampToken, Error> {
        let wrong = |what: &str| Error::Timestamp(what.to_owned());
        let malformed = || wrong("the reply is not as RFC 3161 has it");
        let mut reply = Der(reply).only(SEQUENCE).ok_or_else(malformed)?;
        let mut status = Der(reply.take(SEQUENCE).ok_or_else(malformed)?);
        // Granted, or granted with modifications.
        if !matches!(status.take(INTEGER).ok_or_else(malformed)?, [0 | 1]) {
            let said = refusal(status).unwrap_or_else(|| "without a reason".to_owned());
            return Err(Error::Timestamp(format!("the authority gives none: {said}")));
        }
        let token = TimestampToken::from_der(reply.0)?;
        if token.digest != self.digest {
            return Err(wrong("the token is of another digest"));
        }
        if token.nonce.as_deref() != Der(&self.nonce()).take(INTEGER) {
            return Err(wrong("the token answers another request"));
        }
        Ok(token)
    }

    /// The nonce as an integer: positive, and in its shortest form.
    fn nonce(&self) -> Vec<u8> {
        let first = self.nonce.iter().position(|byte| *byte != 0).unwrap_or(self.nonce.len() - 1);
        let digits = self.nonce.get(first..).unwrap_or_default();
        let sign: &[u8] = if digits.first().is_some_and(|byte| *byte > 0x7f) { &[0] } else { &[] };
        value(INTEGER, &[sign, digits])
    }
}

/// What a timestamp authority states: that a digest was known to it at an instant.
///
/// Read here is what it says. Whether the authority's signature holds, and whether the authority is one to be
/// believed, is for `openssl ts -verify` and whoever has to be convinced.
#[derive(Clone, PartialEq, Eq)]
pub struct TimestampToken {
    der: Vec<u8>,
    digest: Sha256,
    at: Timestamp,
    nonce: Option<Vec<u8>>,
}

impl TimestampToken {
    /// Reads a token: `TimeStampToken`, as it stands in a reply.
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let malformed = || Error::Timestamp("the token is not as RFC 3161 has it".to_owned());
        if der.len() > TIMESTAMP_BYTES_MAX {
            return Err(Error::Timestamp(format!("the token is over {TIMESTAMP_BYTES_MAX} bytes")));
        }
        read(der).ok_or_else(malformed)
    }

    /// The token as the authority gave it.
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// What was stamped.
    pub fn digest(&self) -> Sha256 {
        self.digest
    }

    /// When, by the authority's clock.
    pub fn at(&self) -> Timestamp {
        self.at
    }
}

impl fmt::Debug for TimestampToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimestampToken")
            .field("digest", &self.digest)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

fn read(der: &[u8]) -> Option<TimestampToken> {
    let mut content = Der(der).only(SEQUENCE)?;
    if content.take(OBJECT_IDENTIFIER)? != SIGNED_DATA {
        return None;
    }
    let mut signed = content.only(EXPLICIT_0)?.only(SEQUENCE)?;
    signed.take(INTEGER)?;
    signed.take(SET)?;
    let mut encapsulated = Der(signed.take(SEQUENCE)?);
    if encapsulated.take(OBJECT_IDENTIFIER)? != TST_INFO {
        return None;
    }
    let mut info = encapsulated.only(EXPLICIT_0)?.only(OCTET_STRING)?.only(SEQUENCE)?;
    info.take(INTEGER)?;
    info.take(OBJECT_IDENTIFIER)?;
    let mut imprint = Der(info.take(SEQUENCE)?);
    let mut algorithm = Der(imprint.take(SEQUENCE)?);
    if algorithm.take(OBJECT_IDENTIFIER)? != SHA256 {
        return None;
    }
    let digest = Sha256::from_bytes(imprint.take(OCTET_STRING)?.try_into().ok()?);
    info.take(INTEGER)?;
    let at = instant(info.take(GENERALIZED_TIME)?)?;
    // The accuracy, and whether tokens are in order.
    for tag in [SEQUENCE, BOOLEAN] {
        info.take(tag);
    }
    let nonce = info.take(INTEGER).map(<[u8]>::to_vec);
    Some(TimestampToken { der: der.to_vec(), digest, at, nonce })
}

/// `20260504030201Z`, with a fraction or without.
fn instant(text: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (digits, fraction) = text.split_once('.').map_or((text, None), |(digits, part)| (digits, Some(part)));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits.len() != 14 || !is_number(digits) || !fraction.is_none_or(is_number) {
        return None;
    }
    let part = |range| digits.get(range).unwrap_or_default();
    let fraction = fraction.map(|part| format!(".{part}")).unwrap_or_default();
    format!(
        "{}-{}-{}T{}:{}:{}{fraction}Z",
        part(0..4),
        part(4..6),
        part(6..8),
        part(8..10),
        part(10..12),
        part(12..14)
    )
    .parse()
    .ok()
}

/// What an authority says beside its refusal: the first text.
fn refusal(mut status: Der<'_>) -> Option<String> {
    let mut texts = Der(status.take(SEQUENCE)?);
    const UTF8_STRING: u8 = 0x0c;
    let text = std::str::from_utf8(texts.take(UTF8_STRING)?).ok()?;
    Some(text.chars().take(200).collect())
}

/// Reads values one after the other.
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// The content of the next value, if it has this tag; otherwise nothing is read.
    fn take(&mut self, tag: u8) -> Option<&'a [u8]> {
        let (&found, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = if first < 0x80 {
            (usize::from(first), rest)
        } else {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let is_shortest = digits.first().is_some_and(|digit| *digit != 0) && digits.len() <= 4;
            let length = digits.iter().fold(0_usize, |length, digit| length << 8 | usize::from(*digit));
            if !is_shortest || length < 0x80 {
                return None;
            }
            (length, rest)
        };
        let (content, rest) = rest.split_at_checked(length)?;
        if found != tag {
            return None;
        }
        self.0 = rest;
        Some(content)
    }

    /// What is in the next value, which has this tag and is the last.
    fn only(mut self, tag: u8) -> Option<Self> {
        let content = self.take(tag)?;
        self.0.is_empty().then_some(Self(content))
    }
}

/// A value of up to 64 KiB.
fn value(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let mut value = vec![tag];
    match u16::try_from(content.len()).unwrap_or(u16::MAX).to_be_bytes() {
        [0, length] if length < 0x80 => value.push(length),
        [0, length] => value.extend([0x81, length]),
        [high, low] => value.extend([0x82, high, low]),
    }
    value.extend(content);
    value
}

#[cfg(test)]
mod tests;
