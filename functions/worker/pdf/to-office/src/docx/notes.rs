//! Footnotes, tied to the marks in the text.

use std::collections::{HashMap, HashSet};

use docmill_pdf_extract::model::{Block, Document, Id, Role};

use super::paragraph::{Mark, Paragraph};
use super::{NAMESPACES, Writer};
use crate::flow::{self, Piece};
use crate::xml::Xml;

/// Notes 0 and 1 are the lines between text and notes.
const FIRST: usize = 2;

#[derive(Debug, Default)]
pub(super) struct Notes<'d> {
    /// By the block with the mark, and the mark.
    numbers: HashMap<(&'d str, &'d str), usize>,
    /// In the order of their marks.
    blocks: Vec<(&'d Block, &'d str)>,
    known: HashSet<&'d str>,
    /// Those whose mark has been written.
    written: HashSet<usize>,
    /// Whether Word's own numbers are the marks.
    pub(super) is_counted: bool,
}

impl<'d> Notes<'d> {
    /// The notes whose marks stand in these pieces.
    pub(super) fn of(document: &'d Document, pieces: &[Piece<'d>]) -> Self {
        let texts: HashMap<&str, &Block> = document.blocks.iter().map(|block| (block.id.0.as_str(), block)).collect();
        let wanted = document.footnotes.iter().filter_map(|note| {
            let (block, mark) = (texts.get(note.block.0.as_str()).copied()?, note.mark.as_str());
            let from = note.from.as_ref()?.0.as_str();
            Some(((from, mark), (from, mark, block)))
        });
        let wanted: HashMap<(&str, &str), (&str, &str, &Block)> = wanted.collect();
        let mut notes = Self { is_counted: true, ..Self::default() };
        for piece in pieces.iter().filter(|piece| holds_marks(piece.block)) {
            let raised = piece.spans.iter().filter(|span| span.superscript);
            for mark in raised.flat_map(|span| marks(&span.text)) {
                let mut blocks = std::iter::once(piece.block).chain(piece.more.iter().copied());
                let found = blocks.find_map(|block| wanted.get(&(block.id.0.as_str(), mark)).copied());
                let Some((from, mark, block)) = found else { continue };
                if notes.known.insert(block.id.0.as_str()) {
                    notes.numbers.insert((from, mark), notes.blocks.len());
                    notes.blocks.push((block, mark));
                    notes.is_counted &= mark == notes.blocks.len().to_string();
                }
            }
        }
        notes
    }

    /// Whether a note is tied to a mark.
    pub(super) fn has(&self, block: &Id) -> bool {
        self.known.contains(block.0.as_str())
    }

    /// The note whose mark this is, the first time it is asked for.
    pub(super) fn take(&mut self, piece: &Piece<'_>, mark: &str) -> Option<usize> {
        let mut blocks = std::iter::once(piece.block).chain(piece.more.iter().copied());
        let number = blocks.find_map(|block| self.numbers.get(&(block.id.0.as_str(), mark)).copied())?;
        self.written.insert(number).then_some(number + FIRST)
    }
}

/// Whether the marks of a block are written as such: tables and figures have no marks, and headings may.
fn holds_marks(block: &Block) -> bool {
    !matches!(block.role, Role::Table { .. } | Role::Figure { .. } | Role::Footnote { .. } | Role::Code)
}

/// The marks in raised text.
fn marks(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).filter(|part| !part.starts_with([',', ' ']))
}

/// The marks in raised text, and what is between them.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| matches!(c, ',' | ' ');
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|c| is_between(c) != is_between(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

impl<'s> Writer<'s> {
    /// The part with all notes.
    pub(super) fn footnotes(&mut self) -> Xml {
        let mut xml = Xml::part();
        xml.open("w:footnotes", NAMESPACES);
        for (id, kind) in [("0", "separator"), ("1", "continuationSeparator")] {
            xml.open("w:footnote", &[("w:type", kind), ("w:id", id)]).open("w:p", &[]).open("w:pPr", &[]);
            xml.empty("w:spacing", &[("w:before", "0"), ("w:after", "0")]).close("w:pPr").open("w:r", &[]);
            xml.empty(&format!("w:{kind}"), &[]).close("w:r").close("w:p").close("w:footnote");
        }
        "word/footnotes.xml".clone_into(&mut self.part);
        for (number, (block, mark)) in std::mem::take(&mut self.notes.blocks).into_iter().enumerate() {
            xml.open("w:footnote", &[("w:id", &(number + FIRST).to_string())]);
            let mark = if self.notes.is_counted { Mark::Counted } else { Mark::Own(mark) };
            let paragraph = Paragraph { mark: Some(mark), ..self.plain("FootnoteText", block) };
            self.paragraph(&mut xml, &paragraph, &flow::spans(block), None);
            xml.close("w:footnote");
        }
        xml.close("w:footnotes");
        xml
    }

    /// A note whose mark is nowhere, as a paragraph.
    pub(super) fn loose_note(&mut self, xml: &mut Xml, piece: &Piece<'s>, mark: &str) {
        let paragraph = Paragraph { mark: Some(Mark::Own(mark)), ..self.plain("FootnoteText", piece.block) };
        self.paragraph(xml, &paragraph, &piece.spans, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raised_text_is_parted_into_marks() {
        assert_eq!(pieces("12, 3 ").collect::<Vec<_>>(), ["12", ", ", "3", " "]);
        assert_eq!(marks(" *,†").collect::<Vec<_>>(), ["*", "†"]);
    }
}
