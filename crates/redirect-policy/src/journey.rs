use std::fmt;

use releve_url_canon::{CanonicalUrl, HttpsUrl, NecessaryParameters, Refusal, Removed, canonicalise};

use crate::{AdmittedHost, AdmittedHosts};

/// How many redirects are followed for one article or one robots.txt (R30). RFC 9309, section 2.3.1.2, asks
/// for at least five for robots.txt; real articles take one or two.
pub const REDIRECTS_MAX: usize = 5;

/// The redirects of one retrieval, from the address first asked to the one that answers.
///
/// It is told each answer with a status from 300 to 399 and says for each whether to go on. After a
/// [`Hop::Follow`] the caller begins again with the new address: robots.txt of its host, turn, addresses,
/// request with `GET` and headers of its own. After a [`Hop::Stop`] the retrieval is over.
///
/// | answer | hop |
/// |---|---|
/// | 301, 302, 303, 307, 308 with one `Location` | judged as below |
/// | any other status | stop |
/// | no `Location`, or more than one | stop |
/// | `Location` that is no UTF-8, no address, not https, with user information, at an IP address | stop |
/// | target with a parameter that is neither declared nor, with the same value, in the address just asked | stop |
/// | target at a host that is not admitted | stop |
/// | target asked before in this retrieval | stop |
/// | one redirect more than the limit | stop |
/// | otherwise | follow, without the fragment |
#[derive(Clone, Debug)]
pub struct Journey {
    asked: HttpsUrl,
    /// The canonical spelling of every address asked so far; `asked` is the last.
    seen: Vec<String>,
    redirects_max: usize,
}

/// What to do about one redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hop {
    /// Ask this address, at this host.
    Follow {
        /// The target, canonical.
        to: CanonicalUrl,
        /// Its host, which is admitted.
        host: AdmittedHost,
    },
    /// The read stops.
    Stop(StopReason),
}

impl Journey {
    /// Begins with the address first asked, which no redirect may lead back to.
    pub fn new(start: &HttpsUrl, redirects_max: usize) -> Self {
        let seen = vec![spelling(start)];
        Self { asked: start.clone(), seen, redirects_max }
    }

    /// The address that is asked now: the start, or the last that was followed.
    pub fn asked(&self) -> &HttpsUrl {
        &self.asked
    }

    /// How many redirects have been followed.
    pub fn redirects(&self) -> usize {
        self.seen.len() - 1
    }

    /// Judges the answer to the address asked now. `locations` are the values of all its `Location` headers,
    /// `keep` the parameters that the source declares necessary.
    pub fn judge(
        &mut self,
        status: u16,
        locations: &[&[u8]],
        hosts: &AdmittedHosts,
        keep: &NecessaryParameters,
    ) -> Hop {
        match self.target(status, locations, hosts, keep) {
            Ok((to, host)) => {
                self.seen.push(to.as_str().to_owned());
                self.asked = to.as_https().clone();
                Hop::Follow { to, host }
            }
            Err(reason) => Hop::Stop(reason),
        }
    }

    fn target(
        &self,
        status: u16,
        locations: &[&[u8]],
        hosts: &AdmittedHosts,
        keep: &NecessaryParameters,
    ) -> Result<(CanonicalUrl, AdmittedHost), StopReason> {
        if !matches!(status, 301 | 302 | 303 | 307 | 308) {
            return Err(StopReason::Status { status });
        }
        let location = match locations {
            [] => return Err(StopReason::NoLocation),
            [location] => str::from_utf8(location).map_err(|_| StopReason::NotUtf8)?,
            _ => return Err(StopReason::ManyLocations { count: locations.len() }),
        };
        let keep = keep.clone().with_pairs_of(&self.asked);
        let canonical = canonicalise(location, Some(&self.asked), &keep).map_err(StopReason::address)?;
        for removed in canonical.removed {
            match removed {
                Removed::Fragment { .. } => {}
                Removed::Parameter { name, .. } => return Err(StopReason::Parameter { name }),
                Removed::PathParameter { .. } => return Err(StopReason::PathParameter),
            }
        }
        let to = canonical.url;
        let host = hosts
            .admit(to.as_https())
            .map_err(|refusal| StopReason::HostNotAdmitted { authority: refusal.authority().to_owned() })?;
        if self.seen.iter().any(|seen| seen == to.as_str()) {
            return Err(StopReason::Loop { address: to.to_string() });
        }
        if self.redirects() >= self.redirects_max {
            return Err(StopReason::TooMany { redirects_max: self.redirects_max });
        }
        Ok((to, host))
    }
}

/// The canonical spelling of an address that keeps all its parameters.
fn spelling(url: &HttpsUrl) -> String {
    let keep = NecessaryParameters::none().with_pairs_of(url);
    canonicalise(url.as_str(), None, &keep)
        .map_or_else(|_| url.to_string(), |canonical| canonical.url.to_string())
}

/// Why a redirect is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// A status that is no redirect to another address: 300 offers a choice, 304 answers a condition that was
    /// never made.
    Status {
        /// The status.
        status: u16,
    },
    /// No `Location` header.
    NoLocation,
    /// More than one `Location` header: two readers would go to two places.
    ManyLocations {
        /// How many.
        count: usize,
    },
    /// A `Location` whose bytes are no UTF-8.
    NotUtf8,
    /// A target that is not https.
    NotHttps,
    /// A target that is no address which would ever be requested.
    Address {
        /// The reason, as `releve-url-canon` words it.
        why: String,
    },
    /// A parameter in the target that is neither declared necessary nor, with the same value, in the address
    /// asked.
    Parameter {
        /// Its name. The value may identify a session and is not repeated.
        name: String,
    },
    /// A session identifier in the target's path.
    PathParameter,
    /// The target's host is not admitted for the source.
    HostNotAdmitted {
        /// The host, with its port where that is not 443.
        authority: String,
    },
    /// The target has been asked before.
    Loop {
        /// The target.
        address: String,
    },
    /// One redirect more than the limit.
    TooMany {
        /// The limit.
        redirects_max: usize,
    },
}

impl StopReason {
    fn address(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotHttps => Self::NotHttps,
            other => Self::Address { why: other.to_string() },
        }
    }

    /// A stable word for records and `--json`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Status { .. } => "redirect-status",
            Self::NoLocation => "redirect-without-location",
            Self::ManyLocations { .. } => "redirect-many-locations",
            Self::NotUtf8 => "redirect-not-utf8",
            Self::NotHttps => "redirect-not-https",
            Self::Address { .. } => "redirect-address",
            Self::Parameter { .. } | Self::PathParameter => "redirect-parameter",
            Self::HostNotAdmitted { .. } => "redirect-host-not-admitted",
            Self::Loop { .. } => "redirect-loop",
            Self::TooMany { .. } => "redirect-limit",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { status } => write!(f, "status {status} is no redirect that is followed"),
            Self::NoLocation => f.write_str("a redirect without a Location header"),
            Self::ManyLocations { count } => write!(f, "a redirect with {count} Location headers"),
            Self::NotUtf8 => f.write_str("a redirect whose Location is no UTF-8"),
            Self::NotHttps => f.write_str("a redirect to an address that is not https"),
            Self::Address { why } => write!(f, "a redirect that cannot be followed: {why}"),
            Self::Parameter { name } => {
                write!(f, "a redirect that adds the parameter `{name}`, which is not declared necessary")
            }
            Self::PathParameter => f.write_str("a redirect that adds a session identifier to the path"),
            Self::HostNotAdmitted { authority } => {
                write!(f, "a redirect to {authority}, which is not admitted for the source")
            }
            Self::Loop { address } => write!(f, "a redirect back to {address}"),
            Self::TooMany { redirects_max } => write!(f, "more than {redirects_max} redirects"),
        }
    }
}

impl std::error::Error for StopReason {}
