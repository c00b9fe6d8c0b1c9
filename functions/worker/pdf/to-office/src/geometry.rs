//! Where text stands on pages, and what follows from it: margins, and the widths of columns.

use std::collections::HashMap;

use docmill_pdf_extract::model::{Alignment, Block, Cell, Document, Look, Page, Role, Table};

/// The least and the usual margin, in points.
const LEAST: f64 = 18.0;
const USUAL: f64 = 72.0;
/// The narrowest column, in points.
const NARROWEST: f64 = 9.0;
/// Edges within this distance, in points, are the same.
const SAME: f64 = 2.0;

/// Edges in points from the upper left corner of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    pub(crate) fn of([left, top, right, bottom]: [f64; 4]) -> Self {
        Self { left, top, right, bottom }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    pub(crate) fn width(&self) -> f64 {
        (self.right - self.left).max(0.0)
    }

    pub(crate) fn height(&self) -> f64 {
        (self.bottom - self.top).max(0.0)
    }
}

/// What is known of the body of a page: all but headers and footers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub width: f64,
    pub height: f64,
    /// Where its text is: all of the page if it has none.
    pub area: Area,
    pub is_empty: bool,
    /// Where its first footnote begins.
    pub notes: Option<f64>,
    pub characters: usize,
}

/// The bodies of all pages, by their numbers.
#[derive(Debug)]
pub(crate) struct Bodies(HashMap<u32, Body>);

impl Bodies {
    pub(crate) fn of(document: &Document) -> Self {
        let page = |page: &Page| {
            let area = Area { left: 0.0, top: 0.0, right: page.width, bottom: page.height };
            let (width, height) = (page.width, page.height);
            (page.number, Body { width, height, area, is_empty: true, notes: None, characters: 0 })
        };
        let mut bodies: HashMap<u32, Body> = document.pages.iter().map(page).collect();
        for block in document.blocks.iter().filter(|block| !matches!(block.role, Role::Header | Role::Footer)) {
            let is_note = matches!(block.role, Role::Footnote { .. });
            for place in &block.places {
                let Some(body) = bodies.get_mut(&place.page) else { continue };
                let area = Area::of(place.corners);
                body.area = if body.is_empty { area } else { body.area.union(area) };
                body.is_empty = false;
                body.characters += block.text.len();
                if is_note {
                    body.notes = Some(body.notes.map_or(area.top, |top| top.min(area.top)));
                }
            }
        }
        Self(bodies)
    }

    pub(crate) fn get(&self, page: u32) -> Option<&Body> {
        self.0.get(&page)
    }

    /// Where the text of a full page ends.
    pub(crate) fn usual_bottom(&self) -> f64 {
        let full = self.0.values().filter(|body| !body.is_empty).map(|body| body.area.bottom).collect();
        quantile(full, 0.9).unwrap_or(f64::INFINITY)
    }
}

/// The size of a section's pages and their margins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sheet {
    pub width: f64,
    pub height: f64,
    /// Where the text is.
    pub text: Area,
}

impl Sheet {
    /// The sheet of pages of one size. `bodies`: where their text is.
    pub(crate) fn of(width: f64, height: f64, bodies: &[Area]) -> Self {
        let of = |edge: fn(&Area) -> f64, share: f64| quantile(bodies.iter().map(edge).collect(), share);
        let left = of(|area| area.left, 0.25).unwrap_or(USUAL).max(LEAST).min(width / 3.0);
        let top = of(|area| area.top, 0.25).unwrap_or(USUAL).max(LEAST).min(height / 3.0);
        let right = width - of(|area| area.right, 0.9).unwrap_or(width - USUAL);
        let bottom = height - of(|area| area.bottom, 0.9).unwrap_or(height - USUAL);
        // Short lines and pages have larger margins than their document.
        let right = right.max(LEAST).min(left);
        let bottom = bottom.max(LEAST).min(top.max(USUAL)).min(height / 3.0);
        Self { width, height, text: Area { left, top, right: width - right, bottom: height - bottom } }
    }
}

fn quantile(mut values: Vec<f64>, share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index: the share is at most 1")]
    let at = ((values.len().checked_sub(1)?) as f64 * share).round() as usize;
    values.get(at).copied()
}

/// How a block is aligned: by its lines, or by where a single line stands in the text's area.
pub(crate) fn alignment(block: &Block, text: &Area) -> Option<Alignment> {
    let look: &Look = block.look.as_ref()?;
    if let Some(alignment) = look.alignment {
        return Some(alignment);
    }
    let [left, _, right, _] = block.places.first()?.corners;
    let (before, after) = (left - text.left, text.right - right);
    let is_inside = before > text.width() * 0.08;
    if is_inside && (before - after).abs() < SAME * 2.0 {
        return Some(Alignment::Center);
    }
    (is_inside && before > text.width() * 0.3 && after.abs() < SAME).then_some(Alignment::Right)
}

/// The widths of a table's columns, in points. `whole`: that of the table.
pub(crate) fn columns(table: &Table, whole: f64) -> Vec<f64> {
    let mut starts: Vec<Option<f64>> = vec![None; table.columns];
    let mut ends: Vec<Option<f64>> = vec![None; table.columns];
    for cell in &table.cells {
        let Some(place) = &cell.place else { continue };
        let [left, _, right, _] = place.corners;
        if let Some(start) = starts.get_mut(cell.column) {
            *start = Some(start.map_or(left, |start| start.min(left)));
        }
        if let Some(end) = ends.get_mut(cell.column + cell.column_span.max(1) - 1).filter(|_| cell.column_span < 2) {
            *end = Some(end.map_or(right, |end| end.max(right)));
        }
    }
    let even = whole / table.columns.max(1) as f64;
    let edges: Option<Vec<f64>> = (1..table.columns)
        .map(|column| match (ends.get(column - 1).copied().flatten(), starts.get(column).copied().flatten()) {
            (Some(end), Some(start)) if end < start => Some(end.midpoint(start)),
            (_, Some(start)) => Some(start - 3.0),
            (Some(end), None) => Some(end + 3.0),
            (None, None) => None,
        })
        .collect();
    let left = starts.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let right = ends.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let Some(edges) = edges.filter(|_| left < right) else { return vec![even; table.columns] };
    let all: Vec<f64> = [left - 3.0].into_iter().chain(edges).chain([right + 3.0]).collect();
    let widths: Vec<f64> =
        all.iter().zip(all.iter().skip(1)).map(|(left, right)| (right - left).max(NARROWEST)).collect();
    let sum: f64 = widths.iter().sum();
    widths.into_iter().map(|width| width * (whole / sum).min(1.0)).collect()
}

/// How the cells of a column stand: numbers end at one edge. `None`: on the left, or nothing tells.
pub(crate) fn column_alignment(table: &Table, column: usize) -> Option<Alignment> {
    let own = |cell: &&Cell| cell.column == column && cell.column_span < 2 && !cell.header;
    let edges: Vec<(f64, f64)> = table
        .cells
        .iter()
        .filter(own)
        .filter_map(|cell| cell.place.as_ref())
        .map(|place| (place.corners[0], place.corners[2]))
        .collect();
    if edges.len() < 2 {
        return None;
    }
    let spread = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let (least, most) =
            edges.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        most - least
    };
    let (left, right, middle) =
        (spread(&|edge| edge.0), spread(&|edge| edge.1), spread(&|edge| edge.0.midpoint(edge.1)));
    if left <= SAME {
        None
    } else if right <= SAME {
        Some(Alignment::Right)
    } else {
        (middle <= SAME).then_some(Alignment::Center)
    }
}
