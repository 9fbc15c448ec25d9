use super::decode;
use crate::{Envelope, NoticeCode};

fn read(bytes: &[u8], content_type: &str) -> (String, Vec<NoticeCode>) {
    let address = "https://www.example.org/".parse().unwrap();
    let mut notices = Vec::new();
    let text = decode(&Envelope { bytes, content_type, address: &address }, &mut notices).into_owned();
    (text, notices.into_iter().map(|notice| notice.code).collect())
}

/// `é` in Latin-1 and its kin.
const LATIN: &[u8] = b"\xe9";

fn with(declaration: &str, bytes: &[u8]) -> Vec<u8> {
    [declaration.as_bytes(), b">", bytes].concat()
}

#[test]
fn the_order_is_mark_header_page_bytes() {
    let check = |bytes: &[u8], content_type: &str, expected: &str| {
        let (text, notices) = read(bytes, content_type);
        assert!(text.ends_with(expected) && notices.is_empty(), "{text:?} {notices:?} {content_type}");
    };
    // A byte order mark goes before everything, and is no text.
    check(b"\xef\xbb\xbf\xc3\xa9", "text/html; charset=iso-8859-1", "é");
    check(b"\xff\xfe\xe9\x00", "text/html; charset=utf-8", "é");
    check(b"\xfe\xff\x00\xe9", "text/html", "é");
    // The header goes before the page.
    check(&with("<meta charset=utf-8", LATIN), "text/html; charset=ISO-8859-1", ">é");
    check(LATIN, "text/html; foo=bar; Charset = \"windows-1252\"", "é");
    check(b"\xb9", "text/html;charset=iso-8859-2", "š");
    check(b"\x83\x65", "text/html; charset=Shift_JIS", "テ");
    check(b"\xc5\xd7", "text/html; charset=koi8-r", "ев");
    // Then the page, in all the ways in which it can say it.
    check(&with("<meta charset=windows-1252", LATIN), "text/html", ">é");
    check(&with("<META CharSet = 'Latin1' ", LATIN), "text/html", ">é");
    check(&with("<meta content='text/html; charset=iso-8859-15' http-equiv=Content-Type", b"\xa4"), "", ">€");
    check(
        &with(
            "<!-- <meta charset=utf-8> --><p title='<meta charset=utf-8>'><meta name=x><meta charset=cp1252",
            LATIN,
        ),
        "",
        ">é",
    );
    check(&with(&format!("<style>{}</style><meta charset=latin1", "x".repeat(5000)), LATIN), "", ">é");
    // A page that can be read so far is not UTF-16, whatever it says.
    check(&with("<meta charset=utf-16", "é".as_bytes()), "text/html", ">é");
    // Then the bytes.
    check("é".as_bytes(), "text/html", "é");
    check(LATIN, "text/html", "é");
    check(b"", "", "");
}

/// Deviation from the standard: servers that turn a page into UTF-8 leave its declaration.
#[test]
fn what_can_only_be_utf_8_is_utf_8() {
    let check = |declaration: &str, expected: &str| {
        let (text, notices) = read(&with(declaration, "é ž テスト".as_bytes()), "text/html");
        assert!(text.ends_with(expected) && notices.is_empty(), "{text:?} {notices:?}");
    };
    check("<meta charset=iso-8859-1", ">é ž テスト");
    check("<meta charset=windows-1250", ">é ž テスト");
    check("<meta charset=Shift_JIS", ">é ž テスト");
    // What the header says is believed.
    assert_eq!(read("é".as_bytes(), "text/html; charset=iso-8859-1").0, "Ã©");
}

#[test]
fn what_is_amiss_is_said() {
    let check = |bytes: &[u8], content_type: &str, text: &str, codes: &[NoticeCode]| {
        assert_eq!(read(bytes, content_type), (text.to_owned(), codes.to_vec()));
    };
    check(b"a", "text/html; charset=klingon", "a", &[NoticeCode::CharsetUnknown]);
    check(b"<meta charset=klingon>a", "", "<meta charset=klingon>a", &[NoticeCode::CharsetUnknown]);
    check(b"a\xe9b", "text/html; charset=utf-8", "a\u{fffd}b", &[NoticeCode::CharactersReplaced]);
}

#[test]
fn broken_declarations_are_no_declarations() {
    for page in [
        "<meta",
        "<meta ",
        "<meta charset",
        "<meta charset=",
        "<meta charset='",
        "<meta content='charset",
        "<",
        "</",
        "<!--",
        "<!-->",
        "<a ='",
        "<meta http-equiv=content-type content=charset>",
    ] {
        let (text, notices) = read(page.as_bytes(), "text/html");
        assert_eq!((text.as_str(), notices.len()), (page, 0));
    }
}
