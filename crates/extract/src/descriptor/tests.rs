use super::date::{self, Label};
use super::names::{is_full_name, names};
use super::subject::{fold, same_title};
use crate::Place;

#[test]
fn r12_dates_are_recognised_as_written() {
    let check = |text: &str, same: &str| {
        let (Some(one), Some(two)) = (date::declared(text), date::declared(same)) else {
            panic!("no date: {text} or {same}");
        };
        assert!(one.may_equal(two), "{text} is not {same}");
    };
    check("2024-03-05T10:15:00+01:00", "2024-03-05");
    check("2024-3-5 10:15:00 UTC", "2024-03-05");
    check("20240305T101500Z", "2024-03-05");
    check("2024/03/05 10:15", "2024-03-05");
    check("5.3.2024, 10.15 Uhr", "2024-03-05");
    check("5. 3. 2024", "2024-03-05");
    check("Tue, 05 Mar 2024 10:15:00 +0000", "2024-03-05");
    check("Tue Mar 05 10:15:00 CET 2024", "2024-03-05");
    check("March 5th, 2024 at 4:19 p.m. ET", "2024-03-05");
    check("mardi 5 mars 2024 à 10h15", "2024-03-05");
    check("1er mars 2024", "2024-03-01");
    check("5 de marzo de 2024", "2024-03-05");
    check("Dienstag, 5. März 2024", "2024-03-05");
    check("5 марта 2024, 10:15", "2024-03-05");
    check("2024年3月5日（火） 10時15分", "2024-03-05");
    check("2024년 3월 5일", "2024-03-05");
    // Either order: it may be each of two days, but no third.
    check("05/03/2024", "2024-03-05");
    check("05/03/2024", "2024-05-03");
    assert!(!date::declared("05/03/2024").unwrap().may_equal(date::declared("2024-03-03").unwrap()));
    // With dots the day comes first.
    assert!(!date::declared("05.03.2024").unwrap().may_equal(date::declared("2024-05-03").unwrap()));
}

#[test]
fn r12_what_is_no_date_is_not_completed_to_one() {
    let check = |text: &str| assert!(date::declared(text).is_none(), "{text}");
    // Parts of a date.
    check("2024");
    check("March 2024");
    check("5 March");
    check("10:15");
    // Zeros, and days that no calendar has.
    check("0000-00-00");
    check("-0001-11-30T00:00:00");
    check("0001-01-01T00:00:00Z");
    check("1970-01-01T00:00:00Z");
    check("2024-02-30");
    check("31.11.2024");
    // Numbers and texts with a date in them.
    check("1709633700");
    check("192.168.2024.1");
    check("Pressemitteilung Nr. 48/22 vom 20.12.2022 zum Urteil");
    check("https://www.example.org/2024/03/05/x");
    check(&"2024-03-05 ".repeat(100));
    // A month's name that means another one across the border.
    check("5 listopada 2024");
}

#[test]
fn a_shown_date_bears_the_label_before_it() {
    let check = |line: &str, expected: &[(&str, Label)], other_words: usize| {
        let found = date::shown(line);
        let dates: Vec<_> = found.dates.iter().map(|shown| (shown.text, shown.label)).collect();
        assert_eq!(dates, expected, "{line}");
        assert_eq!(found.other_words, other_words, "{line}");
    };
    check(
        "Published March 5, 2024, 9:27 AM ET | Last Updated: 6 March 2024",
        &[("March 5, 2024, 9:27 AM ET", Label::Published), ("6 March 2024", Label::Modified)],
        0,
    );
    check("Stand: 19.10.2019 11:05 Uhr", &[("19.10.2019 11:05 Uhr", Label::Modified)], 0);
    check("Publié le 13 mars 2017", &[("13 mars 2017", Label::Published)], 0);
    check("By Ada Lindqvist · Tuesday, 5 March 2024", &[("Tuesday, 5 March 2024", Label::None)], 2);
    check("Published by the club of 5 March 1924 in May", &[("5 March 1924", Label::None)], 2);
    check("no date at all, 12 times", &[], 0);
}

#[test]
fn dates_that_programs_read_are_told_from_those_that_need_a_language() {
    for text in ["2024-03-05 10:15", "5 March 2024", "Mar. 5th, 2024 at 4:19 p.m. ET", "05.03.2024"] {
        assert!(date::is_international(text), "{text}");
    }
    for text in ["5. März 2024", "5 mars 2024", "2024年3月5日"] {
        assert!(!date::is_international(text), "{text}");
    }
}

#[test]
fn r12_names_are_copied_one_by_one() {
    let check = |text: &str, expected: &[&str]| {
        let found = names(text, &Place::address());
        let texts: Vec<&str> = found.iter().map(|name| &*name.text).collect();
        assert_eq!(texts, expected, "{text}");
        for name in &found {
            let cut = match &name.place.characters {
                Some(range) => text.chars().skip(range.start).take(range.len()).collect(),
                None => text.to_owned(),
            };
            assert_eq!(cut, name.text, "{text}: {}", name.place);
        }
    };
    check("Ada Lindqvist", &["Ada Lindqvist"]);
    check("  By Ada Lindqvist and Omar Farouk", &["Ada Lindqvist", "Omar Farouk"]);
    check("ByAda Lindqvist", &["Ada Lindqvist"]);
    check("Von Jörg Östermann und Käthe Weiß, dpa", &["Jörg Östermann", "Käthe Weiß", "dpa"]);
    check("Text: Ada Lindqvist", &["Ada Lindqvist"]);
    check("Ada Lindqvist, Senior reporter at the Courier", &["Ada Lindqvist"]);
    check("Ada Lindqvist, Political Correspondent", &["Ada Lindqvist"]);
    check("By Ada Lindqvist and Omar Farouk / Harbour Staff Writers", &["Ada Lindqvist", "Omar Farouk"]);
    check("Ada Lindqvist (ali)", &["Ada Lindqvist"]);
    check("Ada Lindqvist and Omar Farouk, The Harbour Courier", &["Ada Lindqvist", "Omar Farouk"]);
    check("Vincent van der Berg", &["Vincent van der Berg"]);
    check("Lê Thị Phương", &["Lê Thị Phương"]);
    // What may be a part of the name stays.
    check("Von Trapp", &["Von Trapp"]);
    check("Lindqvist, Ada", &["Lindqvist, Ada"]);
    check("Le Phare et Fils", &["Le Phare et Fils"]);
    check("Benedetti Sisters", &["Benedetti Sisters"]);
    // No names.
    for text in [
        "",
        "admin",
        "https://www.example.org/ada",
        "ada@example.org",
        "@ada",
        "4 min read",
        "Harbour Garden Network on Facebook",
        "{{author}}",
        "Redaktion",
        "Photo: Ada Lindqvist",
        "Text: Ada Lindqvist Photos: Omar Farouk",
    ] {
        check(text, &[]);
    }
    check(&"Ada Lindqvist, ".repeat(20), &[]);
}

#[test]
fn a_full_name_is_two_words_with_capitals() {
    for name in ["Ada Lindqvist", "MARIA DE LA CRUZ", "Jean-Luc d'Arc Petit", "Игорь Петров"] {
        assert!(is_full_name(name), "{name}");
    }
    for text in [
        "Ada",
        "ada lindqvist",
        "for the Courier",
        "Ada and the six other people there",
        "Ada 2",
        "The Harbour Courier",
    ] {
        assert!(!is_full_name(text), "{text}");
    }
}

#[test]
fn titles_are_the_same_whole_or_cut_off() {
    let check = |one: &str, other: &str, same: bool| {
        assert_eq!(same_title(&fold(one), &fold(other)), same, "{one} / {other}");
    };
    check("Snow, in June!", "Snow in June", true);
    check("The ferry across the strait will run again", "The ferry across the strait", true);
    check("The ferry", "The ferry across the strait", false);
    check("", "", false);
}
