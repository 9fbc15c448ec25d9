//! `releve show`: a sealed article, for a person.

use std::io::Write;

use anyhow::{Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use releve_deposit::{ArticleKey, LocalVault, Since, Unit, Vault as _, Version};
use serde_json::{Value, json};

use super::print_json;
use crate::cli::{Global, ShowAs};
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(global: &Global, reference: &str, format: ShowAs, out: &mut dyn Write) -> Result<Exit> {
    let world = World::load(global)?;
    let vault = world.existing_vault()?;
    let mut objects = Vec::new();
    for key in find(&vault, reference)? {
        let versions = vault.versions(&key)?;
        let Some(last) = versions.last() else { continue };
        let Some(unit) = vault.read(last.receipt.digest)? else {
            bail!("the vault lists {key} and does not have it; run `releve verify`");
        };
        if global.json {
            objects.push(to_json(&unit, &versions, format)?);
        } else {
            print(&unit, &versions, format, out)?;
        }
    }
    if global.json {
        print_json(out, &objects)?;
    }
    Ok(Exit::Done)
}

/// The last of an article's versions, which `unit` is.
fn to_json(unit: &Unit, versions: &[Version], format: ShowAs) -> Result<Value> {
    Ok(match format {
        ShowAs::Proof => serde_json::from_str(&unit.proof().to_json())?,
        ShowAs::Envelope => json!({
            "address": unit.address().as_str(),
            "media_type": unit.media_type(),
            "base64": STANDARD.encode(unit.envelope()),
        }),
        ShowAs::Markdown => json!({
            "article": unit.article_json(),
            "address": unit.address().as_str(),
            "read_at": unit.read_at(),
            "unit": unit.digest().to_string(),
            "receipt": versions.last().map(|last| last.receipt.to_json()),
            "versions": versions.iter().map(|version| json!({
                "number": version.number,
                "read_at": version.read_at,
                "unit": version.receipt.digest.to_string(),
            })).collect::<Vec<_>>(),
        }),
    })
}

fn print(unit: &Unit, versions: &[Version], format: ShowAs, out: &mut dyn Write) -> Result<()> {
    match format {
        ShowAs::Envelope => out.write_all(unit.envelope())?,
        ShowAs::Proof => writeln!(out, "{}", unit.proof().to_json())?,
        ShowAs::Markdown => {
            writeln!(out, "{}", unit.article()?.to_markdown())?;
            writeln!(out, "---")?;
            if let Some(last) = versions.last() {
                writeln!(out, "{}, version {} of {}", last.key, last.number, versions.len())?;
                writeln!(out, "read at {} on {}", unit.address(), unit.read_at())?;
                writeln!(out, "unit {}, seal {}", unit.digest(), last.receipt.sequence)?;
            }
            writeln!(out, "{}", releve_proof::ATTESTS)?;
        }
    }
    Ok(())
}

/// The articles that a reference means: an address, `SOURCE:IDENTIFIER`, or an identifier alone.
pub(crate) fn find(vault: &LocalVault, reference: &str) -> Result<Vec<ArticleKey>> {
    let at_address = vault.at_address(reference)?;
    if !at_address.is_empty() {
        return Ok(at_address);
    }
    if let Some((source, identifier)) = reference.split_once(':')
        && let Ok(key) = ArticleKey::new(source, identifier)
        && vault.last_version(&key)?.is_some()
    {
        return Ok(vec![key]);
    }
    let found = vault.with_identifier(reference)?;
    if found.is_empty() {
        let count = vault.list(&Since::default(), 1)?.len();
        let hint =
            if count == 0 { "it is empty" } else { "give an address, an identifier, or SOURCE:IDENTIFIER" };
        bail!("the vault has no article `{reference}`: {hint}");
    }
    Ok(found)
}
