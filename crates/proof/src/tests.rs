//! What cannot be seen through the public API.

use crate::RootSet;
use crate::certificate::shown;
use crate::chain::OwnRules;

/// Our own rules about a root are stricter than a list's. Were one of Mozilla's roots to break them, its
/// publishers' articles could no longer be sealed, and that should show here first.
#[test]
fn every_root_of_today_keeps_our_own_rules() {
    let roots = RootSet::current().unwrap();
    for der in roots.certificates() {
        let (root, _) = roots.find(der).unwrap();
        let rules = OwnRules { below_root: std::slice::from_ref(&root.facts), root: &root.facts };
        rules.root_constraints().unwrap();
        rules.key_usage().unwrap();
        rules.key_sizes().unwrap();
    }
}

#[test]
fn text_of_a_certificate_is_shown_without_what_does_harm() {
    let rows = [
        ("CN=Ærø, O=中文", "CN=Ærø, O=中文"),
        ("a\u{1b}[2Jb\nc\u{7f}", "a\u{fffd}[2Jb\u{fffd}c\u{fffd}"),
        ("a\u{202e}b\u{200b}c\u{feff}", "a\u{fffd}b\u{fffd}c\u{fffd}"),
    ];
    for (text, expected) in rows {
        assert_eq!(shown(text), expected);
    }
    assert_eq!(shown(&"é".repeat(200)), "é".repeat(200));
    assert_eq!(shown(&"é".repeat(201)), "é".repeat(200) + "…");
}
