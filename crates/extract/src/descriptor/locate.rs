//! The selector that leads to an element again, as the first that it matches.

use html5ever::LocalName;

use crate::Selector;
use crate::dom::Node;

/// A selector whose first match in the document is this element: its name or its `id` where that is enough, else the way down from the nearest
/// element that is the only one of its name or `id`.
pub(crate) fn locate(node: Node<'_>) -> Option<Selector> {
    let mut steps: Vec<String> = Vec::new();
    for own in std::iter::once(node).chain(node.ancestors()) {
        let Some(name) = own.name() else { break };
        if let Some(anchor) = anchor(own, name, steps.is_empty()) {
            steps.push(anchor);
            break;
        }
        steps.push(step(own, name)?);
    }
    steps.reverse();
    let path = steps.join(" > ");
    // By itself this is how a place is written that is no element: the address the page was read at.
    if path == "address" { "body address".parse().ok() } else { path.parse().ok() }
}

/// The element by itself, if that can be done: if it is the first of its kind and is what is looked for, or is the only one.
fn anchor(node: Node<'_>, name: &LocalName, is_target: bool) -> Option<String> {
    let is_enough = |(is_first, is_only): (bool, bool)| if is_target { is_first } else { is_only };
    let document = node.document();
    if is_plain(name) && is_enough(document.is_first_named(node)) {
        return Some(name.to_string());
    }
    let id = node.attribute("id").filter(|id| is_plain(id))?;
    is_enough(document.is_first_with_id(node)).then(|| format!("#{id}"))
}

/// The element among its siblings.
fn step(node: Node<'_>, name: &LocalName) -> Option<String> {
    if !is_plain(name) {
        return None;
    }
    let before = std::iter::successors(node.previous(), |other| other.previous());
    let number = 1 + before.filter(|other| other.is(name)).count();
    let mut behind = std::iter::successors(node.next(), |other| other.next());
    Some(if number == 1 && !behind.any(|other| other.is(name)) {
        name.to_string()
    } else {
        format!("{name}:nth-of-type({number})")
    })
}

/// Whether a name can stand in a selector as it is.
fn is_plain(name: &str) -> bool {
    name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
