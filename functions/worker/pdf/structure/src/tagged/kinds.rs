//! The standard types of tags, as far as readers of text tell them apart.

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It says nothing of what is in it, such as a section.
    Group,
    /// A part of a line.
    Inline,
    /// `None`: its level is that of its section.
    Heading(Option<u8>),
    /// Of the document.
    Title,
    /// A paragraph, or what is like one.
    Paragraph,
    /// Of a table or figure.
    Caption,
    /// A footnote or endnote.
    Note,
    /// A program's text.
    Code,
    /// Mathematics.
    Formula,
    /// Holds items.
    List,
    /// Holds a label and what is in the item.
    Item,
    /// A number or bullet.
    Label,
    /// Holds rows.
    Table,
    /// Holds cells.
    Row,
    /// A cell of a table.
    Cell(Cell),
    /// A picture or drawing.
    Figure,
    /// Not part of the document, such as a page number.
    Artifact,
}

/// What the tags say of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Whether it heads a row or column.
    pub header: bool,
    /// How many it spans.
    pub rows: u16,
    /// How many it spans.
    pub columns: u16,
}

impl Kind {
    /// The standard type with this name.
    pub(super) fn standard(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"Document" | b"DocumentFragment" | b"Part" | b"Art" | b"Sect" | b"Div" | b"Aside" | b"NonStruct"
            | b"Private" | b"BlockQuote" | b"TOC" | b"Index" | b"LBody" | b"THead" | b"TBody" | b"TFoot" | b"Form" => {
                Self::Group
            }
            b"Span" | b"Quote" | b"Reference" | b"BibEntry" | b"Link" | b"Annot" | b"Sub" | b"Em" | b"Strong"
            | b"Ruby" | b"RB" | b"RT" | b"RP" | b"Warichu" | b"WT" | b"WP" => Self::Inline,
            b"H" => Self::Heading(None),
            b"H1" => Self::Heading(Some(1)),
            b"H2" => Self::Heading(Some(2)),
            b"H3" => Self::Heading(Some(3)),
            b"H4" => Self::Heading(Some(4)),
            b"H5" => Self::Heading(Some(5)),
            b"H6" => Self::Heading(Some(6)),
            b"Title" => Self::Title,
            b"P" | b"TOCI" => Self::Paragraph,
            b"Caption" => Self::Caption,
            b"Note" | b"FENote" => Self::Note,
            b"Code" => Self::Code,
            b"Formula" => Self::Formula,
            b"L" => Self::List,
            b"LI" => Self::Item,
            b"Lbl" => Self::Label,
            b"Table" => Self::Table,
            b"TR" => Self::Row,
            b"TH" => Self::Cell(Cell { header: true, rows: 1, columns: 1 }),
            b"TD" => Self::Cell(Cell { header: false, rows: 1, columns: 1 }),
            b"Figure" => Self::Figure,
            b"Artifact" => Self::Artifact,
            _ => return None,
        })
    }

    /// The type that a name which no role map explains looks like, such as `Heading 1`.
    pub(super) fn similar(name: &[u8]) -> Self {
        let plain: String =
            name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(|byte| char::from(*byte)).collect();
        let plain = plain.to_ascii_lowercase();
        let level =
            plain.strip_prefix("heading").or_else(|| plain.strip_prefix('h')).and_then(|rest| rest.parse().ok());
        match (level, plain.as_str()) {
            (Some(level @ 1..=u8::MAX), _) => Self::Heading(Some(level.min(6))),
            (_, "heading") => Self::Heading(None),
            (_, "caption") => Self::Caption,
            (_, "footnote" | "endnote") => Self::Note,
            (_, "paragraph" | "normal" | "bodytext" | "standard") => Self::Paragraph,
            (_, _) => Self::Group,
        }
    }

    /// Whether its text is a block of its own.
    pub const fn is_text(self) -> bool {
        matches!(
            self,
            Self::Heading(_) | Self::Title | Self::Paragraph | Self::Caption | Self::Note | Self::Code | Self::Formula
        )
    }
}
