//! The structure of a document: what every reader makes, and every writer writes. Serialized, it is version 1 of the JSON that
//! `extract-document` publishes, and its comments are the descriptions in the published schema (`schema.rs`). Blocks, tables and figures
//! refer to each other by ids that are unique in the document.

#![expect(missing_docs, reason = "comments are the published schema's descriptions, which plain names need not have")]

use std::rc::Rc;

use serde::{Deserialize, Serialize};

/// Grows when a field is removed or changes its meaning. New fields leave it as it is.
pub const VERSION: &str = "1";

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Document {
    #[cfg_attr(test, schemars(extend("const" = VERSION)))]
    pub version: &'static str,
    /// From the metadata, or the block with the role `title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// BCP 47.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Empty if the source has no pages, such as HTML.
    pub pages: Vec<Page>,
    /// In reading order.
    pub blocks: Vec<Block>,
    pub tables: Vec<Table>,
    pub figures: Vec<Figure>,
    /// The source's own bookmarks.
    pub outline: Vec<OutlineEntry>,
    pub links: Vec<Link>,
    pub footnotes: Vec<Footnote>,
    /// Text that readers of the document don't see. It is in no block.
    pub hidden: Vec<Hidden>,
    /// From the metadata, for other formats than JSON.
    #[serde(skip)]
    pub author: Option<String>,
}

impl Default for Document {
    fn default() -> Self {
        Self {
            version: VERSION,
            title: None,
            language: None,
            pages: Vec::new(),
            blocks: Vec::new(),
            tables: Vec::new(),
            figures: Vec::new(),
            outline: Vec::new(),
            links: Vec::new(),
            footnotes: Vec::new(),
            hidden: Vec::new(),
            author: None,
        }
    }
}

/// Left, top, right and bottom, in points from the upper left corner of the page as shown.
pub type Corners = [f64; 4];

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// From 1, in the source.
    pub number: u32,
    /// In points, as the page is shown.
    pub width: f64,
    pub height: f64,
    /// 0, 90, 180 or 270 degrees.
    #[cfg_attr(test, schemars(extend("enum" = [0, 90, 180, 270])))]
    pub rotation: u16,
    pub source: TextSource,
    /// From 0 to 1: how sure the text is. 1 for text that the source has as such.
    #[cfg_attr(test, schemars(range(min = 0.0, max = 1.0)))]
    pub confidence: f32,
    /// Why a larger model may read the page better. Empty: nothing speaks for it.
    pub needs_model: Vec<NeedsModel>,
}

/// Where a page's text is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TextSource {
    Text,
    Ocr,
    Mixed,
    /// The page has no text.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum NeedsModel {
    /// Formulas are read as plain text.
    Formulas,
    /// Text was recognized, with low confidence: handwriting, or a bad scan.
    Handwriting,
    /// A large picture or drawing without text.
    Chart,
    /// A table whose cells are uncertain.
    ComplexTable,
}

/// An id such as `b12`, `t3` or `f1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Id(pub String);

impl Id {
    /// `number`: from 1.
    pub fn block(number: usize) -> Self {
        Self(format!("b{number}"))
    }

    pub fn table(number: usize) -> Self {
        Self(format!("t{number}"))
    }

    pub fn figure(number: usize) -> Self {
        Self(format!("f{number}"))
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Block {
    pub id: Id,
    #[serde(flatten)]
    pub role: Role,
    /// Where it stands: one area for each page that it is on. Empty if the source has no pages.
    pub places: Vec<Place>,
    /// Plain text. Of a table: its cells, in rows of tabs. Of a figure: its alternative text.
    pub text: String,
    /// The same text in runs of one style. Empty if all of it is plain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// BCP 47, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// From 0 to 1: how sure the role is.
    #[cfg_attr(test, schemars(range(min = 0.0, max = 1.0)))]
    pub confidence: f32,
    pub reason: Reason,
    /// `None`: the source doesn't tell.
    #[serde(skip)]
    pub look: Option<Look>,
    /// Its words, for tools that work on the page. Of a table, its cells have them.
    #[serde(skip)]
    pub words: Vec<Word>,
}

/// How a block's type is set, for formats that show it. It is not published.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// The family that most of it is set in. Empty if it is not known.
    pub font: String,
    /// The em of most of it, in points.
    pub size: f32,
    /// Whether all of its type has the same width.
    pub fixed: bool,
    pub lines: usize,
    /// From line to line, in points. `None` for a single line.
    pub leading: Option<f32>,
    /// `None` if its lines don't tell, as a single one.
    pub alignment: Option<Alignment>,
    /// How far the first line begins after the others, in points; negative if it begins before them.
    pub first_line: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alignment {
    Left,
    Center,
    Right,
    Justified,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    pub page: u32,
    /// Left, top, right and bottom, in points from the upper left corner of the page as shown.
    #[serde(rename = "box")]
    pub corners: Corners,
}

/// A word where its page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    pub place: Place,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum Role {
    Title,
    Heading {
        /// From 1 to 6.
        #[cfg_attr(test, schemars(range(min = 1, max = 6)))]
        level: u8,
    },
    Paragraph,
    #[serde(rename = "listItem")]
    Item {
        /// Items with the same number follow each other in one list. From 1.
        list: u32,
        /// From 0.
        depth: u8,
        /// In an ordered list.
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<u32>,
    },
    Table {
        table: Id,
    },
    Figure {
        figure: Id,
    },
    Caption {
        /// The block of the table or figure.
        #[serde(skip_serializing_if = "Option::is_none")]
        of: Option<Id>,
    },
    Header,
    Footer,
    Footnote {
        /// As it is written, such as `1` or `*`.
        mark: String,
    },
    Code,
    Formula,
    FormField {
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

/// What a block's role is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// The source's own structure: an office document's styles, HTML elements, tags of a PDF.
    Structure,
    /// Size and weight of the type.
    Style,
    /// Where it stands on the page.
    Position,
    /// Drawn lines.
    Rules,
    /// Columns of words.
    Alignment,
    /// A bullet, a number, or a word such as "Table 1".
    Marker,
    /// Nothing speaks for another role.
    Default,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Span {
    pub text: String,
    #[serde(skip_serializing_if = "is_false")]
    pub bold: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub italic: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub code: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub superscript: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub subscript: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Rc<str>>,
}

impl Span {
    pub fn is_plain(&self) -> bool {
        let Self { text: _, bold, italic, code, superscript, subscript, link } = self;
        !(*bold || *italic || *code || *superscript || *subscript || link.is_some())
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Table {
    pub id: Id,
    /// How many there are, of the whole table: one that goes on over pages is joined.
    pub rows: usize,
    pub columns: usize,
    /// By row, then by column. Places that no cell covers are empty.
    pub cells: Vec<Cell>,
}

impl Table {
    /// The cells that begin at each place of each row. Rows are made one by one: few cells may span many places.
    pub fn places(&self) -> impl Iterator<Item = Vec<Option<&Cell>>> {
        let mut cells = self.cells.iter().peekable();
        (0..self.rows).map(move |row| {
            let mut places = vec![None; self.columns];
            while let Some(cell) = cells.next_if(|cell| cell.row <= row) {
                if let Some(place) = places.get_mut(cell.column) {
                    *place = Some(cell);
                }
            }
            places
        })
    }
}

/// Rows and columns count from 0.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    pub row: usize,
    pub column: usize,
    pub row_span: usize,
    pub column_span: usize,
    pub header: bool,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The same text in runs of one style, as in a block.
    #[serde(skip)]
    pub spans: Vec<Span>,
    #[serde(skip)]
    pub look: Option<Look>,
    #[serde(skip)]
    pub words: Vec<Word>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Figure {
    pub id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The name of its file in the result, if files were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A `data:` URL, if pictures were asked for inline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Alternative text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OutlineEntry {
    /// From 1.
    pub level: u8,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Link {
    pub block: Id,
    pub text: String,
    pub address: Rc<str>,
}

/// A footnote's mark in the text, and its block.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Footnote {
    pub mark: String,
    /// The block whose text has the mark, if it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Id>,
    pub block: Id,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Hidden {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    pub why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Why {
    /// Drawn without ink, without being the text of a scan, or marked as hidden in the source.
    Invisible,
    /// In the color of what lies behind it.
    SameColor,
    /// Smaller than one point.
    Tiny,
    OffPage,
    /// On a layer that is off.
    LayerOff,
    /// Something was drawn over it.
    Covered,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}
