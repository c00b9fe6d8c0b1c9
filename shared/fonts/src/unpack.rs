//! Unpacks web fonts.

use std::error::Error;
use std::io::Read as _;

use flate2::read::ZlibDecoder;

use crate::{FontError, MOST_BYTES};

/// The TrueType or OpenType font in a WOFF or WOFF2 file, unchecked. `None`: the file is neither, damaged, or over
/// `MOST_BYTES` when unpacked.
pub fn unpack_web_font(file: &[u8]) -> Option<Vec<u8>> {
    match file.first_chunk()? {
        b"wOFF" => unpack_woff(file).ok(),
        b"wOF2" => unpack_woff2(file).ok(),
        _ => None,
    }
}

pub(crate) fn unpack_woff2(file: &[u8]) -> Result<Vec<u8>, FontError> {
    let unpacked = wuff::decompress_woff2(file).map_err(|_| FontError::Damaged)?;
    if unpacked.len() > MOST_BYTES { Err(FontError::TooLarge) } else { Ok(unpacked) }
}

fn unpack_woff(file: &[u8]) -> Result<Vec<u8>, FontError> {
    let mut left = MOST_BYTES;
    // Tables are packed one by one, and each claims a size of its own.
    let mut inflate = |table: &[u8], bytes: usize| -> Result<Vec<u8>, Box<dyn Error>> {
        left = left.checked_sub(bytes).ok_or(FontError::TooLarge)?;
        let mut unpacked = Vec::with_capacity(bytes);
        ZlibDecoder::new(table).take(bytes as u64).read_to_end(&mut unpacked)?;
        Ok(unpacked)
    };
    wuff::decompress_woff1_with_custom_z(file, &mut inflate).map_err(|_| FontError::Damaged)
}
