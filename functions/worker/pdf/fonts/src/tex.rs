//! Fonts that TeX draws as pictures of their glyphs. These are called by their codes, which one of TeX's encodings explains. Which one, the
//! heights of the glyphs tell: the same code is a dash in one encoding, and an accent in another.

use std::collections::{BTreeSet, HashMap};

use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_core::tokens::{Token, Tokens};
use lopdf::{Dictionary, Document};

use crate::heights::{self, Span};
use crate::stated::Stated;

/// Most unpacked bytes of a glyph.
const GLYPH_BYTES: usize = 1 << 20;
/// The least number of glyphs by which an encoding is told.
const LEAST: usize = 4;
/// The first code of the Cyrillic alphabet.
const FIRST_CYRILLIC: u8 = 192;
/// If a unit is at least so many ems, the font does not say its size: its text is scaled where it is shown.
const LARGE_UNIT: f64 = 0.1;
/// The code of the bullet in the encoding of TeX's symbols for text, and how much of its box a disc fills.
const BULLET: u8 = 136;
const DISC: std::ops::RangeInclusive<f64> = 0.72..=0.86;

/// Codes 0 to 32. A question mark stands for a code without a meaning.
const CORK: &str = "` ´ ˆ ˜ ¨ ˝ ˚ ˇ ˘ ¯ ˙ ¸ ˛ ‚ ‹ › “ ” „ « » – — ? ? ı ȷ ff fi fl ffi ffl ␣";
const OLD: &str = "Γ Δ Θ Λ Ξ Π Σ Υ Φ Ψ Ω ff fi fl ffi ffl ı ȷ ` ´ ˇ ˘ ¯ ˚ ¸ ß æ œ ø Æ Œ Ø ?";
/// Codes from 128.
const CORK_HIGH: &str = "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞẞ\
                         àáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß";
const CYRILLIC_HIGH: &str = "ҐҒЂЋҺҖҘЉЇҚҠҜӔҢҤЅӨҪЎҮҰҲЏҸҶЄӘЊЁ№¤§ґғђћһҗҙљїқҡҝӕңҥѕөҫўүұҳџҹҷєәњё„«»\
                             АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя";
/// The codes of symbols for text, if the font has its bullet.
const COMPANION: [(u8, char); 29] = [
    (24, '←'),
    (25, '→'),
    (42, '∗'),
    (132, '†'),
    (133, '‡'),
    (134, '‖'),
    (135, '‰'),
    (BULLET, '•'),
    (137, '℃'),
    (139, '¢'),
    (151, '™'),
    (153, '¶'),
    (158, '◦'),
    (167, '§'),
    (169, '©'),
    (172, '¬'),
    (174, '®'),
    (176, '°'),
    (177, '±'),
    (178, '²'),
    (179, '³'),
    (181, 'µ'),
    (183, '·'),
    (185, '¹'),
    (188, '¼'),
    (189, '½'),
    (190, '¾'),
    (191, '€'),
    (214, '×'),
];

/// The encodings of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// OT1, of 128 codes.
    Old,
    /// T1.
    Cork,
    /// T2A.
    Cyrillic,
}

impl Encoding {
    const ALL: [Self; 3] = [Self::Old, Self::Cork, Self::Cyrillic];

    fn text(self, code: u8) -> Option<String> {
        let listed = |words: &str| words.split(' ').nth(usize::from(code)).map(str::to_owned);
        let high = |first: u8, text: &str| Some(text.chars().nth(usize::from(code.checked_sub(first)?))?.to_string());
        let found = match (self, code) {
            (Self::Old, 0..=32) => listed(OLD),
            (Self::Cork | Self::Cyrillic, 0..=32) => listed(CORK),
            (_, 39) => Some("’".to_owned()),
            (_, 96) => Some("‘".to_owned()),
            (Self::Old, _) => match code {
                34 => Some("”"),
                60 => Some("¡"),
                62 => Some("¿"),
                92 => Some("“"),
                94 => Some("ˆ"),
                95 => Some("˙"),
                123 => Some("–"),
                124 => Some("—"),
                125 => Some("˝"),
                126 => Some("˜"),
                127 => Some("¨"),
                _ => None,
            }
            .map(str::to_owned)
            .or_else(|| (33..127).contains(&code).then(|| char::from(code).to_string())),
            (Self::Cork | Self::Cyrillic, 33..=126) => Some(char::from(code).to_string()),
            (Self::Cork | Self::Cyrillic, 127) => Some("-".to_owned()),
            (Self::Cork, _) => high(128, CORK_HIGH),
            (Self::Cyrillic, _) => high(128, CYRILLIC_HIGH),
        };
        found.filter(|text| code > 32 || text != "?")
    }
}

/// The texts of codes of a font whose glyphs are called by their codes. Empty if no encoding fits the glyphs, or several do.
pub fn texts(
    document: &Document,
    font: &Dictionary,
    stated: &Stated<'_>,
    codes: &BTreeSet<u16>,
) -> HashMap<u16, String> {
    let glyphs = document.child(font, b"CharProcs").filter(|_| document.name(font, b"Subtype") == Some(b"Type3"));
    let Some(glyphs) = glyphs else { return HashMap::new() };
    let matrix: Vec<f64> = document
        .array(font, b"FontMatrix")
        .iter()
        .filter_map(|number| document.number(number))
        .map(f64::from)
        .collect();
    let [_, _, _, scale, _, _] = *matrix.as_slice() else { return HashMap::new() };
    let glyph = |code: &u16| {
        let code = u8::try_from(*code).ok()?;
        let name = stated.name(code.into())?;
        let is_code = of_name(name) == Some(code);
        let content = document.value(glyphs, name.as_bytes())?.as_stream().ok();
        let content = unpacked(content.filter(|_| is_code || name.as_bytes() == [code])?, GLYPH_BYTES)?;
        Some((code, Picture::read(&content, scale)?))
    };
    let pictures: Option<Vec<(u8, Picture)>> = codes.iter().map(glyph).collect();
    let Some(pictures) = pictures else { return HashMap::new() };
    if pictures.iter().any(|(code, picture)| *code == BULLET && picture.is_disc()) {
        let symbol = |(code, _): &(u8, Picture)| {
            let (_, symbol) = COMPANION.iter().find(|(known, _)| known == code)?;
            Some((u16::from(*code), symbol.to_string()))
        };
        return pictures.iter().filter_map(symbol).collect();
    }
    // A font for Cyrillic shows more of it than a letter, which may be one with an accent.
    let is_cyrillic = pictures.iter().filter(|(code, _)| *code >= FIRST_CYRILLIC).count() >= LEAST;
    let supposed: Vec<Vec<String>> = Encoding::ALL
        .iter()
        .filter(|encoding| is_cyrillic || **encoding != Encoding::Cyrillic)
        .filter_map(|encoding| pictures.iter().map(|(code, _)| encoding.text(*code)).collect())
        .collect();
    let spans: Vec<Span> = pictures.iter().map(|(_, picture)| picture.span).collect();
    let told = if scale.abs() < LARGE_UNIT {
        let agreed = || supposed.first().filter(|first| supposed.iter().all(|other| other == *first));
        let quotes = || agreed().filter(|texts| heights::are_quotes(texts, &spans)).cloned();
        heights::best(supposed.iter().cloned(), &spans, LEAST).or_else(quotes)
    } else {
        heights::best_of_any_size(supposed.into_iter(), &spans, LEAST)
    };
    let told = told.unwrap_or_default();
    pictures.iter().map(|(code, _)| u16::from(*code)).zip(told).collect()
}

/// The code that a glyph is called by: `a65`, or `x41` in PDFs that dvipdfmx writes.
fn of_name(name: &str) -> Option<u8> {
    // Ghostscript has a name for the character that no name can have.
    let zero = (name == "BnZr").then_some(0);
    let decimal = || name.strip_prefix('a')?.parse().ok();
    let hex = || u8::from_str_radix(name.strip_prefix('x').filter(|digits| digits.len() == 2)?, 16).ok();
    zero.or_else(decimal).or_else(hex)
}

/// A glyph that is the picture of one.
struct Picture {
    span: Span,
    /// In ems.
    width: f64,
    /// How much of its box has ink, if that is known.
    filled: Option<f64>,
}

impl Picture {
    /// `scale`: the ems of a unit.
    fn read(content: &[u8], scale: f64) -> Option<Self> {
        let (mut numbers, mut bounds) = (Vec::new(), None);
        let mut name: Option<&[u8]> = None;
        let (mut columns, mut rows) = (None, None);
        for token in Tokens::new(content) {
            match token {
                Token::Number(number) => {
                    match name.take() {
                        Some(b"W") => columns = Some(f64::from(number)),
                        Some(b"H") => rows = Some(f64::from(number)),
                        Some(_) | None => {}
                    }
                    numbers.push(f64::from(number));
                }
                Token::Operator(b"d1") => bounds = numbers.as_slice().try_into().ok(),
                // What follows is the picture.
                Token::Operator(b"ID") => break,
                Token::Name(key) => name = Some(key),
                Token::Operator(_) | Token::Literal(_) | Token::Hex(_) | Token::Other => numbers.clear(),
            }
        }
        let [_, _, left, bottom, right, top]: [f64; 6] = bounds?;
        let span = Span { bottom: bottom * scale, top: top * scale };
        let filled = columns.zip(rows).and_then(|(columns, rows)| filled(content, columns, rows));
        Some(Self { span, width: (right - left) * scale, filled })
    }

    /// Whether it is round and filled, in the middle of small letters.
    fn is_disc(&self) -> bool {
        let Self { span: Span { bottom, top }, width, filled } = self;
        let is_round = (0.9..=1.12).contains(&((top - bottom) / width.max(f64::MIN_POSITIVE)));
        let is_there = (0.0..0.2).contains(bottom) && (0.3..0.6).contains(top);
        is_round && is_there && filled.is_some_and(|filled| DISC.contains(&filled))
    }
}

/// The part of a bitmap that has ink.
fn filled(content: &[u8], columns: f64, rows: f64) -> Option<f64> {
    let start = memchr::memmem::find(content, b"ID ")? + 3;
    let wide = columns.clamp(1.0, 10_000.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a small positive number")]
    let bytes = ((wide / 8.0).ceil() * rows.clamp(1.0, 10_000.0)) as usize;
    let ink: u32 = content.get(start..start.checked_add(bytes)?)?.iter().map(|byte| byte.count_ones()).sum();
    Some(f64::from(ink) / (wide * rows.max(1.0)))
}

#[cfg(test)]
mod tests {
    use lopdf::{Object, Stream, dictionary};

    use super::*;

    /// A font of glyphs with these codes, from a height to another, in thousandths of an em.
    fn texts_of(glyphs: &[(u8, i64, i64)], bits: u8) -> Vec<String> {
        texts_called(glyphs, bits, &|code| format!("a{code}"))
    }

    fn texts_called(glyphs: &[(u8, i64, i64)], bits: u8, name: &dyn Fn(u8) -> String) -> Vec<String> {
        let mut document = Document::new();
        let mut drawn = Dictionary::new();
        let mut names = Vec::new();
        for (code, bottom, top) in glyphs {
            let mut content = format!("500 0 0 {bottom} 400 {top} d1 q BI /W 8 /H 8 /IM true /BPC 1 ID ").into_bytes();
            content.extend([bits; 8]);
            content.extend(b" EI Q");
            let name = name(*code);
            drawn.set(name.as_str(), document.add_object(Stream::new(Dictionary::new(), content)));
            names.extend([Object::Integer((*code).into()), Object::Name(name.into_bytes())]);
        }
        let matrix: Vec<Object> = [0.001, 0.0, 0.0, 0.001, 0.0, 0.0].map(Object::Real).to_vec();
        let font = dictionary! {
            "Subtype" => "Type3", "CharProcs" => drawn, "FontMatrix" => matrix,
            "Encoding" => dictionary! { "Differences" => names },
        };
        let codes: BTreeSet<u16> = glyphs.iter().map(|(code, ..)| u16::from(*code)).collect();
        let found = texts(&document, &font, &Stated::new(&document, &font), &codes);
        codes.iter().filter_map(|code| found.get(code).cloned()).collect()
    }

    #[test]
    fn heights_tell_the_encoding() {
        let letters = [(97, 0, 430), (98, 0, 694), (112, -194, 430)];
        let with = |more: &[(u8, i64, i64)]| texts_of(&[&letters, more].concat(), 0xFF);
        // 28 is a ligature in one encoding, and a letter in another; so are 233 and others.
        assert_eq!(with(&[(28, 0, 705), (233, 0, 650)]), ["fi", "a", "b", "p", "é"]);
        assert_eq!(with(&[(12, 0, 705), (19, 500, 690)]), ["fi", "´", "a", "b", "p"]);
        assert_eq!(
            with(&[(233, 0, 640), (238, 0, 430), (224, 0, 430), (225, 0, 650)]),
            ["a", "b", "p", "а", "б", "й", "о"]
        );
        assert_eq!(texts_called(&letters_and(106), 0xFF, &|code| format!("x{code:02X}")), ["a", "b", "j", "p"]);
        let serbian =
            with(&[(162, -190, 698), (163, 0, 690), (167, 0, 440), (187, 0, 440), (207, 0, 683), (224, 0, 460)]);
        assert!(serbian.is_empty(), "too few letters of the alphabet");
        let more = [
            (106, -200, 700),
            (163, 0, 690),
            (187, 0, 440),
            (207, 0, 683),
            (224, 0, 460),
            (228, -160, 446),
            (232, 0, 446),
        ];
        assert_eq!(texts_of(&more, 0xFF), ["j", "ћ", "њ", "П", "а", "д", "и"]);
        // Small capitals, or signs.
        assert!(texts_of(&[(97, 0, 514), (98, 0, 514), (112, 0, 514), (113, 0, 514)], 0xFF).is_empty());
        assert!(texts_of(&letters, 0xFF).is_empty(), "too few");
    }

    fn letters_and(code: u8) -> Vec<(u8, i64, i64)> {
        vec![(97, 0, 430), (98, 0, 694), (112, -194, 430), (code, -200, 700)]
    }

    #[test]
    fn an_apostrophe_alone_is_known() {
        assert_eq!(texts_of(&[(39, 319, 616)], 0xFF), ["’"]);
        assert!(texts_of(&[(39, 0, 430)], 0xFF).is_empty(), "a letter of mathematics");
        assert!(texts_of(&[(34, 319, 616)], 0xFF).is_empty(), "of several encodings");
        assert!(texts_of(&[(106, -250, 750)], 0xFF).is_empty(), "a bar");
    }

    #[test]
    fn a_disc_is_the_bullet_of_symbols_for_text() {
        assert_eq!(texts_of(&[(136, 50, 450)], 0b0111_1110), ["•"]);
        assert_eq!(texts_of(&[(25, 0, 500), (136, 50, 450)], 0b0111_1110), ["→", "•"]);
        assert!(texts_of(&[(136, 50, 450)], 0xFF).is_empty(), "a square");
        assert!(texts_of(&[(136, 0, 900)], 0b0111_1110).is_empty(), "a letter");
    }
}
