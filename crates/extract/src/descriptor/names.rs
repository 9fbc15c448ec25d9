//! Which parts of a text are names.
//!
//! A name is copied as it stands. What stands around names in the same text (`By`, `and`, a role, an address) is cut off where it
//! certainly is no part of a name; where that is not certain the text gives no name.

use super::is_one_of;
use super::subject::fold;
use crate::{Place, Value};

/// A longer text is no list of names.
const TEXT_CHARS_MAX: usize = 200;
/// A longer part of it is no name, nor is one of more words.
const NAME_CHARS_MAX: usize = 60;
const NAME_WORDS_MAX: usize = 8;

/// The names in a text that is declared or marked up as naming authors. A part of the text has a place of its own.
pub(crate) fn names(text: &str, place: &Place) -> Vec<Value> {
    let parts = parts(text);
    let copy = |part: &str| {
        if part == text {
            return Value::new(part, place.clone());
        }
        let before = part.as_ptr().addr() - text.as_ptr().addr();
        let start = text.get(..before).unwrap_or_default().chars().count();
        Value::new(part, place.clone().characters(start..start + part.chars().count()))
    };
    parts.into_iter().map(copy).collect()
}

/// Whether a text is certainly the name of a person: two to five words, each beginning with a capital but for particles.
pub(crate) fn is_full_name(text: &str) -> bool {
    // `d'Arc`, `O'Hara`: what stands behind the apostrophe counts too.
    let begins = |part: &str| part.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_lowercase());
    let capital = |word: &str| word.split(['\'', '’']).take(2).any(begins);
    is_name(text)
        && (2..=5).contains(&words(text).count())
        // A newspaper.
        && !text.starts_with("The ")
        && words(text).all(|word| capital(word) || is_one_of(word, PARTICLES))
        && words(text).filter(|word| capital(word)).count() >= 2
}

/// Whether a text is the name of an account rather than of a person: one word without a capital.
pub(crate) fn is_account(text: &str) -> bool {
    !is_agency(text)
        && text.is_ascii()
        && !text.contains(' ')
        && !text.contains(|c: char| c.is_ascii_uppercase())
}

/// Whether a text holds the name of a host.
pub(crate) fn is_domain(text: &str) -> bool {
    words(text).any(|word| {
        word.rsplit_once('.').is_some_and(|(before, top)| {
            let is_top = (2..=4).contains(&top.len()) && top.bytes().all(|byte| byte.is_ascii_lowercase());
            is_top && before.len() > 1 && !before.ends_with('.')
        })
    })
}

/// Whether a text begins with a word that comes before names.
pub(crate) fn starts_with_lead(text: &str) -> bool {
    without_lead(text).len() < text.trim().len()
}

/// Whether a text is nothing but such a word.
pub(crate) fn is_lead(text: &str) -> bool {
    let text = text.trim().trim_end_matches([':', ' ']).to_lowercase();
    LEADS.contains(&&*text)
}

pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split_whitespace()
}

/// The parts of a text that are names.
fn parts(text: &str) -> Vec<&str> {
    if text.chars().nth(TEXT_CHARS_MAX).is_some() {
        return Vec::new();
    }
    let text = without_lead(text);
    // Between commas and the like stand one name or several, or what is none: a role, a place.
    let sections = text.split([',', ';', '|', '、', '，']);
    let mut sections: Vec<Vec<&str>> = sections.map(split).collect();
    // A role beside a name is none; by itself it may be how the authors want to be called.
    if sections.iter().flatten().any(|piece| !names_role(piece)) {
        for names in &mut sections {
            names.retain(|piece| !names_role(piece));
        }
    }
    sections.retain(|names| !names.is_empty());
    let is_certain = |names: &Vec<&str>| names.iter().all(|name| is_full_name(name) || is_agency(name));
    let mut certain = sections.iter().take_while(|names| is_certain(names)).peekable();
    match &*sections {
        [] => Vec::new(),
        // What is joined by words alone, as in `Le Figaro et AFP`, may be one name.
        [names] if !is_certain(names) => {
            let whole = without_sign(text);
            if is_name(whole) && !whole.contains('/') { vec![whole] } else { Vec::new() }
        }
        // `A Name, role at Company` names one.
        _ if certain.peek().is_some() => certain.flatten().copied().collect(),
        // `Name, A` is a name turned round, which is left as it is.
        [_, _] if is_name(text) && !text.contains(['|', '/']) => vec![text],
        _ => Vec::new(),
    }
}

/// The text without a word such as `By` at its beginning.
pub(crate) fn without_lead(text: &str) -> &str {
    let text = text.trim();
    for lead in LEADS {
        let Some((head, rest)) = text.split_at_checked(lead.len()) else { continue };
        if !head.chars().flat_map(char::to_lowercase).eq(lead.chars()) {
            continue;
        }
        if let Some(rest) = rest.trim_start().strip_prefix([':', '：']) {
            return without_lead(rest);
        }
        // `ByJane Doe`: the space between them was a matter of style.
        if *lead == "by" && rest.starts_with(char::is_uppercase) && is_full_name(rest) {
            return rest;
        }
        // `Von Trapp` is a name; what follows a lead is a full one.
        let behind = rest.trim_start();
        let first = behind.split([',', ';', '|']).next().map(split).unwrap_or_default();
        let names_follow = || first.first().is_some_and(|name| is_full_name(name));
        let certain = *lead == "by" || lead.contains(' ') || SPOKEN_LEADS.contains(lead) && names_follow();
        if certain && behind.len() < rest.len() {
            return behind;
        }
    }
    text
}

/// What follows a comma or a word for "and" at the beginning of a text.
pub(crate) fn behind_joint(text: &str) -> Option<&str> {
    let joints = JOINTS.iter().copied().chain([", ", ","]);
    joints.into_iter().find_map(|joint| text.strip_prefix(joint)).map(str::trim_start)
}

/// Splits a text at the words for "and".
fn split(text: &str) -> Vec<&str> {
    let mut pieces = vec![text];
    for joint in JOINTS {
        pieces = pieces.into_iter().flat_map(|piece| piece.split(joint)).collect();
    }
    pieces.into_iter().map(without_sign).filter(|piece| !piece.is_empty()).collect()
}

/// The text without a sign in brackets at its end, as editors write: `A Name (ana)`.
fn without_sign(text: &str) -> &str {
    let text = text.trim().trim_end_matches(['.', ',', ';']);
    match text.rsplit_once(" (") {
        Some((name, sign)) if sign.ends_with(')') && sign.chars().count() <= 6 => name.trim_end(),
        _ => text,
    }
}

/// Whether a text can be the name of an author, of a person or not.
fn is_name(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).count() >= 2
        && text.chars().count() <= NAME_CHARS_MAX
        && words(text).count() <= NAME_WORDS_MAX
        && !text.contains([':', '：', '@', '{', '}', '<', '>', '=', '#', '_', '\\', '?'])
        && !text.contains(|c: char| c.is_ascii_digit())
        && !is_one_of(&fold(text), PLACEHOLDERS)
        && !words(text).any(|word| is_one_of(&word.to_lowercase(), NETWORKS))
}

/// Whether a text says what somebody does.
fn names_role(text: &str) -> bool {
    words(text).any(|word| is_one_of(&word.to_lowercase(), ROLES))
}

fn is_agency(text: &str) -> bool {
    is_one_of(&text.to_ascii_lowercase(), AGENCIES)
}

/// Words that come before names, in lower case; all count before a colon, and some without one.
const LEADS: &[&str] = &[
    "by",
    "written by",
    "posted by",
    "words by",
    "story by",
    "text by",
    "author",
    "authors",
    "autor",
    "autoren",
    "autorin",
    "text",
    "texte",
    "par",
    "por",
    "di",
    "von",
    "door",
    "av",
    "af",
    "przez",
    "eingestellt von",
    "geschrieben von",
    "veröffentlicht von",
    "verfasst von",
    "publié par",
    "écrit par",
    "escrito por",
    "publicado por",
    "scritto da",
    "a cura di",
    "geschreven door",
    "submitted by",
    "skrevet av",
    "skriven av",
    "auteur",
    "autore",
    "autora",
    "autorka",
    "kirjoittaja",
    "oleh",
    "penulis",
    "redactor",
    "szerző",
    "tekst",
    "teksti",
    "texto",
    "tác giả",
    "yazar",
    "írta",
    "автор",
    "авторы",
    "автори",
    "текст",
    "بقلم",
    "كتب",
    "كتبت",
    "מאת",
    "作者",
    "文",
    "著者",
    "執筆",
    "執筆者",
    "글",
    "article by",
    "analysis by",
    "ein artikel von",
    "ein beitrag von",
    "ein gastbeitrag von",
    "ein kommentar von",
    "eine analyse von",
    "eine kolumne von",
    "gastbeitrag von",
    "kommentar von",
    "un article de",
    "une analyse de",
];

/// Leads of one word that stand before names without a colon too, where a full name follows.
const SPOKEN_LEADS: &[&str] = &["par", "por", "von", "door", "av", "af", "przez", "oleh", "di"];

/// What joins two names in one text, in the languages of the Latin script.
const JOINTS: &[&str] =
    &[" and ", " und ", " et ", " y ", " e ", " och ", " og ", " en ", " & ", " / ", " · ", " • "];

/// Parts of names that are written small.
const PARTICLES: &str = "af al ben bin da de del della den der di do dos du e el ibn la le ter van von y zu";

/// Words of roles, none of which is a name as well.
const ROLES: &str = "analyst columnist contributor correspondent correspondente correspondant director editor editors fotograf fotografin \
    freelancer journalist journaliste journalistin korrespondent korrespondentin photographer producer redacteur redactor \
    redakteur redakteurin reporter reporters researcher writer writers";

/// News agencies by the signs they go by. Beside names they are authors like them.
const AGENCIES: &str = "aap afp ani anp ansa ap apa ats belga dpa efe epd jiji kna kyodo lusa mti ntb pap pti reuters ritzau sda sid stt tass \
    tt upi xinhua";

/// Networks that people have accounts at; who is named together with one is not named as an author.
const NETWORKS: &str = "facebook instagram linkedin twitter youtube";

/// Texts, folded, that stand where an author's name was not filled in, or that name no one.
const PLACEHOLDERS: &str = "admin administrator anonymous author authorname default developer editor editors facebook followus guest instagram \
    linkedin moreposts na name newsdesk noauthor none null publisher redaccion redacción redactie redaktion redazione root \
    rédaction staff superuser test twitter undefined unknown user viewallposts webdesk webeditor webmaster wordpress \
    writer";
