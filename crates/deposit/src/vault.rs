//! The vault port: what every vault offers, wherever it keeps its units.

use jiff::Timestamp;
use releve_proof::Sha256;

use crate::{ArticleKey, DepositError, Receipt, Unit, VaultError};

/// A vault: it seals units, and gives back what it sealed.
///
/// Every call may block on disk or network; an asynchronous caller hands it to a thread that may. Calls from
/// several threads go on side by side, and those that seal may share the cost of doing so. An adapter shows
/// that it keeps this contract by passing [`testing::suite`](crate::testing::suite).
pub trait Vault: Send + Sync {
    /// Seals `unit`, unless the article's last version has the same content already.
    ///
    /// When this returns, the unit is safe: a crash of program or machine does not lose it. Depositing again
    /// what was deposited is harmless, so whoever did not hear the answer asks again.
    fn deposit(&self, unit: &Unit) -> Result<Outcome, DepositError>;

    /// Whether a deposit for this source would be taken now, as far as it depends on the source: asked before a
    /// publisher is, so that nothing is read there that could not be deposited.
    ///
    /// A vault that everybody may deposit in takes everything.
    fn takes(&self, source: &str) -> Result<(), DepositError> {
        let _ = source;
        Ok(())
    }

    /// The last version of an article, which a deposit has to follow on. A withdrawal does not hide it here.
    fn last_version(&self, key: &ArticleKey) -> Result<Option<Version>, VaultError>;

    /// All versions of an article, oldest first; none if it was never sealed.
    ///
    /// Errors: [`VaultError::Withdrawn`], if the article was withdrawn.
    fn versions(&self, key: &ArticleKey) -> Result<Vec<Version>, VaultError>;

    /// The articles that bear this identifier, each of another source, in the order of their keys. Withdrawn ones are among
    /// them.
    fn with_identifier(&self, identifier: &str) -> Result<Vec<ArticleKey>, VaultError>;

    /// The articles whose final address in any version was `address`, in the order of their keys.
    ///
    /// Withdrawn ones are among them: asking for their versions then says that they were withdrawn.
    fn at_address(&self, address: &str) -> Result<Vec<ArticleKey>, VaultError>;

    /// What was sealed, in the order of sealing, leaving out what was withdrawn.
    ///
    /// At most `count_max` versions: to go on, ask again from the last one's sequence.
    fn list(&self, from: &Since, count_max: usize) -> Result<Vec<Version>, VaultError>;

    /// The unit with this digest, read back and found to be it; `None` if the vault has none.
    ///
    /// Errors: [`VaultError::Withdrawn`], if its article was withdrawn.
    fn read(&self, digest: Sha256) -> Result<Option<Unit>, VaultError>;
}

/// What became of a deposit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is sealed, and this is its receipt.
    Sealed(Receipt),
    /// The last version of the article has the same content; nothing was sealed, and this is that version's
    /// receipt.
    AlreadySealed(Receipt),
}

impl Outcome {
    /// The receipt, whichever unit it is for.
    pub fn receipt(&self) -> &Receipt {
        match self {
            Self::Sealed(receipt) | Self::AlreadySealed(receipt) => receipt,
        }
    }
}

/// One sealed version of an article.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Which article.
    pub key: ArticleKey,
    /// Its place among the article's versions, from 1 on.
    pub number: u32,
    /// The version before it.
    pub previous: Option<Sha256>,
    /// SHA-256 of structured text and descriptor in canonical form.
    pub content: Sha256,
    /// The final address that it was read at.
    pub address: String,
    /// The instant of the read.
    pub read_at: Timestamp,
    /// Its length in the vault.
    pub bytes: u64,
    /// Its seal.
    pub receipt: Receipt,
}

impl Version {
    /// The version that `unit` became as the `number`th of its article.
    pub(crate) fn new(unit: &Unit, number: u32, receipt: Receipt) -> Self {
        Self {
            key: unit.key().clone(),
            number,
            previous: unit.previous(),
            content: unit.content_key().content,
            address: unit.address().to_string(),
            read_at: unit.read_at(),
            bytes: unit.bytes().len() as u64,
            receipt,
        }
    }
}

/// From where on to [list](Vault::list).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Since {
    /// Only what was sealed after this sequence; 0 for everything.
    pub sequence: u64,
    /// Only what the vault received at this instant or later.
    pub received_at: Option<Timestamp>,
    /// Only this source's.
    pub source: Option<String>,
}

impl Since {
    /// Whether `version` is among what is asked for.
    pub fn includes(&self, version: &Version) -> bool {
        version.receipt.sequence > self.sequence
            && self.received_at.is_none_or(|from| version.receipt.received_at >= from)
            && self.source.as_ref().is_none_or(|source| version.key.source() == source)
    }
}
