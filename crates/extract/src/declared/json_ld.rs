//! schema.org data in JSON-LD, in the shapes met in the wild: an object, an array, a `@graph`, several blocks; strings where objects
//! belong; objects that are only a reference (`@id`) to another, in this block or in the next.
//!
//! A context is not looked at. What pages declare is schema.org's vocabulary whatever the context says (`http`, `https`, with and without a slash at the end).

use std::borrow::Cow;

use super::json::{self, Json};
use super::plain::plain;
use crate::place::{Place, Step, is_key};

/// How deep things are followed into each other: the author's name of a graph's second thing is five steps down.
const STEPS_MAX: usize = 16;
/// Things of one page that are looked at as its article. The most that one of 867 pages has is 69.
const THINGS_MAX: usize = 1024;
/// Objects and arrays that are looked at for the target of one reference. The most that one of 867 pages has is 88.
const VISITS_MAX: usize = 8192;

/// Every JSON-LD block of a page, in document order.
#[derive(Debug, Default)]
pub(crate) struct LinkedData<'a> {
    /// `None`: the block can't be read. It keeps its number, which places are written with.
    blocks: Vec<Option<Json<'a>>>,
}

/// How a block was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Strict,
    Repaired,
    None,
}

/// A JSON value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Thing<'j> {
    pub(crate) json: &'j Json<'j>,
    block: usize,
    path: Vec<Step>,
}

impl<'a> LinkedData<'a> {
    /// Takes the text of the next block.
    pub(crate) fn push(&mut self, text: Cow<'a, str>) -> Reading {
        let (block, reading) = match text {
            Cow::Borrowed(text) => read(text),
            Cow::Owned(text) => {
                let (block, reading) = read(&text);
                (block.map(Json::into_owned), reading)
            }
        };
        self.blocks.push(block);
        reading
    }

    /// How many blocks there are, those that can't be read included.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The text at the place that these steps lead to.
    pub(crate) fn text_at(&self, block: usize, path: &[Step]) -> Option<String> {
        let mut json = self.blocks.get(block)?.as_ref()?;
        for step in path {
            json = match step {
                Step::Key(key) => json.get(key)?,
                Step::Index(index) => match json {
                    Json::Array(items) => items.get(*index)?,
                    _ => return None,
                },
            };
        }
        json.to_text()
    }

    /// The things that a page says it is about or contains: what stands at the top, in a `@graph`, and the main entity of either.
    pub(crate) fn things(&self) -> Vec<Thing<'_>> {
        let mut things = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            if let Some(json) = block {
                let top = Thing { json, block: number, path: Vec::new() };
                top.gather(&mut things);
            }
        }
        things
    }

    /// The thing itself, or where it is nothing but a reference the one that has what is wanted.
    ///
    /// `None` where several things of that `@id` say different things.
    pub(crate) fn resolve<'j>(&'j self, thing: Thing<'j>, wanted: &str) -> Option<Thing<'j>> {
        if thing.json.get(wanted).is_some() {
            return Some(thing);
        }
        let id = thing.json.get("@id")?.as_str()?;
        let mut search = Search { id, wanted, found: None, is_ambiguous: false, visits_left: VISITS_MAX };
        for (number, block) in self.blocks.iter().enumerate() {
            if let Some(json) = block {
                search.visit(&mut Thing { json, block: number, path: Vec::new() });
            }
        }
        search.found.filter(|_| !search.is_ambiguous)
    }
}

/// A walk through every block to the thing of an `@id`.
struct Search<'j, 's> {
    id: &'s str,
    wanted: &'s str,
    found: Option<Thing<'j>>,
    /// Another thing of that `@id` says something else.
    is_ambiguous: bool,
    visits_left: usize,
}

impl<'j> Search<'j, '_> {
    fn visit(&mut self, thing: &mut Thing<'j>) {
        if self.visits_left == 0 || thing.path.len() > STEPS_MAX {
            return;
        }
        self.visits_left -= 1;
        let json = thing.json;
        if json.get("@id").and_then(Json::as_str) == Some(self.id)
            && let Some(value) = json.get(self.wanted)
        {
            match &self.found {
                Some(before) => self.is_ambiguous |= before.json.get(self.wanted) != Some(value),
                None => self.found = Some(thing.clone()),
            }
        }
        match json {
            Json::Array(items) => {
                for (index, inner) in items.iter().enumerate().filter(|(_, inner)| inner.is_container()) {
                    self.descend(thing, inner, Step::Index(index));
                }
            }
            Json::Object(members) => {
                for (key, inner) in members.iter().filter(|(key, inner)| inner.is_container() && is_key(key))
                {
                    self.descend(thing, inner, Step::Key((**key).into()));
                }
            }
            _ => {}
        }
        thing.json = json;
    }

    fn descend(&mut self, thing: &mut Thing<'j>, inner: &'j Json<'j>, step: Step) {
        thing.path.push(step);
        thing.json = inner;
        self.visit(thing);
        thing.path.pop();
    }
}

impl<'j> Thing<'j> {
    fn gather(self, things: &mut Vec<Self>) {
        if self.path.len() > STEPS_MAX || things.len() >= THINGS_MAX {
            return;
        }
        match self.json {
            Json::Array(_) => {
                for item in self.children() {
                    item.gather(things);
                }
            }
            Json::Object(_) => {
                for container in ["@graph", "mainEntity"] {
                    if let Some(inner) = self.get(container) {
                        inner.gather(things);
                    }
                }
                things.push(self);
            }
            _ => {}
        }
    }

    /// The member of that name, with its place.
    pub(crate) fn get(&self, name: &str) -> Option<Self> {
        let json = self.json.get(name)?;
        Some(self.down(json, Step::Key(name.into())))
    }

    /// The member's items, arrays within arrays included, at most `most` of them; or the one value where there is no array.
    pub(crate) fn each(&self, name: &str, most: usize) -> Vec<Self> {
        let mut items = Vec::new();
        let mut waiting: Vec<Self> = self.get(name).into_iter().collect();
        while let Some(next) = waiting.pop() {
            if items.len() == most {
                break;
            }
            match next.json {
                Json::Array(_) if next.path.len() < STEPS_MAX => {
                    let mut children = next.children();
                    children.reverse();
                    waiting.extend(children);
                }
                _ => items.push(next),
            }
        }
        items
    }

    /// The items of an array.
    fn children(&self) -> Vec<Self> {
        let Json::Array(items) = self.json else { return Vec::new() };
        let items = items.iter().enumerate();
        items.map(|(index, json)| self.down(json, Step::Index(index))).collect()
    }

    fn down(&self, json: &'j Json<'j>, step: Step) -> Self {
        let mut path = Vec::with_capacity(self.path.len() + 1);
        path.extend_from_slice(&self.path);
        path.push(step);
        Self { json, block: self.block, path }
    }

    /// What stands here as text, its white space and character references normalised; and the place. One value is the same with and without an
    /// array around it.
    pub(crate) fn text(&self) -> Option<(String, Place)> {
        if let Json::Array(items) = self.json {
            let [only] = items.as_slice() else { return None };
            return self.down(only, Step::Index(0)).text();
        }
        let text = self.json.to_text().filter(|text| !text.is_empty())?;
        Some((text, Place::json_ld(self.block, self.path.clone())))
    }

    /// Whether one of the types is among these (without regard to case and vocabulary prefix).
    pub(crate) fn has_type(&self, among: impl Fn(&str) -> bool) -> bool {
        let types = self.json.get("@type").map_or(&[][..], Json::items);
        types.iter().filter_map(Json::as_str).any(|name| among(local_name(name)))
    }
}

/// The name without its vocabulary: `NewsArticle` for `https://schema.org/NewsArticle` and `schema:NewsArticle`.
pub(crate) fn local_name(name: &str) -> &str {
    name.trim().rsplit(['/', ':', '#']).next().unwrap_or(name)
}

fn read(text: &str) -> (Option<Json<'_>>, Reading) {
    if let Some(json) = Json::parse(text) {
        return (Some(json), Reading::Strict);
    }
    match json::repair(text).as_deref().and_then(Json::parse) {
        Some(json) => (Some(json.into_owned()), Reading::Repaired),
        None => (None, Reading::None),
    }
}

impl Json<'_> {
    /// A string or a whole number as text; a typed or language-tagged value (`@value`) as the text it wraps.
    pub(crate) fn to_text(&self) -> Option<String> {
        match self {
            Json::String(text) => Some(plain(text)),
            Json::Integer(number) => Some(number.to_string()),
            Json::Object(_) => self.get("@value").filter(|value| !value.is_object())?.to_text(),
            Json::Other | Json::Bool(_) | Json::Array(_) => None,
        }
    }
}
