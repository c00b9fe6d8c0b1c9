//! Identifies a file of any format: PDFs, pictures, pages, office documents.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use docmill_engine::Failure;
use docmill_formats::Format;
use imagesize::ImageType;
use regex::bytes::Regex;

use super::identify::{Hints, identify};
use super::{HTML, text, unreadable};

/// Servers and printers may put data before a PDF's signature (ISO 32000-2, annex I).
const HEAD_BYTES: u64 = 4 << 10;
const MARK_WITHIN: usize = 1024;

/// Identifies a file, primarily by its content. Blocks.
///
/// # Errors
/// `unsupported_format` or `corrupt_document`.
pub fn format_of(path: &Path, hints: Hints<'_>) -> Result<Format, Failure> {
    let mut head = Vec::new();
    File::open(path).map_err(unreadable)?.take(HEAD_BYTES).read_to_end(&mut head).map_err(unreadable)?;
    match binary(&head).or_else(|| headless(&head, hints)).or_else(|| textual(&head, hints)) {
        Some(format) => Ok(format),
        None => identify(path, hints),
    }
}

fn binary(head: &[u8]) -> Option<Format> {
    let start = head.get(..MARK_WITHIN).unwrap_or(head);
    if memchr::memmem::find(start, b"%PDF-").is_some() {
        return Some(Format::Pdf);
    }
    // For large files (BigTIFF), with offsets of 64 bits.
    if head.starts_with(b"II+\0") || head.starts_with(b"MM\0+") {
        return Some(Format::Tiff);
    }
    #[allow(clippy::wildcard_enum_match_arm, reason = "the library's list is open; other pictures are not supported")]
    match imagesize::image_type(head).ok()? {
        ImageType::Jpeg => Some(Format::Jpeg),
        ImageType::Png => Some(Format::Png),
        ImageType::Webp => Some(Format::Webp),
        ImageType::Tiff => Some(Format::Tiff),
        ImageType::Gif => Some(Format::Gif),
        ImageType::Bmp => Some(Format::Bmp),
        _ => None,
    }
}

/// A PDF that has lost its signature: it begins with an object, or has one and the name of a PDF.
fn headless(head: &[u8], hints: Hints<'_>) -> Option<Format> {
    let lines = head.split(|byte| matches!(byte, b'\r' | b'\n')).map(<[u8]>::trim_ascii);
    let first = lines.filter(|line| !line.is_empty()).find(|line| !line.starts_with(b"%"));
    let begins = first.is_some_and(|line| opens_object(line) == Some(0));
    (begins || called(hints) == Some(Format::Pdf) && opens_object(head).is_some()).then_some(Format::Pdf)
}

/// Where the first `7 0 obj` is.
fn opens_object(bytes: &[u8]) -> Option<usize> {
    static OBJECT: OnceLock<Option<Regex>> = OnceLock::new();
    let object = OBJECT.get_or_init(|| Regex::new(r"(?-u)\b\d{1,10}\s{1,9}\d{1,5}\s{1,9}obj\b").ok()).as_ref()?;
    object.find(bytes).map(|found| found.start())
}

/// Text identified by its markup or name.
fn textual(head: &[u8], hints: Hints<'_>) -> Option<Format> {
    let encoding = text::encoding(head).ok().flatten()?;
    let start = text::decode(head, encoding);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    // Markdown may begin with HTML.
    if is_called_markdown(hints) {
        return Some(Format::Markdown);
    }
    if super::identify::is_html(start) {
        return Some(Format::Html);
    }
    if start.starts_with("<svg") || start.starts_with("<?xml") && start.contains("<svg") {
        return Some(Format::Svg);
    }
    if is_xml(start, hints) {
        return Some(Format::Xml);
    }
    // A template may begin with a tag.
    called(hints).filter(|format| *format == Format::Html)
}

/// Whether markup is XML of a kind that nothing else knows, by its declaration or its name. Documents of an office suite may be one XML
/// file.
fn is_xml(start: &str, hints: Hints<'_>) -> bool {
    let is_called =
        || [called(hints), hints.content_type.and_then(Format::from_media_type)].contains(&Some(Format::Xml));
    let is_document = start.contains("<office:document");
    !is_document && (start.starts_with("<?xml") || start.starts_with('<') && is_called())
}

/// The format that the file's name or address says.
pub(super) fn called(hints: Hints<'_>) -> Option<Format> {
    let of_url = || hints.url.and_then(|url| url.path_segments()?.next_back());
    hints.filename.or_else(of_url).and_then(Format::from_filename)
}

/// By its name, or else its content type: servers also send Markdown as plain text.
fn is_called_markdown(hints: Hints<'_>) -> bool {
    [called(hints), hints.content_type.and_then(Format::from_media_type)].contains(&Some(Format::Markdown))
}

/// An error that names the accepted formats.
pub fn not_accepted(found: Format, tool: &str, accepted: &[Format]) -> Failure {
    let hint = if found == Format::Html { format!(" {HTML} is converted by html-to-pdf.") } else { String::new() };
    let accepted: Vec<_> = accepted.iter().map(|format| format.extension()).collect();
    Failure::new(
        docmill_domain::job::JobErrorCode::UnsupportedFormat,
        format!("{tool} does not accept {found} files. It accepts: {}.{hint}", accepted.join(", ")),
        format!("{found} for {tool}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8], name: Option<&str>) -> Option<&'static str> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        format_of(file.path(), Hints { filename: name, ..Hints::default() }).ok().map(Format::extension)
    }

    #[test]
    fn content_decides_before_the_name() {
        assert_eq!(of(b"%PDF-1.7\n", Some("x.docx")), Some("pdf"));
        assert_eq!(of(b"junk\n%PDF-1.4\n", None), Some("pdf"));
        assert_eq!(of(b"%PSF-1.4\n%\xe2\xe3\n1 0 obj\n<</Type/Catalog>>", None), Some("pdf"));
        assert_eq!(of(b"lost\n7 0 obj <</Length 1>>", Some("x.pdf")), Some("pdf"));
        assert_eq!(of(b"The syntax is `7 0 obj`.", Some("notes.txt")), Some("txt"));
        assert_eq!(of(b"\0lost", Some("x.pdf")), None);
        assert_eq!(of(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some("x.pdf")), Some("png"));
        assert_eq!(of(b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01", None), Some("jpg"));
        assert_eq!(of(b"II*\0\x08\0\0\0\x0c\0\0\x01", None), Some("tiff"));
        assert_eq!(of(b"II+\0\x08\0\0\0\x10\0\0\0", None), Some("tiff"));
        assert_eq!(of(b"MM\0+\0\x08\0\0\0\0\0\0", None), Some("tiff"));
        assert_eq!(of(b"<!doctype html><p>x", None), Some("html"));
        assert_eq!(of(b"<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'/>", None), Some("svg"));
        assert_eq!(of(b"<?xml version='1.0'?>\n<Invoice/>", Some("a.txt")), Some("xml"));
        assert_eq!(of(b"\xef\xbb\xbf<Invoice/>", Some("a.xml")), Some("xml"));
        assert_eq!(
            of(
                "\u{feff}<?xml version='1.0'?><a>ä</a>"
                    .encode_utf16()
                    .flat_map(u16::to_le_bytes)
                    .collect::<Vec<_>>()
                    .as_slice(),
                None
            ),
            Some("xml")
        );
        assert_eq!((of(b"<Invoice/>", None), of(b"just words", Some("a.xml"))), (Some("txt"), Some("txt")));
        let flat = "<?xml version='1.0'?><office:document xmlns:office='o' office:mimetype='application/vnd.oasis.opendocument.text'/>";
        assert_eq!(of(flat.as_bytes(), Some("a.xml")), Some("fodt"));
        assert_eq!(of(b"# Title\n\ntext", Some("README.md")), Some("md"));
        assert_eq!(of(b"<p align=\"center\">Logo</p>\n\n# Title", Some("README.md")), Some("md"));
        assert_eq!(of(b"PK\x05\x06", Some("README.md")), None);
        assert_eq!(of(b"plain words", Some("notes.txt")), Some("txt"));
        assert_eq!(of(b"{#items}<p>{name}</p>{/items}", Some("list.html")), Some("html"));
        assert_eq!(of(b"\x00\x01\x02\x03", None), None);
    }
}
