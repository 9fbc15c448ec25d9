use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use url::{Host, Position, Url};

use crate::Refusal;

/// The longest address taken, in bytes. RFC 9110, section 4.1, asks everyone to support at least 8,000;
/// longer ones are session state or an attack, and no article stands at one.
pub const ADDRESS_BYTES_MAX: usize = 8 * 1024;

/// An https address whose host is a domain name: the only kind that is ever requested.
///
/// It has no user information, no fragment, no trailing dot after the host, and its host is never an IP
/// address. Path and query are as they were written (in the spelling of the WHATWG URL standard): parameters
/// stay, because an address that a source's configuration writes is requested as written. What comes from
/// outside goes through [`canonicalise`](crate::canonicalise) instead.
///
/// ```
/// use releve_url_canon::HttpsUrl;
///
/// let feed: HttpsUrl = "https://WWW.example.org:443/feed?format=rss#x".parse()?;
/// assert_eq!(feed.as_str(), "https://www.example.org/feed?format=rss");
/// assert_eq!(feed.join("/robots.txt")?.as_str(), "https://www.example.org/robots.txt");
/// assert!("http://www.example.org/feed".parse::<HttpsUrl>().is_err());
/// # Ok::<(), releve_url_canon::Refusal>(())
/// ```
#[derive(Clone)]
pub struct HttpsUrl(Url);

impl HttpsUrl {
    /// The whole address.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The host, a domain name in lower case, international labels in their `xn--` form.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The port; 443 where the address names none.
    pub fn port(&self) -> u16 {
        self.0.port().unwrap_or(443)
    }

    /// Host and port as the `Host` header wants them: the port only where it is not 443.
    pub fn authority(&self) -> &str {
        &self.0[Position::BeforeHost..Position::AfterPort]
    }

    /// The path, which begins with `/`.
    pub fn path(&self) -> &str {
        self.0.path()
    }

    /// The query without its `?`, where there is one.
    pub fn query(&self) -> Option<&str> {
        self.0.query()
    }

    /// What stands in the request line, and what robots rules are matched against.
    pub fn path_and_query(&self) -> &str {
        &self.0[Position::BeforePath..Position::AfterQuery]
    }

    /// Resolves a relative or absolute address against this one.
    pub fn join(&self, address: &str) -> Result<Self, Refusal> {
        Self::parse(address, Some(self)).map(|(url, _)| url)
    }

    /// Parses, and hands out the fragment that was dropped.
    pub(crate) fn parse(address: &str, base: Option<&Self>) -> Result<(Self, Option<String>), Refusal> {
        if address.len() > ADDRESS_BYTES_MAX {
            return Err(Refusal::TooLong);
        }
        let parsed = Url::options().base_url(base.map(|base| &base.0)).parse(address);
        let mut url = parsed.map_err(|error| Refusal::Invalid { why: error.to_string() })?;
        if url.scheme() != "https" {
            return Err(Refusal::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::Userinfo);
        }
        let fragment = url.fragment().map(str::to_owned);
        url.set_fragment(None);
        if url.as_str().len() > ADDRESS_BYTES_MAX {
            return Err(Refusal::TooLong);
        }
        let Some(Host::Domain(domain)) = url.host() else {
            return Err(Refusal::IpAddress { address: url.into() });
        };
        let name = domain.strip_suffix('.').unwrap_or(domain);
        if !is_dns_name(name) {
            return Err(Refusal::HostName);
        }
        if name.len() < domain.len() {
            let name = name.to_owned();
            url.set_host(Some(&name)).map_err(|error| Refusal::Invalid { why: error.to_string() })?;
        }
        Ok((Self(url), fragment))
    }
}

/// RFC 1035, section 2.3.4: labels of 1 to 63 bytes, 253 in all as text.
fn is_dns_name(name: &str) -> bool {
    name.len() <= 253 && name.split('.').all(|label| (1..=63).contains(&label.len()))
}

impl FromStr for HttpsUrl {
    type Err = Refusal;

    fn from_str(address: &str) -> Result<Self, Refusal> {
        Self::parse(address, None).map(|(url, _)| url)
    }
}

impl fmt::Display for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpsUrl({})", self.as_str())
    }
}

impl AsRef<str> for HttpsUrl {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for HttpsUrl {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for HttpsUrl {}

impl PartialOrd for HttpsUrl {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for HttpsUrl {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for HttpsUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}
