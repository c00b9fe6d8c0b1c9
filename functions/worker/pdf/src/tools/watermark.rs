//! watermark-pdf: puts text or a picture on pages, also page numbers and headers.

use std::collections::HashMap;

use lopdf::{Document, ObjectId};
use serde::Deserialize;

use super::{options, page_indices, pdf};
use crate::label::{self, Align, Look};
use crate::structure::assembly::Source;
use crate::structure::overlay::{self, Drawing, Layer, Role};
use crate::structure::pages::{self, Rectangle};
use crate::structure::transform::Matrix;
use crate::structure::{Assembly, open_deferring, stamp};
use crate::{Engines, ErrorCode, Failure, Outcome, Request, Warning};

const RESULT: &str = "result.pdf";
/// The default size of text, in points, if it fits.
const USUAL_SIZE: f32 = 48.0;
/// Space between tiles, in tile heights.
const TILE_GAP: f32 = 1.0;
/// The most tiles on one page.
const MOST_TILES: f32 = 400.0;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Options {
    text: Option<String>,
    position: Position,
    margin: f32,
    opacity: f32,
    rotation: f32,
    font_size: Option<f32>,
    color: String,
    width: Option<f32>,
    pages: Option<String>,
    layer: Layer,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            text: None,
            position: Position::Center,
            margin: 36.0,
            opacity: 0.3,
            rotation: 0.0,
            font_size: None,
            color: "#808080".to_owned(),
            width: None,
            pages: None,
            layer: Layer::Over,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Position {
    TopLeft,
    Top,
    TopRight,
    Left,
    Center,
    Right,
    BottomLeft,
    Bottom,
    BottomRight,
    Tile,
}

/// Something to put on a page: an object, its size, and the matrix from its units to a box of that size.
#[derive(Clone, Copy, Debug)]
struct Mark {
    form: ObjectId,
    width: f32,
    height: f32,
    matrix: Matrix,
    /// It may be scaled down to fit.
    shrinks: bool,
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let opened = open_deferring(engines, request, 0)?.without_claim();
    let mut warnings = opened.warnings;
    let mut source = Source::read(opened.document, request.limits.pages)?.deferring(opened.held);
    let chosen = page_indices(options.pages.as_deref(), "pages", source.pages.len(), request.limits.pages)?;
    let marks = if request.sources.len() > 1 {
        if options.text.is_some() {
            return Err(refuse("Send either `text` or a stamp, not both."));
        }
        let mark = stamp_mark(engines, request, &options, &mut source.document, &mut warnings)?;
        vec![Some(mark); chosen.len()]
    } else {
        let text = options.text.as_deref().filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| refuse("Give `text`, or a picture or PDF as a second source."))?;
        text_marks(engines, request, &options, text, &mut source, &chosen)?
    };
    let mut translucent = HashMap::new();
    for (index, mark) in chosen.iter().zip(marks) {
        let (Some(mark), Some(page)) = (mark, source.pages.get(*index as usize).copied()) else { continue };
        let Ok(dictionary) = source.document.get_dictionary(page) else { continue };
        let visible = pages::visible_box(&source.document, dictionary);
        let rotation = pages::rotation(&source.document, dictionary);
        let form = if options.opacity < 1.0 {
            *translucent
                .entry(mark.form)
                .or_insert_with(|| see_through(&mut source.document, mark.form, options.opacity))
        } else {
            mark.form
        };
        let drawings: Vec<Drawing> = place(&options, &mark, visible, rotation)
            .into_iter()
            .map(|matrix| Drawing { form, matrix: mark.matrix.then(matrix) })
            .collect();
        overlay::draw(&mut source.document, page, &drawings, options.layer, Role::Artifact);
    }
    let assembled = Assembly::whole(&request.directory.join(RESULT), &request.limits, &mut source)?;
    warnings.extend(assembled.warnings);
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: None, warnings })
}

fn refuse(message: &str) -> Failure {
    Failure::new(ErrorCode::RenderFailed, message, "watermark: options do not fit together")
}

fn stamp_mark(
    engines: &Engines,
    request: &Request,
    options: &Options,
    document: &mut Document,
    warnings: &mut Vec<Warning>,
) -> Result<Mark, Failure> {
    let (stamp, more) = stamp::load(engines, request, 1, document)?;
    warnings.extend(more.into_iter().filter(|warning| warning.code != "signature_broken"));
    let factor = options.width.map_or(1.0, |width| width / stamp.width);
    Ok(Mark {
        form: stamp.form,
        width: stamp.width * factor,
        height: stamp.height * factor,
        matrix: stamp.matrix.then(Matrix::scale(factor)),
        shrinks: options.width.is_none(),
    })
}

/// A mark for each page. Pages with the same text share one.
fn text_marks(
    engines: &Engines,
    request: &Request,
    options: &Options,
    text: &str,
    source: &mut Source,
    chosen: &[u32],
) -> Result<Vec<Option<Mark>>, Failure> {
    let total = source.pages.len().to_string();
    let text = text.replace("{pages}", &total).replace("{date}", &request.today);
    let mut distinct: Vec<String> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    let texts: Vec<usize> = chosen
        .iter()
        .map(|page| {
            let own = text.replace("{page}", &(page + 1).to_string());
            *positions.entry(own.clone()).or_insert_with(|| {
                distinct.push(own);
                distinct.len() - 1
            })
        })
        .collect();
    let look = Look { size: options.font_size.unwrap_or(USUAL_SIZE), color: &options.color, align: Align::Center };
    let labels = label::add(engines.fonts(), &mut source.document, &distinct, look)?;
    let mark = |position: usize| {
        let label = labels.get(position).copied().flatten()?;
        Some(Mark {
            form: label.form,
            width: label.width,
            height: label.height,
            matrix: label.matrix,
            shrinks: options.font_size.is_none(),
        })
    };
    Ok(texts.into_iter().map(mark).collect())
}

fn see_through(document: &mut Document, form: ObjectId, opacity: f32) -> ObjectId {
    let bounds = document
        .get_object(form)
        .ok()
        .and_then(|form| form.as_stream().ok()?.dict.get(b"BBox").ok().cloned())
        // A picture is the unit square.
        .unwrap_or_else(|| Rectangle::of_size(1.0, 1.0).to_object());
    overlay::translucent(document, form, bounds, opacity)
}

/// Where the mark's box goes, in page units: one place, or one for each tile.
fn place(options: &Options, mark: &Mark, visible: Rectangle, rotation: i64) -> Vec<Matrix> {
    let turned = Matrix::rotation(options.rotation);
    let upright = Matrix::upright(visible, rotation);
    let page = upright.apply_to(visible);
    let shown = Matrix::from_upright(visible, rotation);
    let bounds = turned.apply_to(Rectangle::of_size(mark.width, mark.height));
    let (inner_width, inner_height) = (page.width() - 2.0 * options.margin, page.height() - 2.0 * options.margin);
    let fits = (inner_width / bounds.width()).min(inner_height / bounds.height());
    let factor = if mark.shrinks && options.position != Position::Tile { fits.clamp(0.05, 1.0) } else { 1.0 };
    let box_matrix = turned.then(Matrix::scale(factor));
    let bounds = box_matrix.apply_to(Rectangle::of_size(mark.width, mark.height));
    let at = |left: f32, bottom: f32| {
        box_matrix.then(Matrix::translation(left - bounds.left, bottom - bounds.bottom)).then(shown)
    };
    let Some((column, row)) = options.position.cell() else { return tiles(mark, bounds, page, at) };
    let along = |cell: f32, length: f32, own: f32| {
        let free = length - own;
        // Keep the margin at an edge, unless there is less room.
        options.margin.min(free / 2.0) * (1.0 - cell) + (free - options.margin.min(free / 2.0)) * cell
    };
    vec![at(along(column, page.width(), bounds.width()), along(row, page.height(), bounds.height()))]
}

impl Position {
    /// Share of the free space to the left and below: 0, 0.5 or 1.
    const fn cell(self) -> Option<(f32, f32)> {
        Some(match self {
            Self::TopLeft => (0.0, 1.0),
            Self::Top => (0.5, 1.0),
            Self::TopRight => (1.0, 1.0),
            Self::Left => (0.0, 0.5),
            Self::Center => (0.5, 0.5),
            Self::Right => (1.0, 0.5),
            Self::BottomLeft => (0.0, 0.0),
            Self::Bottom => (0.5, 0.0),
            Self::BottomRight => (1.0, 0.0),
            Self::Tile => return None,
        })
    }
}

/// Tiles over the whole page; every other row is shifted by half a tile.
fn tiles(mark: &Mark, bounds: Rectangle, page: Rectangle, at: impl Fn(f32, f32) -> Matrix) -> Vec<Matrix> {
    let gap = TILE_GAP * mark.height.min(mark.width);
    let (mut step_x, mut step_y) = (bounds.width() + gap, bounds.height() + gap);
    let tiles = (page.width() / step_x + 2.0) * (page.height() / step_y + 1.0);
    if tiles > MOST_TILES {
        let apart = (tiles / MOST_TILES).sqrt() * 1.1;
        (step_x, step_y) = (step_x * apart, step_y * apart);
    }
    let rows = (page.height() / step_y).ceil() as usize;
    let columns = (page.width() / step_x).ceil() as usize + 1;
    let positions = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    positions
        .map(|(row, column)| {
            let shift = if row % 2 == 1 { -step_x / 2.0 } else { 0.0 };
            at(column as f32 * step_x + shift, row as f32 * step_y + gap / 2.0)
        })
        .collect()
}
