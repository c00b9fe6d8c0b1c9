//! Tells a template's format, as jobs would.

use docmill_package::types;

use crate::format::Format;
use crate::package;
use crate::problem::Failure;

/// Longest description of a package.
const DESCRIPTION_BYTES: usize = 16 << 20;
/// Where a page's first tag is looked for.
const HEAD_BYTES: usize = 1024;

impl Format {
    /// The format of a file with this extension and media type. The content tells packages and pages; Markdown needs one of them.
    /// `None` if it is no template.
    ///
    /// # Errors
    /// If the file looks like a package, and can't be opened.
    pub fn identify(
        bytes: &[u8],
        extension: Option<&str>,
        content_type: Option<&str>,
    ) -> Result<Option<Self>, Failure> {
        if bytes.starts_with(b"PK") {
            return packaged(bytes);
        }
        let called = [
            extension.and_then(docmill_formats::Format::from_extension),
            content_type.and_then(docmill_formats::Format::from_media_type),
        ];
        if bytes.is_empty() {
            return Ok(None);
        }
        if called.contains(&Some(docmill_formats::Format::Markdown)) {
            return Ok(Some(Self::Markdown));
        }
        let is_page = called.contains(&Some(docmill_formats::Format::Html)) || begins_as_page(bytes);
        Ok(is_page.then_some(Self::Html))
    }

    /// The template format of a file; `None` if such files are no templates.
    pub fn of(format: docmill_formats::Format) -> Option<Self> {
        Self::ALL.into_iter().find(|template| template.format() == format)
    }

    /// What such a file is.
    pub const fn format(self) -> docmill_formats::Format {
        match self {
            Self::Docx => docmill_formats::Format::Docx,
            Self::Xlsx => docmill_formats::Format::Xlsx,
            Self::Pptx => docmill_formats::Format::Pptx,
            Self::Odt => docmill_formats::Format::Odt,
            Self::Html => docmill_formats::Format::Html,
            Self::Markdown => docmill_formats::Format::Markdown,
        }
    }
}

fn packaged(bytes: &[u8]) -> Result<Option<Format>, Failure> {
    let mut package = package::open(bytes.to_vec(), DESCRIPTION_BYTES)?;
    if let Some(types) = package.text(types::PART)? {
        let is_main =
            |format: &Format| format.format().ooxml_main().is_some_and(|main| types.contains(&format!("\"{main}\"")));
        return Ok(Format::ALL.into_iter().find(is_main));
    }
    let odt = docmill_formats::Format::Odt.media_type();
    Ok(package.text("mimetype")?.filter(|kind| kind.trim() == odt).map(|_| Format::Odt))
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
