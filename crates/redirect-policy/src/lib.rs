//! Decides whether one redirect hop is followed, which hosts are admitted and which IP addresses are public.
//!
//! Three questions stand between an address and a connection, and each is answered here without opening one:
//!
//! - [`AdmittedHosts`]: did the publisher admit this host? An [`AdmittedHost`] can be made in no other way.
//! - [`judge_answer`]: are all addresses that the name resolved to public? A [`PublicIp`] is what may be dialled.
//! - [`Journey`]: the server answered with a redirect; is it followed, or does the read stop, and why?
//!
//! ```
//! use releve_redirect_policy::{AdmittedHosts, Hop, Journey, REDIRECTS_MAX};
//! use releve_url_canon::{HttpsUrl, NecessaryParameters};
//!
//! let hosts = AdmittedHosts::parse(["www.example.org"])?;
//! let keep = NecessaryParameters::none();
//! let start: HttpsUrl = "https://www.example.org/2026/a".parse()?;
//! let mut journey = Journey::new(&start, REDIRECTS_MAX);
//!
//! let Hop::Follow { to, host } = journey.judge(301, &[b"/2026/b#top"], &hosts, &keep) else { panic!() };
//! assert_eq!((to.as_str(), host.to_string().as_str()), ("https://www.example.org/2026/b", "www.example.org"));
//!
//! let Hop::Stop(reason) = journey.judge(302, &[b"https://evil.example/"], &hosts, &keep) else { panic!() };
//! assert_eq!(reason.code(), "redirect-host-not-admitted");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this crate does not do
//!
//! It resolves no name and dials nothing: whoever dials must ask [`judge_answer`] with the very addresses it
//! is about to dial, at each hop and each new connection, and dial no other. It builds no request: headers,
//! among them an access header, are built anew for each hop and belong to one host. It reads no page:
//! `Refresh` headers, `<meta http-equiv="refresh">` and `rel="canonical"` are no redirects.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod address;
mod hosts;
mod journey;
#[cfg(test)]
mod tests;

pub use address::{NotPublic, PublicIp, judge_answer, judge_ip};
pub use hosts::{AdmittedHost, AdmittedHosts, HostsError, NotAdmitted};
pub use journey::{Hop, Journey, REDIRECTS_MAX, StopReason};
