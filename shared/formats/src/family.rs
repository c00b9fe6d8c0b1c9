//! Kinds of files.

use crate::Format;

/// A kind of file, which decides how it is opened, printed and converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Text documents of an office suite.
    Word,
    /// Spreadsheets and tables.
    Sheet,
    /// Presentations.
    Slides,
    /// Drawings of an office suite.
    Drawing,
    /// PDF.
    Pdf,
    /// Pictures made of pixels.
    Picture,
    /// Pictures made of shapes.
    Vector,
    /// Pages, and text that becomes one.
    Web,
    /// Messages.
    Mail,
    /// Data for programs.
    Data,
    /// Archives of files.
    Archive,
    /// Everything else.
    Other,
}

impl Family {
    /// Whether LibreOffice opens it.
    pub const fn is_office(self) -> bool {
        matches!(self, Self::Word | Self::Sheet | Self::Slides | Self::Drawing)
    }

    /// The formats that convert-office makes of such a document, in the order in which messages list them. PNG is a picture of a page.
    pub const fn conversions(self) -> &'static [Format] {
        use Format::{Csv, Docx, Html, Odp, Ods, Odt, Png, Pptx, Rtf, Txt, Xlsx};
        match self {
            Self::Word => &[Docx, Odt, Rtf, Txt, Html, Png],
            Self::Sheet => &[Xlsx, Ods, Csv, Png],
            Self::Slides => &[Pptx, Odp, Png],
            Self::Drawing => &[Png],
            Self::Pdf
            | Self::Picture
            | Self::Vector
            | Self::Web
            | Self::Mail
            | Self::Data
            | Self::Archive
            | Self::Other => &[],
        }
    }
}
