//! `releve show`: a sealed article, for a person.

use std::io::Write;

use anyhow::{Result, anyhow, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use releve_deposit::{
    ArticleKey, Difference, LocalVault, Part, Since, Unit, Vault as _, VaultError, Version, differences,
};
use releve_proof::{RootSet, TimestampToken};
use serde_json::{Value, json};

use super::print_json;
use crate::cli::{Global, ShowAs};
use crate::exit::Exit;
use crate::output::{Shown, one_line};
use crate::world::World;

pub(crate) fn run(
    global: &Global,
    reference: &str,
    number: Option<u32>,
    format: ShowAs,
    out: &mut Shown<impl Write>,
) -> Result<Exit> {
    let world = World::load(global)?;
    let vault = world.existing_vault()?;
    let mut objects = Vec::new();
    let mut withdrawn = None;
    let mut is_shown = false;
    for key in find(&vault, reference)? {
        let versions = match vault.versions(&key) {
            // Another source's article may bear the same identifier, and may be shown.
            Err(error @ VaultError::Withdrawn { .. }) => {
                withdrawn = Some(error);
                continue;
            }
            versions => versions?,
        };
        let chosen = match number {
            None => versions.last(),
            Some(number) => versions.iter().find(|version| version.number == number),
        };
        let Some(chosen) = chosen else {
            bail!("{key} has {} versions, and none of number {}", versions.len(), number.unwrap_or_default());
        };
        let article = Sealed { vault: &vault, versions: &versions, chosen, unit: read(&vault, chosen)? };
        if global.json {
            objects.push(article.to_json(format)?);
        } else {
            article.print(format, out)?;
        }
        is_shown = true;
    }
    match withdrawn {
        Some(error) if is_shown => tracing::warn!("{error}"),
        Some(error) => return Err(error.into()),
        None => {}
    }
    if global.json {
        print_json(out, &objects)?;
    }
    Ok(Exit::Done)
}

/// An article in all its versions, one of which is shown.
struct Sealed<'a> {
    vault: &'a LocalVault,
    versions: &'a [Version],
    chosen: &'a Version,
    /// That one's.
    unit: Unit,
}

impl Sealed<'_> {
    fn to_json(&self, format: ShowAs) -> Result<Value> {
        let unit = &self.unit;
        let bytes =
            |bytes: &[u8]| json!({ "unit": unit.digest().to_string(), "base64": STANDARD.encode(bytes) });
        Ok(match format {
            ShowAs::Unit => bytes(unit.bytes()),
            ShowAs::Timestamp => bytes(self.timestamp()?.as_der()),
            ShowAs::Roots => {
                let roots = self.roots()?;
                json!({ "name": roots.name(), "sha256": roots.digest().to_string(), "pem": roots.to_pem() })
            }
            ShowAs::Proof => serde_json::from_str(&unit.proof().to_json())?,
            ShowAs::Envelope => json!({
                "address": unit.address().as_str(),
                "media_type": unit.media_type(),
                "base64": STANDARD.encode(unit.envelope()),
            }),
            ShowAs::Markdown => {
                let mut versions = Vec::new();
                self.history(|version, differences| {
                    versions.push(json!({
                        "number": version.number,
                        "address": version.address,
                        "read_at": version.read_at,
                        "unit": version.receipt.digest.to_string(),
                        "receipt": version.receipt.to_json(),
                        "differences": differences.map(|all| all.iter().map(difference_to_json).collect::<Vec<_>>()),
                    }));
                    Ok(())
                })?;
                versions.reverse();
                let timestamps = self.vault.timestamps(unit.digest())?;
                let timestamps: Vec<_> = timestamps.iter().map(TimestampToken::at).collect();
                json!({
                    "article": unit.article_json(),
                    "number": self.chosen.number,
                    "address": unit.address().as_str(),
                    "read_at": unit.read_at(),
                    "unit": unit.digest().to_string(),
                    "receipt": self.chosen.receipt.to_json(),
                    "timestamps": timestamps,
                    "versions": versions,
                })
            }
        })
    }

    fn print(&self, format: ShowAs, out: &mut Shown<impl Write>) -> Result<()> {
        let unit = &self.unit;
        match format {
            ShowAs::Unit => out.raw(unit.bytes())?,
            ShowAs::Timestamp => out.raw(self.timestamp()?.as_der())?,
            ShowAs::Envelope => out.raw(unit.envelope())?,
            // Canonical to the last byte, as whoever checks it expects it.
            ShowAs::Proof => out.raw(unit.proof().to_json().as_bytes())?,
            ShowAs::Roots => out.raw(self.roots()?.to_pem().as_bytes())?,
            ShowAs::Markdown => {
                let Version { key, number, receipt, .. } = self.chosen;
                writeln!(out, "{}", unit.article()?.to_markdown())?;
                writeln!(out, "---")?;
                writeln!(out, "{key}, version {number} of {}", self.versions.len())?;
                writeln!(out, "read at {} on {}", unit.address(), unit.read_at())?;
                writeln!(out, "unit {}, seal {}", unit.digest(), receipt.sequence)?;
                for token in self.vault.timestamps(unit.digest())? {
                    writeln!(out, "known to a timestamp authority at {}, by its own clock", token.at())?;
                }
                writeln!(out, "{}", releve_proof::ATTESTS)?;
                if self.versions.len() > 1 {
                    self.history(|version, differences| print_version(version, differences, out))?;
                }
            }
        }
        Ok(())
    }

    /// The set of certificate authorities that the proof names.
    fn roots(&self) -> Result<RootSet> {
        let Version { key, number, .. } = self.chosen;
        let named = self.unit.proof().roots();
        let mut sealed = self.vault.sealed_roots()?.into_iter();
        sealed.find(|roots| roots.digest() == named.sha256).ok_or_else(|| {
            anyhow!(
                "version {number} of {key} was read with the authorities of `{}`, which are not sealed here: the vault has \
                 checked it against its own",
                named.name
            )
        })
    }

    fn timestamp(&self) -> Result<TimestampToken> {
        let Version { key, number, .. } = self.chosen;
        let last = self.vault.timestamps(self.unit.digest())?.pop();
        last.ok_or_else(|| {
            anyhow!("version {number} of {key} has no timestamp; see `releve vault timestamp`")
        })
    }

    /// Tells each version, the last one first, and how it differs from the one before it. The first differs from none.
    ///
    /// Two versions are held at a time.
    fn history(&self, mut tell: impl FnMut(&Version, Option<Vec<Difference>>) -> Result<()>) -> Result<()> {
        let mut later: Option<(&Version, Unit)> = None;
        for version in self.versions.iter().rev() {
            let unit = read(self.vault, version)?;
            if let Some((later, after)) = later.take() {
                tell(later, Some(differences(&unit.article()?, &after.article()?)))?;
            }
            later = Some((version, unit));
        }
        match later {
            Some((first, _)) => tell(first, None),
            None => Ok(()),
        }
    }
}

fn read(vault: &LocalVault, version: &Version) -> Result<Unit> {
    vault
        .read(version.receipt.digest)?
        .ok_or_else(|| anyhow!("the vault lists {} and does not have it; run `releve verify`", version.key))
}

fn difference_to_json(difference: &Difference) -> Value {
    json!({ "part": part(difference.part), "removed": difference.removed, "added": difference.added })
}

fn part(part: Part) -> String {
    match part {
        Part::Field(field) => field.to_string(),
        Part::Reading(field) => format!("{field}, other readings"),
        Part::Text => "text".to_owned(),
    }
}

fn print_version(
    version: &Version,
    differences: Option<Vec<Difference>>,
    out: &mut impl Write,
) -> Result<()> {
    writeln!(out, "\nversion {}, read on {}", version.number, version.read_at)?;
    let Some(differences) = differences else {
        writeln!(out, "  the first")?;
        return Ok(());
    };
    for difference in differences {
        writeln!(out, "  {}", part(difference.part))?;
        for removed in &difference.removed {
            writeln!(out, "  - {}", one_line(removed))?;
        }
        for added in &difference.added {
            writeln!(out, "  + {}", one_line(added))?;
        }
        if difference.removed.is_empty() && difference.added.is_empty() {
            writeln!(out, "    the same words, marked up otherwise")?;
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
        let is_empty = vault.list(&Since::default(), 1)?.is_empty();
        let hint =
            if is_empty { "it is empty" } else { "give an address, an identifier, or SOURCE:IDENTIFIER" };
        bail!("the vault has no article `{reference}`: {hint}");
    }
    Ok(found)
}

/// The one article that a reference means.
pub(super) fn find_one(vault: &LocalVault, reference: &str) -> Result<ArticleKey> {
    let mut found = find(vault, reference)?;
    match (found.pop(), found.as_slice()) {
        (Some(key), []) => Ok(key),
        (last, others) => {
            let meant: Vec<String> = others
                .iter()
                .chain(&last)
                .map(|key| format!("{}:{}", key.source(), key.identifier()))
                .collect();
            bail!("`{reference}` means several articles; name one of {}", meant.join(", "))
        }
    }
}
