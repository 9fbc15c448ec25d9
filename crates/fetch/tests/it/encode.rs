//! Bytes under each content coding, and bombs.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn bare_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Uncompressed meta-blocks (RFC 7932, section 9.2) of up to 64 KiB: a window of 16 bits, each block's length in
/// four nibbles, and an empty last block.
pub(crate) fn br(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut first = true;
    for block in bytes.chunks(1 << 16) {
        let length = u32::try_from(block.len() - 1).unwrap();
        // One bit 0 (WBITS 16) before the first block; then ISLAST 0, MNIBBLES 0 (four), MLEN - 1, ISUNCOMPRESSED 1.
        let header = (1 << 19) | (length << 3);
        let header = if first { header << 1 } else { header };
        out.extend_from_slice(&header.to_le_bytes()[..3]);
        out.extend_from_slice(block);
        first = false;
    }
    out.push(if first { 0b110 } else { 0b11 });
    out
}

/// 1 GiB each.
pub(crate) fn bombs() -> Vec<(&'static str, Vec<u8>)> {
    let mebibyte = vec![b'a'; 1 << 20];
    // A block that ends on a byte and refers to nothing before it can stand any number of times.
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&mebibyte).unwrap();
    encoder.flush().unwrap();
    let block = encoder.get_ref().clone();
    let deflated = block.repeat(1024);
    let zlib_header = [0x78, 0xda];
    let gzip_header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    // A frame of blocks that say "128 KiB of this byte" (RFC 8878, section 3.1.1.2).
    let mut frames = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    frames.extend_from_slice(&[0x02, 0x00, 0x10, b'a'].repeat(8192));
    vec![
        ("gzip", [&gzip_header[..], &deflated].concat()),
        ("gzip of many members", gzip(&mebibyte).repeat(1024)),
        ("deflate", [&zlib_header[..], &deflated].concat()),
        ("deflate bare", deflated),
        // Made of 1 GiB of the letter a by the brotli of Node 20's zlib, quality 9, window 24.
        ("br", include_bytes!("gibibyte.br").to_vec()),
        ("zstd", frames),
    ]
}
