//! A face's names and the characters that it covers.

use std::collections::BTreeSet;

use read_fonts::{FileRef, FontRef};
use skrifa::MetadataProvider;
use skrifa::attribute::Style;
use skrifa::string::StringId;

/// Longest name in characters. Most programs limit fonts to 31.
const LONGEST_NAME: usize = 100;
/// Most names of one family: it may have one for each language.
const MOST_FAMILIES: usize = 8;

/// One face of a font.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Face {
    /// The name of the family, in English if it has one.
    pub family: String,
    /// Other names of the family. Documents may use any of them.
    pub aliases: BTreeSet<String>,
    /// Such as `Bold Italic`.
    pub style: String,
    /// From 1 to 1000: 400 is regular, 700 bold.
    pub weight: u16,
    /// Italic or oblique.
    pub italic: bool,
    /// The name that PDFs know it by.
    pub postscript_name: Option<String>,
}

impl Face {
    /// `None` if the face has no name.
    pub(crate) fn of(font: &FontRef<'_>) -> Option<Self> {
        let one = |id| font.localized_strings(id).english_or_first().and_then(clean);
        let attributes = font.attributes();
        let family = one(StringId::TYPOGRAPHIC_FAMILY_NAME).or_else(|| one(StringId::FAMILY_NAME))?;
        let style = one(StringId::TYPOGRAPHIC_SUBFAMILY_NAME).or_else(|| one(StringId::SUBFAMILY_NAME));
        let all = [StringId::FAMILY_NAME, StringId::TYPOGRAPHIC_FAMILY_NAME];
        let all = all.into_iter().flat_map(|id| font.localized_strings(id)).filter_map(clean);
        let aliases = all.filter(|name| *name != family).take(MOST_FAMILIES).collect();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 1000")]
        let weight = attributes.weight.value().clamp(1.0, 1000.0) as u16;
        Some(Self {
            family,
            aliases,
            style: style.unwrap_or_else(|| "Regular".to_owned()),
            weight,
            italic: attributes.style != Style::Normal,
            postscript_name: one(StringId::POSTSCRIPT_NAME),
        })
    }

    pub(crate) fn name_bytes(&self) -> usize {
        let own = [Some(&self.family), Some(&self.style), self.postscript_name.as_ref()];
        own.into_iter().flatten().chain(&self.aliases).map(String::len).sum()
    }
}

fn clean(name: impl ToString) -> Option<String> {
    let name: String = name.to_string().chars().filter(|letter| !letter.is_control()).take(LONGEST_NAME).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The characters of a font that was read.
#[derive(Debug)]
pub struct Glyphs(Vec<u8>);

impl Glyphs {
    /// `file`: as written by [`crate::read`].
    pub fn of(file: Vec<u8>) -> Self {
        Self(file)
    }

    /// Whether any of its faces has a glyph for the character.
    pub fn draw(&self, letter: char) -> bool {
        let Ok(file) = FileRef::new(&self.0) else { return false };
        file.fonts().flatten().any(|font| font.charmap().map(letter).is_some())
    }
}
