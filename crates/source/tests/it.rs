//! Configurations through the public API.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
// A test target may read its fixtures.
#![allow(clippy::disallowed_methods)]

use releve_bounds::Bounds;
use releve_source::*;

#[test]
fn show() {
    for f in [
        "broken/ten.toml",
        "sources/wordpress.toml",
        "sources/page.toml",
        "sources/address.toml",
        "sources/public-api.toml",
        "sources/cms-api.toml",
        "sources/wordpress-access.toml",
    ] {
        let text =
            std::fs::read(format!("{}/../../fixtures/config/{f}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        match parse_source(File { name: f, text: &text }, &Bounds::default()) {
            Ok(p) => println!("{f} OK {:?}\n", p.warnings),
            Err(e) => println!("{e}\n"),
        }
    }
}
