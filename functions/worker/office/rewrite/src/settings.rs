//! Settings of a text document: which version of Word it is laid out as, its East Asian language, and how its lines are filled.

use std::io;

use serde::{Deserialize, Serialize};

use super::edit::{Tag, scan, value};
use super::paragraphs::SpaceAbove;
use super::{Package, part};

const PART: &str = "word/settings.xml";
/// The `compatibilityMode` of Word 2013 and all later versions ([MS-DOCX] 2.3.2).
const WORD_2013: u32 = 15;

/// What gives way in a line of East Asian text for one more letter (ECMA-376-1, 17.18.7). LibreOffice has the same setting, but does
/// not read it from documents of Word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compression {
    /// Nothing.
    #[default]
    None,
    /// Punctuation marks.
    Punctuation,
    /// Punctuation marks and kana.
    PunctuationAndKana,
}

impl Compression {
    fn of(value: Option<&str>) -> Self {
        match value {
            Some("compressPunctuation") => Self::Punctuation,
            Some("compressPunctuationAndJapaneseKana") => Self::PunctuationAndKana,
            Some(_) | None => Self::None,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) space_above: SpaceAbove,
    pub(super) compression: Compression,
    /// The language of East Asian text, for which a theme has a font.
    pub(super) east_asian_language: Option<String>,
}

impl Settings {
    pub(super) fn read(package: &mut Package) -> io::Result<Self> {
        Self::of(&part(package, PART)?)
    }

    /// A document without a mode is laid out as by Word 2007.
    fn of(settings: &str) -> io::Result<Self> {
        let (mut mode, mut east_asian_language, mut compression) = (None::<u32>, None, Compression::None);
        scan(settings, |_, tag| {
            if let Tag::Empty(tag) | Tag::Start(tag) = tag {
                match tag.name().as_ref() {
                    "w:compatSetting" if value(&tag, "w:name").as_deref() == Some("compatibilityMode") => {
                        mode = value(&tag, "w:val").and_then(|mode| mode.parse().ok());
                    }
                    "w:characterSpacingControl" => compression = Compression::of(value(&tag, "w:val").as_deref()),
                    "w:themeFontLang" => east_asian_language = value(&tag, "w:eastAsia"),
                    _ => {}
                }
            }
        })?;
        let is_word_2013 = mode >= Some(WORD_2013);
        let space_above = if is_word_2013 { SpaceAbove::Dropped } else { SpaceAbove::WithoutSpaceBelow };
        Ok(Self { space_above, compression, east_asian_language })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_is_read_among_other_settings() {
        let settings = |mode: &str| {
            format!(
                "<w:settings><w:compat><w:compatSetting w:name=\"compatibilityMode\" w:val=\"{mode}\"/>\
                 <w:compatSetting w:name=\"enableOpenTypeFeatures\" w:val=\"1\"/></w:compat></w:settings>"
            )
        };
        let space_above = |settings: &str| Settings::of(settings).unwrap().space_above;
        assert_eq!(space_above(&settings("15")), SpaceAbove::Dropped);
        for older in [&settings("14"), &settings("x"), ""] {
            assert_eq!(space_above(older), SpaceAbove::WithoutSpaceBelow);
        }
    }

    #[test]
    fn the_east_asian_language_is_that_of_the_themes_fonts() {
        let settings = "<w:settings><w:themeFontLang w:val=\"en-US\" w:eastAsia=\"ko-KR\"/></w:settings>";
        assert_eq!(Settings::of(settings).unwrap().east_asian_language.as_deref(), Some("ko-KR"));
        assert_eq!(Settings::of("").unwrap().east_asian_language, None);
    }

    #[test]
    fn punctuation_is_compressed_where_the_document_says_so() {
        let compression = |value: &str| {
            let settings = format!("<w:settings><w:characterSpacingControl w:val=\"{value}\"/></w:settings>");
            Settings::of(&settings).unwrap().compression
        };
        assert_eq!(compression("compressPunctuation"), Compression::Punctuation);
        assert_eq!(compression("compressPunctuationAndJapaneseKana"), Compression::PunctuationAndKana);
        assert_eq!(compression("doNotCompress"), Compression::None);
        assert_eq!(Settings::of("").unwrap().compression, Compression::None);
    }
}
