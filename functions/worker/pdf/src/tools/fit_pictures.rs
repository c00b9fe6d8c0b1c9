//! Brings the pictures of a result within limits: for LibreOffice, which takes much longer for it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::structure::writer::write_document;
use crate::structure::{open_holding, pages};
use crate::{Engines, ErrorCode, Failure, PictureLimits, Request, Source, shrink};

/// How every picture's dictionary says what it is. Dictionaries of streams are never compressed.
const PICTURE: &[u8] = b"/Subtype/Image";
/// Bytes that are searched at once.
const CHUNK: usize = 256 << 10;

/// Writes the source at this position with smaller pictures to `result`. Returns whether there is anything to write.
pub(super) fn run(
    engines: &Engines,
    request: &Request,
    position: usize,
    source: &Source,
    most: PictureLimits,
    result: &Path,
) -> Result<bool, Failure> {
    let pictures = File::open(&source.path).and_then(|file| mentions(file, PICTURE));
    if !pictures.map_err(|error| super::io_failure(&error))? {
        return Ok(false);
    }
    let mut opened = match open_holding(engines, request, position) {
        // Not too large for a result, only for a change.
        Err(failure) if failure.code == ErrorCode::RenderFailed => return Ok(false),
        opened => opened?,
    };
    let tree = pages::read(&mut opened.document, request.limits.pages)?;
    let changed = shrink::fit_pictures(&mut opened.document, &opened.held, &tree.pages, most, &request.limits);
    if !changed.map_err(|error| super::io_failure(&error))? {
        return Ok(false);
    }
    write_document(opened.document, &opened.held, &request.limits, result)?;
    Ok(true)
}

/// Whether the text occurs in what is read.
fn mentions(mut from: impl Read, text: &[u8]) -> io::Result<bool> {
    let mut buffer = vec![0; CHUNK];
    let mut kept = 0;
    loop {
        let read = from.read(&mut buffer[kept..])?;
        let filled = &buffer[..kept + read];
        if memchr::memmem::find(filled, text).is_some() {
            return Ok(true);
        }
        if read == 0 {
            return Ok(false);
        }
        // The text may begin in one piece and end in the next.
        let from = filled.len().saturating_sub(text.len() - 1);
        let rest = from..filled.len();
        kept = rest.len();
        buffer.copy_within(rest, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_across_pieces() {
        for before in CHUNK - 20..CHUNK + 2 {
            let mut content = vec![b'x'; before];
            content.extend_from_slice(PICTURE);
            assert!(mentions(content.as_slice(), PICTURE).unwrap(), "{before}");
            assert!(!mentions(&content[..content.len() - 1], PICTURE).unwrap(), "{before}");
        }
    }
}
