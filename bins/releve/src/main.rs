//! The connector.
fn main() {}
