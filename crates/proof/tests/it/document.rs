//! The document: one form, and no other is read.

use releve_proof::{ATTESTS, PROOF_BYTES_MAX, Proof, Read, Received, Response, Sha256};
use serde_json::{Value, json};

use crate::lab::{Chain, Handshake, forge, prove, read};

fn good() -> Proof {
    let chain = Chain::new().sign();
    let handshake = Handshake { ocsp: Some(b"stapled".to_vec()), ..Handshake::tls13() };
    prove(&handshake.run(&chain).tls(), &chain.roots())
}

#[test]
fn a_proof_comes_back_from_its_document() {
    let chain = Chain::new().sign();
    for handshake in [Handshake::tls13(), Handshake::tls12()] {
        let proof = prove(&handshake.run(&chain).tls(), &chain.roots());
        let document = proof.to_json();
        let read = Proof::from_json(document.as_bytes()).unwrap();
        assert_eq!(read, proof);
        assert_eq!(read.to_json(), document);
        assert_eq!(read.digest(), Sha256::of(document.as_bytes()));
    }
}

/// R17 in the words of the page that publishers are shown: control of the domain name at that instant,
/// nothing more; no signature by the publisher; neither the bytes bound to the server's key nor the instant
/// to a clock not ours.
#[test]
fn r17_every_proof_says_what_it_attests_and_that_it_is_nothing_more() {
    let document: Value = serde_json::from_str(&good().to_json()).unwrap();
    assert_eq!(document["attests"], ATTESTS);
    for words in [
        "controlled its domain name at the instant of the read, and nothing more",
        "no signature by the publisher",
        "neither the bytes received to the server's key nor the instant to a clock that is not the connector's",
    ] {
        assert!(ATTESTS.contains(words), "{words}");
    }
    let more = forge(&good(), |document| document["attests"] = json!("The publisher signed this."));
    assert_eq!(
        more.unwrap_err().to_string(),
        "the proof cannot be used: `attests` is not what a proof of version 1 attests"
    );
}

#[test]
fn r17_nothing_here_calls_a_proof_a_signature_by_the_publisher() {
    for text in [
        include_str!("../../GUIDE.md"),
        include_str!("../../src/lib.rs"),
        include_str!("../../src/document.rs"),
    ] {
        let words: Vec<&str> =
            text.split_whitespace().filter(|word| *word != "//!" && *word != "///").collect();
        let text = words.join(" ");
        assert!(text.contains("no signature by the publisher"));
        assert_eq!(
            text.matches("signature by the publisher").count(),
            text.matches("no signature by the publisher").count()
        );
    }
}

#[test]
fn an_unknown_version_is_refused_before_anything_else_is_read() {
    let refusal = |document: &[u8]| Proof::from_json(document).unwrap_err().to_string();
    assert_eq!(
        refusal(br#"{"version":2,"unheard_of":true}"#),
        "the proof cannot be used: `version` is 2, and this program reads version 1 alone"
    );
    assert!(refusal(b"{}").contains("missing field `version`"));
    assert!(refusal(br#"{"version":"1"}"#).contains("invalid type"));
    assert!(refusal(b"noise").contains("is not a proof"));
    assert!(refusal(&vec![b' '; PROOF_BYTES_MAX + 1]).contains("is longer than"));
}

/// In every object of the document a field more, a field fewer or a field of another type is refused.
#[test]
fn every_field_is_known_and_needed() {
    let proof = good();
    let whole: Value = serde_json::from_str(&proof.to_json()).unwrap();
    let mut objects = vec![String::new()];
    let mut fields = Vec::new();
    while let Some(pointer) = objects.pop() {
        let children: Vec<(String, &Value)> = match whole.pointer(&pointer).unwrap() {
            Value::Object(object) => object.iter().map(|(name, value)| (name.clone(), value)).collect(),
            Value::Array(array) => {
                array.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
            }
            _ => unreachable!(),
        };
        for (name, value) in children {
            let child = format!("{pointer}/{name}");
            if value.is_object() || value.is_array() {
                objects.push(child.clone());
            }
            fields.push((pointer.clone(), name));
        }
    }
    assert!(fields.len() > 30, "{fields:?}");
    for (pointer, name) in fields {
        let object = whole.pointer(&pointer).unwrap().is_object();
        let other = forge(&proof, |document| {
            *document.pointer_mut(&format!("{pointer}/{name}")).unwrap() = json!({ "a": [1.5] });
        });
        assert!(other.is_err(), "{pointer}/{name} of another type");
        if object && name != "ocsp" && name != "evidence" {
            let fewer = forge(&proof, |document| {
                document.pointer_mut(&pointer).unwrap().as_object_mut().unwrap().remove(&name).unwrap();
            });
            assert!(fewer.is_err(), "{pointer} without {name}");
        }
        if object {
            let more =
                forge(&proof, |document| document.pointer_mut(&pointer).unwrap()["more"] = json!(null));
            assert!(more.is_err(), "{pointer} with a field more");
        }
    }
}

#[test]
fn a_document_has_no_second_spelling() {
    let proof = good();
    let (text, digest) = (proof.to_json(), proof.envelope().sha256.to_string());
    let rows = [
        ("a space", text.replacen(':', ": ", 1)),
        ("a newline at the end", format!("{text}\n")),
        ("an escape", text.replacen("releve", "r\\u0065leve", 1)),
        ("a slash escaped", text.replacen("https://", "https:\\/\\/", 1)),
        ("a field twice", text.replacen(r#""lab":false"#, r#""lab":false,"lab":false"#, 1)),
        (
            "another order",
            text.replacen(r#""lab":false,"#, "", 1).replacen(r#"{"address""#, r#"{"lab":false,"address""#, 1),
        ),
        ("upper-case hexadecimal", text.replacen(&digest, &digest.to_uppercase(), 1)),
        ("a number with a fraction", text.replacen(r#""status":200"#, r#""status":200.0"#, 1)),
        ("an instant without its fraction", text.replacen(".987Z", "Z", 1)),
        ("an instant with more digits", text.replacen(".987Z", ".9870Z", 1)),
        ("an instant with an offset", text.replacen(".987Z", ".987+00:00", 1)),
        ("an explicit null", text.replacen(r#""received":{"#, r#""received":{"coding":null,"#, 1)),
        ("an address with the default port", text.replacen("www.example.org/", "www.example.org:443/", 1)),
    ];
    for (what, other) in rows {
        assert_ne!(other, text, "{what}");
        assert!(Proof::from_json(other.as_bytes()).is_err(), "{what}");
    }
}

type Change = fn(&mut Value);

#[test]
fn facts_that_contradict_each_other_make_no_proof() {
    let proof = good();
    let rows: [(&str, Change, &str); 17] = [
        ("http", |d| d["requested"] = json!("http://www.example.org/article"), "requested"),
        ("an IP address", |d| d["requested"] = json!("https://192.0.2.1/article"), "requested"),
        ("the final address", |d| d["address"] = json!("https://www.example.org/other"), "address"),
        (
            "no redirect's status",
            |d| d["redirects"] = json!([{ "status": 304, "address": d["address"] }]),
            "redirects",
        ),
        (
            "too many redirects",
            |d| d["redirects"] = json!(vec![json!({ "status": 301, "address": d["address"] }); 21]),
            "redirects",
        ),
        ("a status", |d| d["response"]["status"] = json!(203), "response.status"),
        (
            "Set-Cookie",
            |d| d["response"]["headers"] = json!([{ "name": "set-cookie", "value": "a=b" }]),
            "response.headers",
        ),
        (
            "a header of two lines",
            |d| d["response"]["headers"] = json!([{ "name": "link", "value": "a\r\nset-cookie: b" }]),
            "response.headers",
        ),
        ("a length received", |d| d["received"]["length"] = json!(1), "received"),
        ("a digest received", |d| d["received"]["sha256"] = json!("0".repeat(64)), "received"),
        ("a length over 2^53", |d| d["envelope"]["length"] = json!(1_u64 << 53), "received.length"),
        ("an empty media type", |d| d["envelope"]["media_type"] = json!(""), "envelope.media_type"),
        ("a media type of two lines", |d| d["envelope"]["media_type"] = json!("a\nb"), "envelope.media_type"),
        ("too many certificates", |d| d["tls"]["presented"] = json!(vec!["AAAA"; 101]), "tls.presented"),
        ("too long a path", |d| d["tls"]["verified"] = json!(vec!["AAAA"; 9]), "tls.verified"),
        ("a suite", |d| d["tls"]["cipher_suite"] = json!("TLS_RSA_WITH_NULL_MD5"), "tls.cipher_suite"),
        ("a version", |d| d["tls"]["protocol"] = json!("TLS 1.1"), "tls.protocol"),
    ];
    for (what, change, field) in rows {
        let error = forge(&proof, change).unwrap_err();
        assert_eq!(error.code(), "proof-malformed", "{what}");
        assert!(error.to_string().contains(&format!("`{field}`")), "{what}: {error}");
    }
}

/// R27: a cookie is kept nowhere, so it must not reach the proof.
#[test]
fn r27_only_the_headers_on_the_list_are_kept_and_set_cookie_is_not() {
    let proof = good();
    assert!(!proof.to_json().contains("canary"));
    let headers: Vec<(&str, &str)> = proof.response().headers().collect();
    assert_eq!(headers, [("content-type", "text/html"), ("etag", "\"1\"")]);
    assert!(!Response::HEADERS.contains(&"set-cookie"));

    let everything = Response::HEADERS.iter().rev().map(|name| (name.to_ascii_uppercase(), b"\xe4".to_vec()));
    let kept = Response::new(200, everything);
    assert!(kept.headers().map(|(name, _)| name).eq(Response::HEADERS.into_iter().rev()));
    assert!(kept.headers().all(|(_, value)| value == "\u{e4}"));
}

#[test]
fn a_body_that_came_coded_is_kept_with_both_digests() {
    let chain = Chain::new().sign();
    let tls = Handshake::tls13().run(&chain).tls();
    let coded = Received { sha256: Sha256::of(b"coded"), length: 5, coding: Some("br".to_owned()) };
    let proof = Proof::new(Read { received: coded.clone(), ..read(&tls) }, &chain.roots()).unwrap();
    assert_eq!(Proof::from_json(proof.to_json().as_bytes()).unwrap().received(), &coded);
    let uncoded = Received { coding: None, ..coded };
    let error = Proof::new(Read { received: uncoded, ..read(&tls) }, &chain.roots()).unwrap_err();
    assert!(error.to_string().contains("`received` differs from `envelope`"), "{error}");
}
