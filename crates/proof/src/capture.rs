//! From the raw bytes of a handshake to what is kept of it.

use ring::{aead, hkdf};

use crate::error::Error;
use crate::evidence::{HandshakeEvidence, Kept};
use crate::message::{self, Certificates, ClientHello, Message, Reader, ServerHello};
use crate::tls::{CipherSuite, HANDSHAKE_BYTES_MAX, Protocol, Tls, Wire};

const CHANGE_CIPHER_SPEC: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;

/// Finds the evidence in a handshake, without verifying it.
pub(crate) fn capture(server_name: &str, wire: &Wire<'_>) -> Result<Tls, Error> {
    let within = |bytes| <[u8]>::get(bytes, ..HANDSHAKE_BYTES_MAX).unwrap_or(bytes);
    let mut sent = Records::new(within(wire.sent));
    let mut received = Records::new(within(wire.received));
    let mut first_flight = Flight::default();
    let mut flight = Flight::default();

    let mut client_hello = first_flight.next_message(&mut sent)?;
    let mut server_hello = flight.next_message(&mut received)?;
    let mut transcript = Vec::new();
    if read_server_hello(&server_hello)?.is_retry() {
        transcript.extend_from_slice(&client_hello);
        transcript.extend_from_slice(&server_hello);
        client_hello = first_flight.next_message(&mut sent)?;
        server_hello = flight.next_message(&mut received)?;
    }
    let client = Message::first(&client_hello)
        .filter(|message| message.kind == message::CLIENT_HELLO)
        .and_then(|message| ClientHello::read(message.body))
        .ok_or_else(|| Error::handshake("the client sent no ClientHello that can be read"))?;
    let server = read_server_hello(&server_hello)?;
    let protocol = server
        .version
        .ok_or_else(|| Error::handshake("the server chose a protocol version other than TLS 1.2 and 1.3"))?;
    let cipher_suite = CipherSuite::from_code(server.cipher_suite)
        .filter(|suite| suite.protocol() == protocol)
        .ok_or_else(|| Error::handshake("the server chose a cipher suite that is not supported"))?;

    let (presented, ocsp, kept) = match protocol {
        Protocol::Tls13 => {
            let secret = wire
                .server_handshake_traffic_secret
                .ok_or_else(|| Error::handshake("the secret of the server's handshake records is missing"))?;
            transcript.extend_from_slice(&client_hello);
            transcript.extend_from_slice(&server_hello);
            flight.decrypt_with(Opener::new(cipher_suite, secret)?)?;
            read_tls13(&mut flight, &mut received, transcript)?
        }
        Protocol::Tls12 => read_tls12(&mut flight, &mut received, client.random, server.random)?,
    };
    Ok(Tls {
        protocol,
        cipher_suite,
        server_name: server_name.to_owned(),
        presented,
        ocsp,
        evidence: Some(HandshakeEvidence(kept)),
    })
}

type Captured = (Vec<Vec<u8>>, Option<Vec<u8>>, Kept);

fn read_tls13(
    flight: &mut Flight,
    received: &mut Records<'_>,
    mut transcript: Vec<u8>,
) -> Result<Captured, Error> {
    let mut certificates = None;
    loop {
        let whole = flight.next_message(received)?;
        let message = first(&whole)?;
        match message.kind {
            message::ENCRYPTED_EXTENSIONS | message::CERTIFICATE_REQUEST => {}
            message::CERTIFICATE => {
                let read = Certificates::read_tls13(message.body)
                    .ok_or_else(|| Error::handshake("the Certificate message cannot be read"))?;
                certificates = Some(owned(&read));
            }
            message::CERTIFICATE_VERIFY => {
                let (presented, ocsp) = certificates
                    .ok_or_else(|| Error::handshake("the server signed before it presented a certificate"))?;
                return Ok((presented, ocsp, Kept::Tls13 { transcript, certificate_verify: whole }));
            }
            _ => return Err(presented_none()),
        }
        transcript.extend_from_slice(&whole);
    }
}

fn read_tls12(
    flight: &mut Flight,
    received: &mut Records<'_>,
    client_random: [u8; 32],
    server_random: [u8; 32],
) -> Result<Captured, Error> {
    let mut certificates = None;
    let mut status = None;
    loop {
        let whole = flight.next_message(received)?;
        let message = first(&whole)?;
        match message.kind {
            message::CERTIFICATE => {
                let read = Certificates::read_tls12(message.body)
                    .ok_or_else(|| Error::handshake("the Certificate message cannot be read"))?;
                certificates = Some(owned(&read));
            }
            message::CERTIFICATE_STATUS => {
                let read = message::read_certificate_status(message.body)
                    .ok_or_else(|| Error::handshake("the CertificateStatus message cannot be read"))?;
                status = Some(read.to_vec());
            }
            message::SERVER_KEY_EXCHANGE => {
                let (presented, _) = certificates
                    .ok_or_else(|| Error::handshake("the server signed before it presented a certificate"))?;
                let kept = Kept::Tls12 { client_random, server_random, server_key_exchange: whole };
                return Ok((presented, status, kept));
            }
            _ => return Err(presented_none()),
        }
    }
}

fn owned(certificates: &Certificates<'_>) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
    (certificates.chain.iter().map(|der| der.to_vec()).collect(), certificates.ocsp.map(<[u8]>::to_vec))
}

fn presented_none() -> Error {
    Error::handshake("the server presented no certificate and signed nothing, as in a resumed session")
}

fn read_server_hello(whole: &[u8]) -> Result<ServerHello, Error> {
    Message::first(whole)
        .filter(|message| message.kind == message::SERVER_HELLO)
        .and_then(|message| ServerHello::read(message.body))
        .ok_or_else(|| Error::handshake("the server sent no ServerHello that can be read"))
}

fn first(whole: &[u8]) -> Result<Message<'_>, Error> {
    Message::first(whole).ok_or_else(cut_off)
}

fn cut_off() -> Error {
    Error::handshake("the handshake is cut off")
}

/// The records of one direction (RFC 8446 section 5.1).
struct Records<'a>(Reader<'a>);

struct Record<'a> {
    kind: u8,
    header: &'a [u8],
    payload: &'a [u8],
}

impl<'a> Records<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self(Reader(bytes))
    }

    fn next(&mut self) -> Option<Record<'a>> {
        let header = self.0.take(5)?;
        let [kind, _, _, high, low] = header.try_into().ok()?;
        let payload = self.0.take(u16::from_be_bytes([high, low]).into())?;
        Some(Record { kind, header, payload })
    }
}

/// The handshake messages of one direction, put together from its records, which cut them as they like.
#[derive(Default)]
struct Flight {
    pending: Vec<u8>,
    opener: Option<Opener>,
}

impl Flight {
    /// From here on the records are encrypted. A message may not lie across the change of keys (RFC 8446
    /// section 5.1).
    fn decrypt_with(&mut self, opener: Opener) -> Result<(), Error> {
        if !self.pending.is_empty() {
            return Err(Error::handshake("a handshake message lies across a change of keys"));
        }
        self.opener = Some(opener);
        Ok(())
    }

    /// The next message whole, header included.
    fn next_message(&mut self, records: &mut Records<'_>) -> Result<Vec<u8>, Error> {
        loop {
            if let Some(length) = Message::first(&self.pending).map(|message| message.whole.len()) {
                let rest = self.pending.split_off(length);
                return Ok(std::mem::replace(&mut self.pending, rest));
            }
            let record = records.next().ok_or_else(cut_off)?;
            match (record.kind, &mut self.opener) {
                // In TLS 1.3 a relic without meaning; in TLS 1.2 it ends what is in the clear.
                (CHANGE_CIPHER_SPEC, _) => {}
                (HANDSHAKE, None) => self.pending.extend_from_slice(record.payload),
                (APPLICATION_DATA, Some(opener)) => self.pending.extend_from_slice(&opener.open(&record)?),
                (ALERT, _) => return Err(Error::handshake("the handshake ended with an alert")),
                _ => return Err(Error::handshake("a record of an unexpected type came in the handshake")),
            }
        }
    }
}

/// Decrypts the server's handshake records of TLS 1.3 (RFC 8446 sections 5.2, 5.3 and 7.3).
struct Opener {
    key: aead::LessSafeKey,
    iv: [u8; aead::NONCE_LEN],
    sequence: u64,
}

impl Opener {
    fn new(suite: CipherSuite, secret: &[u8]) -> Result<Self, Error> {
        let (hash, cipher) = match suite.code() {
            0x1301 => (hkdf::HKDF_SHA256, &aead::AES_128_GCM),
            0x1302 => (hkdf::HKDF_SHA384, &aead::AES_256_GCM),
            _ => (hkdf::HKDF_SHA256, &aead::CHACHA20_POLY1305),
        };
        if secret.len() != hash.hmac_algorithm().digest_algorithm().output_len() {
            return Err(Error::handshake("the secret of the server's handshake records has a wrong length"));
        }
        let secret = hkdf::Prk::new_less_safe(hash, secret);
        let mut key = vec![0; cipher.key_len()];
        let mut iv = [0; aead::NONCE_LEN];
        expand(&secret, b"key", &mut key)?;
        expand(&secret, b"iv", &mut iv)?;
        let key = aead::UnboundKey::new(cipher, &key).map_err(|_| cannot_decrypt())?;
        Ok(Self { key: aead::LessSafeKey::new(key), iv, sequence: 0 })
    }

    /// The handshake bytes in one record.
    fn open(&mut self, record: &Record<'_>) -> Result<Vec<u8>, Error> {
        let mut nonce = self.iv;
        for (byte, mask) in nonce.iter_mut().rev().zip(self.sequence.to_be_bytes().iter().rev()) {
            *byte ^= mask;
        }
        // A handshake of at most `HANDSHAKE_BYTES_MAX` bytes has nowhere near 2^64 records.
        self.sequence = self.sequence.wrapping_add(1);
        let mut payload = record.payload.to_vec();
        let inner = self
            .key
            .open_in_place(
                aead::Nonce::assume_unique_for_key(nonce),
                aead::Aad::from(record.header),
                &mut payload,
            )
            .map_err(|_| cannot_decrypt())?;
        // The true type is the last byte that is not padding.
        let end = inner.iter().rposition(|byte| *byte != 0).ok_or_else(cannot_decrypt)?;
        match inner.split_at_checked(end) {
            Some((content, [HANDSHAKE, ..])) => Ok(content.to_vec()),
            Some((_, [ALERT, ..])) => Err(Error::handshake("the handshake ended with an alert")),
            _ => Err(Error::handshake("a record of an unexpected type came in the handshake")),
        }
    }
}

fn cannot_decrypt() -> Error {
    Error::handshake("the server's handshake records cannot be decrypted with the secret given")
}

/// HKDF-Expand-Label with an empty context (RFC 8446 section 7.1).
fn expand(secret: &hkdf::Prk, label: &[u8], out: &mut [u8]) -> Result<(), Error> {
    struct Length(usize);
    impl hkdf::KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }
    // Keys are at most 32 bytes long and the labels are ours.
    let length = u16::try_from(out.len()).map_err(|_| cannot_decrypt())?;
    let label_length = u8::try_from(6 + label.len()).map_err(|_| cannot_decrypt())?;
    let info = [&length.to_be_bytes()[..], &[label_length], b"tls13 ", label, &[0]];
    secret.expand(&info, Length(out.len())).and_then(|key| key.fill(out)).map_err(|_| cannot_decrypt())
}
