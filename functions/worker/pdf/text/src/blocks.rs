//! The blocks of a page: headings, paragraphs, lists, tables and code, in reading order.

use docmill_pdf_core::pdfium::Rect;
use serde::{Deserialize, Serialize};

use super::order::Line;
use super::tables::Table;
use super::tagged::Tagged;
use super::turned;

/// Headings have fewer lines and characters than that.
const HEADING_LINES: usize = 4;
const HEADING_CHARACTERS: usize = 240;

#[derive(Debug, Serialize, Deserialize)]
pub struct PageBlocks {
    pub number: u32,
    pub width: f32,
    pub height: f32,
    pub rotation: u16,
    /// The direction in which its blocks' areas are upright.
    pub(super) angle: u16,
    pub blocks: Vec<Block>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Block {
    pub area: Rect,
    pub content: Content,
    /// What the tags of the document say of it.
    pub tagged: Option<Tagged>,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Content {
    /// From 1 to 6.
    Heading {
        level: u8,
        lines: Vec<Line>,
    },
    Paragraph {
        lines: Vec<Line>,
    },
    /// `number` is that of an ordered list; `depth` counts from 0.
    Item {
        number: Option<u32>,
        depth: u8,
        lines: Vec<Line>,
    },
    Code {
        lines: Vec<Line>,
    },
    /// A table that goes on over pages is one, on its first page.
    Table(Table),
    /// Text in another direction.
    Aside {
        lines: Vec<Line>,
    },
    /// Running headers, footers and page numbers.
    Running {
        lines: Vec<Line>,
    },
}

/// What becomes of running headers and footers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeadersFooters {
    /// They are told apart from the text.
    #[default]
    Drop,
    /// They are text.
    Keep,
}

impl PageBlocks {
    /// The place of a block's area on the page as shown.
    pub fn place(&self, area: &Rect) -> Rect {
        turned::shown(area, self.angle, (self.width, self.height))
    }
}

impl Block {
    /// Whether it is part of what the document says, not of its margins.
    pub(super) fn is_text(&self) -> bool {
        !matches!(self.content, Content::Running { .. } | Content::Aside { .. })
    }

    /// A heading as long as a paragraph is one.
    pub(super) fn checked(mut self) -> Self {
        if let Content::Heading { lines, .. } = &mut self.content {
            let length: usize = lines.iter().map(|line| line.text().chars().count()).sum();
            if lines.len() > HEADING_LINES || length > HEADING_CHARACTERS {
                self.content = Content::Paragraph { lines: std::mem::take(lines) };
                self.tagged = None;
            }
        }
        self
    }
}

pub(super) fn area_of(lines: &[Line]) -> Option<Rect> {
    lines.iter().map(|line| line.area).reduce(|a, b| a.union(&b))
}
