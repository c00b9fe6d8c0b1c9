//! Writers, on documents that are made here.

mod chunks;
mod html;
mod markdown;
mod tables;
mod workbook;

use super::super::model::{Block, Cell, Document, Id, Place, Reason, Role, Table};

/// A document of these blocks: their roles, their pages and their text.
fn document<const N: usize>(blocks: [(Role, u32, &str); N]) -> Document {
    let blocks = blocks.into_iter().zip(1..).map(|((role, page, text), number)| block(number, role, page, text));
    Document { blocks: blocks.collect(), ..Document::default() }
}

fn block(number: usize, role: Role, page: u32, text: &str) -> Block {
    let places = vec![Place { page, corners: [50.0, 60.0, 300.0, 80.0] }];
    let (id, text, spans) = (Id::block(number), text.to_owned(), Vec::new());
    Block {
        id,
        role,
        places,
        text,
        spans,
        language: None,
        confidence: 1.0,
        reason: Reason::Default,
        words: Vec::new(),
        look: None,
    }
}

fn item(list: u32, depth: u8, number: Option<u32>) -> Role {
    Role::Item { list, depth, number }
}

/// A table of one cell for each place, whose first row are headers.
fn table<const R: usize, const C: usize>(number: usize, rows: [[&str; C]; R]) -> Table {
    let cells = rows
        .iter()
        .enumerate()
        .flat_map(|(row, texts)| texts.iter().enumerate().map(move |(column, text)| cell(row, column, text)));
    Table { id: Id::table(number), rows: R, columns: C, cells: cells.collect() }
}

fn cell(row: usize, column: usize, text: &str) -> Cell {
    let (text, place, spans, words, look) = (text.to_owned(), None, Vec::new(), Vec::new(), None);
    Cell { row, column, row_span: 1, column_span: 1, header: row == 0, text, place, spans, words, look }
}
