//! What every vault decides before it seals: whether the proof convinces, and whether there is anything new
//! to seal.

use std::sync::Arc;
use std::time::Duration;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit as TimeUnit};
use releve_proof::{Context, RootSet};

use crate::{DepositError, Receipt, Unit, Version};

/// What tells a vault the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What a vault checks a unit against.
#[derive(Debug, Clone)]
pub struct Admission {
    /// The certificate authorities that it recognises.
    pub roots: RootSet,
    /// How long before its receipt by the vault an article may have been read.
    pub window: Duration,
    /// Whether the vault is a laboratory's: it takes laboratory proofs and no others.
    pub lab: bool,
}

impl Admission {
    /// Outside a laboratory, with the window of [`Context::WINDOW`].
    pub fn new(roots: RootSet) -> Self {
        Self { roots, window: Context::WINDOW, lab: false }
    }

    /// Checks a unit that was received at `received_at`.
    pub(crate) fn check(&self, unit: &Unit, received_at: Timestamp) -> Result<(), DepositError> {
        let proof = unit.proof();
        if proof.is_lab() != self.lab {
            return Err(DepositError::LabMismatch { unit_is_lab: proof.is_lab() });
        }
        let context = Context { received_at, window: self.window, lab: self.lab };
        match releve_proof::check(proof, unit.envelope(), &self.roots, &context).refusal() {
            None => Ok(()),
            Some(refusal) => Err(DepositError::CheckFailed {
                code: refusal.reason().code().to_owned(),
                reason: refusal.detail().to_owned(),
            }),
        }
    }
}

/// The receipt of what makes it needless to seal `unit`, if there is such: of the unit itself (`own`),
/// wherever in the article's history it stands, or of `last`, the last version of its article, where that has
/// the same content.
///
/// Errors: it does not follow on `last`.
pub(crate) fn already_sealed(
    unit: &Unit,
    own: Option<Receipt>,
    last: Option<&Version>,
) -> Result<Option<Receipt>, DepositError> {
    let same = last.filter(|last| last.content == unit.content_key().content);
    if let Some(receipt) = own.or(same.map(|last| last.receipt)) {
        return Ok(Some(receipt));
    }
    let last = last.map(|last| last.receipt.digest);
    if last == unit.previous() {
        Ok(None)
    } else {
        Err(DepositError::Superseded { named: unit.previous(), last })
    }
}

/// The instant as a vault records it. Rounded down, so that what was read before is not read after.
pub(crate) fn whole_millisecond(at: Timestamp) -> Timestamp {
    at.round(TimestampRound::new().smallest(TimeUnit::Millisecond).mode(RoundMode::Floor)).unwrap_or(at)
}
