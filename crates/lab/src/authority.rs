use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::sign::CertifiedKey;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::LabError;

/// What a host presents in its handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Certificate {
    /// A leaf for the host's name and the intermediate that signed it, under the lab's root.
    Valid,
    /// A leaf that the lab's root signed itself.
    Direct,
    /// The leaf, the intermediate, and the root too, as many servers are set up.
    WithRoot,
    /// The leaf alone, though an intermediate signed it.
    WithoutIntermediate,
    /// A leaf whose time was over long ago.
    Expired,
    /// A leaf whose time has not begun.
    NotYetValid,
    /// A valid leaf for `wrong.test`.
    WrongName,
    /// A leaf that signed itself.
    SelfSigned,
    /// A leaf and an intermediate for the right name, under a root that is not the lab's.
    UnknownAuthority,
}

/// A root and the intermediate that signs the leaves.
pub(crate) struct Authority {
    root: CertifiedIssuer<'static, KeyPair>,
    root_pem: String,
    intermediate: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Result<Self, LabError> {
        let made = || -> Result<Self, rcgen::Error> {
            let key = KeyPair::generate()?;
            // A name of its own, so that the roots of two labs are told apart by more than their keys.
            let number = key.public_key_raw().iter().rev().take(4).map(|byte| format!("{byte:02x}"));
            let name = format!("Lab root {}", number.collect::<Vec<_>>().concat());
            let root = CertifiedIssuer::self_signed(authority(&name), key)?;
            let intermediate =
                CertifiedIssuer::signed_by(authority("Lab intermediate"), KeyPair::generate()?, &root)?;
            Ok(Self { root_pem: root.pem(), root, intermediate })
        };
        made().map_err(failed("the lab's authority"))
    }

    pub(crate) fn root_pem(&self) -> &str {
        &self.root_pem
    }

    pub(crate) fn root_der(&self) -> &[u8] {
        self.root.der()
    }

    /// The chain and key that a host of this name presents.
    pub(crate) fn issue(
        &self,
        name: &str,
        certificate: Certificate,
        ocsp: &[u8],
    ) -> Result<CertifiedKey, LabError> {
        let (chain, key) = self.chain(name, certificate).map_err(failed(name))?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let key = rustls::crypto::ring::sign::any_supported_type(&key)
            .map_err(|error| LabError::Certificate { name: name.to_owned(), reason: error.to_string() })?;
        let mut certified = CertifiedKey::new(chain, key);
        if !ocsp.is_empty() {
            certified.ocsp = Some(ocsp.to_vec());
        }
        Ok(certified)
    }

    fn chain(
        &self,
        name: &str,
        certificate: Certificate,
    ) -> Result<(Vec<CertificateDer<'static>>, KeyPair), rcgen::Error> {
        let key = KeyPair::generate()?;
        let mut leaf = leaf(if certificate == Certificate::WrongName { "wrong.test" } else { name })?;
        match certificate {
            Certificate::Expired => {
                leaf.not_before = date_time_ymd(2001, 1, 1);
                leaf.not_after = date_time_ymd(2002, 1, 1);
            }
            Certificate::NotYetValid => leaf.not_before = date_time_ymd(2090, 1, 1),
            _ => {}
        }
        let chain = match certificate {
            Certificate::SelfSigned => vec![leaf.self_signed(&key)?.der().clone()],
            Certificate::Direct => vec![leaf.signed_by(&key, &self.root)?.der().clone()],
            Certificate::WithoutIntermediate => vec![leaf.signed_by(&key, &self.intermediate)?.der().clone()],
            Certificate::WithRoot => vec![
                leaf.signed_by(&key, &self.intermediate)?.der().clone(),
                self.intermediate.der().clone(),
                self.root.der().clone(),
            ],
            Certificate::UnknownAuthority => {
                let root = CertifiedIssuer::self_signed(authority("Other root"), KeyPair::generate()?)?;
                let between =
                    CertifiedIssuer::signed_by(authority("Other intermediate"), KeyPair::generate()?, &root)?;
                vec![leaf.signed_by(&key, &between)?.der().clone(), between.der().clone()]
            }
            Certificate::Valid | Certificate::Expired | Certificate::NotYetValid | Certificate::WrongName => {
                vec![leaf.signed_by(&key, &self.intermediate)?.der().clone(), self.intermediate.der().clone()]
            }
        };
        Ok((chain, key))
    }
}

/// Presents one certificate whatever name is asked for: a wrong one is for the client to notice.
#[derive(Debug)]
pub(crate) struct Always(pub(crate) Arc<CertifiedKey>);

impl rustls::server::ResolvesServerCert for Always {
    fn resolve(&self, _hello: rustls::server::ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

fn authority(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2099, 1, 1);
    params
}

fn leaf(name: &str) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(vec![name.to_owned()])?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2098, 1, 1);
    Ok(params)
}

fn failed(name: &str) -> impl FnOnce(rcgen::Error) -> LabError {
    let name = name.to_owned();
    move |error| LabError::Certificate { name, reason: error.to_string() }
}
