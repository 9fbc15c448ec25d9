//! How units get onto the disk: the one place that writes to segments, and the one that cuts them.
//!
//! | what happens | what is on disk after | acknowledged |
//! |---|---|---|
//! | the bytes are written, synced, and in the index | all of the batch | yes |
//! | writing or syncing fails | cut back to where the batch began | no |
//! | cutting back fails too | perhaps a tail, which the next to append cuts or keeps | no |
//! | the index cannot be written | all of the batch, as a tail that the next to append keeps | no |
//! | the process dies | perhaps a tail, as above | no |
//!
//! A tail is what lies in a segment behind the index's head. Whole units in it are kept, since a power loss
//! can take the index's last transactions, and with them the memory that a unit was acknowledged. What is not
//! whole was never acknowledged, and is cut.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use jiff::Timestamp;
use releve_proof::{RootSet, Sha256, TimestampToken};

use super::control::Control;
use super::index::{Head, Index, Writing};
use super::manifest::{Manifest, sync_folder};
use super::segment::{
    self, Cause, Content, Opening, Reader, Sealed, SealedRoots, SealedTimestamp, Unreadable, find_seal,
};
use crate::admission::already_sealed;
use crate::seal::Seal;
use crate::{DepositError, Outcome, Receipt, Unit, VaultError};

/// How many bytes are gathered for one sync, at most; a single unit may be larger. It bounds what a batch
/// holds in memory, and is more than a disk writes in the time of a sync.
const BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A unit that waits to be sealed.
pub(super) struct Request {
    pub(super) unit: Unit,
    /// The hash of the connector key that it comes under.
    pub(super) key: Option<Sha256>,
    pub(super) received_at: Timestamp,
}

type Answer = Result<Outcome, DepositError>;

/// Lets deposits that wait together share one sync: whoever comes when nobody writes, writes for all who
/// wait.
#[derive(Default)]
pub(super) struct Line {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    next_ticket: u64,
    waiting: Vec<(u64, Request)>,
    answers: HashMap<u64, Answer>,
    writing: bool,
}

impl Line {
    /// Waits until `request` is answered by `write`, called here or by another who waits. `write` is never
    /// called twice at once.
    pub(super) fn wait(&self, request: Request, write: impl Fn(&[&Request]) -> Vec<Answer>) -> Answer {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push((ticket, request));
        loop {
            if let Some(answer) = state.answers.remove(&ticket) {
                return answer;
            }
            if state.writing {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.writing = true;
            let batch = state.take_batch();
            drop(state);
            let requests: Vec<&Request> = batch.iter().map(|(_, request)| request).collect();
            let answers = write(&requests);
            state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.answers.extend(batch.iter().map(|(ticket, _)| *ticket).zip(answers));
            state.writing = false;
            self.changed.notify_all();
        }
    }
}

impl State {
    fn take_batch(&mut self) -> Vec<(u64, Request)> {
        let mut bytes = 0;
        let count = self
            .waiting
            .iter()
            .take_while(|(_, request)| {
                let fits = bytes == 0 || bytes + request.unit.bytes().len() <= BATCH_BYTES_MAX;
                bytes += request.unit.bytes().len();
                fits
            })
            .count();
        self.waiting.drain(..count).collect()
    }
}

/// Writes segments. There is one in a process, and the lock file sees to it that one writes at a time among
/// processes.
pub(super) struct Appender {
    folder: PathBuf,
    manifest: Manifest,
    roots: RootSet,
    segment_bytes_max: u64,
    lock: Arc<File>,
    index: Index,
}

impl Appender {
    pub(super) fn new(
        folder: &Path,
        manifest: Manifest,
        roots: RootSet,
        segment_bytes_max: u64,
        lock: File,
        index: Index,
    ) -> Self {
        Self { folder: folder.to_owned(), manifest, roots, segment_bytes_max, lock: Arc::new(lock), index }
    }

    /// Brings the index in line with the segments: see the table above.
    pub(super) fn recover(&mut self) -> Result<(), VaultError> {
        // Without the lock, so that whoever opens a vault to read it waits for nobody who writes.
        if is_in_line(&self.folder, &self.index.head()?) {
            return Ok(());
        }
        self.locked(|appender| {
            let writing = appender.index.write()?;
            let mut head = writing.head()?;
            if recover(&appender.folder, &appender.manifest, &writing, &mut head)? {
                writing.commit(&head)?;
            }
            Ok(())
        })
    }

    /// Seals what of `requests` is to be sealed, and answers each.
    pub(super) fn append(&mut self, requests: &[&Request], control: &Control) -> Vec<Answer> {
        match self.locked(|appender| appender.append_locked(requests, control)) {
            Ok(answers) => answers,
            // One failure is everybody's: nothing of the batch was acknowledged.
            Err(error) => requests.iter().map(|_| Err(DepositError::Vault(error.again()))).collect(),
        }
    }

    fn locked<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, VaultError>) -> Result<T, VaultError> {
        let lock = Arc::clone(&self.lock);
        let _guard = lock_exclusive(&lock, &self.folder)?;
        work(self)
    }

    fn append_locked(&mut self, requests: &[&Request], control: &Control) -> Result<Vec<Answer>, VaultError> {
        let writing = self.index.write()?;
        let mut head = writing.head()?;
        let recovered = recover(&self.folder, &self.manifest, &writing, &mut head)?;

        let mut batch = Batch { synced: head.sequence, start: head.end, bytes: Vec::new() };
        let mut answers = Vec::with_capacity(requests.len());
        for request in requests {
            let unit = &request.unit;
            let (own, last) = (writing.receipt(&unit.digest())?, writing.last_version(unit.key())?);
            let judged = control.judge(unit, request.key.as_ref());
            answers.push(match judged.and_then(|()| already_sealed(unit, own, last.as_ref())) {
                Err(refused) => Err(refused),
                Ok(Some(receipt)) => Ok(Outcome::AlreadySealed(receipt)),
                Ok(None) => {
                    let at = request.received_at;
                    if batch.bytes.is_empty() {
                        batch.start =
                            make_room(&self.folder, &self.manifest, self.segment_bytes_max, &mut head, at)?;
                        if !writing.has_roots(&self.roots.digest())? {
                            let roots = SealedRoots::new(&self.roots, at);
                            batch.seal(&writing, &mut head, Content::Roots(roots), at)?;
                        }
                    }
                    let receipt = batch.seal(&writing, &mut head, Content::Unit(unit.clone()), at)?;
                    Ok(Outcome::Sealed(receipt))
                }
            });
        }
        if !batch.bytes.is_empty() {
            batch.write(&segment::path(&self.folder, head.segment))?;
        }
        if recovered || !batch.bytes.is_empty() {
            writing.commit(&head)?;
        }
        Ok(answers)
    }

    /// Seals a timestamp of a unit. `None` if the vault has no such unit.
    pub(super) fn append_timestamp(
        &mut self,
        token: &TimestampToken,
        received_at: Timestamp,
    ) -> Result<Option<Receipt>, VaultError> {
        self.locked(|appender| {
            let writing = appender.index.write()?;
            let mut head = writing.head()?;
            recover(&appender.folder, &appender.manifest, &writing, &mut head)?;
            if writing.receipt(&token.digest())?.is_none() {
                return Ok(None);
            }
            let synced = head.sequence;
            let Self { folder, manifest, segment_bytes_max, .. } = appender;
            let start = make_room(folder, manifest, *segment_bytes_max, &mut head, received_at)?;
            let mut batch = Batch { synced, start, bytes: Vec::new() };
            let content = Content::Timestamp(SealedTimestamp::new(token.clone()));
            let receipt = batch.seal(&writing, &mut head, content, received_at)?;
            batch.write(&segment::path(&appender.folder, head.segment))?;
            writing.commit(&head)?;
            Ok(Some(receipt))
        })
    }
}

/// Holds the lock of the vault in `folder` as long as what it returns is kept. Waits for other processes that
/// append.
pub(super) fn lock_exclusive<'a>(lock: &'a File, folder: &Path) -> Result<LockGuard<'a>, VaultError> {
    lock.lock().map_err(|error| VaultError::io("lock", &folder.join(super::LOCK_FILE), error))?;
    Ok(LockGuard(lock))
}

pub(super) struct LockGuard<'a>(&'a File);

impl Drop for LockGuard<'_> {
    fn drop(&mut self) {
        // It cannot fail on a file that is locked; if it did, the lock would go with the file.
        let _ = self.0.unlock();
    }
}

/// Whether nothing lies behind `head`.
fn is_in_line(folder: &Path, head: &Head) -> bool {
    let bytes = |number| fs::metadata(segment::path(folder, number)).map_or(0, |file| file.len());
    (head.segment == 0 || bytes(head.segment) == head.end) && bytes(head.segment + 1) == 0
}

/// What goes onto the disk in one piece.
struct Batch {
    /// The last sequence that was on disk before.
    synced: u64,
    /// Where in the segment it begins.
    start: u64,
    bytes: Vec<u8>,
}

impl Batch {
    fn seal(
        &mut self,
        writing: &Writing<'_>,
        head: &mut Head,
        content: Content,
        received_at: Timestamp,
    ) -> Result<Receipt, VaultError> {
        let seal = Seal {
            sequence: head.sequence + 1,
            unit: content.digest(),
            received_at,
            previous: head.seal,
            segment: head.opening.unwrap_or_else(|| Sha256::of(b"")),
            synced: self.synced,
        };
        let raw = seal.encode();
        self.bytes.extend_from_slice(content.bytes());
        self.bytes.extend_from_slice(&raw);
        let receipt = seal.receipt(&raw);
        let end = self.start + self.bytes.len() as u64;
        writing.add(head, &Sealed { offset: head.end, content, seal, receipt, end })?;
        Ok(receipt)
    }

    /// Writes and syncs all of it, or leaves the segment as it was.
    fn write(&self, path: &Path) -> Result<(), VaultError> {
        let mut file =
            OpenOptions::new().write(true).open(path).map_err(|error| VaultError::io("open", path, error))?;
        let written = (|| {
            file.seek(SeekFrom::Start(self.start))?;
            file.write_all(&self.bytes)?;
            file.sync_data()
        })();
        written.map_err(|error| {
            // After a failed sync the system may hold pages for written that are not: they must go, not be
            // synced again. If even that fails, the next to append finds a tail.
            let _ = file.set_len(self.start).and_then(|()| file.sync_data());
            VaultError::io("write", path, error)
        })
    }
}

/// Begins a segment if there is none that could be continued. Returns where in it the next thing goes.
fn make_room(
    folder: &Path,
    manifest: &Manifest,
    segment_bytes_max: u64,
    head: &mut Head,
    at: Timestamp,
) -> Result<u64, VaultError> {
    if head.segment == 0 || head.is_closed || head.end >= segment_bytes_max {
        begin_segment(folder, manifest, head, at)?;
    }
    Ok(head.end)
}

/// Begins the segment after the one in `head`, and puts `head` behind its warcinfo record. That is synced by
/// itself, so that whatever else is in a segment has a whole record before it.
fn begin_segment(
    folder: &Path,
    manifest: &Manifest,
    head: &mut Head,
    begun_at: Timestamp,
) -> Result<(), VaultError> {
    let number = head.segment + 1;
    let opening =
        Opening { vault: manifest.id.clone(), number, lab: manifest.lab, begun_at, previous: head.seal };
    let bytes = opening.encode();
    let path = segment::path(folder, number);
    let write = || {
        let mut file = File::create(&path)?;
        file.write_all(&bytes)?;
        file.sync_data()?;
        sync_folder(&folder.join(segment::FOLDER))
    };
    write().map_err(|error| {
        // An empty one counts as none.
        let _ = OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(0));
        VaultError::io("write", &path, error)
    })?;
    head.segment = number;
    head.opening = Some(Sha256::of(&bytes));
    head.end = bytes.len() as u64;
    head.is_closed = false;
    Ok(())
}

/// Takes what lies behind `head` into the index, and cuts off what is not whole. `true` if there was
/// something.
///
/// Errors: [`VaultError::Damaged`] if something is wrong with what was, or may have been, acknowledged.
/// Nothing is cut then.
fn recover(
    folder: &Path,
    manifest: &Manifest,
    writing: &Writing<'_>,
    head: &mut Head,
) -> Result<bool, VaultError> {
    let mut found = false;
    loop {
        let next = segment::path(folder, head.segment + 1);
        let next_bytes = match fs::metadata(&next) {
            Ok(file) => file.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(VaultError::io("read", &next, error)),
        };
        if head.segment > 0 {
            found |= recover_segment(folder, writing, head, next_bytes > 0)?;
        }
        if next_bytes == 0 {
            return Ok(found);
        }
        found = true;
        let damaged = |why: &str| VaultError::Damaged { path: next.clone(), offset: 0, why: why.to_owned() };
        match Reader::open(folder, head.segment + 1, 0, next_bytes)?.opening() {
            Ok((opening, digest)) => {
                if opening.vault != manifest.id
                    || opening.previous != head.seal
                    || opening.number != head.segment + 1
                {
                    return Err(damaged("it does not follow on the segment before"));
                }
                head.segment = opening.number;
                head.end = opening.encode().len() as u64;
                head.is_closed = false;
                head.opening = Some(digest);
            }
            Err(Unreadable { cause: Cause::Io(error), .. }) => {
                return Err(VaultError::io("read", &next, error));
            }
            // The warcinfo record is synced before anything is put behind it, so this is all there ever was.
            Err(_) if next_bytes <= OPENING_BYTES_MAX => {
                cut(&next, 0)?;
                return Ok(found);
            }
            Err(unreadable) => return Err(damaged(&unreadable.cause.to_string())),
        }
    }
}

/// Every warcinfo record is shorter.
const OPENING_BYTES_MAX: u64 = 4096;

fn recover_segment(
    folder: &Path,
    writing: &Writing<'_>,
    head: &mut Head,
    is_complete: bool,
) -> Result<bool, VaultError> {
    let (number, start) = (head.segment, head.end);
    let path = segment::path(folder, number);
    let read_error = |error| VaultError::io("read", &path, error);
    let damaged = |offset, why: &str| VaultError::Damaged { path: path.clone(), offset, why: why.to_owned() };

    let bytes = fs::metadata(&path).map_err(read_error)?.len();
    if bytes < start {
        return Err(damaged(bytes, "it ends before what was acknowledged"));
    }
    if bytes == start {
        return Ok(false);
    }
    let opening = head.opening.unwrap_or_else(|| Sha256::of(b""));
    let mut reader = Reader::open(folder, number, start, bytes)?;
    loop {
        match reader.next() {
            Ok(None) => break,
            Ok(Some(sealed)) => {
                if !sealed.seal.follows(head.sequence, head.seal, &opening) {
                    return Err(damaged(sealed.offset, "a seal does not follow on the one before"));
                }
                writing.add(head, &sealed)?;
            }
            Err(Unreadable { cause: Cause::Io(error), .. }) => return Err(read_error(error)),
            Err(unreadable) => {
                // A unit that was on disk when a later seal was written is not torn: it is damaged.
                let mut from = unreadable.offset;
                let mut was_safe = is_complete;
                while !was_safe
                    && let Some(later) =
                        find_seal(folder, number, from, bytes, &opening).map_err(read_error)?
                {
                    was_safe = later.seal.synced > head.sequence;
                    from = later.end;
                }
                if was_safe {
                    return Err(damaged(unreadable.offset, &unreadable.cause.to_string()));
                }
                cut(&path, unreadable.offset)?;
                break;
            }
        }
    }
    rewrite(&path, start, head.end).map_err(|error| VaultError::io("write", &path, error))?;
    Ok(true)
}

fn cut(path: &Path, bytes: u64) -> Result<(), VaultError> {
    let cut = || {
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(bytes)?;
        file.sync_all()
    };
    cut().map_err(|error| VaultError::io("cut", path, error))
}

/// Writes what lies between two places of a file once more, the same bytes, and syncs it. A sync that failed
/// once may have left pages that the system takes for written; written again, they are synced for certain.
fn rewrite(path: &Path, start: u64, end: u64) -> io::Result<()> {
    const CHUNK_BYTES: u64 = 1024 * 1024;
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut chunk = Vec::new();
    let mut at = start;
    while at < end {
        chunk.clear();
        file.seek(SeekFrom::Start(at))?;
        let read = (&file).take(CHUNK_BYTES.min(end - at)).read_to_end(&mut chunk)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.seek(SeekFrom::Start(at))?;
        file.write_all(&chunk)?;
        at += read as u64;
    }
    file.sync_data()
}
