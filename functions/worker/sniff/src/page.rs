//! Checks whether an uploaded file is a page or Markdown, and reads its text.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use docmill_domain::job::JobErrorCode;
use docmill_engine::Failure;
use docmill_engine::page::MOST_PAGE_BYTES;

use super::identify::{SIGNATURES, is_archive};
use super::{UNKNOWN, compound, text, unreadable};
use crate::charset;

/// Markdown grows when it becomes a page.
const MOST_MARKDOWN_BYTES: u64 = MOST_PAGE_BYTES / 4;

/// Reads a page from a file. Blocks.
///
/// # Errors
/// `unsupported_format` if it is not text.
pub fn page(path: &Path, content_type: Option<&str>) -> Result<String, Failure> {
    text_of(path, content_type, "an HTML page", MOST_PAGE_BYTES)
}

/// Converts a file of Markdown to UTF-8 in place. Blocks.
///
/// # Errors
/// `unsupported_format` if it is not text.
pub fn markdown_in_place(path: &Path, content_type: Option<&str>) -> Result<(), Failure> {
    let text = markdown(path, content_type)?;
    std::fs::write(path, text).map_err(|error| Failure::internal(format!("writing a source: {error}")))
}

fn markdown(path: &Path, content_type: Option<&str>) -> Result<String, Failure> {
    text_of(path, content_type, "Markdown", MOST_MARKDOWN_BYTES)
}

/// `wanted`: a noun, with an article if it needs one.
fn text_of(path: &Path, content_type: Option<&str>, wanted: &str, most: u64) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        let message = format!("The source is larger than {} MiB, the limit for {wanted}. Split it.", most >> 20);
        return Err(Failure::new(JobErrorCode::SourceTooLarge, message, "a text beyond the limit"));
    }
    match what_else(&bytes)? {
        Some(what) => Err(not_wanted(what, wanted)),
        None => Ok(charset::decode(&bytes, content_type)),
    }
}

/// The kind of a file that is not text.
fn what_else(bytes: &[u8]) -> Result<Option<&'static str>, Failure> {
    if is_archive(bytes) || bytes.starts_with(compound::MAGIC) {
        return Ok(Some("an office document or an archive"));
    }
    if let Some((_, what)) = SIGNATURES.into_iter().find(|(signature, _)| bytes.starts_with(signature)) {
        return Ok(Some(what));
    }
    let is_text = text::encoding(bytes).map_err(unreadable)?.is_some();
    Ok((!is_text).then_some(UNKNOWN))
}

fn not_wanted(what: &str, wanted: &str) -> Failure {
    let message =
        format!("The upload seems to be {what}, and not {wanted}. Office documents are converted by office-to-pdf.");
    Failure::new(JobErrorCode::UnsupportedFormat, message, format!("sniffed as {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], content_type: Option<&str>) -> Result<String, Failure> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        page(file.path(), content_type)
    }

    #[test]
    fn a_page_is_read_in_its_encoding() {
        assert_eq!(read("<p>März".as_bytes(), Some("text/html")).unwrap(), "<p>März");
        assert_eq!(read(b"<p>M\xe4rz", Some("text/html; charset=iso-8859-1")).unwrap(), "<p>März");
        assert_eq!(read(b"\xff\xfe<\0p\0>\0", Some("application/octet-stream")).unwrap(), "<p>");
    }

    #[test]
    fn a_file_that_is_not_text_is_not_a_page() {
        let cases: [(&[u8], &str); 4] = [
            (b"PK\x03\x04rest", "an office document"),
            (b"%PDF-1.7", "a PDF"),
            (b"\x89PNG\r\n", "a picture"),
            (b"\x01\x02\x03", "a binary file"),
        ];
        for (bytes, what) in cases {
            let failure = read(bytes, Some("text/html")).unwrap_err();
            assert_eq!(failure.code, JobErrorCode::UnsupportedFormat);
            assert!(failure.message.contains(what), "{}", failure.message);
        }
    }

    #[test]
    fn an_endless_page_is_refused() {
        let failure = read(&vec![b'x'; usize::try_from(MOST_PAGE_BYTES).unwrap() + 1], None).unwrap_err();
        assert_eq!(failure.code, JobErrorCode::SourceTooLarge);
    }
}
