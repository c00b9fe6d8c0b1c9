//! Writes a font as CFF, which takes less space than Type 1: its outlines are not encrypted, so they compress.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use read_fonts::ps::string::STANDARD_STRINGS;

use super::outline::Outline;
use super::type1::Type1;
use super::{charstring, outline};

/// Deltas and numbers of the private dictionary, with their operators. Those above 255 are two bytes.
const LISTS: [(&str, u16); 6] = [
    ("BlueValues", 6),
    ("OtherBlues", 7),
    ("FamilyBlues", 8),
    ("FamilyOtherBlues", 9),
    ("StemSnapH", 0x0C0C),
    ("StemSnapV", 0x0C0D),
];
const NUMBERS: [(&str, u16); 8] = [
    ("StdHW", 10),
    ("StdVW", 11),
    ("BlueScale", 0x0C09),
    ("BlueShift", 0x0C0A),
    ("BlueFuzz", 0x0C0B),
    ("ForceBold", 0x0C0E),
    ("LanguageGroup", 0x0C11),
    ("ExpansionFactor", 0x0C12),
];

/// The font with only these glyphs, given by their positions. `None` if CFF can't represent one of them.
pub fn write(font: &Type1, kept: &BTreeSet<u16>) -> Option<Vec<u8>> {
    let missing = font.glyphs.iter().position(|(name, _)| name == ".notdef")?;
    let codes = codes(font, kept);
    let mut order: Vec<usize> =
        kept.iter().map(|glyph| usize::from(*glyph)).filter(|glyph| *glyph != missing).collect();
    // Those with codes come first: the encoding counts glyphs.
    order.sort_by_key(|glyph| {
        (font.glyphs.get(*glyph).and_then(|(name, _)| codes.get(name.as_str())).is_none(), *glyph)
    });
    order.insert(0, missing);
    let names: Vec<&str> =
        order.iter().filter_map(|glyph| font.glyphs.get(*glyph).map(|(name, _)| name.as_str())).collect();
    let mut strings = Strings::default();
    let charset = strings.charset(&names)?;
    let encoding = encoding(&names, &codes, &mut strings)?;
    let outlines: Vec<_> = names.iter().map(|name| outline::read(font, name)).collect::<Option<_>>()?;
    let usual = usual(outlines.iter().map(|outline| outline.width));
    let glyphs: Vec<Vec<u8>> =
        outlines.iter().map(|outline| charstring::write(outline, usual)).collect::<Option<_>>()?;
    let glyphs = index(&glyphs)?;
    let private = private(font, usual)?;
    assemble(font, &strings, &charset, &encoding, &glyphs, &private)
}

/// A font of outlines by name. `missing`: shown for other names.
pub fn from_outlines(
    name: &str,
    bounds: &[f64],
    missing: Outline,
    glyphs: &BTreeMap<String, Outline>,
) -> Option<Vec<u8>> {
    let font = Type1 {
        name: name.bytes().filter(u8::is_ascii_graphic).take(63).collect(),
        bounds: if bounds.len() == 4 { bounds.to_vec() } else { vec![0.0, -300.0, 1000.0, 1000.0] },
        ..Type1::default()
    };
    let mut names = vec![".notdef"];
    let mut outlines = vec![&missing];
    for (name, outline) in glyphs.iter().filter(|(name, _)| *name != ".notdef") {
        names.push(name);
        outlines.push(outline);
    }
    let mut strings = Strings::default();
    let charset = strings.charset(&names)?;
    let usual = usual(outlines.iter().map(|outline| outline.width));
    let glyphs: Vec<Vec<u8>> =
        outlines.iter().map(|outline| charstring::write(outline, usual)).collect::<Option<_>>()?;
    assemble(&font, &strings, &charset, &[], &index(&glyphs)?, &private(&font, usual)?)
}

fn assemble(
    font: &Type1,
    strings: &Strings<'_>,
    charset: &[u8],
    encoding: &[u8],
    glyphs: &[u8],
    private: &[u8],
) -> Option<Vec<u8>> {
    let mut before = vec![1, 0, 4, 4];
    before.extend(index(&[if font.name.is_empty() { b"Font".to_vec() } else { font.name.clone() }])?);
    let strings: Vec<Vec<u8>> = strings.own.iter().map(|name| name.as_bytes().to_vec()).collect();
    // No subroutines.
    let after = [index(&strings)?, vec![0, 0]].concat();
    let top = |start: usize| -> Option<Vec<u8>> {
        let mut dict = Vec::new();
        font.bounds.iter().try_for_each(|bound| number(&mut dict, *bound))?;
        dict.push(5);
        let charset_at = start;
        let encoding_at = charset_at + charset.len();
        let glyphs_at = encoding_at + encoding.len();
        let private_at = glyphs_at + glyphs.len();
        place(&mut dict, charset_at, &[15])?;
        if !encoding.is_empty() {
            place(&mut dict, encoding_at, &[16])?;
        }
        place(&mut dict, glyphs_at, &[17])?;
        place(&mut dict, private.len(), &[])?;
        place(&mut dict, private_at, &[18])?;
        index(&[dict])
    };
    // Positions have a constant length.
    let start = before.len() + top(0)?.len() + after.len();
    Some([&before, &top(start)?, &after, charset, encoding, glyphs, private].concat())
}

/// An offset, always in five bytes, so that its length does not depend on its value.
fn place(dict: &mut Vec<u8>, at: usize, operator: &[u8]) -> Option<()> {
    dict.push(29);
    dict.extend(i32::try_from(at).ok()?.to_be_bytes());
    dict.extend(operator);
    Some(())
}

/// The codes of each name in the font's own encoding; none in the standard one, which need not be written.
fn codes<'f>(font: &'f Type1, kept: &BTreeSet<u16>) -> HashMap<&'f str, Vec<u8>> {
    let names: BTreeSet<&str> =
        kept.iter().filter_map(|glyph| font.glyphs.get(usize::from(*glyph)).map(|(name, _)| name.as_str())).collect();
    let mut codes: HashMap<&str, Vec<u8>> = HashMap::new();
    for (code, name) in font.encoding.iter().flatten() {
        if names.contains(name.as_str()) && name != ".notdef" {
            codes.entry(name).or_default().push(*code);
        }
    }
    codes.values_mut().for_each(|codes| codes.sort_unstable());
    codes
}

/// The names of glyphs that are not among the standard ones.
#[derive(Default)]
struct Strings<'f> {
    own: Vec<&'f str>,
    numbers: HashMap<&'f str, u16>,
}

impl<'f> Strings<'f> {
    fn number(&mut self, name: &'f str) -> Option<u16> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let number = match STANDARD_STRINGS.iter().position(|other| *other == name) {
            Some(number) => number,
            None => {
                self.own.push(name);
                STANDARD_STRINGS.len() + self.own.len() - 1
            }
        };
        let number = u16::try_from(number).ok()?;
        self.numbers.insert(name, number);
        Some(number)
    }

    fn charset(&mut self, names: &[&'f str]) -> Option<Vec<u8>> {
        let mut charset = vec![0];
        for name in names.get(1..)? {
            charset.extend(self.number(name)?.to_be_bytes());
        }
        Some(charset)
    }
}

/// A code for each of the first glyphs, then their additional codes. Empty for the standard encoding.
fn encoding<'f>(names: &[&'f str], codes: &HashMap<&str, Vec<u8>>, strings: &mut Strings<'f>) -> Option<Vec<u8>> {
    if codes.is_empty() {
        return Some(Vec::new());
    }
    let (mut first, mut more) = (Vec::new(), Vec::new());
    for name in names.get(1..)? {
        let Some([code, others @ ..]) = codes.get(name).map(Vec::as_slice) else { break };
        first.push(*code);
        for other in others {
            let [high, low] = strings.number(name)?.to_be_bytes();
            more.push([*other, high, low]);
        }
    }
    let mut encoding = vec![if more.is_empty() { 0 } else { 0x80 }, u8::try_from(first.len()).ok()?];
    encoding.extend(first);
    if !more.is_empty() {
        encoding.push(u8::try_from(more.len()).ok()?);
        encoding.extend(more.concat());
    }
    Some(encoding)
}

/// The width that most glyphs have.
fn usual(widths: impl Iterator<Item = f64>) -> f64 {
    let mut counts: HashMap<u64, (usize, f64)> = HashMap::new();
    for width in widths {
        counts.entry(width.to_bits()).or_insert((0, width)).0 += 1;
    }
    // The smallest of equally frequent ones, so that the same font makes the same bytes.
    let best = counts.values().max_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    best.map_or(0.0, |(_, width)| *width)
}

fn private(font: &Type1, usual: f64) -> Option<Vec<u8>> {
    let mut dict = Vec::new();
    for (name, key) in LISTS {
        let Some(values) = font.hints.get(name).filter(|values| !values.is_empty() && values.len() <= 14) else {
            continue;
        };
        let mut last = 0.0;
        for value in values {
            number(&mut dict, value - last)?;
            last = *value;
        }
        operator(&mut dict, key);
    }
    for (name, key) in NUMBERS {
        let Some([value]) = font.hints.get(name).map(Vec::as_slice) else { continue };
        number(&mut dict, *value)?;
        operator(&mut dict, key);
    }
    number(&mut dict, usual)?;
    operator(&mut dict, 20);
    Some(dict)
}

fn operator(dict: &mut Vec<u8>, key: u16) {
    let [first, second] = key.to_be_bytes();
    if first != 0 {
        dict.push(first);
    }
    dict.push(second);
}

/// A number of a dictionary: an integer if possible, or its decimal digits. Integers are as short as possible, because FreeType
/// reads negative ones of five bytes as large positive ones.
fn number(dict: &mut Vec<u8>, number: f64) -> Option<()> {
    if number.fract() == 0.0 {
        #[expect(clippy::cast_possible_truncation, reason = "whole, and the cast saturates")]
        let whole = i16::try_from(number as i64).ok()?;
        dict.extend(charstring::whole(whole));
        return Some(());
    }
    let mut nibbles = Vec::new();
    for character in format!("{number}").chars() {
        nibbles.push(match character {
            '.' => 0xA,
            '-' => 0xE,
            digit => u8::try_from(digit.to_digit(10)?).ok()?,
        });
    }
    nibbles.push(0xF);
    dict.push(30);
    let (pairs, rest) = nibbles.as_chunks();
    dict.extend(pairs.iter().map(|[high, low]| high << 4 | low));
    dict.extend(rest.iter().map(|high| high << 4 | 0xF));
    Some(())
}

/// Entries with their start positions, counted from 1.
fn index(entries: &[Vec<u8>]) -> Option<Vec<u8>> {
    let mut bytes = u16::try_from(entries.len()).ok()?.to_be_bytes().to_vec();
    if entries.is_empty() {
        return Some(bytes);
    }
    let total: usize = entries.iter().map(Vec::len).sum();
    let width = match total + 1 {
        0..=0xFF => 1,
        0x100..=0xFFFF => 2,
        _ => 4,
    };
    bytes.push(width);
    let mut start = 1u32;
    for length in entries.iter().map(Vec::len).chain([0]) {
        bytes.extend(start.to_be_bytes().into_iter().skip(4 - usize::from(width)));
        start = start.checked_add(u32::try_from(length).ok()?)?;
    }
    entries.iter().for_each(|entry| bytes.extend(entry));
    Some(bytes)
}
