//! The crate's one error type.

use std::fmt;

use crate::reason::Refusal;

/// Why a proof, a set of roots or a handshake could not be taken in, or why a proof could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes of a handshake are not ones that evidence can be taken from; the text says why.
    Handshake(String),
    /// A set of roots cannot be read; the text says which certificate and why.
    Roots(String),
    /// A proof document is not one of version 1, or the facts given do not make one.
    Document {
        /// The field at fault, written as a path such as `tls.presented`.
        field: String,
        /// What is wrong with it, as the rest of a sentence that begins with the field.
        what: String,
    },
    /// A reply of a timestamp authority gives no token, or the token is not of what was asked; the text says why.
    Timestamp(String),
    /// The facts are well formed, but they prove nothing: a check would refuse them.
    Refused(Refusal),
}

impl Error {
    /// A stable code for records and for other programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Handshake(_) => "handshake-unusable",
            Self::Roots(_) => "roots-malformed",
            Self::Document { .. } => "proof-malformed",
            Self::Timestamp(_) => "timestamp-unusable",
            Self::Refused(refusal) => refusal.reason().code(),
        }
    }

    pub(crate) fn handshake(what: &str) -> Self {
        Self::Handshake(what.to_owned())
    }

    pub(crate) fn document(field: &str, what: impl Into<String>) -> Self {
        Self::Document { field: field.to_owned(), what: what.into() }
    }

    pub(crate) fn refused(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handshake(what) => write!(f, "the handshake gives no evidence: {what}"),
            Self::Roots(what) => write!(f, "the set of roots cannot be used: {what}"),
            Self::Timestamp(what) => write!(f, "the timestamp cannot be used: {what}"),
            Self::Document { field, what } => write!(f, "the proof cannot be used: `{field}` {what}"),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl std::error::Error for Error {}
