//! Groups of formats that tools take.

use serde::Deserialize;

use crate::{Family, Format};

/// What a tool's file says that it takes: formats by their extensions, or groups by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// One format.
    One(Format),
    /// `office`: every document that LibreOffice opens.
    Office,
    /// `pictures`: pictures of pixels and of shapes.
    Pictures,
    /// `bitmaps`: pictures of pixels.
    Bitmaps,
    /// `mail`: messages.
    Mail,
}

impl Group {
    /// The names of groups, in files of tools.
    pub const NAMES: [&str; 4] = ["office", "pictures", "bitmaps", "mail"];

    /// The formats of the group, in the order of [`Format::ALL`].
    pub fn formats(self) -> Vec<Format> {
        Format::ALL.iter().copied().filter(|format| self.contains(*format)).collect()
    }

    fn contains(self, format: Format) -> bool {
        match self {
            Self::One(one) => format == one,
            Self::Office => format.is_office(),
            Self::Pictures => matches!(format.family(), Family::Picture | Family::Vector),
            Self::Bitmaps => format.family() == Family::Picture,
            Self::Mail => format.family() == Family::Mail,
        }
    }
}

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(match text.as_str() {
            "office" => Self::Office,
            "pictures" => Self::Pictures,
            "bitmaps" => Self::Bitmaps,
            "mail" => Self::Mail,
            format => Self::One(format.parse().map_err(serde::de::Error::custom)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_list_their_formats_in_order() {
        let shown =
            |group: Group| group.formats().iter().map(|format| format.extension()).collect::<Vec<_>>().join(" ");
        assert_eq!(
            shown(Group::Office),
            "docx doc dotx odt rtf txt xlsx xls xlsm ods csv tsv pptx ppt odp odg fodt fods fodp"
        );
        assert_eq!(shown(Group::Pictures), "jpg png webp tiff gif bmp svg");
        assert_eq!(shown(Group::Bitmaps), "jpg png webp tiff gif bmp");
        assert_eq!((shown(Group::Mail), shown(Group::One(Format::Pdf))), ("eml msg".into(), "pdf".into()));
    }

    #[test]
    fn every_office_format_becomes_something() {
        for format in Group::Office.formats() {
            assert!(format.family().conversions().contains(&Format::Png), "{format}");
        }
        assert!(Format::Pdf.family().conversions().is_empty());
    }
}
