//! pdf-to-text: extracts text as plain text, Markdown, JSON or HTML.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use serde::Deserialize;

use super::ocr_pdf::low_confidence;
use super::pdf_pages::{self, Opened, Recognition, Recognize};
use crate::spool::Scratch;
use crate::text::{self, HeadersFooters, Pages};
use crate::{Artifact, Engines, Failure, Limits, Media, Outcome, Request};

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
    let mut recognition = Recognition::new(engines, request, options.ocr, &options.languages);
    let session = engines.pdfium()?.session();
    let source = super::only_source(request)?;
    let opened = Opened::new(engines, &session, request, source, options.pages.as_deref())?;
    let structure = options.format != Format::Text;
    let media = options.format.media();
    let file = format!("text.{}", media.extension());
    let mut output = Output::new(&request.directory.join(&file), &request.limits)?;
    let mut pages = Pages::new(Scratch::of(request), options.headers_footers);
    let mut empty = 0;
    let mut confidences = Vec::new();
    opened.for_each(|index, page| {
        let read = recognition.page(&opened, page, index, text::read(page, index + 1, structure)?)?;
        confidences.push((index + 1, read.confidence));
        empty += usize::from(read.content.is_empty());
        if structure {
            return pages.push(&read.content);
        }
        // A form feed between pages, as pdftotext writes it.
        if opened.pages.first() != Some(&index) {
            output.write("\u{c}")?;
        }
        output.write(&if options.layout { text::layout(read.content) } else { text::plain(read.content) })
    })?;
    let whole = pages.document()?;
    let write = |text: &str| output.write(text);
    match options.format {
        Format::Text => {}
        Format::Markdown => text::markdown(&whole, write)?,
        Format::Html => text::html(&whole, &opened.document.metadata(c"Title"), write)?,
        Format::Json => text::json(&whole, write)?,
    }
    output.end()?;
    let artifact = Artifact::new(file, media);
    let mut warnings: Vec<_> = pdf_pages::no_text(empty, opened.pages.len()).into_iter().collect();
    warnings.extend(low_confidence(confidences.into_iter()));
    warnings.extend(opened.warning());
    if options.format == Format::Markdown {
        warnings.extend(pdf_pages::dropped(whole.running_lines()));
    }
    Ok(Outcome { artifacts: vec![artifact], warnings, ..Outcome::default() })
}

/// The file that is written.
struct Output<'l> {
    file: BufWriter<File>,
    bytes: u64,
    limits: &'l Limits,
}

impl<'l> Output<'l> {
    fn new(path: &Path, limits: &'l Limits) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| super::io_failure(&error))?;
        Ok(Self { file: BufWriter::new(file), bytes: 0, limits })
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes += text.len() as u64;
        super::within_output(self.bytes, self.limits)?;
        self.file.write_all(text.as_bytes()).map_err(|error| super::io_failure(&error))
    }

    fn end(mut self) -> Result<(), Failure> {
        self.file.flush().map_err(|error| super::io_failure(&error))
    }
}
