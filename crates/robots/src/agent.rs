//! The name under which a bot asks, and under which a robots.txt addresses it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// The longest User-Agent taken, in bytes. Servers commonly bound a whole request head at 8 KiB; a name and a
/// contact fit into a thirtieth of that.
const USER_AGENT_BYTES_MAX: usize = 256;

/// The User-Agent of every request: who asks, and whom to write to about it.
///
/// Its form is `Name/1 (+https://example.org; contact@example.org)`: a product token, a version, and in
/// parentheses, separated by `;`, a page that begins with `+https://`, an electronic mail address, or both.
/// Nothing else is taken, so that whoever reads it in a log finds a contact where they expect one.
///
/// ```
/// use releve_robots::UserAgent;
///
/// let agent: UserAgent = "Example/1 (+https://example.org/bot; bot@example.org)".parse()?;
/// assert_eq!(agent.product().as_str(), "Example");
/// assert_eq!(agent.contact(), "bot@example.org");
/// assert!("Example/1".parse::<UserAgent>().is_err(), "names no contact");
/// # Ok::<(), releve_robots::UserAgentError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserAgent {
    text: Box<str>,
    product: ProductToken,
    page: Option<Box<str>>,
    mail: Option<Box<str>>,
}

impl UserAgent {
    /// The whole value, as it goes into the header.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The part before `/`, by which a robots.txt names the bot.
    pub fn product(&self) -> &ProductToken {
        &self.product
    }

    /// The address of the page about the bot, without its `+`, if one is given.
    pub fn page(&self) -> Option<&str> {
        self.page.as_deref()
    }

    /// The mail address, if one is given.
    pub fn mail(&self) -> Option<&str> {
        self.mail.as_deref()
    }

    /// Whom to write to: the mail address, or else the page. There is always one of them.
    pub fn contact(&self) -> &str {
        self.mail().or(self.page()).unwrap_or_default()
    }
}

impl FromStr for UserAgent {
    type Err = UserAgentError;

    fn from_str(text: &str) -> Result<Self, UserAgentError> {
        if text.len() > USER_AGENT_BYTES_MAX {
            return Err(UserAgentError::TooLong);
        }
        if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(UserAgentError::NotPrintableAscii);
        }
        let (product, rest) = text.split_once('/').ok_or(UserAgentError::NoVersion)?;
        let product: ProductToken = product.parse()?;
        let (version, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        if version.is_empty() || !version.bytes().all(is_version_byte) {
            return Err(UserAgentError::NoVersion);
        }
        let comment = rest
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
            .ok_or(UserAgentError::NoContact)?;
        let (mut page, mut mail) = (None, None);
        for part in comment.split(';').map(str::trim) {
            if page.is_none() && is_page(part) {
                page = Some(part[1..].into());
            } else if mail.is_none() && is_mail(part) {
                mail = Some(part.into());
            } else {
                return Err(UserAgentError::NotAContact(part.to_owned()));
            }
        }
        Ok(Self { text: text.into(), product, page, mail })
    }
}

impl fmt::Display for UserAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The name by which a robots.txt addresses a bot: letters, `_` and `-` alone, as RFC 9309 defines a product
/// token.
///
/// Two tokens are equal if they differ in letter case only, as RFC 9309 compares them.
#[derive(Clone, Debug)]
pub struct ProductToken {
    text: Box<str>,
    folded: Box<str>,
}

impl ProductToken {
    /// The token as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn folded(&self) -> &[u8] {
        self.folded.as_bytes()
    }
}

impl FromStr for ProductToken {
    type Err = UserAgentError;

    fn from_str(text: &str) -> Result<Self, UserAgentError> {
        if text.is_empty() || !text.bytes().all(is_token_byte) {
            return Err(UserAgentError::NotAProductToken(text.to_owned()));
        }
        Ok(Self { text: text.into(), folded: text.to_ascii_lowercase().into() })
    }
}

impl fmt::Display for ProductToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for ProductToken {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Eq for ProductToken {}

impl Hash for ProductToken {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.folded.hash(state);
    }
}

/// Why a text is no [`UserAgent`] or no [`ProductToken`]. Each message says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UserAgentError {
    /// The name holds something that RFC 9309 does not allow in a product token, so no robots.txt could
    /// address it.
    NotAProductToken(String),
    /// There is no `/` with a version after the name.
    NoVersion,
    /// There are no parentheses with a contact after the version.
    NoContact,
    /// A part of the parentheses is neither a page nor a mail address, or there are two of one kind.
    NotAContact(String),
    /// The text holds a control character or one outside ASCII, which a header may not carry.
    NotPrintableAscii,
    /// The text is longer than 256 bytes.
    TooLong,
}

impl fmt::Display for UserAgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const FORM: &str = "write it as \"Name/1 (+https://example.org; contact@example.org)\"";
        match self {
            Self::NotAProductToken(name) => write!(
                f,
                "{name:?} is no product token: a robots.txt can name a bot only by letters, \"-\" and \"_\" (RFC 9309)"
            ),
            Self::NoVersion => write!(f, "the User-Agent has no version after its name; {FORM}"),
            Self::NoContact => write!(f, "the User-Agent names no contact in parentheses; {FORM}"),
            Self::NotAContact(part) => write!(
                f,
                "{part:?} in the User-Agent is no contact: one \"+https://\" address and one mail address are taken; {FORM}"
            ),
            Self::NotPrintableAscii => {
                f.write_str("the User-Agent holds a character other than printable ASCII")
            }
            Self::TooLong => {
                write!(f, "the User-Agent is longer than {USER_AGENT_BYTES_MAX} bytes")
            }
        }
    }
}

impl std::error::Error for UserAgentError {}

pub(crate) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')
}

fn is_version_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'+')
}

/// A page is `+https://`, a host with a dot in it, and whatever path follows.
fn is_page(part: &str) -> bool {
    let Some(rest) = part.strip_prefix("+https://") else { return false };
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
    is_domain(host) && !rest.contains([' ', '"', '<', '>', '(', ')'])
}

fn is_mail(part: &str) -> bool {
    let Some((local, domain)) = part.split_once('@') else { return false };
    let is_local_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&byte);
    !local.is_empty() && local.bytes().all(is_local_byte) && is_domain(domain)
}

fn is_domain(text: &str) -> bool {
    text.contains('.')
        && text.split('.').all(|label| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
}
