//! `releve vault withdraw`, `reinstate` and `withdrawals`: what is no longer shown, and who decided so.

use std::io::Write;

use anyhow::{Result, bail};
use releve_deposit::{ArticleKey, Decision, LocalVault, Withdrawal};
use serde_json::{Value, json};

use crate::cli::{DecisionArgs, Global};
use crate::commands::print_json;
use crate::commands::show::find_one;
use crate::exit::Exit;
use crate::output::one_line;
use crate::table;
use crate::world::{World, account};

pub(super) fn withdraw(
    world: &World,
    global: &Global,
    args: &DecisionArgs,
    out: &mut dyn Write,
) -> Result<Exit> {
    let vault = world.existing_vault()?;
    let key = find_one(&vault, &args.reference)?;
    // Withdrawing again changes nothing: the first decision holds.
    let is_new = vault.control().withdraw(&key, &by(args), &args.reason)?;
    if global.json {
        print_json(out, &last_of(&vault, &key)?.as_ref().map(to_json))?;
        return Ok(Exit::Done);
    }
    let already = if is_new { "" } else { " already, and nothing was changed" };
    writeln!(out, "{key} is withdrawn{already}")?;
    if let Some(withdrawal) = last_of(&vault, &key)? {
        writeln!(out, "  {}", told(&withdrawal.decision))?;
    }
    Ok(Exit::Done)
}

pub(super) fn reinstate(
    world: &World,
    global: &Global,
    args: &DecisionArgs,
    out: &mut dyn Write,
) -> Result<Exit> {
    let vault = world.existing_vault()?;
    let key = find_one(&vault, &args.reference)?;
    if !vault.control().reinstate(&key, &by(args), &args.reason)? {
        bail!("{key} is not withdrawn; `releve vault withdrawals` lists what is");
    }
    if global.json {
        print_json(out, &last_of(&vault, &key)?.as_ref().map(to_json))?;
    } else {
        writeln!(out, "{key} is shown again")?;
    }
    Ok(Exit::Done)
}

pub(super) fn list(world: &World, global: &Global, out: &mut dyn Write) -> Result<Exit> {
    let withdrawals = world.existing_vault()?.control().withdrawals()?;
    if global.json {
        let withdrawals: Vec<_> = withdrawals.iter().map(to_json).collect();
        print_json(out, &json!({ "withdrawals": withdrawals }))?;
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = withdrawals
        .iter()
        .map(|Withdrawal { key, decision, lifted }| {
            vec![
                key.source().to_owned(),
                key.identifier().to_owned(),
                told(decision),
                lifted.as_ref().map_or_else(|| "no".to_owned(), told),
            ]
        })
        .collect();
    table::write(out, &["SOURCE", "IDENTIFIER", "WITHDRAWN", "LIFTED"], &rows)?;
    Ok(Exit::Done)
}

/// The last withdrawal of an article that there was.
fn last_of(vault: &LocalVault, key: &ArticleKey) -> Result<Option<Withdrawal>> {
    let withdrawals = vault.control().withdrawals()?;
    Ok(withdrawals.into_iter().rfind(|withdrawal| withdrawal.key == *key))
}

fn by(args: &DecisionArgs) -> String {
    args.by.clone().unwrap_or_else(account)
}

fn told(Decision { at, by, reason }: &Decision) -> String {
    one_line(&format!("on {at:.0} by {by}: {reason}")).into_owned()
}

fn to_json(withdrawal: &Withdrawal) -> Value {
    let decision = |Decision { at, by, reason }: &Decision| json!({ "at": at, "by": by, "reason": reason });
    json!({
        "source": withdrawal.key.source(),
        "identifier": withdrawal.key.identifier(),
        "withdrawn": decision(&withdrawal.decision),
        "lifted": withdrawal.lifted.as_ref().map(decision),
    })
}
