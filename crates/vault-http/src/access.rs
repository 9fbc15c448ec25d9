use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use http::StatusCode;

/// One line of the access log: what was asked, by whom, and what it was answered.
///
/// Nothing in it is secret: the key is named, and of the target only what this protocol defines is repeated, without
/// its query.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// The client's address.
    pub peer: SocketAddr,
    /// The name of the connector key, where it is one that the vault gave out.
    pub key: Option<String>,
    /// The method, where it is one that HTTP defines.
    pub method: Option<&'static str>,
    /// The path, where it is one of the protocol's.
    pub path: Option<String>,
    /// What was answered; `None` if the client went before.
    pub status: Option<StatusCode>,
    /// What became of it: `sealed`, `already-sealed`, `read`, or the code of the refusal.
    pub code: String,
    /// How many bytes of a body came.
    pub received_bytes: u64,
    /// From the head to the beginning of the answer.
    pub took: Duration,
    /// How the vault failed, if it did: for the operator alone.
    pub failure: Option<String>,
}

impl fmt::Display for Access {
    /// Peer, key, method, path, status, code, bytes and milliseconds, a hyphen where there is nothing to say. A failure
    /// follows in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_hyphen = |text: Option<&str>| text.unwrap_or("-").escape_default().to_string();
        write!(f, "{} {} ", self.peer, or_hyphen(self.key.as_deref()))?;
        write!(f, "{} {} ", self.method.unwrap_or("-"), or_hyphen(self.path.as_deref()))?;
        let status = self.status.map(|status| status.as_u16().to_string());
        write!(f, "{} {} ", status.as_deref().unwrap_or("-"), self.code)?;
        write!(f, "{} bytes {} ms", self.received_bytes, self.took.as_millis())?;
        match &self.failure {
            Some(failure) => write!(f, " ({})", failure.escape_debug()),
            None => Ok(()),
        }
    }
}
