//! Decides which files of a site's list are asked for, in which order, and when the walk through them ends; and
//! reads what stands in them: references and dates.
//!
//! Older articles are found on a list that a site offers to everyone: a sitemap, an index of sitemaps, or the
//! pages of an API. [`Walk`] goes through it from the newest to the oldest. It is a machine without hands: it says
//! what it wants ([`Walk::next`]) and is told what came of it.
//!
//! ```
//! use releve_backlog::{Answer, Backlog, End, Entrance, History, Noted, Page, Step, Walk};
//! use releve_url_canon::NecessaryParameters;
//!
//! // What the site would answer.
//! let get = |address: &str| match address {
//!     "https://www.example.org/sitemap.xml" => "<sitemapindex>
//!         <sitemap><loc>https://www.example.org/sitemap-2025.xml</loc></sitemap>
//!         <sitemap><loc>https://www.example.org/sitemap-2026.xml</loc></sitemap></sitemapindex>",
//!     "https://www.example.org/sitemap-2026.xml" => "<urlset>
//!         <url><loc>https://www.example.org/new</loc><lastmod>2026-03-01</lastmod></url></urlset>",
//!     _ => "<urlset>
//!         <url><loc>https://www.example.org/old</loc><lastmod>2025-03-01</lastmod></url>
//!         <url><loc>https://www.example.org/too-old</loc><lastmod>2024-12-31</lastmod></url></urlset>",
//! };
//!
//! let backlog = Backlog {
//!     entrance: Entrance::Sitemaps(vec!["https://www.example.org/sitemap.xml".parse()?]),
//!     floor: Some("2025-01-01".parse()?),
//!     necessary_parameters: NecessaryParameters::none(),
//! };
//! let mut walk = Walk::begin(&backlog, &History::default(), "2026-03-02T12:00:00Z".parse()?);
//! let mut found = Vec::new();
//! let end = loop {
//!     match walk.next() {
//!         Step::Request(request) => {
//!             let body = get(request.address.as_str());
//!             walk.answered(Answer::Page(Page::new(&request.address, body.as_bytes())));
//!         }
//!         Step::Batch(batch) => {
//!             let new = batch.announcements.len();
//!             found.extend(batch.announcements.into_iter().filter_map(|announcement| announcement.link));
//!             walk.noted(Noted { known: 0, new });
//!         }
//!         Step::End(end) => break end,
//!         _ => unreachable!("robots.txt is not asked, and nothing fails here"),
//!     }
//! };
//! assert_eq!(found, ["https://www.example.org/new", "https://www.example.org/old"]);
//! assert_eq!(end, End::Floor);
//! assert_eq!(
//!     walk.report().orders[0].to_string(),
//!     "newest first, by the dates in the names, since there are no dates of the files",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is read
//!
//! [`File`] tells a sitemap, an index, a text of addresses and a feed apart by what stands in them; each of them
//! may be packed, even twice. Of a sitemap's entry the address, the `lastmod` and the news extension's date and
//! language are taken. Namespaces are of no account, encodings are those of [`releve_feed`], entities that a
//! document declares are not expanded. A file that is broken is read to the break, and says so. The pages of an
//! API are read by [`releve_feed::read_list_page`].
//!
//! # In which order
//!
//! The files of an index are read by its dates where these can be believed, else by dates or numbers in their
//! names, else as given; [`Report::orders`] says which and why. Dates of an index that all lie within a day tell
//! when it was made, and a date that its file contradicts is the end of all belief in them, in this walk and in
//! the next. Within a file the newest entry goes first, after those without a date. The pages of an API are taken
//! as they come.
//!
//! # When it ends
//!
//! - At the **list's end**.
//! - At the **floor**: an entry dated before it is passed over, and so is a file whose believed date is. A page
//!   on which everything is dated before it ends the walk, if the pages have been seen to go from the newest to
//!   the oldest.
//! - Where everything is **known**: a batch (a page, or 1,000 entries of a file) of which all was known before
//!   the walk began, all of it dated, and all beyond the last 48 hours and beyond what has come since the
//!   last complete walk began. It ends what is known to be older: the pages of a list that is in order, the files
//!   with an older date, the lower numbers of a series whose dates have been seen to fall. All else is still read.
//!   Before one complete walk has reached the floor now configured, [under the rule](History::under) by which the caller
//!   takes what it finds now, nothing ends so. What changes later in files
//!   that are passed over is for others to announce, such as a feed.
//!
//! The date that counts is that of publication, else that of modification. A walk is complete when all that it
//! was about was read: what is absent, or may not be read, does not hinder it, but no later walk passes over it;
//! what failed three times, or was broken, does.
//!
//! # Lists that shift
//!
//! New articles push others to the next page, where they come up again. Articles that vanish pull others to the
//! page before, where the walk has been. A list counted in items is therefore read with an overlap, and one counted in
//! pages by its totals (WordPress's headers); where they show that it has shrunk, the walk steps back. A list
//! counted in pages that tells no totals cannot be watched so: there an article may be missed until the list is
//! walked again. Cursors do not shift.
//!
//! # Bounds
//!
//! | what | at most |
//! |---|---|
//! | a file, unpacked | [`UNPACKED_BYTES_MAX`], 50 MiB |
//! | entries held at once | [`RUN_ENTRIES_MAX`], 50,000 |
//! | entries handed out at once | [`BATCH_ENTRIES_MAX`], 1,000, or a page |
//! | files that an index may name | [`INDEX_FILES_MAX`], 50,000 |
//! | indexes that lead to a file | [`DEPTH_MAX`], 5 |
//! | requests of one walk | [`REQUESTS_MAX`], 86,400 |
//! | reads of a file that fails | [`ATTEMPTS_MAX`], 3 |
//!
//! Where each number comes from stands beside it.
//!
//! # What this crate does not do
//!
//! It requests nothing, waits for nothing, keeps nothing and reads no clock. It does not know what is known: the
//! caller says so, batch by batch. It makes no article's address canonical and admits no host, which are the
//! caller's to judge before anything is requested; what it refuses itself are addresses inside the list that
//! would never be requested. It reads no article, and no text of one that stands in a list.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod date;
mod fall;
mod file;
mod fingerprint;
mod frontier;
mod history;
mod link;
mod list;
mod names;
mod pages;
mod report;
mod run;
mod sitemap;
#[cfg(test)]
mod tests;
mod walk;
mod wire;

pub use file::{Broken, Entries, Entry, EntryFlaw, File, FileError, Kind, UNPACKED_BYTES_MAX};
pub use history::{History, HistoryError};
pub use list::{Backlog, Entrance, NumberedAddress, NumberedAddressError, Numbering, Pagination};
pub use report::{EXAMPLES_MAX, End, Lastmods, Order, OrderBy, Report, Tally};
pub use run::RUN_ENTRIES_MAX;
pub use walk::{
    ATTEMPTS_MAX, Answer, BATCH_ENTRIES_MAX, Batch, DEPTH_MAX, Expected, INDEX_FILES_MAX, Noted, Page,
    PlaceError, REQUESTS_MAX, Request, Step, WALKED_AGAIN, Walk,
};
