//! The formats that office-to-pdf accepts.

/// The kind of document, which decides which of an engine's modules opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    Text,
    Spreadsheet,
    Presentation,
    Drawing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Docx,
    Doc,
    Dotx,
    Odt,
    Rtf,
    Txt,
    Xlsx,
    Xls,
    Xlsm,
    Ods,
    Csv,
    Tsv,
    Pptx,
    Ppt,
    Odp,
    Odg,
    Fodt,
    Fods,
    Fodp,
}

/// The structure of a format, as far as checks differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    /// Office Open XML in a ZIP archive; encrypted, in a compound file.
    Ooxml,
    /// OpenDocument in a ZIP archive.
    Odf,
    /// OpenDocument as one XML file.
    FlatOdf,
    /// An OLE compound file, or for old spreadsheets only its main stream.
    Compound,
    Rtf,
    PlainText,
}

impl Format {
    pub const ALL: [Self; 19] = [
        Self::Docx,
        Self::Doc,
        Self::Dotx,
        Self::Odt,
        Self::Rtf,
        Self::Txt,
        Self::Xlsx,
        Self::Xls,
        Self::Xlsm,
        Self::Ods,
        Self::Csv,
        Self::Tsv,
        Self::Pptx,
        Self::Ppt,
        Self::Odp,
        Self::Odg,
        Self::Fodt,
        Self::Fods,
        Self::Fodp,
    ];

    /// The usual file extension in lower case, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Docx => "docx",
            Self::Doc => "doc",
            Self::Dotx => "dotx",
            Self::Odt => "odt",
            Self::Rtf => "rtf",
            Self::Txt => "txt",
            Self::Xlsx => "xlsx",
            Self::Xls => "xls",
            Self::Xlsm => "xlsm",
            Self::Ods => "ods",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Pptx => "pptx",
            Self::Ppt => "ppt",
            Self::Odp => "odp",
            Self::Odg => "odg",
            Self::Fodt => "fodt",
            Self::Fods => "fods",
            Self::Fodp => "fodp",
        }
    }

    pub fn from_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| extension.eq_ignore_ascii_case(format.extension()))
    }

    pub const fn family(self) -> Family {
        match self {
            Self::Docx | Self::Doc | Self::Dotx | Self::Odt | Self::Rtf | Self::Txt | Self::Fodt => Family::Text,
            Self::Xlsx | Self::Xls | Self::Xlsm | Self::Ods | Self::Csv | Self::Tsv | Self::Fods => Family::Spreadsheet,
            Self::Pptx | Self::Ppt | Self::Odp | Self::Fodp => Family::Presentation,
            Self::Odg => Family::Drawing,
        }
    }

    pub(super) const fn container(self) -> Container {
        match self {
            Self::Docx | Self::Dotx | Self::Xlsx | Self::Xlsm | Self::Pptx => Container::Ooxml,
            Self::Odt | Self::Ods | Self::Odp | Self::Odg => Container::Odf,
            Self::Fodt | Self::Fods | Self::Fodp => Container::FlatOdf,
            Self::Doc | Self::Xls | Self::Ppt => Container::Compound,
            Self::Rtf => Container::Rtf,
            Self::Txt | Self::Csv | Self::Tsv => Container::PlainText,
        }
    }

    /// Determined by the content type of an OOXML package's main part.
    pub(super) fn from_ooxml_main(content_type: &str) -> Option<Self> {
        Some(match content_type {
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml" => Self::Docx,
            "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml" => Self::Dotx,
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml" => Self::Xlsx,
            "application/vnd.ms-excel.sheet.macroenabled.main+xml" => Self::Xlsm,
            "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml" => Self::Pptx,
            _ => return None,
        })
    }

    /// Determined by the media type of an OpenDocument package. Templates are converted like documents.
    pub(super) fn from_odf_package(media_type: &str) -> Option<Self> {
        Some(match media_type.strip_suffix("-template").unwrap_or(media_type) {
            "application/vnd.oasis.opendocument.text" => Self::Odt,
            "application/vnd.oasis.opendocument.spreadsheet" => Self::Ods,
            "application/vnd.oasis.opendocument.presentation" => Self::Odp,
            "application/vnd.oasis.opendocument.graphics" => Self::Odg,
            _ => return None,
        })
    }

    /// Determined by the media type in a flat OpenDocument file's root element.
    pub(super) fn from_odf_flat(media_type: &str) -> Option<Self> {
        Some(match media_type {
            "application/vnd.oasis.opendocument.text" => Self::Fodt,
            "application/vnd.oasis.opendocument.spreadsheet" => Self::Fods,
            "application/vnd.oasis.opendocument.presentation" => Self::Fodp,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_distinct_and_lead_back() {
        for format in Format::ALL {
            assert_eq!(Format::from_extension(&format.extension().to_uppercase()), Some(format));
        }
        assert_eq!(Format::from_extension("html"), None);
    }
}
