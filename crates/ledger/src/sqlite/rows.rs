//! Entries, robots copies and passes as rows.

use std::time::Duration;

use jiff::Timestamp;
use releve_robots::{Blocked, Standing};
use releve_url_canon::HttpsUrl;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, named_params, params};

use super::Fault;
use crate::{Digest, Entry, PassId, Receipt, Refusal, RobotsCopy, Sealed, SeenIn, State, WalkRecord};

/// A statement that finds entries of the source `?1`, with the columns that [`entry`] reads.
macro_rules! select_entries {
    ($more:literal) => {
        concat!(
            "SELECT r.id, r.identifier, r.address, r.seen_in, r.first_seen, r.published, r.modified, r.state, \
                 r.read_under, r.read_at, r.tried_in, r.code, r.detail, r.refused_at, r.attempts, r.not_before, \
                 r.content_key, r.sealed_address, v.name, p.sequence, p.unit, p.seal, p.received_at \
             FROM reference AS r LEFT JOIN receipt AS p ON p.id = r.receipt LEFT JOIN vault AS v ON v.id = p.vault \
             WHERE r.source = ?1 AND ",
            $more
        )
    };
}

/// By identifier `?2`.
pub(super) const FIND: &str = select_entries!("r.identifier = ?2");

/// By address: `?2` is its key, `?3` its text. The plus keeps SQLite from walking all references in their order to spare
/// sorting one or two.
pub(super) const AT_ADDRESS: &str = select_entries!(
    "r.address_key = ?2 AND ?3 IN (r.address, iif(r.address = '', r.identifier, NULL)) \
     ORDER BY +r.identifier LIMIT ?4"
);

/// Sealed as read at `?2`, which is not where it was announced.
pub(super) const READ_ELSEWHERE: &str = select_entries!(
    "r.sealed_address = ?2 AND r.sealed_address IS NOT NULL AND r.sealed_address <> '' \
     ORDER BY +r.identifier LIMIT ?3"
);

/// For the pass `?2` at the instant `?3`, but for addresses with one of the beginnings `?6`.
pub(super) const NEXT_TO_READ: &str = select_entries!(
    "r.state <= ?5 AND r.state <= 1 AND (r.tried_in IS NULL OR r.tried_in < ?2) AND (r.not_before IS NULL OR r.not_before <= ?3) \
     AND NOT EXISTS (SELECT 1 FROM json_each(?6) AS b \
        WHERE substr(iif(r.address = '', r.identifier, r.address), 1, length(b.value)) = b.value) \
     ORDER BY r.seen_in, r.date DESC LIMIT ?4"
);

/// How the addresses at these hosts begin, at whatever port, as a JSON array.
pub(super) fn beginnings(hosts: &[String]) -> String {
    let beginnings = hosts.iter().flat_map(|host| ['/', ':'].map(|end| format!("https://{host}{end}")));
    beginnings.collect::<serde_json::Value>().to_string()
}

/// A state's number. They are in the file, and in the text of the queries.
pub(super) const fn number(state: State) -> i64 {
    match state {
        State::Queued => 0,
        State::Refused => 1,
        State::Sealed => 2,
        State::SetAside => 3,
    }
}

/// In a state, from the identifier `?2` on. A term that an index is limited by must stand in the text. There is no index
/// for what is queued in this order: those are sorted, and the pluses keep SQLite from walking all references instead.
pub(super) const fn list(state: State) -> &'static str {
    match state {
        State::Queued => select_entries!(
            "r.state <= 1 AND r.state = 0 AND +r.identifier >= ?2 ORDER BY +r.identifier LIMIT ?3"
        ),
        State::Refused => select_entries!(
            "r.state IN (1, 3) AND r.state = 1 AND r.identifier >= ?2 ORDER BY r.identifier LIMIT ?3"
        ),
        State::SetAside => select_entries!(
            "r.state IN (1, 3) AND r.state = 3 AND r.identifier >= ?2 ORDER BY r.identifier LIMIT ?3"
        ),
        State::Sealed => {
            select_entries!("r.state = 2 AND r.identifier >= ?2 ORDER BY r.identifier LIMIT ?3")
        }
    }
}

/// An entry and its row.
pub(super) fn entry(row: &Row<'_>) -> Result<(i64, Entry), Fault> {
    let identifier: String = row.get(1)?;
    let address = match row.get::<_, Option<String>>(2)? {
        None => None,
        Some(text) if text.is_empty() => Some(address(&identifier)?),
        Some(text) => Some(address(&text)?),
    };
    let refusal = match row.get::<_, Option<String>>(11)? {
        None => None,
        Some(code) => Some(Refusal {
            code,
            detail: row.get(12)?,
            at: instant(row.get(13)?),
            attempts: row.get(14)?,
            not_before: maybe_instant(row.get(15)?),
        }),
    };
    let sealed = match row.get::<_, Option<Digest>>(16)? {
        None => None,
        Some(content_key) => Some(Sealed {
            content_key,
            address: match (row.get::<_, String>(17)?, &address) {
                (text, Some(announced)) if text.is_empty() => announced.clone(),
                (text, _) => self::address(&text)?,
            },
            receipt: Receipt {
                vault: row.get(18)?,
                sequence: sequence(row.get(19)?)?,
                unit: row.get(20)?,
                seal: row.get(21)?,
                received_at: instant(row.get(22)?),
            },
        }),
    };
    let entry = Entry {
        identifier,
        address,
        seen_in: match row.get(3)? {
            0 => SeenIn::Trigger,
            1 => SeenIn::Backlog,
            other => return Err(Fault::Corrupt(format!("a reference was seen in {other}"))),
        },
        first_seen: instant(row.get(4)?),
        published: maybe_instant(row.get(5)?),
        modified: maybe_instant(row.get(6)?),
        state: match row.get(7)? {
            0 => State::Queued,
            1 => State::Refused,
            2 => State::Sealed,
            3 => State::SetAside,
            other => return Err(Fault::Corrupt(format!("a reference stands at {other}"))),
        },
        refusal,
        sealed,
        read_under: maybe_instant(row.get(8)?),
        read_at: maybe_instant(row.get(9)?),
        tried_in: row.get::<_, Option<i64>>(10)?.map(PassId),
    };
    Ok((row.get(0)?, entry))
}

/// What is known of a source's walks: began_at, place, history, report.
pub(super) fn walk(row: &Row<'_>) -> Result<WalkRecord, Fault> {
    Ok(WalkRecord {
        began_at: instant(row.get(0)?),
        place: row.get(1)?,
        history: row.get(2)?,
        report: row.get(3)?,
    })
}

pub(super) fn find_entry(
    connection: &Connection,
    source: i64,
    identifier: &str,
) -> Result<Option<(i64, Entry)>, Fault> {
    let mut statement = connection.prepare_cached(FIND)?;
    let mut rows = statement.query(params![source, identifier])?;
    rows.next()?.map(entry).transpose()
}

/// Writes an entry: in place of row `id`, or as a new one.
pub(super) fn put_entry(
    connection: &Connection,
    source: i64,
    id: Option<i64>,
    entry: &Entry,
) -> Result<(), Fault> {
    let address = entry.address.as_ref().map(HttpsUrl::as_str);
    let shortened = address.map(|address| if address == entry.identifier { "" } else { address });
    let sealed = entry.sealed.as_ref();
    let sealed_address = sealed.map(|sealed| match sealed.address.as_str() {
        same if Some(same) == address => "",
        other => other,
    });
    let receipt = sealed.map(|sealed| put_receipt(connection, &sealed.receipt)).transpose()?;
    let refusal = entry.refusal.as_ref();
    let mut statement = connection.prepare_cached(
        "INSERT INTO reference (id, source, identifier, address, address_key, seen_in, first_seen, published, modified, \
             date, state, read_under, read_at, tried_in, code, detail, refused_at, attempts, not_before, receipt, \
             content_key, sealed_address) \
         VALUES (:id, :source, :identifier, :address, :address_key, :seen_in, :first_seen, :published, :modified, \
             :date, :state, :read_under, :read_at, :tried_in, :code, :detail, :refused_at, :attempts, :not_before, :receipt, \
             :content_key, :sealed_address) \
         ON CONFLICT (id) DO UPDATE SET address = excluded.address, address_key = excluded.address_key, \
             seen_in = excluded.seen_in, published = excluded.published, modified = excluded.modified, \
             date = excluded.date, state = excluded.state, read_under = excluded.read_under, read_at = excluded.read_at, \
             tried_in = excluded.tried_in, code = excluded.code, detail = excluded.detail, \
             refused_at = excluded.refused_at, attempts = excluded.attempts, not_before = excluded.not_before, \
             receipt = excluded.receipt, content_key = excluded.content_key, sealed_address = excluded.sealed_address",
    )?;
    statement.execute(named_params! {
        ":id": id,
        ":source": source,
        ":identifier": entry.identifier,
        ":address": shortened,
        ":address_key": address.map(address_key),
        ":seen_in": match entry.seen_in { SeenIn::Trigger => 0, SeenIn::Backlog => 1 },
        ":first_seen": micros(entry.first_seen),
        ":published": entry.published.map(micros),
        ":modified": entry.modified.map(micros),
        ":date": micros(entry.date()),
        ":state": number(entry.state),
        ":read_under": entry.read_under.map(micros),
        ":read_at": entry.read_at.map(micros),
        ":tried_in": entry.tried_in.map(|PassId(id)| id),
        ":code": refusal.map(|refusal| &refusal.code),
        ":detail": refusal.map(|refusal| &refusal.detail),
        ":refused_at": refusal.map(|refusal| micros(refusal.at)),
        ":attempts": refusal.map(|refusal| refusal.attempts),
        ":not_before": refusal.and_then(|refusal| refusal.not_before).map(micros),
        ":receipt": receipt,
        ":content_key": sealed.map(|sealed| sealed.content_key),
        ":sealed_address": sealed_address,
    })?;
    Ok(())
}

/// Writes a receipt, unless it is there, and returns its row.
fn put_receipt(connection: &Connection, receipt: &Receipt) -> Result<i64, Fault> {
    let number = i64::try_from(receipt.sequence)
        .map_err(|_| Fault::Corrupt(format!("a receipt has the sequence {}", receipt.sequence)))?;
    connection
        .prepare_cached("INSERT INTO vault (name) VALUES (?1) ON CONFLICT (name) DO NOTHING")?
        .execute([&receipt.vault])?;
    let vault: i64 = connection
        .prepare_cached("SELECT id FROM vault WHERE name = ?1")?
        .query_row([&receipt.vault], |row| row.get(0))?;
    let kept = connection
        .prepare_cached(
            "SELECT id FROM receipt WHERE vault = ?1 AND sequence = ?2 AND seal = ?3 AND unit = ?4",
        )?
        .query_row(params![vault, number, receipt.seal, receipt.unit], |row| row.get(0))
        .optional()?;
    if let Some(id) = kept {
        return Ok(id);
    }
    connection
        .prepare_cached(
            "INSERT INTO receipt (vault, sequence, unit, seal, received_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![vault, number, receipt.unit, receipt.seal, micros(receipt.received_at)])?;
    Ok(connection.last_insert_rowid())
}

/// A receipt from columns `unit`, `seal`, `received_at`, `sequence`.
pub(super) fn receipt(vault: &str, row: &Row<'_>) -> Result<Receipt, Fault> {
    Ok(Receipt {
        vault: vault.to_owned(),
        unit: row.get(0)?,
        seal: row.get(1)?,
        received_at: instant(row.get(2)?),
        sequence: sequence(row.get(3)?)?,
    })
}

pub(super) fn find_robots(connection: &Connection, authority: &str) -> Result<Option<RobotsCopy>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT fetched_at, standing, status, ends_at, crawl_delay, body FROM robots WHERE authority = ?1",
    )?;
    let mut rows = statement.query([authority])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let ends_at = instant(row.get(3)?);
    let standing = match row.get::<_, String>(1)?.as_str() {
        "rules" => Standing::Rules { until: ends_at },
        "absent" => Standing::Absent { until: ends_at },
        code => {
            let why = Blocked::from_parts(code, row.get(2)?)
                .ok_or_else(|| Fault::Corrupt(format!("a robots.txt has the standing {code}")))?;
            Standing::Blocked { retry_at: ends_at, why }
        }
    };
    Ok(Some(RobotsCopy {
        fetched_at: instant(row.get(0)?),
        standing,
        body: row.get(5)?,
        crawl_delay: row.get::<_, Option<i64>>(4)?.map(length),
    }))
}

pub(super) fn put_robots(
    connection: &Connection,
    authority: &str,
    host: &str,
    copy: &RobotsCopy,
) -> Result<(), Fault> {
    let (standing, status) = match copy.standing {
        Standing::Rules { .. } => ("rules", None),
        Standing::Absent { .. } => ("absent", None),
        Standing::Blocked { why, .. } => (why.code(), why.status()),
    };
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO robots (authority, host, fetched_at, standing, status, ends_at, crawl_delay, body) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            authority,
            host,
            micros(copy.fetched_at),
            standing,
            status,
            micros(copy.standing.ends()),
            copy.crawl_delay.map(|delay| i64::try_from(delay.as_micros()).unwrap_or(i64::MAX)),
            copy.body,
        ])?;
    Ok(())
}

pub(super) fn micros(instant: Timestamp) -> i64 {
    instant.as_microsecond()
}

/// The instant of a number of microseconds. The first and the last instant of the calendar, which a publisher can bring
/// about, have more than a microsecond's digits and do not come back by themselves: what lies beyond is the end it is
/// nearest to.
pub(super) fn instant(micros: i64) -> Timestamp {
    let end = if micros < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_microsecond(micros).unwrap_or(end)
}

pub(super) fn maybe_instant(micros: Option<i64>) -> Option<Timestamp> {
    micros.map(instant)
}

pub(super) fn length(micros: i64) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

fn sequence(number: i64) -> Result<u64, Fault> {
    u64::try_from(number).map_err(|_| Fault::Corrupt(format!("a receipt has the sequence {number}")))
}

fn address(text: &str) -> Result<HttpsUrl, Fault> {
    text.parse().map_err(|_| Fault::Corrupt("a reference has an address that is none".to_owned()))
}

/// FNV-1a over the address's bytes: short, the same on every machine and in every version. Addresses that share it are
/// told apart by comparing them whole.
pub(super) fn address_key(address: &str) -> i64 {
    let hash = address.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    i64::from_ne_bytes(hash.to_ne_bytes())
}

/// Lets a limit stand in SQL, where "all" is a negative number.
pub(super) fn limit(limit: usize) -> impl ToSql {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
