//! Decides what a robots.txt lets a bot read, by which line, and for how long that answer holds.
//!
//! Three questions, three calls. [`RobotsTxt::judge`] says whether an address may be read and names the line
//! that decided; [`RobotsTxt::crawl_delay`] says how long to wait between two requests; [`standing`] says,
//! from what came of asking for the file, whether its rules hold, whether the host is free, or whether
//! nothing may be read there and when to ask again. What differs between two bots is a value: a
//! [`RobotsPolicy`].
//!
//! ```
//! use releve_robots::{AccessScope, RobotsTxt, UserAgent};
//!
//! let agent: UserAgent = "Example-Bot/1 (+https://example.org/bot; bot@example.org)".parse()?;
//! let robots = RobotsTxt::parse(b"User-agent: example-bot\nDisallow: /drafts/\nCrawl-delay: 2.5\n");
//!
//! let verdict = robots.judge(agent.product(), AccessScope::NamedElseGeneral, "/drafts/1");
//! assert!(!verdict.allowed);
//! assert_eq!(verdict.line, Some(2));
//! # Ok::<(), releve_robots::UserAgentError>(())
//! ```
//!
//! # How a file is read
//!
//! By [RFC 9309] where it says MUST; where it is silent, by the leniencies of Google's reference parser,
//! which is what publishers test their files with:
//!
//! - A line ends with LF, CR or CRLF. A `#` begins a comment. A key is recognised by how it begins, in any
//!   case; `useragent`, `user agent` and the common misspellings of `disallow` are understood, and so is a
//!   line of exactly two words that lacks its colon.
//! - Only the first [500 KiB](BYTES_MAX) are read, and a line cut by that limit is dropped: half an `Allow`
//!   allows more than its author wrote. Of one line the first [16,663 bytes](LINE_BYTES_MAX) count.
//! - Groups that name the same bot are one group. An unknown line ends no group, and rules before the first
//!   group belong to nobody.
//! - The rule with the most octets decides, and of two equally long ones the `Allow`.
//! - Percent-encoding is made equal on both sides before anything is compared: unreserved characters are
//!   decoded, everything that RFC 3986 does not let stand is encoded. `%2A` and `%24` are a literal `*` and
//!   `$`.
//! - `Crawl-delay` is a decimal number of seconds. It belongs to the `User-agent` lines above it, and for
//!   delays alone (never for access) it closes their run. The largest of several counts.
//! - `/robots.txt` itself may always be read.
//!
//! Parsing never fails. What was not understood is listed as [notices](RobotsTxt::notices).
//!
//! # What this crate does not do
//!
//! It requests nothing, follows no redirect and reads no clock: the instant is an argument. It keeps no copy
//! of a file and no standing; the caller does. It does not wait out a Crawl-delay. It knows nothing of
//! `noindex`, of robots meta elements, or of any bot's name.
//!
//! [RFC 9309]: https://www.rfc-editor.org/rfc/rfc9309

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod agent;
mod matcher;
mod octets;
mod parse;
mod policy;
mod standing;

pub use agent::{ProductToken, UserAgent, UserAgentError};
pub use parse::{
    BYTES_MAX, Delay, GroupKind, LINE_BYTES_MAX, NOTICES_MAX, Notice, NoticeKind, Reason, RobotsTxt, Sitemap,
    Verdict, line_text,
};
pub use policy::{AccessScope, DelayScope, OnServerError, RobotsPolicy};
pub use standing::{Blocked, RobotsOutcome, Standing, standing};
