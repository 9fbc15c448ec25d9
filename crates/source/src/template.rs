use std::fmt;
use std::str::FromStr;

use releve_url_canon::HttpsUrl;

/// The address of an article with `{id}` where the identifier goes.
///
/// The identifier becomes one path segment, or one value of a query: everything in it but letters, digits,
/// `-`, `.`, `_` and `~` is percent-encoded, so that it can neither add a segment nor a parameter, nor lead
/// to another host.
///
/// ```
/// use releve_source::AddressTemplate;
///
/// let template: AddressTemplate = "https://cms.example.org/items/{id}?fields=title,body".parse()?;
/// assert_eq!(
///     template.address("a/b?c")?.as_str(),
///     "https://cms.example.org/items/a%2Fb%3Fc?fields=title,body",
/// );
/// assert!(template.address("..").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressTemplate {
    before: String,
    after: String,
    /// The address with a made-up identifier: host, port and query are those of every address.
    probe: HttpsUrl,
    digits_only: bool,
}

/// What stands where the identifier goes.
const PLACEHOLDER: &str = "{id}";
/// The made-up identifier: unreserved characters only, which no address has by chance.
const PROBE: &str = "releve-identifier-0";

impl AddressTemplate {
    /// Takes identifiers of digits alone, for systems that have no others.
    #[must_use]
    pub fn digits_only(mut self) -> Self {
        self.digits_only = true;
        self
    }

    /// The address of the article that has this identifier.
    pub fn address(&self, identifier: &str) -> Result<HttpsUrl, IdentifierUnfit> {
        match identifier {
            "" => return Err(IdentifierUnfit::Empty),
            "." | ".." => return Err(IdentifierUnfit::DotSegment),
            _ => {}
        }
        if self.digits_only && !identifier.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(IdentifierUnfit::NotDigits);
        }
        let text = format!("{}{}{}", self.before, encode(identifier), self.after);
        // What the parser would change is not the address that was meant.
        text.parse::<HttpsUrl>().ok().filter(|url| url.as_str() == text).ok_or(IdentifierUnfit::NoAddress)
    }

    /// Whether this is the address of some article: an agreement lifts a Disallow for these and no others.
    pub fn covers(&self, address: &HttpsUrl) -> bool {
        let middle =
            address.as_str().strip_prefix(&self.before).and_then(|rest| rest.strip_suffix(&self.after));
        middle.is_some_and(|middle| {
            let fits =
                |byte: u8| if self.digits_only { byte.is_ascii_digit() } else { is_encoded_byte(byte) };
            !middle.is_empty() && middle.bytes().all(fits)
        })
    }

    /// The host of every address, without port.
    pub fn host(&self) -> &str {
        self.probe.host()
    }

    /// The port of every address.
    pub fn port(&self) -> u16 {
        self.probe.port()
    }

    /// An address made with an invented identifier, to ask whether such addresses are admitted.
    pub fn example(&self) -> &HttpsUrl {
        &self.probe
    }

    /// The names of the query's parameters, as they are written.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        let pairs = self.probe.query().unwrap_or_default().split('&');
        pairs.map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name))
    }
}

/// Percent-encodes everything that is not unreserved (RFC 3986, section 2.3).
fn encode(identifier: &str) -> String {
    let mut encoded = String::with_capacity(identifier.len());
    for byte in identifier.bytes() {
        if is_unreserved(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.extend(['%', hex_digit(byte >> 4), hex_digit(byte & 0xf)]);
        }
    }
    encoded
}

fn hex_digit(nibble: u8) -> char {
    char::from(if nibble < 10 { b'0' + nibble } else { b'A' + nibble - 10 })
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn is_encoded_byte(byte: u8) -> bool {
    is_unreserved(byte) || byte == b'%'
}

impl FromStr for AddressTemplate {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        match text.matches(PLACEHOLDER).count() {
            0 => return Err(TemplateError::NoPlaceholder),
            1 => {}
            _ => return Err(TemplateError::TwoPlaceholders),
        }
        let probe: HttpsUrl =
            text.replace(PLACEHOLDER, PROBE).parse().map_err(|refusal: releve_url_canon::Refusal| {
                TemplateError::Address { why: refusal.to_string() }
            })?;
        // A placeholder in the host or in the fragment is not found again in path and query.
        if !probe.path_and_query().contains(PROBE) {
            return Err(TemplateError::Place);
        }
        let (before, after) = probe.as_str().split_once(PROBE).ok_or(TemplateError::Place)?;
        let (before, after) = (before.to_owned(), after.to_owned());
        Ok(Self { before, after, probe, digits_only: false })
    }
}

impl fmt::Display for AddressTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{PLACEHOLDER}{}", self.before, self.after)
    }
}

/// Why a text is no address template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// `{id}` does not stand in it.
    NoPlaceholder,
    /// `{id}` stands in it more than once.
    TwoPlaceholders,
    /// `{id}` stands neither in the path nor in the query.
    Place,
    /// It is no address that would be requested.
    Address {
        /// The reason.
        why: String,
    },
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPlaceholder => f.write_str("the address must have {id} where the identifier goes"),
            Self::TwoPlaceholders => f.write_str("the address may have {id} once"),
            Self::Place => f.write_str("{id} may stand in the path or in the query, nowhere else"),
            Self::Address { why } => f.write_str(why),
        }
    }
}

impl std::error::Error for TemplateError {}

/// Why an identifier can't be put into an address. The article fails; no other address is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdentifierUnfit {
    /// It is empty.
    Empty,
    /// It is `.` or `..`, which would name another folder.
    DotSegment,
    /// It is not made of digits alone, where the system has no others.
    NotDigits,
    /// What it gives is no address, for its length among other reasons.
    NoAddress,
}

impl IdentifierUnfit {
    /// A stable word for records and `--json`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "identifier-empty",
            Self::DotSegment => "identifier-dot-segment",
            Self::NotDigits => "identifier-not-digits",
            Self::NoAddress => "identifier-no-address",
        }
    }
}

impl fmt::Display for IdentifierUnfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "an empty identifier cannot be put into an address",
            Self::DotSegment => "the identifier is `.` or `..`, which in an address means another folder",
            Self::NotDigits => "the identifier is not made of digits alone",
            Self::NoAddress => "the identifier gives no address",
        })
    }
}

impl std::error::Error for IdentifierUnfit {}
