use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::answer::Answer;
use crate::authority::Certificate;
use crate::record::Asked;

/// What answers the requests that no path was given for.
pub(crate) type Otherwise = Arc<dyn Fn(&Asked) -> Answer + Send + Sync>;

/// A host to be put on loopback: its name, its certificate, and what it answers.
///
/// A request is answered by the answer at its target, which is the path with its query exactly as it came; else by the
/// closure given to [`otherwise`](Self::otherwise); else with a plain `404`.
pub struct Host {
    name: String,
    pub(crate) certificate: Certificate,
    pub(crate) staple: Vec<u8>,
    pub(crate) versions: Versions,
    pub(crate) instead_of_tls: Option<Answer>,
    pub(crate) answers: BTreeMap<String, VecDeque<Answer>>,
    pub(crate) otherwise: Option<Otherwise>,
}

/// Which versions of TLS a host speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Versions {
    Both,
    Tls12,
    Tls13,
}

impl Host {
    /// A host that answers `404` to everything, with a valid certificate, over TLS 1.2 and 1.3.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            certificate: Certificate::Valid,
            staple: Vec::new(),
            versions: Versions::Both,
            instead_of_tls: None,
            answers: BTreeMap::new(),
            otherwise: None,
        }
    }

    /// The name under `.test`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Answers this target so, each time.
    #[must_use]
    pub fn at(self, target: &str, answer: impl Into<Answer>) -> Self {
        self.script(target, [answer.into()])
    }

    /// Answers this target with one of these after the other, and with the last of them from then on.
    #[must_use]
    pub fn script(mut self, target: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.answers.insert(target.to_owned(), answers.into_iter().collect());
        self
    }

    /// Answers every request to a target that has no answer of its own.
    #[must_use]
    pub fn otherwise(mut self, answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        self.otherwise = Some(Arc::new(answer));
        self
    }

    /// Presents this certificate instead of a valid one.
    #[must_use]
    pub fn certificate(mut self, certificate: Certificate) -> Self {
        self.certificate = certificate;
        self
    }

    /// Staples these bytes as an OCSP response. They are sent as they are: whoever receives them does not parse them.
    #[must_use]
    pub fn staple(mut self, ocsp: impl Into<Vec<u8>>) -> Self {
        self.staple = ocsp.into();
        self
    }

    /// Speaks TLS 1.2 alone.
    #[must_use]
    pub fn tls12(mut self) -> Self {
        self.versions = Versions::Tls12;
        self
    }

    /// Speaks TLS 1.3 alone.
    #[must_use]
    pub fn tls13(mut self) -> Self {
        self.versions = Versions::Tls13;
        self
    }

    /// Does this with each TCP connection instead of agreeing on TLS, without awaiting a request: a server that speaks
    /// plain HTTP, one that is silent, one that hangs up.
    #[must_use]
    pub fn instead_of_tls(mut self, answer: impl Into<Answer>) -> Self {
        self.instead_of_tls = Some(answer.into());
        self
    }
}
