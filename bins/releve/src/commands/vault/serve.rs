//! `releve vault serve`: the vault, for connectors on other machines.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use releve_vault_http::{Access, Bounds, Server};
use tokio::net::TcpListener;

use crate::cli::ServeArgs;
use crate::commands::pass::until_stopped;
use crate::exit::Exit;
use crate::world::World;

pub(super) fn run(world: &World, args: &ServeArgs) -> Result<Exit> {
    let vault = world.vault()?;
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let (certificate, private_key) = (read(&args.certificate)?, read(&args.private_key)?);
    let clock = Arc::clone(&world.clock);
    let log = Arc::new(move |access: &Access| tell(&format!("{:.3} {access}", clock.now())));
    let bounds = Bounds { memory_bytes: args.memory_mib as usize * 1024 * 1024, ..Bounds::default() };
    let server = Server::new(vault, &certificate, &private_key, bounds, log)
        .context("cannot serve with this certificate and private key")?;
    let served = until_stopped(async move |interrupt| {
        let listener = TcpListener::bind(args.listen)
            .await
            .with_context(|| format!("cannot listen at {}", args.listen))?;
        let at = listener.local_addr().with_context(|| format!("cannot listen at {}", args.listen))?;
        tell(&format!("listening at {at}"));
        Ok(server.serve(listener, async move { interrupt.comes().await }).await)
    })?;
    // Being asked to stop is how a server ends; leaving something unfinished is not.
    Ok(if served == Some(true) { Exit::Done } else { Exit::Interrupted })
}

/// The access log is what this command prints, and what it is run for beside serving: it does not depend on the level that
/// other logs are kept at.
fn tell(line: &str) {
    // If standard error is gone there is nobody left to tell.
    drop(writeln!(std::io::stderr(), "{line}"));
}
