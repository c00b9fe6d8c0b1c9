//! What glyphs are called, and the text that they stand for: by Adobe's list, by those of fonts for TeX, and by how both put names together.

use std::collections::HashMap;
use std::sync::LazyLock;

use read_fonts::ps::agl;

use crate::stated::plain;

const NAMES: &str = include_str!("glyph_names.txt");
/// Ends of names that say how large a glyph is.
const SIZES: [&str; 9] = ["display", "text", "widest", "wider", "wide", "Bigg", "bigg", "Big", "big"];
/// Names of pi fonts for mathematics: an initial, and the first of the numbers of 24 Greek letters without the second sigma.
const GREEK: [(u32, u32); 2] = [(9001, 0x391), (9251, 0x3B1)];

static KNOWN: LazyLock<HashMap<&'static str, char>> = LazyLock::new(|| {
    let words: Vec<&str> =
        NAMES.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect();
    let pair = |[name, code]: &[&'static str; 2]| Some((*name, char::from_u32(u32::from_str_radix(code, 16).ok()?)?));
    words.as_chunks().0.iter().filter_map(pair).collect()
});

/// The text that a glyph stands for. `None`: its name does not say it.
pub fn text(name: &str) -> Option<String> {
    if let Some(found) = KNOWN.get(name) {
        return Some(found.to_string());
    }
    let base = name.split_once('.').map_or(name, |(base, _)| base);
    if let Some(found) = single(base) {
        return Some(found);
    }
    let parts: Option<Vec<String>> = base.split('_').map(single).collect();
    if let Some(parts) = parts.filter(|parts| parts.len() > 1) {
        return Some(parts.concat());
    }
    // Several characters in one name: `uni00410042`.
    let characters: String = agl::name_to_chars(base).collect();
    let is_whole = base.len() > 3 && base.starts_with("uni") && characters.chars().count() * 4 + 3 == base.len();
    is_whole.then_some(characters)
}

fn single(name: &str) -> Option<String> {
    let known = |name: &str| KNOWN.get(name).copied().or_else(|| agl::name_to_char(name)).map(plain);
    known(name).or_else(|| pi(name)).or_else(|| brace(name)).or_else(|| {
        let sized = SIZES.iter().find_map(|size| name.strip_suffix(size))?;
        known(sized).filter(|_| sized.len() > 2)
    })
}

/// `brace199` and the like, which hold the staves of a score together. The number is their size.
fn brace(name: &str) -> Option<String> {
    let size = name.strip_prefix("brace").filter(|size| !size.is_empty())?;
    size.bytes().all(|digit| digit.is_ascii_digit()).then(|| '\u{1D114}'.to_string())
}

/// `H9251` and the like.
fn pi(name: &str) -> Option<String> {
    let number: u32 = name.strip_prefix('H')?.parse().ok()?;
    let sign = match number {
        11001 => Some('+'),
        11002 => Some('−'),
        11003 => Some('×'),
        11005 => Some('='),
        11006 => Some('±'),
        11021 => Some('<'),
        11022 => Some('>'),
        11032 => Some('′'),
        11033 => Some('″'),
        _ => None,
    };
    let letter = || {
        let (first, letter) = GREEK.into_iter().find(|(first, _)| (*first..first + 24).contains(&number))?;
        let place = number - first;
        // Unicode has a place for a second sigma.
        char::from_u32(letter + place + u32::from(place >= 17))
    };
    sign.or_else(letter).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_glyphs_stand_for() {
        let pairs = [
            ("A", "A"),
            ("one.tab", "1"),
            ("T_h", "Th"),
            ("f_f_i.alt", "ffi"),
            ("fi", "fi"),
            ("uni00410042", "AB"),
            ("u1F600", "😀"),
            ("summationdisplay", "∑"),
            ("parenleftBigg", "("),
            ("angbracketleft", "⟨"),
            ("negationslash", "\u{338}"),
            ("H9251", "α"),
            ("H9268", "σ"),
            ("H9274", "ω"),
            ("H9021", "Φ"),
            ("H11001", "+"),
            ("clefs.G", "𝄞"),
            ("noteheads.s2", "𝅘"),
            ("brace199", "𝄔"),
        ];
        for (name, expected) in pairs {
            assert_eq!(text(name).as_deref(), Some(expected), "{name}");
        }
        for name in ["g23", "a0", "code252", ".notdef", "_", "", "cid_12x", "big", "uni"] {
            assert_eq!(text(name), None, "{name}");
        }
    }

    #[test]
    fn each_name_of_the_table_has_a_character() {
        let words = NAMES.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).count();
        assert_eq!(KNOWN.len() * 2, words);
    }
}
