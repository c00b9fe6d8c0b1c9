//! Brings the pictures of a result within limits. LibreOffice takes several times as long for it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use docmill_pdf_core::pages;
use docmill_pdf_core::writer::write_document;
use docmill_pdf_request::{ErrorCode, Failure, PictureLimits, Request, Source};
use docmill_pdf_structure::open_deferring;

use docmill_pdf_core::Libraries;

/// Bytes that are searched at once.
const CHUNK: usize = 256 << 10;
/// More than what names a picture takes, with any white space that programs write.
const OVERLAP: usize = 32;

/// Writes the source at this position with smaller pictures to `result`. Returns whether there is anything to write.
pub(super) fn run(
    libraries: &Libraries,
    request: &Request,
    position: usize,
    source: &Source,
    most: PictureLimits,
    result: &Path,
) -> Result<bool, Failure> {
    let pictures = File::open(&source.path).and_then(has_pictures);
    if !pictures.map_err(|error| Failure::io(&error))? {
        return Ok(false);
    }
    let mut opened = match open_deferring(libraries, request, position) {
        // It is small enough for a result, but not for a change.
        Err(failure) if failure.code == ErrorCode::RenderFailed => return Ok(false),
        opened => opened?,
    };
    let tree = pages::read(&mut opened.document, request.limits.pages)?;
    let changed =
        docmill_pdf_shrink::fit_pictures(&mut opened.document, &opened.held, &tree.pages, most, &request.limits);
    if !changed.map_err(|error| Failure::io(&error))? {
        return Ok(false);
    }
    write_document(opened.document, &opened.held, &request.limits, result)?;
    Ok(true)
}

/// Whether a PDF may have pictures. Dictionaries of streams are never compressed, so this is much faster than opening it.
fn has_pictures(mut pdf: impl Read) -> io::Result<bool> {
    let mut buffer = vec![0; CHUNK];
    let mut kept = 0;
    loop {
        let read = pdf.read(buffer.get_mut(kept..).unwrap_or_default())?;
        let filled = kept + read;
        if buffer.get(..filled).is_some_and(names_picture) {
            return Ok(true);
        }
        if read == 0 {
            return Ok(false);
        }
        // The name may begin in one piece and end in the next.
        let rest = filled.saturating_sub(OVERLAP)..filled;
        kept = rest.len();
        buffer.copy_within(rest, 0);
    }
}

fn names_picture(bytes: &[u8]) -> bool {
    const KEY: &[u8] = b"/Subtype";
    let mut rests = memchr::memmem::find_iter(bytes, KEY).filter_map(|at| bytes.get(at + KEY.len()..));
    rests.any(|rest| rest.trim_ascii_start().starts_with(b"/Image"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_found_across_pieces() {
        for name in [b"/Subtype/Image".as_slice(), b"/Subtype /Image", b"/Subtype\r\n/Image"] {
            for before in CHUNK - 20..CHUNK + 2 {
                let mut content = vec![b'x'; before];
                content.extend_from_slice(name);
                assert!(has_pictures(content.as_slice()).unwrap(), "{before}");
                assert!(!has_pictures(&content[..content.len() - 1]).unwrap(), "{before}");
            }
        }
        assert!(!has_pictures(b"/Subtype/Form/ProcSet[/ImageC]".as_slice()).unwrap());
    }
}
