//! Lines that say something about what stands beside them, and nothing by themselves.

/// A line that does nothing but label what is left out: an advertisement, a share button.
const WHOLE: &[&str] = &[
    "ad",
    "advert",
    "advertisement",
    "advertising",
    "advertentie",
    "annons",
    "annonse",
    "anzeige",
    "promoted",
    "publicidad",
    "publicidade",
    "publicité",
    "pubblicità",
    "reklam",
    "reklama",
    "reklame",
    "sponsored",
    "werbung",
    "реклама",
    "広告",
    "comment",
    "comments",
    "comentarios",
    "commentaires",
    "kommentare",
    "compartir",
    "partager",
    "share",
    "share this",
    "teilen",
    "loading",
];

/// How the credit of a picture begins.
const CREDITS: &[&str] = &[
    "(image credit",
    "bild:",
    "bilder:",
    "bildrechte",
    "crédit photo",
    "crédits photo",
    "foto:",
    "fotos:",
    "image copyright",
    "image credit",
    "image source",
    "image:",
    "images:",
    "main image",
    "photo by",
    "photo credit",
    "photo:",
    "photograph:",
    "photos:",
    "picture:",
];

/// How lines begin that say who wrote.
const BYLINES: &[&str] = &["by ", "von ", "par ", "por ", "di ", "da ", "door ", "av ", "af "];

/// What they begin with before a colon.
const BYLINE_LABELS: &[&str] =
    &["by", "author", "auteur", "autor", "autore", "par", "por", "текст", "автор", "بقلم", "作者", "著者"];

/// Longer lines are said for their own sake.
const CREDIT_CHARS_MAX: u32 = 200;
const LABEL_CHARS_MAX: u32 = 30;

/// Whether a line of so many characters that begins with this text only labels what is left out.
pub(super) fn is_label(text: &str, chars: u32) -> bool {
    if chars >= CREDIT_CHARS_MAX {
        return false;
    }
    let text = text.trim();
    if let Some(holder) = text.strip_prefix(['©', 'ⓒ']) {
        // With a year it is a notice about the article, without one the credit of a picture.
        return !holder.trim_start().starts_with(|c: char| c.is_ascii_digit());
    }
    let lower = text.to_lowercase();
    let label = lower.trim_end_matches([':', '.', ' ', '…']);
    chars < LABEL_CHARS_MAX && WHOLE.contains(&label)
        || CREDITS.iter().any(|credit| lower.starts_with(credit))
}

/// Whether a line says when or by whom rather than what: it holds a year or a time of day, or begins as bylines do.
pub(super) fn is_dateline(text: &str) -> bool {
    is_byline(text) || numbers(text).any(|number| number.contains(':') && number.len() > 3)
}

/// Whether a line says by whom, or on which day of a year.
pub(super) fn is_byline(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let is_year = |number: &str| number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    let label = lower.split([':', '：']).next().map(str::trim_end).filter(|label| label.len() < lower.len());
    // A name that is a link or set in bold is a text of its own.
    BYLINES.iter().any(|by| lower.starts_with(by) || lower == by.trim_end())
        || label.is_some_and(|label| BYLINE_LABELS.contains(&label))
        || numbers(text).any(is_year)
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit() && c != ':')
}
