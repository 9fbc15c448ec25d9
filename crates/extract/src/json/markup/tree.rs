//! Documents whose nodes have a `type` and `children`: Strapi's blocks, Slate, Lexical.

use serde_json::Value as Json;

use super::{LeftOut, element, push_link, push_marked, push_text};
use crate::Pointer;

/// What a node is.
pub(super) enum Kind<'j> {
    /// Text, with the elements that mark it.
    Text(&'j str, Vec<&'static str>),
    /// A new line within a text.
    Break,
    /// A link to this address.
    Link(&'j str),
    /// What HTML has an element for.
    Element(&'static str),
    /// Text whose white space counts: that of the nodes below, or this one.
    Code(Option<&'j str>),
    /// A thematic break.
    Separator,
    /// Nothing but the nodes below.
    Around,
    /// A type that no text is known of.
    Unknown(&'j str),
}

/// Tells what a node of an editor is.
pub(super) type Dialect = fn(&Json) -> Kind<'_>;

pub(super) fn write(nodes: &[Json], at: &Pointer, dialect: Dialect, left_out: &mut LeftOut) -> String {
    let mut html = String::new();
    Writer { dialect, left_out }.nodes(&mut html, nodes, at);
    html
}

struct Writer<'l> {
    dialect: Dialect,
    left_out: &'l mut LeftOut,
}

impl Writer<'_> {
    fn nodes(&mut self, html: &mut String, nodes: &[Json], at: &Pointer) {
        for (index, node) in nodes.iter().enumerate() {
            self.node(html, node, &at.index(index));
        }
    }

    fn node(&mut self, html: &mut String, node: &Json, at: &Pointer) {
        let (kind, below) = ((self.dialect)(node), at.key("children"));
        if has_other_children(node) && !matches!(kind, Kind::Unknown(_)) {
            self.left_out.note(string(node, "type").unwrap_or_default(), at);
        }
        let children = children(node);
        match kind {
            Kind::Text(text, tags) => push_marked(html, text, tags.into_iter()),
            Kind::Break => html.push_str("<br>"),
            Kind::Link(address) => {
                push_link(html, address);
                self.nodes(html, children, &below);
                html.push_str("</a>");
            }
            // Editors wrap a list within a list in an item of its own; it belongs to the one before.
            Kind::Element("li") if !children.is_empty() && children.iter().all(|node| self.is_list(node)) => {
                self.nodes(html, children, &below);
            }
            Kind::Element(tag) => element(html, tag, |html| self.nodes(html, children, &below)),
            Kind::Code(Some(text)) => element(html, "pre", |html| push_text(html, text)),
            Kind::Code(None) => element(html, "pre", |html| self.code(html, children, &below)),
            Kind::Separator => html.push_str("<hr>"),
            Kind::Around => self.nodes(html, children, &below),
            Kind::Unknown(name) => self.left_out.note(name, at),
        }
    }

    fn is_list(&self, node: &Json) -> bool {
        matches!((self.dialect)(node), Kind::Element("ul" | "ol"))
    }

    /// The lines of code below a node.
    fn code(&mut self, html: &mut String, nodes: &[Json], at: &Pointer) {
        for (index, node) in nodes.iter().enumerate() {
            let at = at.index(index);
            match (self.dialect)(node) {
                Kind::Text(text, _) => push_text(html, text),
                Kind::Break => html.push('\n'),
                Kind::Unknown(name) => self.left_out.note(name, &at),
                _ => {
                    self.code(html, children(node), &at.key("children"));
                    html.push('\n');
                }
            }
        }
    }
}

fn children(node: &Json) -> &[Json] {
    node.get("children").and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

/// Whether a node has children that are no list of nodes.
fn has_other_children(node: &Json) -> bool {
    node.get("children").is_some_and(|children| !children.is_array() && !children.is_null())
}

fn string<'j>(of: &'j Json, key: &str) -> Option<&'j str> {
    of.get(key)?.as_str()
}

fn heading(level: u64) -> &'static str {
    match level {
        1 => "h1",
        2 => "h2",
        3 => "h3",
        4 => "h4",
        5 => "h5",
        _ => "h6",
    }
}

/// A text node, or one of a type that is not known where its text is none.
fn text<'j>(node: &'j Json, kind: &'j str, tags: Vec<&'static str>) -> Kind<'j> {
    string(node, "text").map_or(Kind::Unknown(kind), |text| Kind::Text(text, tags))
}

/// The elements for marks that a text node has as members which are `true`.
fn marks(node: &Json, names: &[(&str, &'static str)]) -> Vec<&'static str> {
    let is_set = |name: &str| node.get(name).and_then(Json::as_bool).unwrap_or_default();
    names.iter().filter(|(name, _)| is_set(name)).map(|(_, tag)| *tag).collect()
}

/// Blocks of Strapi 5's (and 4.15's) rich text field.
pub(super) fn strapi(node: &Json) -> Kind<'_> {
    const MARKS: [(&str, &str); 4] =
        [("bold", "strong"), ("italic", "em"), ("strikethrough", "s"), ("code", "code")];
    let kind = string(node, "type").unwrap_or_default();
    match kind {
        "text" => text(node, kind, marks(node, &MARKS)),
        "link" => Kind::Link(string(node, "url").unwrap_or_default()),
        "paragraph" => Kind::Element("p"),
        "heading" => Kind::Element(heading(node.get("level").and_then(Json::as_u64).unwrap_or(2))),
        "list" if string(node, "format") == Some("ordered") => Kind::Element("ol"),
        "list" => Kind::Element("ul"),
        "list-item" => Kind::Element("li"),
        "quote" => Kind::Element("blockquote"),
        "code" => Kind::Code(None),
        other => Kind::Unknown(other),
    }
}

/// Slate leaves names to those who use it; these are those of its own examples, Plate, Payload and Keystone.
pub(super) fn slate(node: &Json) -> Kind<'_> {
    const MARKS: [(&str, &str); 10] = [
        ("bold", "strong"),
        ("strong", "strong"),
        ("italic", "em"),
        ("em", "em"),
        ("emphasis", "em"),
        ("code", "code"),
        ("strikethrough", "s"),
        ("strike", "s"),
        ("subscript", "sub"),
        ("superscript", "sup"),
    ];
    if let Some(text) = string(node, "text") {
        return Kind::Text(text, marks(node, &MARKS));
    }
    // Payload's paragraphs have no type.
    let Some(name) = string(node, "type") else {
        return if node.get("children").is_some() { Kind::Element("p") } else { Kind::Unknown("") };
    };
    let number = |key: &str| node.get(key).and_then(Json::as_u64);
    // `heading-one`, `heading_one` and `headingOne` are the same.
    let folded: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    match folded.as_str() {
        "p" | "paragraph" => Kind::Element("p"),
        "h1" | "heading1" | "headingone" => Kind::Element("h1"),
        "h2" | "heading2" | "headingtwo" => Kind::Element("h2"),
        "h3" | "heading3" | "headingthree" => Kind::Element("h3"),
        "h4" | "heading4" | "headingfour" => Kind::Element("h4"),
        "h5" | "heading5" | "headingfive" => Kind::Element("h5"),
        "h6" | "heading6" | "headingsix" => Kind::Element("h6"),
        "heading" => Kind::Element(heading(number("level").or_else(|| number("depth")).unwrap_or(2))),
        "ul" | "bulletedlist" | "bulletlist" | "unorderedlist" => Kind::Element("ul"),
        "ol" | "numberedlist" | "orderedlist" => Kind::Element("ol"),
        "li" | "listitem" => Kind::Element("li"),
        "blockquote" | "quote" => Kind::Element("blockquote"),
        "code" | "codeblock" | "pre" => Kind::Code(None),
        "a" | "link" => Kind::Link(string(node, "url").or_else(|| string(node, "href")).unwrap_or_default()),
        "hr" | "divider" | "thematicbreak" | "horizontalrule" => Kind::Separator,
        "br" | "softbreak" => Kind::Break,
        "table" => Kind::Element("table"),
        "tr" | "tablerow" => Kind::Element("tr"),
        "td" | "tablecell" => Kind::Element("td"),
        "th" | "tableheader" | "tableheadercell" => Kind::Element("th"),
        "lic" | "listitemcontent" | "listitemchild" | "listitemtext" | "tablebody" | "tbody"
        | "tablehead" | "thead" | "codeline" | "indent" => Kind::Around,
        _ => Kind::Unknown(name),
    }
}

/// Lexical, with the nodes of its own packages, Payload and Ghost.
pub(super) fn lexical(node: &Json) -> Kind<'_> {
    /// `TextNode`'s bits; underlining (8) marks nothing that is kept.
    const FORMATS: [(u64, &str); 6] =
        [(1, "strong"), (2, "em"), (4, "s"), (16, "code"), (32, "sub"), (64, "sup")];
    let name = string(node, "type").unwrap_or_default();
    match name.strip_prefix("extended-").unwrap_or(name) {
        "text" | "code-highlight" | "hashtag" => {
            let format = node.get("format").and_then(Json::as_u64).unwrap_or_default();
            let tags = FORMATS.iter().filter(|(bit, _)| format & bit != 0).map(|(_, tag)| *tag);
            text(node, name, tags.collect())
        }
        "tab" => Kind::Text("\t", Vec::new()),
        "linebreak" => Kind::Break,
        "link" | "autolink" => {
            let fields = node.get("fields").unwrap_or(node);
            Kind::Link(string(node, "url").or_else(|| string(fields, "url")).unwrap_or_default())
        }
        "paragraph" => Kind::Element("p"),
        "heading" => {
            let level = string(node, "tag").and_then(|tag| tag.strip_prefix('h')?.parse().ok());
            Kind::Element(heading(level.unwrap_or(2)))
        }
        "list" if string(node, "listType") == Some("number") => Kind::Element("ol"),
        "list" => Kind::Element("ul"),
        "listitem" => Kind::Element("li"),
        "quote" => Kind::Element("blockquote"),
        "code" => Kind::Code(None),
        "codeblock" => string(node, "code").map_or(Kind::Unknown(name), |code| Kind::Code(Some(code))),
        "horizontalrule" => Kind::Separator,
        "table" => Kind::Element("table"),
        "tablerow" => Kind::Element("tr"),
        "tablecell" if node.get("headerState").and_then(Json::as_u64).unwrap_or_default() > 0 => {
            Kind::Element("th")
        }
        "tablecell" => Kind::Element("td"),
        "root" | "overflow" | "mark" => Kind::Around,
        _ => Kind::Unknown(name),
    }
}
