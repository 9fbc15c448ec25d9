//! CommonMark, with the tables and strikethrough of GitHub's dialect.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// Quotations within quotations beyond this depth are put in the one above: no article goes beyond four, and each costs two bytes to open.
const QUOTATIONS_MAX: usize = 12;

/// Writes Markdown as HTML: addresses of links as they stand, pictures not at all (their text describes them).
pub(super) fn write(markdown: &str) -> String {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let (mut pictures, mut quotations) = (0_usize, 0_usize);
    let events = parser.filter_map(|event| {
        let in_picture = pictures > 0;
        match event {
            Event::Start(Tag::Image { .. }) => pictures += 1,
            Event::End(TagEnd::Image) => pictures -= 1,
            Event::Start(Tag::BlockQuote { .. }) => {
                quotations += 1;
                return Some(event).filter(|_| quotations <= QUOTATIONS_MAX);
            }
            Event::End(TagEnd::BlockQuote { .. }) => {
                quotations -= 1;
                return Some(event).filter(|_| quotations < QUOTATIONS_MAX);
            }
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

#[cfg(test)]
mod tests {
    #[test]
    fn quotations_without_end_are_not_opened_without_end() {
        let html = super::write(&format!("{}x\n\ny", "> ".repeat(50_000)));
        assert_eq!(html.matches("<blockquote>").count(), super::QUOTATIONS_MAX);
        assert_eq!(html.matches("</blockquote>").count(), super::QUOTATIONS_MAX);
        assert!(html.trim_end().ends_with("<p>y</p>"), "{html}");
    }
}
