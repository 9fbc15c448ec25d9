//! The public suite, over a vault that lies behind a socket.

use releve_deposit::testing::suite;
use releve_deposit::{ArticleKey, DepositError, Outcome, Since, Unit, Vault, VaultError, Version};
use releve_proof::Sha256;
use releve_vault_http::{Bounds, HttpVault};

use crate::tools::Served;

/// A client, and the server that it speaks to.
struct Networked {
    client: HttpVault,
    _served: Served,
}

impl Vault for Networked {
    fn deposit(&self, unit: &Unit) -> Result<Outcome, DepositError> {
        self.client.deposit(unit)
    }

    fn takes(&self, source: &str) -> Result<(), DepositError> {
        self.client.takes(source)
    }

    fn last_version(&self, key: &ArticleKey) -> Result<Option<Version>, VaultError> {
        self.client.last_version(key)
    }

    fn versions(&self, key: &ArticleKey) -> Result<Vec<Version>, VaultError> {
        self.client.versions(key)
    }

    fn with_identifier(&self, identifier: &str) -> Result<Vec<ArticleKey>, VaultError> {
        self.client.with_identifier(identifier)
    }

    fn at_address(&self, address: &str) -> Result<Vec<ArticleKey>, VaultError> {
        self.client.at_address(address)
    }

    fn list(&self, from: &Since, count_max: usize) -> Result<Vec<Version>, VaultError> {
        self.client.list(from, count_max)
    }

    fn read(&self, digest: Sha256) -> Result<Option<Unit>, VaultError> {
        self.client.read(digest)
    }
}

#[test]
fn network_vault() {
    suite(&|admission, clock| {
        let served = Served::new(admission, clock, Bounds::default());
        Box::new(Networked { client: served.client(), _served: served })
    });
}
