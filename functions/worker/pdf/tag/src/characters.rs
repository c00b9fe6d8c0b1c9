//! The characters of fonts' codes: those that a document says, and those that its font programs know.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use docmill_fonts::symbols::SymbolFont;
use docmill_pdf_core::character_map;
use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_fonts::glyph_names;
use docmill_pdf_fonts::stated::{Stated, plain};
use docmill_pdf_fonts::symbols;
use docmill_pdf_fonts::tex;
use docmill_pdf_fonts::truetype::{self, Tables, u16_at};
use docmill_pdf_fonts::type1::Type1;
use docmill_pdf_fonts::uses::Uses;
use lopdf::{Dictionary, Document, ObjectId, Stream};
use read_fonts::ps::agl;
use read_fonts::ps::cff::CffFontRef;
use read_fonts::tables::cmap::{Cmap, CmapSubtable, PlatformId};
use read_fonts::types::GlyphId;
use read_fonts::{FontData, FontRead as _};
use skrifa::charmap::Charmap;
use skrifa::{FontRef, MetadataProvider as _};

use super::blanks::Blanks;
use super::{ligatures, orders};

/// Most unpacked bytes of a map of glyphs, and of a font program.
const MAP_BYTES: usize = 8 << 20;
const FILE_BYTES: usize = 64 << 20;
/// Characters that only their font gives a meaning.
pub(super) const PRIVATE: std::ops::RangeInclusive<char> = '\u{e000}'..='\u{f8ff}';

/// The private characters of fonts of symbols begin here.
const SYMBOLS: u32 = 0xF000;

/// The texts of codes, or of glyphs.
type Texts = HashMap<u16, String>;

/// Adds the characters that font programs know to fonts that do not say them.
pub(super) fn complete(document: &mut Document, uses: &Uses) {
    for (id, codes) in &uses.shown {
        let codes: BTreeSet<u16> = codes.iter().collect();
        complete_font(document, *id, &codes);
    }
}

/// Whether nothing else than a map may explain a code. What the map of a composite font leaves out may be left out on purpose, such as
/// the parts of a ligature. Readers look for the names of other fonts' glyphs themselves.
pub(super) fn may_lack(stated: &Stated<'_>, code: u16) -> bool {
    !stated.is_composite() || !stated.has_map() || stated.is_unsound(code)
}

/// Gives a font a map of its codes.
pub(super) fn set_map(document: &mut Document, id: ObjectId, is_wide: bool, entries: &BTreeMap<u16, String>) {
    let pairs: Vec<(u16, &str)> = entries.iter().map(|(code, text)| (*code, text.as_str())).collect();
    let map = character_map::table(&pairs, if is_wide { 2 } else { 1 });
    let map = document.add_object(Stream::new(Dictionary::new(), map));
    if let Ok(font) = document.get_dictionary_mut(id) {
        font.set("ToUnicode", map);
    }
}

fn complete_font(document: &mut Document, id: ObjectId, codes: &BTreeSet<u16>) {
    let Ok(font) = document.get_dictionary(id) else { return };
    let stated = Stated::new(document, font);
    let is_wide = stated.is_composite();
    let lacking: Vec<u16> = codes.iter().copied().filter(|code| stated.of(*code).is_none()).collect();
    let (asked, left_out): (Vec<u16>, Vec<u16>) = lacking.into_iter().partition(|code| may_lack(&stated, *code));
    let is_beyond = codes.iter().any(|code| stated.is_beyond(*code));
    let source = Source::new(document, font);
    // What only the font gives a meaning is known of some fonts.
    let private = |code: u16| source.of_private(&stated.of(code)?).map(|character| (code, character.to_string()));
    let public: Texts = codes.iter().filter_map(|code| private(*code)).collect();
    if asked.is_empty() && left_out.is_empty() && !is_beyond && public.is_empty() {
        return;
    }
    let known = match (asked.is_empty(), is_wide) {
        (true, _) => Texts::new(),
        (false, true) => source.of_wide(codes),
        (false, false) => source.of_simple(codes),
    };
    let of_name = |code: u16| source.of_name(stated.name(code)?);
    // Most fonts explain themselves, so their program is not unpacked for this.
    let blanks = LazyCell::new(|| Blanks::new(document, font));
    let pictured = if asked.is_empty() { Texts::new() } else { tex::texts(document, font, &stated, codes) };
    let text = |code: u16| {
        let blank = || blanks.has(&stated, code).then(|| " ".to_owned());
        let of_program = || known.get(&code).or_else(|| pictured.get(&code)).cloned();
        of_name(code).or_else(|| stated.of_drawn(code)).or_else(of_program).or_else(blank)
    };
    let mut found: Texts = asked.iter().filter_map(|code| Some((*code, text(*code)?))).collect();
    let unknown: Vec<u16> = asked.into_iter().filter(|code| stated.has_map() && !found.contains_key(code)).collect();
    found.extend(source.ligatures(&stated, if is_wide { &left_out } else { &unknown }));
    if found.is_empty() && !is_beyond && public.is_empty() {
        return;
    }
    let text = |code: u16| public.get(&code).cloned().or_else(|| stated.of(code)).or_else(|| found.get(&code).cloned());
    // A range over all codes is no list of those that the font has.
    let all = (0..=u16::MAX).filter(|code| codes.contains(code) || (!is_beyond && stated.maps(*code)));
    let entries: BTreeMap<u16, String> = all.filter_map(|code| Some((code, text(code)?))).collect();
    set_map(document, id, is_wide, &entries);
}

/// A font whose program knows characters.
struct Source<'d> {
    document: &'d Document,
    font: &'d Dictionary,
    /// It is one of the fonts of symbols that Windows has.
    symbols: Option<SymbolFont>,
    has_dingbats: bool,
    has_wingdings: bool,
    /// It is the font of symbols that every viewer has.
    has_symbol: bool,
}

impl<'d> Source<'d> {
    fn new(document: &'d Document, font: &'d Dictionary) -> Self {
        let name = String::from_utf8_lossy(document.name(font, b"BaseFont").unwrap_or_default()).into_owned();
        let family = name.rsplit('+').next().unwrap_or_default().split([',', '-']).next().unwrap_or_default();
        Self {
            document,
            font,
            symbols: SymbolFont::named(family),
            has_dingbats: family.contains("Dingbats"),
            has_wingdings: family == "Wingdings",
            has_symbol: matches!(family, "Symbol" | "SymbolMT"),
        }
    }

    /// The character that a private one means in a font of symbols.
    fn of_private(&self, text: &str) -> Option<char> {
        let private = text.parse::<char>().ok().filter(|character| PRIVATE.contains(character))?;
        let code = || u8::try_from(u32::from(private).checked_sub(SYMBOLS)?).ok();
        let of_symbol = || agl::name_to_char(symbols::symbol_name(code()?)?);
        match self.symbols {
            Some(font) => font.character(private),
            None => of_symbol().filter(|_| self.has_symbol),
        }
    }

    /// The text of a glyph's name.
    fn of_name(&self, name: &str) -> Option<String> {
        let dingbat = if self.has_dingbats { symbols::dingbat_of_name(name) } else { None };
        let wingding = || self.symbols?.character(char::from(symbols::wingding_of_name(name)?));
        let wingding = if self.has_wingdings { wingding() } else { None };
        dingbat.or(wingding).map(String::from).or_else(|| glyph_names::text(name))
    }

    fn program(&self, holder: &Dictionary, keys: &[&[u8]]) -> Option<Vec<u8>> {
        let descriptor = self.document.child(holder, b"FontDescriptor")?;
        let file = keys.iter().find_map(|key| self.document.value(descriptor, key)?.as_stream().ok())?;
        unpacked(file, FILE_BYTES)
    }

    /// The characters of a composite font's codes, which are glyphs of its program.
    fn of_wide(&self, codes: &BTreeSet<u16>) -> Texts {
        let Self { document, font, .. } = *self;
        let below = document.array(font, b"DescendantFonts").first().and_then(|font| document.dictionary(font));
        let is_plain = matches!(document.name(font, b"Encoding"), Some(b"Identity-H" | b"Identity-V"));
        let Some(below) = below.filter(|_| is_plain) else { return Texts::new() };
        if let Some(data) = self.program(below, &[b"FontFile3"]) {
            return self.of_compact_glyphs(&data);
        }
        let Some(data) = self.program(below, &[b"FontFile2"]) else { return Texts::new() };
        let glyphs = self.of_glyphs(&data);
        match document.value(below, b"CIDToGIDMap").and_then(|map| unpacked(map.as_stream().ok()?, MAP_BYTES)) {
            None => {
                let mut found = orders::texts(&data, codes, &Some);
                found.extend(glyphs);
                found
            }
            Some(map) => (0..=u16::MAX)
                .zip(map.as_chunks().0)
                .filter_map(|(code, pair)| Some((code, glyphs.get(&u16::from_be_bytes(*pair))?.clone())))
                .collect(),
        }
    }

    /// The letters of ligatures among codes that a font's map leaves out.
    fn ligatures(&self, stated: &Stated<'_>, codes: &[u16]) -> Texts {
        if codes.is_empty() {
            return Texts::new();
        }
        if !stated.is_composite() {
            let Some(data) = self.program(self.font, &[b"FontFile2"]) else { return Texts::new() };
            let Some(program) = Codes::new(&data) else { return Texts::new() };
            return ligatures::texts(&data, stated, codes, &|code| program.glyph(code));
        }
        let below = self.document.array(self.font, b"DescendantFonts").first();
        let below = below.and_then(|font| self.document.dictionary(font));
        let program = below.and_then(|below| Some((below, self.program(below, &[b"FontFile2"])?)));
        let Some((below, data)) = program else { return Texts::new() };
        let map = self.document.value(below, b"CIDToGIDMap").and_then(|map| unpacked(map.as_stream().ok()?, MAP_BYTES));
        let glyph = |code: u16| match &map {
            None => Some(code),
            Some(map) => map.as_chunks().0.get(usize::from(code)).map(|pair| u16::from_be_bytes(*pair)),
        };
        ligatures::texts(&data, stated, codes, &glyph)
    }

    /// The characters of a TrueType program's glyphs.
    fn of_glyphs(&self, data: &[u8]) -> Texts {
        let named = Tables::new(data).map(|tables| {
            let names = (0..=u16::MAX).zip(truetype::names(&tables));
            names.filter_map(|(glyph, (name, _))| Some((glyph, self.of_name(name)?))).collect()
        });
        let mut found: Texts = named.unwrap_or_default();
        let Ok(font) = FontRef::new(data) else { return found };
        for (code, glyph) in font.charmap().mappings() {
            if let (Some(text), Ok(glyph)) = (self.of_code(code), u16::try_from(glyph.to_u32())) {
                found.entry(glyph).or_insert(text);
            }
        }
        for glyph in blanks(data).unwrap_or_default() {
            found.entry(glyph).or_insert_with(|| " ".to_owned());
        }
        found
    }

    /// What a program's own table says.
    fn of_code(&self, code: u32) -> Option<String> {
        let character = char::from_u32(code).filter(|character| !character.is_control())?;
        if PRIVATE.contains(&character) {
            return self.symbols?.character(character).map(String::from);
        }
        Some(plain(character))
    }

    /// The characters of a CFF program's glyphs that have names.
    fn of_compact_glyphs(&self, data: &[u8]) -> Texts {
        let font = CffFontRef::new_cff(data, 0, None).ok().filter(|font| !font.is_cid());
        let Some(font) = font else { return Texts::new() };
        let Some(charset) = font.charset() else { return Texts::new() };
        let text = |glyph: u16| {
            let name = font.string(charset.string_id(GlyphId::new(glyph.into())).ok()?)?;
            self.of_name(std::str::from_utf8(name).ok()?)
        };
        let count = u16::try_from(font.num_glyphs()).unwrap_or(u16::MAX);
        (1..count).filter_map(|glyph| Some((glyph, text(glyph)?))).collect()
    }

    /// The characters of a font's codes by its name, of which there is no program.
    fn of_missing(&self) -> Texts {
        let is_missing = self.document.child(self.font, b"FontDescriptor").is_none_or(|descriptor| {
            [b"FontFile".as_slice(), b"FontFile2", b"FontFile3"].iter().all(|key| !descriptor.has(key))
        });
        if !is_missing || self.document.name(self.font, b"Subtype") == Some(b"Type3") {
            return Texts::new();
        }
        if let Some(symbols) = self.symbols {
            let letters =
                (32..=u8::MAX).filter_map(|code| Some((u16::from(code), symbols.character(char::from(code))?)));
            return letters.map(|(code, character)| (code, character.to_string())).collect();
        }
        let characters = docmill_pdf_pdfa::missing_characters(self.document, self.font);
        characters.into_iter().map(|(code, character)| (u16::from(code), plain(character))).collect()
    }

    /// The characters of a simple font's codes by the encoding in its program.
    fn of_simple(&self, codes: &BTreeSet<u16>) -> Texts {
        if let Some(data) = self.program(self.font, &[b"FontFile2"]) {
            let (glyphs, Some(program)) = (self.of_glyphs(&data), Codes::new(&data)) else { return Texts::new() };
            let glyph = |code: u16| program.glyph(code);
            let mut found = orders::texts(&data, codes, &glyph);
            found.extend((0..256).filter_map(|code| Some((code, glyphs.get(&glyph(code)?)?.clone()))));
            return found;
        }
        let Some(data) = self.program(self.font, &[b"FontFile", b"FontFile3"]) else { return self.of_missing() };
        if let Some(font) = Type1::new(&data) {
            let names = font.encoding.iter().flatten();
            return names.filter_map(|(code, own)| Some((u16::from(*code), self.of_name(own)?))).collect();
        }
        let Some(face) = CffFontRef::new_cff(&data, 0, None).ok().filter(|face| !face.is_cid()) else {
            return Texts::new();
        };
        let text = |code: u8| {
            let glyph: GlyphId = face.encoding()?.map(code)?;
            self.of_name(std::str::from_utf8(face.string(face.charset()?.string_id(glyph).ok()?)?).ok()?)
        };
        (0..=u8::MAX).filter_map(|code| Some((u16::from(code), text(code)?))).collect()
    }
}

/// The glyphs of a TrueType program by the codes of a simple font.
pub(super) struct Codes<'f> {
    charmap: Charmap<'f>,
    macintosh: Option<Macintosh<'f>>,
}

impl<'f> Codes<'f> {
    pub(super) fn new(data: &'f [u8]) -> Option<Self> {
        Some(Self { charmap: FontRef::new(data).ok()?.charmap(), macintosh: Macintosh::new(data) })
    }

    pub(super) fn glyph(&self, code: u16) -> Option<u16> {
        let codes = [u32::from(code), SYMBOLS + u32::from(code)];
        let glyph = codes.into_iter().find_map(|code| self.charmap.map(code));
        glyph.or_else(|| self.macintosh.as_ref()?.glyph(code)).and_then(|glyph| u16::try_from(glyph.to_u32()).ok())
    }
}

/// A table of codes of the Macintosh, which may be any codes.
struct Macintosh<'f>(CmapSubtable<'f>);

impl<'f> Macintosh<'f> {
    fn new(data: &'f [u8]) -> Option<Self> {
        let cmap = Cmap::read(FontData::new(Tables::new(data)?.get(b"cmap")?)).ok()?;
        let mut records = cmap.encoding_records().iter();
        let record = records.find(|record| record.platform_id() == PlatformId::Macintosh)?;
        record.subtable(cmap.offset_data()).ok().map(Self)
    }

    fn glyph(&self, code: u16) -> Option<GlyphId> {
        self.0.map_codepoint(u32::from(code)).filter(|glyph| glyph.to_u32() != 0)
    }
}

/// The glyphs of a TrueType program that draw nothing.
fn blanks(data: &[u8]) -> Option<Vec<u16>> {
    let tables = Tables::new(data)?;
    let (places, count) = (tables.get(b"loca")?, u16_at(tables.get(b"maxp")?, 4)?);
    let is_short = u16_at(tables.get(b"head")?, 50)? == 0;
    let place = |glyph: usize| -> Option<[u16; 2]> {
        if is_short {
            Some([u16_at(places, glyph * 2)?, 0])
        } else {
            Some([u16_at(places, glyph * 4)?, u16_at(places, glyph * 4 + 2)?])
        }
    };
    let is_blank = |glyph: &u16| {
        let at = usize::from(*glyph);
        place(at).is_some_and(|begin| place(at + 1) == Some(begin))
    };
    Some((1..count).filter(is_blank).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use lopdf::{Object, dictionary};

    use super::*;

    #[test]
    fn names_of_glyphs_fill_what_a_map_leaves_out_or_says_wrong() {
        let mut document = Document::new();
        let map = character_map::table(&[(65, "A"), (66, "\0")], 1);
        let map = document.add_object(Stream::new(Dictionary::new(), map));
        let names = ["A", "B", "T_h", "summationdisplay", "g7"];
        let names: Vec<Object> = names.iter().map(|name| Object::Name(name.as_bytes().to_vec())).collect();
        let differences: Vec<Object> = [Object::Integer(65)].into_iter().chain(names).collect();
        let font = dictionary! {
            "Type" => "Font", "Subtype" => "Type3", "ToUnicode" => map,
            "Encoding" => dictionary! { "Differences" => differences },
        };
        let id = document.add_object(font);
        complete_font(&mut document, id, &(65..=69).collect());
        let stated = Stated::new(&document, document.get_dictionary(id).unwrap());
        let texts: Vec<Option<String>> = (65..=69).map(|code| stated.of(code)).collect();
        assert_eq!(texts, [Some("A"), Some("B"), Some("Th"), Some("∑"), None].map(|text| text.map(str::to_owned)));
    }

    #[test]
    fn glyphs_that_are_drawn_like_pages_have_the_characters_of_their_encoding() {
        let mut document = Document::new();
        let font = dictionary! { "Type" => "Font", "Subtype" => "Type3", "Encoding" => "WinAnsiEncoding" };
        let id = document.add_object(font);
        complete_font(&mut document, id, &BTreeSet::from([65, 0x80]));
        let stated = Stated::new(&document, document.get_dictionary(id).unwrap());
        assert_eq!((stated.of(65).as_deref(), stated.of(0x80).as_deref()), (Some("A"), Some("€")));
    }

    #[test]
    fn ranges_over_several_rows_become_lists() {
        let mut document = Document::new();
        let map =
            b"1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFF> <0000> endbfrange";
        let map = document.add_object(Stream::new(Dictionary::new(), map.to_vec()));
        let id = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type0", "ToUnicode" => map });
        let said = |document: &Document, code: u16| {
            let stated = Stated::new(document, document.get_dictionary(id).unwrap());
            (stated.of(code), stated.is_beyond(code))
        };
        assert_eq!(said(&document, 0x41), (Some("A".to_owned()), false));
        assert_eq!(said(&document, 0x2019), (Some("’".to_owned()), true));
        complete_font(&mut document, id, &BTreeSet::from([0x41, 0x2019]));
        assert_eq!(said(&document, 0x2019), (Some("’".to_owned()), false));
        assert_eq!(said(&document, 0x42), (None, false));
    }

    #[test]
    fn private_characters_of_fonts_of_symbols_become_public() {
        let said = |name: &str, text: &str| {
            let mut document = Document::new();
            let map = document.add_object(Stream::new(Dictionary::new(), character_map::table(&[(183, text)], 1)));
            let font =
                dictionary! { "Type" => "Font", "Subtype" => "TrueType", "BaseFont" => name, "ToUnicode" => map };
            let id = document.add_object(font);
            complete_font(&mut document, id, &BTreeSet::from([183]));
            Stated::new(&document, document.get_dictionary(id).unwrap()).of(183)
        };
        assert_eq!(said("ABCDEF+SymbolMT", "\u{f0b7}").as_deref(), Some("•"));
        assert_eq!(said("Wingdings", "\u{f0fc}").as_deref(), Some("✓"));
        assert_eq!(said("Fontawesome", "\u{f0b7}").as_deref(), Some("\u{f0b7}"));
        assert_eq!(said("SymbolMT", "b").as_deref(), Some("b"));
    }

    #[test]
    fn symbols_are_known_by_the_name_of_their_font() {
        let mut document = Document::new();
        let font = dictionary! { "Type" => "Font", "Subtype" => "TrueType", "BaseFont" => "ABCDEF+Wingdings-Regular" };
        let id = document.add_object(font);
        complete_font(&mut document, id, &BTreeSet::from([252]));
        let stated = Stated::new(&document, document.get_dictionary(id).unwrap());
        assert_eq!(stated.of(252).as_deref(), Some("✓"));
    }

    #[test]
    fn names_that_readers_do_not_take_apart_get_a_map() {
        let mut document = Document::new();
        let names = ["guillemotleft.cyr", "uni2423"].map(|name| Object::Name(name.as_bytes().to_vec()));
        let differences: Vec<Object> = [Object::Integer(65)].into_iter().chain(names).collect();
        let font = dictionary! { "Type" => "Font", "Subtype" => "Type1", "Encoding" => dictionary! { "Differences" => differences } };
        let id = document.add_object(font);
        let said = |document: &Document| {
            let stated = Stated::new(document, document.get_dictionary(id).unwrap());
            [stated.of(65), stated.of(66)]
        };
        assert_eq!(said(&document), [None, None]);
        complete_font(&mut document, id, &BTreeSet::from([65, 66]));
        assert_eq!(said(&document), ["«", "␣"].map(|text| Some(text.to_owned())));
    }

    pub(crate) const FONT: &[u8] = include_bytes!("../../../../../infra/worker/fonts/ArimoFitted-Regular.ttf");

    /// The font with a table of the Macintosh for codes from 33, and without names, as Apple's printer writes it.
    pub(crate) fn with_codes(glyphs: &[u16]) -> Vec<u8> {
        let count = u16::try_from(glyphs.len()).unwrap();
        let head = [0, 1, 1, 0, 0, 12, 6, 10 + 2 * count, 0, 33, count];
        let table: Vec<u8> = head.iter().chain(glyphs).flat_map(|word| word.to_be_bytes()).collect();
        let mut font = FONT.to_vec();
        let find = |font: &[u8], name: &[u8]| (12..).step_by(16).find(|at| &font[*at..at + 4] == name).unwrap();
        let at = find(&font, b"post");
        font[at..at + 4].copy_from_slice(b"none");
        let at = find(&font, b"cmap");
        let place = [font.len(), table.len()].map(|number| u32::try_from(number).unwrap().to_be_bytes());
        font[at + 8..at + 16].copy_from_slice(&place.concat());
        font.extend(table);
        font
    }

    #[test]
    fn ligatures_that_the_map_of_a_simple_font_leaves_out_are_their_letters() {
        let face = FontRef::new(FONT).unwrap();
        let glyph = |letter: char| u16::try_from(face.charmap().map(letter).unwrap().to_u32()).unwrap();
        let mut document = Document::new();
        let program = with_codes(&['f', 'i', 'l', 'ﬁ'].map(glyph));
        let program = document.add_object(Stream::new(Dictionary::new(), program));
        let map = character_map::table(&[(33, "f"), (34, "i"), (35, "l")], 1);
        let map = document.add_object(Stream::new(Dictionary::new(), map));
        let font = dictionary! {
            "Type" => "Font", "Subtype" => "TrueType", "ToUnicode" => map,
            "FontDescriptor" => dictionary! { "FontFile2" => program },
        };
        let id = document.add_object(font);
        complete_font(&mut document, id, &(33..=36).collect());
        let stated = Stated::new(&document, document.get_dictionary(id).unwrap());
        assert_eq!(stated.of(36).as_deref(), Some("fi"));
    }
}
