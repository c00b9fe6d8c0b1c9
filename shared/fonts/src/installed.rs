//! The installed fonts as listed by fontconfig: families and characters.

use std::collections::BTreeSet;
use std::io;
use std::process::Command;
use std::sync::{Arc, OnceLock};

/// Listed once, when first needed. If fontconfig's tools are not installed, every font counts as present.
#[derive(Clone, Debug, Default)]
pub struct InstalledFonts(Arc<OnceLock<Option<Fonts>>>);

#[derive(Debug, Default)]
struct Fonts {
    /// In lower case.
    families: BTreeSet<String>,
    /// One bit per code point.
    characters: Vec<u64>,
}

impl InstalledFonts {
    /// Lists the fonts before they are needed. Blocks.
    pub fn get_ready(&self) {
        self.fonts();
    }

    /// The families in lower case, if known.
    pub fn families(&self) -> Option<&BTreeSet<String>> {
        self.fonts().map(|fonts| &fonts.families)
    }

    /// Whether this family (in lower case) is installed.
    pub fn has(&self, family: &str) -> bool {
        self.families().is_none_or(|families| families.contains(family))
    }

    /// Whether any font has a glyph for the character.
    pub fn draw(&self, letter: char) -> bool {
        let code = letter as usize;
        let bit = |fonts: &Fonts| fonts.characters.get(code / 64).is_some_and(|word| word & (1 << (code % 64)) != 0);
        self.fonts().is_none_or(bit)
    }

    fn fonts(&self) -> Option<&Fonts> {
        let list = || list().inspect_err(|error| tracing::warn!(%error, "fc-list can't be run")).ok();
        self.0.get_or_init(list).as_ref()
    }
}

fn list() -> io::Result<Fonts> {
    // The environment is cleared, because it contains the role's credentials.
    let listed = Command::new("/usr/bin/fc-list").args(["--format", "%{family}\t%{charset}\n"]).env_clear().output()?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let mut fonts = Fonts { characters: vec![0; (char::MAX as usize + 1).div_ceil(64)], ..Fonts::default() };
    for (families, characters) in text.lines().filter_map(|line| line.split_once('\t')) {
        fonts.families.extend(families.split(',').map(|family| family.trim().to_lowercase()));
        characters.split(' ').for_each(|range| fonts.note(range));
    }
    Ok(fonts)
}

impl Fonts {
    /// `20-7e` or `a0`.
    fn note(&mut self, range: &str) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text| usize::from_str_radix(text, 16).ok();
        let (Some(first), Some(last)) = (number(first), number(last)) else { return };
        for code in first..=last.min(char::MAX as usize) {
            if let Some(word) = self.characters.get_mut(code / 64) {
                *word |= 1 << (code % 64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_and_their_characters_are_listed() {
        let fonts = InstalledFonts::default();
        assert!(fonts.has("liberation sans") && !fonts.has("no such font"));
        assert!(['a', 'é', '漢', '😀'].into_iter().all(|letter| fonts.draw(letter)));
        assert!(!fonts.draw('\u{10FFFD}'));
    }
}
