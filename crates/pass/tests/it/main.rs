//! Passes in virtual time: days go by in a moment, and processes are killed on the way.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::missing_docs_in_private_items)]

mod deposits;
mod embargo;
mod kills;
mod locks;
mod month;
mod pace;
mod rhythm;
mod site;
mod world;
