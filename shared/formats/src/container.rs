//! How the bytes of a format are organised.

use crate::Format;

/// The structure of a format, as far as checks and readers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// PDF objects.
    Pdf,
    /// Office Open XML in a ZIP archive; encrypted, in a compound file.
    Ooxml,
    /// OpenDocument in a ZIP archive.
    Odf,
    /// OpenDocument as one XML file.
    FlatOdf,
    /// An OLE compound file, or for old spreadsheets only its main stream.
    Compound,
    /// Rich Text Format.
    Rtf,
    /// Text of any encoding.
    PlainText,
    /// Bytes with a signature of their own.
    Binary,
}

/// The content types of the main parts of OOXML packages.
const OOXML_MAINS: [(Format, &str); 5] = [
    (Format::Docx, "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"),
    (Format::Dotx, "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml"),
    (Format::Xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"),
    (Format::Xlsm, "application/vnd.ms-excel.sheet.macroEnabled.main+xml"),
    (Format::Pptx, "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"),
];

impl Format {
    /// The content type of the main part of a package of this format. `None` if it is not an OOXML package.
    pub fn ooxml_main(self) -> Option<&'static str> {
        OOXML_MAINS.iter().find(|(format, _)| *format == self).map(|(_, main)| *main)
    }

    /// The format of an OOXML package whose main part has this content type, in any case.
    pub fn from_ooxml_main(content_type: &str) -> Option<Self> {
        OOXML_MAINS.iter().find(|(_, main)| main.eq_ignore_ascii_case(content_type)).map(|(format, _)| *format)
    }

    /// The format of an OpenDocument package with this media type. Templates are converted like documents.
    pub fn from_odf_package(media_type: &str) -> Option<Self> {
        let media_type = media_type.strip_suffix("-template").unwrap_or(media_type);
        Self::ALL
            .iter()
            .copied()
            .find(|format| format.container() == Container::Odf && format.media_type() == media_type)
    }

    /// The format of a flat OpenDocument file whose root element has this media type.
    pub fn from_odf_flat(media_type: &str) -> Option<Self> {
        // Templates are always packages.
        let package = Self::from_odf_package(media_type).filter(|package| package.media_type() == media_type)?;
        let flat = |format: &Self| format.container() == Container::FlatOdf && format.family() == package.family();
        Self::ALL.iter().copied().find(flat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_documents_are_known_by_their_media_type() {
        let text = "application/vnd.oasis.opendocument.text";
        assert_eq!(
            (Format::from_odf_package(text), Format::from_odf_flat(text)),
            (Some(Format::Odt), Some(Format::Fodt))
        );
        let template = format!("{text}-template");
        assert_eq!((Format::from_odf_package(&template), Format::from_odf_flat(&template)), (Some(Format::Odt), None));
        let drawing = "application/vnd.oasis.opendocument.graphics";
        assert_eq!((Format::from_odf_package(drawing), Format::from_odf_flat(drawing)), (Some(Format::Odg), None));
        assert_eq!(Format::from_odf_package("application/epub+zip"), None);
    }

    #[test]
    fn every_ooxml_format_has_the_type_of_its_main_part() {
        for format in Format::ALL.iter().copied() {
            assert_eq!(format.ooxml_main().is_some(), format.container() == Container::Ooxml, "{format}");
            let main = format.ooxml_main().map(str::to_uppercase);
            assert_eq!(main.and_then(|main| Format::from_ooxml_main(&main)), format.ooxml_main().map(|_| format));
        }
    }
}
