//! What the crate promises, asked through its public face.
#![allow(clippy::unwrap_used)]

mod dates;
mod encodings;
mod formats;
mod hostile;
mod lists;
mod nothing_else;
mod properties;

use releve_feed::{Announcement, Feed, NoticeKind, Wanted, read};

const BASE: &str = "https://www.example.org/feeds/news.xml";

fn feed(document: impl AsRef<[u8]>) -> Feed {
    read(document.as_ref(), None, BASE, &Wanted::nothing()).unwrap()
}

/// The one item of an RSS feed with these children.
fn rss_item(children: &str) -> Announcement {
    let feed = feed(format!(
        "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom' xmlns:dc='http://purl.org/dc/elements/1.1/' \
         xmlns:dcterms='http://purl.org/dc/terms/'><channel><item>{children}</item></channel></rss>"
    ));
    feed.announcements.into_iter().next().unwrap()
}

/// The one entry of an Atom feed with these children.
fn atom_entry(children: &str) -> Announcement {
    let feed = feed(format!("<feed xmlns='http://www.w3.org/2005/Atom'><entry>{children}</entry></feed>"));
    feed.announcements.into_iter().next().unwrap()
}

/// What is noted, with the item's number or 0.
fn notices(feed: &Feed) -> Vec<(usize, NoticeKind)> {
    assert!(feed.notices.iter().all(|notice| !notice.to_string().is_empty()));
    feed.notices.iter().map(|notice| (notice.item.unwrap_or(0), notice.kind)).collect()
}
