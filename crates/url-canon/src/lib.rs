//! Decides what an address becomes before it is requested, deposited or compared.
//!
//! An address that comes from outside (a feed's link, a sitemap's entry, a redirect's target) carries
//! things that name no article: campaign parameters, session identifiers, a fragment. [`canonicalise`]
//! takes all of them off, except the parameters that the source declares necessary, and says what it
//! took. There is no list of known trackers: what is not declared goes.
//!
//! ```
//! use releve_url_canon::{NecessaryParameters, canonicalise};
//!
//! let keep = NecessaryParameters::new(["article"]);
//! let canonical = canonicalise("https://www.example.org/a;jsessionid=0AB1?article=7&utm_source=rss#top", None, &keep)?;
//! assert_eq!(canonical.url.as_str(), "https://www.example.org/a?article=7");
//!
//! let removed: Vec<String> = canonical.removed.iter().map(ToString::to_string).collect();
//! assert_eq!(removed, ["fragment #top", "path parameter ;jsessionid=0AB1", "parameter utm_source=rss"]);
//! # Ok::<(), releve_url_canon::Refusal>(())
//! ```
//!
//! # The rule
//!
//! 1. The address is parsed as the WHATWG URL standard says, against `base` where one is given. Only
//!    `https` is taken, never upgraded to. User information is refused rather than taken off, because an
//!    address such as `https://example.com@evil.example/` is a trick; a host that is an IP address, in
//!    whatever spelling, is refused because sources are domains.
//! 2. The fragment, the default port and a trailing dot of the host go.
//! 3. In the path, session identifiers go: `;jsessionid=…` and its like wherever they stand, and the
//!    segments `(S(…))` of ASP.NET. Other matrix parameters are part of the path and stay.
//! 4. The query is split at `&` alone. A pair stays where its name, decoded as a form does it, equals a
//!    declared one, upper and lower case told apart. Order and duplicates are kept.
//! 5. Percent escapes are written in upper case, and those of unreserved characters (RFC 3986, section 2.3)
//!    are decoded. No other escape is touched: `%2F` is not a slash, and `+` is not `%20`.
//!
//! The rule is idempotent: what comes out goes in and comes out again unchanged.
//!
//! # What this crate does not do
//!
//! It does not ask whether a host may be contacted (`releve-redirect-policy` does), resolves no name,
//! unescapes no HTML (`&amp;` is for the caller to undo), knows no `index.html`, no trailing slash, and sorts
//! nothing: each of these may change which article the server answers with.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod canonical;
mod escapes;
mod https_url;
mod necessary;
mod refusal;
#[cfg(test)]
mod tests;

pub use canonical::{Canonical, CanonicalUrl, Removed, canonicalise};
pub use https_url::{ADDRESS_BYTES_MAX, HttpsUrl};
pub use necessary::NecessaryParameters;
pub use refusal::Refusal;
