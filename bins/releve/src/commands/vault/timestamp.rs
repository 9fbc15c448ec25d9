//! `releve vault timestamp`: an instant by a clock that is not ours.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use releve_timestamp::{Authority, AuthorityOptions};
use releve_url_canon::HttpsUrl;
use serde_json::json;

use crate::cli::Global;
use crate::commands::print_json;
use crate::exit::Exit;
use crate::world::World;

/// How many units are looked up at once.
const PAGE: usize = 1_000;

/// Ends at the first unit that the authority does not stamp: the next run goes on there.
pub(super) fn run(
    world: &World,
    global: &Global,
    authority: &HttpsUrl,
    authority_ca: Option<&Path>,
    out: &mut dyn Write,
) -> Result<Exit> {
    let vault = world.existing_vault()?;
    let clock = Arc::clone(&world.clock);
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let mut authority = Authority::new(AuthorityOptions {
        address: authority.clone(),
        user_agent: world.connector.user_agent.as_str().to_owned(),
        roots_pem: authority_ca.map(read).transpose()?,
        clock: Arc::new(move || clock.now()),
    })?;
    let (mut stamped, mut after) = (0_u64, 0);
    let mut ended = None;
    'all: loop {
        let units = vault.without_timestamp(after, PAGE)?;
        for (sequence, digest) in &units {
            let token = match authority.stamp(*digest) {
                Ok(token) => token,
                Err(error) => {
                    ended = Some(format!("{:#}", anyhow::Error::from(error)));
                    break 'all;
                }
            };
            if vault.seal_timestamp(&token)?.is_none() {
                bail!("the vault lists the unit {digest} and does not have it; run `releve verify`");
            }
            stamped += 1;
            after = *sequence;
        }
        if units.len() < PAGE {
            break;
        }
    }
    if global.json {
        print_json(out, &json!({ "stamped": stamped, "error": ended }))?;
    } else {
        writeln!(out, "{stamped} units were stamped")?;
        if let Some(error) = &ended {
            writeln!(out, "{error}; the next run goes on there")?;
        }
    }
    Ok(if ended.is_none() { Exit::Done } else { Exit::Failures })
}
