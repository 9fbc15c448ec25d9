//! From flags and files to the adapters that a command works with.

use std::fmt::Display;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use releve_deposit::{Admission, LocalOptions, LocalVault, Manifest, Vault, VaultError};
use releve_fetch::{AccessHeader, Clock, HttpsFetch, LabFile, Network};
use releve_ledger::{Ledger, LedgerErrorKind, MemoryLedger, Realm, SqliteLedger, State, ThisMachine};
use releve_proof::RootSet;
use releve_source::{Connector, File, Source, VaultAt, parse_connector, parse_sources};
use releve_vault_http::{HttpVault, HttpVaultOptions};

use crate::cli::Global;
use crate::clock::SystemClock;

/// The configuration, parsed, and what follows from it.
pub(crate) struct World {
    /// The folder that the configuration's paths are relative to.
    pub(crate) base: PathBuf,
    /// The connector's own configuration.
    pub(crate) connector: Connector,
    /// The folder with a file for each source.
    pub(crate) sources_folder: PathBuf,
    /// The sources, in the order of their names.
    pub(crate) sources: Vec<Source>,
    /// What is likely not meant.
    pub(crate) warnings: Vec<String>,
    /// The time.
    pub(crate) clock: Arc<dyn Clock>,
    /// The lab, where the run is one.
    pub(crate) lab: Option<LabRun>,
}

/// A lab's file and its root.
pub(crate) struct LabRun {
    /// Names, addresses, clock.
    pub(crate) file: LabFile,
    /// The root, as PEM.
    pub(crate) root: Vec<u8>,
}

/// The vault that passes deposit to.
pub(crate) struct Deposits {
    /// The vault.
    pub(crate) vault: Arc<dyn Vault>,
    /// Its folder or its address.
    pub(crate) place: String,
    /// Its id.
    pub(crate) id: String,
    /// Its last seal's sequence.
    pub(crate) sequence: u64,
}

impl World {
    /// Reads the configuration and the sources, and the lab file if one is named.
    pub(crate) fn load(global: &Global) -> Result<Self> {
        let lab = global.lab.as_deref().map(load_lab).transpose()?;
        let offset = lab.as_ref().map_or(jiff::SignedDuration::ZERO, |lab| lab.file.clock());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new(offset));

        let path = &global.config;
        let text = fs::read(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                anyhow!(
                    "there is no configuration at {}; `releve init` writes one to begin with",
                    path.display()
                )
            }
            _ => anyhow!(error).context(format!("cannot read {}", path.display())),
        })?;
        let base = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let name = path.display().to_string();
        let parsed = parse_connector(File { name: &name, text: &text });
        // The sources are read even so, so that everything that is wrong is said at once.
        let (connector, mut problems) = match parsed {
            Ok(parsed) => (Some(parsed), None),
            Err(found) => (None, Some(found)),
        };
        let folder =
            base.join(connector.as_ref().map_or(Path::new("sources"), |parsed| &parsed.value.sources));
        let files = source_files(&folder)?;
        let files: Vec<File<'_>> = files.iter().map(|(name, text)| File { name, text }).collect();
        let bounds = connector.as_ref().map(|parsed| parsed.value.bounds).unwrap_or_default();
        let sources = match parse_sources(&files, &bounds) {
            Ok(sources) => Some(sources),
            Err(found) => {
                problems = Some(match problems {
                    Some(before) => before.and(found),
                    None => found,
                });
                None
            }
        };
        let (Some(connector), Some(sources)) = (connector, sources) else {
            let problems = problems.map(|problems| problems.to_string()).unwrap_or_default();
            bail!("the configuration cannot be used:\n{problems}");
        };
        let warnings = connector.warnings.iter().chain(&sources.warnings).map(ToString::to_string).collect();
        let mut sources = sources.value;
        sources.sort_by(|one, other| one.name().cmp(other.name()));
        let world =
            Self { base, connector: connector.value, sources_folder: folder, sources, warnings, clock, lab };
        world.check_lab_hosts()?;
        Ok(world)
    }

    /// The source of this name.
    pub(crate) fn source(&self, name: &str) -> Result<&Source> {
        self.sources.iter().find(|source| source.name().as_str() == name).ok_or_else(|| {
            let names: Vec<_> = self.sources.iter().map(|source| source.name().as_str()).collect();
            match names.as_slice() {
                [] => anyhow!("there is no source `{name}`: no source is configured"),
                names => anyhow!("there is no source `{name}`; there are {}", names.join(", ")),
            }
        })
    }

    /// The sources of these names; all of them, if none is named.
    pub(crate) fn select(&self, names: &[String]) -> Result<Vec<Source>> {
        if names.is_empty() {
            return Ok(self.sources.clone());
        }
        let mut sources: Vec<Source> =
            names.iter().map(|name| self.source(name).cloned()).collect::<Result<_>>()?;
        sources.sort_by(|one, other| one.name().cmp(other.name()));
        sources.dedup_by(|one, other| one.name() == other.name());
        Ok(sources)
    }

    /// Opens the ledger, and makes one where there is none.
    pub(crate) fn ledger(&self) -> Result<SqliteLedger> {
        let path = self.ledger_file();
        SqliteLedger::open_or_create(&path, self.realm(), Arc::new(ThisMachine::look()))
            .with_context(|| format!("cannot use the ledger {}", path.display()))
    }

    /// Opens the ledger to look at it. Where there is none nothing is known, and none is made: an empty one stands for it.
    pub(crate) fn known(&self) -> Result<Box<dyn Ledger>> {
        let path = self.ledger_file();
        match SqliteLedger::open(&path, self.realm(), Arc::new(ThisMachine::look())) {
            Ok(ledger) => Ok(Box::new(ledger)),
            Err(error) if error.kind() == LedgerErrorKind::Missing => Ok(Box::new(MemoryLedger::new())),
            Err(error) => Err(error).with_context(|| format!("cannot use the ledger {}", path.display())),
        }
    }

    /// Whether anything was ever read: if so there is a ledger.
    pub(crate) fn has_ledger(&self) -> bool {
        self.ledger_file().exists()
    }

    fn ledger_file(&self) -> PathBuf {
        self.base.join(&self.connector.ledger)
    }

    fn realm(&self) -> Realm {
        if self.lab.is_some() { Realm::Lab } else { Realm::Publishers }
    }

    /// The vault that passes deposit to, wherever it is. A folder is made where there is none, unless something is known as
    /// sealed.
    pub(crate) fn deposits(&self, ledger: &dyn Ledger) -> Result<Deposits> {
        let Some(vault) = self.network_vault()? else {
            let folder = self.vault_folder()?;
            if Manifest::read(&folder)?.is_none() {
                self.belongs(ledger, &folder.display(), None)?;
            }
            let vault = self.vault()?;
            return Ok(Deposits {
                place: vault.folder().display().to_string(),
                id: vault.id().to_owned(),
                sequence: vault.head()?.map_or(0, |(sequence, _)| sequence),
                vault: Arc::new(vault),
            });
        };
        let head = vault.head()?;
        if head.is_lab != self.lab.is_some() {
            let path = vault.address().into();
            return Err(VaultError::LabMismatch { path, vault_is_lab: head.is_lab }.into());
        }
        Ok(Deposits {
            place: vault.address().to_owned(),
            id: head.vault,
            sequence: head.sequence,
            vault: Arc::new(vault),
        })
    }

    /// What the ledger knows as sealed must be in the vault of this id, if there is one: one that was moved, or is not mounted, is
    /// not silently begun anew, because what is missing from it would never be read again.
    pub(crate) fn belongs(&self, ledger: &dyn Ledger, place: &dyn Display, id: Option<&str>) -> Result<()> {
        for source in &self.sources {
            let sealed = ledger.list(source.name().as_str(), State::Sealed, None, 1)?;
            let Some(sealed) = sealed.first().and_then(|entry| entry.sealed.as_ref()) else { continue };
            match id {
                Some(id) if sealed.receipt.vault == id => {}
                Some(_) => bail!(
                    "{place} is another vault than the one that the ledger knows as holding what was sealed; is the right one \
                     mounted? To begin anew with this vault, move the ledger away"
                ),
                None => bail!(
                    "there is no vault in {place}, and the ledger knows one as holding what was sealed; is it mounted? To begin \
                     anew, move the ledger away"
                ),
            }
        }
        Ok(())
    }

    /// The vault, if it is on the network, with its key read and its authority; nothing is sent yet.
    pub(crate) fn network_vault(&self) -> Result<Option<HttpVault>> {
        let VaultAt::Network { address, key, ca } = &self.connector.vault else { return Ok(None) };
        let cannot_use = || format!("the vault {address} cannot be used");
        let secret = key.read(environment, |path| fs::read(self.base.join(path))).with_context(cannot_use)?;
        let key = secret.expose().parse().with_context(|| format!("{key} holds no connector key"))?;
        let authority = |path: &PathBuf| {
            fs::read(self.base.join(path)).with_context(|| format!("cannot read {}", path.display()))
        };
        let clock = Arc::clone(&self.clock);
        HttpVault::new(HttpVaultOptions {
            address: address.clone(),
            key,
            authority_pem: ca.as_ref().map(authority).transpose()?,
            clock: Arc::new(move || clock.now()),
        })
        .map(Some)
        .with_context(cannot_use)
    }

    /// Opens the vault, and makes one where there is none.
    pub(crate) fn vault(&self) -> Result<LocalVault> {
        let path = self.vault_folder()?;
        LocalVault::open_or_create(&path, self.vault_options()?)
            .with_context(|| format!("cannot use the vault {}", path.display()))
    }

    /// Opens the vault, which must be there.
    pub(crate) fn existing_vault(&self) -> Result<LocalVault> {
        let path = self.vault_folder()?;
        LocalVault::open(&path, self.vault_options()?)
            .with_context(|| format!("cannot use the vault {}", path.display()))
    }

    /// The folder and the id of a vault of which only segments and `vault.json` need be left: a copy, say, without an index
    /// and without the right to write.
    pub(crate) fn bare_vault(&self) -> Result<(PathBuf, String)> {
        let folder = self.vault_folder()?;
        let bare = || match Manifest::read(&folder)? {
            None => Err(VaultError::Missing { path: folder.clone() }),
            Some(Manifest { lab, .. }) if lab != self.lab.is_some() => {
                Err(VaultError::LabMismatch { path: folder.clone(), vault_is_lab: lab })
            }
            Some(manifest) => Ok(manifest.id),
        };
        let id = bare().with_context(|| format!("cannot use the vault {}", folder.display()))?;
        Ok((folder, id))
    }

    /// The vault's folder.
    pub(crate) fn vault_folder(&self) -> Result<PathBuf> {
        match &self.connector.vault {
            VaultAt::Folder(folder) => Ok(self.base.join(folder)),
            VaultAt::Network { address, .. } => {
                bail!("the vault {address} is on the network: do this on the machine that has its folder")
            }
        }
    }

    fn vault_options(&self) -> Result<LocalOptions> {
        let clock = Arc::clone(&self.clock);
        let mut admission = Admission::new(self.roots()?);
        admission.window = self.connector.deposit_within;
        admission.lab = self.lab.is_some();
        Ok(LocalOptions::new(admission, Arc::new(move || clock.now())))
    }

    /// The certificate authorities that are recognised.
    pub(crate) fn roots(&self) -> Result<RootSet> {
        match &self.lab {
            None => RootSet::current().context("the built-in list of certificate authorities cannot be read"),
            Some(lab) => RootSet::from_pem("lab", &lab.root).context("the lab's root cannot be used"),
        }
    }

    /// What requests go over.
    pub(crate) fn fetch(&self) -> Result<HttpsFetch> {
        let network = match &self.lab {
            None => Network::internet(),
            Some(lab) => Network::lab(&lab.file, &lab.root)?,
        };
        Ok(HttpsFetch::new(network, Arc::clone(&self.clock)))
    }

    /// The source's access header, where it has one. The secret is read here and nowhere else (R4).
    pub(crate) fn access(&self, source: &Source) -> Result<Option<AccessHeader>> {
        let Some(spec) = source.way().access() else { return Ok(None) };
        let secret = spec
            .secret
            .read(environment, |path| fs::read(self.base.join(path)))
            .with_context(|| format!("the source `{}` cannot be read", source.name()))?;
        AccessHeader::new(spec.header.as_str(), &spec.prefix, secret.expose(), &spec.host, spec.port)
            .map(Some)
            .with_context(|| format!("the source `{}` cannot be read", source.name()))
    }

    /// A lab run reaches only what its file lists, and says so before it begins.
    fn check_lab_hosts(&self) -> Result<()> {
        let Some(lab) = &self.lab else { return Ok(()) };
        for source in &self.sources {
            for entry in source.hosts().entries() {
                let (host, port) = entry.split_once(':').unwrap_or((&entry, "443"));
                let listed = port.parse().is_ok_and(|port| lab.file.address(host, port).is_some());
                if !listed {
                    bail!(
                        "this is a lab run, and the source `{}` admits {entry}, which the lab file does not list",
                        source.name()
                    );
                }
            }
        }
        Ok(())
    }
}

/// The account that runs this, as it is put on record beside a decision.
#[expect(
    clippy::disallowed_methods,
    reason = "the account's name comes from the environment, and this is the binary"
)]
pub(crate) fn account() -> String {
    std::env::var("LOGNAME")
        .ok()
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}

#[expect(clippy::disallowed_methods, reason = "secrets come from the environment, and this is the binary")]
fn environment(name: &str) -> Option<Vec<u8>> {
    std::env::var_os(name).map(std::ffi::OsString::into_vec)
}

fn load_lab(path: &Path) -> Result<LabRun> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read the lab file {}", path.display()))?;
    let file: LabFile =
        text.parse().with_context(|| format!("the lab file {} cannot be used", path.display()))?;
    let root = path.parent().unwrap_or(Path::new(".")).join(file.root());
    let root = fs::read(&root).with_context(|| format!("cannot read the lab's root {}", root.display()))?;
    Ok(LabRun { file, root })
}

/// The configuration files in a folder: name and content, in the order of their names.
pub(crate) fn source_files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bail!("there is no folder {}, where the sources should be", folder.display())
        }
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read the folder {}", folder.display()));
        }
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read the folder {}", folder.display()))?.path();
        // Editors keep their own files beside those that they edit, hidden.
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !is_hidden && path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path: &PathBuf| {
        let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok((path.display().to_string(), text))
    };
    paths.iter().map(read).collect()
}
