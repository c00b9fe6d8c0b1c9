//! Why a larger model may read a page better.

use docmill_pdf_ocr::LOW_CONFIDENCE;
use docmill_pdf_text::{Content, PageBlocks, Table};

use super::blocks::Draft;
use super::{Facts, Kind};
use crate::model::{NeedsModel, TextSource};

/// The share of a page from which a figure may be a chart.
const CHART: f32 = 0.15;
/// The least words in type for formulas.
const FORMULA_WORDS: usize = 3;
/// A table without rules is uncertain if more of its cells are empty.
const EMPTY: f32 = 0.5;

pub(super) fn of(page: &PageBlocks, drafts: &[Draft], facts: &Facts) -> Vec<NeedsModel> {
    let size = page.width * page.height;
    let formulas: usize = drafts.iter().map(|draft| draft.formulas).sum();
    let tables = page.blocks.iter().filter_map(|block| match &block.content {
        Content::Table(table) => Some(table),
        Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::Code { .. }
        | Content::Aside { .. }
        | Content::Running { .. } => None,
    });
    let is_chart = facts.figures.iter().any(|drawn| match drawn.kind {
        Kind::Picture => drawn.area.width() * drawn.area.height() >= size * CHART,
        Kind::Drawing(_) => true,
    });
    let is_uncertain = facts.source == TextSource::Ocr && facts.confidence * 100.0 < LOW_CONFIDENCE;
    let reasons = [
        (formulas >= FORMULA_WORDS, NeedsModel::Formulas),
        (is_uncertain, NeedsModel::Handwriting),
        (is_chart, NeedsModel::Chart),
        (tables.into_iter().any(is_uncertain_table), NeedsModel::ComplexTable),
    ];
    reasons.into_iter().filter(|(is, _)| *is).map(|(_, reason)| reason).collect()
}

fn is_uncertain_table(table: &Table) -> bool {
    let cells = table.rows.iter().flatten().count();
    let empty = table.rows.iter().flatten().filter(|cell| cell.lines.is_empty()).count();
    !table.is_ruled && (table.has_spans() || empty as f32 > cells as f32 * EMPTY)
}
