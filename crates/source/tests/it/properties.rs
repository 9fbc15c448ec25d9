//! What holds of every configuration, whatever it is made of.

use proptest::prelude::*;
use releve_bounds::Bounds;
use releve_source::{AddressTemplate, File, Problems, parse_connector, parse_source};

use super::{CMS, PAGE, PUBLIC, WORDPRESS, read_fixture};

/// An example with pieces cut out, repeated or replaced.
fn spoilt() -> impl Strategy<Value = String> {
    let whole = prop::sample::select(vec![
        PAGE.to_owned(),
        PUBLIC.to_owned(),
        CMS.to_owned(),
        WORDPRESS.to_owned(),
        String::from_utf8(read_fixture("sources/page.toml")).unwrap(),
        String::from_utf8(read_fixture("sources/cms-api.toml")).unwrap(),
        String::from_utf8(read_fixture("releve-full.toml")).unwrap(),
    ]);
    let piece = prop::sample::select(vec![
        "", "\"", "'''", "[", "]", "{ ", " }", "=", "\n", ".", "{id}", "{page}", "1", "true", "ü", "\u{0}",
    ]);
    let change = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), piece);
    (whole, prop::collection::vec(change, 0..4)).prop_map(|(mut text, changes)| {
        for (from, length, piece) in changes {
            let mut from = from.index(text.len() + 1);
            let mut to = (from + length.index(24)).min(text.len());
            while !text.is_char_boundary(from) {
                from -= 1;
            }
            while !text.is_char_boundary(to) {
                to -= 1;
            }
            text.replace_range(from..to.max(from), piece);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_configuration_panics_and_each_error_has_a_place(text in spoilt()) {
        let file = File { name: "a.toml", text: text.as_bytes() };
        let problems = [parse_source(file, &Bounds::default()).err(), parse_connector(file).err()];
        for problem in problems.iter().flatten().flat_map(Problems::iter) {
            prop_assert!(problem.line >= 1 && problem.line <= text.matches('\n').count() + 1, "{}", problem);
            prop_assert!(problem.column >= 1, "{}", problem);
            prop_assert!(!problem.message.contains("our mistake"), "{}", text);
        }
    }

    #[test]
    fn r04_no_identifier_leaves_its_segment(identifier in any::<String>()) {
        let template: AddressTemplate = "https://cms.example.org/items/{id}/body?fields=id".parse().unwrap();
        if let Ok(address) = template.address(&identifier) {
            prop_assert_eq!(address.host(), "cms.example.org");
            prop_assert_eq!(address.query(), Some("fields=id"));
            let segments: Vec<&str> = address.path().split('/').collect();
            prop_assert_eq!(segments.len(), 4);
            prop_assert_eq!((segments[1], segments[3]), ("items", "body"));
            prop_assert!(template.covers(&address));
        }
    }
}
