//! Tables: from the engine's to the model's.

use std::rc::Rc;

use docmill_pdf_text::{PageBlocks, Table};

use super::blocks::placed;
use crate::model::{self, Id, Place};

/// The table, the areas of its words on all pages, and its text in rows of tabs. `page`: where it begins. `words`: whether cells have
/// their words with places.
pub(super) fn table(id: Id, table: &Table, page: &PageBlocks, words: bool) -> Made {
    let headers = table.headers();
    let page_of =
        |row: usize| table.continued.iter().rfind(|part| part.row <= row).map_or(page.number, |part| part.page);
    let cells: Vec<model::Cell> = table
        .placed()
        .map(|(row, column, cell)| model::Cell {
            row,
            column,
            row_span: cell.rows,
            column_span: cell.columns,
            header: cell.header || row < headers,
            text: cell.text(),
            spans: docmill_pdf_text::runs(&cell.lines).into_iter().map(super::blocks::span).collect(),
            look: Some(super::look::of(&cell.lines)).filter(|look| look.lines > 0),
            place: docmill_pdf_text::place(cell.lines.iter().flat_map(|line| &line.words))
                .map(|area| Place { page: page_of(row), corners: docmill_pdf_text::corners(&area) }),
            words: cell
                .lines
                .iter()
                .flat_map(|line| &line.words)
                .filter(|_| words)
                .map(|word| placed(word, page_of(row)))
                .collect(),
        })
        .collect();
    let columns = cells.iter().map(|cell| cell.column + cell.column_span).max().unwrap_or(0);
    let words_on = |page: u32| {
        let cells = table.placed().filter(move |(row, ..)| page_of(*row) == page);
        cells.flat_map(|(_, _, cell)| &cell.lines).flat_map(|line| &line.words)
    };
    let on = [page.number].into_iter().chain(table.continued.iter().map(|part| part.page));
    let repeated = |page: u32| table.continued.iter().find(|part| part.page == page)?.repeated;
    let place = |page| {
        let areas = [docmill_pdf_text::place(words_on(page)), repeated(page)];
        let area = areas.into_iter().flatten().reduce(|a, b| a.union(&b))?;
        Some(Place { page, corners: docmill_pdf_text::corners(&area) })
    };
    let places = on.filter_map(place).collect();
    let texts = cells.chunk_by(|a, b| a.row == b.row).map(|row| {
        let texts: Vec<&str> = row.iter().map(|cell| cell.text.as_str()).collect();
        texts.join("\t")
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    Made { text, places, table: model::Table { id, rows: table.rows.len(), columns, cells } }
}

pub(super) struct Made {
    pub text: String,
    pub places: Vec<Place>,
    pub table: model::Table,
}

/// The links in the cells: text and address.
pub(super) fn links(table: &Table) -> impl Iterator<Item = (String, Rc<str>)> {
    table.rows.iter().flatten().flat_map(|cell| {
        let spans = docmill_pdf_text::runs(&cell.lines);
        let links = spans.into_iter().filter_map(|span| Some((span.text.trim().to_owned(), span.link?)));
        links.collect::<Vec<_>>()
    })
}
