use super::{HttpsUrl, NecessaryParameters, Refusal, Removed, canonicalise};

/// `expected` is the address, or the code of the refusal.
#[track_caller]
fn check(address: &str, keep: &[&str], expected: &str) {
    let keep = NecessaryParameters::new(keep.iter().copied());
    let got = match canonicalise(address, None, &keep) {
        Ok(canonical) => canonical.url.to_string(),
        Err(refusal) => refusal.code().to_owned(),
    };
    assert_eq!(got, expected, "{address}");
}

#[test]
fn r28_other_schemes_are_refused_and_never_upgraded() {
    check("http://www.example.org/a", &[], "address-not-https");
    check("feed:https://www.example.org/a", &[], "address-not-https");
    check("javascript:alert(1)", &[], "address-not-https");
    check("//www.example.org/a", &[], "address-invalid");
    check("HTTPS://www.example.org/a", &[], "https://www.example.org/a");
    // A link relative to its scheme takes the feed's, which is https by the same rule.
    let base: HttpsUrl = "https://www.example.org/feed".parse().unwrap();
    let canonical = canonicalise("//cdn.example.org/a", Some(&base), &NecessaryParameters::none()).unwrap();
    assert_eq!(canonical.url.as_str(), "https://cdn.example.org/a");
    assert_eq!(base.join("http://www.example.org/a"), Err(Refusal::NotHttps));
}

#[test]
fn r29_what_is_not_declared_goes() {
    check("https://www.example.org/a?utm_source=rss&id=7", &["id"], "https://www.example.org/a?id=7");
    check("https://www.example.org/a?id=7", &[], "https://www.example.org/a");
    check("https://www.example.org/a?ID=7&idx=8&i%64=9", &["id"], "https://www.example.org/a?id=9");
    check("https://www.example.org/a?id=1&utm=x;id=2&id=3", &["id"], "https://www.example.org/a?id=1&id=3");
    check("https://www.example.org/a?a+b=1&a%20b=2", &["a b"], "https://www.example.org/a?a+b=1&a+b=2");
    check("https://www.example.org/a?=1&&%FF=2", &["", "\u{fffd}"], "https://www.example.org/a");
    check("https://www.example.org/a#!/b?id=1", &["id"], "https://www.example.org/a");
    check(
        "https://www.example.org/a?id=1?utm_source=x",
        &["id"],
        "https://www.example.org/a?id=1?utm_source=x",
    );
}

#[test]
fn r29_session_identifiers_in_the_path_go() {
    check("https://www.example.org/a;jsessionid=1", &[], "https://www.example.org/a");
    check("https://www.example.org/a;jsession%69d=1.n;x=2/b", &[], "https://www.example.org/a;x=2/b");
    check("https://www.example.org/a;PHPSESSID", &[], "https://www.example.org/a");
    check(
        "https://www.example.org/a;jsessionid=1",
        &["jsessionid"],
        "https://www.example.org/a;jsessionid=1",
    );
    check("https://www.example.org/(S(lit3py55))/p.aspx", &[], "https://www.example.org/p.aspx");
    check("https://www.example.org/a/(X(1)S(b))", &[], "https://www.example.org/a");
    check("https://www.example.org/(S(b))", &[], "https://www.example.org/");
    // Not of that shape: an ordinary name in parentheses.
    check("https://www.example.org/(S)/(1)/()", &[], "https://www.example.org/(S)/(1)/()");
    // The servers that know `;jsessionid` take it off before they look at dot segments.
    check("https://www.example.org/a/b/..;jsessionid=1/c", &[], "https://www.example.org/a/c");
}

#[test]
fn escapes_have_one_spelling_and_never_a_new_meaning() {
    check("https://www.example.org/%7ea%2fb%3a", &[], "https://www.example.org/~a%2Fb%3A");
    check(
        "https://www.example.org/a?q=%c3%bc%26+%20%41",
        &["q"],
        "https://www.example.org/a?q=%C3%BC%26+%20A",
    );
    // Decoding would complete an escape that the server does not see.
    check("https://www.example.org/%%34%31", &[], "https://www.example.org/%%341");
    check("https://www.example.org/%4%31", &[], "https://www.example.org/%4%31");
    check("https://www.example.org/%2541", &[], "https://www.example.org/%2541");
}

#[test]
fn r40_hosts_that_are_no_domain_names_are_refused() {
    check("https://127.0.0.1/", &[], "address-ip-literal");
    check("https://0x7f.1/", &[], "address-ip-literal");
    check("https://①②⑦.⓪.⓪.①/", &[], "address-ip-literal");
    check("https://[::1]/", &[], "address-ip-literal");
    check("https://www.example.org../", &[], "address-host-name");
    check("https://a..example.org/", &[], "address-host-name");
    check(&format!("https://{}.example.org/", "a".repeat(64)), &[], "address-host-name");
    check("https://./", &[], "address-host-name");
    check("https://www.example.org./a", &[], "https://www.example.org/a");
    check("https://user@www.example.org/", &[], "address-userinfo");
    check("https://:pass@www.example.org/", &[], "address-userinfo");
    check(r"https://www.example.org\@evil.example/a", &[], "https://www.example.org/@evil.example/a");
    check(&format!("https://www.example.org/{}", "a".repeat(9_000)), &[], "address-too-long");
    check(&format!("https://www.example.org/{}", "ü".repeat(3_000)), &[], "address-too-long");
}

#[test]
fn an_ip_address_is_refused_with_what_it_was() {
    let refusal = "https://0x7f.1/a#b".parse::<HttpsUrl>().unwrap_err();
    assert_eq!(refusal, Refusal::IpAddress { address: "https://127.0.0.1/a".to_owned() });
}

#[test]
fn r01_a_refusal_repeats_nothing_of_what_was_written() {
    for address in
        ["canary:words", "canary words", "https://canary:pw@www.example.org/", "https://127.0.0.1/canary"]
    {
        let refusal = canonicalise(address, None, &NecessaryParameters::none()).unwrap_err();
        assert!(!refusal.to_string().contains("canary"), "{refusal}");
    }
}

#[test]
fn ports_are_kept_and_the_default_is_not_written() {
    check("https://www.example.org:0443/a", &[], "https://www.example.org/a");
    check("https://www.example.org:8443/a", &[], "https://www.example.org:8443/a");
    let url: HttpsUrl = "https://www.example.org:8443/a?b#c".parse().unwrap();
    assert_eq!((url.host(), url.port(), url.authority()), ("www.example.org", 8443, "www.example.org:8443"));
    assert_eq!((url.path(), url.query(), url.path_and_query()), ("/a", Some("b"), "/a?b"));
    let url: HttpsUrl = "https://www.example.org".parse().unwrap();
    assert_eq!((url.port(), url.authority(), url.path_and_query()), (443, "www.example.org", "/"));
}

#[test]
fn an_address_that_the_configuration_writes_keeps_its_parameters() {
    // R29 is about addresses that come from outside.
    let url: HttpsUrl = "https://www.example.org/feed;v=1?format=rss&utm_source=us#x".parse().unwrap();
    assert_eq!(url.as_str(), "https://www.example.org/feed;v=1?format=rss&utm_source=us");
}

#[test]
fn r30_the_pairs_of_an_address_are_kept_with_their_value_alone() {
    let asked: HttpsUrl = "https://www.example.org/api?page=1&x&y=%7e".parse().unwrap();
    let keep = NecessaryParameters::new(["id"]).with_pairs_of(&asked);
    let to = "https://www.example.org/b?y=~&page=2&x=&x&page=1&id=3";
    let canonical = canonicalise(to, None, &keep).unwrap();
    assert_eq!(canonical.url.as_str(), "https://www.example.org/b?y=~&x&page=1&id=3");
    let names: Vec<_> = canonical
        .removed
        .iter()
        .map(|removed| match removed {
            Removed::Parameter { name, .. } => name.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, ["page", "x"]);
}

#[test]
fn the_names_of_a_list_are_kept_with_any_value() {
    let list: HttpsUrl = "https://www.example.org/api?page=1".parse().unwrap();
    let keep = NecessaryParameters::none().with_names_of(&list);
    let next = canonicalise("?page=2&token=x", Some(&list), &keep).unwrap();
    assert_eq!(next.url.as_str(), "https://www.example.org/api?page=2");
}
