//! The table of all formats.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Container, Family};

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident $extension:literal $family:ident $container:ident $media_type:literal,)+) => {
        /// A file format.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Format { $($(#[$doc])* $variant,)+ }

        impl Format {
            /// All formats, in the order in which lists show them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The usual file extension in lower case, without the dot.
            pub const fn extension(self) -> &'static str {
                match self { $(Self::$variant => $extension,)+ }
            }

            /// The media type, without parameters.
            pub const fn media_type(self) -> &'static str {
                match self { $(Self::$variant => $media_type,)+ }
            }

            /// What kind of file it is.
            pub const fn family(self) -> Family {
                match self { $(Self::$variant => Family::$family,)+ }
            }

            /// How its bytes are organised.
            pub const fn container(self) -> Container {
                match self { $(Self::$variant => Container::$container,)+ }
            }

            const fn variant(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant),)+ }
            }
        }
    };
}

formats! {
    /// PDF.
    Pdf "pdf" Pdf Pdf "application/pdf",
    /// Word document.
    Docx "docx" Word Ooxml "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    /// Word document before 2007.
    Doc "doc" Word Compound "application/msword",
    /// Word template.
    Dotx "dotx" Word Ooxml "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    /// OpenDocument text.
    Odt "odt" Word Odf "application/vnd.oasis.opendocument.text",
    /// Rich Text Format.
    Rtf "rtf" Word Rtf "application/rtf",
    /// Plain text.
    Txt "txt" Word PlainText "text/plain",
    /// Excel workbook.
    Xlsx "xlsx" Sheet Ooxml "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    /// Excel workbook before 2007.
    Xls "xls" Sheet Compound "application/vnd.ms-excel",
    /// Excel workbook with macros.
    Xlsm "xlsm" Sheet Ooxml "application/vnd.ms-excel.sheet.macroenabled.12",
    /// OpenDocument spreadsheet.
    Ods "ods" Sheet Odf "application/vnd.oasis.opendocument.spreadsheet",
    /// Values separated by commas, or by another character than a tab.
    Csv "csv" Sheet PlainText "text/csv",
    /// Values separated by tabs.
    Tsv "tsv" Sheet PlainText "text/tab-separated-values",
    /// PowerPoint presentation.
    Pptx "pptx" Slides Ooxml "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    /// PowerPoint presentation before 2007.
    Ppt "ppt" Slides Compound "application/vnd.ms-powerpoint",
    /// OpenDocument presentation.
    Odp "odp" Slides Odf "application/vnd.oasis.opendocument.presentation",
    /// OpenDocument drawing.
    Odg "odg" Drawing Odf "application/vnd.oasis.opendocument.graphics",
    /// OpenDocument text as one XML file.
    Fodt "fodt" Word FlatOdf "application/vnd.oasis.opendocument.text-flat-xml",
    /// OpenDocument spreadsheet as one XML file.
    Fods "fods" Sheet FlatOdf "application/vnd.oasis.opendocument.spreadsheet-flat-xml",
    /// OpenDocument presentation as one XML file.
    Fodp "fodp" Slides FlatOdf "application/vnd.oasis.opendocument.presentation-flat-xml",
    /// A web page.
    Html "html" Web PlainText "text/html",
    /// Markdown.
    Markdown "md" Web PlainText "text/markdown",
    /// JPEG picture.
    Jpeg "jpg" Picture Binary "image/jpeg",
    /// PNG picture.
    Png "png" Picture Binary "image/png",
    /// WebP picture.
    Webp "webp" Picture Binary "image/webp",
    /// TIFF picture, of one or more pages.
    Tiff "tiff" Picture Binary "image/tiff",
    /// GIF picture.
    Gif "gif" Picture Binary "image/gif",
    /// Windows bitmap.
    Bmp "bmp" Picture Binary "image/bmp",
    /// Scalable vector graphics.
    Svg "svg" Vector PlainText "image/svg+xml",
    /// A message in MIME format.
    Eml "eml" Mail PlainText "message/rfc822",
    /// A message in Outlook's format.
    Msg "msg" Mail Compound "application/vnd.ms-outlook",
    /// JSON.
    Json "json" Data PlainText "application/json",
    /// One JSON value for each line.
    JsonLines "jsonl" Data PlainText "application/x-ndjson",
    /// XML, such as an electronic invoice.
    Xml "xml" Data PlainText "text/xml",
    /// A ZIP archive of files.
    Zip "zip" Archive Binary "application/zip",
    /// A file of any other kind, such as an attachment: no tool opens it.
    Other "bin" Other Binary "application/octet-stream",
}

/// Other extensions of a format.
const SYNONYMS: [(&str, Format); 7] = [
    ("jpeg", Format::Jpeg),
    ("tif", Format::Tiff),
    ("htm", Format::Html),
    ("xhtml", Format::Html),
    ("markdown", Format::Markdown),
    ("mkd", Format::Markdown),
    ("text", Format::Txt),
];

/// Other media types of a format.
const MEDIA_TYPES: [(&str, Format); 4] = [
    ("application/csv", Format::Csv),
    ("text/x-markdown", Format::Markdown),
    ("text/rtf", Format::Rtf),
    ("application/xml", Format::Xml),
];

impl Format {
    /// The format with this file extension or one of its synonyms, in any case, without the dot.
    pub fn from_extension(extension: &str) -> Option<Self> {
        let usual = Self::ALL.iter().copied().find(|format| extension.eq_ignore_ascii_case(format.extension()));
        usual.or_else(|| find(&SYNONYMS, extension))
    }

    /// The format of a file with this name, by its extension.
    pub fn from_filename(name: &str) -> Option<Self> {
        Self::from_extension(name.trim().rsplit_once('.')?.1)
    }

    /// The format with this media type, in any case, with or without parameters.
    pub fn from_media_type(content_type: &str) -> Option<Self> {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let usual = Self::ALL.iter().copied().find(|format| essence.eq_ignore_ascii_case(format.media_type()));
        usual.or_else(|| find(&MEDIA_TYPES, essence))
    }

    /// What the option `format` and the catalogue call it.
    pub const fn name(self) -> &'static str {
        if matches!(self, Self::Jpeg) {
            "jpeg"
        } else if matches!(self, Self::Markdown) {
            "markdown"
        } else {
            self.extension()
        }
    }

    /// The media type of our own results. Their text is in UTF-8.
    pub const fn content_type(self) -> &'static str {
        if matches!(self, Self::Txt) {
            "text/plain; charset=utf-8"
        } else if matches!(self, Self::Html) {
            "text/html; charset=utf-8"
        } else if matches!(self, Self::Markdown) {
            "text/markdown; charset=utf-8"
        } else {
            self.media_type()
        }
    }

    /// Whether LibreOffice opens it.
    pub const fn is_office(self) -> bool {
        self.family().is_office()
    }

    /// The part that a package of this format can't do without. `None` if it is not a package.
    pub const fn main_part(self) -> Option<&'static str> {
        if matches!(self.container(), Container::Odf) {
            Some("content.xml")
        } else if !matches!(self.container(), Container::Ooxml) {
            None
        } else if matches!(self.family(), Family::Sheet) {
            Some("xl/workbook.xml")
        } else if matches!(self.family(), Family::Slides) {
            Some("ppt/presentation.xml")
        } else {
            Some("word/document.xml")
        }
    }
}

fn find(names: &[(&str, Format)], wanted: &str) -> Option<Format> {
    names.iter().find(|(name, _)| wanted.eq_ignore_ascii_case(name)).map(|(_, format)| *format)
}

/// A name that no format has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no format {0:?}")]
pub struct UnknownFormat(pub String);

impl std::str::FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::from_extension(text).ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.variant())
    }
}

/// As the usual extension.
impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.extension())
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_distinct_and_lead_back() {
        for format in Format::ALL.iter().copied() {
            assert_eq!(Format::from_extension(&format.extension().to_uppercase()), Some(format));
            assert_eq!(Format::from_extension(format.name()), Some(format));
            assert_eq!(Format::from_media_type(format.content_type()), Some(format));
            assert!(format.content_type().starts_with(format.media_type()));
        }
        for of in [Format::extension, Format::media_type] {
            let different: HashSet<_> = Format::ALL.iter().map(|format| of(*format)).collect();
            assert_eq!(different.len(), Format::ALL.len());
        }
    }

    #[test]
    fn unknown_names_are_an_error_that_names_them() {
        assert_eq!("dwg".parse::<Format>().unwrap_err().to_string(), "there is no format \"dwg\"");
        assert_eq!((Format::from_extension(""), Format::from_media_type("")), (None, None));
    }

    #[test]
    fn files_are_known_by_their_names_and_synonyms() {
        let of = |name| Format::from_filename(name).map(Format::extension);
        assert_eq!((of("a.b.JPEG"), of("page.htm "), of("notes.mkd")), (Some("jpg"), Some("html"), Some("md")));
        assert_eq!((of("README"), of("a.docx.exe")), (None, None));
        assert_eq!(Format::from_media_type("Text/CSV; header=present"), Some(Format::Csv));
    }

    #[test]
    fn packages_have_a_main_part() {
        let parts = [Format::Docx, Format::Xlsm, Format::Pptx, Format::Ods, Format::Rtf].map(Format::main_part);
        let content = Some("content.xml");
        assert_eq!(
            parts,
            [Some("word/document.xml"), Some("xl/workbook.xml"), Some("ppt/presentation.xml"), content, None]
        );
    }
}
