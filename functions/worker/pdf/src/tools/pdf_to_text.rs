//! pdf-to-text: extracts text as plain text, Markdown, JSON or HTML.

use serde::Deserialize;

use super::ocr_pdf::{low_confidence, reader};
use super::{flatten, raster};
use crate::ocr::{self, How};
use crate::pdfium::{Document, Session};
use crate::text::{self, HeadersFooters};
use crate::{Artifact, Engines, Failure, Media, Outcome, Request, Warning};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    format: Format,
    layout: bool,
    headers_footers: HeadersFooters,
    pages: Option<String>,
    ocr: Recognize,
    languages: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: Format::Text,
            layout: false,
            headers_footers: HeadersFooters::Drop,
            pages: None,
            ocr: Recognize::Never,
            languages: vec!["eng".to_owned()],
        }
    }
}

/// Which pages are read by OCR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Recognize {
    Never,
    /// Pages without text.
    Auto,
    Always,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Text,
    Markdown,
    Json,
    Html,
}

impl Format {
    const fn media(self) -> Media {
        match self {
            Self::Text => Media::Text,
            Self::Markdown => Media::Markdown,
            Self::Json => Media::Json,
            Self::Html => Media::Html,
        }
    }
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let mut reader = match options.ocr {
        Recognize::Never => None,
        Recognize::Auto | Recognize::Always => Some(reader(engines, &options.languages)?),
    };
    let how = How { dpi: None, deskew: false, pixels: request.limits.pixels };
    let session = engines.pdfium()?.session();
    let source = super::only_source(request)?;
    let document = raster::open(engines, &session, request, source)?;
    let pages = raster::pages(&document, options.pages.as_deref(), request)?;
    // Pages are read from a copy with their fields, if there are any.
    let (copy, skipped) = match document.has_form().then(|| with_fields(engines, &session, request, document.pages())) {
        Some(Ok(copy)) => (Some(copy), None),
        Some(Err(failure)) => (None, Some(fields_skipped(&failure))),
        None => (None, None),
    };
    let structure = options.format != Format::Text;
    let mut written = String::new();
    let mut contents = Vec::new();
    let mut empty = 0;
    let mut confidences = Vec::new();
    copy.as_ref().unwrap_or(&document).for_each_page(pages.iter().copied(), |index, page| {
        let mut content = text::read(page, index + 1, structure)?;
        if let Some(reader) = &mut reader
            && (options.ocr == Recognize::Always
                || content.is_empty()
                // A scan may have fields.
                || copy.is_some() && document.page(index)?.text()?.is_empty())
        {
            let recognized = ocr::read(page, reader, None, &how, &[])?;
            confidences.push((index + 1, recognized.text.confidence()));
            content = text::of_words(page, index + 1, ocr::placed(&recognized, page.size()));
        }
        empty += usize::from(content.is_empty());
        if structure {
            contents.push(content);
            return Ok(());
        }
        // A form feed between pages, as pdftotext writes it.
        if pages.first() != Some(&index) {
            written.push('\u{c}');
        }
        written.push_str(&if options.layout { text::layout(content) } else { text::plain(content) });
        super::within_output(written.len() as u64, &request.limits)
    })?;
    let whole = text::Document::new(contents, options.headers_footers);
    match options.format {
        Format::Text => {}
        Format::Markdown => written = text::markdown(&whole),
        Format::Html => written = text::html(&whole, &document.metadata(c"Title")),
        Format::Json => written = text::json(&whole).map_err(|error| Failure::internal(error.to_string()))?,
    }
    super::within_output(written.len() as u64, &request.limits)?;
    let media = options.format.media();
    let file = format!("text.{}", media.extension());
    std::fs::write(request.directory.join(&file), written).map_err(|error| super::io_failure(&error))?;
    let artifact = Artifact::new(file, media);
    let mut warnings = no_text(empty, pages.len());
    warnings.extend(low_confidence(confidences.into_iter()));
    warnings.extend(skipped);
    if options.format == Format::Markdown {
        warnings.extend(dropped(whole.running_lines()));
    }
    Ok(Outcome { artifacts: vec![artifact], warnings, ..Outcome::default() })
}

/// A copy in which what fields show is content of the pages.
fn with_fields<'s>(
    engines: &Engines,
    session: &'s Session<'s>,
    request: &Request,
    pages: u32,
) -> Result<Document<'s>, Failure> {
    let path = request.directory.join("fields.pdf");
    flatten::draw_fields(engines, request, &path)?;
    let copy = Document::open(session, &path, None)?;
    // The open file can still be read after it is removed.
    std::fs::remove_file(&path).map_err(|error| super::io_failure(&error))?;
    if copy.pages() != pages {
        return Err(Failure::internal("the copy with fields has other pages"));
    }
    Ok(copy)
}

fn fields_skipped(failure: &Failure) -> Warning {
    let message =
        format!("What the form fields of the PDF show could not be read, and is left out. {}", failure.message);
    Warning::new("fields_skipped", message)
}

fn dropped(lines: usize) -> Option<Warning> {
    let message = format!(
        "{lines} line(s) were left out, since they repeat in the margins of several pages: headers, footers and page numbers. To \
         keep them, send `headersFooters` as `keep`."
    );
    (lines > 0).then(|| Warning::new("headers_footers_dropped", message))
}

fn no_text(empty: usize, pages: usize) -> Vec<Warning> {
    if empty == 0 {
        return Vec::new();
    }
    let message = if empty == pages {
        "The PDF has no text, only pictures or drawings: it may be a scan.".to_owned()
    } else {
        format!("{empty} of {pages} pages have no text: they may be scans.")
    };
    vec![Warning::new("no_text", message)]
}
