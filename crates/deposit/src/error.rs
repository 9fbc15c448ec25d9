//! What can go wrong, split by who must act.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::ErrorCode;

use crate::ArticleKey;
use crate::unit::MalformedUnit;
use releve_proof::Sha256;

/// Why a deposit was not sealed.
///
/// [`DepositError::kind`] says what the depositor does next, [`DepositError::code`] is what it writes down. A
/// vault of another make builds these values itself, so all of them can be constructed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DepositError {
    /// The proof failed one of the checks that come before sealing.
    #[error("the proof does not pass the vault's check ({code}): {reason}")]
    CheckFailed {
        /// The code of the first check that failed.
        code: String,
        /// What was found, for a reader.
        reason: String,
    },
    /// The unit contradicts itself, or is not a unit.
    #[error("the unit does not hold together")]
    Malformed(#[from] MalformedUnit),
    /// The operator has deactivated the source.
    #[error("the source `{name}` is inactive: the operator of the vault has deactivated it")]
    SourceInactive {
        /// The source's name.
        name: String,
    },
    /// The operator has revoked the connector key.
    #[error("the connector key `{name}` is revoked: ask the operator of the vault for a new one")]
    KeyRevoked {
        /// The name that the key was given, never the key.
        name: String,
    },
    /// The vault never gave out this connector key.
    #[error("the vault knows no such connector key")]
    KeyUnknown,
    /// The connector key does not reach to this source.
    #[error("the connector key `{key}` may not deposit for the source `{name}`")]
    SourceNotPermitted {
        /// The name that the key was given.
        key: String,
        /// The source's name.
        name: String,
    },
    /// The connector key does not reach to the host that the article was read at.
    #[error("the connector key `{key}` may not deposit what was read at `{host}`")]
    HostNotPermitted {
        /// The name that the key was given.
        key: String,
        /// Host of the proof's final address, with its port if that is not 443.
        host: String,
    },
    /// Laboratory proofs and others are never mixed in one vault.
    #[error("{}", lab_mismatch(*.unit_is_lab))]
    LabMismatch {
        /// Whether it is the unit that comes from a laboratory run.
        unit_is_lab: bool,
    },
    /// The unit does not build on the last version that the vault has. Encode it again with that one as
    /// `previous`.
    #[error("the unit follows on {}, but the last version in the vault is {}", version(.named.as_ref()), version(.last.as_ref()))]
    Superseded {
        /// What the unit names as the version before it.
        named: Option<Sha256>,
        /// What the vault has as the last version of the article.
        last: Option<Sha256>,
    },
    /// The vault itself failed. The same deposit can succeed later.
    #[error("the vault could not seal the unit")]
    Vault(#[from] VaultError),
}

/// What a depositor does about a [`DepositError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DepositErrorKind {
    /// Refused for good: offered again, this unit would be refused again.
    Refused,
    /// Refused, and so would everything be that this source can still offer: its pass ends.
    EndsPass,
    /// Another version was sealed in the meantime: encode the deposit again on top of that one, and offer
    /// that.
    Superseded,
    /// Not a refusal: disk, network or store failed. Offer the same unit again, a limited number of times.
    Failed,
}

impl DepositError {
    /// What to do about it.
    pub fn kind(&self) -> DepositErrorKind {
        match self {
            Self::CheckFailed { .. } | Self::Malformed(_) | Self::HostNotPermitted { .. } => {
                DepositErrorKind::Refused
            }
            Self::SourceInactive { .. }
            | Self::KeyRevoked { .. }
            | Self::KeyUnknown
            | Self::SourceNotPermitted { .. }
            | Self::LabMismatch { .. }
            | Self::Vault(VaultError::KeyRefused { .. }) => DepositErrorKind::EndsPass,
            Self::Superseded { .. } => DepositErrorKind::Superseded,
            Self::Vault(_) => DepositErrorKind::Failed,
        }
    }

    /// A short name that does not change between releases.
    pub fn code(&self) -> &str {
        match self {
            Self::CheckFailed { code, .. } => code,
            Self::Malformed(malformed) => malformed.code(),
            Self::SourceInactive { .. } => "source-inactive",
            Self::KeyRevoked { .. } => "key-revoked",
            Self::KeyUnknown => "key-unknown",
            Self::SourceNotPermitted { .. } => "source-not-permitted",
            Self::HostNotPermitted { .. } => "host-not-permitted",
            Self::LabMismatch { .. } => "lab-mismatch",
            Self::Superseded { .. } => "version-superseded",
            Self::Vault(error) => error.code(),
        }
    }
}

fn version(digest: Option<&Sha256>) -> String {
    digest.map_or_else(|| "no version".to_owned(), ToString::to_string)
}

fn lab_mismatch(lab: bool) -> &'static str {
    if lab {
        "the unit comes from a laboratory run, and the vault is not a laboratory's"
    } else {
        "the vault is a laboratory's, and the unit does not come from a laboratory run"
    }
}

/// Why a vault could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    /// There is no vault in the folder.
    #[error("there is no vault in {}", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// `vault.json` is not one, or the folder holds other things.
    #[error("{} is not what a vault has: {why}", path.display())]
    NotAVault {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The vault was written by a later program.
    #[error("{} has format {found}, and this program knows format {known}: use the program that wrote it, or a later one", path.display())]
    UnknownFormat {
        /// The file that says so.
        path: PathBuf,
        /// The format it names.
        found: u32,
        /// The format that this program knows.
        known: u32,
    },
    /// A laboratory run met another's vault, or the other way round.
    #[error("{}", lab_vault(path, *vault_is_lab))]
    LabMismatch {
        /// The vault's folder.
        path: PathBuf,
        /// Whether it is the vault that a laboratory run made.
        vault_is_lab: bool,
    },
    /// The index is missing, is another vault's, or contradicts the segments.
    #[error("{} cannot be used ({why}): rebuild it from the segments (`releve vault reindex`)", path.display())]
    Index {
        /// The index's file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A segment is not what it was when its units were acknowledged.
    #[error("{} is damaged at byte {offset}: {why}; verify the vault, then restore the segment from a copy, or reindex to go on without what is damaged", path.display())]
    Damaged {
        /// The segment's file.
        path: PathBuf,
        /// Where in it.
        offset: u64,
        /// What was found there.
        why: String,
    },
    /// The article was withdrawn: its units are kept, and not shown.
    #[error("{article} was withdrawn on {at}: {reason}")]
    Withdrawn {
        /// The article.
        article: ArticleKey,
        /// When.
        at: Timestamp,
        /// The reason on record.
        reason: String,
    },
    /// The vault answers nothing under this connector key: it is unknown or revoked, or does not reach to the
    /// source that was asked about.
    #[error("{why}")]
    KeyRefused {
        /// The code that a deposit under this key would be refused with.
        code: &'static str,
        /// Why, and what to do about it.
        why: String,
    },
    /// The disk is full.
    #[error("no space is left on the disk of {}: free some and run again; everything that was acknowledged is kept", path.display())]
    DiskFull {
        /// What was being written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused to read or write a file.
    #[error("could not {action} {}", path.display())]
    Io {
        /// What was tried: a verb.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A database of the vault, or whatever else a vault of another make rests on, failed.
    #[error("could not {action}")]
    Store {
        /// What was tried: a verb and its object.
        action: String,
        /// What was said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl VaultError {
    /// A short name that does not change between releases.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "vault-missing",
            Self::NotAVault { .. } => "vault-invalid",
            Self::UnknownFormat { .. } => "vault-format-unknown",
            Self::LabMismatch { .. } => "lab-mismatch",
            Self::Index { .. } => "vault-index",
            Self::Damaged { .. } => "vault-damaged",
            Self::Withdrawn { .. } => "article-withdrawn",
            Self::KeyRefused { code, .. } => code,
            Self::DiskFull { .. } => "disk-full",
            Self::Io { .. } => "vault-io",
            Self::Store { .. } => "vault-store",
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path, source },
            _ => Self::Io { action, path, source },
        }
    }

    /// The same error for another who waited for the same thing.
    pub(crate) fn again(&self) -> Self {
        let io = |source: &io::Error| io::Error::new(source.kind(), source.to_string());
        match self {
            Self::DiskFull { path, source } => Self::DiskFull { path: path.clone(), source: io(source) },
            Self::Io { action, path, source } => Self::Io { action, path: path.clone(), source: io(source) },
            Self::Store { action, source } => {
                Self::Store { action: action.clone(), source: source.to_string().into() }
            }
            Self::Damaged { path, offset, why } => {
                Self::Damaged { path: path.clone(), offset: *offset, why: why.clone() }
            }
            other => Self::Store { action: "seal".to_owned(), source: other.to_string().into() },
        }
    }

    pub(crate) fn sql(action: &str, path: &Path, source: rusqlite::Error) -> Self {
        /// SQLite's SQLITE_IOERR_SHMSIZE: its shared memory could not grow, for which the usual reason is a full disk.
        const SHARED_MEMORY_SIZE: i32 = 4874;
        let is_full = source.sqlite_error_code() == Some(ErrorCode::DiskFull)
            || source.sqlite_error().is_some_and(|error| error.extended_code == SHARED_MEMORY_SIZE);
        if is_full {
            let source = io::Error::new(io::ErrorKind::StorageFull, source);
            return Self::DiskFull { path: path.to_owned(), source };
        }
        // SQLite writes even to read, and names no file.
        let has_no_right = matches!(
            source.sqlite_error_code(),
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
        );
        let remedy = if has_no_right { "; check owner and mode, its own and its folder's" } else { "" };
        Self::Store { action: format!("{action} {}{remedy}", path.display()), source: Box::new(source) }
    }
}

fn lab_vault(path: &Path, vault_is_lab: bool) -> String {
    let path = path.display();
    if vault_is_lab {
        format!("{path} is a laboratory's vault: only a laboratory run may use it")
    } else {
        format!("{path} is not a laboratory's vault: a laboratory run may not use it")
    }
}
