//! How the vault opens its two SQLite databases.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

/// How long a statement waits for another process's transaction. Those of a vault last as long as one sync.
const BUSY: Duration = Duration::from_secs(30);

/// What a power loss may take from a database.
#[derive(Clone, Copy)]
pub(super) enum Durability {
    /// The last transactions: they can be read again from the segments. The database itself stays whole.
    Rebuildable,
    /// Nothing.
    Full,
}

pub(super) fn connect(path: &Path, durability: Durability, create: bool) -> rusqlite::Result<Connection> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let synchronous = match durability {
        Durability::Rebuildable => "NORMAL",
        Durability::Full => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Whether the file is no database, or no longer a whole one.
pub(super) fn is_damaged(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// A value in a database that cannot be what it should be.
pub(super) fn conversion(error: Box<dyn std::error::Error + Send + Sync>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Null, error)
}
