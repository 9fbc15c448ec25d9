//! `releve canon`: the canonical address, and what was taken off.

use std::io::Write;

use anyhow::Result;
use releve_url_canon::{NecessaryParameters, canonicalise};
use serde_json::json;

use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;

pub(crate) fn run(
    global: &Global,
    keep: &[String],
    addresses: &[String],
    out: &mut dyn Write,
) -> Result<Exit> {
    let keep = NecessaryParameters::new(keep);
    let mut exit = Exit::Done;
    let mut objects = Vec::new();
    for address in addresses {
        match canonicalise(address, None, &keep) {
            Ok(canonical) => {
                let removed: Vec<String> = canonical.removed.iter().map(ToString::to_string).collect();
                if global.json {
                    objects.push(
                        json!({ "address": address, "canonical": canonical.url.as_str(), "removed": removed }),
                    );
                } else {
                    writeln!(out, "{}", canonical.url)?;
                    for removed in removed {
                        writeln!(out, "  without {removed}")?;
                    }
                }
            }
            Err(refusal) => {
                exit = Exit::Failures;
                if global.json {
                    objects.push(
                        json!({ "address": address, "refused": refusal.code(), "reason": refusal.to_string() }),
                    );
                } else {
                    writeln!(out, "{address}: {refusal} ({})", refusal.code())?;
                }
            }
        }
    }
    if global.json {
        print_json(out, &objects)?;
    }
    Ok(exit)
}
