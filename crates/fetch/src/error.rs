use std::io;
use std::time::Duration;

/// Why there is no response, or no whole body.
///
/// Each has a [`code`](Self::code) under which it is recorded and a [`kind`](Self::kind) that says who has to act. None
/// holds an address's query, a header's value or any part of a body.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The host's name has no address, or could not be looked up.
    #[error("the name {host} could not be resolved")]
    NameNotResolved {
        /// The host's name.
        host: String,
        /// What the resolver said.
        #[source]
        source: io::Error,
    },
    /// The host's name has no address at all.
    #[error("the name {host} has no address")]
    NoAddress {
        /// The host's name.
        host: String,
    },
    /// The host's name has an address that is not public. Nothing was dialled.
    #[error("{host} may not be dialled: {why}")]
    NotPublic {
        /// The host's name.
        host: String,
        /// Which address it is, and what kind of address.
        why: String,
    },
    /// The run is a lab's, and the lab file does not list this host. Nothing was dialled.
    #[error("{authority} is not in the lab file, and a lab run reaches nothing else; add it under [hosts]")]
    NotInLab {
        /// Host and port.
        authority: String,
    },
    /// No address of the host took a TCP connection.
    #[error("no connection to {host}")]
    NotConnected {
        /// The host's name.
        host: String,
        /// What the last address tried answered.
        #[source]
        source: io::Error,
    },
    /// The socket's peer is not the address that was checked and dialled.
    #[error("the connection to {host} has another peer than the address that was dialled")]
    OtherPeer {
        /// The host's name.
        host: String,
    },
    /// TCP and TLS together took longer than the bound.
    #[error("no connection to {host} within {} (bound `connect`)", seconds(*after))]
    ConnectDeadline {
        /// The host's name.
        host: String,
        /// The bound.
        after: Duration,
    },
    /// The certificate's time is over.
    #[error("the certificate of {host} has expired; the publisher has to renew it")]
    CertificateExpired {
        /// The host's name.
        host: String,
    },
    /// The certificate's time has not begun.
    #[error("the certificate of {host} is not valid yet; if it should be, this machine's clock is slow")]
    CertificateNotYetValid {
        /// The host's name.
        host: String,
    },
    /// The certificate is for another name.
    #[error("the certificate presented by {host} does not cover that name")]
    CertificateName {
        /// The host's name.
        host: String,
    },
    /// The chain leads to no certificate authority that is recognised. A certificate that signed itself is this too.
    #[error(
        "the certificate of {host} leads to no recognised authority; the server has to send the whole chain of one"
    )]
    CertificateAuthority {
        /// The host's name.
        host: String,
    },
    /// Something else is wrong with the certificate.
    #[error("the certificate of {host} is not valid: {why}")]
    CertificateInvalid {
        /// The host's name.
        host: String,
        /// What is wrong.
        why: String,
    },
    /// The TLS handshake failed for a reason that is not the certificate.
    #[error("no TLS with {host}: {why}")]
    Tls {
        /// The host's name.
        host: String,
        /// What went wrong.
        why: String,
    },
    /// The server resumed a session, and so presented no certificate. It was offered none to resume.
    #[error("{host} resumed a TLS session that was not offered, and presented no certificate")]
    SessionResumed {
        /// The host's name.
        host: String,
    },
    /// The handshake succeeded but leaves nothing that could be shown to a third party.
    #[error("the handshake of {host} cannot be proved: {why}")]
    HandshakeNotProvable {
        /// The host's name.
        host: String,
        /// What is missing.
        why: String,
    },

    /// The request is for another host or port than the connection.
    #[error("a request for {asked} was given to the connection to {connected}")]
    OtherHost {
        /// Host and port of the request.
        asked: String,
        /// Host and port of the connection.
        connected: String,
    },
    /// The access header belongs to another host or port. Nothing was sent.
    #[error("the access header is for {given_for} and is not sent to {asked}")]
    AccessElsewhere {
        /// Host and port the credential was given for.
        given_for: String,
        /// Host and port of the request.
        asked: String,
    },
    /// The address or a header value cannot be written into a request.
    #[error("the request cannot be written: {what} holds bytes that HTTP does not allow")]
    RequestNotWritable {
        /// Which part of it.
        what: &'static str,
    },
    /// The connection was closed before anything was sent over it.
    #[error("the server closed the connection before the request was sent")]
    Closed,
    /// The connection broke while the response was awaited or read.
    #[error("the connection broke before the response was whole")]
    ConnectionLost {
        /// What the system or TLS said.
        #[source]
        source: Option<io::Error>,
    },

    /// The head was not whole within the bound.
    #[error("no response head within {} (bound `head`)", seconds(*after))]
    HeadDeadline {
        /// The bound.
        after: Duration,
    },
    /// Nothing more of a head or body came for longer than the bound.
    #[error("nothing more came for {} (bound `between_bytes`)", seconds(*after))]
    SilenceDeadline {
        /// The bound.
        after: Duration,
    },
    /// Request and response together took longer than the bound.
    #[error("the response was not whole within {} (bound `whole`)", seconds(*after))]
    WholeDeadline {
        /// The bound.
        after: Duration,
    },

    /// The head is no HTTP/1.1 response head, or contradicts itself, as two different lengths do.
    #[error("the response head is malformed")]
    HeadMalformed,
    /// The head is larger than the bound, or has more headers.
    #[error(
        "the response head is over {bytes_max} bytes (bound `head_bytes`) or {headers_max} headers (bound `header_count`)"
    )]
    HeadTooLarge {
        /// The bound in bytes.
        bytes_max: usize,
        /// The bound on the number of headers.
        headers_max: usize,
    },
    /// More interim (1xx) responses came than the bound allows.
    #[error("more than {max} interim responses came (bound `interim_responses`)")]
    TooManyInterim {
        /// The bound.
        max: usize,
    },
    /// The status is outside 100 to 599.
    #[error("{status} is no HTTP status")]
    StatusUnknown {
        /// The status as it came.
        status: u16,
    },
    /// The server switched protocols (101) though nothing was offered.
    #[error("the server switched protocols unasked")]
    Switched,
    /// The caller does not [want](crate::Wanted) the body, and it was left with the publisher.
    #[error("the body was not wanted and not read")]
    Unwanted,
    /// A transfer coding other than chunked was applied.
    #[error("a transfer coding other than chunked was applied")]
    TransferCoding,
    /// The body is shorter than announced.
    #[error("{received} bytes of {announced} announced came")]
    LengthShort {
        /// What `Content-Length` said.
        announced: u64,
        /// What came before the end.
        received: u64,
    },
    /// A chunked body ended without its last chunk.
    #[error("the chunked body was cut off before its end")]
    ChunkedCut,
    /// A chunked body is malformed, or its extensions or trailers are over their limit.
    #[error("the chunked body is malformed")]
    ChunkedMalformed,
    /// The connection ended without TLS close_notify where the length was not announced: the body may have been cut.
    #[error("the connection ended without close_notify, and the length of the body was not announced")]
    EndNotAuthentic,
    /// The body is larger than the bound, as announced or as it came; or so much came beside it that it might as well be.
    #[error("the body as received is over {max} bytes (bound `received_bytes`)")]
    ReceivedTooLarge {
        /// The bound in bytes.
        max: usize,
    },
    /// The body came in more pieces than the bound allows.
    #[error("the body came in more than {max} pieces (bound `frames`)")]
    TooManyFrames {
        /// The bound.
        max: usize,
    },
    /// The content coding is none of gzip, deflate, br, zstd.
    #[error("an unknown content coding was applied")]
    CodingUnknown,
    /// More than one content coding was applied.
    #[error("more than one content coding was applied")]
    CodingMany,
    /// The coded body is damaged, cut off, or has something after its end.
    #[error("the body is not well-formed {coding}")]
    CodingBroken {
        /// The coding.
        coding: &'static str,
    },
    /// The body is larger than the bound once the coding is undone.
    #[error("the decoded body is over {max} bytes (bound `decoded_bytes`)")]
    DecodedTooLarge {
        /// The bound in bytes.
        max: usize,
    },
    /// The response holds the credential that was sent.
    #[error("the response holds the access credential and was thrown away")]
    SecretEchoed,
}

impl FetchError {
    /// The name under which this is recorded. It does not change from one release to another.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NameNotResolved { .. } => "name-not-resolved",
            Self::NoAddress { .. } => "no-address",
            Self::NotPublic { .. } => "not-public-address",
            Self::NotInLab { .. } => "not-in-lab",
            Self::NotConnected { .. } => "not-connected",
            Self::OtherPeer { .. } => "other-peer",
            Self::ConnectDeadline { .. } => "connect-deadline",
            Self::CertificateExpired { .. } => "certificate-expired",
            Self::CertificateNotYetValid { .. } => "certificate-not-yet-valid",
            Self::CertificateName { .. } => "certificate-name",
            Self::CertificateAuthority { .. } => "certificate-authority",
            Self::CertificateInvalid { .. } => "certificate-invalid",
            Self::Tls { .. } => "tls-failed",
            Self::SessionResumed { .. } => "session-resumed",
            Self::HandshakeNotProvable { .. } => "handshake-not-provable",
            Self::OtherHost { .. } => "other-host",
            Self::AccessElsewhere { .. } => "access-elsewhere",
            Self::RequestNotWritable { .. } => "request-not-writable",
            Self::Closed => "connection-closed",
            Self::ConnectionLost { .. } => "connection-lost",
            Self::HeadDeadline { .. } => "head-deadline",
            Self::SilenceDeadline { .. } => "silence-deadline",
            Self::WholeDeadline { .. } => "whole-deadline",
            Self::HeadMalformed => "head-malformed",
            Self::HeadTooLarge { .. } => "head-too-large",
            Self::TooManyInterim { .. } => "too-many-interim",
            Self::StatusUnknown { .. } => "status-unknown",
            Self::Switched => "protocol-switched",
            Self::Unwanted => "body-unwanted",
            Self::TransferCoding => "transfer-coding",
            Self::LengthShort { .. } => "length-short",
            Self::ChunkedCut => "chunked-cut",
            Self::ChunkedMalformed => "chunked-malformed",
            Self::EndNotAuthentic => "end-not-authentic",
            Self::ReceivedTooLarge { .. } => "received-too-large",
            Self::TooManyFrames { .. } => "too-many-frames",
            Self::CodingUnknown => "coding-unknown",
            Self::CodingMany => "coding-many",
            Self::CodingBroken { .. } => "coding-broken",
            Self::DecodedTooLarge { .. } => "decoded-too-large",
            Self::SecretEchoed => "secret-echoed",
        }
    }

    /// Who has to act for it to go away.
    pub fn kind(&self) -> Kind {
        match self {
            Self::NotInLab { .. }
            | Self::OtherHost { .. }
            | Self::AccessElsewhere { .. }
            | Self::RequestNotWritable { .. } => Kind::Ours,
            Self::NameNotResolved { .. }
            | Self::NoAddress { .. }
            | Self::NotConnected { .. }
            | Self::OtherPeer { .. }
            | Self::ConnectDeadline { .. }
            | Self::Tls { .. }
            | Self::Closed
            | Self::ConnectionLost { .. }
            | Self::HeadDeadline { .. }
            | Self::SilenceDeadline { .. }
            | Self::WholeDeadline { .. }
            | Self::LengthShort { .. }
            | Self::ChunkedCut
            | Self::EndNotAuthentic => Kind::Transient,
            Self::NotPublic { .. }
            | Self::CertificateExpired { .. }
            | Self::CertificateNotYetValid { .. }
            | Self::CertificateName { .. }
            | Self::CertificateAuthority { .. }
            | Self::CertificateInvalid { .. }
            | Self::SessionResumed { .. }
            | Self::HandshakeNotProvable { .. }
            | Self::HeadMalformed
            | Self::HeadTooLarge { .. }
            | Self::TooManyInterim { .. }
            | Self::StatusUnknown { .. }
            | Self::Switched
            | Self::Unwanted
            | Self::TransferCoding
            | Self::ChunkedMalformed
            | Self::ReceivedTooLarge { .. }
            | Self::TooManyFrames { .. }
            | Self::CodingUnknown
            | Self::CodingMany
            | Self::CodingBroken { .. }
            | Self::DecodedTooLarge { .. }
            | Self::SecretEchoed => Kind::Theirs,
        }
    }
}

/// Who has to act for a [`FetchError`] to go away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The publisher: what its server does will be refused again until it changes.
    Theirs,
    /// Us: the caller or the configuration asked for what this crate does not do.
    Ours,
    /// Nobody: it may well work the next time. This crate never tries again by itself.
    Transient,
}

/// A length of time as a message gives it.
fn seconds(length: Duration) -> String {
    format!("{} s", length.as_secs_f64())
}
