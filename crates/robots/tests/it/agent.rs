//! The User-Agent and the product token in it.

use releve_robots::{ProductToken, UserAgent, UserAgentError};

/// R25 gives the form by an example. Taken strictly: a name, a version, and in parentheses nothing but
/// contacts, of which one is enough (the other bot's page promises one without a mail address).
#[test]
fn r25_a_user_agent_names_the_bot_and_a_contact() {
    fn check(text: &str, product: &str, contact: &str) {
        let agent: UserAgent = text.parse().unwrap();
        assert_eq!(agent.as_str(), text);
        assert_eq!(agent.to_string(), text);
        assert_eq!(agent.product().as_str(), product);
        assert_eq!(agent.contact(), contact);
    }
    check("Name/1 (+https://example.org; contact@example.org)", "Name", "contact@example.org");
    check("Name/1 (contact@example.org; +https://example.org/)", "Name", "contact@example.org");
    check("Name-Bot_x/1.0.3-rc.1 (bot@mail.example.org)", "Name-Bot_x", "bot@mail.example.org");
    check("Name/1.0 (+https://example.org:8443/bot?x=1)", "Name", "https://example.org:8443/bot?x=1");

    let agent: UserAgent = "Name/1 (+https://example.org/bot; bot@example.org)".parse().unwrap();
    assert_eq!(agent.page(), Some("https://example.org/bot"));
    assert_eq!(agent.mail(), Some("bot@example.org"));
}

#[test]
fn s18_the_feed_readers_user_agent_is_one() {
    let agent: UserAgent = "SereneReader/1.0 (+https://serenereader.com/bot)".parse().unwrap();
    assert_eq!(agent.product().as_str(), "SereneReader");
    assert_eq!(agent.contact(), "https://serenereader.com/bot");
}

#[test]
fn r25_a_malformed_user_agent_is_refused() {
    use UserAgentError as E;
    fn check(text: &str, expected: &E) {
        assert_eq!(text.parse::<UserAgent>().as_ref(), Err(expected), "{text:?}");
        assert!(!expected.to_string().is_empty());
    }
    let not_a_contact = |part: &str| E::NotAContact(part.to_owned());
    check("", &E::NoVersion);
    check("Name", &E::NoVersion);
    check("Name/", &E::NoVersion);
    check("Name/ (+https://example.org)", &E::NoVersion);
    check("Name (+https://example.org)", &E::NotAProductToken("Name (+https:".to_owned()));
    check("Name/1", &E::NoContact);
    check("Name/1 ", &E::NoContact);
    check("Name/1 +https://example.org", &E::NoContact);
    check("Name/1 (+https://example.org", &E::NoContact);
    check("Name/1 (+https://example.org) extra/2", &E::NoContact);
    check("Name/1 ()", &not_a_contact(""));
    check("Name/1 (compatible)", &not_a_contact("compatible"));
    check("Name/1 (+https://example.org; compatible)", &not_a_contact("compatible"));
    check("Name/1 (https://example.org)", &not_a_contact("https://example.org"));
    check("Name/1 (+http://example.org)", &not_a_contact("+http://example.org"));
    check("Name/1 (+https://localhost)", &not_a_contact("+https://localhost"));
    check("Name/1 (+https://.org)", &not_a_contact("+https://.org"));
    check("Name/1 (contact@)", &not_a_contact("contact@"));
    check("Name/1 (@example.org)", &not_a_contact("@example.org"));
    check("Name/1 (a b@example.org)", &not_a_contact("a b@example.org"));
    check("Name/1 (a@example.org; b@example.org)", &not_a_contact("b@example.org"));
    check(
        "Name/1 (+https://example.org) (b@example.org)",
        &not_a_contact("+https://example.org) (b@example.org"),
    );
    check("Name/1 (+https://example.org;\r\nX: y)", &E::NotPrintableAscii);
    check("Näme/1 (+https://example.org)", &E::NotPrintableAscii);
    check(&format!("Name/{} (a@example.org)", "1".repeat(300)), &E::TooLong);
}

#[test]
fn r34_a_name_that_robots_txt_cannot_address_is_refused() {
    for name in ["", "Bot2", "My Bot", "Bot.", "Bot*", "*", "Bött", "Bot/1"] {
        let error = name.parse::<ProductToken>().unwrap_err();
        assert_eq!(error, UserAgentError::NotAProductToken(name.to_owned()));
    }
    let error = "Bot2/1 (+https://example.org)".parse::<UserAgent>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"Bot2\" is no product token: a robots.txt can name a bot only by letters, \"-\" and \"_\" (RFC 9309)"
    );
}

#[test]
fn tokens_that_differ_in_case_alone_are_equal() {
    let [a, b]: [ProductToken; 2] = ["Foo-Bot", "fOO-bOT"].map(|text| text.parse().unwrap());
    assert_eq!(a, b);
    assert_eq!(a.to_string(), "Foo-Bot");
    assert!(std::collections::HashSet::from([a]).contains(&b));
}
