//! Articles that come as JSON: the WordPress REST API, and any CMS whose fields the source's configuration maps.

mod pointer;

pub use pointer::{Pointer, PointerError};
