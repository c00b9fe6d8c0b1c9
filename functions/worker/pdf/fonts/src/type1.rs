//! Parses Type 1 programs: a text part, and an encrypted part with the outlines.

use std::collections::{BTreeSet, HashMap};

use super::cff::named;
use super::encoding::Encoding;

const EEXEC_KEY: u16 = 55665;
const CHARSTRING_KEY: u16 = 4330;
/// Subroutines of one font.
const SUBROUTINES: usize = 65_536;

/// A Type 1 font, decrypted.
#[derive(Debug, Default)]
pub struct Type1 {
    /// Its PostScript name.
    pub name: Vec<u8>,
    /// `FontBBox`: left, bottom, right and top of all glyphs.
    pub bounds: Vec<f64>,
    /// The names of the codes. `None`: the standard encoding.
    pub encoding: Option<HashMap<u8, String>>,
    /// Names and outlines, in the order of the file.
    pub glyphs: Vec<(String, Vec<u8>)>,
    /// What outlines have in common, by number.
    pub subroutines: Vec<Vec<u8>>,
    /// Hints for drawing at small sizes, by name.
    pub hints: HashMap<String, Vec<f64>>,
}

impl Type1 {
    /// `None` for unusual fonts: with several masters, several copies of outlines, or another matrix.
    pub fn new(data: &[u8]) -> Option<Self> {
        let data = without_segments(data);
        let eexec = memchr::memmem::find(&data, b"eexec")?;
        let (plain, rest) = (data.get(..eexec)?, data.get(eexec + 5..)?);
        let white = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))?;
        let encrypted = rest.get(white..)?;
        let is_hex = encrypted.get(..4)?.iter().all(u8::is_ascii_hexdigit);
        let private = if is_hex {
            decrypt(&docmill_pdf_core::tokens::hex(encrypted), EEXEC_KEY)
        } else {
            decrypt(encrypted, EEXEC_KEY)
        };
        let private = private.get(4..)?;
        let mut font = Self::default();
        font.read_plain(plain)?;
        font.read_private(private)?;
        (!font.glyphs.is_empty()).then_some(font)
    }

    fn read_plain(&mut self, plain: &[u8]) -> Option<()> {
        let mut words = Words::new(plain);
        while let Some(word) = words.next() {
            match word {
                b"/FontName" => self.name = words.next()?.strip_prefix(b"/")?.to_vec(),
                b"/FontBBox" => self.bounds = words.numbers()?,
                b"/FontMatrix" if words.numbers()? != [0.001, 0.0, 0.0, 0.001, 0.0, 0.0] => return None,
                b"/WeightVector" | b"/BlendDesignMap" => return None,
                b"/PaintType" if words.integer()? != 0 => return None,
                b"/Encoding" => self.encoding = encoding(&mut words)?,
                _ => {}
            }
        }
        (self.bounds.len() == 4).then_some(())
    }

    fn read_private(&mut self, private: &[u8]) -> Option<()> {
        const HINTS: [&str; 14] = [
            "BlueValues",
            "OtherBlues",
            "FamilyBlues",
            "FamilyOtherBlues",
            "StdHW",
            "StdVW",
            "StemSnapH",
            "StemSnapV",
            "BlueScale",
            "BlueShift",
            "BlueFuzz",
            "LanguageGroup",
            "ExpansionFactor",
            "ForceBold",
        ];
        let mut words = Words::new(private);
        let mut random_bytes = 4;
        while let Some(word) = words.next() {
            match word {
                b"/lenIV" => random_bytes = words.integer()?,
                b"/Subrs" if self.subroutines.is_empty() => self.subroutines = subroutines(&mut words, random_bytes)?,
                b"/CharStrings" if self.glyphs.is_empty() => {
                    self.glyphs = glyphs(&mut words, random_bytes)?;
                    // More of them would be for other resolutions.
                    let rest = private.get(words.at..).unwrap_or_default();
                    return memchr::memmem::find(rest, b"/CharStrings").is_none().then_some(());
                }
                b"/Subrs" => return None,
                _ => {
                    let name = word.strip_prefix(b"/").and_then(|name| std::str::from_utf8(name).ok());
                    if let Some(name) = name.filter(|name| HINTS.contains(name))
                        && let Some(values) = words.numbers()
                    {
                        self.hints.insert(name.to_owned(), values);
                    }
                }
            }
        }
        None
    }

    /// The positions of the glyphs that a font with this encoding may show for these codes.
    pub(crate) fn glyphs_for(&self, encoding: &Encoding, codes: &mut dyn Iterator<Item = u8>) -> BTreeSet<u16> {
        let names: Vec<(&str, u16)> = self.glyphs.iter().map(|(name, _)| name.as_str()).zip(0..=u16::MAX).collect();
        let own = |code| {
            let name = self.encoding.as_ref()?.get(&code)?;
            names.iter().find(|(other, _)| other == name).map(|(_, glyph)| *glyph)
        };
        named(&names, encoding, codes, own)
    }

    /// The outline with this name.
    pub fn glyph(&self, name: &str) -> Option<&[u8]> {
        self.glyphs.iter().find(|(other, _)| other == name).map(|(_, outline)| outline.as_slice())
    }
}

/// The file without segment headers.
fn without_segments(data: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if data.first() != Some(&0x80) {
        return data.into();
    }
    let mut plain = Vec::with_capacity(data.len());
    let mut rest = data;
    while let [0x80, 1 | 2, a, b, c, d, after @ ..] = rest {
        let length = (u32::from_le_bytes([*a, *b, *c, *d]) as usize).min(after.len());
        let (segment, after) = after.split_at(length);
        plain.extend(segment);
        rest = after;
    }
    plain.into()
}

fn decrypt(data: &[u8], key: u16) -> Vec<u8> {
    let mut key = key;
    let plain = data.iter().map(|byte| {
        let plain = byte ^ (key >> 8) as u8;
        key = u16::from(*byte).wrapping_add(key).wrapping_mul(52845).wrapping_add(22719);
        plain
    });
    plain.collect()
}

/// After `/Encoding`: the standard one, or `dup CODE /NAME put` for each code, up to `def`.
#[allow(clippy::option_option, reason = "a failure, and the standard encoding")]
fn encoding(words: &mut Words<'_>) -> Option<Option<HashMap<u8, String>>> {
    let mut codes = HashMap::new();
    if words.next()? == b"StandardEncoding" {
        return Some(None);
    }
    loop {
        match words.next()? {
            b"def" | b"readonly" => return Some(Some(codes)),
            b"dup" => {
                let code = u8::try_from(words.integer()?).ok()?;
                let name = words.next()?.strip_prefix(b"/")?;
                codes.insert(code, String::from_utf8_lossy(name).into_owned());
            }
            _ => {}
        }
    }
}

/// After `/Subrs`: `dup NUMBER LENGTH RD BYTES NP` for each.
fn subroutines(words: &mut Words<'_>, random_bytes: i64) -> Option<Vec<Vec<u8>>> {
    let count = usize::try_from(words.integer()?).ok().filter(|count| *count <= SUBROUTINES)?;
    let mut list = vec![Vec::new(); count];
    loop {
        match words.next()? {
            b"dup" => {
                let number = usize::try_from(words.integer()?).ok()?;
                *list.get_mut(number)? = words.charstring(random_bytes)?;
            }
            b"def" | b"ND" | b"|-" => return Some(list),
            b"/CharStrings" => return None,
            _ => {}
        }
    }
}

/// After `/CharStrings`: `/NAME LENGTH RD BYTES ND` for each, up to `end`.
fn glyphs(words: &mut Words<'_>, random_bytes: i64) -> Option<Vec<(String, Vec<u8>)>> {
    let mut list: Vec<(String, Vec<u8>)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    loop {
        match words.next()? {
            b"end" => return Some(list),
            [b'/', name @ ..] => {
                let name = std::str::from_utf8(name).ok()?.to_owned();
                let outline = words.charstring(random_bytes)?;
                // Interpreters differ in which of two applies.
                if !seen.insert(name.clone()) {
                    return None;
                }
                list.push((name, outline));
            }
            _ => {}
        }
    }
}

/// The words of PostScript, as far as fonts have them. A bracket is a word of its own.
struct Words<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Words<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0 }
    }

    fn integer(&mut self) -> Option<i64> {
        std::str::from_utf8(self.next()?).ok()?.parse().ok()
    }

    /// One number, or those between brackets or braces. `true` is 1, `false` is 0.
    fn numbers(&mut self) -> Option<Vec<f64>> {
        let number = |word: &[u8]| match word {
            b"true" => Some(1.0),
            b"false" => Some(0.0),
            word => std::str::from_utf8(word).ok()?.parse().ok().filter(|number: &f64| number.is_finite()),
        };
        match self.next()? {
            b"[" | b"{" => {
                let mut list = Vec::new();
                loop {
                    match self.next()? {
                        b"]" | b"}" => return Some(list),
                        word => list.push(number(word)?),
                    }
                }
            }
            word => Some(vec![number(word)?]),
        }
    }

    /// `LENGTH RD BYTES`, decrypted.
    fn charstring(&mut self, random_bytes: i64) -> Option<Vec<u8>> {
        let length = usize::try_from(self.integer()?).ok()?;
        // The operator that reads has any name, and one space follows it.
        self.next()?;
        let start = self.at + 1;
        let bytes = self.text.get(start..start.checked_add(length)?)?;
        self.at = start + length;
        match usize::try_from(random_bytes) {
            Ok(random) => decrypt(bytes, CHARSTRING_KEY).get(random..).map(<[u8]>::to_vec),
            // Not encrypted.
            Err(_) => Some(bytes.to_vec()),
        }
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        let is_white = |byte: &u8| matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ');
        let is_special =
            |byte: &u8| matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%');
        loop {
            let start = self.at;
            let byte = self.text.get(start)?;
            self.at += 1;
            match byte {
                byte if is_white(byte) => {}
                b'%' => {
                    let rest = self.text.get(self.at..)?;
                    self.at += rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
                }
                byte if is_special(byte) && *byte != b'/' => return self.text.get(start..self.at),
                _ => {
                    let rest = self.text.get(self.at..)?;
                    self.at += rest.iter().position(|b| is_white(b) || is_special(b)).unwrap_or(rest.len());
                    return self.text.get(start..self.at);
                }
            }
        }
    }
}
