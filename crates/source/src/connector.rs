use std::path::PathBuf;
use std::time::Duration;

use releve_bounds::{BoundError, Bounds};
use releve_robots::UserAgent;
use releve_url_canon::HttpsUrl;

use crate::access::SecretFrom;
use crate::keys;
use crate::section::{Section, Span};
use crate::{File, Parsed, Problems, read};

/// What holds for the connector as a whole: who it is, where it keeps things, how much it lets a server take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connector {
    /// The User-Agent of every request (R25).
    pub user_agent: UserAgent,
    /// The folder with the sources; like every path here as it was written, for the caller to resolve against
    /// the configuration's own folder.
    pub sources: PathBuf,
    /// The ledger's file.
    pub ledger: PathBuf,
    /// The vault.
    pub vault: VaultAt,
    /// How long after the read a deposit is taken (R16).
    pub deposit_within: Duration,
    /// How long an article that cannot be read is tried.
    pub give_up_after: Duration,
    /// The bounds of each request (R32), where a source says nothing else.
    pub bounds: Bounds,
}

/// Where the vault is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultAt {
    /// A folder on disk.
    Folder(PathBuf),
    /// A vault on the network. Its address is no publisher's: it may be private.
    Network {
        /// Its address.
        address: HttpsUrl,
        /// Where the connector key is read from.
        key: SecretFrom,
        /// A PEM file with the vault's own certificate authority.
        ca: Option<PathBuf>,
    },
}

/// Reads the connector's own file, all errors at once.
///
/// ```
/// use releve_source::{File, parse_connector};
///
/// let text = br#"user_agent = "Example/1 (+https://example.org/bot; bot@example.org)""#;
/// let connector = parse_connector(File { name: "releve.toml", text })?.value;
/// assert_eq!(connector.user_agent.product().as_str(), "Example");
/// # Ok::<(), releve_source::Problems>(())
/// ```
pub fn parse_connector(file: File<'_>) -> Result<Parsed<Connector>, Problems> {
    read(file, keys::CONNECTOR_TABLES, &keys::CONNECTOR, connector)
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn connector(section: &Section<'_>) -> Option<Connector> {
    let user_agent = section.parsed("user_agent");
    if !section.has("user_agent") {
        section.missing(
            "`user_agent` is missing",
            "say who reads and whom to write to: user_agent = \"Name/1 (+https://example.org; contact@example.org)\"",
        );
    }
    let path = |key, default: &str| {
        section.words(key).map_or_else(|| PathBuf::from(default), |text| PathBuf::from(text.text))
    };
    let bounds = bounds(section, &Bounds::default());
    Some(Connector {
        sources: path("sources", "sources"),
        ledger: path("ledger", "ledger.sqlite"),
        vault: vault(section)?,
        // Thirty days: a connector that cannot deposit for longer has its operator's attention.
        deposit_within: length_within(section, "deposit_within", 7 * DAY, 30 * DAY),
        give_up_after: length_within(section, "give_up_after", 30 * DAY, 366 * DAY),
        bounds,
        user_agent: user_agent?,
    })
}

fn length_within(section: &Section<'_>, key: &str, default: Duration, max: Duration) -> Duration {
    let Some((length, span)) = section.length(key) else { return default };
    if length.is_zero() || length > max {
        let days = max.as_secs() / DAY.as_secs();
        section.problem(
            span,
            format!("`{key}` must be more than nothing and at most {days}d"),
            "leave it out for the default",
        );
    }
    length
}

fn vault(section: &Section<'_>) -> Option<VaultAt> {
    let text = section.words("vault");
    let key = section.section("vault_key", &keys::VAULT_KEY).map(|section| secret_from(&section));
    match text {
        Some(text) if text.text.contains("://") => {
            let address = section.parse("vault", &text);
            if !section.has("vault_key") {
                section.missing(
                    "`vault` is on the network and `vault_key` is missing",
                    "say where the connector key is read from: vault_key = { from_env = \"RELEVE_VAULT_KEY\" }",
                );
            }
            let ca = section.words("vault_ca").map(|text| PathBuf::from(text.text));
            Some(VaultAt::Network { address: address?, key: key??, ca })
        }
        text => {
            section.refuse(
                &["vault_key", "vault_ca"],
                "is for a vault on the network, and this one is a folder",
                "leave it out, or give the vault's https address",
            );
            Some(VaultAt::Folder(
                text.map_or_else(|| PathBuf::from("vault"), |text| PathBuf::from(text.text)),
            ))
        }
    }
}

/// Where a secret is read from: exactly one of the two.
pub(crate) fn secret_from(section: &Section<'_>) -> Option<SecretFrom> {
    let env = section.words("from_env");
    let file = section.words("from_file");
    match (env, file) {
        (Some(env), None) => {
            let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            if !env.text.bytes().all(is_name_byte)
                || env.text.starts_with(|first: char| first.is_ascii_digit())
            {
                section.problem(
                    env.span,
                    "`from_env` is no name of an environment variable",
                    "give the variable's name, such as EXAMPLE_TOKEN; the secret itself is never written here",
                );
                return None;
            }
            Some(SecretFrom::Env(env.text.to_owned()))
        }
        (None, Some(file)) => Some(SecretFrom::File(PathBuf::from(file.text))),
        (Some(_), Some(file)) => {
            section.problem(file.span, "`from_env` and `from_file` are both given", "say one place alone");
            None
        }
        (None, None) => {
            let is_said = section.has("from_env") || section.has("from_file") || section.writes_secret();
            if !is_said {
                section.missing(
                    "it is not said where the secret is read from",
                    "name an environment variable with `from_env`, or a file with `from_file`",
                );
            }
            None
        }
    }
}

/// The bounds of a `[bounds]` table, on top of those that hold anyway.
pub(crate) fn bounds(section: &Section<'_>, defaults: &Bounds) -> Bounds {
    let Some(section) = section.section("bounds", &keys::BOUNDS) else { return *defaults };
    let mut bounds = *defaults;
    for (key, set) in LENGTHS {
        if let Some((length, span)) = section.length(key) {
            apply(&section, &mut bounds, span, |bounds| set(bounds, length));
        }
    }
    for (key, set) in SIZES {
        if let Some((size, span)) = section.size(key) {
            apply(&section, &mut bounds, span, |bounds| set(bounds, size));
        }
    }
    for (key, set) in COUNTS {
        // The table of keys holds the same ceilings, which a test compares.
        if let (Some(count), Some(span)) = (section.whole(key), section.key_span(key)) {
            apply(&section, &mut bounds, span, |bounds| set(bounds, count as usize));
        }
    }
    bounds
}

fn apply(
    section: &Section<'_>,
    bounds: &mut Bounds,
    span: Span,
    set: impl FnOnce(Bounds) -> Result<Bounds, BoundError>,
) {
    match set(*bounds) {
        Ok(set) => *bounds = set,
        Err(error) => section.problem(span, error.to_string(), "no configuration can pass the ceiling"),
    }
}

type Set<T> = fn(Bounds, T) -> Result<Bounds, BoundError>;

const LENGTHS: [(&str, Set<Duration>); 4] = [
    ("connect", Bounds::with_connect),
    ("head", Bounds::with_head),
    ("between_bytes", Bounds::with_between_bytes),
    ("whole", Bounds::with_whole),
];
const SIZES: [(&str, Set<usize>); 3] = [
    ("head_bytes", Bounds::with_head_bytes),
    ("received_bytes", Bounds::with_received_bytes),
    ("decoded_bytes", Bounds::with_decoded_bytes),
];
const COUNTS: [(&str, Set<usize>); 3] = [
    ("header_count", Bounds::with_header_count),
    ("interim_responses", Bounds::with_interim_responses),
    ("frames", Bounds::with_frames),
];
