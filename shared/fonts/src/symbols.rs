//! Symbol fonts and the Unicode character for each of their letters.

const FONTS: &str = include_str!("symbols.txt");

/// The code of a font's first character. Documents may also use the private use area with this offset.
const FIRST: u32 = 0x20;
const PRIVATE: u32 = 0xF000;

/// A font of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolFont(&'static str);

impl SymbolFont {
    /// The font of this name, which may be written without spaces.
    pub fn named(name: &str) -> Option<Self> {
        let mut fonts = FONTS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
        let letters = |name: &str| name.replace(' ', "").to_ascii_lowercase();
        fonts.find(|(font, _)| letters(font) == letters(name)).map(|(_, characters)| Self(characters))
    }

    /// The Unicode character for a letter in this font, given directly or in the private use area.
    pub fn character(self, letter: char) -> Option<char> {
        let code = u32::from(letter);
        let code = if (PRIVATE..PRIVATE + 0x100).contains(&code) { code - PRIVATE } else { code };
        let place = usize::try_from(code.checked_sub(FIRST)?).ok()?;
        self.0.chars().nth(place).filter(|symbol| *symbol != char::REPLACEMENT_CHARACTER)
    }

    /// A text that is entirely in this font.
    pub fn read(self, text: &str) -> String {
        text.chars().map(|letter| self.character(letter).unwrap_or(letter)).collect()
    }
}

/// Whether a letter is one of those that symbol fonts have for themselves.
pub fn is_private(letter: char) -> bool {
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
        for name in ["Wingdings 3", "Wingdings3"] {
            assert_eq!(SymbolFont::named(name).unwrap().read("g"), "🡒");
        }
        assert_eq!(SymbolFont::named("Arial"), None);
    }

    #[test]
    fn every_font_has_all_its_characters() {
        for line in FONTS.lines().filter(|line| !line.starts_with('#')) {
            assert_eq!(line.split_once('\t').unwrap().1.chars().count(), 0xE0, "{line}");
        }
    }
}
