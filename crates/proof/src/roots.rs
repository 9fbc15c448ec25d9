//! Sets of root certificates.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, TrustAnchor};

use crate::Sha256;
use crate::certificate::Facts;
use crate::error::Error;

/// A set of root certificates that chains are verified against, under a name, with a digest.
///
/// The certificates are kept whole: what anchors leave out, such as the dates, is checked too. A set has one
/// form, whatever order it was given in: its certificates are sorted and each is there once,
/// [`to_pem`](Self::to_pem) writes them so, and the digest is that of the PEM text. So a set that was sealed
/// can be told from any other by its digest.
#[derive(Clone)]
pub struct RootSet {
    name: String,
    current: bool,
    roots: Vec<Root>,
    /// In the order of `roots`; apart from them because rustls-webpki wants a slice.
    anchors: Vec<TrustAnchor<'static>>,
    digest: Sha256,
}

#[derive(Clone)]
pub(crate) struct Root {
    pub(crate) der: CertificateDer<'static>,
    pub(crate) facts: Facts,
}

/// The most certificates in one set. Mozilla's list has about 150; none of the public lists has ever had 500.
const ROOT_COUNT_MAX: usize = 1_000;

impl RootSet {
    /// Mozilla's list of roots for TLS servers, as of the release of `webpki-root-certs` that this program
    /// was built with. Reading it takes a few milliseconds: make one and share it.
    ///
    /// Errors: none that a released list could cause; a test reads it.
    pub fn current() -> Result<Self, Error> {
        let mut set = Self::from_der("mozilla", webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned())?;
        set.current = true;
        Ok(set)
    }

    /// A set from certificates in DER.
    ///
    /// Errors: a certificate cannot be read, there are none or more than 1,000, or the name is empty, longer
    /// than 100 bytes or has other characters than letters, digits, space, `.`, `-` and `_` of ASCII.
    pub fn from_der(
        name: &str,
        certificates: impl IntoIterator<Item = impl Into<CertificateDer<'static>>>,
    ) -> Result<Self, Error> {
        if !is_name(name) {
            return Err(Error::Roots(
                "the name must be 1 to 100 letters, digits, spaces, `.`, `-` and `_` of ASCII".to_owned(),
            ));
        }
        let mut ders: Vec<CertificateDer<'static>> =
            certificates.into_iter().take(ROOT_COUNT_MAX + 1).map(Into::into).collect();
        if ders.is_empty() || ders.len() > ROOT_COUNT_MAX {
            return Err(Error::Roots(format!("it must hold 1 to {ROOT_COUNT_MAX} certificates")));
        }
        ders.sort_by(|a, b| a.as_ref().cmp(b.as_ref()));
        ders.dedup();
        let mut set = Self {
            name: name.to_owned(),
            current: false,
            roots: Vec::new(),
            anchors: Vec::new(),
            digest: Sha256::of(b""),
        };
        for der in ders {
            let (facts, anchor) = Facts::read(&der)
                .zip(webpki::anchor_from_trusted_cert(&der).ok().map(|anchor| anchor.to_owned()))
                .ok_or_else(|| {
                    Error::Roots(format!("the certificate with SHA-256 {} cannot be read", Sha256::of(&der)))
                })?;
            set.anchors.push(anchor);
            set.roots.push(Root { der, facts });
        }
        set.digest = Sha256::of(set.to_pem().as_bytes());
        Ok(set)
    }

    /// A set from PEM text, such as one that was sealed. Text outside of certificates is passed over.
    ///
    /// Errors: the text is not PEM, or as for [`from_der`](Self::from_der).
    pub fn from_pem(name: &str, pem: &[u8]) -> Result<Self, Error> {
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(pem)
            .take(ROOT_COUNT_MAX + 1)
            .collect::<Result<_, _>>()
            .map_err(|_| Error::Roots("the text is not PEM".to_owned()))?;
        Self::from_der(name, certificates)
    }

    /// The set as PEM, for sealing and for other tools. Its SHA-256 is [`digest`](Self::digest).
    pub fn to_pem(&self) -> String {
        let mut pem = String::new();
        for root in &self.roots {
            pem.push_str("-----BEGIN CERTIFICATE-----\n");
            // 48 bytes make a line of 64 characters (RFC 7468 section 2).
            for line in root.der.chunks(48) {
                STANDARD.encode_string(line, &mut pem);
                pem.push('\n');
            }
            pem.push_str("-----END CERTIFICATE-----\n");
        }
        pem
    }

    /// The name that proofs made against this set record.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The SHA-256 of [`to_pem`](Self::to_pem).
    pub fn digest(&self) -> Sha256 {
        self.digest
    }

    /// Whether this is the list that the program was built with.
    pub fn is_current(&self) -> bool {
        self.current
    }

    /// The roots as trust anchors, for a TLS stack that is to trust the same authorities.
    pub fn anchors(&self) -> &[TrustAnchor<'static>] {
        &self.anchors
    }

    /// The certificates in DER, sorted.
    pub fn certificates(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.roots.iter().map(|root| root.der.as_ref())
    }

    /// Whether this very certificate is among the roots.
    pub fn contains(&self, der: &[u8]) -> bool {
        self.find(der).is_some()
    }

    pub(crate) fn find(&self, der: &[u8]) -> Option<(&Root, &TrustAnchor<'static>)> {
        let index = self.roots.binary_search_by(|root| root.der.as_ref().cmp(der)).ok()?;
        self.roots.get(index).zip(self.anchors.get(index))
    }

    /// The certificates that make this anchor. There can be several: one key, certified with other dates.
    pub(crate) fn with_anchor(&self, anchor: &TrustAnchor<'_>) -> impl Iterator<Item = &Root> {
        self.roots.iter().zip(&self.anchors).filter(move |(_, other)| *other == anchor).map(|(root, _)| root)
    }
}

impl fmt::Debug for RootSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RootSet")
            .field("name", &self.name)
            .field("digest", &self.digest)
            .field("roots", &self.roots.len())
            .finish_non_exhaustive()
    }
}

pub(crate) fn is_name(name: &str) -> bool {
    (1..=100).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'.' | b'-' | b'_'))
}
