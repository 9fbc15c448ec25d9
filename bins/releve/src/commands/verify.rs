//! `releve verify`: check again, offline, that what is sealed is whole and proven.

use std::io::Write;

use anyhow::{Context as _, Result, bail};
use releve_deposit::{Verify, verify};
use releve_ledger::Ledger as _;
use releve_proof::{Context, Sha256, check};
use serde_json::json;

use super::{print_json, show::find};
use crate::cli::Global;
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(
    global: &Global,
    references: &[String],
    head: Option<&str>,
    out: &mut dyn Write,
) -> Result<Exit> {
    let world = World::load(global)?;
    let head = head.map(str::parse::<Sha256>).transpose().context("--head is no SHA-256 in hexadecimal")?;
    if references.is_empty() {
        whole(&world, global, head, out)
    } else {
        some(&world, global, references, out)
    }
}

/// The whole vault, from its segments.
fn whole(world: &World, global: &Global, head: Option<Sha256>, out: &mut dyn Write) -> Result<Exit> {
    let vault = world.existing_vault()?;
    let mut heads: Vec<Sha256> = head.into_iter().collect();
    // The receipts in the ledger know a head too: a vault that was cut off at a seal shows against it.
    if let Some(receipt) = world.ledger()?.head(vault.id())? {
        heads.push(Sha256::from_bytes(receipt.seal));
    }
    let roots = world.roots()?;
    let options = Verify {
        folder: vault.folder(),
        roots: Some(&roots),
        window: world.connector.deposit_within,
        heads: &heads,
    };
    let found = verify(&options, &mut |_| {}).context("the vault cannot be verified")?;
    if global.json {
        let faults: Vec<_> = found
            .faults
            .iter()
            .map(|fault| {
                json!({
                    "code": fault.code,
                    "segment": fault.segment,
                    "offset": fault.offset,
                    "sequence": fault.sequence,
                    "unit": fault.unit.map(|unit| unit.to_string()),
                    "why": fault.why,
                })
            })
            .collect();
        print_json(
            out,
            &json!({
                "clean": found.is_clean(),
                "segments": found.segments,
                "units": found.units,
                "root_sets": found.root_sets,
                "by_roots_today": found.by_roots_today,
                "by_roots_sealed": found.by_roots_sealed,
                "head": found.head.map(|(sequence, seal)| json!({ "sequence": sequence, "seal": seal.to_string() })),
                "heads_known": heads.len(),
                "fault_count": found.fault_count,
                "faults": faults,
            }),
        )?;
    } else {
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
        match found.head {
            Some((sequence, seal)) => writeln!(out, "  head: seal {sequence}, {seal}")?,
            None => writeln!(out, "  the vault is empty")?,
        }
        if heads.is_empty() {
            writeln!(out, "  no head was known from elsewhere, so a cut at the end would not show")?;
        }
        for fault in &found.faults {
            writeln!(out, "FAULT {fault}")?;
        }
        let verdict = if found.is_clean() { "nothing is wrong" } else { "the vault is NOT what it was" };
        writeln!(out, "{verdict}")?;
    }
    Ok(if found.is_clean() { Exit::Done } else { Exit::Failures })
}

/// Single articles: every check of every version, line by line.
fn some(world: &World, global: &Global, references: &[String], out: &mut dyn Write) -> Result<Exit> {
    use releve_deposit::Vault as _;
    let vault = world.existing_vault()?;
    let roots = world.roots()?;
    let mut exit = Exit::Done;
    for reference in references {
        for key in find(&vault, reference)? {
            for version in vault.versions(&key)? {
                let Some(unit) = vault.read(version.receipt.digest)? else {
                    bail!(
                        "the vault lists {key} and does not have it; run `releve verify` over the whole vault"
                    );
                };
                let context = Context {
                    received_at: version.receipt.received_at,
                    window: world.connector.deposit_within,
                    lab: world.lab.is_some(),
                };
                let report = check(unit.proof(), unit.envelope(), &roots, &context);
                if !report.accepted() {
                    exit = Exit::Failures;
                }
                if global.json {
                    print_json(
                        out,
                        &json!({
                            "source": key.source(),
                            "identifier": key.identifier(),
                            "version": version.number,
                            "unit": version.receipt.digest.to_string(),
                            "accepted": report.accepted(),
                            "refused": report.refusal().map(|refusal| refusal.reason().code()),
                            "checks": report.lines().iter().map(ToString::to_string).collect::<Vec<_>>(),
                        }),
                    )?;
                } else {
                    writeln!(out, "{key}, version {}, unit {}", version.number, version.receipt.digest)?;
                    for line in report.lines() {
                        writeln!(out, "  {line}")?;
                    }
                }
            }
        }
    }
    Ok(exit)
}
