//! `releve vault key`: who may deposit over the network, and what.

use std::io::Write;

use anyhow::{Result, bail};
use releve_deposit::{KeyRecord, Permission};
use serde_json::{Value, json};

use crate::cli::{Global, KeyCommand};
use crate::commands::print_json;
use crate::exit::Exit;
use crate::table;
use crate::world::World;

pub(super) fn run(world: &World, global: &Global, command: &KeyCommand, out: &mut dyn Write) -> Result<Exit> {
    match command {
        KeyCommand::Add { name, permissions } => add(world, global, name, permissions, out),
        KeyCommand::List => list(world, global, out),
        KeyCommand::Revoke { name } => revoke(world, global, name, out),
    }
}

fn add(
    world: &World,
    global: &Global,
    name: &str,
    permissions: &[Permission],
    out: &mut dyn Write,
) -> Result<Exit> {
    let vault = world.vault()?;
    let Some(key) = vault.control().create_key(name, permissions)? else {
        bail!(
            "there is a key `{name}`, or there was one: names are given once, so that a record of one stays clear"
        );
    };
    // The one time that it is shown. Alone on its line, so that it can be put into the file that a connector reads.
    if global.json {
        print_json(out, &json!({ "name": name, "key": key.secret() }))?;
    } else {
        writeln!(out, "{}", key.secret())?;
    }
    Ok(Exit::Done)
}

fn list(world: &World, global: &Global, out: &mut dyn Write) -> Result<Exit> {
    let keys = world.existing_vault()?.control().keys()?;
    if global.json {
        print_json(out, &json!({ "keys": keys.iter().map(to_json).collect::<Vec<_>>() }))?;
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = keys
        .iter()
        .map(|key| {
            let state = match key.revoked_at {
                None => "in force".to_owned(),
                Some(at) => format!("revoked {at:.0}"),
            };
            let permits = key.permissions.iter().map(|permission| {
                let hosts: Vec<_> = permission.hosts.entries().collect();
                format!("{}={}", permission.source, hosts.join(","))
            });
            let permits = permits.collect::<Vec<_>>().join(" ");
            vec![key.name.clone(), format!("{:.0}", key.created_at), state, permits]
        })
        .collect();
    table::write(out, &["KEY", "MADE", "STATE", "PERMITS"], &rows)?;
    Ok(Exit::Done)
}

fn to_json(key: &KeyRecord) -> Value {
    let permits: Vec<_> = key
        .permissions
        .iter()
        .map(|permission| {
            json!({ "source": permission.source, "hosts": permission.hosts.entries().collect::<Vec<_>>() })
        })
        .collect();
    json!({
        "name": key.name,
        "created_at": key.created_at,
        "revoked_at": key.revoked_at,
        "permits": permits,
    })
}

fn revoke(world: &World, global: &Global, name: &str, out: &mut dyn Write) -> Result<Exit> {
    let vault = world.existing_vault()?;
    if !vault.control().revoke_key(name)? {
        bail!("no key `{name}` is in force; `releve vault key list` shows those that there are");
    }
    if global.json {
        print_json(out, &json!({ "name": name, "revoked": true }))?;
    } else {
        writeln!(out, "the key `{name}` is revoked; every later deposit under it is refused")?;
    }
    Ok(Exit::Done)
}
