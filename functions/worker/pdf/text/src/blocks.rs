//! The blocks of a page: headings, paragraphs, lists, tables and code, in reading order.

use docmill_pdf_core::pdfium::Rect;
use serde::{Deserialize, Serialize};

use super::order::Line;
use super::tables::Table;
use super::tagged::Tagged;
use super::turned;
use super::words::Word;

/// Headings have fewer lines and characters than that.
const HEADING_LINES: usize = 4;
const HEADING_CHARACTERS: usize = 240;

/// A page, read.
#[derive(Debug, Serialize, Deserialize)]
pub struct PageBlocks {
    /// From 1.
    pub number: u32,
    /// In points, as the page is shown.
    pub width: f32,
    /// In points, as the page is shown.
    pub height: f32,
    /// 0, 90, 180 or 270 degrees, clockwise.
    pub rotation: u16,
    /// The direction in which its blocks' areas are upright.
    pub(super) angle: u16,
    /// In reading order.
    pub blocks: Vec<Block>,
}

/// What stands together on a page.
#[derive(Debug, Serialize, Deserialize)]
pub struct Block {
    /// With the text upright. [`PageBlocks::place`] says where the page shows it.
    pub area: Rect,
    /// What it is.
    pub content: Content,
    /// What the tags of the document say of it.
    pub tagged: Option<Tagged>,
}

/// What a block is.
#[derive(Debug, Serialize, Deserialize)]
pub enum Content {
    /// From 1 to 6.
    Heading {
        /// 1 is the highest.
        level: u8,
        /// From top to bottom.
        lines: Vec<Line>,
    },
    /// Running text.
    Paragraph {
        /// From top to bottom.
        lines: Vec<Line>,
    },
    /// `number` is that of an ordered list; `depth` counts from 0.
    Item {
        /// `None`: it has a bullet.
        number: Option<u32>,
        /// 0 is the outermost list.
        depth: u8,
        /// The number as it stands there.
        marker: Option<Box<Word>>,
        /// Without the number or bullet.
        lines: Vec<Line>,
    },
    /// Text in type of one width.
    Code {
        /// From top to bottom.
        lines: Vec<Line>,
    },
    /// A table that goes on over pages is one, on its first page.
    Table(Table),
    /// Text in another direction.
    Aside {
        /// With the text upright.
        lines: Vec<Line>,
    },
    /// Running headers, footers and page numbers.
    Running {
        /// From top to bottom.
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
