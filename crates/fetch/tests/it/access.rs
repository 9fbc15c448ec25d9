//! What can be an access header (R4).

use releve_fetch::{AccessHeader, AccessHeaderError};

fn new(name: &str, prefix: &str, secret: &str) -> Result<AccessHeader, AccessHeaderError> {
    AccessHeader::new(name, prefix, secret, "CMS.example.org", 443)
}

#[test]
fn r04_a_header_with_another_meaning_is_no_access_header() {
    for name in [
        "User-Agent",
        "accept",
        "Accept-Encoding",
        "Cookie",
        "COOKIE2",
        "Host",
        "Range",
        "Expect",
        "If-Match",
        "If-Modified-Since",
        "if-none-match",
        "If-Range",
        "Content-Type",
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "Keep-Alive",
        "Proxy-Authorization",
        "Proxy-Connection",
        "TE",
        "Trailer",
        "Upgrade",
        "Referer",
        "Origin",
        "Via",
        "",
        "Two Words",
        "Colon:",
        "Line\r\nHost",
        "Ümlaut",
    ] {
        let error = new(name, "", "0123456789").unwrap_err();
        assert!(matches!(error, AccessHeaderError::Name { .. }), "{name:?}");
    }
    for name in ["Authorization", "X-API-Key", "apikey", "X-WP-Nonce", "Accept-Token"] {
        assert!(new(name, "", "0123456789").is_ok(), "{name:?}");
    }
}

#[test]
fn r04_a_value_that_would_not_stay_one_header_is_refused() {
    for (prefix, secret) in [
        ("", "0123456789\r\nHost: elsewhere.example"),
        ("Bearer\n", "0123456789"),
        ("", "0123456789\0"),
        ("", "geheimnisvölle"),
        ("", "tab\tinside-it"),
    ] {
        let error = new("Authorization", prefix, secret).unwrap_err();
        assert_eq!(error, AccessHeaderError::NotPrintable);
        assert!(!error.to_string().contains(secret));
    }
    for secret in ["", "1234567", "   1234567   "] {
        assert_eq!(new("Authorization", "", secret).unwrap_err(), AccessHeaderError::TooShort);
    }
}

/// A file that holds a secret usually ends in a line break, which is none of it.
#[test]
fn r04_blanks_around_a_secret_are_no_part_of_it() {
    assert!(new("Authorization", "Bearer ", "0123456789\n").is_ok());
}

#[test]
fn r04_debug_output_holds_nothing_of_the_secret() {
    let access = new("Authorization", "Bearer ", "0123456789abcdef").unwrap();
    for text in [format!("{access:?}"), format!("{access:#?}"), format!("{:?}", Some(&access))] {
        assert!(!text.contains("0123456789"), "{text}");
        assert!(!text.contains("Bearer"), "{text}");
    }
    assert_eq!(access.given_for(), "cms.example.org");
    assert_eq!(access.name(), "authorization");
}
