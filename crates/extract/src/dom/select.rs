//! CSS selectors over the tree, by the engine that browsers use.

use std::borrow::Borrow;
use std::fmt;
use std::ptr::NonNull;
use std::str::FromStr;

use cssparser::{Parser as CssParser, ToCss};
use html5ever::{LocalName, Namespace, local_name};
use precomputed_hash::PrecomputedHash;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::{ElementSelectorFlags, matches_selector_list};
use selectors::parser::{ParseRelative, SelectorList, SelectorParseErrorKind};
use selectors::{Element, OpaqueElement};

use super::Node;

/// A CSS selector list, as a source's configuration writes it: `article .content`, `h2.kicker, p.kicker`.
///
/// Selectors Level 4 as browsers know it, with `:is`, `:where`, `:not`, `:has` and `:nth-child(… of …)`; without pseudo-elements and without
/// states of a user interface (`:hover`), which a page as read has not.
///
/// A selector is matched in time that grows with the page, but for `~` and `:has(~ …)`, which grow with the square of the siblings that they look
/// through: where an element has ten thousand children, that is a second.
///
/// ```
/// use releve_extract::Selector;
///
/// let selector: Selector = "article > :not(aside) p".parse()?;
/// assert_eq!(selector.to_string(), "article > :not(aside) p");
/// assert!("p:hover".parse::<Selector>().is_err());
/// # Ok::<(), releve_extract::SelectorError>(())
/// ```
#[derive(Clone)]
pub struct Selector {
    list: SelectorList<Css>,
    text: Box<str>,
}

/// Why a text is no selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectorError {
    text: Box<str>,
    column: u32,
    what: &'static str,
}

/// Longer lists are generated, not written; each of them is matched with every element of a page.
const SELECTOR_BYTES_MAX: usize = 4096;

impl Selector {
    /// The selector as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The elements below `top` that match, in document order.
    pub(crate) fn find<'s, 'a>(&'s self, top: Node<'a>) -> impl Iterator<Item = Node<'a>> + use<'s, 'a> {
        let mut caches = SelectorCaches::default();
        top.descendants().filter(move |&node| node.is_element() && self.matches_with(node, &mut caches))
    }

    fn matches_with(&self, node: Node<'_>, caches: &mut SelectorCaches) -> bool {
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        matches_selector_list(&self.list, node, &mut context)
    }
}

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let error = |column, what| SelectorError { text: text.into(), column, what };
        if text.len() > SELECTOR_BYTES_MAX {
            return Err(error(1, "it is longer than 4096 bytes"));
        }
        let mut parser = CssParser::new(text);
        let list = SelectorList::parse(&Grammar, &mut parser, ParseRelative::No);
        let column = parser.current_source_location().column;
        match list {
            Ok(list) => Ok(Self { list, text: text.into() }),
            Err(_) => Err(error(column, "no CSS selector is understood there")),
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Selector({:?})", self.text)
    }
}

impl PartialEq for Selector {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Selector {}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a selector: {} (column {})", self.text, self.what, self.column)
    }
}

impl std::error::Error for SelectorError {}

/// The types the engine is filled with.
#[derive(Clone, Debug)]
pub(crate) struct Css;

/// A string of a selector: class, id, attribute value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CssText(Box<str>);

/// An element's or attribute's name in a selector.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CssName(LocalName);

/// A namespace in a selector. None can be declared, so that there is only the empty one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CssNamespace(Namespace);

/// What there is none of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Never {}

impl ToCss for CssText {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        cssparser::serialize_string(&self.0, dest)
    }
}

impl ToCss for CssName {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, dest)
    }
}

impl ToCss for Never {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl From<&str> for CssText {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<&str> for CssName {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl AsRef<str> for CssText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<LocalName> for CssName {
    fn borrow(&self) -> &LocalName {
        &self.0
    }
}

impl Borrow<Namespace> for CssNamespace {
    fn borrow(&self) -> &Namespace {
        &self.0
    }
}

impl PrecomputedHash for CssText {
    fn precomputed_hash(&self) -> u32 {
        // Only Bloom filters ask, and we pass none; still, it must be a function of the text.
        self.0.bytes().fold(0, |hash: u32, byte| hash.rotate_left(5) ^ u32::from(byte))
    }
}

impl PrecomputedHash for CssName {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

impl PrecomputedHash for CssNamespace {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

impl selectors::parser::NonTSPseudoClass for Never {
    fn is_active_or_hover(&self) -> bool {
        match *self {}
    }

    fn is_user_action_state(&self) -> bool {
        match *self {}
    }
}

impl selectors::parser::PseudoElement for Never {}

impl selectors::SelectorImpl for Css {
    type ExtraMatchingData<'a> = ();
    type AttrValue = CssText;
    type Identifier = CssText;
    type LocalName = CssName;
    type NamespaceUrl = CssNamespace;
    type NamespacePrefix = CssText;
    type BorrowedNamespaceUrl = Namespace;
    type BorrowedLocalName = LocalName;
    type NonTSPseudoClass = Never;
    type PseudoElement = Never;
}

struct Grammar;

impl selectors::parser::Parser<'_> for Grammar {
    type Impl = Css;
    type Error = SelectorParseErrorKind;

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn allow_forgiving_selectors(&self) -> bool {
        // A misspelt selector in a configuration is an error, even within `:is(…)`.
        false
    }
}

impl Element for Node<'_> {
    type Impl = Css;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::from_ptr(NonNull::from(self.slot()).cast())
    }

    fn parent_element(&self) -> Option<Self> {
        self.parent().filter(|node| node.is_element())
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        std::iter::successors(self.previous(), |node| node.previous()).find(|node| node.is_element())
    }

    fn next_sibling_element(&self) -> Option<Self> {
        std::iter::successors(self.next(), |node| node.next()).find(|node| node.is_element())
    }

    fn first_element_child(&self) -> Option<Self> {
        self.children().find(|node| node.is_element())
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.name().is_some()
    }

    fn has_local_name(&self, name: &LocalName) -> bool {
        self.qualified_name().is_some_and(|own| own.local == *name)
    }

    fn has_namespace(&self, namespace: &Namespace) -> bool {
        self.qualified_name().is_some_and(|own| own.ns == *namespace)
    }

    fn is_same_type(&self, other: &Self) -> bool {
        match (self.qualified_name(), other.qualified_name()) {
            (Some(one), Some(other)) => one.local == other.local && one.ns == other.ns,
            _ => false,
        }
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&CssNamespace>,
        name: &CssName,
        operation: &AttrSelectorOperation<&CssText>,
    ) -> bool {
        self.attributes().any(|attribute| {
            let in_namespace = match namespace {
                NamespaceConstraint::Any => true,
                NamespaceConstraint::Specific(namespace) => *attribute.namespace == namespace.0,
            };
            in_namespace && *attribute.name == name.0 && operation.eval_str(attribute.value)
        })
    }

    fn match_non_ts_pseudo_class(&self, class: &Never, _: &mut MatchingContext<'_, Css>) -> bool {
        match *class {}
    }

    fn match_pseudo_element(&self, element: &Never, _: &mut MatchingContext<'_, Css>) -> bool {
        match *element {}
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        self.attribute("href").is_some()
            && matches!(self.name(), Some(&local_name!("a") | &local_name!("area")))
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &CssText, case: CaseSensitivity) -> bool {
        self.attribute("id").is_some_and(|own| case.eq(own.as_bytes(), id.0.as_bytes()))
    }

    fn has_class(&self, class: &CssText, case: CaseSensitivity) -> bool {
        self.attribute("class").is_some_and(|own| {
            own.split_ascii_whitespace().any(|own| case.eq(own.as_bytes(), class.0.as_bytes()))
        })
    }

    fn has_custom_state(&self, _: &CssText) -> bool {
        false
    }

    fn imported_part(&self, _: &CssText) -> Option<CssText> {
        None
    }

    fn is_part(&self, _: &CssText) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.children().all(|node| !node.is_element() && node.as_text().is_none_or(str::is_empty))
    }

    fn is_root(&self) -> bool {
        self.parent().is_some_and(|parent| parent.id() == super::NodeId::DOCUMENT)
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}
