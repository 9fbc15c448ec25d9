//! Reads the files of a list into references, and decides in which order such a list is walked and when the walk
//! ends.

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
