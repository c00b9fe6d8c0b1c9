//! The visual result: pages side by side, with differences marked.

use docmill_pdf_core::pages;
use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_request::{Artifact, Failure, Request, Warning};
use docmill_pdf_structure::assembly::{Bookmarks, Source};
use docmill_pdf_structure::flatten::{self, Annotations, What};
use docmill_pdf_structure::side_by_side::{self, Half, Sheet};
use docmill_pdf_structure::{Assembly, PageUse, Part, open, visible};
use lopdf::{Document, ObjectId};

use crate::compare::{Changed, ComparedPage};
use crate::tools::pdf;
use docmill_pdf_core::Libraries;

const RESULT: &str = "comparison.pdf";

/// One of the two documents, as the sheets show it.
struct Version {
    name: &'static str,
    pages: Vec<ObjectId>,
    /// In points, as the pages are shown.
    sizes: Vec<(f32, f32)>,
}

impl Version {
    fn half(&self, index: Option<usize>, changes: &[Changed], areas: &[Rect]) -> Option<Half> {
        let index = index?;
        let (page, (_, height)) = (*self.pages.get(index)?, *self.sizes.get(index)?);
        let mark = |place: &Rect| Rectangle {
            left: place.x0,
            bottom: height - place.y1,
            right: place.x1,
            top: height - place.y0,
        };
        Some(Half {
            page,
            caption: format!("{}: page {}", self.name, index + 1),
            words: changes.iter().map(|change| mark(&change.place)).collect(),
            areas: areas.iter().map(mark).collect(),
        })
    }
}

/// Writes the sheets. The outline is that of the first document.
pub(super) fn write(
    libraries: &Libraries,
    request: &Request,
    compared: &[ComparedPage],
    [old_sizes, new_sizes]: [Vec<(f32, f32)>; 2],
    only_changed: bool,
) -> Result<(Artifact, Vec<Warning>), Failure> {
    let limit = request.limits.pages;
    let mut warnings = Vec::new();
    let (mut document, old_pages) = flattened(libraries, request, 0, &mut warnings)?;
    let (other, _) = flattened(libraries, request, 1, &mut warnings)?;
    let new_pages = side_by_side::take_over(&mut document, other, limit)?;
    let before = Version { name: "Before", pages: old_pages, sizes: old_sizes };
    let after = Version { name: "After", pages: new_pages, sizes: new_sizes };
    let sheet = |page: &ComparedPage| Sheet {
        before: before.half(page.pair.before, &page.removed, &page.areas),
        after: after.half(page.pair.after, &page.added, &page.areas),
        note: note(page),
    };
    let sheets: Vec<Sheet> = chosen(compared, only_changed).into_iter().map(sheet).collect();
    let drawn = side_by_side::draw(&mut document, &sheets, libraries.fonts())?;
    let mut source = Source::read(document, limit)?;
    let moved = sheets.iter().zip(&drawn).filter_map(|(sheet, page)| Some((sheet.before.as_ref()?.page, *page)));
    source.remove_tags();
    source.replace_pages(drawn.clone(), moved.collect());
    let mut assembly = Assembly::create(&request.directory.join(RESULT), &request.limits, false)?;
    let used: Vec<PageUse> = (0..source.pages.len()).map(PageUse::of).collect();
    assembly.add(&mut source, &Part { pages: &used, bookmarks: Bookmarks::Keep, attachments: false, again: false })?;
    let assembled = assembly.finish()?;
    warnings.extend(assembled.warnings);
    Ok((pdf(RESULT, assembled.pages), warnings))
}

/// A PDF needs a page: if nothing changed, the first pair is shown.
fn chosen(compared: &[ComparedPage], only_changed: bool) -> Vec<&ComparedPage> {
    let mut chosen: Vec<&ComparedPage> = compared.iter().filter(|page| !only_changed || page.is_changed()).collect();
    if chosen.is_empty() {
        chosen.extend(compared.first());
    }
    chosen
}

/// A source and its pages. Annotations, fields and layers are flattened, as a viewer shows them at first.
fn flattened(
    libraries: &Libraries,
    request: &Request,
    position: usize,
    warnings: &mut Vec<Warning>,
) -> Result<(Document, Vec<ObjectId>), Failure> {
    let opened = open(libraries, request, position)?;
    warnings.extend(opened.warnings);
    let mut document = opened.document;
    let tree = pages::read(&mut document, request.limits.pages)?;
    visible::flatten_layers(&mut document, &tree.pages)?;
    flatten::flatten(
        &mut document,
        &tree.pages,
        What { annotations: Annotations::All, forms: true },
        libraries.fonts(),
    )?;
    Ok((document, tree.pages))
}

fn note(page: &ComparedPage) -> String {
    match (page.pair.before, page.pair.after) {
        // Rounded down, so that a changed page is never 100 % similar.
        (Some(_), Some(_)) if page.is_changed() => {
            format!("{:.1} % alike", (page.similarity * 1000.0).floor().min(999.0) / 10.0)
        }
        (Some(_), Some(_)) => "No changes".to_owned(),
        (Some(_), None) => "Removed".to_owned(),
        (None, _) => "Added".to_owned(),
    }
}
