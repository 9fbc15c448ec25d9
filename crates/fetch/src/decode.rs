//! Undoing a content coding: the whole of it, within a bound, with nothing left over.

use std::io::Read;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::{Coding, FetchError, Headers};

/// How much is decoded before the bound is looked at again.
const STEP_BYTES: usize = 64 * 1024;
/// RFC 8878, section 3.1.1.1.2, recommends decoders to support 8 MiB; RFC 9659 makes it the most that an HTTP response
/// may use.
const ZSTD_WINDOW_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Which coding the headers declare: at most one, and one of those known here.
pub(crate) fn declared(headers: &Headers) -> Result<Coding, FetchError> {
    let mut coding = Coding::Identity;
    let mut seen = 0_u32;
    for value in headers.all("content-encoding") {
        for element in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|it| !it.is_empty()) {
            seen = seen.saturating_add(1);
            coding = match element.to_ascii_lowercase().as_slice() {
                b"identity" => Coding::Identity,
                b"gzip" | b"x-gzip" => Coding::Gzip,
                b"deflate" => Coding::Deflate,
                b"br" => Coding::Br,
                b"zstd" => Coding::Zstd,
                _ => return Err(FetchError::CodingUnknown),
            };
        }
    }
    if seen > 1 { Err(FetchError::CodingMany) } else { Ok(coding) }
}

/// The bytes before the coding was applied, if it was applied to the end and to all of them.
///
/// An empty body stays empty under any coding: some servers declare their usual coding on a response without one.
pub(crate) fn decode(coding: Coding, received: &Bytes, bytes_max: usize) -> Result<Bytes, FetchError> {
    let mut out = Bounded { bytes: Vec::new(), max: bytes_max };
    if received.is_empty() || coding == Coding::Identity {
        out.fits(received.len())?;
        return Ok(received.clone());
    }
    match coding {
        Coding::Identity => {}
        Coding::Gzip => gzip(received, &mut out)?,
        Coding::Deflate => deflate(received, &mut out)?,
        Coding::Br => br(received, &mut out)?,
        Coding::Zstd => zstd(received, &mut out)?,
    }
    Ok(Bytes::from(out.bytes))
}

/// What is decoded so far, never more than the bound.
struct Bounded {
    bytes: Vec<u8>,
    max: usize,
}

impl Bounded {
    fn fits(&self, more: usize) -> Result<(), FetchError> {
        if self.bytes.len().saturating_add(more) > self.max {
            return Err(FetchError::DecodedTooLarge { max: self.max });
        }
        Ok(())
    }

    fn push(&mut self, step: &[u8]) -> Result<(), FetchError> {
        self.fits(step.len())?;
        self.bytes.extend_from_slice(step);
        Ok(())
    }
}

/// One gzip file: members, one after the other, to the end of the input (RFC 1952, section 2.2).
fn gzip(received: &[u8], out: &mut Bounded) -> Result<(), FetchError> {
    let mut reader = flate2::bufread::MultiGzDecoder::new(received);
    let mut step = vec![0_u8; STEP_BYTES];
    loop {
        match reader.read(&mut step) {
            Ok(0) => return Ok(()),
            Ok(filled) => out.push(step.get(..filled).unwrap_or_default())?,
            Err(_) => return Err(broken(Coding::Gzip)),
        }
    }
}

/// zlib where the first two bytes are a zlib header, else bare deflate. Either must end where the input ends.
fn deflate(received: &[u8], out: &mut Bounded) -> Result<(), FetchError> {
    let is_zlib = match received {
        [cmf, flg, ..] => cmf & 0x0f == 8 && u16::from_be_bytes([*cmf, *flg]).is_multiple_of(31),
        _ => false,
    };
    let mut inflate = Decompress::new(is_zlib);
    let mut step = vec![0_u8; STEP_BYTES];
    loop {
        let (read, written) = (inflate.total_in(), inflate.total_out());
        let rest = usize::try_from(read).ok().and_then(|read| received.get(read..)).unwrap_or_default();
        let status = inflate
            .decompress(rest, &mut step, FlushDecompress::None)
            .map_err(|_| broken(Coding::Deflate))?;
        let filled = usize::try_from(inflate.total_out().saturating_sub(written)).unwrap_or(usize::MAX);
        out.push(step.get(..filled).unwrap_or_default())?;
        let consumed = inflate.total_in();
        if status == Status::StreamEnd {
            let whole = usize::try_from(consumed).is_ok_and(|consumed| consumed == received.len());
            return if whole { Ok(()) } else { Err(broken(Coding::Deflate)) };
        }
        if consumed == read && filled == 0 {
            return Err(broken(Coding::Deflate));
        }
    }
}

fn br(received: &[u8], out: &mut Bounded) -> Result<(), FetchError> {
    let allocator = StandardAlloc::default;
    let mut state = BrotliState::new_strict(allocator(), allocator(), allocator());
    let (mut available_in, mut offset_in, mut total_out) = (received.len(), 0, 0);
    let mut step = vec![0_u8; STEP_BYTES];
    loop {
        let (mut available_out, mut offset_out) = (step.len(), 0);
        let result = BrotliDecompressStream(
            &mut available_in,
            &mut offset_in,
            received,
            &mut available_out,
            &mut offset_out,
            &mut step,
            &mut total_out,
            &mut state,
        );
        out.push(step.get(..offset_out).unwrap_or_default())?;
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultSuccess if available_in == 0 => return Ok(()),
            BrotliResult::ResultSuccess | BrotliResult::NeedsMoreInput | BrotliResult::ResultFailure => {
                return Err(broken(Coding::Br));
            }
        }
    }
}

/// Frames, one after the other, to the end of the input; those marked as to be skipped are (RFC 8878, section 3.1).
fn zstd(received: &[u8], out: &mut Bounded) -> Result<(), FetchError> {
    let mut rest = received;
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(ZSTD_WINDOW_BYTES_MAX);
    let mut step = vec![0_u8; STEP_BYTES];
    while !rest.is_empty() {
        match decoder.reset(&mut rest) {
            Ok(()) => {}
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let skipped = usize::try_from(length).ok().and_then(|length| rest.get(length..));
                rest = skipped.ok_or_else(|| broken(Coding::Zstd))?;
                continue;
            }
            Err(_) => return Err(broken(Coding::Zstd)),
        }
        let before = out.bytes.len();
        while !decoder.is_finished() {
            decoder
                .decode_blocks(&mut rest, BlockDecodingStrategy::UptoBytes(STEP_BYTES))
                .map_err(|_| broken(Coding::Zstd))?;
            // What waits in the decoder's window will be collected later; it counts now.
            out.fits(decoder.can_collect())?;
            while decoder.can_collect() > 0 {
                let filled = decoder.read(&mut step).map_err(|_| broken(Coding::Zstd))?;
                out.push(step.get(..filled).unwrap_or_default())?;
            }
        }
        let produced = out.bytes.len().saturating_sub(before);
        let declared = decoder.content_size();
        let length_differs = declared != 0 && usize::try_from(declared) != Ok(produced);
        let sum_differs = decoder
            .get_checksum_from_data()
            .is_some_and(|sum| decoder.get_calculated_checksum() != Some(sum));
        if length_differs || sum_differs {
            return Err(broken(Coding::Zstd));
        }
    }
    Ok(())
}

fn broken(coding: Coding) -> FetchError {
    FetchError::CodingBroken { coding: coding.as_str() }
}
