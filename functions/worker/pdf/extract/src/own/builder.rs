//! Makes the model from what readers find, in reading order.

use std::collections::HashMap;
use std::rc::Rc;

use docmill_formats::Format;
use docmill_pdf_core::image::decoder_of;
use docmill_pdf_request::{ErrorCode, Failure, Limits};

use super::grid::Grid;
use super::text::Text;
use crate::model::{Block, Cell, Document, Figure, Footnote, Hidden, Id, Link, Reason, Role, Span, Table, Why};
use crate::pictures::Pictures;

/// Most places of a table, whether they have a cell or not: writers make a row of each.
const MOST_PLACES: usize = 20_000_000;

pub(super) struct Builder<'p, 'r> {
    document: Document,
    pictures: &'p mut Pictures<'r>,
    lists: u32,
    /// Bytes of text that may yet come. `None`: there was more than that.
    left: Option<u64>,
    /// By the key of a footnote: the block that has its mark.
    marks: HashMap<Rc<str>, Id>,
    /// Blocks are marked with it if it is not the document's language.
    pub(super) language: Option<String>,
}

impl<'p, 'r> Builder<'p, 'r> {
    pub(super) fn new(pictures: &'p mut Pictures<'r>, limits: &Limits) -> Self {
        Self {
            document: Document::default(),
            pictures,
            lists: 0,
            left: Some(limits.output_bytes),
            marks: HashMap::new(),
            language: None,
        }
    }

    /// The document's title, unless it has one.
    pub(super) fn title(&mut self, title: &str) {
        let title = Text::plain(title).in_one_line().trimmed().to_plain();
        if self.document.title.is_none() && !title.is_empty() {
            self.document.title = Some(title);
        }
    }

    /// The document's language, unless it has one.
    pub(super) fn document_language(&mut self, language: &str) {
        if self.document.language.is_none() && is_language(language) {
            self.document.language = Some(language.to_owned());
        }
    }

    /// A number for a new list.
    pub(super) fn list(&mut self) -> u32 {
        self.lists += 1;
        self.lists
    }

    /// The role of the last block.
    pub(super) fn last_role(&self) -> Option<&Role> {
        self.document.blocks.last().map(|block| &block.role)
    }

    /// Adds a block that the source's own structure tells. Blank text makes none.
    pub(super) fn block(&mut self, role: Role, text: Text) -> Option<Id> {
        self.block_by(Reason::Structure, role, text)
    }

    pub(super) fn block_by(&mut self, reason: Reason, role: Role, text: Text) -> Option<Id> {
        if text.is_blank() {
            return None;
        }
        let text = match &role {
            Role::Code => text.trimmed_lines(),
            Role::Title | Role::Heading { .. } => text.trimmed().in_one_line(),
            Role::Paragraph
            | Role::Item { .. }
            | Role::Table { .. }
            | Role::Figure { .. }
            | Role::Caption { .. }
            | Role::Header
            | Role::Footer
            | Role::Footnote { .. }
            | Role::Formula
            | Role::FormField { .. } => text.trimmed(),
        };
        Some(self.push(reason, role, text))
    }

    fn push(&mut self, reason: Reason, role: Role, text: Text) -> Id {
        let id = Id::block(self.document.blocks.len() + 1);
        self.refer(&id, &text);
        let (text, spans) = text.into_parts();
        self.take(text.len());
        let is_other = |language: &String| is_language(language) && self.document.language.as_ref() != Some(language);
        let language = self.language.clone().filter(is_other);
        let confidence = if reason == Reason::Structure { 1.0 } else { 0.8 };
        let places = Vec::new();
        let (look, words) = (None, Vec::new());
        self.document.blocks.push(Block {
            id: id.clone(),
            role,
            places,
            text,
            spans,
            language,
            confidence,
            reason,
            look,
            words,
        });
        id
    }

    /// Notes links and footnotes of a text in this block.
    fn refer(&mut self, id: &Id, text: &Text) {
        let mut links: Vec<Link> = Vec::new();
        let mut before: Option<&Rc<str>> = None;
        for Span { text, link, .. } in text.spans() {
            if let Some(address) = link {
                match links.last_mut() {
                    // A link goes on in another style.
                    Some(last) if before == Some(address) => last.text.push_str(text),
                    Some(_) | None => {
                        links.push(Link { block: id.clone(), text: text.clone(), address: Rc::clone(address) });
                    }
                }
            }
            before = link.as_ref();
        }
        self.document.links.extend(links);
        for note in &text.notes {
            self.marks.entry(Rc::clone(note)).or_insert_with(|| id.clone());
        }
    }

    fn take(&mut self, bytes: usize) {
        self.left = self.left.and_then(|left| left.checked_sub(bytes as u64));
    }

    /// Whether there was more text than a result may have: readers may stop.
    pub(super) fn is_full(&self) -> bool {
        self.left.is_none()
    }

    /// Bytes of text that may yet come.
    pub(super) fn room(&self) -> u64 {
        self.left.unwrap_or(0)
    }

    /// Adds a table, unless it has no text. Gives the id of its block.
    pub(super) fn table(&mut self, grid: Grid) -> Option<Id> {
        let (rows, columns) = grid.size();
        if grid.is_blank() {
            return None;
        }
        if rows.saturating_mul(columns) > MOST_PLACES {
            self.left = None;
            return None;
        }
        let id = Id::table(self.document.tables.len() + 1);
        let block = self.push(Reason::Structure, Role::Table { table: id.clone() }, Text::default());
        let lines = grid.lines();
        self.take(lines.len().saturating_mul(2));
        let mut cells = Vec::with_capacity(grid.cells.len());
        for cell in grid.cells {
            let text = cell.text.trimmed();
            self.refer(&block, &text);
            cells.push(Cell {
                row: cell.row,
                column: cell.column,
                row_span: cell.rows.min(rows - cell.row),
                column_span: cell.columns,
                header: cell.header,
                text: text.to_plain(),
                place: None,
                spans: Vec::new(),
                look: None,
                words: Vec::new(),
            });
        }
        if let Some(last) = self.document.blocks.last_mut() {
            last.text = lines;
        }
        self.document.tables.push(Table { id, rows, columns, cells });
        Some(block)
    }

    /// Adds a picture with its alternative text. Gives the id of its block.
    pub(super) fn figure(&mut self, text: &str, picture: Option<&[u8]>) -> Result<Id, Failure> {
        let id = Id::figure(self.document.figures.len() + 1);
        let alternative = Text::plain(text).in_one_line().trimmed().to_plain();
        let text = (!alternative.is_empty()).then_some(alternative);
        let mut figure = Figure { id: id.clone(), place: None, file: None, data: None, text: text.clone() };
        if let Some(bytes) = picture
            && let Some(media) = media(bytes)
        {
            self.pictures.keep(&mut figure, media, bytes)?;
        }
        self.document.figures.push(figure);
        Ok(self.push(Reason::Structure, Role::Figure { figure: id }, Text::plain(&text.unwrap_or_default())))
    }

    /// Whether it makes sense to read a picture's file.
    pub(super) fn wants_pictures(&self) -> bool {
        self.pictures.wanted()
    }

    /// Keeps text that readers of the document don't see.
    pub(super) fn hide(&mut self, text: &str, why: Why) {
        let text = Text::plain(text).trimmed().to_plain();
        if !text.is_empty() {
            self.take(text.len());
            self.document.hidden.push(Hidden { text, place: None, why });
        }
    }

    /// Adds a footnote, whose mark may be in an earlier block.
    pub(super) fn footnote(&mut self, key: &str, mark: &str, text: Text) {
        let from = self.marks.get(key).cloned();
        let role = Role::Footnote { mark: mark.to_owned() };
        if let Some(block) = self.block(role, text) {
            self.document.footnotes.push(Footnote { mark: mark.to_owned(), from, block });
        }
    }

    /// Fails if there was too much text.
    pub(super) fn finish(mut self) -> Result<Document, Failure> {
        if self.is_full() {
            let message = "The document has more text than a result may have. Split it.";
            return Err(Failure::new(ErrorCode::RenderFailed, message, "text beyond the limit"));
        }
        self.tie_captions();
        if self.document.title.is_none() {
            let title = self.document.blocks.iter().find(|block| block.role == Role::Title);
            self.document.title = title.map(|block| block.text.clone());
        }
        Ok(self.document)
    }

    /// A caption belongs to the table or figure beside it: the one after it, if that is a table, or else the one before.
    fn tie_captions(&mut self) {
        let blocks = &self.document.blocks;
        let is_table = |block: &&Block| matches!(block.role, Role::Table { .. });
        let is_figure = |block: &&Block| matches!(block.role, Role::Figure { .. });
        let owner = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| blocks.get(before));
            let after = blocks.get(at + 1);
            let figure = before.filter(is_figure);
            let table = after.filter(is_table).or(before.filter(is_table));
            figure.or(table).or(after.filter(is_figure)).map(|block| block.id.clone())
        };
        let captions = blocks.iter().enumerate();
        let untied = captions.filter(|(_, block)| block.role == Role::Caption { of: None });
        let owners: Vec<_> = untied.map(|(at, _)| (at, owner(at))).collect();
        for (at, of) in owners {
            if let Some(block) = self.document.blocks.get_mut(at) {
                block.role = Role::Caption { of };
            }
        }
    }
}

/// What a picture's file is, by its first bytes. `None`: a kind that browsers don't show.
fn media(bytes: &[u8]) -> Option<Format> {
    [Format::Jpeg, Format::Png, Format::Webp, Format::Tiff, Format::Gif, Format::Bmp]
        .into_iter()
        .find(|media| {
            decoder_of(*media).is_some_and(|decoder| image::guess_format(bytes).is_ok_and(|found| found == decoder))
        })
        .or_else(|| is_svg(bytes).then_some(Format::Svg))
}

fn is_svg(bytes: &[u8]) -> bool {
    let head = bytes.get(..512.min(bytes.len())).unwrap_or_default().trim_ascii_start();
    head.starts_with(b"<") && memchr::memmem::find(head, b"<svg").is_some()
}

fn is_language(text: &str) -> bool {
    let is_part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    text.len() <= 35 && text.split('-').all(is_part)
}
