//! The words by which authors of pages name what is not the article: general vocabulary, no site's own names.

use html5ever::local_name;

use crate::dom::Node;

/// What an element says of itself to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Nothing in particular.
    Plain,
    /// A picture with what is said about it, if there is one in it.
    Picture,
    /// A player or a row of pictures, unless it sets off a part of the text.
    Player,
    /// Perhaps beside the article, or a frame around it: the words for both are the same.
    Around,
    /// A few sentences that lead into an article: into another one, or, under the headline, into this.
    Teaser,
    /// Something beside the article: navigation, comments, sharing, advertisements.
    Beside,
    /// Not shown.
    Hidden,
}

/// What an element's name, attributes and class names say of it, and which word said so (0 for none).
pub(super) fn role(node: Node<'_>) -> (Role, u16) {
    match node.name() {
        Some(
            &local_name!("nav")
            | &local_name!("footer")
            | &local_name!("aside")
            | &local_name!("form")
            | &local_name!("dialog")
            | &local_name!("figcaption")
            | &local_name!("label"),
        ) => return (Role::Beside, 0),
        // A heading that unfolds what is under it is often a button.
        Some(&local_name!("button")) if !is_of_heading(node) => return (Role::Beside, 0),
        Some(&local_name!("html") | &local_name!("body")) => return (Role::Plain, 0),
        _ => {}
    }
    let mut role = if node.is(&local_name!("figure")) && !holds_text(node) {
        (Role::Beside, 0)
    } else {
        (Role::Plain, 0)
    };
    for attribute in node.attributes() {
        let value = &*attribute.value;
        match &*attribute.name.local {
            "hidden" => return (Role::Hidden, 0),
            "aria-hidden" if value == "true" => return (Role::Hidden, 0),
            "style" if is_hiding(value) => return (Role::Hidden, 0),
            "role" if is_role_beside(value) => role = (Role::Beside, 0),
            // A heading's id is made of its own words.
            "id" if is_heading(node) => {}
            "class" | "id" if role.0 < Role::Beside => role = role.max(names_role(value)),
            _ => {}
        }
    }
    if role.0 == Role::Player && holds_text(node) { (Role::Plain, 0) } else { role }
}

fn is_heading(node: Node<'_>) -> bool {
    super::heading_level(node).is_some()
}

/// Whether a button holds a heading or stands in one.
fn is_of_heading(button: Node<'_>) -> bool {
    button.descendants().any(is_heading) || button.parent().is_some_and(is_heading)
}

/// Whether a `figure` sets off a part of the text: a table, a quotation, code.
fn holds_text(figure: Node<'_>) -> bool {
    figure.descendants().any(|node| {
        matches!(node.name(), Some(&local_name!("table") | &local_name!("blockquote") | &local_name!("pre")))
    })
}

fn is_hiding(style: &str) -> bool {
    style.split(';').any(|declaration| {
        declaration.split_once(':').is_some_and(|(property, value)| {
            let value = value.trim();
            property.trim().eq_ignore_ascii_case("display")
                && value.get(..4).is_some_and(|v| v.eq_ignore_ascii_case("none"))
                || property.trim().eq_ignore_ascii_case("visibility")
                    && value.get(..6).is_some_and(|v| v.eq_ignore_ascii_case("hidden"))
        })
    })
}

fn is_role_beside(role: &str) -> bool {
    matches!(
        role,
        "navigation"
            | "complementary"
            | "banner"
            | "contentinfo"
            | "search"
            | "dialog"
            | "alertdialog"
            | "menu"
            | "menubar"
            | "toolbar"
            | "button"
            | "tablist"
            | "tooltip"
    )
}

/// What a class list or an id names.
fn names_role(names: &str) -> (Role, u16) {
    let mut role = (Role::Plain, 0);
    for name in names.split_ascii_whitespace() {
        if matches!(
            name,
            "hidden"
                | "is-hidden"
                | "visually-hidden"
                | "visuallyhidden"
                | "sr-only"
                | "screen-reader-text"
                | "screen-reader-only"
                | "d-none"
                | "offscreen"
                | "u-hidden"
        ) {
            return (Role::Hidden, 0);
        }
        let mut own = (Role::Plain, 0);
        for word in words(name) {
            let found = match word_role(word) {
                Word::Beside => Role::Beside,
                Word::Around => Role::Around,
                Word::Teaser => Role::Teaser,
                Word::Picture => Role::Picture,
                Word::Player => Role::Player,
                // `has-sidebar`, `sidebar-grid`, `no-ads`: says how the page is laid out.
                Word::Layout => {
                    own = (Role::Plain, 0);
                    break;
                }
                Word::Other => continue,
            };
            own = own.max((found, mark(word)));
        }
        role = role.max(own);
    }
    role
}

/// A number for a word, the same for the same word. That two words share one is unlikely and does little harm.
fn mark(word: &str) -> u16 {
    let hash = word
        .bytes()
        .fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte.to_ascii_lowercase())));
    (hash % 1000 + 1) as u16
}

/// Whether a word names what readers say, which may well be most of a page.
pub(super) fn is_of_readers(word: u16) -> bool {
    ["comment", "comments", "commentlist", "disqus", "respond", "replies", "discussion"]
        .iter()
        .any(|name| mark(name) == word)
}

/// The words in class names and ids: `article__relatedPosts` has three.
fn words(names: &str) -> impl Iterator<Item = &str> {
    names.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(camel_words).filter(|word| !word.is_empty())
}

fn camel_words(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let bytes = rest.as_bytes();
        let end =
            (1..bytes.len()).find(|&at| bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase());
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(word)
    })
}

enum Word {
    Other,
    Beside,
    Around,
    Teaser,
    Picture,
    Player,
    Layout,
}

fn word_role(word: &str) -> Word {
    let mut lower = [0; 16];
    let Some(lower) = lower.get_mut(..word.len()) else { return Word::Other };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    match &*lower {
        b"grid" | b"layout" | b"has" | b"with" | b"no" | b"without" => Word::Layout,
        // Ways around the site.
        b"navi" | b"navigation" | b"navbar" | b"subnav" | b"submenu" | b"breadcrumb" | b"breadcrumbs" | b"crumbs"
            | b"masthead" | b"toolbar" | b"pagination" | b"pager"
            | b"skip" | b"dropdown"
        // What readers say.
            | b"comment" | b"comments" | b"commentlist" | b"disqus" | b"respond" | b"replies" | b"discussion" | b"livefyre" | b"kommentar" | b"kommentare" | b"commentaires" | b"comentarios" | b"commenti" | b"lesermeinung"
        // Passing it on.
            | b"share" | b"shares" | b"sharing" | b"sharebar" | b"socials" | b"sharedaddy" | b"addtoany" | b"addthis" | b"teilen" | b"partager" | b"compartir" | b"condividi"
        // Other articles.
            | b"related" | b"recommended" | b"recommendation" | b"recommendations" | b"recirc" | b"recirculation" | b"suggested" | b"suggestions" | b"trending" | b"popular" | b"mostread" | b"readmore"
            | b"outbrain" | b"taboola" | b"upsell" | b"ticker" | b"weiterlesen" | b"relacionadas" | b"relacionados" | b"correlati"
        // Money.
            | b"advert" | b"adverts" | b"advertisement" | b"advertising" | b"adslot" | b"sponsors" | b"regwall" | b"donate" | b"donation" | b"anzeige" | b"anzeigen" | b"werbung" | b"publicite" | b"publicidad" | b"pubblicita" | b"publicidade" | b"reklama" | b"reklam" | b"reklame" | b"annons" | b"annonse"
        // Letters and accounts.
            | b"newsletter" | b"newsletters" | b"subscribe" | b"subscription" | b"subscriptions" | b"signup" | b"optin" | b"login" | b"signin" | b"register"
        // Notices.
            | b"cookie" | b"cookies" | b"consent" | b"gdpr" | b"tooltip" | b"rollover" | b"hovercard"
        // Pictures, sound and their words.
            | b"caption" | b"captions" | b"lightbox"
        // About the article, not of it.
            | b"byline" | b"bio" | b"timestamp" | b"taglist" | b"tagcloud" | b"keywords"
        => Word::Beside,
        b"nav" | b"menu" | b"footer" | b"sidebar" | b"rail" | b"tools" | b"search" | b"tabs" | b"rating" | b"poll" | b"social" | b"follow" | b"print"
            | b"promo" | b"promos" | b"promotion" | b"ad" | b"ads" | b"banner" | b"sponsor" | b"sponsored" | b"affiliate"
            | b"cta" | b"modal" | b"popup" | b"popover" | b"overlay" | b"noprint"
            | b"credit" | b"credits" | b"prev" | b"autor" | b"autoren" | b"auteur"
            | b"author" | b"authors" | b"meta" | b"metadata" | b"tags" | b"copyright"
            | b"toc" | b"blocker" | b"disclaimer" | b"pullquote"
        => Word::Around,
        b"image" | b"images" | b"img" | b"imgbox" | b"picture" | b"photo" | b"photos" | b"media" | b"figure" | b"thumbnail" | b"thumb" | b"illustration"
        => Word::Picture,
        b"gallery" | b"slideshow" | b"carousel" | b"slider" | b"video" | b"audio" | b"player" | b"podcast" => Word::Player,
        b"teaser" | b"teasers" => Word::Teaser,
        lower => compound_role(lower),
    }
}

/// Names written as one word: `relatedposts`, `inlinegallery`.
fn compound_role(word: &[u8]) -> Word {
    const PARTS: [&[u8]; 11] = [
        b"related",
        b"gallery",
        b"newsletter",
        b"breadcrumb",
        b"comment",
        b"advert",
        b"subscribe",
        b"sidebar",
        b"recommend",
        b"caption",
        b"slideshow",
    ];
    if word.starts_with(b"teaser") || word.ends_with(b"teaser") {
        return Word::Teaser;
    }
    if PARTS.iter().any(|part| word.len() > part.len() && (word.starts_with(part) || word.ends_with(part))) {
        Word::Around
    } else {
        Word::Other
    }
}

/// Whether a leaf only labels what is left out: an advertisement, the source of a picture.
pub(super) fn is_label(text: &str, chars: u32) -> bool {
    let text = text.trim();
    if let Some(holder) = text.strip_prefix(['©', 'ⓒ']) {
        // With a year it is a notice about the article, without one the credit of a picture.
        return !holder.trim_start().starts_with(|c: char| c.is_ascii_digit());
    }
    let mut lower = text.to_lowercase();
    while lower.ends_with([':', '.', ' ', '…']) {
        lower.pop();
    }
    if chars < 30
        && matches!(
            &*lower,
            "advert"
                | "advertisement"
                | "ad"
                | "advertising"
                | "sponsored"
                | "promoted"
                | "anzeige"
                | "werbung"
                | "publicité"
                | "publicidad"
                | "pubblicità"
                | "publicidade"
                | "reklam"
                | "reklama"
                | "reklame"
                | "annons"
                | "annonse"
                | "advertentie"
                | "реклама"
                | "広告"
                | "comments"
                | "comment"
                | "kommentare"
                | "commentaires"
                | "comentarios"
                | "share"
                | "share this"
                | "teilen"
                | "partager"
                | "compartir"
                | "loading"
                | "loading ..."
        )
    {
        return true;
    }
    [
        "photo:",
        "photos:",
        "foto:",
        "fotos:",
        "bild:",
        "bilder:",
        "image:",
        "images:",
        "picture:",
        "image copyright",
        "image source",
        "image credit",
        "(image credit",
        "photo credit",
        "photo by",
        "photograph:",
        "bildrechte",
        "crédit photo",
        "crédits photo",
        "main image",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
}

/// Whether a line says when or by whom, rather than what: it holds a year or a time of day, or begins with `By`.
pub(super) fn is_dateline(text: &str) -> bool {
    let text = text.trim();
    let by = ["by ", "von ", "par ", "por ", "di ", "da ", "door ", "av ", "af "];
    let lower = text.to_lowercase();
    if by.iter().any(|by| lower.starts_with(by)) {
        return true;
    }
    let digits = text.split(|c: char| !c.is_ascii_digit() && c != ':');
    digits.into_iter().any(|run| {
        run.len() == 4 && (run.starts_with("19") || run.starts_with("20"))
            || run.len() >= 4 && run.contains(':')
    })
}
