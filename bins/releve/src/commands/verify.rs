//! `releve verify`: check again, offline, that what is sealed is whole and proven.

use std::io::{self, Write};

use anyhow::{Context as _, Result};
use releve_deposit::{Fault, VaultError, Verification, Verify, verify};
use releve_proof::Sha256;
use serde_json::{Value, json};

use super::{print_json, show::find};
use crate::cli::Global;
use crate::exit::Exit;
use crate::output::one_line;
use crate::world::World;

pub(crate) fn run(
    global: &Global,
    references: &[String],
    head: Option<&str>,
    out: &mut dyn Write,
) -> Result<Exit> {
    let world = World::load(global)?;
    let head = head.map(str::parse::<Sha256>).transpose().context("--head is no SHA-256 in hexadecimal")?;
    if !references.is_empty() {
        return some(&world, global, references, out);
    }
    let whole = Whole::check(&world, head)?;
    if global.json {
        print_json(out, &whole.to_json())?;
    } else {
        whole.print(out)?;
    }
    Ok(whole.exit())
}

/// The whole vault, checked from its segments.
pub(super) struct Whole {
    found: Verification,
    /// How many heads were known from elsewhere.
    heads: usize,
}

impl Whole {
    /// Neither the vault's index nor a ledger need be there, and nothing is written.
    pub(super) fn check(world: &World, head: Option<Sha256>) -> Result<Self> {
        let (folder, id) = world.bare_vault()?;
        let ledger = world.known()?;
        // A vault that was begun anew is whole, and yet nothing is in it of what was sealed.
        world.belongs(ledger.as_ref(), &folder.display(), Some(&id))?;
        let mut heads: Vec<Sha256> = head.into_iter().collect();
        // The receipts in the ledger know a head too: a vault that was cut off at a seal shows against it.
        if let Some(receipt) = ledger.head(&id)? {
            heads.push(Sha256::from_bytes(receipt.seal));
        }
        let roots = world.roots()?;
        let options = Verify {
            folder: &folder,
            roots: Some(&roots),
            window: world.connector.deposit_within,
            heads: &heads,
        };
        let found = verify(&options, &mut |_| {}).context("the vault cannot be verified")?;
        Ok(Self { found, heads: heads.len() })
    }

    pub(super) fn exit(&self) -> Exit {
        if self.found.is_clean() { Exit::Done } else { Exit::Failures }
    }

    pub(super) fn to_json(&self) -> Value {
        let found = &self.found;
        json!({
            "clean": found.is_clean(),
            "segments": found.segments,
            "units": found.units,
            "root_sets": found.root_sets,
            "timestamps": found.timestamps,
            "by_roots_today": found.by_roots_today,
            "by_roots_sealed": found.by_roots_sealed,
            "head": found.head.map(|(sequence, seal)| json!({ "sequence": sequence, "seal": seal.to_string() })),
            "heads_known": self.heads,
            "fault_count": found.fault_count,
            "faults": found.faults.iter().map(fault_to_json).collect::<Vec<_>>(),
        })
    }

    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let found = &self.found;
        writeln!(
            out,
            "{} units in {} segments: every digest, every seal and the chain of seals, every proof",
            found.units, found.segments
        )?;
        writeln!(
            out,
            "  {} proofs against today's authorities, {} against authorities sealed with them",
            found.by_roots_today, found.by_roots_sealed
        )?;
        if found.timestamps > 0 {
            writeln!(
                out,
                "  {} timestamps, whose signatures are for `openssl ts -verify`",
                found.timestamps
            )?;
        }
        match found.head {
            Some((sequence, seal)) => writeln!(out, "  head: seal {sequence}, {seal}")?,
            None => writeln!(out, "  the vault is empty")?,
        }
        if self.heads == 0 {
            writeln!(out, "  no head was known from elsewhere, so a cut at the end would not show")?;
        }
        for fault in &found.faults {
            writeln!(out, "FAULT {}", one_line(&fault.to_string()))?;
        }
        let verdict = if found.is_clean() { "nothing is wrong" } else { "the vault is NOT what it was" };
        writeln!(out, "{verdict}")
    }
}

pub(super) fn fault_to_json(fault: &Fault) -> Value {
    json!({
        "code": fault.code,
        "segment": fault.segment,
        "offset": fault.offset,
        "sequence": fault.sequence,
        "unit": fault.unit.map(|unit| unit.to_string()),
        "why": fault.why,
    })
}

/// Single articles: every check of every version, line by line.
fn some(world: &World, global: &Global, references: &[String], out: &mut dyn Write) -> Result<Exit> {
    let vault = world.existing_vault()?;
    let mut exit = Exit::Done;
    let mut objects = Vec::new();
    for reference in references {
        for key in find(&vault, reference)? {
            for version in vault.sealed_versions(&key)? {
                // As over the whole vault: with digests, seal and receipt, against today's authorities or sealed ones.
                let (refused, lines) = match vault.check(&version) {
                    Ok(report) => (
                        report.refusal().map(|refusal| refusal.reason().code()),
                        report.lines().iter().map(ToString::to_string).collect::<Vec<_>>(),
                    ),
                    Err(error @ (VaultError::Damaged { .. } | VaultError::Index { .. })) => {
                        (Some(error.code()), vec![format!("FAILED       {error}")])
                    }
                    Err(error) => return Err(error.into()),
                };
                if refused.is_some() {
                    exit = Exit::Failures;
                }
                if global.json {
                    objects.push(json!({
                        "source": key.source(),
                        "identifier": key.identifier(),
                        "version": version.number,
                        "unit": version.receipt.digest.to_string(),
                        "accepted": refused.is_none(),
                        "refused": refused,
                        "checks": lines,
                    }));
                    continue;
                }
                writeln!(out, "{key}, version {}, unit {}", version.number, version.receipt.digest)?;
                for line in lines {
                    writeln!(out, "  {}", one_line(&line))?;
                }
            }
        }
    }
    if global.json {
        print_json(out, &objects)?;
    }
    Ok(exit)
}
