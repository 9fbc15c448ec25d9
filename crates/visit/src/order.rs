use std::fmt;

use jiff::Timestamp;
use releve_bounds::Bounds;
use releve_pace::HostInterval;
use releve_redirect_policy::AdmittedHosts;
use releve_url_canon::{HttpsUrl, NecessaryParameters};

/// What a source asks of every visit made for it.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The hosts that the publisher admitted (R40).
    pub hosts: AdmittedHosts,
    /// The parameters that a redirect's target may carry (R29, R30).
    pub necessary: NecessaryParameters,
    /// The least time between two requests to a host; a Crawl-delay lengthens it (R21).
    pub interval: HostInterval,
    /// How long a request may take and how large a response may get (R32).
    pub bounds: Bounds,
    /// No request waits for a turn that comes later than this: the work that the visit belongs to is over by then.
    pub until: Timestamp,
}

/// One address to be read, and what is expected of it.
#[derive(Clone, Debug)]
pub struct Order {
    /// The address that is asked first.
    pub address: HttpsUrl,
    /// The media types that are taken.
    pub expected: Expected,
    /// The `host[:port]` to which the source's access header goes with this order, where it has one. It is sent there
    /// and nowhere else, and no longer after a redirect to another host (R4).
    pub access_for: Option<String>,
    /// Whether an agreement with the publisher lifts a Disallow for `address` (R35). It lifts nothing else: errors of the
    /// robots.txt and its Crawl-delay hold, and so does its prohibition of an address redirected to.
    pub disallow_lifted: bool,
}

/// Which media types a response may have (R37). A response without one is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// An article's page.
    Page,
    /// An answer of an API.
    Json,
    /// A feed in any of its formats. Publishers serve them under many names, so any XML or JSON will do.
    Feed,
    /// A sitemap: XML, plain text, or either of them compressed.
    Sitemap,
}

impl Expected {
    /// What is sent as `Accept`.
    pub fn accept(self) -> &'static str {
        match self {
            Self::Page => "text/html, application/xhtml+xml",
            Self::Json => "application/json",
            Self::Feed => {
                "application/atom+xml, application/rss+xml, application/feed+json, application/xml, text/xml, application/json"
            }
            Self::Sitemap => "application/xml, text/xml, text/plain, application/gzip",
        }
    }

    /// Whether a response of this media type is taken. Parameters such as `charset` do not count.
    pub fn takes(self, media_type: &str) -> bool {
        let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let xml = matches!(essence.as_str(), "application/xml" | "text/xml")
            || (essence.ends_with("+xml")
                && !matches!(essence.as_str(), "application/xhtml+xml" | "image/svg+xml"));
        let json = essence == "application/json" || essence.ends_with("+json");
        match self {
            Self::Page => matches!(essence.as_str(), "text/html" | "application/xhtml+xml"),
            Self::Json => json,
            Self::Feed => xml || json,
            Self::Sitemap => {
                xml || matches!(
                    essence.as_str(),
                    "text/plain" | "application/gzip" | "application/x-gzip" | "application/octet-stream"
                )
            }
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Page => "a page",
            Self::Json => "JSON",
            Self::Feed => "a feed",
            Self::Sitemap => "a sitemap",
        })
    }
}
