//! The connector: it parses flags, picks adapters, and prints. Everything it decides is decided in the crates.

mod cli;
mod clock;
mod commands;
mod exit;
mod output;
mod progress;
mod reasons;
mod table;
mod world;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use tracing_subscriber::EnvFilter;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::output::{Shown, WhileRead};

fn main() -> ExitCode {
    let cli = Cli::parse();
    log();
    let mut out = Shown::new(io::BufWriter::new(WhileRead::new(io::stdout().lock())));
    let ran = commands::run(&cli, &mut out).and_then(|exit| {
        out.flush()?;
        Ok(exit)
    });
    let exit = match ran {
        Ok(exit) => exit,
        Err(error) => {
            // If standard error is gone too there is nobody left to tell.
            drop(writeln!(Shown::new(io::stderr()), "releve: {error:#}"));
            Exit::CouldNotRun
        }
    };
    exit.into()
}

/// Logs go to standard error: warnings, or what `RELEVE_LOG` asks for.
#[expect(
    clippy::disallowed_methods,
    reason = "the log's level comes from the environment, and this is the binary"
)]
fn log() {
    let asked = EnvFilter::try_from_env("RELEVE_LOG").map_err(|error| error.to_string());
    let unusable = asked.as_ref().err().filter(|_| std::env::var_os("RELEVE_LOG").is_some()).cloned();
    let filter = asked.unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Shown::new(io::stderr()))
        // Colours would be escaped with everything else that a terminal acts on.
        .with_ansi(false)
        .with_target(false)
        .init();
    if let Some(error) = unusable {
        tracing::warn!("RELEVE_LOG cannot be used, so warnings alone are shown: {error}");
    }
}
