//! What holds of every redirect, whatever its target is made of.
#![allow(clippy::unwrap_used)]

use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;
use releve_redirect_policy::{AdmittedHosts, Hop, Journey, REDIRECTS_MAX, judge_ip};
use releve_url_canon::{HttpsUrl, NecessaryParameters};

fn target() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "https:",
        "http:",
        "//",
        "/",
        "www.example.org",
        "evil.example",
        "@",
        ":",
        "8443",
        "\\",
        "?",
        "&",
        "id=7",
        "id=8",
        "x=1",
        "%",
        "#",
        ";jsessionid=1",
        "..",
        "127.0.0.1",
        "[::1]",
        "a",
        " ",
        "\t",
    ]);
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn r30_what_is_followed_is_admitted_and_adds_nothing(targets in prop::collection::vec(target(), 1..12)) {
        let hosts = AdmittedHosts::parse(["www.example.org"]).unwrap();
        let keep = NecessaryParameters::new(["id"]);
        let start: HttpsUrl = "https://www.example.org/a?x=1".parse().unwrap();
        let mut journey = Journey::new(&start, REDIRECTS_MAX);
        let mut followed = vec![start.to_string()];
        for target in &targets {
            if let Hop::Follow { to, host } = journey.judge(302, &[target.as_bytes()], &hosts, &keep) {
                prop_assert_eq!(host.authority(), "www.example.org");
                prop_assert!(to.as_str().starts_with("https://www.example.org/"));
                for (name, value) in url::Url::parse(to.as_str()).unwrap().query_pairs() {
                    prop_assert!(name == "id" || (name == "x" && value == "1"), "{}", to);
                }
                prop_assert!(!followed.contains(&to.to_string()));
                followed.push(to.to_string());
            }
        }
        prop_assert!(followed.len() <= 1 + REDIRECTS_MAX);
    }

    #[test]
    fn no_location_panics(location in any::<Vec<u8>>(), status in any::<u16>()) {
        let hosts = AdmittedHosts::parse(["*.example.org"]).unwrap();
        let start: HttpsUrl = "https://www.example.org/a".parse().unwrap();
        let _ = Journey::new(&start, REDIRECTS_MAX).judge(status, &[&location], &hosts, &NecessaryParameters::none());
    }

    #[test]
    fn no_entry_panics_and_what_is_admitted_is_a_name(entry in any::<String>()) {
        if let Ok(hosts) = AdmittedHosts::parse([entry]) {
            for shown in hosts.entries() {
                prop_assert!(AdmittedHosts::parse([shown.as_str()]).is_ok(), "{}", shown);
            }
        }
    }

    #[test]
    fn r31_an_address_that_carries_another_is_no_better(bits in any::<u32>()) {
        let carried = Ipv4Addr::from_bits(bits);
        let nat64 = Ipv6Addr::from_bits(0x64_ff9b << 96 | u128::from(bits));
        prop_assert_eq!(judge_ip(nat64.into()).is_ok(), judge_ip(carried.into()).is_ok());
        prop_assert!(judge_ip(carried.to_ipv6_mapped().into()).is_err());
        prop_assert!(judge_ip(carried.to_ipv6_compatible().into()).is_err());
    }
}
