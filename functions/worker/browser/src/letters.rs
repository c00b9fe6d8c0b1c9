//! Finds characters and fonts that are not available: the browser silently prints boxes or uses another font.

use std::collections::{BTreeMap, BTreeSet};

use docmill_domain::job::Warning;
use docmill_fonts::substitutes::{self, Relative, Widths};
use docmill_fonts::{InstalledFonts, OwnFonts, UPLOAD_HINT};
use serde::Deserialize;
use serde_json::Value;

/// A script for the page. It returns [`Letters`].
pub(super) const LOOK: &str = include_str!("letters.js");

/// Most fonts of a page in warnings, and the longest name.
const MOST: usize = 20;
const LONGEST_NAME: usize = 100;

/// Generic families, for which the browser chooses a font.
const GENERIC: [&str; 7] = ["serif", "sans-serif", "monospace", "cursive", "fantasy", "math", "emoji"];

/// Generic families that any system font satisfies.
const SYSTEM: [&str; 7] =
    ["system-ui", "ui-serif", "ui-sans-serif", "ui-monospace", "ui-rounded", "-apple-system", "blinkmacsystemfont"];

/// The font needs of a page's text.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Letters {
    /// As listed in CSS.
    families: Vec<String>,
    /// Characters outside ASCII.
    characters: String,
    /// Families that the page itself loaded.
    own: Vec<String>,
}

impl Letters {
    /// Parses the page's answer. Invalid answers count as no needs.
    pub(super) fn read(answer: Value) -> Self {
        serde_json::from_value(answer).unwrap_or_default()
    }

    /// `account`: the account's fonts. Blocks.
    pub(super) fn warnings(&self, installed: &InstalledFonts, account: &OwnFonts) -> Vec<Warning> {
        let own: BTreeSet<String> = self.own.iter().map(|name| plain(name)).collect();
        let is_there = |name: &str| own.contains(name) || account.has(name);
        let missing: BTreeMap<String, Option<&'static Relative>> =
            self.families.iter().filter_map(|list| missing(list, is_there, installed)).take(MOST).collect();
        let mut warnings: Vec<_> =
            missing.into_iter().map(|(family, stand_in)| substituted(&family, stand_in)).collect();
        // Fonts that the page loads may have any glyph.
        let blank: String =
            self.characters.chars().filter(|letter| own.is_empty() && is_blank(*letter, installed)).collect();
        let blank = account.do_not_draw(blank);
        if !blank.is_empty() {
            let message = "No available font has these characters, so they are printed as boxes. Load a web font that has them, or upload \
                 a font (`POST /v1/fonts`).";
            warnings.push(Warning::new("missing_glyph", message).with_detail(blank));
        }
        warnings
    }
}

/// `stand_in`: the font that is used instead, if known.
fn substituted(family: &str, stand_in: Option<&Relative>) -> Warning {
    let widths = Relative::consequence(stand_in.map_or(Widths::Differ, |relative| relative.widths));
    Warning::font_substituted(family, stand_in.map(|relative| relative.stand_in), &format!("{widths} {UPLOAD_HINT}"))
}

/// The first missing family of a list, and what the browser uses: the first installed one, or else a substitute of the same
/// width. If the list contains an installed family, that is the author's own choice.
fn missing(
    list: &str,
    is_there: impl Fn(&str) -> bool,
    installed: &InstalledFonts,
) -> Option<(String, Option<&'static Relative>)> {
    let names: Vec<String> = list.split(',').map(plain).filter(|name| !GENERIC.contains(&name.as_str())).collect();
    for name in &names {
        if is_there(name) || SYSTEM.contains(&name.as_str()) || installed.has(name) {
            return None;
        }
        let relative = installed.families().and_then(|families| substitutes::of(name, families));
        if let Some(relative) = relative.filter(|relative| relative.serves_pages()) {
            return (relative.widths != Widths::Same).then(|| (shortened(name), Some(relative)));
        }
    }
    names.first().map(|name| (shortened(name), None))
}

fn shortened(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

/// A family's name as in fontconfig: without quotation marks, in lower case.
fn plain(name: &str) -> String {
    name.trim().trim_matches(['"', '\'']).to_lowercase()
}

/// For private use characters, the browser only uses fonts that the page names.
fn is_blank(letter: char, installed: &InstalledFonts) -> bool {
    let is_private = matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..);
    is_private || needs_glyph(letter) && !installed.draw(letter)
}

/// Joiners and variation selectors are invisible by themselves.
fn needs_glyph(letter: char) -> bool {
    !letter.is_whitespace()
        && !letter.is_control()
        && !matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_fonts::NO_FONTS;

    fn warnings(families: &[&str], characters: &str, own: &[&str]) -> Vec<(String, Option<String>)> {
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let letters = Letters { families: texts(families), characters: characters.to_owned(), own: texts(own) };
        let told = letters.warnings(&InstalledFonts::default(), &NO_FONTS);
        told.into_iter().map(|warning| (warning.code, warning.detail)).collect()
    }

    #[test]
    fn a_font_list_without_an_installed_font_is_named_by_its_first_entry() {
        let lists = ["\"Acme Grotesk\", Acme, serif", "Acme, Arial", "serif", "-apple-system, sans-serif", "Georgia"];
        assert_eq!(warnings(&lists, "", &[]), [("font_substituted".to_owned(), Some("acme grotesk".to_owned()))]);
        assert_eq!(warnings(&["\"Acme Grotesk\", serif"], "", &["Acme Grotesk"]), []);
    }

    #[test]
    fn characters_without_a_glyph_are_reported() {
        assert_eq!(
            warnings(&[], "é漢\u{200d}\u{E123}", &[]),
            [("missing_glyph".to_owned(), Some("\u{E123}".to_owned()))]
        );
        assert_eq!(warnings(&[], "\u{E123}", &["Icons"]), []);
    }
}
