//! How a file is read: which group applies, which rule decides, what is reported.

use std::time::Duration;

use releve_robots::{
    AccessScope, BYTES_MAX, DelayScope, GroupKind, LINE_BYTES_MAX, NOTICES_MAX, NoticeKind, ProductToken,
    Reason, RobotsPolicy, RobotsTxt, Verdict, line_text,
};

/// The bot that these tests ask about.
fn us() -> ProductToken {
    "FooBot".parse().unwrap()
}

fn judge(file: impl AsRef<[u8]>, path: &str) -> Verdict {
    RobotsTxt::parse(file.as_ref()).judge(&us(), AccessScope::NamedElseGeneral, path)
}

/// Asserts the verdict and the line that decides, 0 for none.
#[track_caller]
fn check(file: impl AsRef<[u8]>, path: &str, allowed: bool, line: u32) {
    let verdict = judge(file, path);
    assert_eq!((verdict.allowed, verdict.line.unwrap_or(0)), (allowed, line), "{path}");
}

#[test]
fn r34_the_group_that_names_us_applies_or_else_the_general_one() {
    let file = "User-agent: *\nDisallow: /all\n\nUser-agent: foobot\nDisallow: /us\n";
    check(file, "/all", true, 0);
    check(file, "/us", false, 5);
    check("User-agent: *\nDisallow: /all\n\nUser-agent: other\nDisallow: /us\n", "/all", false, 2);
    check("User-agent: other\nDisallow: /\n", "/", true, 0);
    // A group that names us and forbids nothing leaves nothing of the general one.
    check("User-agent: foobot\nDisallow:\n\nUser-agent: *\nDisallow: /\n", "/", true, 0);
    check("User-agent: *\nDisallow: /\n\nUser-agent: foobot\n", "/", true, 0);
}

#[test]
fn r34_groups_for_the_same_bot_are_one() {
    let file = "User-agent: foobot\nDisallow: /a\nUser-agent: other\nDisallow: /b\n\
                User-agent: foobot\nUser-agent: other\nDisallow: /c\n";
    check(file, "/a", false, 2);
    check(file, "/b", true, 0);
    check(file, "/c", false, 7);
    check(
        "User-agent: *\nDisallow: /a\nUser-agent: x\nAllow: /\nUser-agent: *\nDisallow: /b\n",
        "/b",
        false,
        6,
    );
    // The longest rule decides, in whichever of the groups it stands.
    check("User-agent: foobot\nDisallow: /a/b\nUser-agent: foobot\nAllow: /a\n", "/a/b", false, 2);
}

#[test]
fn r34_only_rules_end_a_run_of_user_agent_lines() {
    for between in [
        "",
        "\n",
        "# comment\n",
        "Sitemap: https://example.org/s.xml\n",
        "Crawl-delay: 5\n",
        "Noindex: /\n",
        "nonsense\n",
    ] {
        check(
            format!("User-agent: foobot\n{between}User-agent: other\nDisallow: /\n"),
            "/",
            false,
            3 + u32::from(!between.is_empty()),
        );
    }
    check("User-agent: foobot\nDisallow:\nUser-agent: other\nDisallow: /\n", "/", true, 0);
    check("Disallow: /\nUser-agent: foobot\nAllow: /x\n", "/", true, 0);
}

#[test]
fn r34_our_name_is_the_whole_token_of_the_line() {
    fn check(value: &str, names_us: bool) {
        let robots = RobotsTxt::parse(format!("User-agent: {value}\nDisallow: /\n").as_bytes());
        assert_eq!(robots.names(&us()), names_us, "{value:?}");
    }
    for value in
        ["foobot", " FOOBOT\t", "FooBot/1.0", "FooBot2", "FooBot (+https://example.org)", "FooBot # us"]
    {
        check(value, true);
    }
    for value in ["", "*", "FooBot-News", "FooBot_", "Foo", "The FooBot", "\"FooBot\"", "Other,FooBot"] {
        check(value, false);
    }
}

#[test]
fn the_star_is_for_all_even_with_something_after_it() {
    check("User-agent: * FooBot\nDisallow: /\n", "/", false, 2);
    check("User-agent: *\tx\nDisallow: /\n", "/", false, 2);
    check("User-agent: **\nDisallow: /\n", "/", true, 0);
    check("User-agent: *x\nDisallow: /\n", "/", true, 0);
}

#[test]
fn the_longest_rule_decides_and_of_two_the_one_that_allows() {
    let rules = |rules: &str| format!("User-agent: *\n{rules}\n");
    check(rules("Disallow: /\nAllow: /a"), "/ab", true, 3);
    check(rules("Allow: /a\nDisallow: /ab"), "/abc", false, 3);
    check(rules("Disallow: /a\nAllow: /a"), "/a", true, 3);
    check(rules("Disallow: /a\nDisallow: /a"), "/a", false, 2);
    check(rules("Disallow: /*\nAllow: /"), "/a", false, 2);
    check(rules("Allow: /a*****\nDisallow: /abcd"), "/abcd", true, 2);
    check(rules("Allow: /a*****\nDisallow: /abcd\nDisallow: /abcdefg"), "/abcdefg", false, 4);
    check(rules("Allow: /*c\nDisallow: /ab"), "/abc", true, 2);
    check(rules("Allow: /$\nDisallow: /"), "/", true, 2);
    check(rules("Allow: /$\nDisallow: /"), "/a", false, 3);
    check(rules("Disallow: /a$b\nAllow: /a*b"), "/a$b", true, 3);
    check(rules("Disallow:\nAllow:"), "/a", true, 0);
}

#[test]
fn patterns_match_as_rfc_9309_has_them() {
    fn check(pattern: &str, matching: &[&str], not_matching: &[&str]) {
        for (paths, matches) in [(matching, true), (not_matching, false)] {
            for path in paths {
                let file = format!("User-agent: *\nDisallow: {pattern}\n");
                assert_eq!(!judge(file, path).allowed, matches, "{pattern} and {path}");
            }
        }
    }
    check("/", &["/", "/a", "/?", "", "a", "?a"], &[]);
    check("/fish", &["/fish", "/fish.html", "/fish/a", "/fishheads"], &["/Fish", "/catfish", "/?id=fish"]);
    check("/fish/", &["/fish/", "/fish/?a"], &["/fish", "/fish.html"]);
    check("/fish*", &["/fish", "/fishheads"], &["/Fish"]);
    check("*", &["/", "/a"], &[]);
    check("**$", &["/", "/a"], &[]);
    check("*.php", &["/a.php", "/a.php?b", "/.php"], &["/a.PHP", "/php"]);
    check("/*.php$", &["/a.php", "/a.php/b.php"], &["/a.php?b", "/a.php/", "/a.php5"]);
    check("/fish*.php", &["/fish.php", "/fishheads/a.php?b"], &["/Fish.PHP", "/fis.php"]);
    check("/*/b$", &["/a/b", "/a/b/b", "//b"], &["/a/bb", "/b"]);
    check("/a*b*c", &["/abc", "/aXbYc", "/abcbc", "/acbc"], &["/acb", "/ab"]);
    check("/*a*a*a$", &["/aaa", "/aXaXa"], &["/aa", "/aaab"]);
    check("/a$", &["/a"], &["/a/", "/a?", "/a$"]);
    check("/a$b", &["/a$b", "/a$bc", "/a%24b"], &["/a", "/ab"]);
    check("/a%24", &["/a$", "/a%24"], &["/a"]);
    check("/a%2a", &["/a*", "/a%2A"], &["/a", "/ab"]);
    check("/a?b=*", &["/a?b=", "/a?b=c"], &["/a?c"]);
    check("fish", &[], &["/fish", "fish"]);
    check("$", &[], &["/", ""]);
}

#[test]
fn percent_encoding_is_made_equal_on_both_sides() {
    fn check(pattern: &[u8], path: &str, matches: bool) {
        let file = [b"User-agent: *\nDisallow: ", pattern, b"\n"].concat();
        assert_eq!(!judge(file, path).allowed, matches, "{} and {path}", pattern.escape_ascii());
    }
    check(b"/%61bc", "/abc", true);
    check(b"/abc", "/%61%62c", true);
    check(b"/~a", "/%7ea", true);
    check("/é".as_bytes(), "/%C3%A9", true);
    check("/é".as_bytes(), "/é", true);
    check(b"/%c3%a9", "/é", true);
    check(b"/\xE9", "/%E9", true);
    check(b"/\xE9", "/é", false);
    check(b"/a b", "/a%20b", true);
    check(b"/a|b", "/a%7cb", true);
    check(b"/a/b", "/a%2Fb", false);
    check(b"/a%2fb", "/a/b", false);
    check(b"/a%2fb", "/a%2Fb", true);
    check(b"/%", "/%25", true);
    check(b"/%$", "/%25", false);
    check(b"/%zz", "/%zz", true);
    check(b"/%2", "/%2F", true);
    check(b"/%", "/$", false);
    check(b"/%2", "/*", false);
    // A fragment is no part of what is requested.
    check(b"/a$", "/a#b", true);
    check(b"/a%23b", "/a#b", false);
}

#[test]
fn robots_txt_itself_may_always_be_read() {
    let file = "User-agent: *\nDisallow: /\n";
    assert_eq!(judge(file, "/robots.txt").reason, Reason::RobotsTxtItself);
    assert_eq!(judge(file, "/robots%2Etxt").reason, Reason::RobotsTxtItself);
    check(file, "/robots.txt?x", false, 2);
    check(file, "/robots.txt/", false, 2);
    check(file, "/a/robots.txt", false, 2);
}

#[test]
fn lines_end_with_lf_cr_or_both() {
    for end in ["\n", "\r", "\r\n"] {
        let file = ["# a", "", "User-agent: *", "Disallow: /a", "", "Disallow: /b"].join(end);
        check(&file, "/a", false, 4);
        check(&file, "/b", false, 6);
        assert_eq!(line_text(file.as_bytes(), 4), Some(&b"Disallow: /a"[..]));
        assert_eq!(line_text(file.as_bytes(), 7), None);
    }
    assert_eq!(line_text(b"\xEF\xBB\xBFa", 1), Some(&b"a"[..]));
    assert_eq!(line_text(b"a", 0), None);
}

#[test]
fn keys_are_recognised_by_how_they_begin() {
    for key in [
        "Disallow",
        "DISALLOW",
        "disallow ",
        "\tdisallow",
        "dissallow",
        "dissalow",
        "disalow",
        "diasllow",
        "disallaw",
        "disallowed",
    ] {
        check(format!("User-agent: *\n{key}: /a\n"), "/a", false, 2);
    }
    for key in ["User-Agent", "useragent", "user agent", "USER-AGENT ", "user-agents"] {
        check(format!("{key}: *\nDisallow: /a\n"), "/a", false, 2);
    }
    for line in [
        "disallow /a",
        "disallow\t/a",
        "disallow:/a",
        " disallow   /a # b",
        "disallow: /a\x0B",
        "disallow: /a\0b",
    ] {
        check(format!("User-agent *\n{line}"), "/a", false, 2);
    }
    for line in ["disallow /a b", "disallow", "isallow: /a", ": /a", "x disallow: /a", "\0disallow: /a"] {
        check(format!("User-agent: *\n{line}"), "/a", true, 0);
    }
}

#[test]
fn a_byte_order_mark_is_skipped_even_if_it_is_not_whole() {
    for mark in [&b"\xEF\xBB\xBF"[..], b"\xEF\xBB", b"\xEF"] {
        check([mark, b"User-agent: *\nDisallow: /\n"].concat(), "/", false, 2);
    }
    check(b"\xFF\xFEUser-agent: *\nDisallow: /\n", "/", true, 0);
}

#[test]
fn r36_a_line_that_the_limit_cuts_is_dropped() {
    let file_of = |last: &str, bytes: usize| {
        let mut file = b"User-agent: *\nDisallow: /a\n".to_vec();
        file.resize(bytes - last.len() - 1, b'#');
        file.extend_from_slice(format!("\n{last}").as_bytes());
        file
    };
    // The whole file is as long as may be: nothing is cut.
    check(file_of("Allow: /a/b", BYTES_MAX), "/a/b", true, 4);
    // Its last line ends where reading ends, and more lines follow.
    let mut file = file_of("Allow: /a/b", BYTES_MAX);
    file.extend_from_slice(b"\nAllow: /a/c\n");
    check(&file, "/a/b", true, 4);
    check(&file, "/a/c", false, 2);
    // One octet more, and the line is cut: as "Allow: /a" it would allow everything below.
    let mut file = file_of("Allow: /a", BYTES_MAX);
    file.extend_from_slice(b"/b\n");
    check(&file, "/a/x", false, 2);
    assert_eq!(RobotsTxt::parse(&file).notices().last().unwrap().kind, NoticeKind::FileCut);
    // A file of one line that never ends has no rules.
    check(vec![b'a'; BYTES_MAX + 1], "/", true, 0);
}

#[test]
fn of_a_very_long_line_the_beginning_counts() {
    let long = "a".repeat(LINE_BYTES_MAX);
    let file = format!("User-agent: *\nDisallow: /{long}b\nAllow: /c\n");
    let cut = &long[..LINE_BYTES_MAX - "Disallow: /".len()];
    check(&file, &format!("/{cut}"), false, 2);
    check(&file, &format!("/{}", &cut[1..]), true, 0);
    let multibyte = format!("User-agent: *\nDisallow: /{}\n", "€".repeat(LINE_BYTES_MAX));
    check(&multibyte, "/", true, 0);
}

#[test]
fn crawl_delay_is_that_of_the_group() {
    #[track_caller]
    fn check(file: &str, seconds: Option<f64>) {
        let delay = RobotsTxt::parse(file.as_bytes()).crawl_delay(&us(), DelayScope::NamedElseGeneral);
        assert_eq!(delay.map(|delay| delay.length.as_secs_f64()), seconds, "{file}");
    }
    check("User-agent: *\nCrawl-delay: 5\n", Some(5.0));
    check("User-agent: *\nCrawl-delay: 0.5\n", Some(0.5));
    check("User-agent: *\nCrawl-delay: 10. # ten\n", Some(10.0));
    check("User-agent: *\nCrawl-delay: .25\n", Some(0.25));
    check("User-agent: *\nCrawl-delay: 0\n", Some(0.0));
    check("User-agent: *\nCrawl-delay 7\n", Some(7.0));
    check("User-agent: *\ncrawl delay: 7\n", Some(7.0));
    check("User-agent: *\ncrawldelay: 7\n", Some(7.0));
    check("User-agent: *\nCrawl-delay: 5\nCrawl-delay: 9\nDisallow: /\nCrawl-delay: 7\n", Some(9.0));
    check("User-agent: *\nCrawl-delay: 5\nUser-agent: *\nCrawl-delay: 3\n", Some(5.0));
    for value in ["", "-1", "+1", "1s", "1 s", "1,5", "1e3", ".", "1.2.3", "infinity", "٣"] {
        check(&format!("User-agent: *\nCrawl-delay: {value}\n"), None);
    }
    check("Crawl-delay: 5\nUser-agent: *\nDisallow: /\n", None);
    // A group that names us and says nothing of a delay inherits none.
    check("User-agent: *\nCrawl-delay: 5\nUser-agent: foobot\nDisallow: /\n", None);
    // A delay closes the run above it, for delays: the one below is not ours.
    check("User-agent: foobot\nCrawl-delay: 1\nUser-agent: other\nCrawl-delay: 2\n", Some(1.0));
    check("User-agent: foobot\nCrawl-delay: ?\nUser-agent: other\nCrawl-delay: 2\n", None);
    check("User-agent: foobot\nUser-agent: other\nCrawl-delay: 2\n", Some(2.0));
    check("User-agent: foobot\nDisallow: /\nUser-agent: other\nCrawl-delay: 2\n", None);
}

#[test]
fn crawl_delay_is_never_rounded_down_and_never_overflows() {
    let length = |value: &str| {
        let file = format!("User-agent: *\nCrawl-delay: {value}\n");
        let robots = RobotsTxt::parse(file.as_bytes());
        robots.crawl_delay(&us(), DelayScope::NamedElseGeneral).unwrap().length
    };
    assert_eq!(length("1.000000001"), Duration::new(1, 1));
    assert_eq!(length("1.0000000001"), Duration::new(1, 1));
    assert_eq!(length("1.00000000000"), Duration::from_secs(1));
    assert_eq!(length("0.9999999991"), Duration::from_secs(1));
    assert_eq!(length("99999999999999999999"), Duration::from_secs(u64::MAX));
    assert_eq!(length("99999999999999999999.9999999999"), Duration::MAX);
    assert_eq!(length(&"9".repeat(400)), Duration::from_secs(u64::MAX));
}

#[test]
fn r21_a_crawl_delay_comes_with_its_line() {
    let robots = RobotsTxt::parse(b"User-agent: *\nCrawl-delay: 5\nCrawl-delay: 9\n");
    assert_eq!(robots.crawl_delay(&us(), DelayScope::NamedElseGeneral).unwrap().line, 3);
}

/// What differs between the bots is a value.
#[test]
fn s13_s15_s16_the_scopes_of_access_and_delay_are_apart() {
    let general = RobotsTxt::parse(b"User-agent: *\nDisallow: /\nCrawl-delay: 300\n");
    let named = RobotsTxt::parse(b"User-agent: foobot\nDisallow: /\nCrawl-delay: 30\n");
    fn check(policy: RobotsPolicy, robots: &RobotsTxt, allowed: bool, seconds: Option<u64>) {
        assert_eq!(policy.judge(robots, &us(), "/feed").allowed, allowed);
        let delay = policy.crawl_delay(robots, &us()).map(|delay| delay.length.as_secs());
        assert_eq!(delay, seconds);
    }
    check(RobotsPolicy::releve(), &general, false, Some(300));
    check(RobotsPolicy::serene(), &general, false, Some(60));
    check(RobotsPolicy::serene_feed(), &general, true, Some(60));
    check(RobotsPolicy::serene_once(), &general, true, None);
    check(RobotsPolicy::releve(), &named, false, Some(30));
    check(RobotsPolicy::serene_feed(), &named, false, Some(30));
    check(RobotsPolicy::serene_once(), &named, false, None);
    let named_delay = RobotsPolicy { delay: DelayScope::NamedOnly, ..RobotsPolicy::serene() };
    check(named_delay, &general, false, None);
    check(named_delay, &named, false, Some(30));
}

#[test]
fn s21_a_general_prohibition_does_not_stop_feeds() {
    let judge = |file: &str| {
        let robots = RobotsTxt::parse(file.as_bytes());
        RobotsPolicy::serene_feed().judge(&robots, &us(), "/feed").reason
    };
    assert_eq!(judge("User-agent: *\nDisallow: /\n"), Reason::NoGroupApplies);
    assert_eq!(judge("User-agent: foobot\nDisallow: /\n"), Reason::Rule(GroupKind::Named));
}

#[test]
fn verdicts_say_what_decided() {
    let say = |file: &str, path: &str| judge(file, path).to_string();
    let general = "User-agent: *\nDisallow: /a\n";
    assert_eq!(say(general, "/a"), "disallowed by line 2, in the general group");
    assert_eq!(say(general, "/b"), "allowed: no rule of the general group matches");
    assert_eq!(say("", "/b"), "allowed: no group applies to us");
    assert_eq!(say("", "/robots.txt"), "allowed: robots.txt may always be read");
    let named = "User-agent: foobot\nAllow: /a\n";
    assert_eq!(say(named, "/a"), "allowed by line 2, in the group that names us");
    assert_eq!(judge(general, "/a").code(), "robots-disallowed");
    assert_eq!(judge(general, "/b").code(), "robots-allowed");
}

#[test]
fn sitemaps_belong_to_no_group() {
    let file = b"Sitemap: https://example.org/a.xml\nUser-agent: other\nDisallow: /\n\
                 site-map: /b.xml # relative\nSITEMAP:\nSitemap: https://example.org/\xE9.xml\n";
    let sitemaps = RobotsTxt::parse(file);
    let found: Vec<_> = sitemaps.sitemaps().iter().map(|sitemap| (sitemap.line, &*sitemap.address)).collect();
    assert_eq!(found, [(1, "https://example.org/a.xml"), (4, "/b.xml")]);
}

#[test]
fn notices_name_what_was_not_understood() {
    use NoticeKind as K;
    #[track_caller]
    fn check(file: impl AsRef<[u8]>, expected: &[(u32, K)]) {
        let robots = RobotsTxt::parse(file.as_ref());
        let found: Vec<_> = robots.notices().iter().map(|notice| (notice.line, notice.kind)).collect();
        assert_eq!(found, expected);
        assert!(robots.notices().iter().all(|notice| notice.to_string().starts_with("line ")));
    }
    check("# all is well\nUser-agent: *\nDisallow: /a # b\nAllow:\nCrawl-delay: 1\nSitemap: x\n", &[]);
    check("Disallow: /\nCrawl-delay: 1\nUser-agent: *\n", &[(1, K::OutsideGroup), (2, K::OutsideGroup)]);
    check(
        "User-agent: *\nNoindex: /\n\n<html>\ndisallow",
        &[(2, K::UnknownKey), (4, K::NotALine), (5, K::NotALine)],
    );
    check("useragent: *\ndisalow: /\n", &[(1, K::Misspelled), (2, K::Misspelled)]);
    check("User-agent *\nDisallow /\n", &[(1, K::ColonMissing), (2, K::ColonMissing)]);
    check(
        "User-agent: 2bot\nUser-agent:\nUser-agent: bot2\n",
        &[(1, K::NotAnAgent), (2, K::NotAnAgent), (3, K::AgentCutShort)],
    );
    check(
        "User-agent: *\nDisallow: a\nDisallow: https://example.org/\n",
        &[(2, K::NeverMatches), (3, K::NeverMatches)],
    );
    check(b"User-agent: *\nDisallow: /\xE9\n", &[(2, K::NotUtf8)]);
    check("User-agent: *\nCrawl-delay: soon\n", &[(2, K::NotADelay)]);
    check("a".repeat(LINE_BYTES_MAX + 1), &[(1, K::LineCut), (1, K::NotALine)]);
    assert_eq!(RobotsTxt::parse("x:\n".repeat(5000).as_bytes()).notices().len(), NOTICES_MAX);
}

/// Time itself is no test, but a search that takes choices back would not end before the test run is given
/// up.
#[test]
fn no_pattern_takes_long() {
    let stars = format!("User-agent: *\nDisallow: /{}b$\n", "*a".repeat(8000));
    let path = format!("/{}", "a".repeat(100_000));
    check(&stars, &path, true, 0);
    let many = format!("User-agent: *\n{}", "Disallow: /*a*a*b$\n".repeat(20_000));
    check(&many, &path[..8000], true, 0);
    let nested: Vec<_> = (1..700).map(|len| format!("Disallow: /{}", "a".repeat(len))).collect();
    check(format!("User-agent: *\n{}", nested.join("\n")), &path, false, 700);
}

/// An agent in very many groups, and very many agents in one: neither multiplies the rules.
#[test]
fn groups_and_agents_do_not_multiply() {
    let rules = "Disallow: /a\n".repeat(5000);
    let lines = |after: &str| -> String {
        (0..8000).flat_map(|number| ["User-agent: a".to_owned(), letters(number), after.to_owned()]).collect()
    };
    let file = format!("{}User-agent: foobot\n{rules}{}", lines("\n"), lines("\nAllow: /b\n"));
    check(file, "/a", false, 8002);
    check("User-agent: foobot\nDisallow: /a\n".repeat(15_000), "/a", false, 2);
}

/// A number written with letters.
fn letters(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}
