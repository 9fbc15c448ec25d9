//! The words by which authors of pages name what is not the article: general vocabulary, no site's own names.

use html5ever::local_name;

use crate::dom::Node;

/// What an element says of itself to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Nothing in particular.
    Plain,
    /// Something beside the article: navigation, comments, sharing, teasers, advertisements, a picture with its caption.
    Beside,
    /// Perhaps beside the article, or a frame around it: the words for both are the same.
    Around,
    /// Not shown.
    Hidden,
}

/// What an element's name, attributes and class names say of it.
pub(super) fn role(node: Node<'_>) -> Role {
    match node.name() {
        Some(
            &local_name!("nav")
            | &local_name!("footer")
            | &local_name!("aside")
            | &local_name!("form")
            | &local_name!("button")
            | &local_name!("dialog")
            | &local_name!("figcaption")
            | &local_name!("label"),
        ) => return Role::Beside,
        Some(&local_name!("html") | &local_name!("body")) => return Role::Plain,
        _ => {}
    }
    let mut role = Role::Plain;
    for attribute in node.attributes() {
        let value = &*attribute.value;
        match &*attribute.name.local {
            "hidden" => return Role::Hidden,
            "aria-hidden" if value == "true" => return Role::Hidden,
            "style" if is_hiding(value) => return Role::Hidden,
            "role" if is_role_beside(value) => role = Role::Beside,
            "class" | "id" if role != Role::Beside => {
                let own = names_role(value);
                if own != Role::Plain {
                    role = own;
                }
            }
            _ => {}
        }
    }
    role
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
fn names_role(names: &str) -> Role {
    let mut role = Role::Plain;
    for name in names.split_ascii_whitespace() {
        let mut own = Role::Plain;
        for word in words(name) {
            match word_role(word) {
                Word::Beside => own = Role::Beside,
                Word::Around if own == Role::Plain => own = Role::Around,
                // `has-sidebar`, `sidebar-grid`, `no-ads`: says how the page is laid out.
                Word::Layout => {
                    own = Role::Plain;
                    break;
                }
                _ => {}
            }
        }
        if own == Role::Beside || role == Role::Plain {
            role = own;
        }
    }
    role
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
            | b"masthead" | b"toolbar" | b"pagination" | b"pager" | b"toc"
            | b"skip" | b"dropdown"
        // What readers say.
            | b"comment" | b"comments" | b"commentlist" | b"disqus" | b"respond" | b"replies" | b"discussion" | b"livefyre"
        // Passing it on.
            | b"share" | b"shares" | b"sharing" | b"sharebar" | b"socials" | b"sharedaddy" | b"addtoany" | b"addthis"
        // Other articles.
            | b"related" | b"recommended" | b"recommendation" | b"recommendations" | b"recirc" | b"recirculation" | b"suggested" | b"suggestions" | b"trending" | b"popular" | b"mostread" | b"readmore"
            | b"outbrain" | b"taboola" | b"upsell" | b"ticker"
        // Money.
            | b"advert" | b"adverts" | b"advertisement" | b"advertising" | b"adslot" | b"sponsors" | b"regwall" | b"donate" | b"donation"
        // Letters and accounts.
            | b"newsletter" | b"newsletters" | b"subscribe" | b"subscription" | b"subscriptions" | b"signup" | b"optin" | b"login" | b"signin" | b"register"
        // Notices.
            | b"cookie" | b"cookies" | b"consent" | b"gdpr" | b"tooltip"
        // Pictures, sound and their words.
            | b"caption" | b"captions" | b"lightbox"
        // About the article, not of it.
            | b"byline" | b"bio" | b"timestamp" | b"taglist" | b"tagcloud" | b"keywords"
        => Word::Beside,
        b"nav" | b"menu" | b"footer" | b"sidebar" | b"rail" | b"tools" | b"search" | b"tabs" | b"rating" | b"poll" | b"social" | b"follow" | b"print"
            | b"teaser" | b"teasers" | b"promo" | b"promos" | b"promotion" | b"ad" | b"ads" | b"banner" | b"sponsor" | b"sponsored" | b"affiliate"
            | b"cta" | b"modal" | b"popup" | b"popover" | b"overlay" | b"noprint"
            | b"gallery" | b"slideshow" | b"carousel" | b"slider" | b"video" | b"audio" | b"player" | b"podcast" | b"credit" | b"credits"
            | b"author" | b"authors" | b"meta" | b"metadata" | b"tags" | b"copyright" | b"hidden" | b"offscreen"
        => Word::Around,
        _ => Word::Other,
    }
}
