//! `tag-pdf` on fonts that say too little: of glyphs that are pictures, of text that is not there to be seen, and of no text at all.

use super::tags::{font, page_in, pictures, tagged, words};
use super::*;

/// A CFF program that has no glyph but the one for missing ones, which is blank.
const NO_GLYPHS: &[u8] = &[
    1, 0, 4, 1, // head
    0, 1, 1, 1, 7, b'H', b'i', b'd', b'd', b'e', b'n', // names
    0, 1, 1, 1, 14, 29, 0, 0, 0, 37, 17, 143, 29, 0, 0, 0, 43, 18, // where glyphs and their common parts are
    0, 0, 0, 0, // no strings, no subroutines
    0, 1, 1, 1, 2, 14, // a glyph that ends
    28, 3, 232, 20, // 1000 wide
];

/// A document of one page, with a font of invisible text, as programs add it to scans.
fn scan() -> Document {
    let mut document = page_in(vec![font("Type1", "Courier")], "");
    let file = document.add_object(Stream::new(dictionary! { "Subtype" => "CIDFontType0C" }, NO_GLYPHS.to_vec()));
    let descriptor = document.add_object(dictionary! {
        "Type" => "FontDescriptor", "FontName" => "HiddenHorzOCR", "Flags" => 4, "ItalicAngle" => 0, "StemV" => 100,
        "FontBBox" => vec![0.into(), (-250).into(), 1000.into(), 1000.into()], "Ascent" => 1000, "Descent" => -250,
        "CapHeight" => 1000, "FontFile3" => file,
    });
    let below = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "CIDFontType0", "BaseFont" => "HiddenHorzOCR", "FontDescriptor" => descriptor,
        "DW" => 500,
        "CIDSystemInfo" => dictionary! {
            "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"), "Supplement" => 0,
        },
    });
    let map = b"1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0020> <007E> <0020> endbfrange";
    let map = document.add_object(Stream::new(Dictionary::new(), map.to_vec()));
    let hidden = [1, 2].map(|_| {
        document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "HiddenHorzOCR", "Encoding" => "Identity-H",
            "ToUnicode" => map, "DescendantFonts" => vec![below.into()],
        })
    });
    let drawn = drawn_letters(&mut document);
    let content =
        b"BT /F0 18 Tf 40 760 Td () Tj ET BT 3 Tr /H 18 Tf 40 700 Td <00530063> Tj /I 18 Tf <0061006E> Tj ET \
                    BT /T 10 Tf 0 Tr 40 600 Td (Help\\034.) Tj ET"
            .to_vec();
    let content = document.add_object(Stream::new(Dictionary::new(), content));
    let page = document.page_iter().next().unwrap();
    let page = document.get_dictionary_mut(page).unwrap();
    page.set("Contents", content);
    let fonts = page.get_mut(b"Resources").and_then(Object::as_dict_mut).unwrap();
    let fonts = fonts.get_mut(b"Font").and_then(Object::as_dict_mut).unwrap();
    fonts.set("H", hidden[0]);
    fonts.set("I", hidden[1]);
    fonts.set("T", drawn);
    document
}

/// A font of pictures, as TeX makes one of letters that it draws itself.
fn drawn_letters(document: &mut Document) -> Object {
    let heights = [(28, 0, 70), (46, 0, 10), (72, 0, 68), (101, -1, 45), (108, 0, 69), (112, -19, 44)];
    let (mut drawn, mut names, mut widths) = (Dictionary::new(), Vec::new(), vec![Object::Integer(0); 85]);
    for (code, bottom, top) in heights {
        let height = top - bottom;
        let mut glyph = format!(
            "50 0 0 {bottom} 40 {top} d1 q 40 0 0 {height} 0 {bottom} cm BI /W 8 /H 1 /IM true /BPC 1 /D [1 0] ID "
        )
        .into_bytes();
        glyph.extend(b"\x7E EI Q");
        let name = format!("a{code}");
        drawn.set(name.as_str(), document.add_object(Stream::new(Dictionary::new(), glyph)));
        names.extend([Object::Integer(code), Object::Name(name.into_bytes())]);
        widths[usize::try_from(code - 28).unwrap()] = 50.into();
    }
    let matrix: Vec<Object> = [0.01, 0.0, 0.0, 0.01, 0.0, 0.0].map(Object::Real).to_vec();
    let font = dictionary! {
        "Type" => "Font", "Subtype" => "Type3", "CharProcs" => drawn, "FontMatrix" => matrix, "FirstChar" => 28,
        "LastChar" => 112, "Widths" => widths, "FontBBox" => vec![0.into(), (-19).into(), 40.into(), 70.into()],
        "Encoding" => dictionary! { "Type" => "Encoding", "Differences" => names }, "Resources" => Dictionary::new(),
    };
    document.add_object(font).into()
}

#[test]
fn fonts_get_what_their_glyphs_tell_and_nothing_looks_different() {
    let scratch = TempDir::new().unwrap();
    let source = saved(scan(), &scratch.path().join("scan.pdf"));
    let options = json!({"language": "en", "title": "A scan"});
    let (result, outcome) = tagged(&source, options, &scratch.path().join("made"));
    let report = outcome.report.unwrap();
    assert_eq!(report["conforms"], true, "{report}");
    assert_eq!(judge(&[("ua".to_owned(), result.clone())]), ["pass"]);
    assert!(pictures(&source, &scratch.path().join("before")) == pictures(&result, &scratch.path().join("after")));
    assert_eq!(words(&result), ["Scan", "Helpfi."]);
}
