//! What a fetch keeps of the TLS connection that carried a response.

use std::fmt;
use std::str::FromStr;

use crate::HandshakeEvidence;
use crate::capture;
use crate::error::Error;
use crate::reason::{Reason, Refusal};

/// The most bytes of a handshake, in one direction, that are worth keeping.
///
/// A TLS stack such as rustls refuses a handshake message over 64 KiB, and the four messages of a server's
/// flight that can grow (extensions, certificate request, certificate, key exchange) share this bound in
/// practice. A tap that reaches it stops; the capture then says that the handshake is cut off.
pub const HANDSHAKE_BYTES_MAX: usize = 256 * 1024;

/// A TLS connection as it was when it carried the response: what the server presented and how it showed that
/// it holds the key.
///
/// This is a record of what happened, not a verdict: whether it convinces is for [`check`](crate::check) to
/// say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The protocol version that was negotiated.
    pub protocol: Protocol,
    /// The cipher suite that was negotiated.
    pub cipher_suite: CipherSuite,
    /// The name that the client sent as server name (SNI) and expected in the certificate.
    pub server_name: String,
    /// The certificates in DER, exactly as the server sent them and in its order, its own first.
    pub presented: Vec<Vec<u8>>,
    /// The OCSP response stapled to the server's own certificate, in DER, if one came. It is kept, never
    /// judged.
    pub ocsp: Option<Vec<u8>>,
    /// What shows that the server held the certificate's key. A proof without it is refused by the check; the
    /// `Option` is there for connections that carry nothing that is ever proved, such as a test's.
    pub evidence: Option<HandshakeEvidence>,
}

impl Tls {
    /// Reads everything from the bytes that went over the wire, and checks that the server's signature is
    /// good.
    ///
    /// `server_name` is the name the client asked for. Nothing is said here about who issued the certificate:
    /// the caller's TLS stack has judged the chain, and the check of the proof judges it again.
    ///
    /// Errors: the handshake is cut off, is not TLS 1.2 or 1.3 with a certificate (a resumed session presents
    /// none), used a cipher suite or a signature scheme that is not supported, cannot be decrypted with the
    /// secret given, asked for another name, or bears a signature that is wrong.
    pub fn from_wire(server_name: &str, wire: &Wire<'_>) -> Result<Self, Error> {
        let tls = capture::capture(server_name, wire)?;
        tls.verify().map_err(Error::refused)?;
        Ok(tls)
    }

    /// Verifies the evidence: that the key of the first certificate presented signed this handshake, and that
    /// the handshake is the one that the other fields describe, as far as the server signs them. In TLS 1.3
    /// that is all of them; in TLS 1.2 it is the key of the first certificate alone.
    ///
    /// Nothing is said here about who issued the certificate.
    pub fn verify(&self) -> Result<(), Refusal> {
        match &self.evidence {
            Some(evidence) => evidence.verify(self),
            None => Err(Refusal::new(
                Reason::EvidenceMissing,
                "nothing shows that the server held the key of its certificate",
            )),
        }
    }
}

/// The raw bytes of one handshake, as read from and written to the socket below TLS.
///
/// Both byte strings start with the connection's first byte and go at least to the end of the handshake; what
/// follows it is ignored, so a tap need not stop at an exact byte. See [`HANDSHAKE_BYTES_MAX`] for when it
/// must stop.
#[derive(Clone, Copy)]
pub struct Wire<'a> {
    /// Everything the client wrote.
    pub sent: &'a [u8],
    /// Everything the client read.
    pub received: &'a [u8],
    /// TLS 1.3: the secret labelled `SERVER_HANDSHAKE_TRAFFIC_SECRET`, which opens the server's handshake
    /// records and no application data. It is used here to read them and is not kept. TLS 1.2 has none.
    pub server_handshake_traffic_secret: Option<&'a [u8]>,
}

impl fmt::Debug for Wire<'_> {
    /// Says how much was tapped, and nothing of the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire")
            .field("sent_bytes", &self.sent.len())
            .field("received_bytes", &self.received.len())
            .finish_non_exhaustive()
    }
}

/// A TLS protocol version that a proof can be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// TLS 1.2 (RFC 5246).
    Tls12,
    /// TLS 1.3 (RFC 8446).
    Tls13,
}

impl Protocol {
    /// The name as a proof writes it: `TLS 1.2` or `TLS 1.3`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tls12 => "TLS 1.2",
            Self::Tls13 => "TLS 1.3",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Protocol {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "TLS 1.2" => Ok(Self::Tls12),
            "TLS 1.3" => Ok(Self::Tls13),
            _ => Err(Error::document("tls.protocol", "is neither `TLS 1.2` nor `TLS 1.3`")),
        }
    }
}

/// A cipher suite, under its name in the IANA registry.
///
/// These are the suites in which a server signs with the key of its certificate and the traffic is encrypted
/// with authentication: those that rustls offers with ring. Others are refused at capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CipherSuite(&'static Suite);

#[derive(Debug, PartialEq, Eq, Hash)]
struct Suite {
    code: u16,
    name: &'static str,
    protocol: Protocol,
}

impl CipherSuite {
    /// The suite with this number in the IANA registry, if it is one that a proof can be made of.
    pub fn from_code(code: u16) -> Option<Self> {
        SUITES.iter().find(|suite| suite.code == code).map(Self)
    }

    /// The number in the IANA registry.
    pub fn code(self) -> u16 {
        self.0.code
    }

    /// The name in the IANA registry, such as `TLS_AES_128_GCM_SHA256`.
    pub fn as_str(self) -> &'static str {
        self.0.name
    }

    /// The protocol version that this suite belongs to.
    pub fn protocol(self) -> Protocol {
        self.0.protocol
    }
}

impl fmt::Display for CipherSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for CipherSuite {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        SUITES.iter().find(|suite| suite.name == text).map(Self).ok_or_else(|| {
            Error::document("tls.cipher_suite", "is not a cipher suite that a proof can be made of")
        })
    }
}

const fn suite(code: u16, name: &'static str, protocol: Protocol) -> Suite {
    Suite { code, name, protocol }
}

/// <https://www.iana.org/assignments/tls-parameters/tls-parameters.xhtml>
static SUITES: &[Suite] = &[
    suite(0x1301, "TLS_AES_128_GCM_SHA256", Protocol::Tls13),
    suite(0x1302, "TLS_AES_256_GCM_SHA384", Protocol::Tls13),
    suite(0x1303, "TLS_CHACHA20_POLY1305_SHA256", Protocol::Tls13),
    suite(0xc02b, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", Protocol::Tls12),
    suite(0xc02c, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", Protocol::Tls12),
    suite(0xc02f, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", Protocol::Tls12),
    suite(0xc030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", Protocol::Tls12),
    suite(0xcca8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", Protocol::Tls12),
    suite(0xcca9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", Protocol::Tls12),
];
