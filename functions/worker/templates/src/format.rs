//! Formats of templates, and where their texts are.

use crate::markup::Dialect;
use crate::plain::Language;

/// A format that can be filled: one of [`docmill_formats::Format`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Word.
    Docx,
    /// Excel.
    Xlsx,
    /// PowerPoint.
    Pptx,
    /// OpenDocument text.
    Odt,
    /// A page, or a piece of one.
    Html,
    /// GitHub's dialect.
    Markdown,
}

/// How a format is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An archive of parts.
    Package,
    /// An archive of parts with sheets, whose rows have numbers.
    Workbook,
    Text(Language),
}

/// Text of word processing documents, without numbers at the end of names.
const DOCX: [&str; 10] = [
    "word/document",
    "word/header",
    "word/footer",
    "word/footnotes",
    "word/endnotes",
    "word/comments",
    "word/charts/chart",
    "word/drawings/drawing",
    "word/diagrams/data",
    "word/diagrams/drawing",
];
const PPTX: [&str; 11] = [
    "ppt/slides/slide",
    "ppt/notesSlides/notesSlide",
    "ppt/slideMasters/slideMaster",
    "ppt/slideLayouts/slideLayout",
    "ppt/notesMasters/notesMaster",
    "ppt/handoutMasters/handoutMaster",
    "ppt/comments/comment",
    "ppt/charts/chart",
    "ppt/drawings/drawing",
    "ppt/diagrams/data",
    "ppt/diagrams/drawing",
];
/// Comments with answers, whose parts have several numbers in their names.
const MODERN_COMMENT: &str = "ppt/comments/modernComment";
/// Besides sheets.
const XLSX: [&str; 4] = ["xl/drawings/drawing", "xl/charts/chart", "xl/diagrams/data", "xl/diagrams/drawing"];
const PROPERTIES: [&str; 3] = ["docProps/core", "docProps/app", "docProps/custom"];

impl Format {
    /// All formats of templates.
    pub const ALL: [Self; 6] = [Self::Docx, Self::Xlsx, Self::Pptx, Self::Odt, Self::Html, Self::Markdown];

    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Docx | Self::Pptx | Self::Odt => Kind::Package,
            Self::Xlsx => Kind::Workbook,
            Self::Html => Kind::Text(Language::Html),
            Self::Markdown => Kind::Text(Language::Markdown),
        }
    }

    /// How a part of the archive is read; `None` if no tags are looked for in it.
    pub(crate) fn dialect(self, part: &str) -> Option<Dialect> {
        let stem = part.strip_suffix(".xml")?.trim_end_matches(|c: char| c.is_ascii_digit());
        let office = |texts: &[&str]| {
            if PROPERTIES.contains(&stem) {
                Some(Dialect::Leaves)
            } else {
                texts.contains(&stem).then_some(Dialect::Runs)
            }
        };
        match self {
            Self::Docx => office(&DOCX),
            Self::Xlsx if matches!(stem, "xl/comments" | "xl/comments/comment") => Some(Dialect::Cells),
            Self::Xlsx if stem == "xl/threadedComments/threadedComment" => Some(Dialect::Leaves),
            Self::Xlsx => office(&XLSX),
            Self::Pptx if stem.starts_with(MODERN_COMMENT) => Some(Dialect::Runs),
            Self::Pptx => office(&PPTX),
            Self::Odt => match part {
                "content.xml" | "styles.xml" => Some(Dialect::Spans),
                "meta.xml" => Some(Dialect::Leaves),
                // Charts, and other documents in this one.
                _ => part.ends_with("/content.xml").then_some(Dialect::Spans),
            },
            Self::Html | Self::Markdown => None,
        }
    }
}
