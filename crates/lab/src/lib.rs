//! A publisher that answers exactly what it was told to answer, over TLS, on loopback.
//!
//! A [`Lab`] is a certificate authority of its own and any number of [`Host`]s under `.test`. Each host has its own
//! leaf certificate, its own loopback address and a port that the system chose, and answers each path with an
//! [`Answer`]: an ordinary [`Reply`], or bytes, waits and closes in the order given. Every request is recorded as it
//! came, with the instant of its arrival.
//!
//! ```
//! use releve_lab::{Host, Lab, Reply};
//!
//! let lab = Lab::start()?;
//! let address = lab.add(
//!     Host::new("www.example.test")
//!         .at("/robots.txt", Reply::ok("text/plain", "User-agent: *\nDisallow: /private/\n"))
//!         .at("/broken", releve_lab::Answer::raw("HTTP/1.1 200 OK\r\nContent-Len").cut()),
//! )?;
//! assert!(address.ip().is_loopback());
//! assert!(lab.ca_pem().starts_with("-----BEGIN CERTIFICATE-----"));
//! assert!(lab.requests().is_empty());
//! # Ok::<(), releve_lab::LabError>(())
//! ```
//!
//! The lab runs on threads of its own, so that it serves a test with a paused clock, a blocking program and another
//! process alike. It stops when it is dropped.
//!
//! # What this crate does not do
//!
//! It is no web server: it reads a request up to the end of its head, ignores what the head says about connections,
//! bodies or encodings, and never checks that an answer is valid HTTP, because most of what it is for is not. It
//! speaks no HTTP/2. It listens on loopback alone and has no option to do otherwise.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod authority;
mod host;
mod record;
mod server;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use crate::answer::{Answer, Reply};
use crate::authority::Authority;
pub use crate::authority::Certificate;
pub use crate::host::Host;
pub use crate::record::Asked;
use crate::server::Served;

/// A running publisher with its own certificate authority. Dropping it stops it.
pub struct Lab {
    authority: Authority,
    hosts: Mutex<BTreeMap<String, (SocketAddr, Arc<Served>)>>,
    log: Arc<server::Log>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Lab {
    /// Starts a lab without hosts and makes its certificate authority.
    pub fn start() -> Result<Self, LabError> {
        // Two threads: a closure that blocks in one answer leaves the other hosts alive.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("lab")
            .enable_all()
            .build()
            .map_err(LabError::Start)?;
        Ok(Self {
            authority: Authority::new()?,
            hosts: Mutex::default(),
            log: Arc::default(),
            runtime: Some(runtime),
        })
    }

    /// Puts a host on loopback and returns where it listens.
    ///
    /// A name outside `.test` and one that the lab already has are refused.
    pub fn add(&self, host: Host) -> Result<SocketAddr, LabError> {
        let mut hosts = lock(&self.hosts);
        let name = host.name().to_owned();
        if !is_test_name(&name) {
            return Err(LabError::NotATestName { name });
        }
        if hosts.contains_key(&name) {
            return Err(LabError::Twice { name });
        }
        let listener =
            listen(hosts.len()).map_err(|source| LabError::Listen { name: name.clone(), source })?;
        let address =
            listener.local_addr().map_err(|source| LabError::Listen { name: name.clone(), source })?;
        let served = Arc::new(Served::new(host, &self.authority, Arc::clone(&self.log))?);
        if let Some(runtime) = &self.runtime {
            let _guard = runtime.enter();
            let listener = tokio::net::TcpListener::from_std(listener)
                .map_err(|source| LabError::Listen { name: name.clone(), source })?;
            runtime.spawn(server::accept(listener, Arc::clone(&served)));
        }
        hosts.insert(name, (address, served));
        Ok(address)
    }

    /// Gives a path of a running host another answer, from the next request on.
    ///
    /// A host that the lab does not have is an error, so that a misspelt name does not pass for a change.
    pub fn put(&self, host: &str, target: &str, answer: impl Into<Answer>) -> Result<(), LabError> {
        match lock(&self.hosts).get(host) {
            Some((_, served)) => {
                served.put(target, answer.into());
                Ok(())
            }
            None => Err(LabError::UnknownHost { name: host.to_owned() }),
        }
    }

    /// Where each host listens.
    pub fn addresses(&self) -> BTreeMap<String, SocketAddr> {
        lock(&self.hosts).iter().map(|(name, (address, _))| (name.clone(), *address)).collect()
    }

    /// The root certificate of this lab's authority, as PEM.
    pub fn ca_pem(&self) -> &str {
        self.authority.root_pem()
    }

    /// The root certificate of this lab's authority, as DER.
    pub fn ca_der(&self) -> &[u8] {
        self.authority.root_der()
    }

    /// Every request so far, in the order of arrival over all hosts.
    pub fn requests(&self) -> Vec<Asked> {
        self.log.requests()
    }

    /// How many TCP connections were accepted so far, over all hosts, whether or not a request came over them.
    pub fn connections(&self) -> u64 {
        self.log.connections()
    }

    /// The text of a lab file: which names stand where, under which extra root, and how far the clock is set off.
    ///
    /// `root` is the path of the PEM file as the reader of the lab file will find it; `clock` is an offset such as
    /// `+16m`.
    pub fn lab_file(&self, root: &str, clock: Option<&str>) -> String {
        let mut text = format!("root = {}\n", quoted(root));
        if let Some(offset) = clock {
            let _ = writeln!(text, "clock = {}", quoted(offset));
        }
        text.push_str("\n[hosts]\n");
        for (name, address) in self.addresses() {
            let _ = writeln!(text, "{} = {}", quoted(&name), quoted(&address.to_string()));
        }
        text
    }

    /// Writes `ca.pem` and `lab.toml` into a folder and returns the path of the latter.
    pub fn write_files(&self, folder: &Path, clock: Option<&str>) -> Result<PathBuf, LabError> {
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|source| LabError::Write { path: path.clone(), source })?;
            Ok::<_, LabError>(path)
        };
        write("ca.pem", self.ca_pem())?;
        write("lab.toml", &self.lab_file("ca.pem", clock))
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // In the background: a runtime that is dropped inside another one would block it, which is a panic.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Why a lab could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The threads that serve could not be started.
    #[error("the lab's threads could not be started")]
    Start(#[source] std::io::Error),
    /// A certificate could not be made.
    #[error("the certificate of {name} could not be made: {reason}")]
    Certificate {
        /// The host, or the name of the authority.
        name: String,
        /// What the certificate library said.
        reason: String,
    },
    /// A host outside `.test`: the lab stands in for no name that could exist.
    #[error("{name} is not a name under .test; a lab serves no other")]
    NotATestName {
        /// The name as given.
        name: String,
    },
    /// The lab has this host already.
    #[error("the lab has {name} already")]
    Twice {
        /// The name as given.
        name: String,
    },
    /// The lab has no such host.
    #[error("the lab has no host {name}")]
    UnknownHost {
        /// The name as given.
        name: String,
    },
    /// No loopback address could be listened on.
    #[error("{name} found no place on loopback")]
    Listen {
        /// The host.
        name: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("{} could not be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

/// Lower-case letters, digits and hyphens in labels, the last of them `test`, and at least one before it.
fn is_test_name(name: &str) -> bool {
    let plain = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    name.len() <= 253 && name.strip_suffix(".test").is_some_and(|front| front.split('.').all(plain))
}

/// An address of its own for each host, as far as the system has them: on Linux all of 127.0.0.0/8 is loopback,
/// elsewhere often 127.0.0.1 alone, and then the port tells the hosts apart.
fn listen(number: usize) -> std::io::Result<TcpListener> {
    let last = u8::try_from(number % 250).unwrap_or(0).saturating_add(2);
    let own = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)), 0);
    let shared = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
    let listener = TcpListener::bind(own).or_else(|_| TcpListener::bind(shared))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// The guarded value, also after a panic of another test thread: what is behind the lab's locks is whole between
/// any two statements.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
