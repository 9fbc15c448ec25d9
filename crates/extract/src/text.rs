//! What a text says, apart from how it is laid out: white space and block boundaries.

use html5ever::{LocalName, local_name};

use crate::dom::Node;

/// Runs of white space become one space, those at the ends go. White space is what Unicode calls so; a no-break space counts too, since
/// where a line may break is layout.
pub(crate) fn normalise(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    push_normal(&mut normal, text);
    trim_end(&mut normal);
    normal
}

/// Appends text, its white space normalised also across the seam.
pub(crate) fn push_normal(normal: &mut String, text: &str) {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start();
        if trimmed.len() < rest.len() {
            push_space(normal);
        }
        if trimmed.is_empty() {
            return;
        }
        let (normal_already, after) = trimmed.split_at(normal_end(trimmed));
        normal.push_str(normal_already);
        rest = after;
    }
}

/// How far a text that begins with a word is normal as it stands. Most bytes can be passed without looking at the character they belong to.
fn normal_end(text: &str) -> usize {
    let mut at = 0;
    let bytes = text.as_bytes();
    // White space is ASCII or begins with one of these: U+0085, U+00A0, U+1680, U+2000 and on, U+3000.
    let may_be_space = |byte: u8| byte <= b' ' || matches!(byte, 0xc2 | 0xe1..=0xe3);
    while let Some(&byte) = bytes.get(at) {
        if may_be_space(byte) {
            let is_between_words = byte == b' ' && bytes.get(at + 1).is_some_and(|&next| !may_be_space(next));
            if !is_between_words && text[at..].starts_with(char::is_whitespace) {
                return at;
            }
        }
        at += 1;
    }
    at
}

/// Ends a word: appends a space, but neither at the beginning nor after another.
pub(crate) fn push_space(normal: &mut String) {
    if !normal.is_empty() && !normal.ends_with(' ') {
        normal.push(' ');
    }
}

/// Takes the space off that ended the last word.
pub(crate) fn trim_end(normal: &mut String) {
    if normal.ends_with(' ') {
        normal.pop();
    }
}

/// How an element stands in the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Within a line: its edges end no word.
    Inline,
    /// On lines of its own.
    Block,
    /// Not text at all: never shown, or shown by other means.
    Absent,
}

/// How an HTML element stands in the text around it, by the rendering section of the HTML standard. Elements the standard does not know
/// are inline there, and here.
pub(crate) fn flow(name: &LocalName) -> Flow {
    match *name {
        local_name!("script")
        | local_name!("style")
        | local_name!("template")
        | local_name!("noscript")
        | local_name!("head")
        | local_name!("title")
        | local_name!("meta")
        | local_name!("link")
        | local_name!("base")
        | local_name!("iframe")
        | local_name!("noembed")
        | local_name!("noframes")
        | local_name!("object")
        | local_name!("embed")
        | local_name!("applet")
        | local_name!("video")
        | local_name!("audio")
        | local_name!("canvas")
        | local_name!("img")
        | local_name!("picture")
        | local_name!("source")
        | local_name!("track")
        | local_name!("map")
        | local_name!("area")
        | local_name!("input")
        | local_name!("select")
        | local_name!("datalist")
        | local_name!("option")
        | local_name!("textarea")
        | local_name!("progress")
        | local_name!("meter") => Flow::Absent,
        local_name!("html")
        | local_name!("body")
        | local_name!("address")
        | local_name!("article")
        | local_name!("aside")
        | local_name!("blockquote")
        | local_name!("br")
        | local_name!("button")
        | local_name!("caption")
        | local_name!("center")
        | local_name!("col")
        | local_name!("colgroup")
        | local_name!("dd")
        | local_name!("details")
        | local_name!("dialog")
        | local_name!("dir")
        | local_name!("div")
        | local_name!("dl")
        | local_name!("dt")
        | local_name!("fieldset")
        | local_name!("figcaption")
        | local_name!("figure")
        | local_name!("footer")
        | local_name!("form")
        | local_name!("h1")
        | local_name!("h2")
        | local_name!("h3")
        | local_name!("h4")
        | local_name!("h5")
        | local_name!("h6")
        | local_name!("header")
        | local_name!("hgroup")
        | local_name!("hr")
        | local_name!("legend")
        | local_name!("li")
        | local_name!("listing")
        | local_name!("main")
        | local_name!("menu")
        | local_name!("nav")
        | local_name!("ol")
        | local_name!("optgroup")
        | local_name!("p")
        | local_name!("plaintext")
        | local_name!("pre")
        | local_name!("search")
        | local_name!("section")
        | local_name!("summary")
        | local_name!("table")
        | local_name!("tbody")
        | local_name!("td")
        | local_name!("tfoot")
        | local_name!("th")
        | local_name!("thead")
        | local_name!("tr")
        | local_name!("ul")
        | local_name!("xmp") => Flow::Block,
        _ => Flow::Inline,
    }
}

/// How a node stands in the text around it; `None` of what is no element of HTML. How the characters of a ruby are read stands above them, and within the line
/// would be said as if it went on, unless the page has brackets (`rp`) for that case.
pub(crate) fn flow_of(node: Node<'_>) -> Option<Flow> {
    let name = node.name()?;
    let is_bare = || {
        let is_reading =
            |node: &Node<'_>| matches!(node.name(), Some(&local_name!("rt") | &local_name!("rtc")));
        let in_ruby =
            node.ancestors().find(|above| !is_reading(above)).filter(|ruby| ruby.is(&local_name!("ruby")));
        in_ruby.is_some_and(|ruby| {
            !ruby.descendants().take(RUBY_NODES_MAX).any(|node| node.is(&local_name!("rp")))
        })
    };
    if matches!(*name, local_name!("rt") | local_name!("rtc")) && is_bare() {
        return Some(Flow::Absent);
    }
    Some(flow(name))
}

/// Nodes of a ruby among which its brackets are looked for: they stand at its beginning.
const RUBY_NODES_MAX: usize = 16;

/// What a node says: see [`Node::text`].
pub(crate) fn of(top: Node<'_>) -> String {
    let mut text = String::new();
    if let Some(own) = top.as_text() {
        push_normal(&mut text, own);
    }
    walk(top, is_shown, &mut |step| match step {
        Step::Text(_, own) => push_normal(&mut text, own),
        Step::Edge(_) => push_space(&mut text),
    });
    trim_end(&mut text);
    text
}

/// Visits every text node below `top` that is shown, in document order.
pub(crate) fn each<'a>(top: Node<'a>, mut visit: impl FnMut(Node<'a>, &'a str)) {
    walk(top, is_shown, &mut |step| {
        if let Step::Text(node, text) = step {
            visit(node, text);
        }
    });
}

/// What is come by on a walk.
pub(crate) enum Step<'a> {
    Text(Node<'a>, &'a str),
    /// This block begins or ends.
    Edge(Node<'a>),
}

/// Whether an element is text, as far as its name says.
pub(crate) fn is_shown(node: Node<'_>) -> bool {
    flow_of(node).is_some_and(|flow| flow != Flow::Absent)
}

/// Walks through what is below `top`, but not into the elements that `enters` does not hold of.
pub(crate) fn walk<'a>(top: Node<'a>, enters: impl Fn(Node<'a>) -> bool, visit: &mut dyn FnMut(Step<'a>)) {
    let mut node = top;
    // One step a round: down into the node, or on to what follows it, leaving the elements that end on the way.
    loop {
        if let Some(child) = node.first_child().filter(|_| node == top || enters(node)) {
            node = child;
        } else {
            if node == top {
                return;
            }
            while node.next().is_none() {
                match node.parent() {
                    Some(parent) if parent != top => node = parent,
                    _ => return,
                }
                edge_at(node, visit);
            }
            match node.next() {
                Some(next) => node = next,
                None => return,
            }
        }
        match node.as_text() {
            Some(own) => visit(Step::Text(node, own)),
            None => edge_at(node, visit),
        }
    }
}

fn edge_at<'a>(node: Node<'a>, visit: &mut dyn FnMut(Step<'a>)) {
    if node.name().is_some_and(|name| flow(name) == Flow::Block) {
        visit(Step::Edge(node));
    }
}
