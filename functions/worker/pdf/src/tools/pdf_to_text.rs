//! pdf-to-text: extracts text as plain text, Markdown, JSON or HTML.

use serde::Deserialize;

use super::extract_document::{Reader, hidden_text};
use super::ocr_pdf::low_confidence;
use super::pdf_pages::{self, Opened, Recognition, Recognize};
use crate::extract::pictures::{Images, Pictures};
use crate::extract::write::markdown;
use crate::pdfium::Session;
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
    let session = engines.pdfium()?.session();
    let (written, warnings) = match options.format {
        Format::Markdown => structured(engines, &session, request, &options)?,
        Format::Text | Format::Json | Format::Html => read(engines, &session, request, &options)?,
    };
    super::within_output(written.len() as u64, &request.limits)?;
    let media = options.format.media();
    let file = format!("text.{}", media.extension());
    std::fs::write(request.directory.join(&file), written).map_err(|error| super::io_failure(&error))?;
    Ok(Outcome { artifacts: vec![Artifact::new(file, media)], warnings, ..Outcome::default() })
}

/// Markdown, as `extract-document` makes it.
fn structured(
    engines: &Engines,
    session: &Session<'_>,
    request: &Request,
    options: &Options,
) -> Result<(String, Vec<Warning>), Failure> {
    let mut recognition = Recognition::new(engines, request, options.ocr, &options.languages);
    let mut pictures = Pictures::new(Images::None, &request.directory, &request.limits, String::new());
    let (pages, headers_footers) = (options.pages.as_deref(), options.headers_footers);
    let reader = Reader { engines, session, request, pages, headers_footers };
    let most = request.limits.pages as usize;
    let (document, mut warnings) = reader.read(super::only_source(request)?, &mut recognition, &mut pictures, most)?;
    warnings.extend(hidden_text(&document));
    Ok((markdown(&document), warnings))
}

/// The other formats, which have all text.
fn read(
    engines: &Engines,
    session: &Session<'_>,
    request: &Request,
    options: &Options,
) -> Result<(String, Vec<Warning>), Failure> {
    let mut recognition = Recognition::new(engines, request, options.ocr, &options.languages);
    let source = super::only_source(request)?;
    let opened = Opened::new(engines, session, request, source, options.pages.as_deref())?;
    let structure = options.format != Format::Text;
    let mut written = String::new();
    let mut contents = Vec::new();
    let mut empty = 0;
    let mut confidences = Vec::new();
    opened.for_each(|index, page| {
        let read = recognition.page(&opened, page, index, text::read(page, index + 1, structure)?)?;
        confidences.push((index + 1, read.confidence));
        empty += usize::from(read.content.is_empty());
        if structure {
            contents.push(read.content);
            return Ok(());
        }
        // A form feed between pages, as pdftotext writes it.
        if opened.pages.first() != Some(&index) {
            written.push('\u{c}');
        }
        written.push_str(&if options.layout { text::layout(read.content) } else { text::plain(read.content) });
        super::within_output(written.len() as u64, &request.limits)
    })?;
    let whole = || text::Document::new(contents, options.headers_footers);
    match options.format {
        Format::Text | Format::Markdown => {}
        Format::Html => written = text::html(&whole(), &opened.document.metadata(c"Title")),
        Format::Json => written = text::json(&whole()).map_err(|error| Failure::internal(error.to_string()))?,
    }
    let mut warnings: Vec<_> = pdf_pages::no_text(empty, opened.pages.len()).into_iter().collect();
    warnings.extend(low_confidence(confidences.into_iter()));
    warnings.extend(opened.warning());
    Ok((written, warnings))
}
