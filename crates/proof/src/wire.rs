//! `proof.json`, version 1.
//!
//! The shapes below are the document's; the types they convert to hold its meaning. A field that has no value
//! is left out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use releve_url_canon::HttpsUrl;
use serde::{Deserialize, Serialize};

use crate::document::{
    ATTESTS, Connector, Envelope, PROOF_BYTES_MAX, Proof, Received, RecordedRoots, Redirect, Response,
};
use crate::error::Error;
use crate::evidence::{HandshakeEvidence, Kept};
use crate::tls::Tls;

const VERSION: u64 = 1;

#[derive(Deserialize)]
struct AnyVersion {
    version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireProof {
    version: u64,
    attests: String,
    address: String,
    requested: String,
    redirects: Vec<WireRedirect>,
    read_at: String,
    received: WireReceived,
    envelope: WireEnvelope,
    response: WireResponse,
    tls: WireTls,
    connector: WireConnector,
    lab: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRedirect {
    status: u16,
    address: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireReceived {
    sha256: String,
    length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    coding: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireEnvelope {
    sha256: String,
    length: u64,
    media_type: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireResponse {
    status: u16,
    headers: Vec<WireHeader>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireHeader {
    name: String,
    value: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTls {
    protocol: String,
    cipher_suite: String,
    server_name: String,
    presented: Vec<String>,
    verified: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ocsp: Option<String>,
    roots: WireRoots,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<WireEvidence>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRoots {
    name: String,
    sha256: String,
}

#[derive(Serialize, Deserialize)]
enum WireEvidence {
    #[serde(rename = "tls13")]
    Tls13(WireTls13),
    #[serde(rename = "tls12")]
    Tls12(WireTls12),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTls13 {
    transcript: String,
    certificate_verify: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTls12 {
    client_random: String,
    server_random: String,
    server_key_exchange: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireConnector {
    name: String,
    version: String,
}

pub(crate) fn write(proof: &Proof) -> String {
    let tls = &proof.tls;
    let wire = WireProof {
        version: VERSION,
        attests: ATTESTS.to_owned(),
        address: proof.address().to_string(),
        requested: proof.requested.to_string(),
        redirects: proof
            .redirects
            .iter()
            .map(|hop| WireRedirect { status: hop.status, address: hop.address.to_string() })
            .collect(),
        read_at: write_instant(proof.read_at),
        received: WireReceived {
            sha256: proof.received.sha256.to_string(),
            length: proof.received.length,
            coding: proof.received.coding.clone(),
        },
        envelope: WireEnvelope {
            sha256: proof.envelope.sha256.to_string(),
            length: proof.envelope.length,
            media_type: proof.envelope.media_type.clone(),
        },
        response: WireResponse {
            status: proof.response.status,
            headers: proof
                .response
                .headers()
                .map(|(name, value)| WireHeader { name: name.to_owned(), value: value.to_owned() })
                .collect(),
        },
        tls: WireTls {
            protocol: tls.protocol.to_string(),
            cipher_suite: tls.cipher_suite.to_string(),
            server_name: tls.server_name.clone(),
            presented: tls.presented.iter().map(|der| STANDARD.encode(der)).collect(),
            verified: proof.verified.iter().map(|der| STANDARD.encode(der)).collect(),
            ocsp: tls.ocsp.as_ref().map(|der| STANDARD.encode(der)),
            roots: WireRoots { name: proof.roots.name.clone(), sha256: proof.roots.sha256.to_string() },
            evidence: tls.evidence.as_ref().map(write_evidence),
        },
        connector: WireConnector {
            name: proof.connector.name.clone(),
            version: proof.connector.version.clone(),
        },
        lab: proof.lab,
    };
    serde_json_canonicalizer::to_string(&wire)
        .expect("strings, booleans and integers below 2^53 are all JSON can hold")
}

pub(crate) fn read(document: &[u8]) -> Result<Proof, Error> {
    if document.len() > PROOF_BYTES_MAX {
        return Err(Error::document("proof", format!("is longer than {PROOF_BYTES_MAX} bytes")));
    }
    let not_json = |error: serde_json::Error| Error::document("proof", format!("is not a proof: {error}"));
    let AnyVersion { version } = serde_json::from_slice(document).map_err(not_json)?;
    if version != VERSION {
        let what = format!("is {version}, and this program reads version {VERSION} alone");
        return Err(Error::document("version", what));
    }
    let wire: WireProof = serde_json::from_slice(document).map_err(not_json)?;
    if wire.attests != ATTESTS {
        return Err(Error::document("attests", "is not what a proof of version 1 attests"));
    }
    let tls = &wire.tls;
    let proof = Proof {
        requested: read_address("requested", &wire.requested)?,
        redirects: wire
            .redirects
            .iter()
            .map(|hop| Ok(Redirect { status: hop.status, address: read_address("redirects", &hop.address)? }))
            .collect::<Result<_, Error>>()?,
        read_at: read_instant(&wire.read_at)?,
        received: Received {
            sha256: wire.received.sha256.parse()?,
            length: wire.received.length,
            coding: wire.received.coding,
        },
        envelope: Envelope {
            sha256: wire.envelope.sha256.parse()?,
            length: wire.envelope.length,
            media_type: wire.envelope.media_type,
        },
        response: Response {
            status: wire.response.status,
            headers: wire.response.headers.into_iter().map(|header| (header.name, header.value)).collect(),
        },
        tls: Tls {
            protocol: tls.protocol.parse()?,
            cipher_suite: tls.cipher_suite.parse()?,
            server_name: tls.server_name.clone(),
            presented: read_chain("tls.presented", &tls.presented)?,
            ocsp: tls.ocsp.as_deref().map(|der| read_bytes("tls.ocsp", der)).transpose()?,
            evidence: tls.evidence.as_ref().map(read_evidence).transpose()?,
        },
        verified: read_chain("tls.verified", &tls.verified)?,
        roots: RecordedRoots { name: tls.roots.name.clone(), sha256: tls.roots.sha256.parse()? },
        connector: Connector { name: wire.connector.name, version: wire.connector.version },
        lab: wire.lab,
    };
    if wire.address != proof.address().as_str() {
        return Err(Error::document("address", "is not where the redirects lead"));
    }
    proof.validate()?;
    // What is sealed is what was read: no second spelling, no field twice, no escape in place of a character.
    if write(&proof).as_bytes() != document {
        return Err(Error::document("proof", "is not in the canonical form of RFC 8785"));
    }
    Ok(proof)
}

fn write_evidence(evidence: &HandshakeEvidence) -> WireEvidence {
    match &evidence.0 {
        Kept::Tls13 { transcript, certificate_verify } => WireEvidence::Tls13(WireTls13 {
            transcript: STANDARD.encode(transcript),
            certificate_verify: STANDARD.encode(certificate_verify),
        }),
        Kept::Tls12 { client_random, server_random, server_key_exchange } => WireEvidence::Tls12(WireTls12 {
            client_random: STANDARD.encode(client_random),
            server_random: STANDARD.encode(server_random),
            server_key_exchange: STANDARD.encode(server_key_exchange),
        }),
    }
}

fn read_evidence(wire: &WireEvidence) -> Result<HandshakeEvidence, Error> {
    let kept = match wire {
        WireEvidence::Tls13(wire) => Kept::Tls13 {
            transcript: read_bytes("tls.evidence.tls13.transcript", &wire.transcript)?,
            certificate_verify: read_bytes(
                "tls.evidence.tls13.certificate_verify",
                &wire.certificate_verify,
            )?,
        },
        WireEvidence::Tls12(wire) => Kept::Tls12 {
            client_random: read_random("tls.evidence.tls12.client_random", &wire.client_random)?,
            server_random: read_random("tls.evidence.tls12.server_random", &wire.server_random)?,
            server_key_exchange: read_bytes(
                "tls.evidence.tls12.server_key_exchange",
                &wire.server_key_exchange,
            )?,
        },
    };
    Ok(HandshakeEvidence(kept))
}

fn read_random(field: &str, text: &str) -> Result<[u8; 32], Error> {
    read_bytes(field, text)?.try_into().map_err(|_| Error::document(field, "is not 32 bytes long"))
}

fn read_chain(field: &str, texts: &[String]) -> Result<Vec<Vec<u8>>, Error> {
    texts.iter().map(|text| read_bytes(field, text)).collect()
}

fn read_bytes(field: &str, text: &str) -> Result<Vec<u8>, Error> {
    STANDARD
        .decode(text)
        .map_err(|_| Error::document(field, "is not base64 (RFC 4648 section 4, with padding)"))
}

fn read_address(field: &str, text: &str) -> Result<HttpsUrl, Error> {
    text.parse()
        .map_err(|refusal| Error::document(field, format!("is not an address that is read: {refusal}")))
}

fn write_instant(instant: Timestamp) -> String {
    format!("{instant:.3}")
}

/// Reads the one form that [`write_instant`] writes; the comparison of the whole document sees to it.
fn read_instant(text: &str) -> Result<Timestamp, Error> {
    text.parse().map_err(|_| Error::document("read_at", "is not an instant such as 2026-01-31T08:09:10.123Z"))
}
