use std::fmt;

use releve_url_canon::HttpsUrl;

/// The hosts that the publisher admitted for a source, and no others.
///
/// An entry is an exact host (`www.example.org`), a host with a port (`cms.example.org:8443`), or a wildcard
/// (`*.example.org`), which stands for exactly one label, as in a certificate: it admits neither
/// `example.org` nor `a.b.example.org`. Without a port an entry admits 443 alone.
///
/// ```
/// use releve_redirect_policy::AdmittedHosts;
///
/// let hosts = AdmittedHosts::parse(["www.example.org", "cms.example.org:8443"])?;
/// assert!(hosts.admit(&"https://www.example.org/a".parse()?).is_ok());
/// assert!(hosts.admit(&"https://www.example.org:8443/a".parse()?).is_err());
/// assert!(hosts.admit(&"https://example.org/a".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdmittedHosts(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// `*.example.org` is kept as `example.org` with `wildcard`.
    name: String,
    wildcard: bool,
    port: u16,
}

impl Entry {
    fn admits(&self, host: &str, port: u16) -> bool {
        let name_matches = if self.wildcard {
            host.split_once('.').is_some_and(|(_, parent)| parent == self.name)
        } else {
            host == self.name
        };
        name_matches && port == self.port
    }

    fn parse(text: &str) -> Result<Self, HostsError> {
        let refuse = |why| HostsError { entry: text.to_owned(), why };
        let (wildcard, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        if rest.contains('*') {
            return Err(refuse(Why::Wildcard));
        }
        if rest.contains(['/', '?', '#', '@', '\\']) {
            return Err(refuse(Why::Address));
        }
        // The parser would take these out or decode them, and the entry would read otherwise than it works.
        if rest.contains(|c: char| c.is_whitespace() || c.is_control() || c == '%') {
            return Err(refuse(Why::NoHost));
        }
        // What the parser of addresses makes of it is what addresses will be compared with: one spelling for
        // international names, and the many spellings of an IP address seen as such.
        let url: HttpsUrl =
            format!("https://{rest}/").parse().map_err(|refusal: releve_url_canon::Refusal| {
                let is_ip = matches!(refusal, releve_url_canon::Refusal::IpAddress { .. });
                refuse(if is_ip { Why::IpAddress } else { Why::NoHost })
            })?;
        if url.port() == 0 {
            return Err(refuse(Why::NoHost));
        }
        let name = url.host();
        // The parser lets more pass than a host on the internet is made of (RFC 1123, section 2.1;
        // underscores are seen in practice).
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
            return Err(refuse(Why::NoHost));
        }
        if !name.contains('.') {
            return Err(refuse(if wildcard { Why::Wildcard } else { Why::SpecialUse }));
        }
        if SPECIAL_USE.iter().any(|special| is_under(name, special)) {
            return Err(refuse(Why::SpecialUse));
        }
        Ok(Self { name: name.to_owned(), wildcard, port: url.port() })
    }
}

/// Names that no publisher on the public internet has: RFC 6761, 6762, 7686, 8375, 9476, and `internal`,
/// which ICANN set apart for private use in 2024. `test` and `example` are not here: they resolve nowhere,
/// and tests use them.
const SPECIAL_USE: [&str; 8] =
    ["localhost", "local", "internal", "invalid", "onion", "home.arpa", "alt", "arpa"];

fn is_under(name: &str, parent: &str) -> bool {
    name.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

impl AdmittedHosts {
    /// Parses entries as the configuration writes them. An empty list admits nothing.
    ///
    /// IP addresses in any spelling, names of one label, names set apart for private networks and
    /// wildcards anywhere but as the whole first label are refused.
    pub fn parse<I>(entries: I) -> Result<Self, HostsError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        entries.into_iter().map(|entry| Entry::parse(entry.as_ref())).collect::<Result<_, _>>().map(Self)
    }

    /// Whether the host and port of this address are admitted.
    pub fn admit(&self, url: &HttpsUrl) -> Result<AdmittedHost, NotAdmitted> {
        if self.0.iter().any(|entry| entry.admits(url.host(), url.port())) {
            Ok(AdmittedHost { authority: url.authority().to_owned(), port: url.port() })
        } else {
            Err(NotAdmitted { authority: url.authority().to_owned() })
        }
    }

    /// The entries in their canonical spelling.
    pub fn entries(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().map(|entry| {
            let star = if entry.wildcard { "*." } else { "" };
            let port = if entry.port == 443 { String::new() } else { format!(":{}", entry.port) };
            format!("{star}{}{port}", entry.name)
        })
    }
}

/// A host and port that the publisher admitted; only [`AdmittedHosts::admit`] makes one, so that what takes
/// one can be pointed nowhere else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AdmittedHost {
    authority: String,
    port: u16,
}

impl AdmittedHost {
    /// The domain name, in lower case, without port: what is resolved and what the certificate must cover.
    pub fn host(&self) -> &str {
        self.authority.split_once(':').map_or(self.authority.as_str(), |(name, _)| name)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `host`, or `host:port` where the port is not 443: the `Host` header, and the key of what is kept per
    /// host.
    pub fn authority(&self) -> &str {
        &self.authority
    }
}

impl fmt::Display for AdmittedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.authority)
    }
}

/// The publisher did not admit this host and port for the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAdmitted {
    authority: String,
}

impl NotAdmitted {
    /// The host, with its port where that is not 443.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// A stable word for records and `--json`.
    pub fn code(&self) -> &'static str {
        "host-not-admitted"
    }
}

impl fmt::Display for NotAdmitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is not among the hosts admitted for the source; add it only if the publisher admits it",
            self.authority
        )
    }
}

impl std::error::Error for NotAdmitted {}

/// An entry that names no host which could be admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostsError {
    entry: String,
    why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Address,
    IpAddress,
    NoHost,
    SpecialUse,
    Wildcard,
}

impl HostsError {
    /// The entry as it was written.
    pub fn entry(&self) -> &str {
        &self.entry
    }
}

impl fmt::Display for HostsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            Why::Address => {
                "is an address; write the host alone, such as www.example.org or www.example.org:8443"
            }
            Why::IpAddress => "is an IP address; sources are admitted by their domain name alone",
            Why::NoHost => "is no host name",
            Why::SpecialUse => "is a name for private networks; no publisher on the internet has it",
            Why::Wildcard => {
                "has a wildcard that is not allowed; write it as the whole first label, as in *.example.org"
            }
        };
        write!(f, "`{}` {why}", self.entry)
    }
}

impl std::error::Error for HostsError {}
