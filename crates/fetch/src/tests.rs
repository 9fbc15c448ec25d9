use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;

use crate::{Coding, FetchError, Headers, decode};

const CODINGS: [Coding; 5] = [Coding::Identity, Coding::Gzip, Coding::Deflate, Coding::Br, Coding::Zstd];

proptest! {
    /// No bytes make a decoder panic, and none make it give back more than it may.
    #[test]
    fn r32_whatever_is_decoded_stays_within_its_bound(
        bytes in proptest::collection::vec(any::<u8>(), 0..512),
        start in 0_usize..5,
    ) {
        let starts: [&[u8]; 5] =
            [b"", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", b"\x78\x9c", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18"];
        let bytes = Bytes::from([starts[start], &bytes].concat());
        for coding in CODINGS {
            if let Ok(decoded) = decode::decode(coding, &bytes, 1000) {
                prop_assert!(decoded.len() <= 1000);
            }
        }
    }
}

#[test]
fn r27_set_cookie_is_in_no_headers() {
    let headers: Headers =
        [("Set-Cookie", "a"), ("X-A", "1"), ("SET-COOKIE2", "b"), ("x-a", "2")].into_iter().collect();
    let kept: Vec<_> = headers.iter().collect();
    assert_eq!(kept, [("x-a", &b"1"[..]), ("x-a", &b"2"[..])]);
    assert_eq!(headers.first("x-a"), Some(&b"1"[..]));
}

/// Each error has a code of its own, in words and hyphens.
#[test]
fn codes_tell_errors_apart() {
    let host = || "www.example.org".to_owned();
    let why = String::new;
    let after = Duration::from_secs(1);
    let io = || std::io::Error::other("");
    let all = [
        FetchError::NameNotResolved { host: host(), source: io() },
        FetchError::NoAddress { host: host() },
        FetchError::NotPublic { host: host(), why: why() },
        FetchError::NotInLab { authority: host() },
        FetchError::NotConnected { host: host(), source: io() },
        FetchError::OtherPeer { host: host() },
        FetchError::ConnectDeadline { host: host(), after },
        FetchError::CertificateExpired { host: host() },
        FetchError::CertificateNotYetValid { host: host() },
        FetchError::CertificateName { host: host() },
        FetchError::CertificateAuthority { host: host() },
        FetchError::CertificateInvalid { host: host(), why: why() },
        FetchError::Tls { host: host(), why: why() },
        FetchError::SessionResumed { host: host() },
        FetchError::HandshakeNotProvable { host: host(), why: why() },
        FetchError::OtherHost { asked: host(), connected: host() },
        FetchError::AccessElsewhere { given_for: host(), asked: host() },
        FetchError::RequestNotWritable { what: "" },
        FetchError::Closed,
        FetchError::ConnectionLost { source: None },
        FetchError::HeadDeadline { after },
        FetchError::SilenceDeadline { after },
        FetchError::WholeDeadline { after },
        FetchError::HeadMalformed,
        FetchError::HeadTooLarge { bytes_max: 0, headers_max: 0 },
        FetchError::TooManyInterim { max: 0 },
        FetchError::StatusUnknown { status: 600 },
        FetchError::Switched,
        FetchError::Unwanted,
        FetchError::TransferCoding,
        FetchError::LengthShort { announced: 1, received: 0 },
        FetchError::ChunkedCut,
        FetchError::ChunkedMalformed,
        FetchError::EndNotAuthentic,
        FetchError::ReceivedTooLarge { max: 0 },
        FetchError::TooManyFrames { max: 0 },
        FetchError::CodingUnknown,
        FetchError::CodingMany,
        FetchError::CodingBroken { coding: "gzip" },
        FetchError::DecodedTooLarge { max: 0 },
        FetchError::SecretEchoed,
    ];
    let codes: BTreeSet<_> = all.iter().map(FetchError::code).collect();
    assert_eq!(codes.len(), all.len());
    for code in codes {
        assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{code}");
    }
}
