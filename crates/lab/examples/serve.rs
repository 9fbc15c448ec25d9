//! Serves the files of a folder under one name, as a process of its own, until it is killed:
//!
//! ```text
//! cargo run -p releve-lab --example serve -- www.example.test SITE LAB
//! ```
//!
//! `SITE` is the folder to serve; into the folder `LAB` go `lab.toml` and `ca.pem`, for whoever reads it.

#![allow(clippy::print_stdout)] // an example says where it stands

use std::path::Path;

use releve_lab::{Host, Lab, Reply};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, site, folder] = arguments.as_slice() else {
        return Err("three arguments: the name, the folder to serve, the folder for the lab file".into());
    };
    let site = site.clone();
    let host = Host::new(name).otherwise(move |asked| {
        let path = asked.target().split('?').next().unwrap_or_default().trim_start_matches('/');
        let is_inside = path.split('/').all(|segment| !segment.starts_with('.'));
        match std::fs::read(Path::new(&site).join(path)) {
            Ok(bytes) if is_inside => Reply::ok(media_type(path), bytes).into(),
            _ => Reply::status(404).into(),
        }
    });
    let lab = Lab::start()?;
    let address = lab.add(host)?;
    println!("{name} at {address}, listed in {}", lab.write_files(Path::new(folder), None)?.display());
    loop {
        std::thread::park();
    }
}

fn media_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("json") => "application/json",
        Some("xml") => "application/xml",
        _ => "text/plain; charset=utf-8",
    }
}
