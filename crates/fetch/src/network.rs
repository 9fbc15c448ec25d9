use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use releve_redirect_policy::{AdmittedHost, NotPublic, judge_answer};
use rustls::RootCertStore;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use tokio::net::TcpStream;

use crate::{Dial, FetchError, LabFile, Resolve, SystemDialler, SystemResolver};

/// What a fetch can reach, and whose certificates it recognises there.
///
/// There are two: the public internet, where no address that is not public is dialled and nothing but the public
/// authorities is recognised; and a lab, where only listed names under `.test` are reached, on loopback, under the
/// lab's own root. Neither can be widened.
#[derive(Clone)]
pub struct Network {
    reach: Reach,
    pub(crate) roots: Arc<RootCertStore>,
}

#[derive(Clone)]
enum Reach {
    Internet { resolver: Arc<dyn Resolve>, dialler: Arc<dyn Dial> },
    Lab(Arc<LabFile>),
}

impl Network {
    /// The public internet through the system's resolver and sockets, under Mozilla's list of authorities.
    pub fn internet() -> Self {
        Self::internet_through(Arc::new(SystemResolver), Arc::new(SystemDialler))
    }

    /// The public internet through another resolver and dialler. The answers of the one are judged like the system's,
    /// and the streams of the other have to lead where they were told to.
    pub fn internet_through(resolver: Arc<dyn Resolve>, dialler: Arc<dyn Dial>) -> Self {
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        Self { reach: Reach::Internet { resolver, dialler }, roots: Arc::new(roots) }
    }

    /// A lab: the names of the file, each at its loopback address, under this root (PEM) alone.
    ///
    /// Errors: the PEM holds no certificate, or one that is none.
    pub fn lab(file: &LabFile, root_pem: &[u8]) -> Result<Self, LabRootError> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(root_pem) {
            let certificate = certificate.map_err(|error| LabRootError::Pem { why: error.to_string() })?;
            roots.add(certificate).map_err(|error| LabRootError::Pem { why: error.to_string() })?;
        }
        if roots.is_empty() {
            return Err(LabRootError::Empty);
        }
        Ok(Self { reach: Reach::Lab(Arc::new(file.clone())), roots: Arc::new(roots) })
    }

    /// Whether this is a lab: what is read there proves nothing about a publisher.
    pub fn is_lab(&self) -> bool {
        matches!(self.reach, Reach::Lab(_))
    }

    /// The addresses that may be dialled for this host, every one of them checked.
    pub(crate) async fn addresses(&self, host: &AdmittedHost) -> Result<Vec<SocketAddr>, FetchError> {
        match &self.reach {
            Reach::Lab(file) => {
                let address = file.address(host.host(), host.port());
                let address =
                    address.ok_or_else(|| FetchError::NotInLab { authority: host.authority().to_owned() })?;
                Ok(vec![address])
            }
            Reach::Internet { resolver, .. } => {
                let name = || host.host().to_owned();
                let answer = resolver
                    .resolve(host.host())
                    .await
                    .map_err(|source| FetchError::NameNotResolved { host: name(), source })?;
                let public = judge_answer(&answer).map_err(|refusal| match refusal {
                    NotPublic::NoAddress => FetchError::NoAddress { host: name() },
                    other => FetchError::NotPublic { host: name(), why: other.to_string() },
                })?;
                Ok(public.into_iter().map(|ip| SocketAddr::new(ip.get(), host.port())).collect())
            }
        }
    }

    /// A stream to one of these addresses; whether it leads there is for the caller to check.
    pub(crate) async fn dial(&self, address: SocketAddr) -> io::Result<TcpStream> {
        match &self.reach {
            Reach::Lab(_) => SystemDialler.dial(address).await,
            Reach::Internet { dialler, .. } => dialler.dial(address).await,
        }
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_lab() { "Network::lab" } else { "Network::internet" })
    }
}

/// Why the root of a lab can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LabRootError {
    /// The file is no PEM, or holds a certificate that is none.
    #[error("the lab's root cannot be read: {why}")]
    Pem {
        /// What is wrong.
        why: String,
    },
    /// The file holds no certificate.
    #[error("the lab's root file holds no certificate")]
    Empty,
}
