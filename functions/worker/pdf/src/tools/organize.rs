//! organize-pdf: selects, orders, rotates and crops pages, and puts several on a sheet.

use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request, Warning};
use docmill_pdf_structure::assembly::{Bookmarks, Source, has_repeated};
use docmill_pdf_structure::impose::{self, Grid};
use docmill_pdf_structure::{Assembly, PageUse, Part, open_deferring};
use serde::Deserialize;

use super::{options, page_indices, pdf};
use docmill_pdf_core::Libraries;

const RESULT: &str = "result.pdf";
/// The smallest size of a cropped page, in points.
const SMALLEST: f32 = 3.0;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Options {
    pages: Option<String>,
    rotate: Vec<Rotate>,
    crop: Option<Crop>,
    n_up: Option<u8>,
    booklet: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rotate {
    #[serde(default)]
    pages: Option<String>,
    degrees: i64,
}

/// How much to crop at each edge of the shown page, in points.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Crop {
    top: f32,
    right: f32,
    bottom: f32,
    left: f32,
    pages: Option<String>,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let opened = open_deferring(libraries, request, 0)?.without_claim();
    let mut warnings = opened.warnings;
    let mut source = Source::read(opened.document, request.limits.pages)?.deferring(opened.held);
    let mut used = chosen(request, &options, &source)?;
    turn(&options.rotate, &mut used)?;
    if let Some(crop) = &options.crop {
        cut(crop, &source, &mut used)?;
    }
    if let Some(grid) = grid(&options) {
        used = source.with_copies(&used);
        if source.is_tagged() && has_repeated(&used) {
            warnings.push(Warning::new("tags_removed", "The pages on the sheets have no tags for screen readers."));
            warnings.extend(source.renounce_pdfua());
            source.remove_tags();
        }
        let order = if options.booklet { impose::booklet(&used) } else { used.into_iter().map(Some).collect() };
        impose::impose(&mut source, &order, grid)?;
        used = (0..source.pages.len()).map(PageUse::of).collect();
    }
    let mut assembly = Assembly::create(&request.directory.join(RESULT), &request.limits, false)?;
    let part = Part { pages: &used, bookmarks: Bookmarks::Keep, attachments: true, again: false };
    assembly.add(&mut source, &part)?;
    let assembled = assembly.finish()?;
    warnings.extend(assembled.warnings);
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: None, warnings })
}

fn chosen(request: &Request, options: &Options, source: &Source) -> Result<Vec<PageUse>, Failure> {
    let own = request.sources.first().and_then(|source| source.page_range.as_deref());
    let offered = page_indices(own, "pageRange", source.pages.len(), request.limits.pages)?;
    let chosen = page_indices(options.pages.as_deref(), "pages", offered.len(), request.limits.pages)?;
    Ok(chosen.iter().filter_map(|page| offered.get(*page as usize)).map(|page| PageUse::of(*page as usize)).collect())
}

fn turn(rotate: &[Rotate], used: &mut [PageUse]) -> Result<(), Failure> {
    for (position, rotate) in rotate.iter().enumerate() {
        let limit = u32::try_from(used.len()).unwrap_or(u32::MAX);
        for page in page_indices(rotate.pages.as_deref(), &format!("rotate[{position}].pages"), used.len(), limit)? {
            if let Some(page) = used.get_mut(page as usize) {
                page.turn += rotate.degrees;
            }
        }
    }
    Ok(())
}

fn cut(crop: &Crop, source: &Source, used: &mut [PageUse]) -> Result<(), Failure> {
    let limit = u32::try_from(used.len()).unwrap_or(u32::MAX);
    for position in page_indices(crop.pages.as_deref(), "crop.pages", used.len(), limit)? {
        let Some(used) = used.get_mut(position as usize) else { continue };
        let Some(page) = source.page(used.index) else { continue };
        let PageSpace { visible, rotation, unit } = PageSpace::of(&source.document, page).turned(used.turn);
        // Clockwise from the top of the shown page, which /Rotate may have moved.
        let mut edges = [crop.top, crop.right, crop.bottom, crop.left].map(|points| points / unit);
        edges.rotate_left(usize::try_from(rotation / 90).unwrap_or_default() % 4);
        let [top, right, bottom, left] = edges;
        let cut = Rectangle {
            left: visible.left + left,
            bottom: visible.bottom + bottom,
            right: visible.right - right,
            top: visible.top - top,
        };
        if cut.width() * unit < SMALLEST || cut.height() * unit < SMALLEST {
            return Err(Failure::new(
                ErrorCode::RenderFailed,
                format!("`crop` leaves nothing of page {}: cut off less, or name pages in `crop.pages`.", position + 1),
                "crop beyond the page",
            ));
        }
        used.crop = Some(cut);
    }
    Ok(())
}

fn grid(options: &Options) -> Option<Grid> {
    if options.booklet {
        return Some(Grid { columns: 2, rows: 1 });
    }
    match options.n_up? {
        2 => Some(Grid { columns: 2, rows: 1 }),
        4 => Some(Grid { columns: 2, rows: 2 }),
        9 => Some(Grid { columns: 3, rows: 3 }),
        _ => None,
    }
}
