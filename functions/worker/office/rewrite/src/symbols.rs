//! Symbol fonts and the Unicode character for each of their letters.

const FONTS: &str = include_str!("symbols.txt");

/// The code of a font's first character. Documents may also use the private use area with this offset.
const FIRST: u32 = 0x20;
const PRIVATE: u32 = 0xF000;

/// A font of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SymbolFont(&'static str);

impl SymbolFont {
    pub(super) fn named(name: &str) -> Option<Self> {
        let fonts = FONTS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
        fonts.into_iter().find(|(font, _)| font.eq_ignore_ascii_case(name)).map(|(_, characters)| Self(characters))
    }

    /// The Unicode character for a letter in this font, given directly or in the private use area.
    pub(super) fn character(self, letter: char) -> Option<char> {
        let code = u32::from(letter);
        let code = if (PRIVATE..PRIVATE + 0x100).contains(&code) { code - PRIVATE } else { code };
        let place = usize::try_from(code.checked_sub(FIRST)?).ok()?;
        self.0.chars().nth(place).filter(|symbol| *symbol != char::REPLACEMENT_CHARACTER)
    }

    /// A text that is entirely in this font.
    pub(super) fn read(self, text: &str) -> String {
        text.chars().map(|letter| self.character(letter).unwrap_or(letter)).collect()
    }
}

pub(super) fn is_private(letter: char) -> bool {
    (PRIVATE..PRIVATE + 0x100).contains(&u32::from(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_symbol_fonts_are_pictures() {
        let wingdings = SymbolFont::named("wingdings").unwrap();
        assert_eq!(wingdings.read("J ü"), "☺ ✓");
        assert_eq!(wingdings.character('\u{F0E0}'), Some('🡪'));
        assert_eq!(wingdings.character('€'), None);
        assert_eq!(SymbolFont::named("Wingdings 3").unwrap().read("g"), "🡒");
        assert_eq!(SymbolFont::named("Arial"), None);
    }

    #[test]
    fn every_font_has_all_its_characters() {
        for line in FONTS.lines().filter(|line| !line.starts_with('#')) {
            assert_eq!(line.split_once('\t').unwrap().1.chars().count(), 0xE0, "{line}");
        }
    }
}
