use std::fmt;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderName, HeaderValue};
use memchr::memmem;

use crate::{Body, Headers};

/// The shortest secret taken. A shorter one would be found by chance in many a page, and each would pass for an echo.
const SECRET_BYTES_MIN: usize = 8;

/// A credential in its one header, with the one host and port it was given for.
///
/// Nothing of the secret is in its `Debug` output, it has no `Display`, and nothing outside this crate can read it
/// back: it goes into requests to its own host and port and nowhere else.
///
/// ```
/// use releve_fetch::AccessHeader;
///
/// let access = AccessHeader::new("Authorization", "Bearer ", "0123456789abcdef", "cms.example.org", 443)?;
/// assert_eq!(format!("{access:?}"), r#"AccessHeader { name: "authorization", given_for: "cms.example.org", .. }"#);
/// assert!(AccessHeader::new("Cookie", "", "0123456789abcdef", "cms.example.org", 443).is_err());
/// # Ok::<(), releve_fetch::AccessHeaderError>(())
/// ```
#[derive(Clone)]
pub struct AccessHeader {
    name: HeaderName,
    value: HeaderValue,
    host: Box<str>,
    port: u16,
    echoes: Vec<Vec<u8>>,
}

impl AccessHeader {
    /// The header `name: prefix secret`, for requests to this host and port alone.
    ///
    /// `prefix` stands before the secret exactly as given, such as `Bearer ` with its blank. The host is compared
    /// without regard to letter case.
    ///
    /// Errors: the name is one that the promised requests do not have room for (the other three headers, `Cookie`,
    /// `Host`, `Range`, `Expect`, `If-*`, `Content-*`, `Transfer-*`, or one that governs the connection), the secret
    /// is under 8 bytes, or the value is not printable ASCII.
    pub fn new(
        name: &str,
        prefix: &str,
        secret: &str,
        host: &str,
        port: u16,
    ) -> Result<Self, AccessHeaderError> {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| AccessHeaderError::Name { name: name.to_owned() })?;
        if is_taken(name.as_str()) {
            return Err(AccessHeaderError::Name { name: name.to_string() });
        }
        let secret = secret.trim();
        if secret.len() < SECRET_BYTES_MIN {
            return Err(AccessHeaderError::TooShort);
        }
        let printable = |text: &str| text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if !printable(prefix) || !printable(secret) {
            return Err(AccessHeaderError::NotPrintable);
        }
        let mut value = HeaderValue::from_str(&format!("{prefix}{secret}"))
            .map_err(|_| AccessHeaderError::NotPrintable)?;
        value.set_sensitive(true);
        Ok(Self {
            name,
            value,
            host: host.to_ascii_lowercase().into(),
            port,
            echoes: spellings(prefix, secret),
        })
    }

    /// The header's name, in lower case.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The host and port it was given for, as `host` or `host:port`.
    pub fn given_for(&self) -> String {
        authority(&self.host, self.port)
    }

    pub(crate) fn is_for(&self, host: &str, port: u16) -> bool {
        self.port == port && self.host.eq_ignore_ascii_case(host)
    }

    pub(crate) fn header(&self) -> (HeaderName, HeaderValue) {
        (self.name.clone(), self.value.clone())
    }

    /// Whether a response holds the secret in one of the spellings in which a server may hand it back.
    pub(crate) fn is_echoed(&self, headers: &Headers, body: Option<&Body>) -> bool {
        headers.iter().any(|(_, value)| self.stands_in(value))
            || body.is_some_and(|body| self.stands_in(&body.decoded))
    }

    /// Whether the secret stands in these bytes, in one of the spellings in which a server may hand it back. For what is
    /// made of a response: a secret in a spelling that nobody thought of stands in clear once the text is decoded.
    pub fn stands_in(&self, bytes: &[u8]) -> bool {
        self.echoes.iter().any(|spelling| memmem::find(bytes, spelling).is_some())
    }
}

impl fmt::Debug for AccessHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessHeader")
            .field("name", &self.name.as_str())
            .field("given_for", &self.given_for())
            .finish_non_exhaustive()
    }
}

/// Why a header can't be an access header. None of them holds the secret.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessHeaderError {
    /// The name is no header name, or one that may not be used.
    #[error("{name:?} cannot be the access header; use `Authorization` or a name of the CMS's own")]
    Name {
        /// The name as given.
        name: String,
    },
    /// The secret is too short to be told apart from chance.
    #[error("the access credential is under {SECRET_BYTES_MIN} bytes; ask the publisher for a longer one")]
    TooShort,
    /// The value holds something else than printable ASCII.
    #[error("the access credential holds characters that no header value may hold")]
    NotPrintable,
}

/// `host`, or `host:port` where the port is not 443.
fn authority(host: &str, port: u16) -> String {
    if port == 443 { host.to_owned() } else { format!("{host}:{port}") }
}

/// Names that would change what is asked for, how it is framed, or who we say we are.
fn is_taken(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "accept",
        "accept-encoding",
        "alt-used",
        "connection",
        "cookie",
        "cookie2",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "origin",
        "range",
        "referer",
        "te",
        "trailer",
        "upgrade",
        "user-agent",
        "via",
    ];
    const FAMILIES: &[&str] = &["content-", "if-", "proxy-", "sec-", "transfer-"];
    NAMES.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family))
}

/// The secret as it stands, and as JSON, HTML and an address spell it where that differs. Of HTTP's `Basic` scheme,
/// whose secret is `user:password` in base64, the password too.
fn spellings(prefix: &str, secret: &str) -> Vec<Vec<u8>> {
    let mut secrets = vec![secret.to_owned()];
    if prefix.trim().eq_ignore_ascii_case("basic") {
        let decoded = STANDARD.decode(secret).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        secrets.extend(
            decoded.iter().filter_map(|pair| pair.split_once(':')).map(|(_, password)| password.to_owned()),
        );
    }
    let mut all: Vec<Vec<u8>> = secrets
        .iter()
        .flat_map(|secret| {
            let json = secret.replace('\\', "\\\\").replace('"', "\\\"");
            let json_in_html = json.replace('/', "\\/");
            let html =
                secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
            let percent = percent_encoded(secret);
            let percent_lower = percent.to_ascii_lowercase();
            [secret.clone(), json, json_in_html, html, percent, percent_lower]
        })
        .filter(|spelling| spelling.len() >= SECRET_BYTES_MIN)
        .map(String::into_bytes)
        .collect();
    all.sort();
    all.dedup();
    all
}

fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}
