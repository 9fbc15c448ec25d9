//! The connector's own file.

use std::io;
use std::time::Duration;

use releve_bounds::Bounds;
use releve_source::{Connector, File, Problems, SecretFrom, parse_connector, parse_source};

fn parse(text: &str) -> Result<Connector, Problems> {
    parse_connector(File { name: "releve.toml", text: text.as_bytes() }).map(|parsed| parsed.value)
}

const AGENT: &str = r#"user_agent = "Example/1 (+https://example.org/bot; bot@example.org)""#;

#[track_caller]
fn check_error(text: &str, says: &str) {
    let problems = parse(text).unwrap_err();
    assert_eq!(problems.iter().count(), 1, "{problems}");
    assert!(problems.to_string().contains(says), "{problems}\nshould say {says:?}");
}

#[track_caller]
fn check_added(more: &str, says: &str) {
    check_error(&format!("{AGENT}\n{more}"), says);
}

#[test]
fn r25_the_user_agent_must_be_given_and_well_formed() {
    check_error("", "releve.toml:1:1: `user_agent` is missing");
    for agent in [
        "Example",
        "Example/1",
        "Example/1 (someone)",
        "Exam ple/1 (+https://example.org)",
        "",
        "Exämple/1 (a@example.org)",
    ] {
        let problems = parse(&format!("user_agent = \"{agent}\"")).unwrap_err();
        assert!(problems.to_string().starts_with("releve.toml:1:14: `user_agent`: "), "{problems}");
    }
    assert!(parse(AGENT).is_ok());
}

#[test]
fn r34_a_name_that_robots_txt_cannot_address_is_refused() {
    check_error(r#"user_agent = "Example2/1 (bot@example.org)""#, "no product token");
}

#[test]
fn defaults_are_as_documented() {
    let connector = parse(AGENT).unwrap();
    assert_eq!(connector.sources.to_str(), Some("sources"));
    assert_eq!(connector.ledger.to_str(), Some("ledger.sqlite"));
    assert_eq!(connector.deposit_within, Duration::from_secs(7 * 86_400));
    assert_eq!(connector.give_up_after, Duration::from_secs(30 * 86_400));
    assert_eq!(connector.bounds, Bounds::default());
}

#[test]
fn r32_no_configuration_passes_a_ceiling() {
    for (bound, ceiling) in
        [("connect", "60s"), ("head", "120s"), ("between_bytes", "60s"), ("whole", "600s")]
    {
        assert!(parse(&format!("{AGENT}\nbounds = {{ {bound} = \"{ceiling}\" }}")).is_ok(), "{bound}");
        check_added(&format!("bounds = {{ {bound} = \"11m\" }}"), &format!("`{bound}` may be at most"));
        check_added(&format!("bounds = {{ {bound} = \"0s\" }}"), "must be more than zero");
    }
    for (bound, ceiling) in
        [("head_bytes", "256 KiB"), ("received_bytes", "64 MiB"), ("decoded_bytes", "64 MiB")]
    {
        assert!(parse(&format!("{AGENT}\nbounds = {{ {bound} = \"{ceiling}\" }}")).is_ok(), "{bound}");
        check_added(&format!("bounds = {{ {bound} = \"65 MiB\" }}"), &format!("`{bound}` may be at most"));
    }
    for (bound, ceiling) in [
        ("header_count", Bounds::HEADER_COUNT.ceiling),
        ("interim_responses", Bounds::INTERIM_RESPONSES.ceiling),
        ("frames", Bounds::FRAMES.ceiling),
    ] {
        // The number in the table of keys is the ceiling itself.
        assert!(parse(&format!("{AGENT}\nbounds = {{ {bound} = {ceiling} }}")).is_ok(), "{bound}");
        check_added(
            &format!("bounds = {{ {bound} = {} }}", ceiling + 1),
            &format!("`{bound}` is from 1 to {ceiling}"),
        );
        check_added(&format!("bounds = {{ {bound} = 0 }}"), &format!("`{bound}` is from 1 to"));
    }
    check_added("bounds = { whole = 60 }", "`whole` is a text in quotation marks, not of type integer");
    check_added("bounds = { whole = \"60\" }", "no length of time");
    check_added("bounds = { received_bytes = \"8 MB\" }", "no number of bytes");
}

#[test]
fn r32_a_source_begins_with_the_connectors_bounds() {
    let connector = parse(&format!("{AGENT}\nbounds = {{ connect = \"5s\", whole = \"30s\" }}")).unwrap();
    let text = format!("{}bounds = {{ whole = \"40s\" }}", super::PAGE);
    let source =
        parse_source(File { name: "source.toml", text: text.as_bytes() }, &connector.bounds).unwrap().value;
    assert_eq!(source.bounds().connect(), Duration::from_secs(5));
    assert_eq!(source.bounds().whole(), Duration::from_secs(40));
}

#[test]
fn a_vault_on_the_network_needs_its_key_from_elsewhere() {
    check_added("vault = \"https://vault.example.org\"", "`vault_key` is missing");
    check_added("vault = \"http://vault.example.org\"\nvault_key = { from_env = \"KEY\" }", "only https");
    check_added(
        "vault = \"https://vault.example.org\"\nvault_key = { from_env = \"a b\" }",
        "no name of an environment variable",
    );
    check_added(
        "vault = \"https://vault.example.org\"\nvault_key = { from_env = \"A\", from_file = \"b\" }",
        "both given",
    );
    check_added(
        "vault = \"https://vault.example.org\"\nvault_key = { value = \"x\" }",
        "a secret is never written into a configuration",
    );
    check_added("vault = \"folder\"\nvault_key = { from_env = \"KEY\" }", "is for a vault on the network");
    check_added("vault_ca = \"ca.pem\"", "is for a vault on the network");
}

#[test]
fn lengths_of_the_connector_have_limits() {
    check_added("deposit_within = \"31d\"", "at most 30d");
    check_added("deposit_within = \"0s\"", "more than nothing");
    check_added("give_up_after = \"367d\"", "at most 366d");
}

#[test]
fn r04_a_secret_is_read_from_where_it_is_said_and_shown_nowhere() {
    let env = SecretFrom::Env("TOKEN".to_owned());
    let file = SecretFrom::File("token.txt".into());
    let no_file = |_: &std::path::Path| -> io::Result<Vec<u8>> { panic!("no file is asked for") };
    let no_env = |_: &str| -> Option<Vec<u8>> { panic!("no variable is asked for") };

    let secret = env.read(|name| (name == "TOKEN").then(|| b"s3cret".to_vec()), no_file).unwrap();
    assert_eq!(secret.expose(), "s3cret");
    let secret = file
        .read(no_env, |path| Ok(if path.ends_with("token.txt") { b"s3cret\r\n".to_vec() } else { vec![] }));
    assert_eq!(secret.as_ref().unwrap().expose(), "s3cret");
    assert!(!format!("{secret:?}").contains("s3cret"));

    let fails = |bytes: &'static [u8]| file.read(no_env, |_| Ok(bytes.to_vec())).unwrap_err();
    for bytes in
        [&b""[..], b"\n", b"s3cret\ns3cret", b"s3cr\xe9t", "s3crèt".as_bytes(), b"s3cret\0", b"\ts3cret"]
    {
        let error = fails(bytes);
        assert!(error.to_string().starts_with("the file token.txt "), "{error}");
        assert!(!format!("{error} {error:?}").contains("s3cr"), "{error:?}");
    }
    let error = file.read(no_env, |_| Ok(vec![b'x'; 5_000])).unwrap_err();
    assert!(error.to_string().contains("more than 4096 bytes"));
    let error = env.read(|_| None, no_file).unwrap_err();
    assert_eq!(error.to_string(), "the environment variable TOKEN holds no secret: it is not set");
    let error = file.read(no_env, |_| Err(io::ErrorKind::NotFound.into())).unwrap_err();
    assert!(error.to_string().starts_with("the file token.txt cannot be read: "), "{error}");
}
