//! `index.sqlite`: where each unit lies. Everything in it can be read from the segments again.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use releve_proof::Sha256;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, params};

use super::segment::{Content, Sealed};
use super::store;
use crate::{ArticleKey, Receipt, Since, VaultError, Version};

pub(super) const FILE: &str = "index.sqlite";

/// The index's own format. Another one is not migrated but rebuilt.
const FORMAT: i64 = 2;

/// Everything that says where to go on is in the one row of `head`, in the same transaction as the rows that
/// brought it there.
const SCHEMA: &str = "
    CREATE TABLE head (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        vault TEXT NOT NULL,
        segment INTEGER NOT NULL,
        opening BLOB,
        end INTEGER NOT NULL,
        is_closed INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        seal BLOB,
        units INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE roots (
        digest BLOB PRIMARY KEY,
        segment INTEGER NOT NULL,
        offset INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE timestamp (
        unit BLOB NOT NULL,
        segment INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        PRIMARY KEY (unit, segment, offset)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE unit (
        sequence INTEGER PRIMARY KEY,
        source TEXT NOT NULL,
        identifier TEXT NOT NULL,
        number INTEGER NOT NULL,
        address TEXT NOT NULL,
        digest BLOB NOT NULL UNIQUE,
        previous BLOB,
        content BLOB NOT NULL,
        read_at INTEGER NOT NULL,
        received_at INTEGER NOT NULL,
        seal BLOB NOT NULL,
        segment INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        UNIQUE (source, identifier, number)
    ) STRICT;
    CREATE INDEX unit_address ON unit (address);
    CREATE INDEX unit_source ON unit (source, sequence);
";

/// Where the next unit goes, and what its seal follows on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Head {
    /// The segment that is being written; 0 before the first.
    pub(super) segment: u32,
    /// The digest of its warcinfo record.
    pub(super) opening: Option<Sha256>,
    /// Its length, as far as it is acknowledged.
    pub(super) end: u64,
    /// Nothing more is put into it, as it ends with what is damaged.
    pub(super) is_closed: bool,
    pub(super) sequence: u64,
    pub(super) seal: Option<Sha256>,
    /// How many units there are, sets of roots and timestamps apart.
    pub(super) units: u64,
}

impl Head {
    /// Puts it behind something sealed in its segment.
    pub(super) fn advance(&mut self, sealed: &Sealed) {
        self.end = sealed.end;
        self.sequence = sealed.receipt.sequence;
        self.seal = Some(sealed.receipt.seal);
    }
}

/// Where a unit lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) segment: u32,
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

pub(super) struct Index {
    connection: Connection,
    path: PathBuf,
}

impl Index {
    /// Opens the index at `path` to build it anew, whatever is in it; makes the file if there is none.
    ///
    /// Errors: [`VaultError::Index`], if the file is no database.
    pub(super) fn create(path: &Path) -> Result<Self, VaultError> {
        let connection = store::connect(path, store::Durability::Rebuildable, true)
            .map_err(|error| failed("open", path, error))?;
        Ok(Self { connection, path: path.to_owned() })
    }

    /// Opens the index of the vault `id`.
    pub(super) fn open(path: &Path, id: &str) -> Result<Self, VaultError> {
        let unusable = |why: &str| VaultError::Index { path: path.to_owned(), why: why.to_owned() };
        if !path.exists() {
            return Err(unusable("it is missing"));
        }
        let fault = |error| failed("open", path, error);
        let connection = store::connect(path, store::Durability::Rebuildable, false).map_err(fault)?;
        let index = Self { connection, path: path.to_owned() };
        let found = index
            .connection
            .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
            .and_then(|format| {
                if format != FORMAT {
                    return Ok((format, None));
                }
                let vault =
                    index.connection.query_row("SELECT vault FROM head", [], |row| row.get(0)).optional()?;
                Ok((format, vault))
            });
        match found {
            Ok((FORMAT, Some(vault))) if vault == *id => Ok(index),
            Ok((FORMAT, Some::<String>(_))) => Err(unusable("it is another vault's")),
            Ok(_) => Err(unusable("it is of another format")),
            Err(error) => Err(fault(error)),
        }
    }

    /// The head, as far as it can be told, if this is the index of the vault `id`.
    pub(super) fn head_of(&self, id: &str) -> Result<Option<Head>, VaultError> {
        let look = || {
            let format: i64 = self.connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
            if format != FORMAT {
                return Ok(None);
            }
            let is_its_own = self
                .connection
                .query_row("SELECT vault = ?1 FROM head", [id], |row| row.get(0))
                .optional()?;
            (is_its_own == Some(true)).then(|| head(&self.connection)).transpose()
        };
        match look() {
            Err(error) if store::is_damaged(&error) => Ok(None),
            found => found.map_err(|error| self.error(error)),
        }
    }

    /// Whether every page of the file is where it should be. It reads them all.
    pub(super) fn is_whole(&self) -> Result<bool, VaultError> {
        match self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)) {
            Ok(found) => Ok(found == "ok"),
            Err(error) if store::is_damaged(&error) => Ok(false),
            Err(error) => Err(self.error(error)),
        }
    }

    /// Begins to write. Readers go on meanwhile.
    pub(super) fn write(&mut self) -> Result<Writing<'_>, VaultError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| failed("write", &self.path, error))?;
        Ok(Writing { transaction, path: &self.path })
    }

    pub(super) fn head(&self) -> Result<Head, VaultError> {
        head(&self.connection).map_err(|error| self.error(error))
    }

    pub(super) fn last_version(&self, key: &ArticleKey) -> Result<Option<Version>, VaultError> {
        last_version(&self.connection, key).map_err(|error| self.error(error))
    }

    pub(super) fn versions(&self, key: &ArticleKey) -> Result<Vec<Version>, VaultError> {
        self.rows(
            &format!("SELECT {COLUMNS} FROM unit WHERE source = ?1 AND identifier = ?2 ORDER BY number"),
            params![key.source(), key.identifier()],
            version,
        )
    }

    /// Looks under each source in turn, going from one to the next by the index: there are few sources and many units.
    pub(super) fn with_identifier(&self, identifier: &str) -> Result<Vec<ArticleKey>, VaultError> {
        self.rows(
            "WITH RECURSIVE each (source) AS (
                 SELECT min(source) FROM unit
                 UNION ALL
                 SELECT (SELECT min(source) FROM unit WHERE source > each.source) FROM each WHERE source IS NOT NULL
             )
             SELECT source, ?1 FROM each
             WHERE EXISTS (SELECT 1 FROM unit WHERE unit.source = each.source AND identifier = ?1)",
            params![identifier],
            |row| key(row.get(0)?, row.get(1)?),
        )
    }

    pub(super) fn at_address(&self, address: &str) -> Result<Vec<ArticleKey>, VaultError> {
        self.rows(
            "SELECT DISTINCT source, identifier FROM unit WHERE address = ?1 ORDER BY source, identifier",
            params![address],
            |row| key(row.get(0)?, row.get(1)?),
        )
    }

    /// Versions after `since`, of articles that `hidden` does not name.
    pub(super) fn list(&self, since: &Since, count_max: usize) -> Result<Vec<Version>, VaultError> {
        // Two statements rather than one with a condition on a parameter, so that either can go by its own
        // index.
        let received_at = since.received_at.map_or(i64::MIN, Timestamp::as_millisecond);
        let count_max = integer(count_max as u64);
        match &since.source {
            None => self.rows(
                &format!(
                    "SELECT {COLUMNS} FROM unit WHERE sequence > ?1 AND received_at >= ?2 ORDER BY sequence LIMIT ?3"
                ),
                params![integer(since.sequence), received_at, count_max],
                version,
            ),
            Some(source) => self.rows(
                &format!(
                    "SELECT {COLUMNS} FROM unit WHERE source = ?4 AND sequence > ?1 AND received_at >= ?2 \
                     ORDER BY sequence LIMIT ?3"
                ),
                params![integer(since.sequence), received_at, count_max, source],
                version,
            ),
        }
    }

    /// The receipt of the unit with this digest.
    pub(super) fn receipt(&self, digest: &Sha256) -> Result<Option<Receipt>, VaultError> {
        receipt(&self.connection, digest).map_err(|error| self.error(error))
    }

    /// Where the unit with this digest lies, and whose it is.
    pub(super) fn place(&self, digest: &Sha256) -> Result<Option<(ArticleKey, Place)>, VaultError> {
        self.connection
            .prepare_cached("SELECT source, identifier, segment, offset, bytes FROM unit WHERE digest = ?1")
            .and_then(|mut statement| {
                statement
                    .query_row([digest.as_bytes()], |row| {
                        let place = Place { segment: row.get(2)?, offset: row.get(3)?, bytes: row.get(4)? };
                        Ok((key(row.get(0)?, row.get(1)?)?, place))
                    })
                    .optional()
            })
            .map_err(|error| self.error(error))
    }

    /// Where the sealed sets of roots lie, in the order of sealing.
    pub(super) fn roots(&self) -> Result<Vec<(u32, u64)>, VaultError> {
        self.rows("SELECT segment, offset FROM roots ORDER BY segment, offset", params![], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    /// Where the timestamps of a unit lie, in the order of sealing.
    pub(super) fn timestamps(&self, unit: &Sha256) -> Result<Vec<(u32, u64)>, VaultError> {
        self.rows(
            "SELECT segment, offset FROM timestamp WHERE unit = ?1 ORDER BY segment, offset",
            params![unit.as_bytes()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    /// Units behind this sequence that have no timestamp: sequence and digest.
    pub(super) fn without_timestamp(
        &self,
        sequence: u64,
        count_max: usize,
    ) -> Result<Vec<(u64, Sha256)>, VaultError> {
        let count_max = integer(count_max as u64);
        self.rows(
            "SELECT sequence, digest FROM unit WHERE sequence > ?1 \
             AND NOT EXISTS (SELECT 1 FROM timestamp WHERE timestamp.unit = digest) ORDER BY sequence LIMIT ?2",
            params![integer(sequence), count_max],
            |row| Ok((row.get(0)?, Sha256::from_bytes(row.get(1)?))),
        )
    }

    /// How many units each source has, how many articles they are of, and their bytes.
    pub(super) fn sources(&self) -> Result<Vec<(String, u64, u64, u64)>, VaultError> {
        self.rows(
            "SELECT source, count(*), count(*) FILTER (WHERE number = 1), sum(bytes) FROM unit GROUP BY source ORDER BY source",
            params![],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )
    }

    fn rows<T>(
        &self,
        sql: &str,
        parameters: &[&dyn rusqlite::ToSql],
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, VaultError> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(parameters, read)?.collect())
            .map_err(|error| self.error(error))
    }

    fn error(&self, error: rusqlite::Error) -> VaultError {
        failed("read", &self.path, error)
    }
}

/// A transaction on the index: what is read in it includes what was written in it, and all of it counts or
/// none.
pub(super) struct Writing<'a> {
    transaction: Transaction<'a>,
    path: &'a Path,
}

impl Writing<'_> {
    pub(super) fn head(&self) -> Result<Head, VaultError> {
        head(&self.transaction).map_err(|error| self.error(error))
    }

    pub(super) fn last_version(&self, key: &ArticleKey) -> Result<Option<Version>, VaultError> {
        last_version(&self.transaction, key).map_err(|error| self.error(error))
    }

    /// Whether a set of roots was ever sealed here.
    pub(super) fn has_roots(&self, digest: &Sha256) -> Result<bool, VaultError> {
        self.transaction
            .prepare_cached("SELECT 1 FROM roots WHERE digest = ?1")
            .and_then(|mut statement| statement.exists([digest.as_bytes()]))
            .map_err(|error| self.error(error))
    }

    pub(super) fn receipt(&self, digest: &Sha256) -> Result<Option<Receipt>, VaultError> {
        receipt(&self.transaction, digest).map_err(|error| self.error(error))
    }

    /// Empties the index and makes it that of the vault `id`.
    pub(super) fn reset(&self, id: &str) -> Result<(), VaultError> {
        let transaction = &self.transaction;
        let reset = || {
            transaction.execute_batch(
                "DROP TABLE IF EXISTS head; DROP TABLE IF EXISTS unit; DROP TABLE IF EXISTS roots; \
                 DROP TABLE IF EXISTS timestamp;",
            )?;
            transaction.execute_batch(SCHEMA)?;
            transaction.execute("INSERT INTO head VALUES (1, ?1, 0, NULL, 0, 0, 0, NULL, 0)", [id])?;
            transaction.pragma_update(None, "user_version", FORMAT)
        };
        reset().map_err(|error| self.error(error))
    }

    /// Puts a sealed unit, set of roots or timestamp that lies in `segment` behind `head`, and moves `head` behind it.
    pub(super) fn add(&self, head: &mut Head, sealed: &Sealed) -> Result<(), VaultError> {
        match &sealed.content {
            Content::Roots(roots) => self
                .transaction
                .execute(
                    "INSERT OR IGNORE INTO roots VALUES (?1, ?2, ?3)",
                    params![roots.roots.digest().as_bytes(), head.segment, sealed.offset],
                )
                .map(|_| ())
                .map_err(|error| self.error(error))?,
            Content::Timestamp(sealed_timestamp) => self
                .transaction
                .execute(
                    "INSERT OR IGNORE INTO timestamp VALUES (?1, ?2, ?3)",
                    params![sealed_timestamp.token.digest().as_bytes(), head.segment, sealed.offset],
                )
                .map(|_| ())
                .map_err(|error| self.error(error))?,
            Content::Unit(unit) => {
                let number = self.last_version(unit.key())?.map_or(1, |last| last.number.saturating_add(1));
                let version = Version::new(unit, number, sealed.receipt);
                let place = Place { segment: head.segment, offset: sealed.offset, bytes: version.bytes };
                self.insert(&version, place).map_err(|error| self.error(error))?;
                head.units += 1;
            }
        }
        head.advance(sealed);
        Ok(())
    }

    fn insert(&self, version: &Version, place: Place) -> rusqlite::Result<()> {
        let receipt = &version.receipt;
        self.transaction
            .prepare_cached(
                "INSERT INTO unit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            )?
            .execute(params![
                receipt.sequence,
                version.key.source(),
                version.key.identifier(),
                version.number,
                version.address,
                receipt.digest.as_bytes(),
                version.previous.as_ref().map(Sha256::as_bytes),
                version.content.as_bytes(),
                version.read_at.as_millisecond(),
                receipt.received_at.as_millisecond(),
                receipt.seal.as_bytes(),
                place.segment,
                place.offset,
                place.bytes,
            ])
            .map(|_| ())
    }

    /// Makes all of it count, with `head` as what to go on from.
    pub(super) fn commit(self, head: &Head) -> Result<(), VaultError> {
        let path = self.path;
        let bytes = |digest: &Option<Sha256>| digest.as_ref().map(|digest| *digest.as_bytes());
        self.transaction
            .prepare_cached(
                "UPDATE head SET segment = ?1, opening = ?2, end = ?3, is_closed = ?4, sequence = ?5, seal = ?6, \
                 units = ?7",
            )
            .and_then(|mut statement| {
                statement.execute(params![
                    head.segment,
                    bytes(&head.opening),
                    head.end,
                    head.is_closed,
                    head.sequence,
                    bytes(&head.seal),
                    head.units,
                ])
            })
            .map_err(|error| failed("write", path, error))?;
        self.transaction.commit().map_err(|error| failed("write", path, error))
    }

    fn error(&self, error: rusqlite::Error) -> VaultError {
        failed("write", self.path, error)
    }
}

const COLUMNS: &str = "source, identifier, number, previous, content, address, read_at, bytes, digest, sequence, received_at, seal";

fn version(row: &Row<'_>) -> rusqlite::Result<Version> {
    Ok(Version {
        key: key(row.get(0)?, row.get(1)?)?,
        number: row.get(2)?,
        previous: row.get::<_, Option<_>>(3)?.map(Sha256::from_bytes),
        content: Sha256::from_bytes(row.get(4)?),
        address: row.get(5)?,
        read_at: instant(row.get(6)?)?,
        bytes: row.get(7)?,
        receipt: Receipt {
            digest: Sha256::from_bytes(row.get(8)?),
            sequence: row.get(9)?,
            received_at: instant(row.get(10)?)?,
            seal: Sha256::from_bytes(row.get(11)?),
        },
    })
}

fn failed(action: &str, path: &Path, error: rusqlite::Error) -> VaultError {
    if store::is_damaged(&error) {
        return VaultError::Index { path: path.to_owned(), why: "it is damaged".to_owned() };
    }
    VaultError::sql(action, path, error)
}

fn receipt(connection: &Connection, digest: &Sha256) -> rusqlite::Result<Option<Receipt>> {
    connection
        .prepare_cached("SELECT sequence, received_at, seal FROM unit WHERE digest = ?1")?
        .query_row([digest.as_bytes()], |row| {
            Ok(Receipt {
                digest: *digest,
                sequence: row.get(0)?,
                received_at: instant(row.get(1)?)?,
                seal: Sha256::from_bytes(row.get(2)?),
            })
        })
        .optional()
}

fn last_version(connection: &Connection, key: &ArticleKey) -> rusqlite::Result<Option<Version>> {
    connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM unit WHERE source = ?1 AND identifier = ?2 ORDER BY number DESC LIMIT 1"
        ))?
        .query_row(params![key.source(), key.identifier()], version)
        .optional()
}

fn head(connection: &Connection) -> rusqlite::Result<Head> {
    connection
        .prepare_cached("SELECT segment, opening, end, is_closed, sequence, seal, units FROM head")?
        .query_row([], |row| {
            let digest = |at| row.get::<_, Option<_>>(at).map(|bytes| bytes.map(Sha256::from_bytes));
            Ok(Head {
                segment: row.get(0)?,
                opening: digest(1)?,
                end: row.get(2)?,
                is_closed: row.get(3)?,
                sequence: row.get(4)?,
                seal: digest(5)?,
                units: row.get(6)?,
            })
        })
}

fn key(source: String, identifier: String) -> rusqlite::Result<ArticleKey> {
    ArticleKey::new(source, identifier).map_err(|error| store::conversion(Box::new(error)))
}

fn instant(millisecond: i64) -> rusqlite::Result<Timestamp> {
    Timestamp::from_millisecond(millisecond).map_err(|error| store::conversion(Box::new(error)))
}

/// A number as SQLite holds it: what is greater than all that can be there stays so.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
