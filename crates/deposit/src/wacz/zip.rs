//! A ZIP file of entries that are stored, not compressed (PKWARE APPNOTE 6.3).

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write};

use flate2::Crc;

/// What a field of 32 bits says where the true number has a field of 64 bits elsewhere (4.3.9.2).
const IS_ELSEWHERE: u32 = u32::MAX;

/// The version of the format that a reader has to know: with 64-bit lengths (4.4.3.2).
const VERSION: u16 = 45;

/// Names are UTF-8 (4.4.4, bit 11).
const FLAGS: u16 = 1 << 11;

/// The first of January 1980, midnight: the format has no way to give no date (4.4.6).
const DATE: u16 = 1 << 5 | 1;

/// Where in a local header the checksum is.
const CHECKSUM_AT: u64 = 14;

/// The fixed part of a local header.
const LOCAL_BYTES: u64 = 30;

pub(super) struct ZipWriter {
    file: File,
    /// How much was written.
    at: u64,
    directory: Vec<Item>,
}

struct Item {
    name: &'static str,
    offset: u64,
    bytes: u64,
    crc: u32,
}

/// An entry that is being written.
pub(super) struct Open {
    name: &'static str,
    offset: u64,
    bytes: u64,
    crc: Crc,
}

impl Open {
    /// How much was written to it.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl ZipWriter {
    /// Writes into an empty file.
    pub(super) fn new(file: File) -> Self {
        Self { file, at: 0, directory: Vec::new() }
    }

    /// Begins an entry. Its length and checksum are filled in when it has come to its end.
    pub(super) fn begin(&mut self, name: &'static str) -> io::Result<Open> {
        let offset = self.at;
        let mut header = Vec::with_capacity(64);
        put(&mut header, &[0x0403_4b50]);
        put16(&mut header, &[VERSION, FLAGS, 0, 0, DATE]);
        put(&mut header, &[0, IS_ELSEWHERE, IS_ELSEWHERE]);
        put16(&mut header, &[length(name.len())?, 20]);
        header.extend_from_slice(name.as_bytes());
        put64(&mut header, &[0, 0]);
        self.write(&header)?;
        Ok(Open { name, offset, bytes: 0, crc: Crc::new() })
    }

    pub(super) fn append(&mut self, open: &mut Open, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes)?;
        open.bytes += bytes.len() as u64;
        open.crc.update(bytes);
        Ok(())
    }

    pub(super) fn end(&mut self, open: Open) -> io::Result<()> {
        let Open { name, offset, bytes, crc } = open;
        let crc = crc.sum();
        self.file.seek(SeekFrom::Start(offset + CHECKSUM_AT))?;
        self.file.write_all(&crc.to_le_bytes())?;
        self.file.seek(SeekFrom::Start(offset + LOCAL_BYTES + name.len() as u64))?;
        let mut lengths = Vec::with_capacity(20);
        put64(&mut lengths, &[bytes, bytes]);
        self.file.write_all(&lengths)?;
        self.file.seek(SeekFrom::Start(self.at))?;
        self.directory.push(Item { name, offset, bytes, crc });
        Ok(())
    }

    /// Writes the directory, and returns the file.
    pub(super) fn finish(mut self) -> io::Result<File> {
        let start = self.at;
        let mut directory = Vec::with_capacity(1024);
        for Item { name, offset, bytes, crc } in &self.directory {
            // The three of them are in 64 bits if one has to be.
            let short = |number: u64| u32::try_from(number).ok().filter(|number| *number != IS_ELSEWHERE);
            let both = short(*bytes).zip(short(*offset));
            let (bytes32, offset32) = both.unwrap_or((IS_ELSEWHERE, IS_ELSEWHERE));
            put(&mut directory, &[0x0201_4b50]);
            put16(&mut directory, &[VERSION, VERSION, FLAGS, 0, 0, DATE]);
            put(&mut directory, &[*crc, bytes32, bytes32]);
            put16(&mut directory, &[length(name.len())?, if both.is_some() { 0 } else { 28 }, 0, 0, 0]);
            put(&mut directory, &[0, offset32]);
            directory.extend_from_slice(name.as_bytes());
            if both.is_none() {
                put64(&mut directory, &[*bytes, *bytes, *offset]);
            }
        }
        let count = self.directory.len() as u64;
        let directory_bytes = directory.len() as u64;
        self.write(&directory)?;

        // The end of the directory in 64 bits, where that end is, and the old end, which says to look there.
        let end = self.at;
        let mut tail = Vec::with_capacity(128);
        put(&mut tail, &[0x0606_4b50]);
        tail.extend_from_slice(&44_u64.to_le_bytes());
        put16(&mut tail, &[VERSION, VERSION]);
        put(&mut tail, &[0, 0]);
        for number in [count, count, directory_bytes, start] {
            tail.extend_from_slice(&number.to_le_bytes());
        }
        put(&mut tail, &[0x0706_4b50, 0]);
        tail.extend_from_slice(&end.to_le_bytes());
        put(&mut tail, &[1, 0x0605_4b50]);
        put16(&mut tail, &[0, 0, length(self.directory.len())?, length(self.directory.len())?]);
        put(&mut tail, &[u32::try_from(directory_bytes).unwrap_or(IS_ELSEWHERE), IS_ELSEWHERE]);
        put16(&mut tail, &[0]);
        self.write(&tail)?;
        Ok(self.file)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

fn length(bytes: usize) -> io::Result<u16> {
    u16::try_from(bytes).map_err(io::Error::other)
}

fn put16(out: &mut Vec<u8>, numbers: &[u16]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put(out: &mut Vec<u8>, numbers: &[u32]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// An extra field with numbers in 64 bits (4.5.3).
fn put64(out: &mut Vec<u8>, numbers: &[u64]) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    // Three numbers at most.
    put16(out, &[1, u16::try_from(bytes.len()).unwrap_or_default()]);
    out.extend_from_slice(&bytes);
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A file of more than 4 GiB, most of it a hole: what lies behind has its place in 64 bits.
    #[test]
    #[allow(clippy::disallowed_methods, reason = "whether a tool may be missing, the environment says")]
    fn python_reads_what_lies_behind_four_gibibytes() {
        const HOLE: u64 = 5 << 30;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.zip");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        let mut large = zip.begin("large").unwrap();
        zip.append(&mut large, b"begins").unwrap();
        zip.file.seek(SeekFrom::Current(i64::try_from(HOLE).unwrap())).unwrap();
        zip.at += HOLE;
        large.bytes += HOLE;
        zip.end(large).unwrap();
        let mut small = zip.begin("small").unwrap();
        zip.append(&mut small, b"behind").unwrap();
        zip.end(small).unwrap();
        zip.finish().unwrap();

        let script = "import sys, zipfile
zip = zipfile.ZipFile(sys.argv[1])
print([(item.filename, item.file_size) for item in zip.infolist()], zip.open('large').read(6), zip.read('small'))";
        let Ok(ran) = Command::new("python3").args(["-c", script]).arg(&path).output() else {
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "python3 is not installed");
            return;
        };
        assert_eq!(
            String::from_utf8_lossy(&ran.stdout).trim(),
            "[('large', 5368709126), ('small', 6)] b'begins' b'behind'",
            "{ran:?}"
        );
    }
}
