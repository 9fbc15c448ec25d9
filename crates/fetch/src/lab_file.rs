use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use jiff::SignedDuration;
use serde::Deserialize;
use toml::Spanned;

/// A lab file: which names under `.test` stand at which loopback addresses, the extra root that is recognised for them,
/// and how far the clock is set off.
///
/// ```
/// use releve_fetch::LabFile;
///
/// let file: LabFile = r#"
/// root = "ca.pem"
/// clock = "+16m"
///
/// [hosts]
/// "www.example.test" = "127.0.0.2:40123"
/// "cms.example.test:8443" = "127.0.0.3:40124"
/// "#.parse()?;
/// assert_eq!(file.address("www.example.test", 443).map(|at| at.port()), Some(40123));
/// assert_eq!(file.clock().as_secs(), 960);
///
/// let outside = r#"root = "ca.pem"
/// [hosts]
/// "www.example.org" = "127.0.0.2:40123""#;
/// assert_eq!(outside.parse::<LabFile>().unwrap_err().line(), 3);
/// # Ok::<(), releve_fetch::LabFileError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabFile {
    root: PathBuf,
    clock: SignedDuration,
    hosts: BTreeMap<(String, u16), SocketAddr>,
}

impl LabFile {
    /// The PEM file of the extra root, as written: relative to the lab file's own folder unless absolute.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What is added to the clock of the run; zero where nothing is said.
    pub fn clock(&self) -> SignedDuration {
        self.clock
    }

    /// Where a host stands, if it is listed. A name without a port is listed for 443.
    pub fn address(&self, host: &str, port: u16) -> Option<SocketAddr> {
        self.hosts.get(&(host.to_owned(), port)).copied()
    }

    /// Every host and port that is listed, and where it stands.
    pub fn hosts(&self) -> impl Iterator<Item = (&str, u16, SocketAddr)> {
        self.hosts.iter().map(|((name, port), address)| (name.as_str(), *port, *address))
    }
}

impl FromStr for LabFile {
    type Err = LabFileError;

    fn from_str(text: &str) -> Result<Self, LabFileError> {
        let wire: Wire = toml::from_str(text).map_err(|error| {
            LabFileError::at(text, error.span().unwrap_or_default(), error.message().to_owned())
        })?;
        let clock = match wire.clock {
            None => SignedDuration::ZERO,
            Some(offset) => offset.get_ref().parse().map_err(|_| {
                let why = format!(
                    "clock = {:?} is no offset; write one such as \"+16m\" or \"-1h\"",
                    offset.get_ref()
                );
                LabFileError::at(text, offset.span(), why)
            })?,
        };
        if wire.hosts.is_empty() {
            return Err(LabFileError::at(text, 0..0, "no host is listed under [hosts]".to_owned()));
        }
        let mut hosts = BTreeMap::new();
        for (key, value) in wire.hosts {
            let at = |why: String| LabFileError::at(text, key.span(), why);
            let (name, port) = host_and_port(key.get_ref()).ok_or_else(|| {
                at(format!(
                    "{:?} is not a name under .test, with or without a port; a lab stands in for no other",
                    key.get_ref()
                ))
            })?;
            let address: SocketAddr = value.get_ref().parse().map_err(|_| {
                at(format!("{:?} is not an address with a port, such as \"127.0.0.2:4443\"", value.get_ref()))
            })?;
            if !address.ip().is_loopback() || address.port() == 0 {
                return Err(at(format!("{address} is not on loopback; a lab reaches nothing else")));
            }
            if hosts.insert((name, port), address).is_some() {
                return Err(at(format!("{:?} is listed twice", key.get_ref())));
            }
        }
        Ok(Self { root: wire.root, clock, hosts })
    }
}

/// What is wrong with a lab file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct LabFileError {
    line: usize,
    why: String,
}

impl LabFileError {
    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// What is wrong, without the line.
    pub fn why(&self) -> &str {
        &self.why
    }

    fn at(text: &str, span: Range<usize>, why: String) -> Self {
        let before = text.get(..span.start).unwrap_or_default();
        Self { line: before.matches('\n').count().saturating_add(1), why }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    root: PathBuf,
    clock: Option<Spanned<String>>,
    #[serde(default)]
    hosts: BTreeMap<Spanned<String>, Spanned<String>>,
}

/// A name in lower case with at least one label before `test`, and the port after it.
fn host_and_port(key: &str) -> Option<(String, u16)> {
    let (name, port) = match key.split_once(':') {
        Some((name, port)) => (name, port.parse().ok().filter(|&port| port > 0)?),
        None => (key, 443),
    };
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let front = name.strip_suffix(".test")?;
    (name.len() <= 253 && front.split('.').all(is_label)).then(|| (name.to_owned(), port))
}
