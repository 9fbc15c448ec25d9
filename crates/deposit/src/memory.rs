//! The vault in memory.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use releve_proof::Sha256;

use crate::admission::{Admission, already_sealed, whole_millisecond};
use crate::seal::Seal;
use crate::{ArticleKey, Clock, DepositError, Outcome, Receipt, Since, Unit, Vault, VaultError, Version};

/// A vault that lasts as long as the process: for tests and trials. It refuses and seals as every vault does.
pub struct MemoryVault {
    admission: Admission,
    clock: Clock,
    sealed: Mutex<Sealed>,
}

#[derive(Default)]
struct Sealed {
    /// In the order of their sequences, which are 1, 2, 3 and so on.
    versions: Vec<Version>,
    units: HashMap<Sha256, Unit>,
}

impl MemoryVault {
    /// An empty vault.
    pub fn new(admission: Admission, clock: Clock) -> Self {
        Self { admission, clock, sealed: Mutex::default() }
    }

    fn sealed(&self) -> MutexGuard<'_, Sealed> {
        self.sealed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sealed {
    fn keys(&self, of: impl Fn(&Version) -> bool) -> Vec<ArticleKey> {
        let keys = self.versions.iter().filter(|version| of(version)).map(|version| version.key.clone());
        keys.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn receipt(&self, unit: &Unit) -> Option<Receipt> {
        self.versions.iter().map(|version| version.receipt).find(|receipt| receipt.digest == unit.digest())
    }

    fn last_version(&self, key: &ArticleKey) -> Option<&Version> {
        self.versions.iter().rev().find(|version| version.key == *key)
    }
}

impl Vault for MemoryVault {
    fn deposit(&self, unit: &Unit) -> Result<Outcome, DepositError> {
        let received_at = whole_millisecond((self.clock)());
        if self.sealed().receipt(unit).is_none() {
            self.admission.check(unit, received_at)?;
        }
        let mut sealed = self.sealed();
        let last = sealed.last_version(unit.key());
        if let Some(receipt) = already_sealed(unit, sealed.receipt(unit), last)? {
            return Ok(Outcome::AlreadySealed(receipt));
        }
        let number = last.map_or(1, |last| last.number + 1);
        let before = sealed.versions.last().map(|version| version.receipt);
        let seal = Seal {
            sequence: before.map_or(1, |receipt| receipt.sequence + 1),
            unit: unit.digest(),
            received_at,
            previous: before.map(|receipt| receipt.seal),
            segment: Sha256::of(b"memory"),
            synced: before.map_or(0, |receipt| receipt.sequence),
        };
        let receipt = seal.receipt(&seal.encode());
        sealed.versions.push(Version::new(unit, number, receipt));
        sealed.units.insert(unit.digest(), unit.clone());
        Ok(Outcome::Sealed(receipt))
    }

    fn last_version(&self, key: &ArticleKey) -> Result<Option<Version>, VaultError> {
        Ok(self.sealed().last_version(key).cloned())
    }

    fn versions(&self, key: &ArticleKey) -> Result<Vec<Version>, VaultError> {
        Ok(self.sealed().versions.iter().filter(|version| version.key == *key).cloned().collect())
    }

    fn with_identifier(&self, identifier: &str) -> Result<Vec<ArticleKey>, VaultError> {
        Ok(self.sealed().keys(|version| version.key.identifier() == identifier))
    }

    fn at_address(&self, address: &str) -> Result<Vec<ArticleKey>, VaultError> {
        Ok(self.sealed().keys(|version| version.address == address))
    }

    fn list(&self, since: &Since, count_max: usize) -> Result<Vec<Version>, VaultError> {
        Ok(self
            .sealed()
            .versions
            .iter()
            .filter(|version| since.includes(version))
            .take(count_max)
            .cloned()
            .collect())
    }

    fn read(&self, digest: Sha256) -> Result<Option<Unit>, VaultError> {
        Ok(self.sealed().units.get(&digest).cloned())
    }
}
