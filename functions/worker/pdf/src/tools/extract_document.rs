//! extract-document: the structure of documents, each in a file of its own.

use docmill_domain::counted;
use docmill_pdf_core::letters::pages_with_letters;
use docmill_pdf_core::pages::too_many;
use docmill_pdf_core::pdfium::Session;
use docmill_pdf_extract::model::{Document, TextSource};
use docmill_pdf_extract::own;
use docmill_pdf_extract::pdf::{self, Drawings, Facts, Head, Keep, Tags, UnknownText, figures, vectors};
use docmill_pdf_extract::pictures::{Images, Pictures};
use docmill_pdf_extract::write::{WriteOptions, write};
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Request, Source, Warning};
use docmill_pdf_structure::open_deferring;
use docmill_pdf_structure::tagged::Tree;
use docmill_pdf_text::spool::Scratch;
use docmill_pdf_text::{HeadersFooters, Pages};
use serde::Deserialize;

use super::ocr_pdf::low_confidence;
use super::pdf_pages::{self, Opened, ReadPage, Recognition, Recognize, Recognized};
use super::stem;

use crate::Engines;

const NO_TABLES: &str = "No tables were found. The format `json` or `markdown` has the text.";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    #[serde(flatten)]
    write: WriteOptions,
    pages: Option<String>,
    /// The worker prints sources for it. Results of an earlier step are not printed.
    layout: bool,
    ocr: Recognize,
    languages: Vec<String>,
    images: Images,
    headers_footers: HeadersFooters,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            write: WriteOptions::default(),
            pages: None,
            layout: false,
            ocr: Recognize::Auto,
            languages: vec!["eng".to_owned()],
            images: Images::None,
            headers_footers: HeadersFooters::Drop,
        }
    }
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let mut recognition = Recognition::new(engines, request, options.ocr, &options.languages);
    let session = engines.libraries.pdfium()?.session();
    let mut left = request.limits.pages as usize;
    let images = if options.write.takes_pictures() { options.images } else { Images::None };
    let (mut artifacts, mut warnings) = (Vec::new(), Vec::new());
    for (source, number) in request.sources.iter().zip(1..) {
        let prefix = if request.sources.len() > 1 { format!("{number}-") } else { String::new() };
        let mut pictures = Pictures::new(images, &request.directory, &request.limits, prefix.clone());
        let (document, mut told) = if own::reads(source.media) {
            without_pages(&options)?;
            own::read(source, &mut pictures, &request.limits, options.headers_footers)?
        } else {
            let (pages, headers_footers) = (options.pages.as_deref(), options.headers_footers);
            let keep = Keep { headers_footers, words: false };
            let reader = Reader { engines, session: &session, request, pages, keep };
            reader.read(source, &mut recognition, &mut pictures, left)?
        };
        told.extend(hidden_text(&document));
        left = left.saturating_sub(document.pages.len());
        warnings.extend(told.into_iter().map(|warning| of_source(warning, source, request)));
        let mut files = write(&document, &options.write, &prefix, &request.directory, &request.limits)?;
        if files.is_empty() {
            warnings.push(of_source(Warning::new("no_tables", "The document has no tables."), source, request));
        }
        files.append(&mut pictures.files);
        artifacts.append(&mut named(files, source, request));
    }
    if artifacts.is_empty() {
        return Err(Failure::new(ErrorCode::RenderFailed, NO_TABLES, "no tables"));
    }
    Ok(Outcome { artifacts, warnings, ..Outcome::default() })
}

/// A document that is read by its own structure has no pages.
fn without_pages(options: &Options) -> Result<(), Failure> {
    if options.layout || options.pages.is_some() {
        let message = "The document has no pages yet. Add a step that makes a PDF of it before `extract-document`.";
        return Err(Failure::new(ErrorCode::RenderFailed, message, "pages of a document without pages"));
    }
    Ok(())
}

/// The files of a source, the first of which is named after it if there are several in the result.
fn named(mut files: Vec<Artifact>, source: &Source, request: &Request) -> Vec<Artifact> {
    let is_alone = files.len() == 1 && request.sources.len() == 1;
    if let Some(first) = files.first_mut().filter(|first| !is_alone && first.filename.is_none()) {
        first.filename = stem(source.name.as_deref()).map(|stem| format!("{stem}.{}", first.media.extension()));
    }
    files
}

/// Says which of several sources a warning is about.
fn of_source(warning: Warning, source: &Source, request: &Request) -> Warning {
    match &source.name {
        Some(name) if request.sources.len() > 1 => Warning { detail: Some(name.clone()), ..warning },
        Some(_) | None => warning,
    }
}

/// Reads PDFs as documents.
pub(super) struct Reader<'r> {
    pub(super) engines: &'r Engines,
    pub(super) session: &'r Session<'r>,
    pub(super) request: &'r Request,
    pub(super) pages: Option<&'r str>,
    pub(super) keep: Keep,
}

impl Reader<'_> {
    /// Reads a PDF of at most `left` pages.
    pub(super) fn read(
        &self,
        source: &Source,
        recognition: &mut Recognition<'_>,
        pictures: &mut Pictures<'_>,
        left: usize,
    ) -> Result<(Document, Vec<Warning>), Failure> {
        let opened = Opened::new(self.engines, self.session, self.request, source, self.pages)?;
        if opened.pages.len() > left {
            return Err(too_many(self.request.limits.pages));
        }
        let mut drawings = Drawings { pictures, pixels: self.request.limits.pixels, count: 0 };
        // Headers and footers are always told apart.
        let metadata = |key| opened.document.metadata(key);
        let head =
            Head { title: metadata(c"Title"), author: metadata(c"Author"), bookmarks: opened.document.bookmarks() };
        let mut pages =
            Pages::new(Scratch::of(self.request), HeadersFooters::Drop).with_outline(&head.title, &head.bookmarks);
        let (mut facts, mut confidences, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
        let tags = self.tags(source, &opened);
        let mut undrawn = Vec::new();
        opened.for_each(|index, page| {
            let tags = tags.as_ref().and_then(|tags| tags.page(page, index));
            let pdf::Read { content, hidden, looks } = pdf::read(page, index + 1, tags.as_ref())?;
            let mut read = recognition.page(&opened, page, index, content)?;
            let unread = figures::unread(&looks, page.size(), &read.content.words);
            recognition.pictures(page, &mut read, &unread)?;
            let source = text_source(&read);
            if source == TextSource::None && hidden.is_empty() {
                match pdf::unknown_text(page)? {
                    UnknownText::Drawn => unreadable.push(index + 1),
                    UnknownText::NotDrawn => undrawn.push(index + 1),
                    UnknownText::Absent => {}
                }
            }
            let vectors = match read.recognized {
                Recognized::No => vectors::take(page, &mut read.content),
                Recognized::Pictures | Recognized::All => Vec::new(),
            };
            let recognized = if read.recognized == Recognized::No { &[] } else { read.content.words.as_slice() };
            let mut figures = drawings.of(page, index + 1, &looks, recognized, vectors)?;
            if let Some(tags) = tags {
                tags.describe(&mut figures);
                read.content.structure = Some(tags.into_structure());
            }
            confidences.push((index + 1, read.confidence));
            facts.push(Facts {
                source,
                confidence: read.confidence.map_or(1.0, |confidence| confidence.round() / 100.0),
                hidden,
                figures,
                fields: opened.fields(index)?,
            });
            pages.push(&read.content)
        })?;
        let empty = facts.iter().filter(|facts| facts.source == TextSource::None).count();
        let whole = pages.document()?;
        let mut warnings: Vec<Warning> =
            pdf_pages::no_text(empty, opened.pages.len(), recognition.when).into_iter().collect();
        unreadable.append(&mut self.with_letters(source, &undrawn));
        unreadable.sort_unstable();
        warnings.extend(pdf_pages::unreadable(&unreadable));
        warnings.extend(low_confidence(confidences.into_iter(), false));
        if self.keep.headers_footers == HeadersFooters::Drop {
            warnings.extend(pdf_pages::dropped(whole.running_lines()));
        }
        warnings.extend(opened.warning());
        Ok((pdf::document(&whole, facts, self.keep, head)?, warnings))
    }

    /// The tags of a PDF that says that it has some. Without them, it is read by what it looks like.
    fn tags(&self, source: &Source, opened: &Opened<'_>) -> Option<Tags> {
        // What forms draw is not in their tags.
        if !opened.document.is_tagged() || opened.document.has_form() {
            return None;
        }
        Tree::read(&self.structure(source)?).ok().map(Tags::new)
    }

    /// Those of these pages that have letters, although no font draws them.
    fn with_letters(&self, source: &Source, pages: &[u32]) -> Vec<u32> {
        if pages.is_empty() {
            return Vec::new();
        }
        self.structure(source).map_or_else(Vec::new, |document| pages_with_letters(&document, pages))
    }

    /// The objects of a PDF. `None` if they can't be read.
    fn structure(&self, source: &Source) -> Option<lopdf::Document> {
        let alone = Request { sources: vec![source.clone()], ..self.request.clone() };
        Some(open_deferring(&self.engines.libraries, &alone, 0).ok()?.document)
    }
}

fn text_source(read: &ReadPage) -> TextSource {
    match (read.content.is_empty(), read.recognized) {
        (true, _) => TextSource::None,
        (false, Recognized::All) => TextSource::Ocr,
        (false, Recognized::Pictures) => TextSource::Mixed,
        (false, Recognized::No) => TextSource::Text,
    }
}

/// Text that is left out since nobody sees it.
pub(super) fn hidden_text(document: &Document) -> Option<Warning> {
    let lines = document.hidden.len();
    let message = format!(
        "Text that can't be seen in the document was left out: {}. The format `json` of `extract-document` has it in `hidden`, \
         with the reason.",
        counted(lines as u64, "line")
    );
    (lines > 0).then(|| Warning::new("hidden_text", message))
}
