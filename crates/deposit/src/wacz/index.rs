//! The index of a WACZ: CDXJ lines in their order, packed in blocks, and an index of the blocks.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use releve_proof::Sha256;
use rusqlite::{Connection, params};
use serde_json::json;

use super::key::search_key;
use super::{Package, hash};
use crate::Unit;

/// How many lines are packed together: a reader unpacks as many to find one. What py-wacz writes.
const BLOCK_LINES: usize = 3_000;

const FILE: &str = "index.cdx.gz";
const PATH: &str = "indexes/index.cdx.gz";

/// The CDXJ line of a unit's envelope, which is what is replayed. The unit begins at `offset` of the WARC file.
///
/// Of text and proof there is no line: they have no address that a reader could ask for.
pub(super) fn line(unit: &Unit, warc_file: &str, offset: u64) -> String {
    let [resource, ..] = unit.records();
    let media_type = unit.media_type().split(';').next().unwrap_or_default().trim();
    let fields = json!({
        "url": unit.address().as_str(),
        "mime": media_type,
        "status": "200",
        "digest": hash(&Sha256::of(unit.envelope())),
        "length": resource.len().to_string(),
        "offset": offset.to_string(),
        "filename": warc_file,
    });
    let at = jiff::tz::TimeZone::UTC.to_datetime(unit.read_at()).strftime("%Y%m%d%H%M%S");
    format!("{} {at} {fields}", search_key(unit.address()))
}

/// Lines that are to be sorted: more than memory may hold. The database is a temporary file, or several, which
/// go with it.
pub(super) struct Lines(Connection);

impl Lines {
    pub(super) fn new() -> rusqlite::Result<Self> {
        // An empty name is SQLite's for a temporary database on disk.
        let connection = Connection::open("")?;
        connection.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
             CREATE TABLE line (line TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
             CREATE TABLE page (page TEXT NOT NULL) STRICT;
             BEGIN;",
        )?;
        Ok(Self(connection))
    }

    /// A line of the index, and one of the list of pages.
    pub(super) fn add(&mut self, line: &str, page: &str) -> rusqlite::Result<()> {
        self.0.prepare_cached("INSERT INTO line VALUES (?1)")?.execute([line])?;
        self.0.prepare_cached("INSERT INTO page VALUES (?1)")?.execute([page])?;
        Ok(())
    }

    /// The pages, in the order in which they came.
    pub(super) fn pages(&self, visit: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        self.each("SELECT page FROM page ORDER BY rowid", visit)
    }

    /// The index's lines, byte by byte in their order.
    fn sorted(&self, visit: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        self.each("SELECT line FROM line ORDER BY line", visit)
    }

    fn each(&self, sql: &str, visit: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        let mut statement = self.0.prepare(sql).map_err(io::Error::other)?;
        let mut rows = statement.query(params![]).map_err(io::Error::other)?;
        while let Some(row) = rows.next().map_err(io::Error::other)? {
            let text = row.get_ref(0).map_err(io::Error::other)?.as_str().map_err(io::Error::other)?;
            visit(text)?;
        }
        Ok(())
    }
}

/// Writes `indexes/index.cdx.gz` and, beside it, where each of its blocks begins.
pub(super) fn write_index(package: &mut Package, lines: &Lines) -> io::Result<()> {
    let mut blocks = Blocks {
        out: package.entry(PATH)?,
        packer: GzEncoder::new(Vec::new(), Compression::default()),
        lines: 0,
        first: String::new(),
        begins: Vec::new(),
    };
    writeln!(blocks.begins, "!meta 0 {}", json!({ "format": "cdxj-gzip-1.0", "filename": FILE }))?;
    lines.sorted(&mut |line| blocks.add(line))?;
    blocks.flush()?;
    let Blocks { out, begins, .. } = blocks;
    out.end()?;
    let mut out = package.entry("indexes/index.idx")?;
    out.write_all(&begins)?;
    out.end()
}

struct Blocks<'a> {
    out: super::Entry<'a>,
    packer: GzEncoder<Vec<u8>>,
    /// How many lines there are in the packer.
    lines: usize,
    /// Key and instant of the first of them.
    first: String,
    /// The index of the blocks.
    begins: Vec<u8>,
}

impl Blocks<'_> {
    fn add(&mut self, line: &str) -> io::Result<()> {
        if self.lines == 0 {
            let fields = line.find(" {").unwrap_or(line.len());
            line.get(..fields).unwrap_or(line).clone_into(&mut self.first);
        }
        writeln!(self.packer, "{line}")?;
        self.lines += 1;
        if self.lines == BLOCK_LINES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.lines == 0 {
            return Ok(());
        }
        let empty = GzEncoder::new(Vec::new(), Compression::default());
        let block = std::mem::replace(&mut self.packer, empty).finish()?;
        let place = json!({ "offset": self.out.open.bytes(), "length": block.len(), "digest": hash(&Sha256::of(&block)) });
        writeln!(self.begins, "{} {place}", self.first)?;
        self.out.write_all(&block)?;
        self.lines = 0;
        Ok(())
    }
}
