//! Says what a deposit is, down to its last byte, and whether a vault may seal it.
//!
//! A [`Deposit`] is what was read of one article: the response's body, what was copied out of it, and the
//! proof of the read. As bytes it is a [`Unit`]: three WARC 1.1 records (ISO 28500), each a gzip member of
//! its own, which any WARC reader opens. The bytes follow from the deposit alone, so a unit has the same
//! digest wherever it is kept.
//!
//! A [`Vault`] checks the proof, seals the unit, and answers with a [`Receipt`]. A seal holds the unit's
//! digest and that of the seal before, so that seals are a chain; who keeps a receipt can tell years later
//! whether the vault still has all that it had. There are two vaults here, [`LocalVault`] on disk and
//! [`MemoryVault`] for tests. Others implement the trait and pass the same suite.
//!
//! ```
//! use releve_deposit::{
//!     Admission, ArticleKey, Deposit, LocalOptions, LocalVault, Outcome, Unit, Vault, Verify, verify,
//! };
//! use releve_proof::Context;
//!
//! # use releve_deposit::testing::{Specimen, TestClock};
//! # let specimen = Specimen::new("4711");
//! # let (envelope, article, proof) = (specimen.envelope.clone(), specimen.article(), specimen.proof());
//! # let (roots, clock) = (releve_deposit::testing::roots(), TestClock::new().clock());
//! # let parent = tempfile::tempdir()?;
//! # let folder = parent.path();
//! // What a read gave: `envelope` (bytes), `article` (extracted from them), `proof`; and the authorities recognised today.
//! let key = ArticleKey::new("example", "4711")?;
//! let vault = LocalVault::open_or_create(folder, LocalOptions::new(Admission::new(roots.clone()), clock))?;
//!
//! let last = vault.last_version(&key)?;
//! let unit = Unit::encode(&Deposit {
//!     key: &key,
//!     previous: last.map(|version| version.receipt.digest),
//!     envelope: &envelope,
//!     article: &article,
//!     proof: &proof,
//! })?;
//! let Outcome::Sealed(receipt) = vault.deposit(&unit)? else { panic!("it was sealed before") };
//!
//! // Asking again is harmless: the same content is not sealed twice.
//! assert_eq!(vault.deposit(&unit)?, Outcome::AlreadySealed(receipt));
//! assert_eq!(vault.read(receipt.digest)?.as_ref(), Some(&unit));
//!
//! // Later, by anyone: segments, chain and proofs, against a receipt that was kept elsewhere.
//! let heads = [receipt.seal];
//! let window = Context::WINDOW;
//! let found = verify(&Verify { folder, roots: Some(&roots), window, heads: &heads }, &mut |_| {})?;
//! assert!(found.is_clean());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A unit
//!
//! | record | block | head |
//! |---|---|---|
//! | `resource` | the envelope: the response's body after undoing a content coding, byte for byte | `WARC-Target-URI` is the final address, `WARC-Date` the instant of the read, `Content-Type` as the server sent it |
//! | `conversion` | `article.json`: version, source, identifier, the version before, and under `content` what was copied out of the envelope | `WARC-Refers-To` names the resource |
//! | `metadata` | `proof.json` | `WARC-Concurrent-To` names the resource |
//!
//! Both documents are in the canonical form of RFC 8785. Digests are SHA-256 in lower-case hexadecimal.
//! Record identifiers are derived from the content. A unit is read back only if each record's head is, byte
//! for byte, the one that its content gives.
//!
//! Of the compressor's output the digest depends too: another release of it may pack the same content in
//! other bytes. That makes two units of one deposit at worst, and the vault does not seal the second, because
//! what makes a deposit the same again is its [`ContentKey`]: source, identifier, structured text and
//! descriptor.
//!
//! # A vault on disk
//!
//! ```text
//! vault.json                  format, id, when it was made, whether a laboratory's
//! segments/000001.warc.gz …   a warcinfo record, then units and sets of roots, each with its seal; only ever appended to
//! index.sqlite                where each unit lies; rebuilt from the segments by `reindex`
//! control.sqlite              connector keys (as hashes), inactive sources, withdrawals; to be backed up with the segments
//! lock                        held for an append, a cut or a reindex, and not otherwise
//! ```
//!
//! A seal is a `metadata` record with a JSON block: `sequence`, `unit` (digest), `received_at`, `previous`
//! (the seal before), `segment` (the warcinfo record of its segment) and `synced` (up to which sequence
//! everything was on disk when it was written). Seals and warcinfo records are stored rather than compressed,
//! and the digest of each is that of its bytes as they lie there.
//!
//! The set of certificate authorities that the vault recognises is sealed as PEM before the first unit that
//! was checked against it, with a seal of its own, so that a proof can be checked when one of them has gone
//! from every list.
//!
//! A timestamp of a unit's digest by an authority (RFC 3161) is sealed likewise, whenever it comes: a `resource`
//! record with the token as its block (`application/cms`) and the target `urn:releve:timestamp:` with the unit's
//! digest, and a seal of its own. The unit does not change, and the chain binds the token to it.
//!
//! # An export
//!
//! [`export_wacz`] packs units, byte for byte as they were sealed, into a WACZ with an index and a list of pages: a
//! file that replay tools such as pywb and ReplayWeb.page open. Two versions of an article are compared by
//! [`differences`].
//!
//! # What this crate does not do
//!
//! - It judges no certificate: that is `releve-proof`, which it asks.
//! - It reads no clock: a vault is given one.
//! - It asks nothing of the network. A vault elsewhere is an adapter of its own.
//! - It changes nothing that is sealed, not on request either. A withdrawal hides; it does not delete.
//! - It does not keep a vault from being cut back to an earlier state as a whole: that shows only against a
//!   receipt kept elsewhere.
//! - It has no asynchronous interface. Every call may wait for a disk.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod admission;
mod differences;
mod error;
mod key;
mod local;
mod memory;
mod seal;
#[doc(hidden)]
pub mod testing;
mod unit;
mod vault;
mod wacz;
mod warc;

pub use admission::{Admission, Clock};
pub use differences::{Difference, Part, differences};
pub use error::{DepositError, DepositErrorKind, VaultError};
pub use key::{ArticleKey, ConnectorKey, InvalidConnectorKey, InvalidKey};
pub use local::{
    Control, Decision, Fault, KeyRecord, LocalOptions, LocalVault, Manifest, Permission, Progress, Reindexed,
    SEGMENT_BYTES_MAX, SourceStats, Stats, Verification, Verify, Withdrawal, reindex, verify,
};
pub use memory::MemoryVault;
pub use seal::Receipt;
pub use unit::{
    ARTICLE_BYTES_MAX, ContentKey, Deposit, ENVELOPE_BYTES_MAX, MalformedUnit, UNIT_BYTES_MAX, Unit,
};
pub use vault::{Outcome, Since, Vault, Version};
pub use wacz::{Exported, export_wacz};
