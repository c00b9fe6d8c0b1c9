//! pdf-to-office: PDFs as Word documents, workbooks and presentations, by the structure that extract-document finds.

use std::fs::File;
use std::io::BufWriter;

use docmill_formats::Format;
use docmill_package::NewPackage;
use docmill_pdf_extract::model::Document;
use docmill_pdf_extract::pdf::Keep;
use docmill_pdf_extract::pictures::{Images, Pictures};
use docmill_pdf_extract::write::workbook;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Request, Warning};
use docmill_pdf_text::HeadersFooters;
use docmill_pdf_to_office::{Layout, Source, docx, pptx};
use serde::Deserialize;

use super::extract_document::{Reader, hidden_text};
use super::pdf_pages::{Recognition, Recognize};
use crate::Engines;

const NO_TABLES: &str = "No tables were found. The format `docx` has the text.";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    format: OfficeFormat,
    layout: OfficeLayout,
    pages: Option<String>,
    ocr: Recognize,
    languages: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: OfficeFormat::Docx,
            layout: OfficeLayout::Flow,
            pages: None,
            ocr: Recognize::Auto,
            languages: vec!["eng".to_owned()],
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OfficeFormat {
    Docx,
    Xlsx,
    Pptx,
}

impl OfficeFormat {
    const fn media(self) -> Format {
        match self {
            Self::Docx => Format::Docx,
            Self::Xlsx => Format::Xlsx,
            Self::Pptx => Format::Pptx,
        }
    }

    /// What becomes of pictures: tables have none.
    const fn images(self) -> Images {
        match self {
            Self::Docx | Self::Pptx => Images::Files,
            Self::Xlsx => Images::None,
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OfficeLayout {
    Flow,
    Exact,
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let mut recognition = Recognition::new(engines, request, options.ocr, &options.languages);
    let session = engines.libraries.pdfium()?.session();
    let mut pictures = Pictures::new(options.format.images(), &request.directory, &request.limits, String::new());
    let pages = options.pages.as_deref();
    let keep = Keep { headers_footers: HeadersFooters::Keep, words: false };
    let reader = Reader { engines, session: &session, request, pages, keep };
    let most = request.limits.pages as usize;
    let (document, mut warnings) = reader.read(super::only_source(request)?, &mut recognition, &mut pictures, most)?;
    warnings.extend(hidden_text(&document));
    warnings.extend(without_effect(&options));
    let media = options.format.media();
    let file = format!("document.{}", media.extension());
    write(&document, &options, request, &file)?;
    for picture in &pictures.files {
        std::fs::remove_file(request.directory.join(&picture.file)).map_err(|error| Failure::io(&error))?;
    }
    Ok(Outcome { artifacts: vec![Artifact::new(file, media)], warnings, ..Outcome::default() })
}

/// Only Word documents have a layout.
fn without_effect(options: &Options) -> Option<Warning> {
    let has_effect = match (options.layout, options.format) {
        (OfficeLayout::Flow, _) | (OfficeLayout::Exact, OfficeFormat::Docx) => true,
        (OfficeLayout::Exact, OfficeFormat::Xlsx | OfficeFormat::Pptx) => false,
    };
    let message = "`layout` as `exact` has no effect: it is for the format `docx` only.";
    (!has_effect).then(|| Warning::new("option_without_effect", message))
}

fn write(document: &Document, options: &Options, request: &Request, file: &str) -> Result<(), Failure> {
    let path = request.directory.join(file);
    let source = Source { document, pictures: &request.directory, now: request.now };
    let layout = match options.layout {
        OfficeLayout::Flow => Layout::Flow,
        OfficeLayout::Exact => Layout::Exact,
    };
    let save = |package: NewPackage| {
        let target = BufWriter::new(File::create(&path).map_err(|error| Failure::io(&error))?);
        let written = package.write(target).map_err(|error| Failure::internal(format!("package: {error}")))?;
        written.into_inner().map_err(|error| Failure::io(error.error()))
    };
    match options.format {
        OfficeFormat::Docx => drop(save(docx(&source, layout))?),
        OfficeFormat::Pptx => drop(save(pptx(&source))?),
        OfficeFormat::Xlsx => {
            let none = || Failure::new(ErrorCode::RenderFailed, NO_TABLES, "no tables");
            std::fs::write(&path, workbook(document)?.ok_or_else(none)?).map_err(|error| Failure::io(&error))?;
        }
    }
    let bytes = std::fs::metadata(&path).map_err(|error| Failure::io(&error))?.len();
    super::within_output(bytes, &request.limits)
}
