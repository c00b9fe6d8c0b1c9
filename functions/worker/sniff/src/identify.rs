//! Identifies a file by its content, and by its name only if the content is ambiguous.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use docmill_engine::{Encoding, Failure};
use docmill_formats::{Container, Format};
use docmill_package::{Limits, types};
use url::Url;

use super::compound::{self, Content};
use super::package;
use super::text;
use super::xml::{self, Doctypes, Next};
use super::{HTML, MESSAGE, UNKNOWN, corrupt, unreadable, unsupported};

const HEAD_BYTES: u64 = 8 << 10;

/// A file's names and types, strongest hint first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// From the request, or else the response.
    pub filename: Option<&'a str>,
    /// From the response, with or without parameters.
    pub content_type: Option<&'a str>,
    /// The address that the file came from.
    pub url: Option<&'a Url>,
}

/// Identifies a file.
///
/// # Errors
/// `unsupported_format` or `corrupt_document`.
pub fn identify(path: &Path, hints: Hints<'_>) -> Result<Format, Failure> {
    let mut head = Vec::new();
    File::open(path).map_err(unreadable)?.take(HEAD_BYTES).read_to_end(&mut head).map_err(unreadable)?;
    if head.is_empty() {
        return Err(corrupt("it is empty"));
    }
    if is_archive(&head) {
        return packaged(path);
    }
    if head.starts_with(compound::MAGIC) {
        return match compound::content(path)? {
            Content::Binary(format) => Ok(format),
            Content::EncryptedOoxml => Ok(encrypted_ooxml(hints)),
            Content::Message => Err(unsupported(MESSAGE)),
            Content::Other(what) => Err(unsupported(what)),
        };
    }
    if is_bare_spreadsheet(&head) {
        return Ok(Format::Xls);
    }
    if let Some((_, what)) = SIGNATURES.into_iter().find(|(signature, _)| head.starts_with(signature)) {
        return Err(unsupported(what));
    }
    // It may contain binary pictures, which can look like any encoding.
    if head.starts_with(b"{\\rtf") {
        return Ok(Format::Rtf);
    }
    match text::encoding(File::open(path).map_err(unreadable)?).map_err(unreadable)? {
        Some(encoding) => textual(path, &text::decode(&head, encoding), encoding, hints),
        None => Err(unsupported(UNKNOWN)),
    }
}

pub(super) fn is_archive(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Known formats that are not supported, so that messages can name them.
pub(super) const SIGNATURES: [(&[u8], &str); 14] = [
    (b"%PDF-", "a PDF, which needs no conversion"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xFF\xD8\xFF", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"II*\0", "a picture (TIFF)"),
    (b"MM\0*", "a picture (TIFF)"),
    (b"RIFF", "a picture or media file (RIFF)"),
    (b"\x1F\x8B", "a gzip archive"),
    (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"%!PS", "a PostScript file"),
    (b"MZ", "a program"),
    (b"\x7FELF", "a program"),
    (b"\xDB\xA5", "a document of Word 2 or earlier"),
];

/// Before version 5, Excel files had no container: a BOF record of each version.
fn is_bare_spreadsheet(head: &[u8]) -> bool {
    matches!(head, [9, 0, 4, 0, _, 0, ..] | [9, 2 | 4, 6, 0, _, 0, ..] | [9, 8, 8 | 16, 0, 0, 5 | 6, ..])
}

fn packaged(path: &Path) -> Result<Format, Failure> {
    // Generous: the configured limits apply in the later check.
    let mut package = package::open(path, Limits::DESCRIPTION)?;
    if package.has(types::PART) {
        let (_, content_type) = package.main_part().ok_or_else(|| corrupt("its main part is missing"))?;
        return Format::from_ooxml_main(&content_type).ok_or_else(|| unsupported(ooxml_relative(&content_type)));
    }
    if let Some(media_type) = package.media_type() {
        return Format::from_odf_package(&media_type).ok_or_else(|| unsupported(odf_relative(&media_type)));
    }
    let holds = |folder: &str| package.names().iter().any(|name| name.starts_with(folder));
    if ["word/", "xl/", "ppt/"].into_iter().any(holds) || package.has("content.xml") {
        return Err(corrupt("its content types are missing"));
    }
    Err(unsupported("a ZIP archive"))
}

/// Unsupported relatives of the OOXML formats.
fn ooxml_relative(content_type: &str) -> &'static str {
    match content_type {
        "application/vnd.ms-word.document.macroenabled.main+xml" => "a Word document with macros (docm)",
        "application/vnd.ms-word.template.macroenabledtemplate.main+xml" => "a Word template with macros (dotm)",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml" => "an Excel template (xltx)",
        "application/vnd.ms-excel.template.macroenabled.main+xml" => "an Excel template with macros (xltm)",
        "application/vnd.ms-excel.sheet.binary.macroenabled.main" => "a binary Excel workbook (xlsb)",
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml" => "a slide show (ppsx)",
        "application/vnd.openxmlformats-officedocument.presentationml.template.main+xml" => "a slide template (potx)",
        "application/vnd.ms-powerpoint.presentation.macroenabled.main+xml" => "a presentation with macros (pptm)",
        _ => "an Office Open XML file of another kind",
    }
}

fn odf_relative(media_type: &str) -> &'static str {
    match media_type {
        "application/epub+zip" => "an EPUB book",
        _ if media_type.starts_with("application/vnd.oasis.opendocument") => "an OpenDocument file of another kind",
        _ => "a ZIP archive",
    }
}

/// Markup identifies text; other text is identified by its name.
fn textual(path: &Path, head: &str, encoding: Encoding, hints: Hints<'_>) -> Result<Format, Failure> {
    let start = head.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with("{\\rtf") && encoding != Encoding::Utf16Le && encoding != Encoding::Utf16Be {
        return Ok(Format::Rtf);
    }
    if is_html(start) {
        return Err(unsupported(HTML));
    }
    if start.starts_with("<?xml") || start.starts_with("<office:document") {
        return flat(path);
    }
    if start.starts_with("%PDF-") {
        return Err(unsupported("a PDF, which needs no conversion"));
    }
    if start.to_ascii_lowercase().starts_with("mime-version:") {
        return Err(unsupported("a saved web page or message (MIME)"));
    }
    plain(head, hints)
}

/// Whether the first tag is one of HTML. XML declarations, comments and a doctype may come before.
pub(super) fn is_html(start: &str) -> bool {
    const TAGS: [&str; 16] = [
        "html", "head", "body", "title", "meta", "link", "script", "style", "table", "div", "p", "h1", "span",
        "center", "form", "iframe",
    ];
    let lower = start.to_ascii_lowercase();
    let mut rest = lower.as_str();
    loop {
        rest = rest.trim_start();
        if rest.starts_with("<!doctype html") {
            return true;
        }
        let prologue = [("<!--", "-->"), ("<?", "?>")].into_iter().find(|(open, _)| rest.starts_with(open));
        let Some((_, close)) = prologue else { break };
        let Some((_, after)) = rest.split_once(close) else { return false };
        rest = after;
    }
    let Some(tag) = rest.strip_prefix('<') else { return false };
    let name = tag.split(|character: char| !character.is_ascii_alphanumeric()).next().unwrap_or_default();
    TAGS.contains(&name) && !tag.get(name.len()..).unwrap_or_default().starts_with(':')
}

/// A flat OpenDocument file declares its type at its root.
fn flat(path: &Path) -> Result<Format, Failure> {
    let mut media_type = None;
    let mut root = String::new();
    let scanned = xml::scan(File::open(path).map_err(unreadable)?, Doctypes::Ignored, |start| {
        start.local_name().as_ref().clone_into(&mut root);
        media_type = xml::attribute(start, "mimetype");
        Next::Stop
    });
    match (scanned, media_type.filter(|_| root == "document")) {
        (Ok(()), Some(media_type)) => {
            Format::from_odf_flat(&media_type).ok_or_else(|| unsupported(odf_relative(&media_type)))
        }
        _ => Err(unsupported("an XML file of another kind")),
    }
}

/// Tells plain text from tables by names, strongest first, and finally by lines. Text that is called a package, such as a server's
/// message in place of a docx file, is no document.
fn plain(head: &str, hints: Hints<'_>) -> Result<Format, Failure> {
    let is_plain = |format: &Format| format.is_office() && format.container() == Container::PlainText;
    let declared = hints.content_type.and_then(Format::from_media_type);
    let from_content_type = declared.filter(|format| matches!(format, Format::Csv | Format::Tsv));
    let named = hints.filename.and_then(Format::from_filename).filter(is_plain);
    // Servers send text/plain for unknown files, so the URL's extension comes first.
    if let Some(format) = named.or(from_content_type).or_else(|| url_extension(hints.url).filter(is_plain)) {
        return Ok(format);
    }
    let named = hints.filename.and_then(Format::from_filename).filter(|format| format.is_office());
    let claimed = named.or_else(|| url_extension(hints.url));
    if claimed.is_some_and(|format| matches!(format.container(), Container::Ooxml | Container::Odf)) {
        return Err(corrupt("it is plain text, although its name is that of an office document"));
    }
    Ok(match text::delimiter(head) {
        _ if declared == Some(Format::Txt) => Format::Txt,
        Some('\t') => Format::Tsv,
        Some(_) => Format::Csv,
        None => Format::Txt,
    })
}

/// An encrypted package is identified by its name. Without one, it is most likely a text document.
fn encrypted_ooxml(hints: Hints<'_>) -> Format {
    let is_ooxml = |format: &Format| format.container() == Container::Ooxml;
    let from_content_type = || hints.content_type.and_then(Format::from_media_type).filter(is_ooxml);
    let named = hints.filename.and_then(Format::from_filename).filter(is_ooxml);
    named.or_else(from_content_type).or_else(|| url_extension(hints.url).filter(is_ooxml)).unwrap_or(Format::Docx)
}

fn url_extension(url: Option<&Url>) -> Option<Format> {
    Format::from_filename(url?.path_segments()?.next_back()?)
}
