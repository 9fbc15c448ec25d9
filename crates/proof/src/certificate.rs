//! What the checks of our own need of a certificate, and rustls-webpki does not offer.

use jiff::Timestamp;
use x509_parser::der_parser::oid::Oid;
use x509_parser::extensions::ParsedExtension;
use x509_parser::oid_registry::{
    OID_X509_EXT_BASIC_CONSTRAINTS, OID_X509_EXT_KEY_USAGE, OID_X509_EXT_NAME_CONSTRAINTS,
};
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::public_key::PublicKey;
use x509_parser::x509::X509Version;

/// Facts of one certificate.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) subject: String,
    pub(crate) not_before: Timestamp,
    pub(crate) not_after: Timestamp,
    /// Whether it says that it is an authority's. Before version 3 a certificate had no way to say so, and a
    /// few roots are that old.
    pub(crate) authority: bool,
    pub(crate) path_length: Option<u32>,
    /// Whether the key may sign certificates: it may where no key usage is given (RFC 5280 section 4.2.1.3).
    pub(crate) signs_certificates: bool,
    /// A critical extension other than those that the checks of a root look at.
    pub(crate) critical_unknown: Option<String>,
    /// The length of the modulus, where the key is an RSA key.
    pub(crate) rsa_bits: Option<usize>,
}

impl Facts {
    /// Reads them; `None` if the certificate is malformed in a place that matters here.
    pub(crate) fn read(der: &[u8]) -> Option<Self> {
        let (rest, certificate) = X509Certificate::from_der(der).ok()?;
        rest.is_empty().then_some(())?;
        let mut facts = Self {
            subject: shown(&certificate.subject().to_string()),
            not_before: Timestamp::from_second(certificate.validity().not_before.timestamp()).ok()?,
            not_after: Timestamp::from_second(certificate.validity().not_after.timestamp()).ok()?,
            authority: certificate.version() != X509Version::V3,
            path_length: None,
            signs_certificates: true,
            critical_unknown: None,
            rsa_bits: rsa_bits(&certificate)?,
        };
        let mut seen: Vec<&Oid<'_>> = Vec::new();
        for extension in certificate.extensions() {
            (!seen.contains(&&extension.oid)).then_some(())?;
            seen.push(&extension.oid);
            match extension.parsed_extension() {
                ParsedExtension::BasicConstraints(constraints) => {
                    facts.authority = constraints.ca;
                    facts.path_length = constraints.path_len_constraint;
                }
                ParsedExtension::KeyUsage(usage) => facts.signs_certificates = usage.key_cert_sign(),
                // Its content is for rustls-webpki, which takes it from the root too.
                ParsedExtension::NameConstraints(_) => {}
                _ if UNDERSTOOD.contains(&extension.oid) => return None,
                _ if extension.critical => facts.critical_unknown = Some(extension.oid.to_id_string()),
                _ => {}
            }
        }
        Some(facts)
    }
}

/// One of these that cannot be parsed makes the certificate malformed.
const UNDERSTOOD: [Oid<'static>; 3] =
    [OID_X509_EXT_BASIC_CONSTRAINTS, OID_X509_EXT_KEY_USAGE, OID_X509_EXT_NAME_CONSTRAINTS];

/// The outer `None` says that there is an RSA key and that it cannot be read.
#[expect(clippy::option_option, reason = "absent and unreadable are two things")]
fn rsa_bits(certificate: &X509Certificate<'_>) -> Option<Option<usize>> {
    match certificate.public_key().parsed().ok()? {
        PublicKey::RSA(key) => {
            let zeros: usize = key.modulus.iter().take_while(|byte| **byte == 0).count();
            let modulus = key.modulus.get(zeros..)?;
            let first = modulus.first()?;
            Some(Some(modulus.len() * 8 - first.leading_zeros() as usize))
        }
        _ => Some(None),
    }
}

/// Text out of a certificate as it may stand in a report. Anyone can put anything into a certificate, and
/// reports go to terminals and logs: so no control characters, and no more than 200 characters.
pub(crate) fn shown(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    let mut shown: String = text
        .chars()
        .take(CHARS_MAX)
        .map(|c| if c.is_control() || is_format(c) { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}

/// Characters that are not seen but change what is: those that turn the direction of writing, and joiners.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
