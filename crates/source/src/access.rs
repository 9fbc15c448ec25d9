use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How a `cms-api` source is accessed: which header carries the credential, where the credential is read
/// from, and which host it is for.
///
/// The credential itself is not here and never was in the configuration: [`SecretFrom::read`] gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessSpec {
    /// The header.
    pub header: AccessHeaderName,
    /// What stands before the credential in the header, such as `Bearer `.
    pub prefix: String,
    /// Where the credential is read from.
    pub secret: SecretFrom,
    /// The host that it is for: that of the article's address.
    pub host: String,
    /// The port that it is for.
    pub port: u16,
    /// Whether it is also sent for the trigger, as agreed with the publisher.
    pub also_for_trigger: bool,
    /// Whether it is also sent for the backlog's list, as agreed with the publisher.
    pub also_for_backlog: bool,
}

impl AccessSpec {
    /// The header's whole value: prefix and credential.
    pub fn value(&self, secret: &Secret) -> Secret {
        Secret(format!("{}{}", self.prefix, secret.0))
    }
}

/// The name of a header that may carry a credential (R4).
///
/// Refused are the headers that every request has, those that change what is asked or how it is carried, and
/// those that belong to one hop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessHeaderName(String);

impl AccessHeaderName {
    /// The name as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AccessHeaderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Longer names are refused by common servers.
const HEADER_NAME_BYTES_MAX: usize = 128;

impl FromStr for AccessHeaderName {
    type Err = HeaderNameError;

    fn from_str(name: &str) -> Result<Self, HeaderNameError> {
        // A token as RFC 9110, section 5.6.2, has it.
        let is_token_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || name.len() > HEADER_NAME_BYTES_MAX || !name.bytes().all(is_token_byte) {
            return Err(HeaderNameError::NoName);
        }
        let lower = name.to_ascii_lowercase();
        let is_refused = REFUSED_HEADERS.contains(&lower.as_str())
            || REFUSED_PREFIXES.iter().any(|prefix| lower.starts_with(prefix));
        if is_refused {
            return Err(HeaderNameError::Refused { name: name.to_owned() });
        }
        Ok(Self(name.to_owned()))
    }
}

/// The other headers of each request, those with which a server would answer something else, and those that
/// RFC 9110, section 7.6.1, and its forerunners count to one hop.
const REFUSED_HEADERS: [&str; 18] = [
    "user-agent",
    "accept",
    "accept-encoding",
    "cookie",
    "cookie2",
    "host",
    "range",
    "expect",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "http2-settings",
    "alt-used",
    "origin",
    "referer",
    "via",
];
const REFUSED_PREFIXES: [&str; 5] = ["if-", "content-", "transfer-", "proxy-", "sec-"];

/// Why a credential can't travel in a header of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderNameError {
    /// It is no name of a header.
    NoName,
    /// It is a header that has another meaning.
    Refused {
        /// The name.
        name: String,
    },
}

impl fmt::Display for HeaderNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => f.write_str("this is no name of a header"),
            Self::Refused { name } => {
                write!(f, "`{name}` may not carry a credential: it has another meaning")
            }
        }
    }
}

impl std::error::Error for HeaderNameError {}

/// Where a secret is read from. The configuration says no more about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretFrom {
    /// The environment variable of this name.
    Env(String),
    /// This file; a relative path is the caller's to resolve.
    File(PathBuf),
}

/// The longest secret taken: longer ones do not fit into the head that common servers accept (8 KiB in all).
const SECRET_BYTES_MAX: usize = 4 * 1024;

impl SecretFrom {
    /// Reads the secret through the two look-ups, of which one is called.
    ///
    /// One line end after it is taken off, as editors and `echo` leave it. What is left must be visible ASCII
    /// and spaces, which is what a header can carry.
    ///
    /// ```
    /// use releve_source::SecretFrom;
    /// use std::io;
    ///
    /// let from = SecretFrom::Env("EXAMPLE_TOKEN".to_owned());
    /// let env = |name: &str| (name == "EXAMPLE_TOKEN").then(|| b"s3cret".to_vec());
    /// let secret = from.read(env, |_| Err(io::ErrorKind::NotFound.into()))?;
    /// assert_eq!(secret.expose(), "s3cret");
    /// assert_eq!(format!("{secret:?}"), "Secret(…)");
    /// # Ok::<(), releve_source::SecretError>(())
    /// ```
    pub fn read(
        &self,
        env: impl FnOnce(&str) -> Option<Vec<u8>>,
        file: impl FnOnce(&Path) -> std::io::Result<Vec<u8>>,
    ) -> Result<Secret, SecretError> {
        let fail = |why| SecretError { from: self.clone(), why };
        let bytes = match self {
            Self::Env(name) => env(name).ok_or_else(|| fail(SecretErrorWhy::Unset))?,
            Self::File(path) => {
                file(path).map_err(|error| fail(SecretErrorWhy::Unreadable(error.to_string())))?
            }
        };
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.is_empty() {
            return Err(fail(SecretErrorWhy::Empty));
        }
        if text.len() > SECRET_BYTES_MAX {
            return Err(fail(SecretErrorWhy::TooLong));
        }
        match str::from_utf8(text) {
            Ok(text) if is_header_text(text) => Ok(Secret(text.to_owned())),
            _ => Err(fail(SecretErrorWhy::Characters)),
        }
    }
}

impl fmt::Display for SecretFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(f, "the environment variable {name}"),
            Self::File(path) => write!(f, "the file {}", path.display()),
        }
    }
}

/// Whether a text can stand in a header: visible ASCII and spaces.
pub(crate) fn is_header_text(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// A secret: shown by nothing but [`expose`](Self::expose).
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The secret, to put it into a header.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A secret that could not be read. It names where, never what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretError {
    from: SecretFrom,
    why: SecretErrorWhy,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SecretErrorWhy {
    Unset,
    Unreadable(String),
    Empty,
    TooLong,
    Characters,
}

impl fmt::Display for SecretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = &self.from;
        match &self.why {
            SecretErrorWhy::Unset => write!(f, "{from} holds no secret: it is not set"),
            SecretErrorWhy::Unreadable(error) => write!(f, "{from} cannot be read: {error}"),
            SecretErrorWhy::Empty => write!(f, "{from} holds no secret: it is empty"),
            SecretErrorWhy::TooLong => write!(f, "{from} holds more than {SECRET_BYTES_MAX} bytes"),
            SecretErrorWhy::Characters => {
                write!(
                    f,
                    "{from} holds a character that a header cannot carry; a secret is one line of visible ASCII"
                )
            }
        }
    }
}

impl std::error::Error for SecretError {}
