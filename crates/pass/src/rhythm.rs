//! When the trigger of a source is read.

use std::time::Duration;

use jiff::Timestamp;
use releve_ledger::{Ledger, LedgerError};
use releve_pace::{Due, due};
use releve_source::Source;

/// When the source's trigger is due, by what the ledger knows.
pub fn trigger_due(ledger: &dyn Ledger, source: &Source, now: Timestamp) -> Result<Due, LedgerError> {
    let last = ledger.schedule(source.name().as_str(), now)?.trigger;
    Ok(due(last, trigger_every(ledger, source, now)?, now))
}

/// How often the trigger is read: as configured (R18), or at every second turn where the host asks for so long a
/// Crawl-delay that the trigger would leave none to the articles. Where the delay is half a day or longer, every second
/// turn goes to robots.txt (R22), and the trigger gets every fourth.
pub(crate) fn trigger_every(
    ledger: &dyn Ledger,
    source: &Source,
    now: Timestamp,
) -> Result<Duration, LedgerError> {
    const HALF_A_DAY: Duration = Duration::from_secs(12 * 60 * 60);
    let copy = ledger.robots(source.trigger().address().authority(), now)?;
    let delay = copy.and_then(|copy| copy.crawl_delay).unwrap_or_default();
    let turns = if delay >= HALF_A_DAY { 4 } else { 2 };
    Ok(source.rhythm().trigger().max(delay.saturating_mul(turns)))
}
