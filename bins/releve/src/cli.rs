//! The command line, as clap reads it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jiff::Timestamp;
use releve_deposit::Permission;
use releve_redirect_policy::AdmittedHosts;
use releve_source::{SourceName, SourceNameError};
use releve_url_canon::HttpsUrl;

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    done, and something was refused or failed: the report says what
  2    could not run: the message says what to do
  3    a named source's lock is held by another pass
  130  interrupted: what was in hand was finished or let go, the lock released

Data goes to standard output, everything else to standard error. Under cron
nothing is printed unless something needs a person; RELEVE_LOG=info (or debug)
shows what happens.";

/// Reads announced articles at the publisher, politely, and seals them with a proof of the read.
#[derive(Debug, Parser)]
#[command(name = "releve", version, after_help = EXIT_CODES, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The connector's configuration.
    #[arg(long, global = true, value_name = "FILE", default_value = "releve.toml")]
    pub(crate) config: PathBuf,
    /// Machine-readable output: one JSON value on standard output, an array where there can be several answers. `run` and
    /// `vault serve` print nothing but their log.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Publishers on loopback: names under `.test`, an extra root for them alone, a clock offset. Every proof is marked.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) lab: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read what is due: of all sources, or of those named.
    Pass {
        /// The sources, by name. Naming a source picks it; it does not make it due.
        #[arg(value_name = "SOURCE")]
        sources: Vec<String>,
        /// Send no request after this time, such as `14m`, so that the next start of cron finds nothing under way. What is left
        /// is for the next pass. A pass ends of itself when its trigger is due again.
        #[arg(long = "for", value_name = "LENGTH", value_parser = length)]
        time: Option<Duration>,
    },
    /// Read what is due whenever it is, until asked to stop: for those without cron. A source that is deactivated
    /// meanwhile is left alone; any other change of the configuration counts from the next start on.
    Run {
        /// The sources, by name; all, if none is named.
        #[arg(value_name = "SOURCE")]
        sources: Vec<String>,
    },
    /// A real pass over invented newspapers on loopback.
    Demo {
        /// Where to put its configuration, ledger and vault; the same folder may be used again. Without it a new folder
        /// `releve-demo` is made.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Check the configuration, offline.
    Check,
    /// Say why an address would be read or not, or what the reason of a refusal means.
    Explain {
        /// The address, as a publisher or a log has it; or a reason as `status` prints it, such as `robots-disallowed`.
        #[arg(value_name = "ADDRESS|REASON")]
        address: String,
        /// The source under whose rules to look; all that admit its host, if none is named.
        #[arg(long, value_name = "SOURCE")]
        source: Option<String>,
    },
    /// What each source has read, refused and has before it.
    Status {
        /// List everything that was refused or set aside, not only the first of each source.
        #[arg(long)]
        all: bool,
    },
    /// Show a sealed article: its last version, and how each version differs from the one before.
    Show {
        /// Its identifier, its address, or SOURCE:IDENTIFIER.
        #[arg(value_name = "REFERENCE")]
        reference: String,
        /// Show this version instead, counted from 1 on.
        #[arg(long, value_name = "N")]
        number: Option<u32>,
        /// The whole text or the bytes as they came. With --json, the envelope is in base64.
        #[arg(long, value_enum, default_value_t = ShowAs::Markdown)]
        format: ShowAs,
    },
    /// Write what is sealed into a file that replay tools open.
    Export {
        /// The file to make, a WACZ 1.1.1. What is withdrawn is left out.
        #[arg(long, value_name = "FILE")]
        wacz: PathBuf,
        /// Only this source's.
        #[arg(long, value_name = "SOURCE")]
        source: Option<String>,
        /// Only what the vault received then or later: a date (in UTC), or an instant such as 2026-05-04T12:00:00Z.
        #[arg(long, value_name = "WHEN", value_parser = instant)]
        since: Option<Timestamp>,
    },
    /// Check again, offline, that what is sealed is whole and proven.
    Verify {
        /// The articles, by reference; the whole vault, if none is named.
        #[arg(value_name = "REFERENCE")]
        references: Vec<String>,
        /// The digest of the last seal as somebody else knows it.
        #[arg(long, value_name = "DIGEST")]
        head: Option<String>,
    },
    /// Say how far the walk over a source's backlog is, and what it has found.
    Backlog {
        /// The source.
        #[arg(value_name = "SOURCE")]
        source: String,
        /// Walk the whole list now, down to the floor, and print what would be queued. Nothing is queued or kept.
        #[arg(long)]
        dry_run: bool,
    },
    /// Look after the vault.
    Vault {
        #[command(subcommand)]
        command: VaultCommand,
    },
    /// Put a refused or set-aside article back into the queue.
    Retry {
        /// The source.
        #[arg(value_name = "SOURCE")]
        source: String,
        /// The identifier or address, as `status` lists it.
        #[arg(value_name = "REFERENCE")]
        reference: String,
    },
    /// Extract from a file, as a pass would, and print it as JSON, with or without --json.
    Extract(ExtractArgs),
    /// Print what a robots.txt says of addresses, before we come.
    Robots {
        /// The robots.txt; `-` is standard input.
        #[arg(value_name = "FILE", required_unless_present = "cases")]
        file: Option<PathBuf>,
        /// The product token that is judged for.
        #[arg(long, value_name = "TOKEN", required_unless_present = "cases")]
        agent: Option<String>,
        /// JSON lines with `id`, `robots` or `robots_b64`, `agent` and `url`; one JSON line is printed for each. `-` is
        /// standard input.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "agent"])]
        cases: Option<PathBuf>,
        /// The addresses, or their paths.
        #[arg(value_name = "ADDRESS")]
        addresses: Vec<String>,
    },
    /// Print the canonical address of addresses, and what was taken off.
    Canon {
        /// A parameter that is necessary. May be given again.
        #[arg(long, value_name = "NAME")]
        keep: Vec<String>,
        /// The addresses.
        #[arg(value_name = "ADDRESS", required = true)]
        addresses: Vec<String>,
    },
    /// Print the JSON Schema of a configuration file, for editors; with --json, on one line.
    Schema {
        /// Which file.
        #[arg(value_enum, default_value_t = SchemaOf::Source)]
        of: SchemaOf,
    },
    /// Write a commented configuration to begin with.
    Init {
        /// Where to.
        #[arg(value_name = "DIR", default_value = ".")]
        dir: PathBuf,
    },
}

/// How `show` prints an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowAs {
    /// The structured text, under what the descriptor says.
    Markdown,
    /// The envelope: the bytes as they were read.
    Envelope,
    /// The proof, byte for byte as it was sealed.
    Proof,
    /// The certificate authorities that the proof names, as they were sealed (PEM).
    Roots,
    /// The unit: three WARC records, byte for byte as they were sealed.
    Unit,
    /// The unit's last timestamp, as the authority gave it (RFC 3161).
    Timestamp,
}

/// What is done with the vault.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum VaultCommand {
    /// Build the index anew from the segments, which are only read.
    Reindex,
    /// How much it holds, of each source.
    Stats,
    /// Hide an article from show and export, in every version. Not a byte of what is sealed changes, and who decided so,
    /// when and why is on record.
    Withdraw(DecisionArgs),
    /// Lift a withdrawal, and keep on record that it was.
    Reinstate(DecisionArgs),
    /// List every withdrawal, lifted ones too.
    Withdrawals,
    /// Have a timestamp authority (RFC 3161) stamp every unit that has no timestamp yet, and seal what it answers beside the
    /// units. It is a third party, and learns their digests: none is asked but the one named here.
    Timestamp {
        /// Where the authority takes requests.
        #[arg(long, value_name = "ADDRESS")]
        authority: HttpsUrl,
        /// The certificate authorities that its TLS certificate may lead to, as PEM; the public ones, without it.
        #[arg(long, value_name = "FILE")]
        authority_ca: Option<PathBuf>,
    },
    /// Serve it to connectors on other machines, over HTTPS, until asked to stop. Standard error has a line for each request.
    Serve(ServeArgs),
    /// Say who may deposit over the network.
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// Say for which sources deposits are taken, wherever they come from.
    Source {
        #[command(subcommand)]
        command: VaultSourceCommand,
    },
}

/// How a vault is served.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArgs {
    /// The address and port to listen at, such as 0.0.0.0:8443. With port 0 the system chooses one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: SocketAddr,
    /// The certificate and those that lead to its authority, as PEM. A new one counts from the next start on.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: PathBuf,
    /// The certificate's private key, as PEM.
    #[arg(long, value_name = "FILE")]
    pub(crate) private_key: PathBuf,
    /// How many MiB deposits that are under way may take in memory together; others wait. One that would take more than
    /// three eighths of it by itself is refused; with the default none is.
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub(crate) memory_mib: u32,
}

/// What is done with connector keys.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key and print it. It is never shown again: the vault keeps its hash.
    Add {
        /// A name for it that no key had before.
        #[arg(value_name = "NAME", value_parser = key_name)]
        name: String,
        /// A source that may be deposited for under it, and the hosts where its articles may have been read. May be given
        /// again.
        #[arg(long = "permit", value_name = "SOURCE=HOST[,HOST…]", required = true, value_parser = permission)]
        permissions: Vec<Permission>,
    },
    /// List all keys, revoked ones too, and what may be deposited under each.
    List,
    /// Revoke a key: every later deposit under it is refused. What is sealed stays as it is.
    Revoke {
        /// Its name.
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// What is done with sources in a vault.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum VaultSourceCommand {
    /// Take its deposits again.
    Activate {
        /// Its name.
        #[arg(value_name = "SOURCE")]
        name: SourceName,
    },
    /// Refuse its deposits from now on. What is sealed stays as it is.
    Deactivate {
        /// Its name.
        #[arg(value_name = "SOURCE")]
        name: SourceName,
    },
    /// List the sources that the vault holds something of or refuses, and which it refuses.
    List,
}

/// A decision on an article, as it is put on record.
#[derive(Clone, Debug, Args)]
pub(crate) struct DecisionArgs {
    /// The article: its identifier, its address, or SOURCE:IDENTIFIER.
    #[arg(value_name = "REFERENCE")]
    pub(crate) reference: String,
    /// Why.
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) reason: String,
    /// Who decides. Without it, the account that runs the command is on record.
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) by: Option<String>,
}

/// Which configuration file a schema is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// A file in `sources/`.
    Source,
    /// `releve.toml`.
    Connector,
}

/// What `extract` works on.
#[derive(Debug, Args)]
pub(crate) struct ExtractArgs {
    /// The file; `-` is standard input.
    #[arg(value_name = "FILE", required_unless_present = "manifest")]
    pub(crate) file: Option<PathBuf>,
    /// Its media type, with `charset` where the server said one.
    #[arg(long, value_name = "TYPE", default_value = "text/html")]
    pub(crate) media_type: String,
    /// The address it was read at.
    #[arg(long, value_name = "ADDRESS", required_unless_present = "manifest")]
    pub(crate) address: Option<String>,
    /// JSON lines with `id`, `path`, `address` and `media_type`; one JSON line is printed for each. `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "address"])]
    pub(crate) manifest: Option<PathBuf>,
    /// Extract by this source's rules.
    #[arg(long, value_name = "SOURCE")]
    pub(crate) source: Option<String>,
}

/// A length of time as configuration writes it: `14m`, `1h 30m`.
fn length(text: &str) -> Result<Duration, String> {
    let length: jiff::SignedDuration = text.parse().map_err(|error: jiff::Error| error.to_string())?;
    Duration::try_from(length)
        .ok()
        .filter(|length| !length.is_zero())
        .ok_or_else(|| "a length of time is more than nothing".to_owned())
}

/// An instant, or the beginning of a day in UTC.
fn instant(text: &str) -> Result<Timestamp, jiff::Error> {
    match text.parse::<jiff::civil::Date>() {
        Ok(day) if text.len() == "2026-05-04".len() => {
            jiff::tz::TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0))
        }
        _ => text.parse(),
    }
}

/// The name of a connector key, which lists and logs show: what a source can be called, a key can.
fn key_name(text: &str) -> Result<String, String> {
    let wrong = |error: SourceNameError| error.to_string().replacen("a source's name", "a key's name", 1);
    text.parse().map(|name: SourceName| name.as_str().to_owned()).map_err(wrong)
}

/// A source, and the hosts where its articles may have been read.
fn permission(text: &str) -> Result<Permission, String> {
    let (source, hosts) = text
        .split_once('=')
        .ok_or("write the source, an equals sign, and its hosts with commas between them")?;
    let source: SourceName = source.parse().map_err(|error: SourceNameError| error.to_string())?;
    let hosts = AdmittedHosts::parse(hosts.split(',')).map_err(|error| error.to_string())?;
    Ok(Permission { source: source.as_str().to_owned(), hosts })
}
