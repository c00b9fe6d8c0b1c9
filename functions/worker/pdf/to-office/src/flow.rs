//! The blocks of a document as one flow of text: what goes on over a page or a column is joined again, and pages begin where the
//! source demands it.

use docmill_pdf_extract::model::{Block, Document, Place, Role, Span};
use docmill_pdf_text::{is_cjk, separate};

use crate::geometry::{Bodies, Body};

/// A page that ends above this share of the text's height was ended on purpose.
const FULL: f64 = 0.8;
/// Pages with fewer characters, wider than high, are slides.
const SLIDE: usize = 900;

/// A part of the flow.
#[derive(Debug)]
pub(crate) struct Piece<'d> {
    pub block: &'d Block,
    /// Those that it goes on with.
    pub more: Vec<&'d Block>,
    pub spans: Vec<Span>,
    /// Whether it begins a page.
    pub breaks_page: bool,
}

impl Piece<'_> {
    pub(crate) fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    pub(crate) fn first_place(&self) -> Option<&Place> {
        self.block.places.first()
    }

    fn last_place(&self) -> Option<&Place> {
        self.more.last().copied().unwrap_or(self.block).places.last()
    }
}

/// The spans of a block: all of its text in one, if it has none.
pub(crate) fn spans(block: &Block) -> Vec<Span> {
    if block.spans.is_empty() {
        return vec![Span { text: block.text.clone(), ..Span::default() }];
    }
    block.spans.clone()
}

/// Whether a block stands in the margins or below the text, so that text goes on after it.
pub(crate) fn is_aside(block: &Block) -> bool {
    matches!(block.role, Role::Header | Role::Footer | Role::Footnote { .. })
}

/// The flow of a document, with its notes, and without headers and footers.
pub(crate) fn flow<'d>(document: &'d Document, bodies: &Bodies) -> Vec<Piece<'d>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    // The last piece of running text, which the next one may go on with.
    let mut open: Option<usize> = None;
    for block in document.blocks.iter().filter(|block| !matches!(block.role, Role::Header | Role::Footer)) {
        let piece = Piece { block, more: Vec::new(), spans: spans(block), breaks_page: false };
        if is_aside(block) {
            pieces.push(piece);
            continue;
        }
        let before = open.and_then(|at| pieces.get_mut(at)).filter(|before| goes_on(before, block));
        match before {
            Some(before) => join(before, piece),
            None => {
                open = Some(pieces.len());
                pieces.push(piece);
            }
        }
    }
    break_pages(bodies, &mut pieces);
    pieces
}

/// Whether a paragraph goes on with a block on the next page or in the next column.
fn goes_on(before: &Piece<'_>, next: &Block) -> bool {
    let is_text = |role: &Role| matches!(role, Role::Paragraph | Role::Item { .. });
    let (Some(last), Some(first)) = (before.last_place(), next.places.first()) else { return false };
    let is_elsewhere = first.page == last.page + 1 || first.page == last.page && first.corners[1] < last.corners[1];
    if !is_text(&before.block.role) || next.role != Role::Paragraph || !is_elsewhere {
        return false;
    }
    let size = |block: &Block| block.look.as_ref().map_or(0.0, |look| look.size);
    if (size(before.block) - size(next)).abs() > 0.6 {
        return false;
    }
    let text = before.text();
    let (Some(end), Some(start)) = (text.trim_end().chars().last(), next.text.trim_start().chars().next()) else {
        return false;
    };
    let is_open = end.is_alphanumeric() || matches!(end, ',' | '-' | '\u{ad}' | '\u{2010}' | '–' | '、');
    is_open && (start.is_lowercase() || is_cjk(start) && is_cjk(end))
}

fn join<'d>(before: &mut Piece<'d>, piece: Piece<'d>) {
    if let Some(last) = before.spans.last_mut() {
        separate(&mut last.text, &piece.text());
    }
    before.spans.extend(piece.spans);
    before.more.push(piece.block);
}

fn break_pages(bodies: &Bodies, pieces: &mut [Piece<'_>]) {
    let usual = bodies.usual_bottom();
    let mut before: Option<(u32, f64)> = None;
    for piece in pieces.iter_mut().filter(|piece| !is_aside(piece.block)) {
        let places = (piece.first_place().cloned(), piece.last_place().cloned());
        let (Some(first), Some(last)) = places else { continue };
        if let Some((page, end)) = before
            && first.page > page
        {
            piece.breaks_page = bodies.get(page).is_some_and(|body| is_demanded(body, end, usual, &first));
        }
        let end = last.corners[3];
        before = match before {
            Some((page, other)) if page == last.page => Some((page, other.max(end))),
            Some(_) | None => Some((last.page, end)),
        };
    }
}

/// Whether the source begins a page although there was room on the one before, whose text ends there. `usual`: where text ends else.
fn is_demanded(body: &Body, end: f64, usual: f64, next: &Place) -> bool {
    if body.width > body.height && body.characters < SLIDE {
        return true;
    }
    let bottom = body.notes.map_or(usual, |notes| notes.min(usual));
    let height = next.corners[3] - next.corners[1];
    end < body.area.top + (bottom - body.area.top) * FULL && height < bottom - end
}
