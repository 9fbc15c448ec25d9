//! Files and paths that nobody wrote.

use proptest::collection::vec;
use proptest::prelude::*;
use releve_robots::{AccessScope, DelayScope, RobotsTxt};

use crate::oracle;

/// Lines and pieces of lines from a small alphabet, so that patterns and paths meet.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let value = "[/ab*$%.?é ]{0,8}".prop_map(String::from);
    let line = prop_oneof![
        4 => ("(Allow|Disallow|disalow|allow )", prop_oneof![value.clone(), value.prop_map(|v| format!("/{v}"))])
            .prop_map(|(key, value)| format!("{key}: {value}")),
        2 => "User-agent: (FooBot|foobot/1|FooBot2|foo|\\*|\\* x|)",
        1 => "(Crawl-delay: [0-9.]{0,3}|Sitemap: x|# c|nonsense|user-agent foobot|%|)",
    ];
    (vec(line, 0..20), "(\n|\r|\r\n|\n\r)").prop_map(|(lines, end)| lines.join(&end).into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn the_compiled_matcher_judges_as_the_slow_reading(file in file(), path in "/[/ab%?.é$* 4]{0,12}") {
        let robots = RobotsTxt::parse(&file);
        let agent = "FooBot".parse().unwrap();
        for (scope, only_named) in [(AccessScope::NamedElseGeneral, false), (AccessScope::NamedOnly, true)] {
            let verdict = robots.judge(&agent, scope, &path);
            prop_assert_eq!(
                (verdict.allowed, verdict.line),
                oracle::Reading::of(&file).judge("FooBot", only_named, &path)
            );
        }
    }

    #[test]
    fn nothing_panics(file in vec(any::<u8>(), 0..400), path in "\\PC{0,40}") {
        let robots = RobotsTxt::parse(&file);
        let agent = "FooBot".parse().unwrap();
        robots.judge(&agent, AccessScope::NamedElseGeneral, &path);
        robots.crawl_delay(&agent, DelayScope::NamedElseGeneral);
    }

    #[test]
    fn a_path_judged_in_two_spellings_is_judged_alike(file in file(), path in "/[/ab.]{0,8}") {
        let robots = RobotsTxt::parse(&file);
        let agent = "FooBot".parse().unwrap();
        let escaped = path.replace('a', "%61").replace('b', "%62").replace('.', "%2e");
        let judge = |path: &str| robots.judge(&agent, AccessScope::NamedElseGeneral, path);
        prop_assert_eq!(judge(&path), judge(&escaped));
    }
}
