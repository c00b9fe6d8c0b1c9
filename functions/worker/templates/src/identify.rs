//! Tells a template's format, as jobs would.

use docmill_package::types;

use crate::format::Format;
use crate::package;
use crate::problem::Failure;

/// The main part's type in each package's list of types, and its format.
const MAIN_TYPES: [(&str, Format); 3] = [
    ("\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"", Format::Docx),
    ("\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"", Format::Xlsx),
    ("\"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml\"", Format::Pptx),
];
const ODT: &str = "application/vnd.oasis.opendocument.text";
/// Longest description of a package.
const DESCRIPTION_BYTES: usize = 16 << 20;
/// Where a page's first tag is looked for.
const HEAD_BYTES: usize = 1024;

impl Format {
    /// The format of a file with this extension and media type. The content tells packages and pages; Markdown needs one of them.
    /// `None` if it is no template.
    pub fn identify(
        bytes: &[u8],
        extension: Option<&str>,
        content_type: Option<&str>,
    ) -> Result<Option<Self>, Failure> {
        if bytes.starts_with(b"PK") {
            return packaged(bytes);
        }
        let essence = content_type.and_then(|full| full.split(';').next()).map(str::trim).unwrap_or_default();
        let is_called = |names: &[&str], types: &[&str]| {
            let is_one = |text: &str, of: &[&str]| of.iter().any(|one| text.eq_ignore_ascii_case(one));
            extension.is_some_and(|extension| is_one(extension, names)) || is_one(essence, types)
        };
        if bytes.is_empty() {
            return Ok(None);
        }
        if is_called(&["md", "markdown"], &["text/markdown", "text/x-markdown"]) {
            return Ok(Some(Self::Markdown));
        }
        let is_page = is_called(&["html", "htm"], &["text/html"]) || begins_as_page(bytes);
        Ok(is_page.then_some(Self::Html))
    }

    /// The usual file extension.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Docx => "docx",
            Self::Xlsx => "xlsx",
            Self::Pptx => "pptx",
            Self::Odt => "odt",
            Self::Html => "html",
            Self::Markdown => "md",
        }
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            Self::Odt => ODT,
            Self::Html => "text/html; charset=utf-8",
            Self::Markdown => "text/markdown; charset=utf-8",
        }
    }
}

fn packaged(bytes: &[u8]) -> Result<Option<Format>, Failure> {
    let mut package = package::open(bytes.to_vec(), DESCRIPTION_BYTES)?;
    if let Some(types) = package.text(types::PART)? {
        let main = MAIN_TYPES.iter().find(|(kind, _)| types.contains(kind));
        return Ok(main.map(|(_, format)| *format));
    }
    Ok(package.text("mimetype")?.filter(|kind| kind.trim() == ODT).map(|_| Format::Odt))
}

fn begins_as_page(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head).trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    head.starts_with("<!doctype html") || head.starts_with("<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], extension: Option<&str>, content_type: Option<&str>) -> Option<Format> {
        Format::identify(bytes, extension, content_type).unwrap()
    }

    #[test]
    fn texts_are_told_by_name_type_or_first_tag() {
        assert_eq!(text(b"# {a}", Some("MD"), None), Some(Format::Markdown));
        assert_eq!(text(b"# {a}", None, Some("text/markdown; charset=utf-8")), Some(Format::Markdown));
        assert_eq!(text(b"{a}", Some("htm"), None), Some(Format::Html));
        assert_eq!(text(b"{a}", None, Some("Text/HTML")), Some(Format::Html));
        assert_eq!(text(b"\xef\xbb\xbf <!DOCTYPE html>", None, Some("application/octet-stream")), Some(Format::Html));
        for (bytes, extension) in [(&b"{a}"[..], Some("txt")), (b"%PDF-1.7", None), (b"", Some("html"))] {
            assert_eq!(text(bytes, extension, None), None);
        }
    }
}
