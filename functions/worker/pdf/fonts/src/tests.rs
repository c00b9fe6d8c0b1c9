//! Fonts are reduced and draw the same as before. Outlines are read by independent code.

use std::collections::BTreeSet;

use read_fonts::model::pen::PathElement;
use read_fonts::ps::cff::CffFontRef;
use read_fonts::ps::type1::Type1Font;
use read_fonts::types::GlyphId;
use ttf_parser::{Face, OutlineBuilder};

use super::type1::Type1;
use super::*;

/// A whole TrueType font, with letters composed of others.
pub(super) fn whole() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../infra/worker/fonts/Gelasio-Regular.ttf")).unwrap()
}

#[derive(Default, Debug, PartialEq)]
struct Path(Vec<String>);

impl OutlineBuilder for Path {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.push(format!("M {x} {y}"));
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.push(format!("L {x} {y}"));
    }
    fn quad_to(&mut self, a: f32, b: f32, x: f32, y: f32) {
        self.0.push(format!("Q {a} {b} {x} {y}"));
    }
    fn curve_to(&mut self, a: f32, b: f32, c: f32, d: f32, x: f32, y: f32) {
        self.0.push(format!("C {a} {b} {c} {d} {x} {y}"));
    }
    fn close(&mut self) {
        self.0.push("Z".to_owned());
    }
}

fn path(font: &[u8], glyph: u16) -> Path {
    let mut path = Path::default();
    Face::parse(font, 0).unwrap().outline_glyph(ttf_parser::GlyphId(glyph), &mut path);
    path
}

#[test]
fn a_truetype_font_keeps_the_glyphs_in_use_and_their_parts() {
    let whole = whole();
    let face = Face::parse(&whole, 0).unwrap();
    let glyph = |character| face.glyph_index(character).unwrap().0;
    let encoding = Encoding::new(&Document::new(), &Dictionary::new());
    let glyphs = truetype::glyphs(&whole, &encoding, &mut b"A\xC9g".iter().copied()).unwrap();
    // É in the encoding of Windows, and what it would be in that of the Macintosh.
    assert!(['A', 'É', 'g', '…'].iter().all(|character| glyphs.contains(&glyph(*character))), "{glyphs:?}");
    assert!(!glyphs.contains(&glyph('B')));
    let cut = truetype::subset(&whole, &glyphs, true).unwrap();
    assert!(cut.len() < whole.len() / 4, "{} of {}", cut.len(), whole.len());
    let new = Face::parse(&cut, 0).unwrap();
    assert_eq!(new.number_of_glyphs(), face.number_of_glyphs());
    for character in ['A', 'É', 'g', '…'] {
        assert_eq!(path(&cut, glyph(character)), path(&whole, glyph(character)));
        assert_ne!(path(&cut, glyph(character)), Path::default());
        assert_eq!(new.glyph_index(character), face.glyph_index(character));
        let id = ttf_parser::GlyphId(glyph(character));
        assert_eq!(new.glyph_hor_advance(id), face.glyph_hor_advance(id));
    }
    for character in ['B', 'Q', 'ß'] {
        assert_eq!(path(&cut, glyph(character)), Path::default());
    }
    // Whoever knows the numbers of glyphs needs no table of characters.
    let smaller = truetype::subset(&whole, &glyphs, false).unwrap();
    assert!(smaller.len() < cut.len());
    assert_eq!(path(&smaller, glyph('g')), path(&whole, glyph('g')));
}

#[test]
fn a_truetype_font_keeps_the_names_of_its_glyphs_in_use() {
    let whole = whole();
    let face = Face::parse(&whole, 0).unwrap();
    let glyph = |character| face.glyph_index(character).unwrap().0;
    let used = BTreeSet::from([glyph('A'), glyph('Ő')]);
    let cut = truetype::subset(&whole, &used, true).unwrap();
    let new = Face::parse(&cut, 0).unwrap();
    for character in ['A', 'Ő'] {
        let id = ttf_parser::GlyphId(glyph(character));
        assert!(face.glyph_name(id).is_some());
        assert_eq!(new.glyph_name(id), face.glyph_name(id));
    }
    assert_eq!(new.glyph_name(ttf_parser::GlyphId(glyph('Ű'))), Some(".notdef"));
    let table = |font: &[u8], tag| truetype::Tables::new(font).unwrap().get(tag).map(<[u8]>::len);
    assert!(table(&cut, b"post") < table(&whole, b"post"));
    // Without tables for layout, all else is as before.
    let plain = truetype::without_layout(&whole).unwrap();
    let list =
        |font: &[u8]| truetype::Tables::new(font).unwrap().list().iter().map(|(tag, _)| *tag).collect::<Vec<_>>();
    let gone: Vec<_> = list(&whole).into_iter().filter(|tag| !list(&plain).contains(tag)).collect();
    assert!(gone.contains(b"GSUB") && !gone.contains(b"cmap") && !gone.contains(b"post"), "{gone:?}");
    for tag in list(&plain).iter().filter(|tag| *tag != b"head") {
        let of = |font: &'static [u8]| truetype::Tables::new(font).unwrap().get(tag).map(<[u8]>::to_vec);
        assert_eq!(of(plain.clone().leak()), of(whole.clone().leak()));
    }
}

/// Numbers and operators of a charstring, `12.6` for an operator of two bytes.
fn charstring(words: &str) -> Vec<u8> {
    let operators = [
        ("hstem", &[1][..]),
        ("vstem", &[3]),
        ("vmoveto", &[4]),
        ("rlineto", &[5]),
        ("hlineto", &[6]),
        ("vlineto", &[7]),
        ("rrcurveto", &[8]),
        ("closepath", &[9]),
        ("callsubr", &[10]),
        ("return", &[11]),
        ("hsbw", &[13]),
        ("endchar", &[14]),
        ("rmoveto", &[21]),
        ("hmoveto", &[22]),
        ("vhcurveto", &[30]),
        ("hvcurveto", &[31]),
        ("hstem3", &[12, 2]),
        ("seac", &[12, 6]),
        ("div", &[12, 12]),
        ("callothersubr", &[12, 16]),
        ("pop", &[12, 17]),
        ("setcurrentpoint", &[12, 33]),
    ];
    let mut code = Vec::new();
    for word in words.split_whitespace() {
        if let Ok(number) = word.parse::<i32>() {
            code.push(255);
            code.extend(number.to_be_bytes());
        } else {
            code.extend(operators.iter().find(|(name, _)| *name == word).unwrap().1);
        }
    }
    code
}

fn encrypt(plain: &[u8], mut key: u16) -> Vec<u8> {
    let byte = |plain: &u8| {
        let cipher = plain ^ (key >> 8) as u8;
        key = u16::from(cipher).wrapping_add(key).wrapping_mul(52845).wrapping_add(22719);
        cipher
    };
    [b"0000", plain].concat().iter().map(byte).collect()
}

/// A font with the usual subroutines, in which A is coded as 65 and 7, Aacute is composed, and o has curves that may be lines,
/// hints that change, and places between units.
pub(crate) fn type1() -> Vec<u8> {
    let subroutines = [
        "3 0 callothersubr pop pop setcurrentpoint return",
        "0 1 callothersubr return",
        "0 2 callothersubr return",
        "return",
        "1 3 callothersubr pop callsubr return",
        "300 40 vstem return",
    ];
    let flex =
        "1 callsubr 50 5 rmoveto 2 callsubr -25 -5 rmoveto 2 callsubr 10 5 rmoveto 2 callsubr 15 0 rmoveto 2 callsubr
        15 0 rmoveto 2 callsubr 10 -5 rmoveto 2 callsubr 25 0 rmoveto 2 callsubr 50 150 100 0 callsubr";
    let round = format!(
        "40 500 hsbw 0 -20 hstem 10 60 vstem 10 100 rmoveto {flex} 5 callsubr_hints 100 7 div 200 rlineto
        50 30 20 -40 hvcurveto 10 20 30 40 vhcurveto 1 2 3 4 5 6 rrcurveto closepath endchar"
    );
    let round = round.replace("5 callsubr_hints", "5 4 callsubr");
    let glyphs = [
        (".notdef", "0 250 hsbw endchar"),
        (
            "A",
            "20 600 hsbw 0 30 300 30 600 30 hstem3 0 0 rmoveto 280 700 rlineto 280 -700 rlineto -60 hlineto closepath endchar",
        ),
        ("acute", "100 300 hsbw 10 500 rmoveto 100 120 rlineto 40 -30 rlineto closepath endchar"),
        ("Aacute", "20 600 hsbw 100 220 190 65 194 seac"),
        ("o", &round),
        ("alpha", "10 400 hsbw 7 hmoveto 50 vlineto 60 hlineto -50 vlineto closepath endchar"),
    ];
    let mut private = b"dup /Private 8 dict dup begin /RD {string currentfile exch readstring pop} executeonly def
/BlueValues [-15 0 700 715] def /BlueScale 0.04379 def /StdHW [30] def /ForceBold false def /lenIV 4 def\n"
        .to_vec();
    private.extend(format!("/Subrs {} array\n", subroutines.len()).bytes());
    for (number, words) in subroutines.iter().enumerate() {
        let code = encrypt(&charstring(words), 4330);
        private.extend(format!("dup {number} {} RD ", code.len()).bytes());
        private.extend(code);
        private.extend(b" NP\n");
    }
    private.extend(format!("ND\n2 index /CharStrings {} dict dup begin\n", glyphs.len()).bytes());
    for (name, words) in glyphs {
        let code = encrypt(&charstring(words), 4330);
        private.extend(format!("/{name} {} RD ", code.len()).bytes());
        private.extend(code);
        private.extend(b" ND\n");
    }
    private.extend(
        b"end\nend\nreadonly put\nnoaccess put\ndup /FontName get exch definefont pop\nmark currentfile closefile\n",
    );
    let mut font = b"%!PS-AdobeFont-1.0: Test
/FontName /Test def /FontMatrix [0.001 0 0 0.001 0 0] readonly def /FontBBox {0 -200 1000 900} readonly def
/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for dup 65 /A put dup 7 /A put dup 111 /o put dup 193 /Aacute put
readonly def currentfile eexec\n".to_vec();
    font.extend(encrypt(&private, 55665));
    font.extend(b"\n0000000000000000\ncleartomark\n");
    font
}

fn drawn(font: &CffFontRef<'_>, name: &str) -> (Vec<PathElement>, Option<f32>) {
    let charset = font.charset().unwrap();
    let named = |glyph: &u32| font.string(charset.string_id(GlyphId::new(*glyph)).unwrap()) == Some(name.as_bytes());
    let Some(glyph) = (0..font.num_glyphs()).find(named) else { return Default::default() };
    let mut path = Vec::new();
    let width = font.draw(&font.subfont(0, &[]).unwrap(), GlyphId::new(glyph), &[], None, &mut path).unwrap();
    (path, width)
}

/// The same outline: a font may or may not say that a path ends where the next begins.
fn assert_alike(new: &[PathElement], old: &[PathElement]) {
    let numbers = |path: &[PathElement]| -> Vec<f32> {
        let list = path.iter().flat_map(|element| match *element {
            PathElement::MoveTo { x, y } => vec![0.0, x, y],
            PathElement::LineTo { x, y } => vec![1.0, x, y],
            PathElement::CurveTo { cx0, cy0, cx1, cy1, x, y } => vec![2.0, cx0, cy0, cx1, cy1, x, y],
            PathElement::QuadTo { .. } => panic!("no such curve in PostScript"),
            PathElement::Close => vec![3.0],
        });
        list.collect()
    };
    let (new, old) = (numbers(new), numbers(old));
    assert_eq!(new.len(), old.len(), "{new:?}\n{old:?}");
    assert!(new.iter().zip(&old).all(|(new, old)| (new - old).abs() < 0.01), "{new:?}\n{old:?}");
}

#[test]
fn a_type_1_font_becomes_a_compact_one_that_draws_the_same() {
    let data = type1();
    let font = Type1::new(&data).unwrap();
    let peer = Type1Font::new(&data).unwrap();
    let encoding = Encoding::new(&Document::new(), &Dictionary::new());
    let glyphs = font.glyphs_for(&encoding, &mut [7, 111, 193].into_iter());
    let written = compact::write(&font, &glyphs).unwrap();
    let new = CffFontRef::new_cff(&written, 0, None).unwrap();
    for name in ["A", "o", "Aacute", ".notdef"] {
        let (glyph, _) = peer.glyph_names().find(|(_, other)| *other == name).unwrap();
        let mut old = Vec::new();
        let width = peer.draw(glyph, None, &mut old).unwrap();
        let (path, new_width) = drawn(&new, name);
        assert_alike(&path, &old);
        assert_eq!(new_width, width, "{name}");
    }
    assert_eq!(new.num_glyphs(), 4);
    let bounds = new.metadata().unwrap().bbox();
    assert_eq!(
        [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(|bound| bound.to_f64()),
        [0.0, -200.0, 1000.0, 900.0]
    );
    // FreeType takes negative numbers of five bytes for positive ones.
    assert!(!written.windows(3).any(|bytes| bytes == [29, 0xFF, 0xFF]));
    assert_eq!(drawn(&new, "alpha"), Default::default());
    // Its own codes, also the second one of a glyph.
    let own = new.encoding().unwrap();
    let charset = new.charset().unwrap();
    let name = |code| own.map(code).and_then(|glyph| new.string(charset.string_id(glyph).unwrap()));
    assert_eq!([7, 65, 111, 193].map(name), [Some(&b"A"[..]), Some(b"A"), Some(b"o"), Some(b"Aacute")]);
    assert_eq!(name(66), None);
}

#[test]
fn hints_that_change_are_kept_in_groups() {
    let font = Type1::new(&type1()).unwrap();
    let outline = outline::read(&font, "o").unwrap();
    assert_eq!(outline.hints.len(), 2);
    assert_eq!(
        (outline.hints[0].horizontal.as_slice(), outline.hints[0].vertical.as_slice()),
        (&[[0.0, -20.0]][..], &[[50.0, 60.0]][..])
    );
    assert_eq!(outline.hints[1].vertical, [[340.0, 40.0]]);
    let three = outline::read(&font, "A").unwrap().hints;
    assert_eq!(three[0].horizontal, [[0.0, 30.0], [300.0, 30.0], [600.0, 30.0]]);
    // The accent's hints would be moved with it.
    assert_eq!(outline::read(&font, "Aacute").unwrap().hints.len(), 2);
}

#[test]
fn a_compact_font_keeps_the_glyphs_in_use() {
    let font = Type1::new(&type1()).unwrap();
    let all: BTreeSet<u16> = (0..font.glyphs.len() as u16).collect();
    let data = compact::write(&font, &all).unwrap();
    let encoding = Encoding::new(&Document::new(), &Dictionary::new());
    let glyphs = cff::glyphs(&data, &encoding, &mut [111].into_iter()).unwrap();
    let cut = cff::subset(&data, &glyphs).unwrap();
    assert_eq!(cut.len(), data.len());
    let (old, new) = (CffFontRef::new_cff(&data, 0, None).unwrap(), CffFontRef::new_cff(&cut, 0, None).unwrap());
    assert_eq!(new.num_glyphs(), old.num_glyphs());
    assert_eq!(drawn(&new, "o"), drawn(&old, "o"));
    assert!(!drawn(&new, "o").0.is_empty());
    assert!(drawn(&new, "A").0.is_empty() && !drawn(&old, "A").0.is_empty());
}

#[test]
fn fuzz_truetype() {
    let encoding = Encoding::new(&Document::new(), &Dictionary::new());
    docmill_fuzz::fuzz("font-truetype", &[], |bytes| {
        if let Some(glyphs) = truetype::glyphs(bytes, &encoding, &mut (32..=255)) {
            let _ = truetype::subset(bytes, &glyphs, true);
        }
        let _ = truetype::subset(bytes, &BTreeSet::from([1, 5, 700]), false);
    });
}

#[test]
fn fuzz_cff() {
    let encoding = Encoding::new(&Document::new(), &Dictionary::new());
    docmill_fuzz::fuzz("font-cff", &[], |bytes| {
        if let Some(glyphs) = cff::glyphs(bytes, &encoding, &mut (32..=255)) {
            let _ = cff::subset(bytes, &glyphs);
        }
        if let Some(glyphs) = cff::glyphs_of_cids(bytes, &mut (0..300)) {
            let _ = cff::subset(bytes, &glyphs);
        }
    });
}

#[test]
fn fuzz_type1() {
    let encoding = Encoding::new(&Document::new(), &Dictionary::new());
    docmill_fuzz::fuzz("font-type1", &[], |bytes| {
        if let Some(font) = Type1::new(bytes) {
            let _ = compact::write(&font, &font.glyphs_for(&encoding, &mut (0..=255)));
        }
    });
}

#[test]
fn fuzz_type1_decrypted() {
    // In an encrypted file, a change turns everything after it into noise.
    let head = b"%!PS\n/FontBBox {0 0 1 1} def /Encoding StandardEncoding def eexec\n";
    docmill_fuzz::fuzz("font-type1-private", &[], |bytes| {
        let data = [head.as_slice(), &encrypt(bytes, 55665)].concat();
        if let Some(font) = Type1::new(&data) {
            let all = (0..font.glyphs.len() as u16).collect();
            let _ = compact::write(&font, &all);
        }
    });
}
