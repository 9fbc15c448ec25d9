use std::{error::Error, fmt, path::Path};

/// The ledger could not do what was asked.
///
/// `Display` says what is wrong and what the person who must act can do; [`kind`](Self::kind) is for code that branches.
/// After an error nothing of the call took effect.
#[derive(Debug)]
pub struct LedgerError {
    kind: LedgerErrorKind,
    ledger: String,
    detail: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What kind of trouble a ledger has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LedgerErrorKind {
    /// Another process held the ledger for longer than a write may take. Transient.
    Busy,
    /// The disk, or what the user may fill of it, is full. Goes away when there is space.
    Full,
    /// The ledger's file or folder could not be read or written.
    Io,
    /// There is no ledger at that place.
    Missing,
    /// What stands at that place is something else than a ledger.
    Foreign,
    /// The ledger was written by a later version of this program.
    Newer,
    /// The ledger belongs to the lab and the run does not, or the other way round.
    Realm,
    /// What the ledger holds contradicts itself.
    Corrupt,
    /// The source's lock was lost to another process, so nothing may be written for that source any more.
    LockLost,
}

impl LedgerError {
    pub(crate) fn new(kind: LedgerErrorKind, ledger: &str) -> Self {
        Self { kind, ledger: ledger.to_owned(), detail: None, source: None }
    }

    pub(crate) fn at(kind: LedgerErrorKind, path: &Path) -> Self {
        Self::new(kind, &path.display().to_string())
    }

    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub(crate) fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of trouble it is.
    pub fn kind(&self) -> LedgerErrorKind {
        self.kind
    }

    /// A stable word for records.
    pub fn code(&self) -> &'static str {
        match self.kind {
            LedgerErrorKind::Busy => "ledger-busy",
            LedgerErrorKind::Full => "ledger-disk-full",
            LedgerErrorKind::Io => "ledger-io",
            LedgerErrorKind::Missing => "ledger-missing",
            LedgerErrorKind::Foreign => "ledger-foreign",
            LedgerErrorKind::Newer => "ledger-newer",
            LedgerErrorKind::Realm => "ledger-realm",
            LedgerErrorKind::Corrupt => "ledger-corrupt",
            LedgerErrorKind::LockLost => "ledger-lock-lost",
        }
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ledger = &self.ledger;
        match self.kind {
            LedgerErrorKind::Busy => {
                write!(f, "the ledger {ledger} is held by another process; run again when that one is done")
            }
            LedgerErrorKind::Full => {
                write!(f, "there is no space left for the ledger {ledger}; free some and run again")
            }
            LedgerErrorKind::Io => {
                write!(f, "the ledger {ledger} cannot be read or written; check its folder, owner and disk")
            }
            LedgerErrorKind::Missing => {
                write!(f, "there is no ledger at {ledger}; a first pass makes one")
            }
            LedgerErrorKind::Foreign => {
                write!(f, "{ledger} is not a ledger, and is left as it is; name another file")
            }
            LedgerErrorKind::Newer => {
                write!(
                    f,
                    "the ledger {ledger} was written by a later version; run that version or a later one"
                )
            }
            LedgerErrorKind::Realm => write!(f, "the ledger {ledger} cannot serve this run"),
            LedgerErrorKind::Corrupt => {
                write!(
                    f,
                    "the ledger {ledger} is damaged; restore it from a copy, or move it away to begin anew"
                )
            }
            LedgerErrorKind::LockLost => {
                write!(f, "another process has taken over this source; this pass must stop")
            }
        }?;
        match &self.detail {
            Some(detail) => write!(f, " ({detail})"),
            None => Ok(()),
        }
    }
}

impl Error for LedgerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
