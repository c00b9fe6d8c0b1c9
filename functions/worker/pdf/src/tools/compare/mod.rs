//! compare-documents: shows what differs between two versions of a document, as pages or as data.

mod sheets;

use docmill_formats::Format;
use docmill_pdf_core::image::similarity;
use docmill_pdf_core::pdfium::{Background, Document, Session};
use docmill_pdf_request::{Artifact, Failure, Outcome, Request, Warning};
use serde::Deserialize;

use super::raster::{self, Fit, Size};
use super::{options, within_output};
use crate::compare::{self, Changed, ComparedPage, Content, Picture, Word, areas, changed, pairs};
use docmill_pdf_core::Libraries;

const DATA: &str = "comparison.json";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Options {
    mode: Mode,
    format: ReportFormat,
    dpi: f32,
    only_changed: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { mode: Mode::Visual, format: ReportFormat::Pdf, dpi: 100.0, only_changed: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Compares page by page: pictures and words.
    Visual,
    /// Compares the whole texts, wherever lines and pages end.
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ReportFormat {
    Pdf,
    Json,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let session = libraries.pdfium()?.session();
    let (before, after) =
        (Version::read(libraries, &session, request, 0)?, Version::read(libraries, &session, request, 1)?);
    let compared = pairs(&before.pages, &after.pages).into_iter().map(ComparedPage::of);
    let compared: Vec<ComparedPage> = match options.mode {
        Mode::Text => by_text(&before, &after, compared),
        Mode::Visual => compared
            .map(|page| by_look(&before, &after, page, options.dpi, request.limits.pixels))
            .collect::<Result<_, _>>()?,
    };
    let mut warnings: Vec<Warning> = no_text(options.mode, &before, &after).into_iter().collect();
    warnings.extend([&before, &after].into_iter().find_map(|version| raster::fields_skipped(&version.document)));
    let artifact = match options.format {
        ReportFormat::Json => write_data(request, &compared)?,
        ReportFormat::Pdf => {
            let sizes = [before.sizes(), after.sizes()];
            // pdfium closes the documents before their structure is read.
            drop((before, after));
            let (artifact, more) = sheets::write(libraries, request, &compared, sizes, options.only_changed)?;
            warnings.extend(more);
            artifact
        }
    };
    Ok(Outcome { artifacts: vec![artifact], report: Some(compare::report(&compared)), warnings })
}

/// One of the two documents, open and read.
struct Version<'s> {
    document: Document<'s>,
    pages: Vec<Content>,
}

impl<'s> Version<'s> {
    fn read(
        libraries: &Libraries,
        session: &'s Session<'s>,
        request: &Request,
        position: usize,
    ) -> Result<Self, Failure> {
        let source = request.sources.get(position).ok_or_else(|| Failure::internal(format!("no source {position}")))?;
        let document = raster::open(libraries, session, request, source)?;
        let mut pages = Vec::new();
        document.for_each_page(0..raster::page_count(&document, request)?, |index, page| {
            pages.push(Content::read(page, index + 1)?);
            Ok(())
        })?;
        Ok(Self { document, pages })
    }

    /// A page's picture at this size, on a white canvas of size `canvas`.
    fn picture(&self, index: usize, size: Size, canvas: Size) -> Result<Picture, Failure> {
        let page = self.document.page(u32::try_from(index).unwrap_or(u32::MAX))?;
        let drawn = page.render(size.width, size.height, Background::Color([255; 3]))?;
        Ok(Picture::on_canvas(drawn, canvas.width, canvas.height))
    }

    fn words(&self) -> Vec<&[Word]> {
        self.pages.iter().map(|page| page.words.as_slice()).collect()
    }

    fn has_text(&self) -> bool {
        self.pages.iter().any(|page| !page.words.is_empty())
    }

    fn sizes(&self) -> Vec<(f32, f32)> {
        self.pages.iter().map(|page| page.size).collect()
    }
}

fn no_text(mode: Mode, before: &Version<'_>, after: &Version<'_>) -> Option<Warning> {
    let message = "A document has no text, only pictures or drawings. Compare them with mode `visual`.";
    (mode == Mode::Text && !(before.has_text() && after.has_text())).then(|| Warning::new("no_text", message))
}

/// Compares all words of one document with all words of the other.
fn by_text(before: &Version<'_>, after: &Version<'_>, pages: impl Iterator<Item = ComparedPage>) -> Vec<ComparedPage> {
    let (old, new) = (before.words(), after.words());
    let (removed, added) = changed(&old, &new);
    let (mut removed, mut added) = (by_page(removed, old.len()), by_page(added, new.len()));
    let finish = |mut page: ComparedPage| {
        let take = |lists: &mut Vec<Vec<Changed>>, index: Option<usize>| {
            index.and_then(|index| lists.get_mut(index)).map(std::mem::take).unwrap_or_default()
        };
        let count = |lists: &[&[Word]], index: Option<usize>| {
            index.and_then(|index| lists.get(index)).map_or(0, |words| words.len())
        };
        page.removed = take(&mut removed, page.pair.before);
        page.added = take(&mut added, page.pair.after);
        let all = count(&old, page.pair.before) + count(&new, page.pair.after);
        let changed: usize = page.removed.iter().chain(&page.added).map(|change| change.words).sum();
        page.similarity = if all == 0 { 1.0 } else { 1.0 - changed as f64 / all as f64 };
        page
    };
    pages.map(finish).collect()
}

fn by_page(changes: Vec<Changed>, pages: usize) -> Vec<Vec<Changed>> {
    let mut lists = vec![Vec::new(); pages];
    for change in changes {
        if let Some(list) = lists.get_mut(change.page) {
            list.push(change);
        }
    }
    lists
}

/// Compares two pages that belong together by their pictures and their words.
fn by_look(
    before: &Version<'_>,
    after: &Version<'_>,
    mut page: ComparedPage,
    dpi: f32,
    most_pixels: u64,
) -> Result<ComparedPage, Failure> {
    let (Some(old_index), Some(new_index)) = (page.pair.before, page.pair.after) else { return Ok(page) };
    let (Some(old), Some(new)) = (before.pages.get(old_index), after.pages.get(new_index)) else { return Ok(page) };
    (page.removed, page.added) = changed(&[&old.words], &[&new.words]);
    let size = |content: &Content| raster::size(content.size, &Fit::Dpi(dpi), most_pixels);
    let (old, new) = (size(old)?, size(new)?);
    let canvas = Size { width: old.width.max(new.width), height: old.height.max(new.height) };
    let (old, new) = (before.picture(old_index, old, canvas)?, after.picture(new_index, new, canvas)?);
    page.areas = areas(&old, &new, dpi);
    page.similarity = similarity(&old.bitmap, &new.bitmap).unwrap_or(0.0).max(0.0);
    Ok(page)
}

fn write_data(request: &Request, compared: &[ComparedPage]) -> Result<Artifact, Failure> {
    let written = compare::data(compared).to_string();
    within_output(written.len() as u64, &request.limits)?;
    std::fs::write(request.directory.join(DATA), written).map_err(|error| Failure::io(&error))?;
    Ok(Artifact::new(DATA, Format::Json))
}
