//! CommonMark, with the tables and strikethrough of GitHub's dialect.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// Writes Markdown as HTML: addresses of links as they stand, pictures not at all (their text describes them).
pub(super) fn write(markdown: &str) -> String {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let mut pictures = 0_usize;
    let events = parser.filter_map(|event| {
        let in_picture = pictures > 0;
        match event {
            Event::Start(Tag::Image { .. }) => pictures += 1,
            Event::End(TagEnd::Image) => pictures -= 1,
            _ if in_picture => {}
            // The writer would percent-encode the address.
            Event::Start(Tag::Link { dest_url, .. }) => {
                let mut link = String::new();
                super::push_link(&mut link, &dest_url);
                return Some(Event::InlineHtml(CowStr::from(link)));
            }
            Event::End(TagEnd::Link) => return Some(Event::InlineHtml("</a>".into())),
            event => return Some(event),
        }
        None
    });
    let mut written = String::with_capacity(markdown.len() * 3 / 2);
    html::push_html(&mut written, events);
    written
}
