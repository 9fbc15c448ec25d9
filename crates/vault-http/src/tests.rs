//! What one end writes, the other end reads; what is asked for, and what that takes.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::{Method, StatusCode, Uri};
use releve_deposit::testing::Specimen;
use releve_deposit::{DepositError, MalformedUnit, Since, UNIT_BYTES_MAX, VaultError};
use releve_proof::Sha256;

use crate::room::weight;
use crate::route::{Query, Route};
use crate::wire::{Refusal, deposit_error, of_deposit, of_vault, vault_error};
use crate::{Access, Bounds};

#[test]
fn a_refused_deposit_is_the_same_error_at_the_other_end() {
    let name = || "example".to_owned();
    let key = || "north".to_owned();
    let rows: Vec<(u16, DepositError)> = vec![
        (
            422,
            DepositError::CheckFailed {
                code: "chain-untrusted".to_owned(),
                reason: "it ends early".to_owned(),
            },
        ),
        (403, DepositError::SourceInactive { name: name() }),
        (403, DepositError::KeyRevoked { name: key() }),
        (401, DepositError::KeyUnknown),
        (403, DepositError::SourceNotPermitted { key: key(), name: name() }),
        (403, DepositError::HostNotPermitted { key: key(), host: "www.example.org:8443".to_owned() }),
        (422, DepositError::LabMismatch { unit_is_lab: true }),
        (409, DepositError::Superseded { named: None, last: Some(Sha256::of(b"last")) }),
        (409, DepositError::Superseded { named: Some(Sha256::of(b"named")), last: None }),
        (413, MalformedUnit::TooLarge { part: "unit", bytes_max: UNIT_BYTES_MAX }.into()),
    ];
    for (status, error) in rows {
        let refusal = of_deposit(&error);
        assert_eq!(refusal.status.as_u16(), status, "{error}");
        let read = deposit_error(&refusal).unwrap();
        assert_eq!(format!("{read:?}"), format!("{error:?}"));
    }
    // What is wrong with a unit arrives with its code, as a check that failed.
    let malformed = MalformedUnit::Records { why: "there are two" };
    let read = deposit_error(&of_deposit(&malformed.clone().into())).unwrap();
    assert_eq!((read.code(), read.kind()), (malformed.code(), DepositError::from(malformed).kind()));
}

#[test]
fn a_refused_look_up_is_the_same_error_at_the_other_end() {
    let key_refused = |code| VaultError::KeyRefused { code, why: "for this reason".to_owned() };
    let rows = [
        (401, key_refused("key-unknown")),
        (403, key_refused("key-revoked")),
        (403, key_refused("source-not-permitted")),
        (
            410,
            VaultError::Withdrawn {
                article: Specimen::new("1").key(),
                at: releve_deposit::testing::read_at(),
                reason: "asked".to_owned(),
            },
        ),
    ];
    for (status, error) in rows {
        let refusal = of_vault(&error);
        assert_eq!(refusal.status.as_u16(), status, "{error}");
        assert_eq!(format!("{:?}", vault_error(&refusal, "the vault").unwrap()), format!("{error:?}"));
    }
    let full = VaultError::DiskFull { path: "/srv/secret".into(), source: std::io::Error::other("full") };
    let refusal = of_vault(&full);
    assert!(!refusal.body.to_string().contains("/srv"), "what lies where is the operator's business");
    assert_eq!(vault_error(&refusal, "https://vault.example.org").unwrap().code(), "disk-full");
    let failed = VaultError::Store { action: "use /srv/secret".to_owned(), source: "broken".into() };
    assert!(!of_vault(&failed).body.to_string().contains("/srv"));
    assert!(vault_error(&of_vault(&failed), "it").is_none(), "that it failed is all there is to say");
}

#[test]
fn an_answer_that_is_no_vaults_is_none() {
    let answer = |status: u16, body: serde_json::Value| Refusal {
        status: StatusCode::from_u16(status).unwrap(),
        body,
    };
    for refusal in [
        answer(422, serde_json::json!([])),
        answer(422, serde_json::json!({ "code": 7, "reason": "x" })),
        answer(403, serde_json::json!({ "code": "key-revoked", "reason": "without its name" })),
        answer(
            409,
            serde_json::json!({ "code": "version-superseded", "reason": "x", "named": "x", "last": null }),
        ),
        answer(502, serde_json::json!({ "code": "bad-gateway", "reason": "x" })),
    ] {
        assert!(deposit_error(&refusal).is_none(), "{refusal:?}");
    }
}

#[test]
fn each_request_has_one_meaning() {
    let digest = Sha256::of(b"unit");
    let key = Specimen::new("4711").key();
    let route = |method: &str, uri: &str| {
        Route::of(&method.parse::<Method>().unwrap(), &uri.parse::<Uri>().unwrap())
            .map_err(|refusal| (refusal.status.as_u16(), refusal.code().to_owned()))
    };
    let list = |from, count| Route::List { from, count };
    for (request, expected) in [
        (("PUT", format!("/v1/deposits/{digest}")), Route::Deposit(digest)),
        (("GET", format!("/v1/deposits/{digest}")), Route::Read(digest)),
        (("GET", "/v1/vault".to_owned()), Route::Head),
        (("GET", "/v1/takes?source=example".to_owned()), Route::Takes("example".to_owned())),
        (("GET", "/v1/deposits".to_owned()), list(Since::default(), 100)),
        (
            ("GET", "/v1/deposits?count=7&source=a%20b&after=3".to_owned()),
            list(Since { sequence: 3, received_at: None, source: Some("a b".to_owned()) }, 7),
        ),
        (("GET", "/v1/versions?source=example&identifier=4711".to_owned()), Route::Versions(key.clone())),
        (("GET", "/v1/versions/last?identifier=4711&source=example".to_owned()), Route::LastVersion(key)),
        (
            ("GET", "/v1/articles?identifier=a%26b".to_owned()),
            Route::Articles(Query::Identifier("a&b".to_owned())),
        ),
        (
            ("GET", "/v1/articles?address=https://a/".to_owned()),
            Route::Articles(Query::Address("https://a/".to_owned())),
        ),
    ] {
        assert_eq!(route(request.0, &request.1), Ok(expected), "{request:?}");
    }
    for (method, uri, status, code) in [
        ("GET", "/", 404, "path-unknown"),
        ("GET", "/v2/vault", 404, "path-unknown"),
        ("GET", "/v1/vault/", 404, "path-unknown"),
        ("PUT", "/v1/deposits/a/b", 404, "path-unknown"),
        ("PUT", "/v1/deposits", 405, "method-not-allowed"),
        ("PUT", "/v1/vault", 405, "method-not-allowed"),
        ("DELETE", "/v1/deposits/abc", 405, "method-not-allowed"),
        ("HEAD", "/v1/vault", 405, "method-not-allowed"),
        ("PUT", "/v1/deposits/abc", 400, "request-malformed"),
        ("GET", "/v1/deposits?count=-1", 400, "request-malformed"),
        ("GET", "/v1/deposits?received_from=today", 400, "request-malformed"),
        ("GET", "/v1/deposits?from=3", 400, "request-malformed"),
        ("GET", "/v1/deposits?after=3&after=4", 400, "request-malformed"),
        ("GET", "/v1/takes", 400, "request-malformed"),
        ("GET", "/v1/vault?x", 400, "request-malformed"),
        ("GET", "/v1/versions?source=example", 400, "request-malformed"),
        ("GET", "/v1/versions?source=example&identifier=%00", 400, "request-malformed"),
        ("GET", "/v1/articles", 400, "request-malformed"),
        ("GET", "/v1/articles?identifier=a&address=b", 400, "request-malformed"),
    ] {
        assert_eq!(route(method, uri), Err((status, code.to_owned())), "{method} {uri}");
    }
}

#[test]
fn a_units_weight_is_known_before_it_is_unpacked() {
    let packed = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let unit = Specimen::new("1").unit();
    let weighs = weight(unit.bytes()).unwrap();
    assert!(weighs > 3 * unit.envelope().len() as u64 && weighs < 1 << 20, "{weighs}");

    let zeros = packed(&vec![0; 1 << 20]);
    assert!(weight(&zeros).unwrap() >= 3 << 20, "what is packed well weighs what it unpacks to");
    // A document of many small values takes many times its length.
    let values = packed("[0,0,0,0,".repeat(10_000).as_bytes());
    let second = weight(&[zeros.as_slice(), &values].concat()).unwrap();
    assert!(second - weight(&zeros).unwrap() > 256 * 40_000);
    // And one of objects within one another even more.
    let nests = packed("{\"\":".repeat(10_000).as_bytes());
    let second = weight(&[zeros.as_slice(), &nests].concat()).unwrap();
    assert!(second - weight(&zeros).unwrap() > 600 * 10_000);
    // What is no unit weighs what there is of it, and what follows three records is not looked at.
    assert_eq!(weight(b""), Some(0));
    assert_eq!(weight(b"garbage"), Some(14));
    let four = zeros.repeat(4);
    assert!(weight(&four).unwrap() < 12 << 20);
}

#[test]
fn what_unpacks_to_more_than_any_unit_has_no_weight() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let mebibyte = vec![0; 1 << 20];
    for _ in 0..66 {
        encoder.write_all(&mebibyte).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 1 << 20);
    assert_eq!(weight(&bomb), None);
}

#[test]
fn the_largest_unit_fits_into_the_room_of_the_default() {
    use releve_deposit::{ARTICLE_BYTES_MAX, ENVELOPE_BYTES_MAX};
    let memory = Bounds::default().memory_bytes;
    assert!(UNIT_BYTES_MAX <= memory / 8);
    assert!(2 * UNIT_BYTES_MAX + 3 * ENVELOPE_BYTES_MAX + 4 * ARTICLE_BYTES_MAX <= memory / 8 * 3);
}

#[test]
fn a_line_of_the_log_stays_one_line() {
    let access = Access {
        peer: "192.0.2.7:50123".parse().unwrap(),
        key: Some("north\n192.0.2.8".to_owned()),
        method: Some("PUT"),
        path: Some("/v1/deposits/00".to_owned()),
        status: Some(StatusCode::CREATED),
        code: "sealed".to_owned(),
        received_bytes: 18_211,
        took: std::time::Duration::from_millis(12),
        failure: Some("two\nlines".to_owned()),
    };
    assert_eq!(
        access.to_string(),
        "192.0.2.7:50123 north\\n192.0.2.8 PUT /v1/deposits/00 201 sealed 18211 bytes 12 ms (two\\nlines)"
    );
}
