//! Says what a deposit is, and when a vault may seal it.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod admission;
mod error;
mod key;
mod local;
mod memory;
mod seal;
#[doc(hidden)]
pub mod testing;
mod unit;
mod vault;
mod warc;

pub use admission::{Admission, Clock};
pub use error::{DepositError, DepositErrorKind, VaultError};
pub use key::{ArticleKey, ConnectorKey, InvalidConnectorKey, InvalidKey};
pub use local::{
    Control, Fault, KeyRecord, LocalOptions, LocalVault, Permission, Progress, Reindexed, SEGMENT_BYTES_MAX,
    SourceStats, Stats, Verification, Verify, Withdrawal, reindex, verify,
};
pub use memory::MemoryVault;
pub use seal::Receipt;
pub use unit::{
    ARTICLE_BYTES_MAX, ContentKey, Deposit, ENVELOPE_BYTES_MAX, MalformedUnit, UNIT_BYTES_MAX, Unit,
};
pub use vault::{Outcome, Since, Vault, Version};
