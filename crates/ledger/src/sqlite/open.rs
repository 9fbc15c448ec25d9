//! From a path to two connections: is it a ledger, of this format, in this realm?

use std::{
    fmt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, config::DbConfig,
};

use super::Fault;
use crate::{LedgerErrorKind, Machine};

/// Who a ledger's pace and references are about. The two never share a ledger: what a lab answered says nothing about a
/// publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Realm {
    /// Real publishers.
    Publishers,
    /// A lab on this machine.
    Lab,
}

impl Realm {
    fn as_str(self) -> &'static str {
        match self {
            Self::Publishers => "publishers",
            Self::Lab => "lab",
        }
    }
}

impl fmt::Display for Realm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `RLVL`: marks the file as a ledger for `file(1)` and for us.
const APPLICATION_ID: i32 = 0x524c_564c;

/// From an empty file to format 1, from 1 to 2, and so on. What stands here has run somewhere and is never changed.
const MIGRATIONS: [&str; 2] = [include_str!("0001.sql"), include_str!("0002.sql")];

/// How long a write waits for another to end. The longest here, a batch of some thousand announcements with its sync,
/// takes a fraction of a second on a slow disk; who is kept out for this long is kept out by something that hangs.
const BUSY_WAIT: Duration = Duration::from_secs(10);

/// How long it is waited between two tries where SQLite does not wait by itself.
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// How many prepared statements a connection keeps: more than there are.
const STATEMENTS: usize = 64;

/// How much of the file a connection holds in memory, in KiB. With ten million references in no order a batch of
/// announcements touches some thousand pages of 4 KiB in each index; this holds most of those of one batch, and leaves room
/// for a file of the list within the 64 MiB that a walk may take.
const CACHE_KIB: i64 = 8 * 1024;

/// How many pages of 4 KiB the log holds before they are moved into the file: those of some batches as above, so that
/// not every batch pays for two syncs and a page that changes in each is moved once.
const LOG_PAGES: i64 = 8 * 1024;

pub(super) struct Opened {
    pub(super) durable: Connection,
    pub(super) quick: Connection,
    /// The boot that the ledger was made in.
    pub(super) made_in: String,
}

pub(super) fn open(path: &Path, realm: Realm, create: bool, machine: &dyn Machine) -> Result<Opened, Fault> {
    if !create && !path.exists() {
        return Err(Fault::Kind(LedgerErrorKind::Missing, None));
    }
    let mut durable = connect(path, create)?;
    // Looked at before anything is written, so that a file of somebody else's stays as it is; and in one transaction, or it
    // would look like somebody else's while another process makes it.
    let found = format(&*durable.transaction()?)?;
    if found == 0 && !create {
        return Err(Fault::Kind(LedgerErrorKind::Missing, Some("the file is empty".to_owned())));
    }
    let journal = to_wal(&durable)?;
    if journal != "wal" {
        let detail = "its file system cannot be shared by processes; a network file system does not serve";
        return Err(Fault::Kind(LedgerErrorKind::Io, Some(detail.to_owned())));
    }
    durable.pragma_update(None, "synchronous", "FULL")?;
    durable.pragma_update(None, "cache_size", -CACHE_KIB)?;
    durable.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    let made_in = {
        let transaction = durable.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let made_in = migrate(&transaction, realm, machine)?;
        transaction.commit()?;
        made_in
    };
    let quick = connect(path, false)?;
    quick.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(Opened { durable, quick, made_in })
}

/// Changes to a log that is written ahead, and says what the journal is then. Two that make a ledger at once both read it
/// while each wants it alone; SQLite then tells one of them at once that it is busy, so that the other can go on.
#[expect(
    clippy::disallowed_methods,
    reason = "it waits as SQLite does where it waits by itself: on this thread"
)]
fn to_wal(connection: &Connection) -> Result<String, Fault> {
    let mut tries = BUSY_WAIT.as_millis() / BUSY_PAUSE.as_millis();
    loop {
        let changed = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0));
        match changed {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && tries > 0 => {
                tries -= 1;
                thread::sleep(BUSY_PAUSE);
            }
            changed => return Ok(changed?),
        }
    }
}

fn connect(path: &Path, create: bool) -> Result<Connection, Fault> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    // SQLite takes a name that begins with a colon for something else than a file.
    let path = if path.is_relative() { PathBuf::from(".").join(path) } else { path.to_owned() };
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_WAIT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Else SQLite looks at the values bound to a statement when it plans, and plans anew when they change: at every call.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// The format of the file: 0 is an empty one.
fn format(connection: &Connection) -> Result<usize, Fault> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let format: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let things: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (id, usize::try_from(format)) {
        (0, Ok(0)) if things == 0 => Ok(0),
        (APPLICATION_ID, Ok(format)) if (1..=MIGRATIONS.len()).contains(&format) => Ok(format),
        (APPLICATION_ID, Ok(newer)) if newer > MIGRATIONS.len() => {
            let detail = format!("format {newer}; this version knows formats up to {}", MIGRATIONS.len());
            Err(Fault::Kind(LedgerErrorKind::Newer, Some(detail)))
        }
        (APPLICATION_ID, _) => Err(Fault::Corrupt(format!("it calls its format {format}"))),
        _ => Err(Fault::Kind(LedgerErrorKind::Foreign, Some("a database of another program".to_owned()))),
    }
}

/// Brings the file to the newest format and returns the boot that it was made in.
fn migrate(transaction: &Transaction<'_>, realm: Realm, machine: &dyn Machine) -> Result<String, Fault> {
    // Read again under the write lock: another process may have made the ledger since.
    let from = format(transaction)?;
    for migration in MIGRATIONS.iter().skip(from) {
        transaction.execute_batch(migration)?;
    }
    if from == 0 {
        let boot = machine.holder().boot;
        for (key, value) in [("realm", realm.as_str()), ("boot", boot.as_str())] {
            transaction.execute("INSERT INTO about (key, value) VALUES (?1, ?2)", [key, value])?;
        }
    }
    if from < MIGRATIONS.len() {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(
            None,
            "user_version",
            i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX),
        )?;
    }
    let about = |key: &str| {
        transaction
            .query_row("SELECT value FROM about WHERE key = ?1", [key], |row| row.get::<_, String>(0))
            .optional()?
            .ok_or_else(|| Fault::Corrupt(format!("it does not say its {key}")))
    };
    let found = about("realm")?;
    if found != realm.as_str() {
        let detail = format!("it is the ledger of {found}, this is a run of {realm}; give each its own");
        return Err(Fault::Kind(LedgerErrorKind::Realm, Some(detail)));
    }
    about("boot")
}
