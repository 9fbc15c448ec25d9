use std::io;

/// Why a server or a client could not be set up. What is refused or fails later is a
/// [`DepositError`](releve_deposit::DepositError) or a [`VaultError`](releve_deposit::VaultError).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The PEM text of the certificate, or of the authority, holds none, or one that is not valid.
    #[error("the certificate cannot be used: {why}")]
    Certificate {
        /// What is wrong with it.
        why: String,
    },
    /// The PEM text of the private key holds none, or one that does not belong to the certificate.
    #[error("the certificate's private key cannot be used: {why}")]
    PrivateKey {
        /// What is wrong with it. Nothing of the key is in it.
        why: String,
    },
    /// The vault's address has a query.
    #[error("{address} cannot be a vault's address: leave out what follows the question mark")]
    Address {
        /// The address.
        address: String,
    },
    /// The system gave no thread to work on.
    #[error("could not start a thread for the vault's connections")]
    Thread(#[source] io::Error),
}
