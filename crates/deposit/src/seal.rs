//! The seal: what a vault writes after each unit, and what makes a chain of them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::warc::{Packing, Parsed, Record, RecordId, instant, is_whole_millisecond};
use releve_proof::Sha256;

/// What the depositor gets for a sealed unit: the seal, and where it stands in the vault's chain.
///
/// Kept by the depositor, a receipt is a *known head*: every seal before it hangs on its digest, so a vault
/// from which something was cut, even at the boundary of a seal, no longer has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The digest of the unit.
    pub digest: Sha256,
    /// The seal's place in the vault, from 1 on, without a gap.
    pub sequence: u64,
    /// When the vault received the deposit, by its own clock, in whole milliseconds. Deposits made at the
    /// same time may be sealed in another order: what orders seals is the sequence.
    pub received_at: Timestamp,
    /// The digest of the seal: of the bytes of its record as they lie in the vault.
    pub seal: Sha256,
}

impl Receipt {
    /// The receipt as JSON, for a ledger or an answer over the network.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "digest": self.digest.to_string(),
            "sequence": self.sequence,
            "received_at": instant(self.received_at),
            "seal": self.seal.to_string(),
        })
    }

    /// Reads a receipt back. `None` where a member is missing, or is not what [`Receipt::to_json`] writes.
    pub fn from_json(json: &serde_json::Value) -> Option<Self> {
        let text = |name: &str| json.get(name)?.as_str();
        Some(Self {
            digest: text("digest")?.parse().ok()?,
            sequence: json.get("sequence")?.as_u64()?,
            received_at: text("received_at")?.parse().ok()?,
            seal: text("seal")?.parse().ok()?,
        })
    }
}

/// A seal's content. Its record is stored, not compressed, and follows from these fields alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seal {
    pub(crate) sequence: u64,
    /// Of the bytes sealed: a unit, or a set of roots.
    pub(crate) unit: Sha256,
    pub(crate) received_at: Timestamp,
    /// The digest of the seal before. None for the vault's first.
    pub(crate) previous: Option<Sha256>,
    /// The digest of the warcinfo record that begins the segment, which names vault, number and the last seal
    /// of the segment before: so a seal says in which segment of which vault it stands.
    pub(crate) segment: Sha256,
    /// The last sequence known to be on disk when this seal was written. If a damaged unit turns up before a
    /// whole seal, this tells a torn write that was never acknowledged (the seal's own batch) from damage to
    /// what had been safe.
    pub(crate) synced: u64,
}

/// The version of the seal's JSON.
const VERSION: u32 = 1;

/// Every seal's record is shorter than this: six fields of bounded length. Counted on the record as it lies.
pub(crate) const SEAL_BYTES_MAX: usize = 2048;

/// The members in the order of their names, which is the canonical one.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
    received_at: String,
    seal: u32,
    segment: String,
    sequence: u64,
    synced: u64,
    unit: String,
}

/// What the index, an SQLite database, can hold.
const SEQUENCE_MAX: u64 = i64::MAX as u64;

impl Seal {
    /// The bytes of the seal's record, always the same for the same content.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let wire = Wire {
            previous: self.previous.map(|digest| digest.to_string()),
            received_at: instant(self.received_at),
            seal: VERSION,
            segment: self.segment.to_string(),
            sequence: self.sequence,
            synced: self.synced,
            unit: self.unit.to_string(),
        };
        // Numbers and strings always serialise.
        let block = serde_json::to_vec(&wire).unwrap_or_default();
        let mut bytes = Vec::with_capacity(1024);
        let digest = Sha256::of(&block);
        Record {
            kind: "metadata",
            id: RecordId::from_digest(&digest),
            date: self.received_at,
            fields: Vec::new(),
            media_type: "application/json",
            block: &block,
            digest,
        }
        .append_to(&mut bytes, Packing::Stored);
        bytes
    }

    /// Reads a seal from its record, and accepts it only if `raw`, the bytes as they lie in the vault, are
    /// the ones that its content gives.
    pub(crate) fn decode(record: &[u8], raw: &[u8]) -> Result<Self, &'static str> {
        let parsed = Parsed::of(record)?;
        let wire: Wire =
            serde_json::from_slice(parsed.block).map_err(|_| "the seal is not what a vault writes")?;
        if wire.seal != VERSION {
            return Err("the seal is of a version that this program does not know");
        }
        if !(1..=SEQUENCE_MAX).contains(&wire.sequence) {
            return Err("the seal's sequence is not one");
        }
        let digest = |text: &str| text.parse().map_err(|_| "a digest in the seal is not one");
        let seal = Self {
            sequence: wire.sequence,
            unit: digest(&wire.unit)?,
            received_at: wire.received_at.parse().map_err(|_| "the seal's instant is not one")?,
            previous: wire.previous.as_deref().map(digest).transpose()?,
            segment: digest(&wire.segment)?,
            synced: wire.synced,
        };
        if !is_whole_millisecond(seal.received_at) || seal.encode() != raw {
            return Err("the seal's bytes are not the ones that its content gives");
        }
        Ok(seal)
    }

    /// Whether it stands right behind the seal `previous`, the `sequence`th, in the segment that `opening`
    /// begins.
    pub(crate) fn follows(&self, sequence: u64, previous: Option<Sha256>, opening: &Sha256) -> bool {
        self.sequence == sequence + 1 && self.previous == previous && self.segment == *opening
    }

    /// The receipt that this seal is, if `bytes` are its record.
    pub(crate) fn receipt(&self, bytes: &[u8]) -> Receipt {
        Receipt {
            digest: self.unit,
            sequence: self.sequence,
            received_at: self.received_at,
            seal: Sha256::of(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SEQUENCE_MAX, Seal};
    use crate::warc::read_member;
    use releve_proof::Sha256;

    #[test]
    fn a_sequence_that_no_vault_reaches_is_refused() {
        let digest = Sha256::of(b"");
        let received_at = "2026-03-01T10:00:00Z".parse().unwrap();
        for (sequence, is_read) in [(0, false), (1, true), (SEQUENCE_MAX, true), (u64::MAX, false)] {
            let seal =
                Seal { sequence, unit: digest, received_at, previous: None, segment: digest, synced: 0 };
            let raw = seal.encode();
            let record = read_member(&mut raw.as_slice(), &mut Vec::new(), 4096).unwrap().unwrap();
            assert_eq!(Seal::decode(&record, &raw).is_ok(), is_read, "{sequence}");
        }
    }
}
