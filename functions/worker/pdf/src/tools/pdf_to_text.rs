//! pdf-to-text: extracts text as plain text, Markdown, JSON or HTML.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use docmill_formats::Format;
use docmill_pdf_core::pdfium::Session;
use docmill_pdf_extract::pdf::Keep;
use docmill_pdf_extract::pictures::{Images, Pictures};
use docmill_pdf_extract::write::markdown;
use docmill_pdf_request::{Artifact, Failure, Limits, Outcome, Request, Warning};
use docmill_pdf_text::spool::Scratch;
use docmill_pdf_text::{HeadersFooters, Pages};
use serde::Deserialize;

use super::extract_document::{Reader, hidden_text};
use super::ocr_pdf::low_confidence;
use super::pdf_pages::{self, Opened, Recognition, Recognize};
use crate::Engines;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    format: TextFormat,
    layout: bool,
    headers_footers: HeadersFooters,
    pages: Option<String>,
    ocr: Recognize,
    languages: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: TextFormat::Text,
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
enum TextFormat {
    #[default]
    Text,
    Markdown,
    Json,
    Html,
}

impl TextFormat {
    const fn media(self) -> Format {
        match self {
            Self::Text => Format::Txt,
            Self::Markdown => Format::Markdown,
            Self::Json => Format::Json,
            Self::Html => Format::Html,
        }
    }
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let session = engines.libraries.pdfium()?.session();
    let media = options.format.media();
    let file = format!("text.{}", media.extension());
    let mut output = Output::new(&request.directory.join(&file), &request.limits)?;
    let warnings = match options.format {
        TextFormat::Markdown => structured(engines, &session, request, &options, &mut output)?,
        TextFormat::Text => read(engines, &session, request, &options, None, &mut output)?,
        TextFormat::Json => read(engines, &session, request, &options, Some(Whole::Json), &mut output)?,
        TextFormat::Html => read(engines, &session, request, &options, Some(Whole::Html), &mut output)?,
    };
    output.end()?;
    Ok(Outcome { artifacts: vec![Artifact::new(file, media)], warnings, ..Outcome::default() })
}

/// Markdown, as `extract-document` makes it.
fn structured(
    engines: &Engines,
    session: &Session<'_>,
    request: &Request,
    options: &Options,
    output: &mut Output<'_>,
) -> Result<Vec<Warning>, Failure> {
    let mut recognition = Recognition::new(engines, request, options.ocr, &options.languages);
    let mut pictures = Pictures::new(Images::None, &request.directory, &request.limits, String::new());
    let (pages, headers_footers) = (options.pages.as_deref(), options.headers_footers);
    let keep = Keep { headers_footers, words: false };
    let reader = Reader { engines, session, request, pages, keep };
    let most = request.limits.pages as usize;
    let (document, mut warnings) = reader.read(super::only_source(request)?, &mut recognition, &mut pictures, most)?;
    warnings.extend(hidden_text(&document));
    output.write(&markdown(&document))?;
    Ok(warnings)
}

/// Formats that need all pages before the first is written.
enum Whole {
    Json,
    Html,
}

/// The other formats, which have all text. Plain text is written page by page.
fn read(
    engines: &Engines,
    session: &Session<'_>,
    request: &Request,
    options: &Options,
    whole: Option<Whole>,
    output: &mut Output<'_>,
) -> Result<Vec<Warning>, Failure> {
    let mut recognition = Recognition::new(engines, request, options.ocr, &options.languages);
    let source = super::only_source(request)?;
    let opened = Opened::new(engines, session, request, source, options.pages.as_deref())?;
    let structure = whole.is_some();
    let mut pages = Pages::new(Scratch::of(request), options.headers_footers)
        .with_outline(&opened.document.metadata(c"Title"), &opened.document.bookmarks());
    let mut empty = 0;
    let mut confidences = Vec::new();
    opened.for_each(|index, page| {
        let read = recognition.page(&opened, page, index, docmill_pdf_text::read(page, index + 1, structure)?)?;
        confidences.push((index + 1, read.confidence));
        empty += usize::from(read.content.is_empty());
        if structure {
            return pages.push(&read.content);
        }
        // A form feed between pages, as pdftotext writes it.
        if opened.pages.first() != Some(&index) {
            output.write("\u{c}")?;
        }
        output.write(&if options.layout {
            docmill_pdf_text::layout(read.content)
        } else {
            docmill_pdf_text::plain(read.content)
        })
    })?;
    let document = pages.document()?;
    let write = |text: &str| output.write(text);
    match whole {
        None => {}
        Some(Whole::Html) => docmill_pdf_text::html(&document, &opened.document.metadata(c"Title"), write)?,
        Some(Whole::Json) => docmill_pdf_text::json(&document, write)?,
    }
    let mut warnings: Vec<_> = pdf_pages::no_text(empty, opened.pages.len(), options.ocr).into_iter().collect();
    warnings.extend(low_confidence(confidences.into_iter(), false));
    warnings.extend(opened.warning());
    Ok(warnings)
}

/// The file that is written.
struct Output<'l> {
    file: BufWriter<File>,
    bytes: u64,
    limits: &'l Limits,
}

impl<'l> Output<'l> {
    fn new(path: &Path, limits: &'l Limits) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| Failure::io(&error))?;
        Ok(Self { file: BufWriter::new(file), bytes: 0, limits })
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes += text.len() as u64;
        super::within_output(self.bytes, self.limits)?;
        self.file.write_all(text.as_bytes()).map_err(|error| Failure::io(&error))
    }

    fn end(mut self) -> Result<(), Failure> {
        self.file.flush().map_err(|error| Failure::io(&error))
    }
}
