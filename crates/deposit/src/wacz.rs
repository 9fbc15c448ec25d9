//! A WACZ of what a vault has: one file that replay tools open.

mod index;
mod key;
mod zip;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use releve_proof::Sha256;
use serde_json::{Value, json};

use self::index::{Lines, write_index};
use self::zip::{Open, ZipWriter};
use crate::warc::{Packing, Record, RecordId, instant};
use crate::{Receipt, Since, Unit, Vault, VaultError};

/// The version of the format that is written: <https://specs.webrecorder.net/wacz/1.1.1/>.
const WACZ_VERSION: &str = "1.1.1";

/// The only WARC file in it.
const WARC_FILE: &str = "data.warc.gz";
const WARC_PATH: &str = "archive/data.warc.gz";

/// How many versions are asked of the vault at once.
const PAGE: usize = 1_000;

/// What an export holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exported {
    /// How many units: every version is one.
    pub units: u64,
    /// The length of the file.
    pub bytes: u64,
}

/// Writes what `vault` has `from` there on into a new WACZ at `path`, which is said to be made at `created`.
///
/// The units are in it byte for byte as they were sealed, each with its receipt in the list of pages; the seals
/// themselves stay in the vault, since the chain of some is none. What is withdrawn is left out.
///
/// No more than one unit is held in memory: what has to be sorted is sorted in a temporary database. The file
/// appears under its name once it is whole, and not at all where there is nothing to export; until then it has
/// `.partial` behind its name.
///
/// Errors: there is a file of either name already, another export's perhaps, it cannot be written, or the vault cannot
/// be read.
pub fn export_wacz(
    vault: &dyn Vault,
    from: &Since,
    created: Timestamp,
    path: &Path,
) -> Result<Exported, VaultError> {
    let failed = |error| VaultError::io("write", path, error);
    if path.exists() {
        return Err(failed(io::ErrorKind::AlreadyExists.into()));
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    // Never one that was there: it may be anybody's.
    let file = File::create_new(&partial).map_err(|error| VaultError::io("create", &partial, error))?;
    let whole = write(vault, from, created, file, &partial).and_then(|exported| match exported.units {
        0 => Ok(Exported::default()),
        _ => fs::rename(&partial, path).map_err(failed).map(|()| exported),
    });
    if !matches!(whole, Ok(Exported { units: 1.., .. })) {
        // Whatever is in the way of removing it has been in the way of writing it.
        let _ = fs::remove_file(&partial);
    }
    whole
}

fn write(
    vault: &dyn Vault,
    from: &Since,
    created: Timestamp,
    file: File,
    path: &Path,
) -> Result<Exported, VaultError> {
    let failed = |error| VaultError::io("write", path, error);
    let mut package = Package { zip: ZipWriter::new(file), resources: Vec::new() };
    let mut lines = Lines::new().map_err(|error| VaultError::sql("sort", path, error))?;
    let mut units = 0;

    let mut archive = package.entry(WARC_PATH).map_err(failed)?;
    archive.write_all(&warcinfo(created)).map_err(failed)?;
    let mut since = from.clone();
    loop {
        let versions = vault.list(&since, PAGE)?;
        for version in &versions {
            let unit = match vault.read(version.receipt.digest) {
                // Withdrawn since it was listed.
                Err(VaultError::Withdrawn { .. }) => continue,
                Ok(None) => return Err(missing(&version.receipt)),
                read => read?,
            };
            let Some(unit) = unit else { continue };
            let offset = archive.open.bytes();
            archive.write_all(unit.bytes()).map_err(failed)?;
            let page = page(&unit, &version.receipt);
            lines
                .add(&index::line(&unit, WARC_FILE, offset), &page.to_string())
                .map_err(|error| VaultError::sql("sort", path, error))?;
            units += 1;
        }
        match versions.last() {
            Some(last) if versions.len() == PAGE => since.sequence = last.receipt.sequence,
            _ => break,
        }
    }
    archive.end().map_err(failed)?;

    write_index(&mut package, &lines).map_err(failed)?;
    let mut pages = BufWriter::new(package.entry("pages/pages.jsonl").map_err(failed)?);
    let head = json!({ "format": "json-pages-1.0", "id": "pages", "title": "All Pages" });
    writeln!(pages, "{head}").map_err(failed)?;
    lines.pages(&mut |page| writeln!(pages, "{page}")).map_err(failed)?;
    pages.into_inner().map_err(io::Error::from).and_then(Entry::end).map_err(failed)?;

    let file = package.finish(created).and_then(|file| file.sync_all().map(|()| file)).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    Ok(Exported { units, bytes })
}

fn missing(receipt: &Receipt) -> VaultError {
    VaultError::Store {
        action: format!("read the unit {}", receipt.digest),
        source: "the vault lists it and does not have it: verify the vault".into(),
    }
}

/// One line of the list of pages. The title is the headline as it was copied; where there is none, none is made.
fn page(unit: &Unit, receipt: &Receipt) -> Value {
    let mut page = json!({
        "id": unit.digest().to_string(),
        "url": unit.address().as_str(),
        "ts": instant(unit.read_at()),
        "source": unit.key().source(),
        "identifier": unit.key().identifier(),
        "receipt": receipt.to_json(),
    });
    let headline = unit.article_json().pointer("/content/descriptor/headline/text");
    if let (Some(headline), Some(members)) = (headline, page.as_object_mut()) {
        members.insert("title".to_owned(), headline.clone());
    }
    page
}

fn warcinfo(created: Timestamp) -> Vec<u8> {
    let block = format!(
        "software: {}\r\n\
         format: WARC File Format 1.1\r\n\
         conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n",
        software()
    );
    let digest = Sha256::of(block.as_bytes());
    let mut bytes = Vec::with_capacity(1024);
    Record {
        kind: "warcinfo",
        id: RecordId::from_digest(&digest),
        date: created,
        fields: vec![("WARC-Filename", WARC_FILE.to_owned())],
        media_type: "application/warc-fields",
        block: block.as_bytes(),
        digest,
    }
    .append_to(&mut bytes, Packing::Deflated);
    bytes
}

fn software() -> String {
    format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
}

/// The file that is being written: entries one after the other, then `datapackage.json`, which names them all.
struct Package {
    zip: ZipWriter,
    resources: Vec<Value>,
}

/// An entry that is being written, with its digest. A reader can fetch a part of it, since it is stored as it is.
struct Entry<'a> {
    package: &'a mut Package,
    path: &'static str,
    open: Open,
    context: ring::digest::Context,
}

impl Package {
    fn entry(&mut self, path: &'static str) -> io::Result<Entry<'_>> {
        let open = self.zip.begin(path)?;
        let context = ring::digest::Context::new(&ring::digest::SHA256);
        Ok(Entry { package: self, path, open, context })
    }

    fn finish(mut self, created: Timestamp) -> io::Result<File> {
        const PATH: &str = "datapackage.json";
        let description = json!({
            "profile": "data-package",
            "wacz_version": WACZ_VERSION,
            "software": software(),
            "created": format!("{created:.0}"),
            "resources": std::mem::take(&mut self.resources),
        });
        let description = format!("{description:#}\n");
        let digest = json!({ "path": PATH, "hash": hash(&Sha256::of(description.as_bytes())) });
        for (path, text) in [(PATH, description), ("datapackage-digest.json", format!("{digest:#}\n"))] {
            let mut entry = self.entry(path)?;
            entry.write_all(text.as_bytes())?;
            entry.end()?;
        }
        self.zip.finish()
    }
}

impl Entry<'_> {
    /// Ends the entry, and puts it among those that `datapackage.json` names.
    fn end(self) -> io::Result<()> {
        let digest = self.context.finish();
        let digest = digest.as_ref().try_into().map(Sha256::from_bytes).map_err(io::Error::other)?;
        self.package.resources.push(json!({
            "name": self.path.rsplit('/').next(),
            "path": self.path,
            "hash": hash(&digest),
            "bytes": self.open.bytes(),
        }));
        self.package.zip.end(self.open)
    }
}

impl Write for Entry<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.package.zip.append(&mut self.open, bytes)?;
        self.context.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn hash(digest: &Sha256) -> String {
    format!("sha256:{digest}")
}
