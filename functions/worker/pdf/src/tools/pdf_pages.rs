//! Shared by the tools that read the text of PDFs: their pages, with what form fields show, and by OCR where that is asked for.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use docmill_domain::counted;
use docmill_pdf_core::pdfium::{Document, Page, Rect, Session, Widget};
use docmill_pdf_ocr::{How, Orienter, PageText, Reader, Sizes};
use docmill_pdf_request::{Failure, Request, Source, Warning};
use docmill_pdf_text::PageContent;
use serde::Deserialize;

use super::ocr_pdf::{numbers, reader};
use super::{flatten, raster};
use crate::Engines;

/// Which pages are read by OCR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Recognize {
    Never,
    /// Pages without text.
    Auto,
    Always,
}

/// OCR as it was asked for. Its models are loaded for the first page that needs them.
pub(super) struct Recognition<'e> {
    engines: &'e Engines,
    pub(super) when: Recognize,
    languages: &'e [String],
    how: How,
    reader: Option<Reader>,
    orienter: Option<Orienter<'e>>,
    sizes: Sizes,
}

impl<'e> Recognition<'e> {
    pub(super) fn new(engines: &'e Engines, request: &Request, when: Recognize, languages: &'e [String]) -> Self {
        Self {
            engines,
            when,
            languages,
            how: How { dpi: None, rotate: false, deskew: false, straighten: true, pixels: request.limits.pixels },
            reader: None,
            orienter: None,
            sizes: Sizes::default(),
        }
    }

    /// Reads a page by OCR, if it is one of those that are. `content`: its own text.
    pub(super) fn page(
        &mut self,
        opened: &Opened<'_>,
        page: &Page<'_>,
        index: u32,
        content: PageContent,
    ) -> Result<ReadPage, Failure> {
        let is_read = match self.when {
            Recognize::Never => false,
            Recognize::Auto => content.is_empty() || opened.shows_only_fields(index)?,
            Recognize::Always => true,
        };
        if !is_read {
            return Ok(ReadPage { content, confidence: None, recognized: Recognized::No });
        }
        let read = self.read(page, &[], true)?;
        let words = docmill_pdf_ocr::placed(&read, page.view_size(read.view), &mut self.sizes);
        let content = docmill_pdf_text::of_words(page, index + 1, read.view, words);
        Ok(ReadPage { content, confidence: read.text.confidence(), recognized: Recognized::All })
    }

    /// Adds the words in pictures of a page that has text beside them, if they are read by OCR at all.
    pub(super) fn pictures(&mut self, page: &Page<'_>, of: &mut ReadPage, pictures: &[Rect]) -> Result<(), Failure> {
        let is_wanted = self.when == Recognize::Auto && of.recognized == Recognized::No && of.content.angle == 0;
        if !is_wanted || pictures.is_empty() {
            return Ok(());
        }
        // The words go beside the page's own, as it lies.
        let read = self.read(page, &page.visible_text(), false)?;
        let (mut words, _) = docmill_pdf_ocr::placed(&read, page.size(), &mut self.sizes);
        words.retain(|word| pictures.iter().any(|picture| picture.contains(word.area.center())));
        if !words.is_empty() {
            of.content
                .words
                .extend(docmill_pdf_text::of_words(page, of.content.number, read.view, (words, Vec::new())).words);
            (of.confidence, of.recognized) = (read.text.confidence(), Recognized::Pictures);
        }
        Ok(())
    }

    fn read(&mut self, page: &Page<'_>, without: &[Rect], straighten: bool) -> Result<PageText, Failure> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => none.insert(reader(self.engines, self.languages)?),
        };
        let orienter = match &mut self.orienter {
            Some(orienter) => orienter,
            none => none.insert(Orienter::new(self.engines.tesseract()?)),
        };
        docmill_pdf_ocr::read(page, reader, orienter, &How { straighten, ..self.how }, without)
    }
}

/// An open PDF whose pages are read.
pub(super) struct Opened<'s> {
    engines: &'s Engines,
    session: &'s Session<'s>,
    request: &'s Request,
    source: &'s Source,
    pub(super) document: Document<'s>,
    /// With the text of fields and annotations as content of the pages. It is made for the first page that has some.
    copy: OnceCell<Result<Document<'s>, Failure>>,
    /// The selected pages, counted from 0.
    pub(super) pages: Vec<u32>,
}

/// The text of a page.
pub(super) struct ReadPage {
    pub(super) content: PageContent,
    /// Of what OCR has read, from 0 to 100: `None` if it found nothing, or has not read the page.
    pub(super) confidence: Option<f32>,
    pub(super) recognized: Recognized,
}

/// How much of a page's text is from OCR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recognized {
    No,
    /// Text in some of its pictures.
    Pictures,
    All,
}

impl<'s> Opened<'s> {
    pub(super) fn new(
        engines: &'s Engines,
        session: &'s Session<'s>,
        request: &'s Request,
        source: &'s Source,
        pages: Option<&str>,
    ) -> Result<Self, Failure> {
        let document = raster::open(&engines.libraries, session, request, source)?;
        let pages = raster::pages(&document, pages, request)?;
        let opened = Self { engines, session, request, source, document, copy: OnceCell::new(), pages };
        if opened.document.has_form() {
            opened.copy();
        }
        Ok(opened)
    }

    /// Reads the selected pages, one after the other.
    pub(super) fn for_each(&self, mut each: impl FnMut(u32, &Page<'_>) -> Result<(), Failure>) -> Result<(), Failure> {
        let mut pages = self.pages.as_slice();
        if self.drawn().is_none() {
            self.document.for_each_page_until(self.pages.iter().copied(), |index, page| {
                if page.shows_notes() && self.copy().is_some() {
                    return Ok(ControlFlow::Break(()));
                }
                each(index, page)?;
                pages = pages.get(1..).unwrap_or_default();
                Ok(ControlFlow::Continue(()))
            })?;
        }
        self.drawn().map_or(Ok(()), |copy| copy.for_each_page(pages.iter().copied(), each))
    }

    /// The copy, if there is one so far.
    fn drawn(&self) -> Option<&Document<'s>> {
        self.copy.get()?.as_ref().ok()
    }

    /// The copy. `None` if it can't be made.
    fn copy(&self) -> Option<&Document<'s>> {
        self.copy.get_or_init(|| self.with_texts()).as_ref().ok()
    }

    fn with_texts(&self) -> Result<Document<'s>, Failure> {
        let path = self.request.directory.join("texts.pdf");
        let alone = Request { sources: vec![self.source.clone()], ..self.request.clone() };
        flatten::draw_texts(&self.engines.libraries, &alone, &path)?;
        let copy = Document::open(self.session, &path, None)?;
        // The open file can still be read after it is removed.
        std::fs::remove_file(&path).map_err(|error| Failure::io(&error))?;
        if copy.pages() != self.document.pages() {
            return Err(Failure::internal("the copy with fields has other pages"));
        }
        Ok(copy)
    }

    /// Whether all text of a page is that of fields and annotations, as on a scan with fields.
    fn shows_only_fields(&self, index: u32) -> Result<bool, Failure> {
        Ok(self.drawn().is_some() && self.document.page(index)?.text()?.is_empty())
    }

    /// The form fields of a page.
    pub(super) fn fields(&self, index: u32) -> Result<Vec<Widget>, Failure> {
        let has_fields = self.document.has_form() && self.drawn().is_some();
        if has_fields { Ok(self.document.page(index)?.widgets()) } else { Ok(Vec::new()) }
    }

    /// What fields and annotations show could not be read.
    pub(super) fn warning(self) -> Option<Warning> {
        self.copy.into_inner()?.err().map(|failure| fields_skipped(&failure))
    }
}

fn fields_skipped(failure: &Failure) -> Warning {
    let message = format!(
        "The text of the PDF's form fields and annotations could not be read, and is left out. {}",
        failure.message
    );
    Warning::new("fields_skipped", message)
}

/// Headers and footers that are left out.
pub(super) fn dropped(lines: usize) -> Option<Warning> {
    let message = format!(
        "Headers, footers and page numbers were left out: {}. To keep them, send `headersFooters` as `keep`.",
        counted(lines as u64, "line")
    );
    (lines > 0).then(|| Warning::new("headers_footers_dropped", message))
}

/// Pages with text that can't be read.
pub(super) fn unreadable(pages: &[u32]) -> Option<Warning> {
    let message = format!(
        "The text of {} is in fonts that can't be read or drawn: {}. To recognize what is drawn by OCR, send `ocr` as `always`.",
        counted(pages.len() as u64, "page"),
        numbers(pages)
    );
    (!pages.is_empty()).then(|| Warning::new("text_unreadable", message))
}

/// Pages without text. `ocr`: what was asked for.
pub(super) fn no_text(empty: usize, pages: usize, ocr: Recognize) -> Option<Warning> {
    let mut message = match empty {
        0 => return None,
        empty if empty == pages => "The PDF has no text, only pictures or drawings: it may be a scan.".to_owned(),
        empty => format!("{empty} of {pages} pages have no text: they may be scans."),
    };
    match ocr {
        Recognize::Never => message += " To recognize text in pictures by OCR, send `ocr` as `auto`.",
        Recognize::Auto | Recognize::Always => {}
    }
    Some(Warning::new("no_text", message))
}
