//! The promises that a configuration could break.

use std::time::Duration;

use releve_pace::Rhythm;
use releve_source::{AddressTemplate, Embargo, Identifier, Way};
use releve_url_canon::HttpsUrl;

use super::{CMS, PAGE, PUBLIC, WORDPRESS, check_error, parse, sound, with};

#[test]
fn r03_each_source_says_one_of_three_ways() {
    assert_eq!(sound(PAGE).way().as_str(), "page");
    assert_eq!(sound(PUBLIC).way().as_str(), "public-api");
    assert_eq!(sound(CMS).way().as_str(), "cms-api");
    check_error(&with(PAGE, "\"page\"", "\"browser\""), "it is \"page\" or \"public-api\" or \"cms-api\"");
    check_error(
        &with(PAGE, "by = \"page\"", "by = \"page\", address = \"https://www.example.org/{id}\""),
        "is for an API",
    );
}

#[test]
fn r03_the_ways_differ_in_what_they_need() {
    check_error(
        &with(
            CMS,
            "access = { header = \"Authorization\", prefix = \"Bearer \", from_env = \"EXAMPLE_TOKEN\" }\n",
            "",
        ),
        "`access` is missing",
    );
    let public = with(CMS, "\"cms-api\"", "\"public-api\"");
    check_error(&public, "`access` is for cms-api, and this source is read by public-api");
    check_error(
        &with(PAGE, "by = \"page\"", "by = \"page\", agreement = \"x\""),
        "`agreement` is for cms-api",
    );
    check_error(
        &with(PAGE, "by = \"page\"", "by = \"page\", fields = { body = { at = \"/a\" } }"),
        "give a CSS selector",
    );
    check_error(&with(PAGE, "by = \"page\"", "by = \"page\", fields = { body = \"p:hover\" }"), "`body`: ");
    check_error(&with(PUBLIC, "headline = \"/data/title\"", "headline = \"h1\""), "not a JSON Pointer");
    check_error(&with(PUBLIC, "headline = \"/data/title\"", "drop = \"aside\""), "is for pages");
}

#[test]
fn r04_a_secret_in_the_text_is_refused_and_not_repeated() {
    for key in ["value", "token", "password", "secret", "key", "credential"] {
        let text = with(CMS, "from_env = \"EXAMPLE_TOKEN\"", &format!("{key} = \"s3cret-words\""));
        let problem = check_error(&text, "a secret is never written into a configuration");
        assert!(!format!("{problem} {problem:?}").contains("s3cret"), "{problem:?}");
    }
    // Where a name is expected, somebody may write the secret.
    let text = with(CMS, "\"EXAMPLE_TOKEN\"", "\"s3cret-words\"");
    let problem = check_error(&text, "no name of an environment variable");
    assert!(!problem.to_string().contains("s3cret"));
    let problem = check_error(
        &with(CMS, "https://cms.example.org:8443", "https://user:s3cret@cms.example.org:8443"),
        "a user name or a password",
    );
    assert!(!problem.to_string().contains("s3cret"));
    check_error(&with(CMS, ", from_env = \"EXAMPLE_TOKEN\"", ""), "not said where the secret is read from");
    check_error(
        &with(CMS, "from_env = \"EXAMPLE_TOKEN\"", "from_env = \"A\", from_file = \"b\""),
        "both given",
    );
}

#[test]
fn r04_the_credential_travels_in_no_header_that_means_something_else() {
    let with_header = |header: &str| with(CMS, "\"Authorization\"", &format!("\"{header}\""));
    for header in [
        "User-Agent",
        "accept",
        "Accept-Encoding",
        "Cookie",
        "COOKIE2",
        "Host",
        "Range",
        "Expect",
        "If-None-Match",
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
        "HTTP2-Settings",
    ] {
        check_error(&with_header(header), "may not carry a credential");
    }
    for header in ["", "X Key", "X-Key:", "Schlüssel", "X\\r\\nY"] {
        check_error(&with_header(header), "no name of a header");
    }
    for header in ["Authorization", "X-Api-Key", "Api-Token", "Accepts", "Iffy"] {
        assert_eq!(sound(&with_header(header)).way().access().unwrap().header.as_str(), header);
    }
    check_error(&with(CMS, "\"Bearer \"", "\"Bearer\\r\\nX: \""), "a header cannot carry");
}

#[test]
fn r04_the_credential_is_for_the_host_and_port_of_the_article_alone() {
    let source = sound(CMS);
    let access = source.way().access().unwrap();
    assert_eq!((access.host.as_str(), access.port), ("cms.example.org", 8443));
    assert!(!access.also_for_trigger && !access.also_for_backlog);

    // Trigger and list are read without a secret, unless an agreement says otherwise, and then at that host.
    let also = with(CMS, "\"EXAMPLE_TOKEN\" }", "\"EXAMPLE_TOKEN\", also_for = [\"trigger\"] }");
    let problems = parse(&also).unwrap_err().to_string();
    assert!(problems.contains("unless the publisher agreed"), "{problems}");
    assert!(problems.contains("which is at another host"), "{problems}");
    let agreed = with(&also, "by = \"cms-api\"", "by = \"cms-api\"\nagreement = \"contract 7\"");
    check_error(&agreed, "`also_for` names the trigger, which is at another host");
    let same_host = with(&agreed, "https://www.example.org/rss.xml", "https://cms.example.org:8443/rss.xml");
    assert!(sound(&same_host).way().access().unwrap().also_for_trigger);
    let other_port = with(
        &with(&agreed, "https://www.example.org/rss.xml", "https://cms.example.org/rss.xml"),
        "\"www.example.org\"",
        "\"cms.example.org\"",
    );
    check_error(&other_port, "which is at another host");
    check_error(&with(&same_host, "[\"trigger\"]", "[\"backlog\"]"), "and there is none");
    check_error(&with(&same_host, "[\"trigger\"]", "[\"articles\"]"), "`also_for` has no such value");
}

/// `expected` is the address, or the code of the reason.
#[track_caller]
fn check_identifier(template: &AddressTemplate, identifier: &str, expected: &str) {
    let got = match template.address(identifier) {
        Ok(address) => {
            assert!(template.covers(&address), "{address}");
            address.to_string()
        }
        Err(error) => error.code().to_owned(),
    };
    assert_eq!(got, expected, "{identifier:?}");
}

#[test]
fn r04_an_identifier_becomes_one_segment_whatever_it_holds() {
    let template: AddressTemplate = "https://CMS.example.org:443/items/{id}?fields=id#x".parse().unwrap();
    assert_eq!(template.to_string(), "https://cms.example.org/items/{id}?fields=id");
    for (identifier, segment) in [
        ("4711", "4711"),
        ("a-b.c_d~e", "a-b.c_d~e"),
        ("a/b", "a%2Fb"),
        ("../admin", "..%2Fadmin"),
        ("a?b=c&d#e", "a%3Fb%3Dc%26d%23e"),
        ("a;jsessionid=1", "a%3Bjsessionid%3D1"),
        ("a\\b", "a%5Cb"),
        ("%2e%2e", "%252e%252e"),
        ("%", "%25"),
        (" a\tb\n", "%20a%09b%0A"),
        ("é", "%C3%A9"),
        ("@evil.example:80", "%40evil.example%3A80"),
        ("...", "..."),
        ("\0", "%00"),
    ] {
        check_identifier(
            &template,
            identifier,
            &format!("https://cms.example.org/items/{segment}?fields=id"),
        );
    }
    check_identifier(&template, "", "identifier-empty");
    check_identifier(&template, ".", "identifier-dot-segment");
    check_identifier(&template, "..", "identifier-dot-segment");
    check_identifier(&template, &"a".repeat(9_000), "identifier-no-address");
    // Beside something else in its segment a dot is no dot segment, and is refused all the same.
    let template: AddressTemplate = "https://cms.example.org/items/{id}.json".parse().unwrap();
    check_identifier(&template, "..", "identifier-dot-segment");
    check_identifier(&template, "a", "https://cms.example.org/items/a.json");
    let template: AddressTemplate = "https://cms.example.org/items/.{id}".parse().unwrap();
    check_identifier(&template, "a", "https://cms.example.org/items/.a");
    let template: AddressTemplate = "https://cms.example.org/?id={id}&x=1".parse().unwrap();
    check_identifier(&template, "a&x=2", "https://cms.example.org/?id=a%26x%3D2&x=1");
}

#[test]
fn r04_a_preset_with_numbers_takes_digits_alone() {
    let source = sound(WORDPRESS);
    let template = source.way().address().unwrap();
    check_identifier(
        template,
        "0012",
        "https://www.example.org/wp-json/wp/v2/posts/0012?_embed=author,wp:term",
    );
    for identifier in ["12a", "-1", "+1", " 1", "1 ", "1/2", "١٢", "¹", "0x1", "1.0"] {
        check_identifier(template, identifier, "identifier-not-digits");
    }
    check_identifier(template, "", "identifier-empty");
}

#[test]
fn r04_a_template_has_its_placeholder_where_it_can_do_no_harm() {
    for (address, says) in [
        ("https://cms.example.org/items", "must have {id}"),
        ("https://cms.example.org/{id}/{id}", "once"),
        ("https://{id}.example.org/items", "nowhere else"),
        ("https://{id}/items", "nowhere else"),
        ("https://cms.example.org/items#{id}", "nowhere else"),
        ("https://cms.example.org:{id}/items", "this is no address"),
        ("https://{id}@cms.example.org/items", "a user name"),
        ("http://cms.example.org/items/{id}", "only https"),
        ("{id}", "this is no address"),
    ] {
        let error = address.parse::<AddressTemplate>().unwrap_err();
        assert!(error.to_string().contains(says), "{address}: {error}");
    }
}

#[test]
fn r07_the_address_is_the_identifier_only_where_the_configuration_says_so() {
    let by_address = with(PAGE, "{ trigger = \"guid\", article = \"meta[name=article-id]\" }", "\"address\"");
    assert_eq!(sound(&by_address).identifier(), &Identifier::Address);
    check_error(&with(&by_address, "\"address\"", "\"link\""), "`identifier` has no such value");
    // Nothing is fallen back to: absent everywhere is an error, not the address.
    let absent = with(
        PAGE,
        "{ trigger = \"guid\", article = \"meta[name=article-id]\" }",
        "{ trigger = \"absent\", article = \"absent\" }",
    );
    check_error(&absent, "write identifier = \"address\"");
    let trigger_absent = with(PAGE, "\"guid\"", "\"absent\"");
    assert!(matches!(
        sound(&trigger_absent).identifier(),
        Identifier::Rules { trigger: None, article: Some(_), .. }
    ));
    // A template needs the identifier before the article is read.
    check_error(
        &with(PUBLIC, "trigger = \"/id\"", "trigger = \"absent\""),
        "the article's address is made from the identifier",
    );
    check_error(
        &with(PUBLIC, "{ trigger = \"/id\", article = \"/data/id\" }", "\"address\""),
        "cannot have its address as identifier",
    );
}

#[test]
fn r07_a_preset_with_a_stable_identifier_takes_no_other() {
    check_error(&format!("{WORDPRESS}identifier = \"address\""), "`identifier` is what the preset knows");
    check_error(
        &format!("{WORDPRESS}identifier = {{ trigger = \"link\" }}"),
        "`identifier` is what the preset knows",
    );
}

#[test]
fn a_preset_is_not_half_overridden() {
    for (added, says) in [
        ("trigger = { feed = \"https://www.example.org/feed/\" }", "`trigger` is what the preset says"),
        ("article = { by = \"page\" }", "the preset reads articles through the API"),
        ("article = { address = \"https://www.example.org/{id}\" }", "`address` is what the preset says"),
        ("article = { fields = { headline = \"/title\" } }", "`headline` is what the preset says"),
        ("article = { by = \"cms-api\" }", "`access` is missing"),
        ("article = { by = \"public-api\", agreement = \"x\" }", "`agreement` is for cms-api"),
        ("site = \"https://www.example.org/?x=1\"", "`site` has a query"),
        ("site = \"https://blog.example.org/\"", "blog.example.org is not among `hosts`"),
    ] {
        check_error(&format!("{WORDPRESS}{added}"), says);
    }
    check_error(
        &with(WORDPRESS, "floor = \"2015-01-01\"", "floor = \"2015-01-01\", sitemap = \"robots\""),
        "`sitemap` is what the preset says",
    );
    check_error(&with(WORDPRESS, "\"wordpress\"", "\"drupal\""), "it is \"wordpress\"");
    check_error(&format!("{PAGE}site = \"https://www.example.org/\""), "has no meaning without `preset`");
    for hosts in ["[\"www.example.org\", \"example.org\"]", "[\"*.example.org\"]"] {
        check_error(&with(WORDPRESS, "[\"www.example.org\"]", hosts), "the preset needs `site`");
    }
    let port = with(WORDPRESS, "www.example.org", "www.example.org:8443");
    assert!(sound(&port).trigger().address().as_str().starts_with("https://www.example.org:8443/wp-json/"));
}

#[test]
fn r18_r19_r21_a_pace_is_only_ever_gentler() {
    for (key, promised, faster, slower) in
        [("trigger", "15m", "899s", "1h"), ("backlog", "24h", "1439m", "7d"), ("host", "1s", "999ms", "10s")]
    {
        let pace = |length: &str| format!("{PAGE}pace = {{ {key} = \"{length}\" }}");
        sound(&pace(promised));
        assert_ne!(sound(&pace(slower)).rhythm(), Rhythm::default());
        check_error(&pace(faster), "may not be under the promised");
        check_error(&pace("0s"), "may not be under the promised");
        check_error(&pace("400d"), "may not be over");
    }
    let all =
        sound(&format!("{PAGE}pace = {{ trigger = \"20m\", backlog = \"25h\", host = \"2s\" }}")).rhythm();
    assert_eq!(all.trigger(), Duration::from_secs(1_200));
    assert_eq!(all.backlog(), Duration::from_secs(90_000));
    assert_eq!(all.host().promised(), Duration::from_secs(2));
}

#[test]
fn r20_what_is_walked_again_is_no_setting() {
    check_error(&format!("{PAGE}pace = {{ walked_again = \"1h\" }}"), "unknown key `walked_again`");
}

#[test]
fn r28_no_address_in_a_configuration_is_other_than_https() {
    for (text, part) in [
        (PAGE, "https://www.example.org/rss.xml"),
        (PUBLIC, "https://api.example.org/articles\""),
        (CMS, "https://cms.example.org:8443"),
    ] {
        check_error(&with(text, part, &part.replace("https", "http")), "only https addresses are read");
    }
    check_error(&format!("{WORDPRESS}site = \"http://www.example.org/\""), "only https");
    let backlog = with(PAGE, "\"guid\",", "\"guid\", backlog = \"link\",");
    check_error(
        &format!("{backlog}backlog = {{ sitemap = \"http://www.example.org/s.xml\", floor = 2015-01-01 }}"),
        "only https",
    );
    check_error(&with(PAGE, "https://www.example.org/rss.xml", "/rss.xml"), "this is no address");
}

#[test]
fn r29_necessary_parameters_are_what_is_declared() {
    let keep = sound(PAGE).necessary_parameters().clone();
    assert!(!keep.has_name("article"));
    let source = sound(&format!("{PAGE}necessary_parameters = [\"article\", \"a b\"]"));
    assert!(
        source.necessary_parameters().has_name("article") && source.necessary_parameters().has_name("a b")
    );
    // Addresses that the configuration writes are requested as written.
    let source = sound(&with(PAGE, "/rss.xml", "/rss.xml?format=rss"));
    assert_eq!(source.trigger().address().as_str(), "https://www.example.org/rss.xml?format=rss");
}

#[test]
fn r31_r40_every_address_is_at_an_admitted_host() {
    check_error(
        &with(PAGE, "https://www.example.org/rss.xml", "https://feeds.example.org/rss.xml"),
        "feeds.example.org is not among `hosts`",
    );
    check_error(
        &with(CMS, "https://cms.example.org:8443", "https://cms.example.org"),
        "cms.example.org is not among `hosts`",
    );
    check_error(
        &with(PUBLIC, "https://api.example.org/articles\"", "https://api.example.org:8443/articles\""),
        "api.example.org:8443 is not among `hosts`",
    );
    let backlog = with(PAGE, "\"guid\",", "\"guid\", backlog = \"link\",");
    check_error(
        &format!("{backlog}backlog = {{ sitemap = [\"https://example.org/s.xml\"], floor = 2015-01-01 }}"),
        "example.org is not among `hosts`",
    );
    for host in ["127.0.0.1", "10.0.0.1:8443", "[::1]", "0x7f.1"] {
        check_error(
            &with(PAGE, "\"www.example.org\"]", &format!("\"www.example.org\", \"{host}\"]")),
            "is an IP address",
        );
    }
    check_error(&with(PAGE, "\"www.example.org\"]", "\"www.example.org\", \"*.org\"]"), "wildcard");
    check_error(
        &with(PAGE, "https://www.example.org/rss.xml", "https://127.0.0.1/rss.xml"),
        "the host is an IP address",
    );
    sound(&with(PAGE, "\"www.example.org\"]", "\"*.example.org\"]"));
}

#[test]
fn r35_an_agreement_is_for_a_cms_api_and_its_article_template_alone() {
    let url = |address: &str| -> HttpsUrl { address.parse().unwrap() };
    let agreed = sound(&with(CMS, "by = \"cms-api\"", "by = \"cms-api\"\nagreement = \"contract 7\""));
    let article = url("https://cms.example.org:8443/items/a%2Fb?fields=id,title,body");
    assert_eq!(agreed.way().agreement_for(&article), Some("contract 7"));
    for other in [
        "https://www.example.org/rss.xml",
        "https://cms.example.org:8443/items/",
        "https://cms.example.org:8443/items/?fields=id,title,body",
        "https://cms.example.org:8443/items/a/b?fields=id,title,body",
        "https://cms.example.org:8443/items/a?x=1&fields=id,title,body",
        "https://cms.example.org:8443/items/a?fields=id,title,body,secret",
        "https://cms.example.org/items/a?fields=id,title,body",
        "https://cms.example.org:8443/robots.txt",
    ] {
        assert_eq!(agreed.way().agreement_for(&url(other)), None, "{other}");
    }
    assert_eq!(sound(CMS).way().agreement_for(&article), None);
    assert_eq!(sound(PUBLIC).way().agreement_for(&url("https://api.example.org/articles/1")), None);
    check_error(
        &with(CMS, "by = \"cms-api\"", "by = \"cms-api\"\nagreement = \" \""),
        "`agreement` is empty",
    );
}

#[test]
fn r39_a_source_can_be_deactivated() {
    assert!(sound(PAGE).is_active());
    assert!(!sound(&format!("{PAGE}active = false")).is_active());
}

#[test]
fn r41_an_embargo_is_off_unless_its_field_is_named() {
    assert_eq!(sound(PAGE).embargo(), None);
    check_error(&format!("{PAGE}embargo = {{}}"), "`field` is missing");
    check_error(&format!("{PAGE}embargo = {{ field = \"\" }}"), "`field` is empty");
    check_error(&format!("{PAGE}embargo = true"), "`embargo` is a table");
    let feed = sound(&format!("{PAGE}embargo = {{ field = \"news:embargo\" }}"));
    assert_eq!(feed.embargo(), Some(&Embargo::Element("news:embargo".to_owned())));
    let top = with(PUBLIC, "name =", "embargo = { field = \"/embargo\" }\nname =");
    assert_eq!(sound(&top).embargo(), Some(&Embargo::Pointer("/embargo".parse().unwrap())));
    check_error(&with(&top, "\"/embargo\"", "\"embargo\""), "not a JSON Pointer");
}

#[test]
fn a_source_of_pages_has_no_address_template_and_no_credential() {
    let source = sound(PAGE);
    assert_eq!(source.way(), &Way::Page);
    assert!(source.way().address().is_none() && source.way().access().is_none());
}

#[test]
fn r02_an_article_is_told_from_other_pages_by_its_path() {
    let with_path = with(PAGE, "name = ", "article_path = '^/[0-9]{4}/'\nname = ");
    let source = sound(&with_path);
    let path = source.article_path().unwrap();
    for (address, is_article) in [
        ("https://www.example.org/2026/a-title", true),
        ("https://www.example.org/tag/2026/", false),
        ("https://www.example.org/?p=/2026/", false),
    ] {
        assert_eq!(path.matches(&address.parse().unwrap()), is_article, "{address}");
    }
    check_error(&with(&with_path, "{4}/'", "{4'"), "`article_path` is no regular expression");
    assert_eq!(sound(PAGE).article_path(), None);
}
