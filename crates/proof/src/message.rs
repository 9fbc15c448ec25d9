//! Handshake messages of TLS 1.2 and 1.3, read from their bytes (RFC 5246 section 7.4, RFC 8446 section 4).
//!
//! Every function returns `None` where the bytes are not what the standard says, trailing bytes included: in
//! evidence there is nothing to be lenient about.

pub(crate) const CLIENT_HELLO: u8 = 1;
pub(crate) const SERVER_HELLO: u8 = 2;
pub(crate) const ENCRYPTED_EXTENSIONS: u8 = 8;
pub(crate) const CERTIFICATE: u8 = 11;
pub(crate) const SERVER_KEY_EXCHANGE: u8 = 12;
pub(crate) const CERTIFICATE_REQUEST: u8 = 13;
pub(crate) const CERTIFICATE_VERIFY: u8 = 15;
pub(crate) const CERTIFICATE_STATUS: u8 = 22;
/// The message that stands for the first ClientHello in a transcript with a HelloRetryRequest.
pub(crate) const MESSAGE_HASH: u8 = 254;

const EXTENSION_SERVER_NAME: u16 = 0;
const EXTENSION_STATUS_REQUEST: u16 = 5;
const EXTENSION_SUPPORTED_VERSIONS: u16 = 43;

const VERSION_TLS_1_2: u16 = 0x0303;
const VERSION_TLS_1_3: u16 = 0x0304;

/// The random of a ServerHello that is a HelloRetryRequest (RFC 8446 section 4.1.3): SHA-256 of those words.
const HELLO_RETRY_REQUEST: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2,
    0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

/// One handshake message: its type, its body, and the whole of it with the header of four bytes, as it is
/// hashed.
#[derive(Clone, Copy)]
pub(crate) struct Message<'a> {
    pub(crate) kind: u8,
    pub(crate) body: &'a [u8],
    pub(crate) whole: &'a [u8],
}

impl<'a> Message<'a> {
    /// Reads the message at the front; `None` if it is not there whole.
    pub(crate) fn first(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let kind = reader.u8()?;
        let body = reader.vec24()?;
        Some(Self { kind, body, whole: bytes.get(..4 + body.len())? })
    }

    /// Reads messages until the bytes end; `None` if they do not end with a message.
    pub(crate) fn all(bytes: &'a [u8]) -> Option<Vec<Self>> {
        let mut rest = bytes;
        let mut messages = Vec::new();
        while !rest.is_empty() {
            let message = Self::first(rest)?;
            rest = rest.get(message.whole.len()..)?;
            messages.push(message);
        }
        Some(messages)
    }
}

/// What matters of a ClientHello.
pub(crate) struct ClientHello<'a> {
    pub(crate) random: [u8; 32],
    /// The DNS name asked for, if one was.
    pub(crate) server_name: Option<&'a str>,
}

impl<'a> ClientHello<'a> {
    pub(crate) fn read(body: &'a [u8]) -> Option<Self> {
        let mut reader = Reader(body);
        reader.u16()?;
        let random = reader.array()?;
        let _session_id = reader.vec8()?;
        let _cipher_suites = reader.vec16()?;
        let _compression = reader.vec8()?;
        let mut server_name = None;
        for (kind, body) in extensions(&mut reader)? {
            if kind == EXTENSION_SERVER_NAME {
                server_name = Some(read_server_name(body)?);
            }
        }
        Some(Self { random, server_name })
    }
}

/// RFC 6066 section 3, with the one name of the one type that exists.
fn read_server_name(body: &[u8]) -> Option<&str> {
    let mut reader = Reader(body);
    let mut list = Reader(reader.vec16()?);
    let host_name = list.u8()? == 0;
    let name = list.vec16()?;
    (host_name && list.is_empty() && reader.is_empty()).then_some(())?;
    str::from_utf8(name).ok()
}

/// What matters of a ServerHello.
pub(crate) struct ServerHello {
    pub(crate) random: [u8; 32],
    pub(crate) cipher_suite: u16,
    pub(crate) version: Option<crate::Protocol>,
}

impl ServerHello {
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        let mut reader = Reader(body);
        let legacy_version = reader.u16()?;
        let random = reader.array()?;
        let _session_id = reader.vec8()?;
        let cipher_suite = reader.u16()?;
        let _compression = reader.u8()?;
        let mut version = legacy_version;
        for (kind, body) in extensions(&mut reader)? {
            if kind == EXTENSION_SUPPORTED_VERSIONS {
                let mut reader = Reader(body);
                version = reader.u16()?;
                reader.is_empty().then_some(())?;
            }
        }
        let version = match version {
            VERSION_TLS_1_2 => Some(crate::Protocol::Tls12),
            VERSION_TLS_1_3 => Some(crate::Protocol::Tls13),
            _ => None,
        };
        Some(Self { random, cipher_suite, version })
    }

    /// Whether the server asks for a second ClientHello instead of answering.
    pub(crate) fn is_retry(&self) -> bool {
        self.random == HELLO_RETRY_REQUEST
    }
}

/// The server's Certificate message: the chain, and what is stapled to the first certificate.
pub(crate) struct Certificates<'a> {
    pub(crate) chain: Vec<&'a [u8]>,
    pub(crate) ocsp: Option<&'a [u8]>,
}

impl<'a> Certificates<'a> {
    /// RFC 8446 section 4.4.2.
    pub(crate) fn read_tls13(body: &'a [u8]) -> Option<Self> {
        let mut reader = Reader(body);
        // The context is empty in the handshake of a server.
        reader.vec8()?.is_empty().then_some(())?;
        let mut list = Reader(reader.vec24()?);
        reader.is_empty().then_some(())?;
        let mut certificates = Self { chain: Vec::new(), ocsp: None };
        while !list.is_empty() {
            let certificate = list.vec24()?;
            let mut entry = Reader(list.vec16()?);
            while !entry.is_empty() {
                let (kind, body) = (entry.u16()?, entry.vec16()?);
                if kind == EXTENSION_STATUS_REQUEST && certificates.chain.is_empty() {
                    certificates.ocsp = Some(read_certificate_status(body)?);
                }
            }
            certificates.chain.push(certificate);
        }
        Some(certificates)
    }

    /// RFC 5246 section 7.4.2.
    pub(crate) fn read_tls12(body: &'a [u8]) -> Option<Self> {
        let mut reader = Reader(body);
        let mut list = Reader(reader.vec24()?);
        reader.is_empty().then_some(())?;
        let mut chain = Vec::new();
        while !list.is_empty() {
            chain.push(list.vec24()?);
        }
        Some(Self { chain, ocsp: None })
    }
}

/// A CertificateStatus (RFC 6066 section 8) of the one type that exists: an OCSP response.
pub(crate) fn read_certificate_status(body: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader(body);
    let ocsp = reader.u8()? == 1;
    let response = reader.vec24()?;
    (ocsp && reader.is_empty()).then_some(response)
}

/// A signature with its scheme: the body of a CertificateVerify, or the end of a ServerKeyExchange.
pub(crate) struct Signed<'a> {
    pub(crate) scheme: u16,
    pub(crate) signature: &'a [u8],
}

impl<'a> Signed<'a> {
    pub(crate) fn read(body: &'a [u8]) -> Option<Self> {
        let mut reader = Reader(body);
        let scheme = reader.u16()?;
        let signature = reader.vec16()?;
        reader.is_empty().then_some(Self { scheme, signature })
    }
}

/// Splits the body of a ServerKeyExchange into the parameters that are signed and the signature (RFC 8422
/// section 5.4). Only named curves exist any more.
pub(crate) fn read_server_key_exchange(body: &[u8]) -> Option<(&[u8], Signed<'_>)> {
    let mut reader = Reader(body);
    (reader.u8()? == 3).then_some(())?;
    let _named_curve = reader.u16()?;
    let _point = reader.vec8()?;
    let (parameters, signed) = body.split_at_checked(body.len() - reader.0.len())?;
    Some((parameters, Signed::read(signed)?))
}

/// The extensions at the end of a hello. None at all is allowed: TLS 1.2 may leave the block out.
fn extensions<'a>(reader: &mut Reader<'a>) -> Option<Vec<(u16, &'a [u8])>> {
    if reader.is_empty() {
        return Some(Vec::new());
    }
    let mut block = Reader(reader.vec16()?);
    reader.is_empty().then_some(())?;
    let mut extensions: Vec<(u16, &[u8])> = Vec::new();
    while !block.is_empty() {
        let kind = block.u16()?;
        // One extension twice would leave it open which of the two counts.
        (!extensions.iter().any(|(seen, _)| *seen == kind)).then_some(())?;
        extensions.push((kind, block.vec16()?));
    }
    Some(extensions)
}

/// Reads numbers and vectors in TLS's presentation language from the front of a byte string.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn vec8(&mut self) -> Option<&'a [u8]> {
        let length = self.u8()?;
        self.take(length.into())
    }

    pub(crate) fn vec16(&mut self) -> Option<&'a [u8]> {
        let length = self.u16()?;
        self.take(length.into())
    }

    pub(crate) fn vec24(&mut self) -> Option<&'a [u8]> {
        let [high, middle, low] = self.array()?;
        let length = u32::from_be_bytes([0, high, middle, low]);
        self.take(usize::try_from(length).ok()?)
    }
}
