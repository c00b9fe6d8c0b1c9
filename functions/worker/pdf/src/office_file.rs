//! Office files as results.

use serde::{Deserialize, Serialize};

/// What an office file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OfficeFile {
    Docx,
    Odt,
    Rtf,
    Xlsx,
    Ods,
    Csv,
    Pptx,
    Odp,
}

impl OfficeFile {
    pub const ALL: [Self; 8] =
        [Self::Docx, Self::Odt, Self::Rtf, Self::Xlsx, Self::Ods, Self::Csv, Self::Pptx, Self::Odp];

    pub const fn extension(self) -> &'static str {
        match self {
            Self::Docx => "docx",
            Self::Odt => "odt",
            Self::Rtf => "rtf",
            Self::Xlsx => "xlsx",
            Self::Ods => "ods",
            Self::Csv => "csv",
            Self::Pptx => "pptx",
            Self::Odp => "odp",
        }
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Odt => "application/vnd.oasis.opendocument.text",
            Self::Rtf => "application/rtf",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Ods => "application/vnd.oasis.opendocument.spreadsheet",
            Self::Csv => "text/csv",
            Self::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            Self::Odp => "application/vnd.oasis.opendocument.presentation",
        }
    }

    /// The required main part of a package of this format; `None` if it is not a package.
    pub const fn main_part(self) -> Option<&'static str> {
        match self {
            Self::Docx => Some("word/document.xml"),
            Self::Xlsx => Some("xl/workbook.xml"),
            Self::Pptx => Some("ppt/presentation.xml"),
            Self::Odt | Self::Ods | Self::Odp => Some("content.xml"),
            Self::Rtf | Self::Csv => None,
        }
    }
}
