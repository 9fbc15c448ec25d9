//! One module a command.

mod active;
mod backlog;
mod canon;
mod check;
mod demo;
mod explain;
mod export;
mod extract;
mod init;
mod pass;
mod retry;
mod robots;
mod run;
mod schema;
mod show;
mod status;
mod vault;
mod verify;

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use crate::cli::{Cli, Command};
use crate::exit::Exit;
use crate::output::Shown;

/// Runs a command. What it prints goes to `out`.
pub(crate) fn run(cli: &Cli, out: &mut Shown<impl Write>) -> Result<Exit> {
    let global = &cli.global;
    match &cli.command {
        Command::Pass { sources, time } => pass::run(global, sources, *time, out),
        Command::Run { sources } => run::run(global, sources),
        Command::Demo { dir } => demo::run(global, dir.as_deref(), out),
        Command::Check => check::run(global, out),
        Command::Explain { address, source } => explain::run(global, address, source.as_deref(), out),
        Command::Status { all } => status::run(global, *all, out),
        Command::Show { reference, number, format } => show::run(global, reference, *number, *format, out),
        Command::Export { wacz, source, since } => export::run(global, wacz, source.as_deref(), *since, out),
        Command::Verify { references, head } => verify::run(global, references, head.as_deref(), out),
        Command::Backlog { source, dry_run } => backlog::run(global, source, *dry_run, out),
        Command::Vault { command } => vault::run(global, command, out),
        Command::Retry { source, reference } => retry::run(global, source, reference, out),
        Command::Extract(args) => extract::run(global, args, out),
        Command::Robots { file, agent, cases, addresses } => {
            robots::run(global, file.as_deref(), agent.as_deref(), cases.as_deref(), addresses, out)
        }
        Command::Canon { keep, addresses } => canon::run(global, keep, addresses, out),
        Command::Schema { of } => schema::run(global, *of, out),
        Command::Init { dir } => init::run(global, dir, out),
    }
}

/// One JSON value on a line of its own.
fn print_json(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)?;
    Ok(())
}
