//! A structure that a person has corrected: the JSON of `extract-document`, whose blocks take the words that stand in their places.

use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_extract::model::{Block, Cell, Document, Figure, Hidden, Id, Place, Reason, Role, Table, Why, Word};
use serde::Deserialize;

use super::places::rect;

/// What counts of the JSON. Everything else in it is passed over.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Corrected {
    title: Option<String>,
    language: Option<String>,
    blocks: Vec<GivenBlock>,
    #[serde(default)]
    tables: Vec<GivenTable>,
    #[serde(default)]
    figures: Vec<GivenFigure>,
}

#[derive(Clone, Debug, Deserialize)]
struct GivenBlock {
    id: Id,
    #[serde(flatten)]
    role: Role,
    #[serde(default)]
    places: Vec<Place>,
    #[serde(default)]
    text: String,
    language: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct GivenTable {
    id: Id,
    rows: usize,
    columns: usize,
    cells: Vec<GivenCell>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenCell {
    row: usize,
    column: usize,
    #[serde(default = "one")]
    row_span: usize,
    #[serde(default = "one")]
    column_span: usize,
    #[serde(default)]
    header: bool,
    place: Option<Place>,
}

#[derive(Clone, Debug, Deserialize)]
struct GivenFigure {
    id: Id,
    place: Option<Place>,
    text: Option<String>,
}

const fn one() -> usize {
    1
}

/// Most rows and columns of a table.
const MOST: usize = 10_000;

impl Corrected {
    /// The structure with the words that were found on the pages. Words in no block, item or cell become decoration.
    pub fn with_words_of(self, found: Document) -> Document {
        let (language, title) = (self.language.or(found.language.clone()), self.title.or(found.title.clone()));
        let mut blocks: Vec<Block> = self.blocks.into_iter().map(block).collect();
        let mut tables: Vec<Table> = self.tables.into_iter().map(table).collect();
        let hidden = found.hidden;
        let of_cells = found.tables.into_iter().flat_map(|table| table.cells).flat_map(|cell| cell.words);
        let words: Vec<Word> = found.blocks.into_iter().flat_map(|block| block.words).chain(of_cells).collect();
        let lost = share(words, &mut blocks, &mut tables);
        let figure = |GivenFigure { id, place, text }| Figure { id, place, file: None, data: None, text };
        Document {
            title,
            language,
            pages: found.pages,
            blocks,
            tables,
            figures: self.figures.into_iter().map(figure).collect(),
            hidden: hidden.into_iter().chain(lost).collect(),
            ..Document::default()
        }
    }
}

fn block(GivenBlock { id, role, places, text, language }: GivenBlock) -> Block {
    let (spans, words) = (Vec::new(), Vec::new());
    Block { id, role, places, text, spans, language, confidence: 1.0, reason: Reason::Structure, look: None, words }
}

fn table(GivenTable { id, rows, columns, cells }: GivenTable) -> Table {
    let (rows, columns) = (rows.clamp(1, MOST), columns.clamp(1, MOST));
    let is_within = |cell: &GivenCell| cell.row < rows && cell.column < columns;
    let mut cells: Vec<Cell> = cells.into_iter().filter(is_within).map(cell).collect();
    cells.sort_by_key(|cell| (cell.row, cell.column));
    Table { id, rows, columns, cells }
}

fn cell(GivenCell { row, column, row_span, column_span, header, place }: GivenCell) -> Cell {
    let (text, spans, words) = (String::new(), Vec::new(), Vec::new());
    let (row_span, column_span) = (row_span.clamp(1, MOST), column_span.clamp(1, MOST));
    Cell { row, column, row_span, column_span, header, text, place, spans, look: None, words }
}

/// Whose a place is.
#[derive(Clone, Copy)]
enum Holder {
    Block(usize),
    Cell(usize, usize),
}

/// Gives each word to the smallest place that it stands in. Returns the others.
fn share(words: Vec<Word>, blocks: &mut [Block], tables: &mut [Table]) -> Vec<Hidden> {
    let of_blocks = blocks.iter().enumerate().filter(|(_, block)| !matches!(block.role, Role::Table { .. }));
    let of_blocks = of_blocks.flat_map(|(at, block)| block.places.iter().map(move |place| (place, Holder::Block(at))));
    let of_cells = tables.iter().enumerate().flat_map(|(table, of)| {
        of.cells.iter().enumerate().filter_map(move |(at, cell)| Some((cell.place.as_ref()?, Holder::Cell(table, at))))
    });
    let mut places: Vec<(u32, Rect, Holder)> =
        of_blocks.chain(of_cells).map(|(place, holder)| (place.page, rect(place), holder)).collect();
    places.sort_by(|(_, one, _), (_, other, _)| one.size().total_cmp(&other.size()));
    let mut lost = Vec::new();
    for word in words {
        let center = rect(&word.place).center();
        let is_here = |(page, area, _): &&(u32, Rect, Holder)| *page == word.place.page && area.contains(center);
        let words = match places.iter().find(is_here).map(|(.., holder)| *holder) {
            Some(Holder::Block(at)) => blocks.get_mut(at).map(|block| &mut block.words),
            Some(Holder::Cell(table, at)) => {
                tables.get_mut(table).and_then(|table| table.cells.get_mut(at)).map(|cell| &mut cell.words)
            }
            None => None,
        };
        match words {
            Some(words) => words.push(word),
            None => lost.push(Hidden { text: word.text, place: Some(word.place), why: Why::Invisible }),
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, left: f64, top: f64) -> Word {
        let corners = [left, top, left + 10.0, top + 10.0];
        Word { place: Place { page: 1, corners }, text: text.to_owned() }
    }

    #[test]
    fn words_go_to_the_smallest_place_and_the_others_are_decoration() {
        let text = r#"{"version": "1", "title": "Rivers", "pages": [], "blocks": [
            {"id": "b1", "role": "heading", "level": 2, "places": [{"page": 1, "box": [0, 0, 50, 12]}], "text": "a", "confidence": 1},
            {"id": "b2", "role": "paragraph", "places": [{"page": 1, "box": [0, 0, 200, 40]}], "reason": "default"},
            {"id": "b3", "role": "table", "table": "t1", "places": [{"page": 1, "box": [0, 50, 200, 90]}]}],
            "tables": [{"id": "t1", "rows": 1, "columns": 2, "cells": [
                {"row": 0, "column": 1, "header": true, "place": {"page": 1, "box": [50, 50, 99, 70]}}, {"row": 7, "column": 0}]}]}"#;
        let corrected: Corrected = serde_json::from_str(text).unwrap();
        let words =
            vec![word("head", 0.0, 1.0), word("text", 0.0, 20.0), word("cell", 60.0, 55.0), word("far", 0.0, 300.0)];
        let first = Block { words, ..block(corrected.blocks[0].clone()) };
        let made = corrected.with_words_of(Document { blocks: vec![first], ..Document::default() });
        let said = |words: &[Word]| words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
        assert_eq!(
            made.blocks.iter().map(|block| said(&block.words)).collect::<Vec<_>>(),
            [vec!["head"], vec!["text"], vec![]]
        );
        assert_eq!(made.blocks[0].role, Role::Heading { level: 2 });
        assert_eq!((made.tables[0].cells.len(), said(&made.tables[0].cells[0].words)), (1, vec!["cell".to_owned()]));
        assert_eq!((made.hidden[0].text.as_str(), made.title.as_deref()), ("far", Some("Rivers")));
    }
}
