//! JSON, walked along the places that are wanted. What stands elsewhere is skipped by the parser without
//! being copied.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use url::Url;

use crate::date::{self, Zoneless};
use crate::decode::Text;
use crate::item::{Announcement, Feed, LeftOut, NoticeKind, Reading, Wanted, absolute};
use crate::list::{ListShape, Pointer};
use crate::{FeedError, Instead};

/// Reads a JSON Feed (version 1 or 1.1).
pub(crate) fn read_feed(text: &Text<'_>, base: &str, wanted: &Wanted) -> Result<Feed, FeedError> {
    let mut item = Place::default();
    for (name, role) in [
        ("id", Role::Id),
        ("url", Role::Address),
        ("external_url", Role::OtherAddress),
        ("date_published", Role::Published(Zoneless::Utc)),
        ("date_modified", Role::Modified(Zoneless::Utc)),
    ] {
        item.child(name).roles.push(role);
    }
    for (index, name) in wanted.names().iter().enumerate() {
        item.child(name).roles.push(Role::Field(index));
    }
    let mut root = Place::default();
    root.child("version").roles.push(Role::Version);
    root.child("items").items = Some(Box::new(item));
    let walk = walk(text, base, &root, wanted.names())?;
    if walk.is_json_feed && walk.has_items {
        Ok(walk.reading.finish())
    } else {
        Err(FeedError::NotAFeed(Instead::Json))
    }
}

/// Reads a list of a given shape.
pub(crate) fn read_list(
    text: &Text<'_>,
    base: &str,
    shape: &ListShape,
    next: Option<&Pointer>,
) -> Result<Feed, FeedError> {
    let mut item = Place::default();
    let zoneless = |is_utc| if is_utc { Zoneless::Utc } else { Zoneless::NoDate };
    let mut add = |pointer: &Pointer, role| item.descendant(pointer).roles.push(role);
    if let Some(id) = &shape.id {
        add(id, Role::Id);
    }
    if let Some(address) = &shape.address {
        add(address, Role::Address);
    }
    if let Some(date) = &shape.published {
        add(&date.at, Role::Published(zoneless(date.is_utc)));
    }
    if let Some(date) = &shape.modified {
        add(&date.at, Role::Modified(zoneless(date.is_utc)));
    }
    for (index, pointer) in shape.fields.iter().enumerate() {
        add(pointer, Role::Field(index));
    }
    let mut root = Place::default();
    root.descendant(&shape.items).items = Some(Box::new(item));
    if let Some(next) = next {
        root.descendant(next).roles.push(Role::Next);
    }
    let names: Vec<_> = shape.fields.iter().map(Pointer::to_string).collect();
    let walk = walk(text, base, &root, &names)?;
    if walk.has_items { Ok(walk.reading.finish()) } else { Err(FeedError::NoItems) }
}

fn walk<'n>(text: &Text<'_>, base: &str, root: &Place, names: &'n [String]) -> Result<Walk<'n>, FeedError> {
    let mut walk = Walk {
        reading: Reading::new(text.is_lossy),
        base: Url::parse(base).ok(),
        names,
        item: Item::default(),
        is_json_feed: false,
        has_items: false,
    };
    let mut json = serde_json::Deserializer::from_str(text.as_str());
    let at = At { place: root, walk: &mut walk };
    // What the parser says of an error may quote the text, so only where it is gets passed on.
    at.deserialize(&mut json).and_then(|()| json.end()).map_err(|error| match error.classify() {
        Category::Eof => FeedError::CutOff,
        _ => FeedError::Malformed { line: error.line(), column: error.column() },
    })?;
    Ok(walk)
}

/// What a place is read for.
#[derive(Clone, Copy)]
enum Role {
    Version,
    /// What leads to the next page.
    Next,
    Id,
    Address,
    OtherAddress,
    Published(Zoneless),
    Modified(Zoneless),
    /// The wanted field of this index.
    Field(usize),
}

/// A place in a document, and the places below it that matter.
#[derive(Default)]
struct Place {
    roles: Vec<Role>,
    /// If the items stand here: the places in each of them.
    items: Option<Box<Place>>,
    children: BTreeMap<String, Place>,
}

impl Place {
    fn child(&mut self, name: &str) -> &mut Self {
        self.children.entry(name.to_owned()).or_default()
    }

    fn descendant(&mut self, pointer: &Pointer) -> &mut Self {
        pointer.tokens().iter().fold(self, |place, token| place.child(token))
    }

    fn matters(&self) -> bool {
        !self.roles.is_empty() || self.items.is_some() || !self.children.is_empty()
    }
}

/// What has been read so far.
struct Walk<'n> {
    reading: Reading,
    base: Option<Url>,
    /// The names of the wanted fields.
    names: &'n [String],
    item: Item,
    is_json_feed: bool,
    has_items: bool,
}

/// An item as far as it has been read.
#[derive(Default)]
struct Item {
    announcement: Announcement,
    other_link: Option<String>,
    is_object: bool,
    left_out: Option<LeftOut>,
}

impl Walk<'_> {
    /// Takes a text, or a number as it is written.
    fn take(&mut self, roles: &[Role], text: &str) {
        let text = text.trim();
        for &role in roles {
            if let Role::Version = role {
                let address = text.split_once("://").map_or("", |(_, rest)| rest);
                self.is_json_feed = address.trim_start_matches("www.").starts_with("jsonfeed.org/version/");
                continue;
            }
            let unfit = self.reading.unfit(text);
            if let Role::Next = role {
                match unfit {
                    Some(why) => self.reading.note_document(why),
                    None if text.is_empty() => {}
                    None => self.reading.lead_on(text),
                }
                continue;
            }
            if let Some(why) = unfit {
                self.item.left_out = Some(why);
                continue;
            }
            let announcement = &mut self.item.announcement;
            match role {
                Role::Version | Role::Next => {}
                Role::Field(index) => {
                    announcement
                        .fields
                        .extend(self.names.get(index).map(|name| (name.clone(), text.to_owned())));
                }
                _ if text.is_empty() => {}
                Role::Id => announcement.id = Some(text.to_owned()),
                Role::Address | Role::OtherAddress => {
                    let link = absolute(text, self.base.as_ref());
                    if link.is_none() {
                        self.reading.note(NoticeKind::LinkNotAbsolute);
                    }
                    if let Role::Address = role {
                        announcement.link = link;
                    } else {
                        self.item.other_link = link;
                    }
                }
                Role::Published(zoneless) | Role::Modified(zoneless) => {
                    let instant = date::parse(text, zoneless);
                    if instant.is_none() {
                        self.reading.note(NoticeKind::DateNotUnderstood);
                    }
                    if let Role::Published(_) = role {
                        announcement.published = instant;
                    } else {
                        announcement.modified = instant;
                    }
                }
            }
        }
    }

    /// Takes note of a value that is neither text nor a whole number.
    fn take_other(&mut self, roles: &[Role]) {
        for role in roles {
            match role {
                Role::Version => {}
                Role::Next => self.reading.note_document(NoticeKind::WrongType),
                Role::Field(_) => self.item.left_out = Some(NoticeKind::FieldOfWrongType),
                _ => self.reading.note(NoticeKind::WrongType),
            }
        }
    }

    fn end_item(&mut self) {
        let Item { mut announcement, other_link, is_object, left_out } = std::mem::take(&mut self.item);
        announcement.link = announcement.link.or(other_link);
        let left_out = left_out.or((!is_object).then_some(NoticeKind::NotAnItem));
        self.reading.end_item(left_out.map_or(Ok(announcement), Err));
    }
}

/// The walk at a place.
struct At<'w, 'n> {
    place: &'w Place,
    walk: &'w mut Walk<'n>,
}

impl<'de> DeserializeSeed<'de> for At<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        if self.place.matters() {
            json.deserialize_any(self)
        } else {
            json.deserialize_ignored_any(IgnoredAny).map(drop)
        }
    }
}

impl<'de> Visitor<'de> for At<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { place, walk } = self;
        walk.take_other(&place.roles);
        walk.item.is_object = true;
        while let Some(child) = map.next_key_seed(Child(place))? {
            match child {
                Some(place) => map.next_value_seed(At { place, walk })?,
                None => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Self { place, walk } = self;
        walk.take_other(&place.roles);
        let Some(item) = &place.items else {
            let mut index = 0_usize;
            loop {
                let place = place.children.get(&index.to_string());
                let next = match place {
                    Some(place) => elements.next_element_seed(At { place, walk })?,
                    None => elements.next_element::<IgnoredAny>()?.map(drop),
                };
                if next.is_none() {
                    return Ok(());
                }
                index += 1;
            }
        };
        walk.has_items = true;
        let mut is_full = false;
        loop {
            if !is_full
                && let Some(()) =
                    elements.next_element_seed(Element { place: item, walk, is_full: &mut is_full })?
            {
                continue;
            }
            if !is_full || elements.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.walk.take(&self.place.roles, text);
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.walk.take(&self.place.roles, &number.to_string());
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.walk.take(&self.place.roles, &number.to_string());
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.walk.take_other(&self.place.roles);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.walk.take_other(&self.place.roles);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// An element of the array of items.
struct Element<'w, 'n> {
    place: &'w Place,
    walk: &'w mut Walk<'n>,
    is_full: &'w mut bool,
}

impl<'de> DeserializeSeed<'de> for Element<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        let Self { place, walk, is_full } = self;
        if !walk.reading.begin_item() {
            *is_full = true;
            return json.deserialize_ignored_any(IgnoredAny).map(drop);
        }
        walk.item = Item::default();
        At { place, walk }.deserialize(json)?;
        walk.end_item();
        Ok(())
    }
}

/// The place that a key leads to.
struct Child<'p>(&'p Place);

impl<'de, 'p> DeserializeSeed<'de> for Child<'p> {
    type Value = Option<&'p Place>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'p> Visitor<'_> for Child<'p> {
    type Value = Option<&'p Place>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.children.get(key))
    }
}
