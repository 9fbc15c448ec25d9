//! The vault in a folder.

mod append;
mod control;
mod index;
mod manifest;
mod reindex;
mod segment;
mod store;
mod verify;
mod walk;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use releve_proof::{Context, Report, RootSet, Sha256, TimestampToken};

use self::append::{Appender, Line, Request};
use self::index::{Head, Index};
use self::manifest::sync_folder;
use self::segment::{Cause, Content, Reader, Sealed, Unreadable};
use crate::admission::{Admission, whole_millisecond};
use crate::key::ConnectorKey;
use crate::{ArticleKey, Clock, DepositError, Outcome, Receipt, Since, Unit, Vault, VaultError, Version};

pub use self::control::{Control, Decision, KeyRecord, Permission, Withdrawal};
pub use self::manifest::Manifest;
pub use self::reindex::{Reindexed, reindex};
pub use self::verify::{Fault, Progress, Verification, Verify, verify};

const LOCK_FILE: &str = "lock";

/// Where a new segment is begun: 1 GiB. Copying, checking or restoring one is then a matter of seconds, and
/// ten million articles are a few hundred files.
pub const SEGMENT_BYTES_MAX: u64 = 1 << 30;

/// A vault in a folder: segments of WARC records that only ever grow, and an index that can be rebuilt from
/// them.
///
/// Several processes may use one folder at the same time, and several threads one `LocalVault`; a clone is
/// the same vault. Deposits that wait at the same time share one sync.
///
/// The folder has to be on a file system with locks and a working sync: a local disk, not a network share.
/// Opening a vault needs the right to write there; [`verify`] does not.
#[derive(Clone)]
pub struct LocalVault {
    shared: Arc<Shared>,
    /// The hash of the connector key that deposits come under.
    key: Option<Sha256>,
}

struct Shared {
    folder: PathBuf,
    manifest: Manifest,
    admission: Admission,
    clock: Clock,
    control: Control,
    reading: Mutex<Index>,
    line: Line,
    appender: Mutex<Appender>,
}

/// How to open a [`LocalVault`].
#[derive(Clone)]
pub struct LocalOptions {
    /// What a unit is checked against.
    pub admission: Admission,
    /// The vault's clock.
    pub clock: Clock,
    /// From which length on a segment is not continued; [`SEGMENT_BYTES_MAX`] but for tests.
    pub segment_bytes_max: u64,
}

impl LocalOptions {
    /// With segments of [`SEGMENT_BYTES_MAX`].
    pub fn new(admission: Admission, clock: Clock) -> Self {
        Self { admission, clock, segment_bytes_max: SEGMENT_BYTES_MAX }
    }
}

/// What a vault holds, in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Each source by name.
    pub sources: Vec<SourceStats>,
    /// How many articles are withdrawn.
    pub withdrawn: usize,
    /// How many segments there are.
    pub segments: u32,
    /// The last seal's sequence: units and sets of roots.
    pub sequence: u64,
    /// The last seal's digest.
    pub head: Option<Sha256>,
}

/// What a vault holds of one source, withdrawn articles included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceStats {
    /// The source's name.
    pub name: String,
    /// How many articles.
    pub articles: u64,
    /// How many units: every version is one.
    pub units: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl LocalVault {
    /// Opens the vault in `folder`.
    ///
    /// What a crash left behind the last whole unit is cut off. Nothing else is changed, and nothing is
    /// repaired: a vault that is damaged can be read and verified, and refuses deposits.
    pub fn open(folder: &Path, options: LocalOptions) -> Result<Self, VaultError> {
        let manifest =
            Manifest::read(folder)?.ok_or_else(|| VaultError::Missing { path: folder.to_owned() })?;
        if manifest.lab != options.admission.lab {
            return Err(VaultError::LabMismatch { path: folder.to_owned(), vault_is_lab: manifest.lab });
        }
        let index = folder.join(index::FILE);
        let reading = Index::open(&index, &manifest.id)?;
        let writing = Index::open(&index, &manifest.id)?;
        let control = Control::open(&folder.join(control::FILE), false, Arc::clone(&options.clock))?;
        let mut appender = Appender::new(
            folder,
            manifest.clone(),
            options.admission.roots.clone(),
            options.segment_bytes_max,
            open_lock(folder)?,
            writing,
        );
        match appender.recover() {
            // It says so again at every deposit; what can be read, can be read.
            Ok(()) | Err(VaultError::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
        let shared = Shared {
            folder: folder.to_owned(),
            manifest,
            admission: options.admission,
            clock: options.clock,
            control,
            reading: Mutex::new(reading),
            line: Line::default(),
            appender: Mutex::new(appender),
        };
        Ok(Self { shared: Arc::new(shared), key: None })
    }

    /// Opens the vault in `folder`, and makes one there first if the folder is missing or empty.
    pub fn open_or_create(folder: &Path, options: LocalOptions) -> Result<Self, VaultError> {
        if Manifest::read(folder)?.is_none() {
            create(folder, &options)?;
        }
        Self::open(folder, options)
    }

    /// The same vault, with every deposit made under `key`: it has to be in force, and to reach to source and
    /// host.
    #[must_use]
    pub fn under_key(&self, key: &ConnectorKey) -> Self {
        Self { shared: Arc::clone(&self.shared), key: Some(key.hash()) }
    }

    /// What the operator decides.
    pub fn control(&self) -> &Control {
        &self.shared.control
    }

    /// The vault's id, which its segments name too.
    pub fn id(&self) -> &str {
        &self.shared.manifest.id
    }

    /// When it was made.
    pub fn created(&self) -> Timestamp {
        self.shared.manifest.created
    }

    /// Whether it is a laboratory's.
    pub fn is_lab(&self) -> bool {
        self.shared.manifest.lab
    }

    /// The vault's folder.
    pub fn folder(&self) -> &Path {
        &self.shared.folder
    }

    /// The last seal, by sequence and digest; `None` as long as nothing is sealed. Nothing is counted for it.
    pub fn head(&self) -> Result<Option<(u64, Sha256)>, VaultError> {
        let head = self.index().head()?;
        Ok(head.seal.map(|seal| (head.sequence, seal)))
    }

    /// What the vault holds, in numbers. They are counted: it takes as long as there are units.
    pub fn stats(&self) -> Result<Stats, VaultError> {
        let withdrawn = self.control().withdrawn()?.len();
        let index = self.index();
        let head = index.head()?;
        let sources = index
            .sources()?
            .into_iter()
            .map(|(name, units, articles, bytes)| SourceStats { name, articles, units, bytes })
            .collect();
        Ok(Stats { sources, withdrawn, segments: head.segment, sequence: head.sequence, head: head.seal })
    }

    /// All versions of an article, oldest first, of a withdrawn one too: to check them, not to show them.
    pub fn sealed_versions(&self, key: &ArticleKey) -> Result<Vec<Version>, VaultError> {
        self.index().versions(key)
    }

    /// Checks one version again, from the segment it lies in: its digests, its seal, and its proof as of the
    /// instant of the read, against today's authorities or a set that was sealed in the vault. A withdrawal
    /// does not stand in the way.
    pub fn check(&self, version: &Version) -> Result<Report, VaultError> {
        let digest = version.receipt.digest;
        let Some((_, place)) = self.index().place(&digest)? else {
            let why = format!("the unit {digest} is not in it");
            return Err(VaultError::Index { path: self.folder().join(index::FILE), why });
        };
        let sealed = self.sealed_at(place.segment, place.offset)?;
        let Content::Unit(unit) = &sealed.content else {
            return Err(self.damaged(place.segment, place.offset, "a unit was expected".to_owned()));
        };
        if sealed.receipt != version.receipt {
            let why = "unit or seal are not those of the receipt".to_owned();
            return Err(self.damaged(place.segment, place.offset, why));
        }
        let sets = self.sealed_roots()?;
        let Admission { roots: today, window, lab } = &self.shared.admission;
        let roots = unit.proof().choose_roots(Some(today), &sets).unwrap_or(today);
        let context = Context { received_at: sealed.receipt.received_at, window: *window, lab: *lab };
        Ok(releve_proof::check(unit.proof(), unit.envelope(), roots, &context))
    }

    /// The sets of roots that were sealed, in that order.
    pub fn sealed_roots(&self) -> Result<Vec<RootSet>, VaultError> {
        let places = self.index().roots()?;
        let sets =
            places.into_iter().map(|(segment, offset)| match self.sealed_at(segment, offset)?.content {
                Content::Roots(sealed) => Ok(sealed.roots),
                Content::Unit(_) | Content::Timestamp(_) => {
                    Err(self.damaged(segment, offset, "a set of roots was expected".to_owned()))
                }
            });
        sets.collect()
    }

    /// Seals a timestamp of a unit beside it, in the chain of seals. The unit does not change. `None` if the vault
    /// has no unit that the timestamp is of.
    pub fn seal_timestamp(&self, token: &TimestampToken) -> Result<Option<Receipt>, VaultError> {
        let Shared { clock, appender, .. } = &*self.shared;
        let received_at = whole_millisecond(clock());
        appender.lock().unwrap_or_else(PoisonError::into_inner).append_timestamp(token, received_at)
    }

    /// The timestamps of a unit, in the order of sealing.
    pub fn timestamps(&self, unit: Sha256) -> Result<Vec<TimestampToken>, VaultError> {
        let places = self.index().timestamps(&unit)?;
        let tokens =
            places.into_iter().map(|(segment, offset)| match self.sealed_at(segment, offset)?.content {
                Content::Timestamp(sealed) => Ok(sealed.token),
                Content::Unit(_) | Content::Roots(_) => {
                    Err(self.damaged(segment, offset, "a timestamp was expected".to_owned()))
                }
            });
        tokens.collect()
    }

    /// Units that have no timestamp, by sequence and digest, in the order of sealing: at most `count_max` of those
    /// that were sealed after `sequence`.
    pub fn without_timestamp(
        &self,
        sequence: u64,
        count_max: usize,
    ) -> Result<Vec<(u64, Sha256)>, VaultError> {
        self.index().without_timestamp(sequence, count_max)
    }

    fn sealed_at(&self, segment: u32, offset: u64) -> Result<Sealed, VaultError> {
        let mut reader = Reader::open(&self.shared.folder, segment, offset, u64::MAX)?;
        match reader.next() {
            Ok(Some(sealed)) => Ok(sealed),
            Ok(None) => Err(self.damaged(segment, offset, "it ends here".to_owned())),
            Err(Unreadable { cause: Cause::Io(error), .. }) => {
                Err(VaultError::io("read", &segment::path(self.folder(), segment), error))
            }
            Err(unreadable) => Err(self.damaged(segment, offset, unreadable.cause.to_string())),
        }
    }

    fn damaged(&self, segment: u32, offset: u64, why: String) -> VaultError {
        VaultError::Damaged { path: segment::path(&self.shared.folder, segment), offset, why }
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.shared.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse_withdrawn(&self, key: &ArticleKey) -> Result<(), VaultError> {
        match self.control().withdrawal(key)? {
            None => Ok(()),
            Some(Decision { at, reason, .. }) => {
                Err(VaultError::Withdrawn { article: key.clone(), at, reason })
            }
        }
    }
}

impl Vault for LocalVault {
    fn deposit(&self, unit: &Unit) -> Result<Outcome, DepositError> {
        let Shared { admission, clock, control, line, appender, .. } = &*self.shared;
        let received_at = whole_millisecond(clock());
        // Checked here, so that those who wait together do this side by side.
        control.judge(unit, self.key.as_ref())?;
        // What is sealed was checked then: asking again is harmless, however late.
        if self.index().receipt(&unit.digest())?.is_none() {
            admission.check(unit, received_at)?;
        }
        line.wait(Request { unit: unit.clone(), key: self.key, received_at }, |requests| {
            appender.lock().unwrap_or_else(PoisonError::into_inner).append(requests, control)
        })
    }

    fn takes(&self, source: &str) -> Result<(), DepositError> {
        self.control().judge_source(source, self.key.as_ref())
    }

    fn last_version(&self, key: &ArticleKey) -> Result<Option<Version>, VaultError> {
        self.index().last_version(key)
    }

    fn versions(&self, key: &ArticleKey) -> Result<Vec<Version>, VaultError> {
        self.refuse_withdrawn(key)?;
        self.sealed_versions(key)
    }

    fn with_identifier(&self, identifier: &str) -> Result<Vec<ArticleKey>, VaultError> {
        self.index().with_identifier(identifier)
    }

    fn at_address(&self, address: &str) -> Result<Vec<ArticleKey>, VaultError> {
        self.index().at_address(address)
    }

    fn list(&self, since: &Since, count_max: usize) -> Result<Vec<Version>, VaultError> {
        let withdrawn = self.control().withdrawn()?;
        let mut since = since.clone();
        let mut versions = Vec::new();
        loop {
            let page = self.index().list(&since, count_max)?;
            let is_last = page.len() < count_max;
            since.sequence = page.last().map_or(since.sequence, |version| version.receipt.sequence);
            versions
                .extend(page.into_iter().filter(|version| withdrawn.binary_search(&version.key).is_err()));
            versions.truncate(count_max);
            if is_last || versions.len() == count_max {
                return Ok(versions);
            }
        }
    }

    fn read(&self, digest: Sha256) -> Result<Option<Unit>, VaultError> {
        let found = self.index().place(&digest)?;
        let Some((key, place)) = found else { return Ok(None) };
        self.refuse_withdrawn(&key)?;
        let sealed = self.sealed_at(place.segment, place.offset)?;
        match sealed.content {
            Content::Unit(unit) if unit.digest() == digest => Ok(Some(unit)),
            other => {
                let why = format!("the unit {digest} was expected, and {} found", other.digest());
                Err(self.damaged(place.segment, place.offset, why))
            }
        }
    }
}

fn open_lock(folder: &Path) -> Result<File, VaultError> {
    let path = folder.join(LOCK_FILE);
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| VaultError::io("open", &path, error))
}

/// Makes a vault. `vault.json` comes last: a folder that has it has all.
fn create(folder: &Path, options: &LocalOptions) -> Result<(), VaultError> {
    fs::create_dir_all(folder).map_err(|error| VaultError::io("create", folder, error))?;
    if holds_other_files(folder)? && Manifest::read(folder)?.is_none() {
        let why = "there is no vault.json in it, and it is not empty";
        return Err(VaultError::NotAVault { path: folder.to_owned(), why });
    }
    let lock = open_lock(folder)?;
    lock.lock().map_err(|error| VaultError::io("lock", &folder.join(LOCK_FILE), error))?;
    // Another process may have made it in the meantime.
    if Manifest::read(folder)?.is_some() {
        return Ok(());
    }
    let manifest = Manifest::new((options.clock)(), options.admission.lab)?;
    let segments = folder.join(segment::FOLDER);
    fs::create_dir_all(&segments).map_err(|error| VaultError::io("create", &segments, error))?;
    let mut index = Index::create(&folder.join(index::FILE))?;
    let writing = index.write()?;
    writing.reset(&manifest.id)?;
    writing.commit(&Head::default())?;
    // Closed, it is on disk: what was committed meanwhile need not be.
    drop(index);
    Control::open(&folder.join(control::FILE), true, Arc::clone(&options.clock))?;
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    for folder in std::iter::once(folder).chain(parent) {
        sync_folder(folder).map_err(|error| VaultError::io("sync", folder, error))?;
    }
    manifest.write(folder)
}

/// Whether there is anything in `folder` that the making of a vault does not put there. A vault is not made
/// among other files: a mistyped path would spread it over them.
fn holds_other_files(folder: &Path) -> Result<bool, VaultError> {
    let is_ours = |name: &str| {
        let of_database = |file| {
            let rest = name.strip_prefix(file);
            rest.is_some_and(|rest| matches!(rest, "" | "-wal" | "-shm" | "-journal"))
        };
        matches!(name, LOCK_FILE | segment::FOLDER | manifest::NEW_FILE)
            || of_database(index::FILE)
            || of_database(control::FILE)
    };
    let read = || {
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            if !name.to_str().is_some_and(is_ours) {
                return Ok(true);
            }
        }
        match fs::read_dir(folder.join(segment::FOLDER)) {
            Ok(mut segments) => Ok(segments.next().is_some()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    };
    read().map_err(|error| VaultError::io("read", folder, error))
}

fn remove_index(folder: &Path) -> Result<(), VaultError> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let path = folder.join(format!("{}{suffix}", index::FILE));
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(VaultError::io("remove", &path, error)),
        }
    }
    Ok(())
}
