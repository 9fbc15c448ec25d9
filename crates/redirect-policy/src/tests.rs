use std::net::IpAddr;

use releve_url_canon::{HttpsUrl, NecessaryParameters};

use super::{AdmittedHosts, Hop, Journey, NotPublic, REDIRECTS_MAX, judge_answer, judge_ip};

fn url(address: &str) -> HttpsUrl {
    address.parse().unwrap()
}

fn hosts() -> AdmittedHosts {
    AdmittedHosts::parse(["www.example.org", "news.example.org", "cms.example.org:8443"]).unwrap()
}

/// One hop from `asked` on a new journey; `expected` is the target or the code of the reason to stop.
#[track_caller]
fn check_hop(asked: &str, status: u16, locations: &[&[u8]], expected: &str) {
    let mut journey = Journey::new(&url(asked), REDIRECTS_MAX);
    let keep = NecessaryParameters::new(["id"]);
    let got = match journey.judge(status, locations, &hosts(), &keep) {
        Hop::Follow { to, host } => {
            assert_eq!(journey.asked(), to.as_https());
            assert_eq!(journey.redirects(), 1);
            assert_eq!(host.authority(), to.as_https().authority());
            to.to_string()
        }
        Hop::Stop(reason) => {
            assert_eq!(journey.redirects(), 0);
            reason.code().to_owned()
        }
    };
    assert_eq!(got, expected, "{asked} {status} {locations:?}");
}

const ASKED: &str = "https://www.example.org/a/b?id=7";

#[test]
fn r30_only_five_statuses_are_redirects() {
    for status in [301, 302, 303, 307, 308] {
        check_hop(ASKED, status, &[b"/c"], "https://www.example.org/c");
    }
    for status in [300, 304, 305, 306, 309, 399, 200, 201] {
        check_hop(ASKED, status, &[b"/c"], "redirect-status");
    }
}

#[test]
fn r30_exactly_one_location_is_followed() {
    check_hop(ASKED, 301, &[], "redirect-without-location");
    check_hop(ASKED, 301, &[b"/c", b"/d"], "redirect-many-locations");
    check_hop(ASKED, 301, &[b"/c", b"/c"], "redirect-many-locations");
}

#[test]
fn r30_the_target_is_resolved_against_the_address_just_asked() {
    check_hop(ASKED, 301, &[b"c"], "https://www.example.org/a/c");
    check_hop(ASKED, 301, &[b"../c#top"], "https://www.example.org/c");
    check_hop(ASKED, 301, &[b"?id=8"], "https://www.example.org/a/b?id=8");
    check_hop(ASKED, 301, &[b"//news.example.org/c"], "https://news.example.org/c");
    check_hop(ASKED, 301, &["/caf\u{e9}".as_bytes()], "https://www.example.org/caf%C3%A9");
    check_hop(ASKED, 301, &[b"/caf\xe9"], "redirect-not-utf8");
    check_hop(ASKED, 301, &[b"https://[::1"], "redirect-address");

    let mut journey = Journey::new(&url(ASKED), REDIRECTS_MAX);
    let keep = NecessaryParameters::none();
    journey.judge(301, &[b"https://news.example.org/x/y"], &hosts(), &keep);
    journey.judge(301, &[b"z"], &hosts(), &keep);
    assert_eq!(journey.asked().as_str(), "https://news.example.org/x/z");
}

#[test]
fn r28_a_target_that_is_not_https_stops() {
    check_hop(ASKED, 301, &[b"http://www.example.org/c"], "redirect-not-https");
    check_hop(ASKED, 301, &[b"ftp://www.example.org/c"], "redirect-not-https");
    check_hop(ASKED, 301, &[b"javascript:alert(1)"], "redirect-not-https");
}

#[test]
fn r30_a_target_with_an_undeclared_parameter_stops() {
    check_hop(ASKED, 301, &[b"/c?utm_source=x"], "redirect-parameter");
    check_hop(ASKED, 301, &[b"/c?id=7&token=x"], "redirect-parameter");
    check_hop(ASKED, 301, &[b"/c?=x"], "redirect-parameter");
    check_hop(ASKED, 301, &[b"/c;jsessionid=1"], "redirect-parameter");
    check_hop(ASKED, 301, &[b"/(S(abc))/c"], "redirect-parameter");
    // No parameter at all.
    check_hop(ASKED, 301, &[b"/c?"], "https://www.example.org/c");
    check_hop(ASKED, 301, &[b"/c?&#utm_source=x"], "https://www.example.org/c");
}

#[test]
fn r30_a_target_may_repeat_the_parameters_of_the_address_asked() {
    // Only an address that the configuration writes has undeclared ones. They stay in what is asked next:
    // without them the server would be asked for something else.
    let asked = "https://www.example.org/feed?format=rss&page=1";
    check_hop(asked, 301, &[b"/rss?format=rss"], "https://www.example.org/rss?format=rss");
    check_hop(asked, 301, &[b"/rss?page=1&format=rs%73"], "https://www.example.org/rss?page=1&format=rss");
    check_hop(asked, 301, &[b"/rss?format=atom"], "redirect-parameter");
    check_hop(asked, 301, &[b"/rss?format"], "redirect-parameter");

    // "The address asked" is the one just asked, the stricter reading: what a hop dropped does not come back.
    let mut journey = Journey::new(&url(asked), REDIRECTS_MAX);
    let keep = NecessaryParameters::none();
    assert!(matches!(journey.judge(301, &[b"/rss"], &hosts(), &keep), Hop::Follow { .. }));
    let Hop::Stop(reason) = journey.judge(301, &[b"/b?format=rss"], &hosts(), &keep) else { panic!() };
    assert_eq!(reason.code(), "redirect-parameter");
}

#[test]
fn r30_r40_a_target_at_a_host_that_is_not_admitted_stops() {
    check_hop(ASKED, 301, &[b"https://evil.example/"], "redirect-host-not-admitted");
    check_hop(ASKED, 301, &[b"https://example.org/"], "redirect-host-not-admitted");
    check_hop(ASKED, 301, &[b"https://www.example.org:8443/"], "redirect-host-not-admitted");
    check_hop(ASKED, 301, &[b"https://cms.example.org/"], "redirect-host-not-admitted");
    check_hop(ASKED, 301, &[b"https://cms.example.org:8443/"], "https://cms.example.org:8443/");
    check_hop(ASKED, 301, &[b"https://127.0.0.1/"], "redirect-address");
    check_hop(ASKED, 301, &[b"https://www.example.org@evil.example/"], "redirect-address");
    check_hop(
        ASKED,
        301,
        &[br"https://www.example.org\@evil.example/"],
        "https://www.example.org/@evil.example/",
    );
}

#[test]
fn r30_a_loop_is_seen_by_its_canonical_address() {
    check_hop(ASKED, 301, &[ASKED.as_bytes()], "redirect-loop");
    check_hop(ASKED, 301, &[b""], "redirect-loop");
    check_hop(ASKED, 301, &[b"https://WWW.example.org:443/a/%62?id=7#x"], "redirect-loop");
    check_hop("https://www.example.org/f?x=1", 301, &[b"?x=%31"], "redirect-loop");

    let mut journey = Journey::new(&url("https://www.example.org/1"), REDIRECTS_MAX);
    let keep = NecessaryParameters::none();
    assert!(matches!(journey.judge(302, &[b"/2"], &hosts(), &keep), Hop::Follow { .. }));
    assert!(matches!(journey.judge(302, &[b"/3"], &hosts(), &keep), Hop::Follow { .. }));
    let Hop::Stop(reason) = journey.judge(302, &[b"/1"], &hosts(), &keep) else { panic!() };
    assert_eq!(reason.code(), "redirect-loop");
}

#[test]
fn r30_the_sixth_redirect_stops() {
    let mut journey = Journey::new(&url("https://www.example.org/0"), REDIRECTS_MAX);
    let keep = NecessaryParameters::none();
    for hop in 1..=5 {
        let location = format!("/{hop}");
        assert!(matches!(journey.judge(302, &[location.as_bytes()], &hosts(), &keep), Hop::Follow { .. }));
    }
    let Hop::Stop(reason) = journey.judge(302, &[b"/6"], &hosts(), &keep) else { panic!() };
    assert_eq!(reason.code(), "redirect-limit");
    assert_eq!(journey.redirects(), 5);
}

#[test]
fn a_reason_does_not_repeat_the_value_of_a_parameter() {
    // The server may have put what identifies us there.
    let mut journey = Journey::new(&url(ASKED), REDIRECTS_MAX);
    let Hop::Stop(reason) = journey.judge(302, &[b"/c?token=s3cret"], &hosts(), &NecessaryParameters::none())
    else {
        panic!()
    };
    assert!(reason.to_string().contains("`token`"));
    assert!(!format!("{reason} {reason:?}").contains("s3cret"));
}

/// `expected` is the authority admitted, or nothing.
#[track_caller]
fn check_admitted(entries: &[&str], address: &str, expected: Option<&str>) {
    let hosts = AdmittedHosts::parse(entries).unwrap();
    let got = hosts.admit(&url(address)).ok().map(|host| host.to_string());
    assert_eq!(got.as_deref(), expected, "{entries:?} {address}");
}

#[test]
fn r40_only_what_is_written_is_admitted() {
    check_admitted(&["www.example.org"], "https://www.example.org/", Some("www.example.org"));
    check_admitted(&["WWW.Example.ORG."], "https://www.example.org./", Some("www.example.org"));
    check_admitted(&["www.example.org:443"], "https://www.example.org/", Some("www.example.org"));
    check_admitted(&["b\u{fc}cher.example"], "https://xn--bcher-kva.example/", Some("xn--bcher-kva.example"));
    check_admitted(&["www.example.org"], "https://example.org/", None);
    check_admitted(&["example.org"], "https://www.example.org/", None);
    check_admitted(&["www.example.org"], "https://www.example.org.evil.example/", None);
    check_admitted(&["www.example.org"], "https://awww.example.org/", None);
    check_admitted(&["www.example.org"], "https://www.example.org:8443/", None);
    check_admitted(&["www.example.org:8443"], "https://www.example.org:8443/", Some("www.example.org:8443"));
    check_admitted(&["www.example.org:8443"], "https://www.example.org/", None);
    check_admitted(&[], "https://www.example.org/", None);
}

#[test]
fn r40_a_wildcard_is_one_label() {
    // It could be read as any depth; one label, as in a certificate, is the reading that contacts fewer
    // hosts.
    check_admitted(&["*.example.org"], "https://www.example.org/", Some("www.example.org"));
    check_admitted(&["*.example.org"], "https://example.org/", None);
    check_admitted(&["*.example.org"], "https://a.b.example.org/", None);
    check_admitted(&["*.example.org"], "https://www.evil-example.org/", None);
    check_admitted(&["*.example.org:8443"], "https://www.example.org:8443/", Some("www.example.org:8443"));
    check_admitted(&["*.example.org:8443"], "https://www.example.org/", None);
}

#[track_caller]
fn check_refused(entry: &str, why: &str) {
    let error = AdmittedHosts::parse([entry]).unwrap_err();
    assert_eq!(error.entry(), entry);
    assert!(error.to_string().contains(why), "{error}");
}

#[test]
fn r40_entries_that_could_admit_too_much_are_refused() {
    for ip in ["127.0.0.1", "93.184.216.34", "[::1]", "2130706433", "0x7f.1", "①②⑦.⓪.⓪.①", "10.0.0.1:8443"]
    {
        check_refused(ip, "IP address");
    }
    for wildcard in ["*", "*.*", "*.org", "www.*.org", "w*.example.org", "*example.org", "*.*.example.org"] {
        check_refused(wildcard, "wildcard");
    }
    for special in [
        "localhost",
        "LOCALHOST",
        "foo.localhost.",
        "router.local",
        "x.internal",
        "metadata.google.internal",
        "1e3",
    ] {
        check_refused(special, "private networks");
    }
    for address in ["https://www.example.org", "www.example.org/a", "www.example.org?a", "u@www.example.org"]
    {
        check_refused(address, "is an address");
    }
    for nothing in [
        "",
        ".",
        "a..b",
        "www.example.org:0",
        "www.example.org:x",
        "www.example.org:99999",
        " a.example",
        "a\n.b",
        "{id}.example.org",
        "a!b.example.org",
    ] {
        check_refused(nothing, "no host name");
    }
}

#[test]
fn entries_are_shown_in_one_spelling() {
    let hosts = AdmittedHosts::parse(["WWW.example.org:443", "*.Example.org:8443"]).unwrap();
    assert_eq!(hosts.entries().collect::<Vec<_>>(), ["www.example.org", "*.example.org:8443"]);
}

#[test]
fn a_host_gives_name_and_port_apart() {
    let host = hosts().admit(&url("https://cms.example.org:8443/x")).unwrap();
    assert_eq!(
        (host.host(), host.port(), host.authority()),
        ("cms.example.org", 8443, "cms.example.org:8443")
    );
    let host = hosts().admit(&url("https://www.example.org/x")).unwrap();
    assert_eq!((host.host(), host.port(), host.authority()), ("www.example.org", 443, "www.example.org"));
}

/// `expected` is part of the reason, or nothing where the address is public.
#[track_caller]
fn check_ip(ip: &str, expected: Option<&str>) {
    let got = judge_ip(ip.parse().unwrap()).err().map(|refusal| refusal.to_string());
    match expected {
        None => assert_eq!(got, None, "{ip}"),
        Some(part) => assert!(got.as_deref().is_some_and(|got| got.contains(part)), "{ip}: {got:?}"),
    }
}

#[test]
fn r31_addresses_that_are_not_public_are_refused_with_their_block() {
    check_ip("93.184.216.34", None);
    check_ip("127.0.0.1", Some("loopback"));
    check_ip("0.0.0.0", Some("this network"));
    check_ip("10.1.2.3", Some("RFC 1918"));
    check_ip("172.15.255.255", None);
    check_ip("172.16.0.0", Some("RFC 1918"));
    check_ip("172.32.0.0", None);
    check_ip("169.254.169.254", Some("link-local"));
    check_ip("100.64.0.1", Some("carriers"));
    check_ip("192.0.0.9", Some("protocol assignments"));
    check_ip("224.0.0.1", Some("multicast"));
    check_ip("255.255.255.255", Some("reserved"));
    check_ip("2606:4700::1111", None);
    check_ip("::", Some("unspecified"));
    check_ip("::1", Some("loopback"));
    check_ip("::127.0.0.1", Some("IPv4-compatible"));
    check_ip("::ffff:93.184.216.34", Some("IPv4-mapped"));
    check_ip("64:ff9b::93.184.216.34", None);
    check_ip("64:ff9b::10.0.0.1", Some("RFC 1918"));
    check_ip("64:ff9b:1::93.184.216.34", Some("RFC 8215"));
    check_ip("2001:0:4136:e378::1", Some("Teredo"));
    check_ip("2002:7f00:1::", Some("6to4"));
    check_ip("fe80::1", Some("link-local"));
    check_ip("fd00::1", Some("unique local"));
    check_ip("4000::1", Some("2000::/3"));
}

#[test]
fn r31_one_private_address_refuses_the_whole_answer() {
    let answer = |ips: &[&str]| -> Vec<IpAddr> { ips.iter().map(|ip| ip.parse().unwrap()).collect() };
    let public = judge_answer(&answer(&["93.184.216.34", "2606:4700::1111"])).unwrap();
    assert_eq!(
        public.iter().map(|ip| ip.get()).collect::<Vec<_>>(),
        answer(&["93.184.216.34", "2606:4700::1111"])
    );
    let refusal = judge_answer(&answer(&["93.184.216.34", "10.0.0.1"])).unwrap_err();
    assert!(matches!(refusal, NotPublic::Address { ip, .. } if ip == IpAddr::from([10, 0, 0, 1])));
    assert_eq!(refusal.code(), "not-public-address");
    assert!(judge_answer(&answer(&["::1", "93.184.216.34"])).is_err());
    assert_eq!(judge_answer(&[]).unwrap_err().code(), "no-address");
}
