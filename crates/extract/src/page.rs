//! An article that comes as an HTML page.

use html5ever::local_name;
use memchr::memmem;

use crate::descriptor::{Known, Subject};
use crate::dom::{self, Document};
use crate::{
    Article, Envelope, ExtractError, Notice, NoticeCode, PageRules, Relation, body, charset, declared,
    descriptor,
};

/// A page, decoded and parsed once, as every reader of it sees it.
#[derive(Clone, Copy)]
pub(crate) struct Page<'a> {
    pub(crate) envelope: &'a Envelope<'a>,
    pub(crate) document: &'a Document,
    pub(crate) rules: &'a PageRules,
}

pub(crate) fn extract(envelope: &Envelope<'_>, rules: &PageRules) -> Result<Article, ExtractError> {
    if !is_html(envelope.content_type) {
        return Err(ExtractError::MediaType { found: envelope.content_type.into(), expected: "HTML" });
    }
    let mut notices = Vec::new();
    let text = charset::decode(envelope, &mut notices);
    let document =
        dom::parse(&text, dom::Kind::Page).map_err(|dom::TooManyNodes| ExtractError::PageTooComplex)?;
    if document.is_simplified() {
        notices.push(Notice::new(
            NoticeCode::PageSimplified,
            "tags nested too deep or attributes beyond a number were skipped",
        ));
    }
    if memmem::find(text.as_bytes(), PASSWORD_FORM.as_bytes()).is_some() && asks_for_password(&document) {
        return Err(ExtractError::PasswordForm);
    }
    let page = Page { envelope, document: &document, rules };
    let declared = declared::read(page, &mut notices);
    let known = Known::new(page, &declared);
    let subject = Subject::find(&known, &declared);
    let body = body::find(page, &declared, &subject, &mut notices);
    let (descriptor, relation) = descriptor::read(page, &declared, &known, &subject, &mut notices);
    let identifier = match &rules.identifier {
        Some(rule) => Some(rule.read_value(&mut |at| crate::identifier::in_page(page, &subject, at))?),
        None => None,
    };
    // A page whose original is named by its identifier may be that original.
    let is_own =
        |relation: &Relation| identifier.as_ref().is_some_and(|own| own.text == relation.original.text);
    let relation = relation.filter(|relation| !is_own(relation));
    Ok(Article { blocks: body.blocks, body: body.place, descriptor, identifier, relation, notices })
}

/// The class of the form that WordPress serves, as a 200, in place of a text that is protected by a password.
const PASSWORD_FORM: &str = "post-password-form";

fn asks_for_password(document: &Document) -> bool {
    let is_form = |node: dom::Node<'_>| {
        let classes = node.attribute("class").unwrap_or_default();
        node.is(&local_name!("form")) && classes.split_ascii_whitespace().any(|class| class == PASSWORD_FORM)
    };
    document.root().descendants().any(is_form)
}

/// Whether a response is said to be HTML. Where nothing is said nothing speaks against it; whether that is enough is for those who took the response.
fn is_html(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.is_empty()
        || ["text/html", "application/xhtml+xml"].iter().any(|html| essence.eq_ignore_ascii_case(html))
}
