//! The words under which refusals are recorded, and what each means: the table of `REASONS.md`, read once it is asked for.

/// The documentation that is published.
const TABLE: &str = include_str!("../REASONS.md");

/// What one word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    /// What it says.
    pub(crate) meaning: &'static str,
    /// What brings it about, and what lifts it.
    pub(crate) remedy: &'static str,
}

/// The reason of this word.
pub(crate) fn find(word: &str) -> Option<Reason> {
    rows().find(|(words, _)| self::words(words).any(|known| known == word)).map(|(_, reason)| reason)
}

/// The rows of the tables: the first column, and what it means.
fn rows() -> impl Iterator<Item = (&'static str, Reason)> {
    TABLE.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ");
        let words = cells.next()?;
        Some((words, Reason { meaning: cells.next()?, remedy: cells.next()? }))
    })
}

fn words(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(", ").map(|word| word.trim_matches('`'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::{find, rows, words};

    /// The files in which the words of refusals stand, each as `=> "word"`.
    const REFUSALS: [&str; 16] = [
        "backlog/src/file.rs",
        "backlog/src/report.rs",
        "backlog/src/walk.rs",
        "deposit/src/error.rs",
        "extract/src/error.rs",
        "feed/src/error.rs",
        "fetch/src/error.rs",
        "pass/src/announce.rs",
        "pass/src/article.rs",
        "pass/src/runner.rs",
        "redirect-policy/src/address.rs",
        "redirect-policy/src/hosts.rs",
        "redirect-policy/src/journey.rs",
        "robots/src/standing.rs",
        "url-canon/src/refusal.rs",
        "visit/src/refusal.rs",
    ];

    #[test]
    fn every_word_of_the_code_is_in_the_table_and_no_other() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates");
        let mut spoken = BTreeSet::new();
        for file in REFUSALS {
            let text = fs::read_to_string(crates.join(file)).unwrap();
            for mark in ["=> \"", "refuse(\"", "(\"", "&str = \"", "code: \"", "gaps, \"", "refused, \""] {
                let after = text.split(mark).skip(1).filter_map(|rest| rest.split('"').next());
                spoken.extend(after.filter(|word| is_word(word)).map(ToOwned::to_owned));
            }
        }
        assert!(spoken.len() > 90, "only {} words were found: {spoken:?}", spoken.len());
        let listed: BTreeSet<String> =
            rows().flat_map(|(cell, _)| words(cell)).map(ToOwned::to_owned).collect();
        let missing: Vec<_> = spoken.difference(&listed).collect();
        assert!(missing.is_empty(), "REASONS.md lacks {missing:?}");
        let unspoken: Vec<_> = listed.difference(&spoken).collect();
        assert!(unspoken.is_empty(), "nothing says {unspoken:?}");
    }

    #[test]
    fn a_word_is_found_alone_and_among_others() {
        assert!(find("robots-disallowed").unwrap().remedy.contains("releve robots"));
        assert_eq!(find("status-404"), find("status-403"));
        assert!(find("sitemap-is-html").is_some());
        assert_eq!(find("no-such-word"), None);
    }

    fn is_word(text: &str) -> bool {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (text.contains('-') || matches!(text, "embargo" | "protected" | "interrupted"))
            && text.bytes().all(plain)
            && !text.starts_with("content-")
            && !text.starts_with("retry-")
            // How a walk ends well, and why it paused where no reason is at hand.
            && !matches!(text, "list-end" | "failed-before")
    }
}
