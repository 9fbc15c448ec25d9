use super::*;

const INSTANT: &str = "20260504030201.25Z";

fn digest() -> Sha256 {
    Sha256::of(b"a unit")
}

/// A reply as an authority makes it, in what is read of it.
fn reply(status: u8, digest: &Sha256, at: &str, nonce: &[u8]) -> Vec<u8> {
    let algorithm = value(SEQUENCE, &[&value(OBJECT_IDENTIFIER, &[&SHA256])]);
    let imprint = value(SEQUENCE, &[&algorithm, &value(OCTET_STRING, &[digest.as_bytes()])]);
    let info = value(
        SEQUENCE,
        &[
            &value(INTEGER, &[&[1]]),
            &value(OBJECT_IDENTIFIER, &[&[0x2a, 3]]),
            &imprint,
            &value(INTEGER, &[&[7]]),
            &value(GENERALIZED_TIME, &[at.as_bytes()]),
            &value(SEQUENCE, &[&value(INTEGER, &[&[1]])]),
            nonce,
        ],
    );
    let content = value(EXPLICIT_0, &[&value(OCTET_STRING, &[&info])]);
    let signed = value(
        SEQUENCE,
        &[
            &value(INTEGER, &[&[3]]),
            &value(SET, &[]),
            &value(SEQUENCE, &[&value(OBJECT_IDENTIFIER, &[&TST_INFO]), &content]),
            // The authority's certificate, and its signature.
            &value(EXPLICIT_0, &[&[0; 300]]),
        ],
    );
    let token =
        value(SEQUENCE, &[&value(OBJECT_IDENTIFIER, &[&SIGNED_DATA]), &value(EXPLICIT_0, &[&signed])]);
    let status =
        value(SEQUENCE, &[&value(INTEGER, &[&[status]]), &value(SEQUENCE, &[&value(0x0c, &[b"not today"])])]);
    value(SEQUENCE, &[&status, &token])
}

fn request() -> TimestampRequest {
    TimestampRequest::new(digest(), [0, 0x80, 0, 0, 0, 0, 0, 1])
}

fn nonce() -> Vec<u8> {
    value(INTEGER, &[&[0, 0x80, 0, 0, 0, 0, 0, 1]])
}

/// Byte for byte what `openssl ts -query -cert` writes for the same digest and nonce.
#[test]
fn a_request_is_in_its_one_form() {
    let mut expected = vec![0x30, 0x42, 2, 1, 1, 0x30, 0x31, 0x30, 0x0d, 6, 9];
    expected.extend(SHA256);
    expected.extend([5, 0, 4, 0x20]);
    expected.extend(digest().as_bytes());
    expected.extend(nonce());
    expected.extend([1, 1, 0xff]);
    expected[1] = u8::try_from(expected.len() - 2).unwrap();
    assert_eq!(request().to_der(), expected);
    for (given, written) in [
        ([0; 8], &[2, 1, 0][..]),
        ([0, 0, 0, 0, 0, 0, 0, 0x7f], &[2, 1, 0x7f]),
        ([0xff; 8], &[2, 9, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    ] {
        assert_eq!(TimestampRequest::new(digest(), given).nonce(), written);
    }
}

#[test]
fn a_token_says_what_was_stamped_and_when() {
    for status in [0, 1] {
        let token = request().token(&reply(status, &digest(), INSTANT, &nonce())).unwrap();
        assert_eq!(token.digest(), digest());
        assert_eq!(token.at(), "2026-05-04T03:02:01.25Z".parse().unwrap());
        assert_eq!(TimestampToken::from_der(token.as_der()).unwrap(), token);
    }
}

#[test]
fn a_reply_to_another_request_is_refused() {
    for (reply, why) in [
        (reply(2, &digest(), INSTANT, &nonce()), "not today"),
        (reply(0, &Sha256::of(b"another"), INSTANT, &nonce()), "another digest"),
        (reply(0, &digest(), INSTANT, &value(INTEGER, &[&[5]])), "another request"),
        (reply(0, &digest(), INSTANT, &[]), "another request"),
        (reply(0, &digest(), "20261304030201Z", &nonce()), "RFC 3161"),
        (reply(0, &digest(), "20260504030201", &nonce()), "RFC 3161"),
        (reply(0, &digest(), "20260504030201.Z", &nonce()), "RFC 3161"),
        (vec![], "RFC 3161"),
    ] {
        let error = request().token(&reply).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.code(), "timestamp-unusable");
    }
}

/// Whatever is cut off or changed, it is read as what it says or not at all.
#[test]
fn no_bytes_are_too_strange() {
    let whole = reply(0, &digest(), INSTANT, &nonce());
    for end in 0..whole.len() {
        assert!(request().token(&whole[..end]).is_err(), "cut at {end}");
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            if let Ok(token) = request().token(&changed) {
                assert_eq!(token.digest(), digest());
            }
        }
    }
    assert!(TimestampToken::from_der(&vec![0; TIMESTAMP_BYTES_MAX + 1]).is_err());
    // A length that is longer than it has to be, and one that runs over.
    assert!(Der(&[2, 0x81, 1, 0]).take(INTEGER).is_none());
    assert!(Der(&[2, 0x84, 0xff, 0xff, 0xff, 0xff]).take(INTEGER).is_none());
    assert!(Der(&[2, 0x80, 0, 0]).take(INTEGER).is_none());
}
