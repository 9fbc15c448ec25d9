//! What is said of a configuration that is wrong.

use releve_bounds::Bounds;
use releve_source::{File, parse_source, parse_sources};

use super::{CMS, PAGE, PUBLIC, WORDPRESS, check_error, check_warning, parse, read_fixture, sound, with};

#[test]
fn ten_errors_are_found_at_once() {
    let text = read_fixture("broken/ten.toml");
    let problems = parse_source(File { name: "ten.toml", text: &text }, &Bounds::default()).unwrap_err();
    let expected = String::from_utf8(read_fixture("broken/ten.txt")).unwrap();
    assert_eq!(format!("{problems}\n"), expected);
    assert_eq!(problems.iter().count(), 10);
}

#[test]
fn broken_toml_is_said_with_its_place_and_nothing_is_called_missing_for_it() {
    let problems = parse("name = \"example\nhosts = [\"www.example.org\"").unwrap_err();
    let said = problems.to_string();
    assert!(said.starts_with("source.toml:1:"), "{said}");
    assert!(said.contains("this is not TOML"), "{said}");
    assert!(!said.contains("missing"), "{said}");
}

#[test]
fn all_that_is_broken_in_the_toml_is_said() {
    let text = format!("{PAGE}\nactive = yes\nbacklog = \n");
    let problems = parse(&text).unwrap_err();
    let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert!(lines.contains(&8) && lines.contains(&9), "{problems}");
}

#[test]
fn places_are_counted_in_characters() {
    let problem = check_error(&format!("{PAGE}pace = {{ # café ü\n  trigger = \"5m\" }}"), "trigger");
    assert_eq!((problem.line, problem.column), (8, 13));
    let hosts = r#""www.example.org", "ü.example", "1.2.3.4""#;
    let problem = check_error(&with(PAGE, r#""www.example.org""#, hosts), "`1.2.3.4` is an IP address");
    assert_eq!((problem.line, problem.column), (3, 42));
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let refuse = |text: &[u8]| {
        parse_source(File { name: "a.toml", text }, &Bounds::default()).unwrap_err().to_string()
    };
    assert_eq!(refuse(b"name = \"\xff\""), "a.toml:1:1: the file is not written in UTF-8");
    assert!(refuse(&vec![b'#'; (1 << 20) + 1]).contains("more than 1048576 bytes"));
    assert!(parse("").is_err());
}

#[test]
fn r07_an_unknown_key_switches_nothing_off_unseen() {
    for (added, says) in [
        ("hots = []", "did you mean `hosts`?"),
        ("embrago = { field = \"x\" }", "did you mean `embargo`?"),
        ("agreement = \"x\"", "`agreement` belongs at [article]"),
        ("feed = \"x\"", "`feed` belongs at [trigger]"),
        ("pattern = \"x\"", "known here are `name`, `active`, `hosts`"),
        ("crawl_delay = 1", "unknown key `crawl_delay`"),
        ("pace = { every = \"1h\" }", "unknown key `every` in `pace`"),
        ("embargo = { field = \"x\", hosts = [] }", "`hosts` belongs at the top of the file"),
    ] {
        check_error(&format!("{PAGE}{added}"), says);
    }
}

#[test]
fn values_of_another_kind_are_refused() {
    for (added, says) in [
        ("active = \"no\"", "`active` is true or false, not of type string"),
        ("necessary_parameters = \"id\"", "`necessary_parameters` is a list of texts in brackets"),
        ("necessary_parameters = [1]", "not of type integer"),
        ("necessary_parameters = [\"\"]", "without a name"),
        ("pace = \"slow\"", "`pace` is a table, not of type string"),
        ("backlog = { sitemap = true, floor = 2015-01-01 }", "text in quotation marks"),
    ] {
        check_error(&format!("{PAGE}{added}"), says);
    }
    for floor in ["\"2015\"", "\"2015-02-30\"", "2015-01-01T00:00:00Z", "\"1 May 2015\""] {
        check_error(&with(WORDPRESS, "\"2015-01-01\"", floor), "`floor` is no date");
    }
    check_error(&with(WORDPRESS, "\"2015-01-01\"", "2015"), "`floor` is a date");
}

#[test]
fn what_must_be_said_is_asked_for() {
    for (part, says) in [
        ("name = \"example\"\n", "`name` is missing"),
        ("hosts = [\"www.example.org\"]\n", "`hosts` is missing"),
        ("trigger = { feed = \"https://www.example.org/rss.xml\" }\n", "[trigger] is missing"),
        ("article = { by = \"page\" }\n", "[article] is missing"),
        ("by = \"page\"", "`by` is missing"),
        (
            "identifier = { trigger = \"guid\", article = \"meta[name=article-id]\" }\n",
            "[identifier] is missing",
        ),
        ("trigger = \"guid\", ", "`trigger` is missing in [identifier]"),
        (", article = \"meta[name=article-id]\"", "`article` is missing in [identifier]"),
    ] {
        check_error(&with(PAGE, part, ""), says);
    }
    check_error(&with(PAGE, "[\"www.example.org\"]", "[]"), "`hosts` names no host");
    check_error(
        &with(PUBLIC, "address = \"https://api.example.org/articles/{id}\"\n", ""),
        "`address` is missing in [article]",
    );
    check_error(&with(PUBLIC, ", items = \"/data\"", ""), "`items` is missing");
    check_error(
        &with(PUBLIC, ", body = { at = \"/data/body\", format = \"html\" }", ""),
        "`body` is missing",
    );
    check_error(&with(PUBLIC, ", format = \"html\"", ""), "`format` is missing in `body`");
    check_error(&with(PUBLIC, "\"html\"", "\"word\""), "`word` is no format of a body");
}

#[test]
fn names_of_sources_fit_into_file_names() {
    for name in ["", "Example", "-example", ".example", "a/b", "a b", "ü", &"a".repeat(65)] {
        check_error(
            &with(PAGE, "\"example\"", &format!("\"{name}\"")),
            "a source's name is made of small letters",
        );
    }
    assert_eq!(sound(&with(PAGE, "\"example\"", "\"1.a_b-c\"")).name().as_str(), "1.a_b-c");
}

#[test]
fn two_sources_of_one_name_are_refused() {
    let other = with(PAGE, "\"example\"", "\"other\"");
    let files = |names: [(&'static str, &'static str); 2], other: &str| {
        let texts = [PAGE, other];
        let files =
            names.map(|(name, which)| File { name, text: texts[usize::from(which == "other")].as_bytes() });
        parse_sources(&files, &Bounds::default())
    };
    assert_eq!(files([("a.toml", "example"), ("b.toml", "other")], &other).unwrap().value.len(), 2);
    let problems = files([("a.toml", "example"), ("b.toml", "example")], &other).unwrap_err();
    assert!(
        problems.to_string().starts_with("b.toml:1:1: the source `example` is also in a.toml"),
        "{problems}"
    );
}

#[test]
fn the_errors_of_several_files_come_together() {
    let files = [File { name: "a.toml", text: b"nme = 1" }, File { name: "b.toml", text: b"name = 1" }];
    let problems = parse_sources(&files, &Bounds::default()).unwrap_err();
    assert!(problems.iter().any(|problem| problem.file == "a.toml"));
    assert!(problems.iter().any(|problem| problem.file == "b.toml"));
    let more = parse_sources(&files[..1], &Bounds::default()).unwrap_err().and(problems.clone());
    assert!(more.iter().count() > problems.iter().count());
}

#[test]
fn identifier_rules_are_compiled_and_checked() {
    let with_rule = |rule: &str| with(PAGE, "\"guid\"", rule);
    sound(&with_rule("{ at = \"link\", last_segment = true }"));
    sound(&with_rule(
        "{ join = [\"guid\", { at = \"link\", pattern = \"/([a-z]+)/\" }], separator = \"/\" }",
    ));
    sound(&with_rule("\"absent\""));
    for (rule, says) in [
        ("{ pattern = \"a(b)\" }", "`at` is missing"),
        ("{ at = \"guid\", pattern = \"a\" }", "0 capturing groups"),
        ("{ at = \"guid\", pattern = \"(a)(b)\" }", "2 capturing groups"),
        ("{ at = \"guid\", pattern = \"(\" }", "not a regular expression"),
        ("{ at = \"guid\", pattern = \"(a)\", last_segment = true }", "both given"),
        ("{ at = \"guid\", separator = \"-\" }", "has no meaning without `join`"),
        ("{ join = [\"guid\"] }", "`join` takes two rules"),
        ("{ join = [\"guid\", \"id\", \"link\"] }", "`join` takes two rules"),
        ("{ join = [\"guid\", \"/id\"] }", "`/id` is no place that the trigger has"),
        ("{ join = [\"guid\", \"id\"], at = \"link\" }", "has no meaning beside `join`"),
        ("\"/id\"", "an entry of a feed has guid, id and link"),
        ("\"meta[name=id]\"", "an entry of a feed has"),
        ("\"address\"", "an entry of a feed has"),
        ("7", "a text or a table"),
    ] {
        check_error(&with_rule(rule), says);
    }
    let with_rule = |rule: &str| with(PAGE, "\"meta[name=article-id]\"", rule);
    sound(&with_rule("\"article@data-id\""));
    sound(&with_rule("{ at = \"address\", last_segment = true }"));
    for rule in ["\"guid\"", "\"link\"", "\"/id\""] {
        check_error(&with_rule(rule), "a page has its address");
    }
    check_error(&with(PUBLIC, "trigger = \"/id\"", "trigger = \"guid\""), "an item of a list has");
    check_error(&with(PUBLIC, "trigger = \"/id\"", "trigger = \"link\""), "link where `address` says");
    check_error(&with(PUBLIC, "article = \"/data/id\"", "article = \"h1\""), "a response has its address");
    let sitemap = format!(
        "{}backlog = {{ sitemap = \"robots\", floor = 2015-01-01 }}",
        with(PAGE, "\"guid\",", "\"guid\", backlog = \"guid\",")
    );
    check_error(&sitemap, "an entry of a sitemap has link alone");
}

#[test]
fn pages_are_read_at_the_address_that_a_list_says() {
    let list = "trigger = { list = \"https://www.example.org/list\", items = \"/data\" }";
    let page = with(
        &with(PAGE, "trigger = { feed = \"https://www.example.org/rss.xml\" }", list),
        "\"guid\"",
        "\"/id\"",
    );
    check_error(&page, "does not say where an item's address stands");
    sound(&with(&page, "\"/data\"", "\"/data\", address = \"/url\""));
}

#[test]
fn a_list_says_in_one_way_how_its_pages_follow() {
    let source = |backlog: &str| {
        let identifier = with(PUBLIC, "trigger = \"/id\",", "trigger = \"/id\", backlog = \"/id\",");
        format!("{identifier}\n[backlog]\nitems = \"/data\"\nfloor = 2015-01-01\n{backlog}")
    };
    const LIST: &str = "list = \"https://api.example.org/articles\"";
    for sound_one in [
        LIST.to_owned(),
        format!("{LIST}\nlink_header = true"),
        format!("{LIST}\nnext = \"/next\""),
        format!("{LIST}\ncursor = \"/next\"\ncursor_parameter = \"after\""),
        "list = \"https://api.example.org/articles/{page}\"\nfirst_page = 0\npast_the_end = 404".to_owned(),
        "list = \"https://api.example.org/articles?skip={offset}\"\npage_size = 10".to_owned(),
    ] {
        sound(&source(&sound_one));
    }
    for (backlog, says) in [
        (format!("{LIST}\nlink_header = true\nnext = \"/next\""), "more than one way"),
        (format!("{LIST}\ncursor = \"/next\""), "`cursor_parameter` is missing"),
        (format!("{LIST}\nfirst_page = 0"), "has no meaning without {page}"),
        (format!("{LIST}\npage_size = 10"), "has no meaning without {offset}"),
        (format!("{LIST}\nnext = \"next\""), "a JSON Pointer is"),
        ("list = \"https://api.example.org/?skip={offset}\"".to_owned(), "`page_size` is missing"),
        ("list = \"https://{page}.example.org/\"".to_owned(), "nowhere else"),
        ("list = \"https://api.example.org/{page}/{page}\"".to_owned(), "once"),
        (
            "list = \"https://api.example.org/{page}\"\nfirst_page = 2".to_owned(),
            "`first_page` is from 0 to 1",
        ),
        (format!("{LIST}\nsitemap = \"robots\""), "both given"),
        (String::new(), "names neither a sitemap nor a list"),
    ] {
        let problems = parse(&source(&backlog)).unwrap_err();
        assert!(problems.to_string().contains(says), "{problems}\nshould say {says:?}");
    }
}

#[test]
fn what_is_likely_not_meant_is_a_warning() {
    check_warning(
        &with(WORDPRESS, "backlog = { floor = \"2015-01-01\" }", "backlog = {}"),
        "the backlog has no `floor`",
    );
    check_warning(
        &with(PAGE, "/rss.xml", "/rss.xml?api_key=7"),
        "the parameter `api_key` looks like a credential",
    );
}

#[test]
fn r05_an_address_that_selects_no_fields_is_warned_of() {
    check_warning(&with(CMS, "?fields=id,title,body", ""), "selects no fields");
    check_warning(&with(CMS, "?fields=id,title,body", "?lang=en"), "selects no fields");
    for selects in ["?_fields=id", "?fields[articles]=title", "?$select=id", "?query=*", "?populate=author"] {
        assert_eq!(parse(&with(CMS, "?fields=id,title,body", selects)).unwrap().warnings, [], "{selects}");
    }
    // A public API is under no agreement about fields.
    assert_eq!(parse(PUBLIC).unwrap().warnings, []);
}
