//! Identifies sources of the PDF tools: PDFs, pictures, pages or office documents.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use docmill_pdf::Media;
use imagesize::ImageType;

use super::format::Format;
use super::identify::{Hints, identify};
use super::{HTML, text, unreadable};
use crate::failure::Failure;

/// Servers and printers may put data before a PDF's signature (ISO 32000-2, annex I).
const HEAD_BYTES: u64 = 4 << 10;
const MARK_WITHIN: usize = 1024;

/// The kind of a file, primarily by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// For the PDF tools directly.
    Media(Media),
    Office(Format),
}

impl Kind {
    /// The usual file extension in lower case, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Media(media) => media.extension(),
            Self::Office(format) => format.extension(),
        }
    }
}

/// Identifies a file. Fails with `unsupported_format` or `corrupt_document`. Blocks.
pub fn kind(path: &Path, hints: Hints<'_>) -> Result<Kind, Failure> {
    let mut head = Vec::new();
    File::open(path).map_err(unreadable)?.take(HEAD_BYTES).read_to_end(&mut head).map_err(unreadable)?;
    if let Some(media) = binary(&head).or_else(|| textual(&head, hints)) {
        return Ok(Kind::Media(media));
    }
    identify(path, hints).map(Kind::Office)
}

fn binary(head: &[u8]) -> Option<Media> {
    let start = head.get(..MARK_WITHIN).unwrap_or(head);
    if memchr::memmem::find(start, b"%PDF-").is_some() {
        return Some(Media::Pdf);
    }
    // For large files (BigTIFF), with offsets of 64 bits.
    if head.starts_with(b"II+\0") || head.starts_with(b"MM\0+") {
        return Some(Media::Tiff);
    }
    #[allow(clippy::wildcard_enum_match_arm, reason = "the library's list is open; other pictures are not supported")]
    match imagesize::image_type(head).ok()? {
        ImageType::Jpeg => Some(Media::Jpeg),
        ImageType::Png => Some(Media::Png),
        ImageType::Webp => Some(Media::Webp),
        ImageType::Tiff => Some(Media::Tiff),
        ImageType::Gif => Some(Media::Gif),
        ImageType::Bmp => Some(Media::Bmp),
        _ => None,
    }
}

/// Text identified by its markup or name.
fn textual(head: &[u8], hints: Hints<'_>) -> Option<Media> {
    let encoding = text::encoding(head).ok().flatten()?;
    let start = text::decode(head, encoding);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    // Markdown may begin with HTML.
    if is_called_markdown(hints) {
        return Some(Media::Markdown);
    }
    if super::identify::is_html(start) {
        return Some(Media::Html);
    }
    if start.starts_with("<svg") || start.starts_with("<?xml") && start.contains("<svg") {
        return Some(Media::Svg);
    }
    // A template may begin with a tag.
    let is_page = |extension: &str| extension.eq_ignore_ascii_case("html") || extension.eq_ignore_ascii_case("htm");
    extension(hints).is_some_and(is_page).then_some(Media::Html)
}

fn extension(hints: Hints<'_>) -> Option<&str> {
    let of_url = || hints.url.and_then(|url| url.path_segments()?.next_back());
    hints.filename.or_else(of_url).and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension)
}

/// By its name, or else its content type: servers also send Markdown as plain text.
fn is_called_markdown(hints: Hints<'_>) -> bool {
    match extension(hints) {
        Some(extension) if extension.eq_ignore_ascii_case("md") || extension.eq_ignore_ascii_case("markdown") => true,
        Some(_) | None => hints.content_type.is_some_and(|given| {
            let essence = given.split(';').next().unwrap_or_default().trim();
            essence.eq_ignore_ascii_case("text/markdown") || essence.eq_ignore_ascii_case("text/x-markdown")
        }),
    }
}

/// An error that names the accepted formats.
pub fn not_accepted(kind: &str, tool: &str, accepted: &[String]) -> Failure {
    let hint = if kind == "html" { format!(" {HTML} is converted by html-to-pdf.") } else { String::new() };
    Failure::new(
        docmill_domain::job::JobErrorCode::UnsupportedFormat,
        format!("{tool} does not accept {kind} files. It accepts: {}.{hint}", accepted.join(", ")),
        format!("{kind} for {tool}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8], name: Option<&str>) -> Option<&'static str> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        kind(file.path(), Hints { filename: name, ..Hints::default() }).ok().map(Kind::extension)
    }

    #[test]
    fn content_decides_before_the_name() {
        assert_eq!(of(b"%PDF-1.7\n", Some("x.docx")), Some("pdf"));
        assert_eq!(of(b"junk\n%PDF-1.4\n", None), Some("pdf"));
        assert_eq!(of(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some("x.pdf")), Some("png"));
        assert_eq!(of(b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01", None), Some("jpg"));
        assert_eq!(of(b"II*\0\x08\0\0\0\x0c\0\0\x01", None), Some("tiff"));
        assert_eq!(of(b"II+\0\x08\0\0\0\x10\0\0\0", None), Some("tiff"));
        assert_eq!(of(b"MM\0+\0\x08\0\0\0\0\0\0", None), Some("tiff"));
        assert_eq!(of(b"<!doctype html><p>x", None), Some("html"));
        assert_eq!(of(b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'/>", None), Some("svg"));
        assert_eq!(of(b"# Title\n\ntext", Some("README.md")), Some("md"));
        assert_eq!(of(b"<p align=\"center\">Logo</p>\n\n# Title", Some("README.md")), Some("md"));
        assert_eq!(of(b"PK\x05\x06", Some("README.md")), None);
        assert_eq!(of(b"plain words", Some("notes.txt")), Some("txt"));
        assert_eq!(of(b"{#items}<p>{name}</p>{/items}", Some("list.html")), Some("html"));
        assert_eq!(of(b"\x00\x01\x02\x03", None), None);
    }
}
