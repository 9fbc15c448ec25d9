//! The words by which authors of pages name what is not the article: general vocabulary, no site's own names.

use std::collections::HashMap;
use std::sync::LazyLock;

use html5ever::local_name;

use super::survey::heading_level;
use crate::dom::Node;

/// What an element says of itself to be, the vaguest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Nothing in particular.
    Plain,
    /// What has to be paid for, or the notice that says so: sites name both alike.
    Paid,
    /// A picture with what is said about it, if there is one in it.
    Picture,
    /// A player or a row of pictures, unless it sets off a part of the text.
    Player,
    /// Perhaps beside the article, or a frame around it: the words for both are the same.
    Around,
    /// A few sentences that lead into an article: into another one, or, under the headline, into this.
    Teaser,
    /// Something beside the article: navigation, sharing, advertisements.
    Beside,
    /// What readers say, and notices about cookies: beside an article also where there is more of it than of the article.
    Apart,
    /// Not shown.
    Hidden,
}

/// Which word said so; 0 for none.
pub(super) type Word = u16;

/// What an element's name, attributes and class names say of it.
pub(super) fn role(node: Node<'_>) -> (Role, Word) {
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
    let mut role = (Role::Plain, 0);
    if node.is(&local_name!("figure")) && !holds_text(node) {
        role.0 = Role::Beside;
    }
    for attribute in node.attributes() {
        let (name, value) = (attribute.name, attribute.value);
        if *name == local_name!("class") {
            role = role.max(VOCABULARY.role(value));
        } else if *name == local_name!("id") {
            // A heading's id is made of its own words.
            if heading_level(node).is_none() {
                role = role.max(VOCABULARY.role(value));
            }
        } else if *name == local_name!("role") {
            if is_role_beside(value) || value == "button" && !is_of_heading(node) {
                role = role.max((Role::Beside, 0));
            }
        } else if *name == local_name!("hidden")
            || *name == local_name!("aria-hidden") && value == "true"
            || *name == local_name!("style") && is_hiding(value)
        {
            return (Role::Hidden, 0);
        }
    }
    if role.0 == Role::Player && holds_text(node) { (Role::Plain, 0) } else { role }
}

/// Whether a button holds a heading or stands in one.
fn is_of_heading(button: Node<'_>) -> bool {
    let is_heading = |node: Node<'_>| heading_level(node).is_some();
    button.descendants().any(is_heading) || button.parent().is_some_and(is_heading)
}

/// Whether a figure or a player sets off a part of the text: a table, a quotation, code.
fn holds_text(figure: Node<'_>) -> bool {
    let of_text = [local_name!("table"), local_name!("blockquote"), local_name!("pre")];
    figure.descendants().any(|node| node.name().is_some_and(|name| of_text.contains(name)))
}

fn is_hiding(style: &str) -> bool {
    let is = |value: &str, word: &str| {
        value.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(property, value)| {
        let (property, value) = (property.trim(), value.trim());
        is(property, "display") && is(value, "none") || is(property, "visibility") && is(value, "hidden")
    })
}

/// Roles of WAI-ARIA that are never an article's.
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
            | "tablist"
            | "tooltip"
    )
}

/// Words that say how the page is laid out, and take what the others of the same name say: `has-sidebar`, `sidebar-grid`, `no-ads`.
const LAYOUT: &[&str] = &["grid", "has", "layout", "no", "with", "without"];

/// Words that mean nothing else, however much there is of it.
const APART: &[&[&str]] = &[
    // What readers say.
    &["comment", "comments", "commentlist", "discussion", "disqus", "livefyre", "replies", "respond"],
    &["comentarios", "commentaires", "commenti", "kommentar", "kommentare", "lesermeinung"],
    // Notices.
    &["consent", "cookie", "cookies", "gdpr", "privacy"],
];

/// Words that mean little else.
const BESIDE: &[&[&str]] = &[
    // Ways around the site.
    &[
        "breadcrumb",
        "breadcrumbs",
        "crumbs",
        "dropdown",
        "masthead",
        "navbar",
        "navi",
        "navigation",
        "pager",
        "pagination",
    ],
    &["skip", "submenu", "subnav", "toolbar"],
    // Passing it on.
    &["addthis", "addtoany", "share", "sharebar", "sharedaddy", "shares", "sharing", "socials"],
    &["compartir", "condividi", "partager", "teilen"],
    // Other articles.
    &[
        "mostread",
        "outbrain",
        "popular",
        "readmore",
        "recirc",
        "recirculation",
        "recommendation",
        "recommendations",
    ],
    &["recommended", "related", "suggested", "suggestions", "taboola", "ticker", "trending", "upsell"],
    &["correlati", "relacionadas", "relacionados", "weiterlesen"],
    // Money.
    &[
        "adslot",
        "advert",
        "advertisement",
        "advertising",
        "adverts",
        "donate",
        "donation",
        "regwall",
        "sponsors",
    ],
    &["annons", "annonse", "anzeige", "anzeigen", "publicidad", "publicidade", "publicite", "pubblicita"],
    &["reklam", "reklama", "reklame", "werbung"],
    // Letters and accounts.
    &[
        "login",
        "newsletter",
        "newsletters",
        "optin",
        "register",
        "signin",
        "signup",
        "subscribe",
        "subscription",
    ],
    &["subscriptions"],
    // What pops up, and what calls for something.
    &["cta", "hovercard", "popover", "popup", "promo", "promos", "rollover", "tooltip"],
    // What is said about pictures.
    &["caption", "captions", "lightbox"],
    // About the article, not of it.
    &["bio", "byline", "keywords", "tagcloud", "taglist", "timestamp"],
];

/// Words for what is beside an article or around it.
const AROUND: &[&[&str]] = &[
    &[
        "ad",
        "ads",
        "affiliate",
        "banner",
        "blocker",
        "disclaimer",
        "footer",
        "follow",
        "menu",
        "modal",
        "nav",
    ],
    &["noprint", "overlay", "poll", "prev", "print", "promotion", "pullquote"],
    &["rail", "rating", "search", "sidebar", "social", "sponsor", "sponsored", "tabs", "toc", "tools"],
    &[
        "auteur",
        "author",
        "authors",
        "autor",
        "autoren",
        "copyright",
        "credit",
        "credits",
        "meta",
        "metadata",
        "tags",
    ],
];

/// Words that are like one of these and mean something else: an opinion.
const PLAIN: &[&str] = &["commentary"];

const PAID: &[&str] = &["paywall", "paywalled"];

const PICTURE: &[&str] = &[
    "figure",
    "illustration",
    "image",
    "images",
    "img",
    "imgbox",
    "media",
    "photo",
    "photos",
    "picture",
    "thumb",
    "thumbnail",
];

const PLAYER: &[&str] =
    &["audio", "carousel", "gallery", "player", "podcast", "slider", "slideshow", "video"];

const TEASER: &[&str] = &["teaser", "teasers"];

/// What longer words, written as one, begin or end with: `relatedposts`, `inlinegallery`.
const PARTS: &[(&str, Role)] = &[
    ("advert", Role::Around),
    ("breadcrumb", Role::Around),
    ("caption", Role::Around),
    ("comment", Role::Apart),
    ("gallery", Role::Around),
    ("newsletter", Role::Around),
    ("recommend", Role::Around),
    ("related", Role::Around),
    ("sidebar", Role::Around),
    ("slideshow", Role::Around),
    ("subscribe", Role::Around),
    ("teaser", Role::Teaser),
];

/// Names that sites and frameworks hide elements by.
fn is_hiding_name(name: &str) -> bool {
    matches!(
        name,
        "d-none"
            | "hidden"
            | "is-hidden"
            | "offscreen"
            | "screen-reader-only"
            | "screen-reader-text"
            | "sr-only"
            | "u-hidden"
            | "visually-hidden"
            | "visuallyhidden"
    )
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::new);

/// The words above, made ready to be looked up: class names are most of what a page's mark-up says, and hardly any of their words is one of these.
struct Vocabulary {
    words: HashMap<&'static [u8], (Option<Role>, Word)>,
    /// Which first letters, last letters and lengths the words have.
    shapes: Shapes,
    /// How parts begin, and how they end.
    starts: Shapes,
    ends: Shapes,
}

/// The longest word, and a little more; longer ones are made of several.
const LETTERS_MAX: usize = 32;
/// The shortest of the parts and one letter more.
const COMPOUND_LETTERS_MIN: usize = 7;

impl Vocabulary {
    fn new() -> Self {
        let groups = [
            (None, &[LAYOUT][..]),
            (Some(Role::Apart), APART),
            (Some(Role::Beside), BESIDE),
            (Some(Role::Around), AROUND),
            (Some(Role::Plain), &[PLAIN]),
            (Some(Role::Paid), &[PAID]),
            (Some(Role::Picture), &[PICTURE]),
            (Some(Role::Player), &[PLAYER]),
            (Some(Role::Teaser), &[TEASER]),
        ];
        let entries = groups.into_iter().flat_map(|(role, lists)| {
            lists.iter().copied().flatten().map(move |word| (word.as_bytes(), role))
        });
        let mut vocabulary = Self {
            words: HashMap::new(),
            shapes: Shapes::default(),
            starts: Shapes::default(),
            ends: Shapes::default(),
        };
        for ((word, role), number) in entries.zip(1..) {
            vocabulary.words.insert(word, (role, number));
            vocabulary.shapes.add(Shapes::of_word(word));
        }
        for (part, _) in PARTS {
            vocabulary.starts.add(Shapes::of_start(part.as_bytes()));
            vocabulary.ends.add(Shapes::of_end(part.as_bytes()));
        }
        vocabulary
    }

    /// What a class list or an id names.
    fn role(&self, names: &str) -> (Role, Word) {
        let mut role = (Role::Plain, 0);
        for name in names.split_ascii_whitespace() {
            // `[&_figcaption]:mt-2` and `lg:hidden` say how something looks, or others in it, not what it is.
            if name.bytes().any(|byte| matches!(byte, b':' | b'[')) {
                continue;
            }
            if is_hiding_name(name) {
                return (Role::Hidden, 0);
            }
            // WordPress writes the categories and tags of an article among its class names: they say what it is about.
            if matches!(name, "hentry" | "status-publish") {
                return (Role::Plain, 0);
            }
            role = role.max(self.role_of_name(name));
        }
        role
    }

    fn role_of_name(&self, name: &str) -> (Role, Word) {
        let mut role = (Role::Plain, 0);
        let mut lower = [0; LETTERS_MAX];
        let bytes = name.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            // A word ends where no letter follows, or where a capital follows a small one: `article__relatedPosts` has three.
            let mut length = 0;
            while let Some(&byte) = bytes.get(at).filter(|byte| byte.is_ascii_alphanumeric()) {
                if length > 0 && byte.is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase() {
                    break;
                }
                if let Some(place) = lower.get_mut(length) {
                    *place = byte.to_ascii_lowercase();
                }
                length += 1;
                at += 1;
            }
            if length == 0 {
                at += 1;
                continue;
            }
            let Some(word) = lower.get(..length) else { continue };
            match self.look_up(word) {
                Some((Some(found), number)) => role = role.max((found, number)),
                Some((None, _)) => return (Role::Plain, 0),
                None => {}
            }
        }
        role
    }

    fn look_up(&self, word: &[u8]) -> Option<(Option<Role>, Word)> {
        if self.shapes.has(Shapes::of_word(word))
            && let Some(&found) = self.words.get(word)
        {
            return Some(found);
        }
        let compound = word.len() >= COMPOUND_LETTERS_MIN
            && (self.starts.has(Shapes::of_start(word)) || self.ends.has(Shapes::of_end(word)));
        if !compound {
            return None;
        }
        let part = PARTS
            .iter()
            .zip(1..)
            .find(|((part, _), _)| word.starts_with(part.as_bytes()) || word.ends_with(part.as_bytes()));
        part.map(|(&(_, role), number)| (Some(role), Word::MAX - number))
    }
}

/// A set of small numbers that are made from a few letters: what is not in it need not be looked up.
#[derive(Default)]
struct Shapes([u64; 16]);

impl Shapes {
    fn add(&mut self, shape: u16) {
        self.0[usize::from(shape >> 6 & 15)] |= 1 << (shape & 63);
    }

    fn has(&self, shape: u16) -> bool {
        self.0[usize::from(shape >> 6 & 15)] & 1 << (shape & 63) != 0
    }

    fn of_word(word: &[u8]) -> u16 {
        let (Some(&first), Some(&last)) = (word.first(), word.last()) else { return 0 };
        let length = word.len().to_le_bytes()[0];
        (u16::from(first) * 37 + u16::from(last) * 5).wrapping_add(u16::from(length).wrapping_mul(193))
    }

    fn of_start(word: &[u8]) -> u16 {
        word.iter().take(3).fold(0, |shape, &byte| shape * 7 + u16::from(byte))
    }

    fn of_end(word: &[u8]) -> u16 {
        word.iter().rev().take(3).fold(0, |shape, &byte| shape * 7 + u16::from(byte))
    }
}
