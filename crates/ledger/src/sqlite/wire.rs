//! The parts of a turn and a lock as they stand in a column: JSON, version 1 of the ledger's format.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Fault, rows::instant};
use crate::{
    Holder,
    lock::LockRecord,
    moment::{Lease, Moment, Steady},
    turn::TurnRecord,
};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTurn {
    fence: u64,
    held: Option<WireHeld>,
    stamped: bool,
    last_sent: Option<WireMoment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_alone: Option<WireLease>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLease {
    from: WireMoment,
    ttl_us: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLock {
    fence: u64,
    held: Option<WireHeld>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireHeld {
    by: WireHolder,
    from: WireMoment,
    ttl_us: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireHolder {
    boot: String,
    view: String,
    pid: u32,
    started: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMoment {
    wall_us: i64,
    steady: Option<(String, u64)>,
}

pub(super) fn turn_to_text(turn: &TurnRecord) -> Result<String, Fault> {
    let TurnRecord { fence, held, stamped, last_sent, left_alone } = turn;
    to_text(&WireTurn {
        fence: *fence,
        held: held.as_ref().map(held_to_wire),
        stamped: *stamped,
        last_sent: last_sent.as_ref().map(moment_to_wire),
        left_alone: left_alone
            .as_ref()
            .map(|lease| WireLease { from: moment_to_wire(&lease.from), ttl_us: micros_of(lease.ttl) }),
    })
}

pub(super) fn turn_from_text(text: &str) -> Result<TurnRecord, Fault> {
    let WireTurn { fence, held, stamped, last_sent, left_alone } = from_text(text)?;
    Ok(TurnRecord {
        fence,
        held: held.map(held_from_wire),
        stamped,
        last_sent: last_sent.map(moment_from_wire),
        left_alone: left_alone.map(|lease| Lease {
            from: moment_from_wire(lease.from),
            ttl: Duration::from_micros(lease.ttl_us),
        }),
    })
}

pub(super) fn lock_to_text(lock: &LockRecord) -> Result<String, Fault> {
    to_text(&WireLock { fence: lock.fence, held: lock.held.as_ref().map(held_to_wire) })
}

pub(super) fn lock_from_text(text: &str) -> Result<LockRecord, Fault> {
    let WireLock { fence, held } = from_text(text)?;
    Ok(LockRecord { fence, held: held.map(held_from_wire) })
}

pub(super) fn holder_to_text(holder: &Holder) -> Result<String, Fault> {
    to_text(&holder_to_wire(holder))
}

pub(super) fn holder_from_text(text: &str) -> Result<Holder, Fault> {
    from_text(text).map(holder_from_wire)
}

fn to_text(wire: &impl Serialize) -> Result<String, Fault> {
    serde_json::to_string(wire).map_err(|error| Fault::Corrupt(error.to_string()))
}

fn from_text<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| Fault::Corrupt(error.to_string()))
}

fn held_to_wire((holder, lease): &(Holder, Lease)) -> WireHeld {
    WireHeld { by: holder_to_wire(holder), from: moment_to_wire(&lease.from), ttl_us: micros_of(lease.ttl) }
}

fn held_from_wire(wire: WireHeld) -> (Holder, Lease) {
    let lease = Lease { from: moment_from_wire(wire.from), ttl: Duration::from_micros(wire.ttl_us) };
    (holder_from_wire(wire.by), lease)
}

fn holder_to_wire(holder: &Holder) -> WireHolder {
    let Holder { boot, view, pid, started } = holder.clone();
    WireHolder { boot, view, pid, started }
}

fn holder_from_wire(wire: WireHolder) -> Holder {
    let WireHolder { boot, view, pid, started } = wire;
    Holder { boot, view, pid, started }
}

fn moment_to_wire(moment: &Moment) -> WireMoment {
    WireMoment {
        wall_us: moment.wall.as_microsecond(),
        steady: moment.steady.as_ref().map(|steady| (steady.clock.clone(), micros_of(steady.reading))),
    }
}

fn moment_from_wire(wire: WireMoment) -> Moment {
    let wall = instant(wire.wall_us);
    let steady = wire.steady.map(|(clock, micros)| Steady { clock, reading: Duration::from_micros(micros) });
    Moment { wall, steady }
}

/// A length in microseconds. One that does not fit is longer than any lease or boot.
fn micros_of(length: Duration) -> u64 {
    u64::try_from(length.as_micros()).unwrap_or(u64::MAX)
}
