//! How much memory a unit takes while it is checked, known before it is unpacked.

use std::io::{BufRead as _, Read, sink};

use flate2::bufread::GzDecoder;
use releve_deposit::{ARTICLE_BYTES_MAX, ENVELOPE_BYTES_MAX};

/// A record unpacked, in bytes, at most: the longest part and its head.
const MEMBER_BYTES_MAX: u64 =
    (if ENVELOPE_BYTES_MAX > ARTICLE_BYTES_MAX { ENVELOPE_BYTES_MAX } else { ARTICLE_BYTES_MAX }) as u64
        + 64 * 1024;

/// How often an envelope lies in memory at the worst moment: in its record, which grows by doubling, and by itself.
const ENVELOPE_COPIES: u64 = 3;

/// The same of a document: in its record, as values, and in its canonical form, which is compared.
const DOCUMENT_COPIES: u64 = 4;

/// What a value of JSON takes in memory beside its text: measured at up to 200 bytes, in an array of texts.
const VALUE_BYTES: u64 = 256;

/// What an array or an object takes: measured at up to 600 bytes, in objects of one member within one another.
const NEST_BYTES: u64 = 768;

/// What `unit`, the bytes of one, takes in memory while it is checked and sealed, in bytes.
///
/// Nothing is kept of what is unpacked for it. `None` if it unpacks to more than any unit holds; of bytes that are no
/// unit, what could be unpacked counts.
pub(crate) fn weight(unit: &[u8]) -> Option<u64> {
    let mut rest = unit;
    let mut weight = 2 * unit.len() as u64;
    // What comes behind three members is refused when it is read; here it is not even looked at.
    for record in 0..3 {
        if !rest.fill_buf().is_ok_and(|left| !left.is_empty()) {
            break;
        }
        let mut counted =
            Counted { inner: GzDecoder::new(&mut rest).take(MEMBER_BYTES_MAX + 1), values: 0, nests: 0 };
        let broken = std::io::copy(&mut counted, &mut sink()).is_err();
        let unpacked = MEMBER_BYTES_MAX + 1 - counted.inner.limit();
        if unpacked > MEMBER_BYTES_MAX {
            return None;
        }
        // The first record is the envelope, whatever it holds; the others are read as JSON.
        weight += match record {
            0 => ENVELOPE_COPIES * unpacked,
            _ => DOCUMENT_COPIES * unpacked + VALUE_BYTES * counted.values + NEST_BYTES * counted.nests,
        };
        if broken {
            break;
        }
    }
    Some(weight)
}

/// Counts, on the way, the bytes behind which another value of JSON can begin, and those with which an array or an object
/// does.
struct Counted<R> {
    inner: R,
    values: u64,
    nests: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.inner.read(buffer)?;
        let read = buffer.get(..length).unwrap_or_default();
        for byte in read {
            match byte {
                b',' => self.values += 1,
                b'[' | b'{' => self.nests += 1,
                _ => {}
            }
        }
        Ok(length)
    }
}
