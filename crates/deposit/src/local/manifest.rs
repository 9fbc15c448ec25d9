//! `vault.json`: what says that a folder is a vault, which one, and in what format.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::VaultError;
use crate::warc::instant;

/// The format that this program writes, and the only one that it opens.
const FORMAT: u32 = 1;

/// `vault.json` in bytes, at most: four short members.
const BYTES_MAX: u64 = 4096;

pub(super) const FILE: &str = "vault.json";

/// What becomes `vault.json` once it is whole.
pub(super) const NEW_FILE: &str = "vault.json.new";

/// What `vault.json` says. A folder that has it is a vault, though its index may be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Manifest {
    /// The vault's id: 128 random bits in lower-case hexadecimal. Segments name it, so that one vault's cannot
    /// pass for another's.
    pub id: String,
    /// When the vault was made.
    pub created: Timestamp,
    /// Whether it is a laboratory's: made by a laboratory run, and used by no other ever after.
    pub lab: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    format: u32,
    id: String,
    created: String,
    lab: bool,
}

/// What is read first: a later format may have members that this program does not know.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

impl Manifest {
    pub(super) fn new(created: Timestamp, lab: bool) -> Result<Self, VaultError> {
        let mut random = [0; 16];
        ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut random).map_err(|_| {
            VaultError::io("draw the id of a new vault", Path::new(FILE), io::Error::other("no randomness"))
        })?;
        let id = format!("{:032x}", u128::from_be_bytes(random));
        Ok(Self { id, created, lab })
    }

    /// Reads `vault.json` in `folder`. `None` if there is none.
    pub fn read(folder: &Path) -> Result<Option<Self>, VaultError> {
        let path = folder.join(FILE);
        let text = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(VaultError::io("open", &path, error)),
            Ok(file) => {
                let mut text = String::new();
                io::Read::read_to_string(&mut io::Read::take(file, BYTES_MAX), &mut text)
                    .map_err(|error| VaultError::io("read", &path, error))?;
                text
            }
        };
        let why = "it is not as a vault writes it";
        let unreadable = |_| VaultError::NotAVault { path: path.clone(), why };
        match serde_json::from_str::<Format>(&text).map_err(unreadable)?.format {
            FORMAT => {}
            found => return Err(VaultError::UnknownFormat { path, found, known: FORMAT }),
        }
        let wire: Wire = serde_json::from_str(&text).map_err(unreadable)?;
        let created = wire.created.parse().map_err(|_| VaultError::NotAVault { path, why })?;
        Ok(Some(Self { id: wire.id, created, lab: wire.lab }))
    }

    /// Writes `vault.json` into `folder`, whole or not at all.
    pub(super) fn write(&self, folder: &Path) -> Result<(), VaultError> {
        let path = folder.join(FILE);
        let wire = serde_json::json!({
            "format": FORMAT,
            "id": self.id,
            "created": instant(self.created),
            "lab": self.lab,
        });
        let new = folder.join(NEW_FILE);
        let write = || {
            let mut file = File::create(&new)?;
            writeln!(file, "{wire:#}")?;
            file.sync_all()?;
            fs::rename(&new, &path)?;
            sync_folder(folder)
        };
        write().map_err(|error| VaultError::io("write", &path, error))
    }
}

/// Makes sure that the entries of `folder` are on disk: a new file can be synced and still have no name after
/// a power loss.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
