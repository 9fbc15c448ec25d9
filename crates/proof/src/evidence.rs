//! The evidence that the server held the certificate's key, and how it is verified.

use ring::digest;
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};
use webpki::ring as algorithms;

use crate::message::{self, Certificates, ClientHello, Message, ServerHello, Signed};
use crate::reason::{Reason, Refusal};
use crate::tls::{CipherSuite, Protocol, Tls};

/// What the server signed in its handshake, and the signature.
///
/// A certificate chain is public and proves nothing about who presented it. Who holds the certificate's key
/// signs the handshake with it, and that signature is kept here together with the bytes it was made over,
/// each of them once. Not one bit of it is free: whichever is changed, [`check`](crate::check) refuses it.
///
/// What is kept, byte for byte, message headers included:
///
/// - TLS 1.3 (RFC 8446 section 4.4): the *transcript*, which is every handshake message from ClientHello up
///   to and with Certificate, in the clear, in order. These are ClientHello, ServerHello,
///   EncryptedExtensions, CertificateRequest if one came, Certificate; after a HelloRetryRequest they are
///   preceded by the first ClientHello and that request. And the *CertificateVerify* message. The records'
///   encryption is undone at capture, so no secret is kept.
/// - TLS 1.2 (RFC 5246 section 7.4.3): the client's random, the server's random, and the ServerKeyExchange
///   message, which holds the server's parameters and the signature over the three. The server signs nothing
///   else of the handshake in TLS 1.2, so nothing else could be bound and nothing else is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandshakeEvidence(pub(crate) Kept);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    Tls13 { transcript: Vec<u8>, certificate_verify: Vec<u8> },
    Tls12 { client_random: [u8; 32], server_random: [u8; 32], server_key_exchange: Vec<u8> },
}

impl HandshakeEvidence {
    /// The protocol version of the handshake it was taken from.
    pub fn protocol(&self) -> Protocol {
        match self.0 {
            Kept::Tls13 { .. } => Protocol::Tls13,
            Kept::Tls12 { .. } => Protocol::Tls12,
        }
    }

    /// Verifies that the key of the first certificate presented signed this handshake, and that the handshake
    /// is the one that `tls` describes.
    pub(crate) fn verify(&self, tls: &Tls) -> Result<(), Refusal> {
        if self.protocol() != tls.protocol || tls.cipher_suite.protocol() != tls.protocol {
            return Err(Refusal::new(
                Reason::EvidenceDiffers,
                "the handshake is of another protocol version",
            ));
        }
        match &self.0 {
            Kept::Tls13 { transcript, certificate_verify } => {
                verify_tls13(transcript, certificate_verify, tls)
            }
            Kept::Tls12 { client_random, server_random, server_key_exchange } => {
                verify_tls12(client_random, server_random, server_key_exchange, tls)
            }
        }
    }
}

fn malformed(what: &str) -> Refusal {
    Refusal::new(Reason::EvidenceMalformed, what)
}

fn differs(what: &str) -> Refusal {
    Refusal::new(Reason::EvidenceDiffers, what)
}

fn verify_tls13(transcript: &[u8], certificate_verify: &[u8], tls: &Tls) -> Result<(), Refusal> {
    let transcript =
        Transcript::read(transcript).ok_or_else(|| malformed("the transcript is not one of TLS 1.3"))?;
    let suite = CipherSuite::from_code(transcript.server_hello.cipher_suite)
        .filter(|suite| suite.protocol() == Protocol::Tls13)
        .ok_or_else(|| malformed("the ServerHello names no cipher suite of TLS 1.3"))?;
    if suite != tls.cipher_suite {
        return Err(differs("the handshake negotiated another cipher suite"));
    }
    if transcript.client_hello.server_name != Some(tls.server_name.as_str()) {
        return Err(differs("the ClientHello asked for another server name"));
    }
    if transcript.certificates.chain != tls.presented {
        return Err(differs("the Certificate message holds another chain"));
    }
    if transcript.certificates.ocsp != tls.ocsp.as_deref() {
        return Err(differs("the Certificate message holds another OCSP response"));
    }
    let verify = Message::all(certificate_verify)
        .and_then(|messages| match messages.as_slice() {
            [one] if one.kind == message::CERTIFICATE_VERIFY => Signed::read(one.body),
            _ => None,
        })
        .ok_or_else(|| malformed("there is no CertificateVerify message"))?;

    // RFC 8446 section 4.4.3: 64 spaces, the context, a zero byte, the hash of the transcript.
    let mut signed = vec![b' '; 64];
    signed.extend_from_slice(b"TLS 1.3, server CertificateVerify\0");
    signed.extend_from_slice(transcript.hash(hash_of(suite)).as_ref());
    verify_signature(tls, &schemes_tls13(verify.scheme), &signed, verify.signature)
}

fn verify_tls12(
    client_random: &[u8; 32],
    server_random: &[u8; 32],
    server_key_exchange: &[u8],
    tls: &Tls,
) -> Result<(), Refusal> {
    let messages = Message::all(server_key_exchange);
    let (parameters, verify) = messages
        .as_deref()
        .and_then(|messages| match messages {
            [one] if one.kind == message::SERVER_KEY_EXCHANGE => message::read_server_key_exchange(one.body),
            _ => None,
        })
        .ok_or_else(|| malformed("there is no ServerKeyExchange message"))?;
    let signed = [client_random, server_random, parameters].concat();
    verify_signature(tls, &schemes_tls12(verify.scheme), &signed, verify.signature)
}

/// The messages that CertificateVerify signs in TLS 1.3, in the one order in which they can come.
struct Transcript<'a> {
    retry: Option<[Message<'a>; 2]>,
    rest: Vec<Message<'a>>,
    client_hello: ClientHello<'a>,
    server_hello: ServerHello,
    certificates: Certificates<'a>,
}

impl<'a> Transcript<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = Message::all(bytes)?;
        let retry = match rest.as_slice() {
            [first, second, ..]
                if first.kind == message::CLIENT_HELLO && second.kind == message::SERVER_HELLO =>
            {
                ServerHello::read(second.body)?.is_retry().then_some([*first, *second])
            }
            _ => None,
        };
        if retry.is_some() {
            rest.drain(..2);
        }
        let (client_hello, server_hello, certificate) = match rest.as_slice() {
            [client, server, extensions, between @ .., certificate]
                if client.kind == message::CLIENT_HELLO
                    && server.kind == message::SERVER_HELLO
                    && extensions.kind == message::ENCRYPTED_EXTENSIONS
                    && between.len() <= 1
                    && between.iter().all(|message| message.kind == message::CERTIFICATE_REQUEST)
                    && certificate.kind == message::CERTIFICATE =>
            {
                (client, server, certificate)
            }
            _ => return None,
        };
        let server = ServerHello::read(server_hello.body)?;
        (server.version == Some(Protocol::Tls13) && !server.is_retry()).then_some(())?;
        Some(Self {
            retry,
            client_hello: ClientHello::read(client_hello.body)?,
            server_hello: server,
            certificates: Certificates::read_tls13(certificate.body)?,
            rest,
        })
    }

    /// RFC 8446 section 4.4.1: after a HelloRetryRequest the first ClientHello is replaced by a message that
    /// holds its hash.
    fn hash(&self, algorithm: &'static digest::Algorithm) -> digest::Digest {
        let mut context = digest::Context::new(algorithm);
        if let Some([first, retry]) = &self.retry {
            let hash = digest::digest(algorithm, first.whole);
            // A hash is at most 64 bytes long.
            let length = u8::try_from(hash.as_ref().len()).unwrap_or(u8::MAX);
            context.update(&[message::MESSAGE_HASH, 0, 0, length]);
            context.update(hash.as_ref());
            context.update(retry.whole);
        }
        for message in &self.rest {
            context.update(message.whole);
        }
        context.finish()
    }
}

/// The hash of a cipher suite of TLS 1.3 (RFC 8446 section B.4).
pub(crate) fn hash_of(suite: CipherSuite) -> &'static digest::Algorithm {
    if suite.code() == 0x1302 { &digest::SHA384 } else { &digest::SHA256 }
}

type Schemes = Vec<&'static dyn SignatureVerificationAlgorithm>;

/// The signature schemes that a server of TLS 1.3 may sign with (RFC 8446 section 4.2.3), as far as ring has
/// them.
fn schemes_tls13(scheme: u16) -> Schemes {
    match scheme {
        0x0403 => vec![algorithms::ECDSA_P256_SHA256],
        0x0503 => vec![algorithms::ECDSA_P384_SHA384],
        0x0804 => vec![algorithms::RSA_PSS_2048_8192_SHA256_LEGACY_KEY],
        0x0805 => vec![algorithms::RSA_PSS_2048_8192_SHA384_LEGACY_KEY],
        0x0806 => vec![algorithms::RSA_PSS_2048_8192_SHA512_LEGACY_KEY],
        0x0807 => vec![algorithms::ED25519],
        _ => Vec::new(),
    }
}

/// The same for TLS 1.2, where PKCS #1 is still in use and the hash does not fix the curve (RFC 8422 section
/// 5.10).
fn schemes_tls12(scheme: u16) -> Schemes {
    match scheme {
        0x0401 => vec![algorithms::RSA_PKCS1_2048_8192_SHA256],
        0x0501 => vec![algorithms::RSA_PKCS1_2048_8192_SHA384],
        0x0601 => vec![algorithms::RSA_PKCS1_2048_8192_SHA512],
        0x0403 => vec![algorithms::ECDSA_P256_SHA256, algorithms::ECDSA_P384_SHA256],
        0x0503 => vec![algorithms::ECDSA_P384_SHA384, algorithms::ECDSA_P256_SHA384],
        _ => schemes_tls13(scheme),
    }
}

fn verify_signature(
    tls: &Tls,
    schemes: &[&dyn SignatureVerificationAlgorithm],
    signed: &[u8],
    signature: &[u8],
) -> Result<(), Refusal> {
    if schemes.is_empty() {
        return Err(Refusal::new(
            Reason::EvidenceSignature,
            "the signature is of a scheme that is not supported",
        ));
    }
    let leaf = tls.presented.first().ok_or_else(|| differs("no certificate was presented"))?;
    let leaf = CertificateDer::from(leaf.as_slice());
    let leaf = webpki::EndEntityCert::try_from(&leaf).map_err(|_| {
        Refusal::new(Reason::CertificateMalformed, "the first certificate presented cannot be read")
    })?;
    if schemes.iter().any(|scheme| leaf.verify_signature(*scheme, signed, signature).is_ok()) {
        Ok(())
    } else {
        Err(Refusal::new(
            Reason::EvidenceSignature,
            "the signature over the handshake is not by the key of the first certificate presented",
        ))
    }
}
