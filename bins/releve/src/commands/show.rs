//! `releve show`: a sealed article, for a person.

use std::io::Write;

use anyhow::{Result, bail};
use releve_deposit::{ArticleKey, LocalVault, Since, Vault as _};
use serde_json::json;

use super::print_json;
use crate::cli::{Global, ShowAs};
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(global: &Global, reference: &str, format: ShowAs, out: &mut dyn Write) -> Result<Exit> {
    let world = World::load(global)?;
    let vault = world.existing_vault()?;
    for key in find(&vault, reference)? {
        let versions = vault.versions(&key)?;
        let Some(last) = versions.last() else { continue };
        let Some(unit) = vault.read(last.receipt.digest)? else {
            bail!("the vault lists {key} and does not have it; run `releve verify`");
        };
        match format {
            ShowAs::Envelope => out.write_all(unit.envelope())?,
            ShowAs::Proof => writeln!(out, "{}", unit.proof().to_json())?,
            ShowAs::Markdown if global.json => {
                print_json(
                    out,
                    &json!({
                        "article": unit.article_json(),
                        "address": unit.address().as_str(),
                        "read_at": unit.read_at(),
                        "unit": unit.digest().to_string(),
                        "receipt": last.receipt.to_json(),
                        "versions": versions.iter().map(|version| json!({
                            "number": version.number,
                            "read_at": version.read_at,
                            "unit": version.receipt.digest.to_string(),
                        })).collect::<Vec<_>>(),
                    }),
                )?;
            }
            ShowAs::Markdown => {
                let article = unit.article()?;
                writeln!(out, "{}", article.to_markdown())?;
                writeln!(out, "---")?;
                writeln!(out, "{key}, version {} of {}", last.number, versions.len())?;
                writeln!(out, "read at {} on {}", unit.address(), unit.read_at())?;
                writeln!(out, "unit {}, seal {}", unit.digest(), last.receipt.sequence)?;
                writeln!(out, "{}", releve_proof::ATTESTS)?;
            }
        }
    }
    Ok(Exit::Done)
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
    let mut found = Vec::new();
    for source in vault.stats()?.sources {
        if let Ok(key) = ArticleKey::new(source.name, reference)
            && vault.last_version(&key)?.is_some()
        {
            found.push(key);
        }
    }
    if found.is_empty() {
        let count = vault.list(&Since::default(), 1)?.len();
        let hint =
            if count == 0 { "it is empty" } else { "give an address, an identifier, or SOURCE:IDENTIFIER" };
        bail!("the vault has no article `{reference}`: {hint}");
    }
    Ok(found)
}
