//! `control.sqlite`: what the operator decided. It follows from nothing else, so it is backed up with the
//! segments.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use releve_proof::Sha256;
use releve_redirect_policy::AdmittedHosts;
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, params};

use super::store;
use crate::key::ConnectorKey;
use crate::{ArticleKey, Clock, DepositError, Unit, VaultError};

pub(super) const FILE: &str = "control.sqlite";

/// Format 1 had withdrawals without who decided them, and was changed to what is format 2 now without being told apart.
const FORMAT: u32 = 2;

/// Nothing is ever deleted: what is taken back keeps its row, with the instant of both decisions.
const SCHEMA: &str = "
    CREATE TABLE inactive_source (
        name TEXT NOT NULL,
        since INTEGER NOT NULL,
        until INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX inactive_source_now ON inactive_source (name) WHERE until IS NULL;
    CREATE TABLE connector_key (
        name TEXT PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE,
        created_at INTEGER NOT NULL,
        revoked_at INTEGER
    ) STRICT;
    CREATE TABLE permission (
        key TEXT NOT NULL REFERENCES connector_key (name),
        source TEXT NOT NULL,
        host TEXT NOT NULL,
        PRIMARY KEY (key, source, host)
    ) STRICT;
    CREATE TABLE withdrawal (
        source TEXT NOT NULL,
        identifier TEXT NOT NULL,
        at INTEGER NOT NULL,
        decided_by TEXT NOT NULL,
        reason TEXT NOT NULL,
        lifted_at INTEGER,
        lifted_by TEXT,
        lifted_because TEXT
    ) STRICT;
    CREATE UNIQUE INDEX withdrawal_now ON withdrawal (source, identifier) WHERE lifted_at IS NULL;
";

/// Who decided was not kept, nor why a withdrawal was lifted: that is what the record says now.
const FROM_FORMAT_1: &str = "
    DROP INDEX withdrawal_now;
    ALTER TABLE withdrawal RENAME TO withdrawal_1;
    CREATE TABLE withdrawal (
        source TEXT NOT NULL,
        identifier TEXT NOT NULL,
        at INTEGER NOT NULL,
        decided_by TEXT NOT NULL,
        reason TEXT NOT NULL,
        lifted_at INTEGER,
        lifted_by TEXT,
        lifted_because TEXT
    ) STRICT;
    INSERT INTO withdrawal
        SELECT source, identifier, at, '(not recorded)', reason, until,
            CASE WHEN until IS NOT NULL THEN '(not recorded)' END,
            CASE WHEN until IS NOT NULL THEN '(not recorded)' END
        FROM withdrawal_1 ORDER BY rowid;
    DROP TABLE withdrawal_1;
    CREATE UNIQUE INDEX withdrawal_now ON withdrawal (source, identifier) WHERE lifted_at IS NULL;
";

/// What the operator decides about a vault: which sources are inactive, which connectors may deposit what,
/// what is withdrawn.
///
/// A decision holds from the moment the call returns, for every process that uses the vault. It touches
/// nothing that is sealed, and is kept with its instant even when it is taken back.
pub struct Control {
    connection: Mutex<Connection>,
    path: PathBuf,
    clock: Clock,
}

/// A source that a connector key may deposit for, and where its articles may have been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    /// The source's name.
    pub source: String,
    /// The hosts at which a proof's final address may lie.
    pub hosts: AdmittedHosts,
}

/// A connector key as the vault knows it: all but the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
    /// What may be deposited under it.
    pub permissions: Vec<Permission>,
}

/// A withdrawal: one that holds, or one that was lifted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawal {
    /// The article: every version of it, a later one too.
    pub key: ArticleKey,
    /// That it be withdrawn.
    pub decision: Decision,
    /// That it be shown again, if it is.
    pub lifted: Option<Decision>,
}

/// A decision on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// When it was made.
    pub at: Timestamp,
    /// Who made it, as they named themselves.
    pub by: String,
    /// Why, in their words.
    pub reason: String,
}

impl Control {
    pub(super) fn open(path: &Path, create: bool, clock: Clock) -> Result<Self, VaultError> {
        if !create && !path.exists() {
            let why = "it is missing, and holds what nothing else can tell: restore it from a copy";
            return Err(VaultError::NotAVault { path: path.to_owned(), why });
        }
        let fault = |action| move |error| failed(action, path, error);
        let mut connection = store::connect(path, store::Durability::Full, create).map_err(fault("open"))?;
        if create {
            prepare(&mut connection).map_err(fault("create"))?;
        }
        let format = migrate(&mut connection).map_err(fault("open"))?;
        match format {
            FORMAT => Ok(Self { connection: Mutex::new(connection), path: path.to_owned(), clock }),
            // SQLite makes a database of an empty file.
            0 => {
                let why = "it is empty, and held what nothing else can tell: restore it from a copy";
                Err(VaultError::NotAVault { path: path.to_owned(), why })
            }
            found => Err(VaultError::UnknownFormat { path: path.to_owned(), found, known: FORMAT }),
        }
    }

    /// Deactivates a source: from now on its deposits are refused. `false` if it was inactive already.
    pub fn deactivate_source(&self, name: &str) -> Result<bool, VaultError> {
        self.write("INSERT OR IGNORE INTO inactive_source VALUES (?1, ?2, NULL)", params![name, self.now()])
    }

    /// Makes a source active again. `false` if it was.
    pub fn activate_source(&self, name: &str) -> Result<bool, VaultError> {
        self.write(
            "UPDATE inactive_source SET until = ?2 WHERE name = ?1 AND until IS NULL",
            params![name, self.now()],
        )
    }

    /// The sources that are inactive, each with the instant since when.
    pub fn inactive_sources(&self) -> Result<Vec<(String, Timestamp)>, VaultError> {
        self.rows(
            "SELECT name, since FROM inactive_source WHERE until IS NULL ORDER BY name",
            params![],
            |row| Ok((row.get(0)?, instant(row.get(1)?)?)),
        )
    }

    /// Makes a connector key under a name of its own. `None` if there is, or was, a key of that name.
    ///
    /// This is the only time the key is seen: the vault keeps its hash.
    pub fn create_key(
        &self,
        name: &str,
        permissions: &[Permission],
    ) -> Result<Option<ConnectorKey>, VaultError> {
        let key = ConnectorKey::generate().ok_or_else(|| VaultError::Store {
            action: "make a connector key".to_owned(),
            source: "the system has no randomness to give".into(),
        })?;
        let now = self.now();
        let mut connection = self.connection();
        let insert = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let hash = key.hash();
            let made = transaction.execute(
                "INSERT OR IGNORE INTO connector_key VALUES (?1, ?2, ?3, NULL)",
                params![name, hash.as_bytes(), now],
            )?;
            for permission in permissions {
                for host in permission.hosts.entries().filter(|_| made == 1) {
                    transaction.execute(
                        "INSERT OR IGNORE INTO permission VALUES (?1, ?2, ?3)",
                        params![name, permission.source, host],
                    )?;
                }
            }
            transaction.commit()?;
            Ok(made == 1)
        };
        let made = insert(&mut connection).map_err(|error| self.error(error))?;
        Ok(made.then_some(key))
    }

    /// Revokes a connector key: from now on every deposit under it is refused. `false` if no key of that name
    /// was in force.
    pub fn revoke_key(&self, name: &str) -> Result<bool, VaultError> {
        self.write(
            "UPDATE connector_key SET revoked_at = ?2 WHERE name = ?1 AND revoked_at IS NULL",
            params![name, self.now()],
        )
    }

    /// All connector keys, revoked ones too, by name.
    pub fn keys(&self) -> Result<Vec<KeyRecord>, VaultError> {
        let keys = self.rows(
            "SELECT name, created_at, revoked_at FROM connector_key ORDER BY name",
            params![],
            key_record,
        )?;
        keys.into_iter()
            .map(|key| Ok(KeyRecord { permissions: self.permissions(&key.name)?, ..key }))
            .collect()
    }

    /// The connector key as the vault knows it, a revoked one too. `None` if it never gave it out.
    pub fn key(&self, key: &ConnectorKey) -> Result<Option<KeyRecord>, VaultError> {
        self.key_of(&key.hash())
    }

    /// Withdraws an article: no version of it is shown, listed or exported any more, a later one neither. Kept with
    /// it is `by` whom it was decided, and for what `reason`. `false` if it is withdrawn already.
    pub fn withdraw(&self, key: &ArticleKey, by: &str, reason: &str) -> Result<bool, VaultError> {
        self.write(
            "INSERT OR IGNORE INTO withdrawal VALUES (?1, ?2, ?3, ?4, ?5, NULL, NULL, NULL)",
            params![key.source(), key.identifier(), self.now(), by, reason],
        )
    }

    /// Lifts a withdrawal. `false` if there is none that holds.
    pub fn reinstate(&self, key: &ArticleKey, by: &str, reason: &str) -> Result<bool, VaultError> {
        self.write(
            "UPDATE withdrawal SET lifted_at = ?3, lifted_by = ?4, lifted_because = ?5 \
             WHERE source = ?1 AND identifier = ?2 AND lifted_at IS NULL",
            params![key.source(), key.identifier(), self.now(), by, reason],
        )
    }

    /// Every withdrawal that there was, in the order of the decisions.
    pub fn withdrawals(&self) -> Result<Vec<Withdrawal>, VaultError> {
        self.rows(
            "SELECT source, identifier, at, decided_by, reason, lifted_at, lifted_by, lifted_because \
             FROM withdrawal ORDER BY at, rowid",
            params![],
            withdrawal,
        )
    }

    /// The articles that are withdrawn, in the order of their keys.
    pub(super) fn withdrawn(&self) -> Result<Vec<ArticleKey>, VaultError> {
        self.rows(
            "SELECT source, identifier FROM withdrawal WHERE lifted_at IS NULL ORDER BY source, identifier",
            params![],
            key,
        )
    }

    /// Refuses what the operator does not want sealed.
    pub(super) fn judge(&self, unit: &Unit, key: Option<&Sha256>) -> Result<(), DepositError> {
        let source = unit.key().source();
        if let Some(hash) = key {
            let (key, permission) = self.permission(source, hash)?;
            if let Err(refused) = permission.hosts.admit(unit.address()) {
                return Err(DepositError::HostNotPermitted { key, host: refused.authority().to_owned() });
            }
        }
        self.judge_active(source)
    }

    /// Refuses a source that nothing would be sealed of.
    pub(super) fn judge_source(&self, source: &str, key: Option<&Sha256>) -> Result<(), DepositError> {
        if let Some(hash) = key {
            self.permission(source, hash)?;
        }
        self.judge_active(source)
    }

    fn judge_active(&self, source: &str) -> Result<(), DepositError> {
        let is_inactive =
            self.exists("SELECT 1 FROM inactive_source WHERE name = ?1 AND until IS NULL", params![source])?;
        if is_inactive { Err(DepositError::SourceInactive { name: source.to_owned() }) } else { Ok(()) }
    }

    /// The name of the key with this hash, and what it permits for a source.
    fn permission(&self, source: &str, hash: &Sha256) -> Result<(String, Permission), DepositError> {
        let Some(record) = self.key_of(hash)? else { return Err(DepositError::KeyUnknown) };
        let KeyRecord { name: key, revoked_at, permissions, .. } = record;
        if revoked_at.is_some() {
            return Err(DepositError::KeyRevoked { name: key });
        }
        match permissions.into_iter().find(|permission| permission.source == source) {
            Some(permission) => Ok((key, permission)),
            None => Err(DepositError::SourceNotPermitted { key, name: source.to_owned() }),
        }
    }

    /// The key with this hash. All hashes are compared, each in full, so that the time that it takes says
    /// nothing about any of them.
    fn key_of(&self, hash: &Sha256) -> Result<Option<KeyRecord>, VaultError> {
        let keys =
            self.rows("SELECT name, created_at, revoked_at, hash FROM connector_key", params![], |row| {
                Ok((key_record(row)?, row.get::<_, [u8; 32]>(3)?))
            })?;
        let same = keys.into_iter().filter(|(_, known)| is_same(known, hash.as_bytes()));
        let Some((record, _)) = same.reduce(|_, last| last) else { return Ok(None) };
        Ok(Some(KeyRecord { permissions: self.permissions(&record.name)?, ..record }))
    }

    /// The decision by which an article is withdrawn, if it is.
    pub(super) fn withdrawal(&self, key: &ArticleKey) -> Result<Option<Decision>, VaultError> {
        self.connection()
            .prepare_cached(
                "SELECT at, decided_by, reason FROM withdrawal \
                 WHERE source = ?1 AND identifier = ?2 AND lifted_at IS NULL",
            )
            .and_then(|mut statement| {
                statement
                    .query_row(params![key.source(), key.identifier()], |row| decision(row, 0))
                    .optional()
            })
            .map_err(|error| self.error(error))
    }

    fn permissions(&self, key: &str) -> Result<Vec<Permission>, VaultError> {
        let rows: Vec<(String, String)> = self.rows(
            "SELECT source, host FROM permission WHERE key = ?1 ORDER BY source, host",
            params![key],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        rows.chunk_by(|(a, _), (b, _)| a == b)
            .filter_map(|of_source| {
                let source = of_source.first()?.0.clone();
                let hosts = AdmittedHosts::parse(of_source.iter().map(|(_, host)| host));
                Some(hosts.map(|hosts| Permission { source, hosts }).map_err(|error| VaultError::Store {
                    action: format!("read {}", self.path.display()),
                    source: Box::new(error),
                }))
            })
            .collect()
    }

    fn now(&self) -> i64 {
        (self.clock)().as_millisecond()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, sql: &str, parameters: &[&dyn rusqlite::ToSql]) -> Result<bool, VaultError> {
        self.connection().execute(sql, parameters).map(|rows| rows == 1).map_err(|error| self.error(error))
    }

    fn exists(&self, sql: &str, parameters: &[&dyn rusqlite::ToSql]) -> Result<bool, VaultError> {
        self.connection()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.exists(parameters))
            .map_err(|error| self.error(error))
    }

    fn rows<T>(
        &self,
        sql: &str,
        parameters: &[&dyn rusqlite::ToSql],
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, VaultError> {
        self.connection()
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(parameters, read)?.collect())
            .map_err(|error| self.error(error))
    }

    fn error(&self, error: rusqlite::Error) -> VaultError {
        failed("use", &self.path, error)
    }
}

fn failed(action: &str, path: &Path, error: rusqlite::Error) -> VaultError {
    if store::is_damaged(&error) {
        let why = "it is damaged, and holds what nothing else can tell: restore it from a copy";
        return VaultError::NotAVault { path: path.to_owned(), why };
    }
    VaultError::sql(action, path, error)
}

/// Makes the tables, unless somebody has.
fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let format: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if format == 0 {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    transaction.commit()
}

/// Takes what an earlier version of this program wrote into this one's format: all of it or nothing. Returns the format
/// that there is then.
fn migrate(connection: &mut Connection) -> rusqlite::Result<u32> {
    let read =
        |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get(0));
    match read(connection)? {
        1 => {}
        other => return Ok(other),
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it in the meantime.
    if read(&transaction)? == 1 {
        if !transaction.column_exists(None, "withdrawal", "decided_by")? {
            transaction.execute_batch(FROM_FORMAT_1)?;
        }
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    let format = read(&transaction)?;
    transaction.commit()?;
    Ok(format)
}

/// Name, instants of making and revoking; without what is permitted.
fn key_record(row: &Row<'_>) -> rusqlite::Result<KeyRecord> {
    Ok(KeyRecord {
        name: row.get(0)?,
        created_at: instant(row.get(1)?)?,
        revoked_at: row.get::<_, Option<i64>>(2)?.map(instant).transpose()?,
        permissions: Vec::new(),
    })
}

/// Whether two hashes are the same, in a time that does not depend on where they differ.
fn is_same(one: &[u8; 32], other: &[u8; 32]) -> bool {
    let differing = one.iter().zip(other).fold(0, |bits, (one, other)| bits | (one ^ other));
    std::hint::black_box(differing) == 0
}

fn withdrawal(row: &Row<'_>) -> rusqlite::Result<Withdrawal> {
    let is_lifted = row.get::<_, Option<i64>>(5)?.is_some();
    Ok(Withdrawal {
        key: key(row)?,
        decision: decision(row, 2)?,
        lifted: is_lifted.then(|| decision(row, 5)).transpose()?,
    })
}

fn key(row: &Row<'_>) -> rusqlite::Result<ArticleKey> {
    ArticleKey::new(row.get::<_, String>(0)?, row.get::<_, String>(1)?)
        .map_err(|error| store::conversion(Box::new(error)))
}

/// The decision whose instant is in the column `from`, and the rest behind it.
fn decision(row: &Row<'_>, from: usize) -> rusqlite::Result<Decision> {
    Ok(Decision { at: instant(row.get(from)?)?, by: row.get(from + 1)?, reason: row.get(from + 2)? })
}

fn instant(millisecond: i64) -> rusqlite::Result<Timestamp> {
    Timestamp::from_millisecond(millisecond).map_err(|error| store::conversion(Box::new(error)))
}
