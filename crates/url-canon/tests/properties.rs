//! What holds of every address, whatever it is made of.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use releve_url_canon::{NecessaryParameters, canonicalise};

/// Pieces out of which addresses are built that look like what goes wrong.
fn piece() -> impl Strategy<Value = String> {
    let trap = prop::sample::select(vec![
        "%",
        "%2",
        "%25",
        "%2e",
        "%2E%2e",
        "%34",
        "%31",
        "%41",
        "%7e",
        "%3B",
        "%2F",
        "%26",
        "%3d",
        "%00",
        "%ff",
        "+",
        "..",
        ".",
        "/",
        "//",
        ";",
        ";jsessionid=1",
        ";JSESSIONID",
        ";sid=",
        "..;jsessionid=1",
        "(S(a))",
        "(A(b)S(c))",
        "(S(",
        "))",
        "?",
        "&",
        "&&",
        "=",
        "==",
        "&amp;",
        "#",
        "id",
        "id=1",
        "utm_source=x",
        "id[]=2",
        "a+b",
        "^",
        "|",
        "'",
        "\"",
        "{",
        "\\",
        "\t",
        "\n",
        " ",
        "ü",
        "\u{ad}",
        "漢",
    ])
    .prop_map(str::to_owned);
    prop_oneof![4 => trap, 1 => "[a-zA-Z0-9._~!$'()*,-]{0,4}"]
}

fn address() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..12)
        .prop_map(|pieces| format!("https://www.example.org/{}", pieces.concat()))
}

fn declared() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(
        prop::sample::select(vec!["id", "id[]", "a b", "sid", "jsessionid", "%", "="]),
        0..3,
    )
}

/// The names left in a query, read independently of the code under test.
fn names_of(address: &str) -> Vec<String> {
    let url = url::Url::parse(address).unwrap();
    url.query_pairs().map(|(name, _)| name.into_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn r29_the_rule_is_idempotent(address in address(), declared in declared()) {
        let keep = NecessaryParameters::new(declared);
        let once = canonicalise(&address, None, &keep).unwrap();
        let twice = canonicalise(once.url.as_str(), None, &keep).unwrap();
        prop_assert_eq!(&once.url, &twice.url);
        prop_assert_eq!(twice.removed, vec![]);
    }

    #[test]
    fn r29_nothing_undeclared_is_left(address in address(), declared in declared()) {
        let keep = NecessaryParameters::new(declared.iter().copied());
        let url = canonicalise(&address, None, &keep).unwrap().url;
        for name in names_of(url.as_str()) {
            prop_assert!(declared.contains(&name.as_str()), "{} left in {}", name, url);
        }
        prop_assert!(!url.as_str().contains('#'));
        for part in url.as_https().path().split('/').flat_map(|segment| segment.split(';').skip(1)) {
            let name = part.split('=').next().unwrap_or_default();
            for session in ["jsessionid", "sid"] {
                prop_assert!(!name.eq_ignore_ascii_case(session) || declared.contains(&name), "{}", url);
            }
        }
    }

    #[test]
    fn r29_everything_declared_is_left(values in prop::collection::vec("[a-zA-Z0-9%&=+; ]{0,8}", 0..6)) {
        let encoded: Vec<String> = values.iter().map(|value| {
            let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
            format!("utm=x&id={value}")
        }).collect();
        let address = format!("https://www.example.org/a?{}", encoded.join("&"));
        let url = canonicalise(&address, None, &NecessaryParameters::new(["id"])).unwrap().url;
        let left = url::Url::parse(url.as_str()).unwrap();
        let left: Vec<String> = left.query_pairs().map(|(_, value)| value.into_owned()).collect();
        prop_assert_eq!(left, values);
    }

    #[test]
    fn no_input_panics(address in any::<String>(), base in any::<Option<String>>()) {
        let keep = NecessaryParameters::new(["id"]);
        let base = base.and_then(|base| base.parse().ok());
        let _ = canonicalise(&address, base.as_ref(), &keep);
        let _ = canonicalise(&format!("https://{address}"), base.as_ref(), &keep);
    }
}
