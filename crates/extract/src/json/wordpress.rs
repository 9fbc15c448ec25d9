//! Posts of the WordPress REST API, by the core's own fields. Which they are is said in [`fields`](crate::fields).

use serde_json::Value as Json;

use super::response::{Agreed, Response, fragment, wrong_type};
use super::{Pointer, is_no_date};
use crate::{
    Article, Block, BodyFormat, BodyRule, Descriptor, Envelope, ExtractError, Field, FieldRule, TextFormat,
    Value, WordPressRules, text,
};

pub(crate) fn extract(envelope: &Envelope<'_>, rules: &WordPressRules) -> Result<Article, ExtractError> {
    let response = Response::parse(envelope, Agreed::WordPress(rules))?;
    let post = Pointer::default();
    match response.get(&post) {
        Some(Json::Object(_)) => {}
        other => return Err(wrong_type("post", &post, "an object", other.unwrap_or(&Json::Null))),
    }
    is_public(&response)?;

    let mut notices = Vec::new();
    let mut descriptor = Descriptor::default();
    for (field, path) in SINGLE {
        let values = response.values(field.as_str(), &rule(path))?;
        for value in values.into_iter().filter(|value| !is_no_date(&value.text)) {
            descriptor.add(field, value);
        }
    }
    descriptor.authors = response.values("authors", &each(&["_embedded", "author"], "name"))?;
    terms(&response, &mut descriptor)?;
    let body = response.body(&body(), &mut notices)?;
    descriptor.standfirst = standfirst(&response, &body.whole, &body.blocks)?;
    let identifier = response.identifier(rules.identifier.as_ref())?;
    let own = [identifier.as_ref(), descriptor.canonical.as_ref()];
    let relation = response.relation(rules.original.as_ref(), own, &mut notices)?;
    Ok(Article { blocks: body.blocks, body: body.place, descriptor, identifier, relation, notices })
}

/// Fields that stand at one place, the better reading of each first.
const SINGLE: [(Field, &[&str]); 6] = [
    (Field::Headline, &["title", "rendered"]),
    (Field::Published, &["date_gmt"]),
    (Field::Published, &["date"]),
    (Field::Modified, &["modified_gmt"]),
    (Field::Modified, &["modified"]),
    (Field::Canonical, &["link"]),
];

fn pointer(path: &[&str]) -> Pointer {
    path.iter().fold(Pointer::default(), |pointer, key| pointer.key(key))
}

fn rule(path: &[&str]) -> FieldRule {
    FieldRule::plain(pointer(path))
}

fn each(path: &[&str], key: &str) -> FieldRule {
    FieldRule { each: Some(pointer(&[key])), ..rule(path) }
}

/// Where the body stands.
pub(super) fn body() -> BodyRule {
    BodyRule { at: pointer(&["content", "rendered"]), format: BodyFormat::Html }
}

/// How WordPress writes what is read at a place: texts as HTML, names with character references in them, everything else plain.
pub(super) fn format_at(at: &Pointer) -> Option<TextFormat> {
    let key = at.as_str().rsplit('/').next().unwrap_or_default();
    match key {
        "rendered" | "name" => Some(TextFormat::Html),
        "date_gmt" | "date" | "modified_gmt" | "modified" | "link" => Some(TextFormat::Plain),
        _ => None,
    }
}

/// Refuses a post that readers do not see: one with a password, whose text is withheld, and one that only a credential shows.
fn is_public(response: &Response<'_>) -> Result<(), ExtractError> {
    let place = pointer(&["content", "protected"]);
    if response.get(&place) == Some(&Json::Bool(true)) {
        return Err(ExtractError::Protected { place });
    }
    let place = pointer(&["status"]);
    match response.get(&place) {
        Some(Json::String(status)) if status != "publish" => {
            Err(ExtractError::NotPublished { place, status: status.clone() })
        }
        _ => Ok(()),
    }
}

/// Categories and tags: `wp:term` is an array of the terms of each taxonomy.
fn terms(response: &Response<'_>, descriptor: &mut Descriptor) -> Result<(), ExtractError> {
    let place = pointer(&["_embedded", "wp:term"]);
    let groups = match response.get(&place) {
        None => return Ok(()),
        Some(Json::Array(groups)) => groups,
        Some(other) => return Err(wrong_type("category", &place, "an array", other)),
    };
    for (group, terms) in groups.iter().enumerate() {
        for (index, term) in terms.as_array().into_iter().flatten().enumerate() {
            let field = match term.get("taxonomy").and_then(Json::as_str) {
                Some("category") => Field::Category,
                Some("post_tag") => Field::Tags,
                _ => continue,
            };
            let rule = FieldRule::plain(place.index(group).index(index).key("name"));
            for value in response.values(field.as_str(), &rule)? {
                descriptor.add(field, value);
            }
        }
    }
    Ok(())
}

/// The excerpt, where it says something that the body does not begin with. A cut of the body is a summary that a program made (R12).
fn standfirst(response: &Response<'_>, whole: &str, blocks: &[Block]) -> Result<Option<Value>, ExtractError> {
    let at = pointer(&["excerpt", "rendered"]);
    let Some(value) = response.values("standfirst", &FieldRule::plain(at.clone()))?.pop() else {
        return Ok(None);
    };
    let html = response.get(&at).and_then(Json::as_str).unwrap_or_default();
    let value = without_more_link(value, html)?;
    let is_cut = ["[…]", "[...]"].iter().any(|mark| value.text.ends_with(mark));
    if is_cut || value.text.is_empty() {
        return Ok(None);
    }
    let own = fold(&value.text);
    let mut said = String::new();
    let mut begins = Vec::new();
    let mut texts = Vec::new();
    collect(blocks, &mut texts);
    for text in texts {
        begins.push(said.len());
        said.push_str(&fold(text));
    }
    let repeats =
        fold(whole).starts_with(&own) || begins.into_iter().any(|begin| said[begin..].starts_with(&own));
    Ok((!repeats).then_some(value))
}

/// The texts of blocks, in reading order.
fn collect<'a>(blocks: &'a [Block], texts: &mut Vec<&'a str>) {
    for block in blocks {
        match block {
            Block::Heading { text, .. } | Block::Paragraph(text) => texts.push(&text.text),
            Block::List { items, .. } => items.iter().for_each(|item| collect(item, texts)),
            Block::Quotation(blocks) => collect(blocks, texts),
            Block::Preformatted(text) => texts.push(text),
            Block::Table(rows) => texts.extend(rows.iter().flatten().map(|cell| cell.text.text.as_str())),
            Block::Separator => {}
        }
    }
}

/// The excerpt without the link to the whole post that themes put after it.
fn without_more_link(value: Value, html: &str) -> Result<Value, ExtractError> {
    let fragment = fragment(html)?;
    let is_more = |class: &str| matches!(class, "more-link" | "read-more" | "readmore" | "excerpt-more");
    let link = fragment.root().descendants().find(|node| {
        node.attribute("class").is_some_and(|classes| classes.split_ascii_whitespace().any(is_more))
    });
    let Some(kept) = link.and_then(|link| value.text.strip_suffix(&link.text())) else { return Ok(value) };
    let kept = kept.trim_end();
    let range = 0..kept.chars().count();
    Ok(Value { text: kept.into(), place: value.place.characters(range) })
}

/// Letters and digits in lower case: what is left of a text when it is cut and wrapped again.
fn fold(said: &str) -> String {
    text::normalise(said).chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
