//! Notices that stand among the paragraphs and are named for nothing: calls to subscribe, to log in, to order a newsletter, to accept cookies.
//!
//! One is believed only if three things say so: its words; what is there to be done about them, which is a field for an address, a button, a link to an account, or a
//! name that says the rest has to be paid for; and that nothing else stands in the box and no link leads elsewhere.

use std::sync::LazyLock;

use html5ever::local_name;
use regex::Regex;

use super::survey::{Looks, Survey};
use crate::dom::Node;

/// A box that holds more says something else as well.
const CHARS_MAX: u32 = 500;
const NODES_MAX: usize = 64;
/// A line of this length that does not call for anything is the article's.
const LINE_CHARS_MAX: u32 = 60;
/// A box with more than this of the page's prose is no notice.
const PERCENT_MAX: u64 = 40;
/// How far above a button the box that it belongs to is looked for.
const LEVELS_MAX: usize = 4;
/// Boxes of one page that are looked at: each may be compared with all of its leaves.
const BOXES_MAX: usize = 32;

/// What such notices say, in the languages that most of them are written in.
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    let words = [
        r"\b(?:subscribe|sign up|register|join)\b.{0,60}\b(?:newsletter|mailing list|inbox)",
        r"\bnewsletter\b.{0,60}\b(?:subscribe|sign up)|\b(?:in|into|to) your inbox",
        r"\balready (?:an? )?(?:subscribe[dr]|member)\b|\balready have an account",
        r"\b(?:subscribe|log ?in|sign ?in|register)(?: now| today)? to (?:read|continue|keep|unlock|access)\b",
        r"\bto (?:read|see) the (?:rest|full|whole)\b|\bto (?:continue|keep) reading",
        r"\b(?:we|(?:this|our) (?:web)?site)(?: and our partners)? uses? cookies",
        r"\b(?:schon|bereits) (?:abonnent|abonniert|registriert|mitglied)|\b(?:um|zum) weiter(?: ?zu ?)?lesen",
        r"\b(?:abonnier|bestell)\w*.{0,60}newsletter|newsletter.{0,60}(?:anmeld|abonnier|bestell)",
        r"\b(?:wir|diese (?:web)?(?:seite|site)) (?:verwende[nt]|nutz(?:en|t)|benutz(?:en|t)) cookies",
        r"\bdéjà abonn|\bpour (?:lire la suite|continuer (?:à lire|votre lecture)|poursuivre (?:la|votre) lecture)",
        r"\b(?:inscri|abonn)\w*.{0,60}newsletter|\b(?:nous utilisons|ce site utilise) des cookies",
        r"\bya (?:eres|soy) suscriptor|\bsuscr[ií]b\w*.{0,60}(?:newsletter|bolet[ií]n)|\bpara seguir leyendo",
        r"\b(?:utilizamos|usamos) cookies|\beste sitio (?:web )?utiliza cookies",
        r"\bj[aá] é assinante|\bpara continuar (?:a ler|lendo)|\bgià abbonat|\bper continuare a leggere",
        r"\biscriviti.{0,60}newsletter|\bal abonnee\b|\bom verder te lezen|\bschrijf je in.{0,60}nieuwsbrief",
    ];
    // Where ASCII words begin and end is found much faster, and these do so with ASCII letters.
    let words = words.join("|").replace(r"\b", r"(?-u:\b)");
    Regex::new(&format!("(?i){words}")).expect("the words are a pattern")
});

/// Where links of such notices lead: a part of the address begins so.
static ADDRESSES: LazyLock<Regex> = LazyLock::new(|| {
    let words = "abo abonnement abonnieren abonnes account agb anmelden anmeldung assinatura assine checkout connexion consent cookie cookies datenschutz \
        inscription iscriviti konto login log-in logon membership newsletter newsletters privacy register registrieren \
        registration sign-in sign-up signin signup subscribe subscriber subscribers subscription subscriptions suscribete \
        suscripcion terms";
    let words: Vec<_> = words.split_ascii_whitespace().collect();
    Regex::new(&format!(r"(?i)(?:^|[/.?=&_-])(?:{})(?:$|[^a-z])", words.join("|")))
        .expect("words joined by bars are a pattern")
});

/// What their buttons say.
static BUTTONS: LazyLock<Regex> = LazyLock::new(|| {
    let words =
        "abonn accept accepter aceptar agree akzeptieren allow anmelden inscri log sign subscribe suscri";
    let words: Vec<_> = words.split_ascii_whitespace().collect();
    Regex::new(&format!(r"(?i)(?-u:\b)(?:{})", words.join("|"))).expect("words joined by bars are a pattern")
});

/// Marks the boxes of such notices as standing beside the article. Those in `named` say of themselves that something has to be paid for.
pub(super) fn set_aside(survey: &mut Survey<'_>, named: &[usize]) {
    // Most links stand in menus, or in paragraphs that say something else as well.
    let is_short = |at: &usize| {
        let element = &survey.elements[*at];
        !survey.elements[element.parent].beside && survey.elements[element.parent].chars <= CHARS_MAX
    };
    let calls = (1..survey.elements.len()).filter(is_short).filter(|&at| calls(survey.elements[at].node));
    let starts: Vec<usize> = named.iter().copied().chain(calls.take(BOXES_MAX)).take(2 * BOXES_MAX).collect();
    for start in starts {
        let boxes: Vec<usize> = survey
            .outward(start)
            .filter(|&at| survey.elements[at].is_block)
            .take(LEVELS_MAX)
            .take_while(|&at| survey.elements[at].chars <= CHARS_MAX)
            .collect();
        if let Some(found) = boxes.into_iter().rev().find(|&at| is_notice(survey, at)) {
            let end = survey.elements[found].end;
            survey.elements[found..end].iter_mut().for_each(|element| element.beside = true);
        }
    }
}

/// Whether something is there to be done about a notice: an element that is left out where it stands, or a link.
fn calls(node: Node<'_>) -> bool {
    let within = || node.descendants().take(NODES_MAX);
    match node.name() {
        Some(&local_name!("a")) => {
            let address = node.attribute("href").unwrap_or_default();
            ADDRESSES.is_match(address) || node.attribute("role") == Some("button") && says(node, &BUTTONS)
        }
        Some(&local_name!("button")) => says(node, &BUTTONS),
        Some(&local_name!("form")) => within().any(|node| {
            let kind = node.attribute("type").unwrap_or_default();
            node.is(&local_name!("input"))
                && (kind.eq_ignore_ascii_case("email") || kind.eq_ignore_ascii_case("password"))
        }),
        _ => false,
    }
}

fn says(node: Node<'_>, words: &Regex) -> bool {
    node.descendants().nth(NODES_MAX).is_none() && words.is_match(&node.text())
}

/// Whether a box holds a notice and nothing else.
fn is_notice(survey: &Survey<'_>, at: usize) -> bool {
    let element = &survey.elements[at];
    let prose = u64::from(survey.elements[0].prose);
    if element.beside
        || element.node.descendants().nth(NODES_MAX).is_some()
        || u64::from(element.prose) * 100 >= (prose * PERCENT_MAX).max(1)
    {
        return false;
    }
    let leads_elsewhere = |node: Node<'_>| {
        node.is(&local_name!("a"))
            && node
                .attribute("href")
                .is_some_and(|address| !ADDRESSES.is_match(address) && !address.starts_with('#'))
    };
    if element.node.descendants().any(leads_elsewhere) {
        return false;
    }
    let mut is_called = false;
    for leaf in survey.leaves.iter().filter(|leaf| (at..element.end).contains(&leaf.owner)) {
        let owner = &survey.elements[leaf.owner];
        if owner.beside {
            continue;
        }
        if owner.chars == leaf.chars && WORDS.is_match(&owner.node.text()) {
            is_called = true;
        } else if leaf.looks == Looks::Prose && leaf.chars >= LINE_CHARS_MAX {
            return false;
        }
    }
    is_called
}
