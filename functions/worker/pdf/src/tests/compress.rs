use super::*;
use fixture::save;
use lopdf::{ObjectId, Stream, dictionary};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// A page with `Hello É` in a complete TrueType font, a form with `Xyz`, and an annotation with `W`.
struct Letter {
    document: Document,
    font: ObjectId,
    page: ObjectId,
    form: ObjectId,
}

fn whole() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../infra/worker/fonts/Gelasio-Regular.ttf")).unwrap()
}

fn font_file(document: &mut Document) -> ObjectId {
    let file = document.add_object(Stream::new(dictionary! { "Length1" => whole().len() as i64 }, whole()));
    document.add_object(dictionary! {
        "Type" => "FontDescriptor", "FontName" => "Gelasio", "Flags" => 32, "FontFile2" => file, "ItalicAngle" => 0,
        "FontBBox" => vec![0.into(), (-300).into(), 1000.into(), 1000.into()], "Ascent" => 900, "Descent" => -300,
        "CapHeight" => 700, "StemV" => 80,
    })
}

fn simple_font(document: &mut Document) -> ObjectId {
    let descriptor = font_file(document);
    let data = whole();
    let face = Face::parse(&data, 0).unwrap();
    let scale = 1000.0 / f32::from(face.units_per_em());
    let widths: Vec<Object> = (32..=255u8)
        .map(|code| face.glyph_index(char::from(code)).and_then(|glyph| face.glyph_hor_advance(glyph)).unwrap_or(0))
        .map(|width| Object::Real(f32::from(width) * scale))
        .collect();
    document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "TrueType", "BaseFont" => "Gelasio", "Encoding" => "WinAnsiEncoding",
        "FirstChar" => 32, "LastChar" => 255, "Widths" => widths, "FontDescriptor" => descriptor,
    })
}

impl Letter {
    fn new() -> Self {
        let mut document = fixture::plain_document("unused", 1, (300.0, 400.0));
        let font = simple_font(&mut document);
        let page = document.get_pages()[&1];
        let resources = dictionary! { "Font" => dictionary! { "G" => font } };
        let form = |document: &mut Document, text: &str| {
            let content = format!("BT /G 20 Tf 10 10 Td {text} Tj ET").into_bytes();
            let bounds: Vec<Object> = vec![0.into(), 0.into(), 100.into(), 40.into()];
            let resources = dictionary! { "Font" => dictionary! { "G" => font } };
            document.add_object(Stream::new(
                dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => bounds, "Resources" => resources },
                content,
            ))
        };
        let shown = form(&mut document, "(Xyz)");
        let appearance = form(&mut document, "<57>");
        let annotation = document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "Stamp", "Rect" => vec![10.into(), 300.into(), 110.into(), 340.into()],
            "AP" => dictionary! { "N" => appearance }, "F" => 4,
        });
        let content = b"BT /G 20 Tf 40 200 Td (Hell\\157 \\311) Tj ET q 1 0 0 1 40 100 cm /Box Do Q".to_vec();
        let content = document.add_object(Stream::new(Dictionary::new(), content));
        let entries = document.get_dictionary_mut(page).unwrap();
        entries.set("Contents", content);
        entries.set("Annots", vec![annotation.into()]);
        let mut own = resources;
        own.set("XObject", dictionary! { "Box" => shown });
        entries.set("Resources", own);
        Self { document, font, page, form: shown }
    }

    fn catalog(&mut self) -> &mut Dictionary {
        let id = self.document.trailer.get(b"Root").unwrap().as_reference().unwrap();
        self.document.get_dictionary_mut(id).unwrap()
    }

    fn compress(&mut self, options: Value) -> (Value, Document) {
        let run = Run::new().with(&save(&mut self.document));
        let (outcome, mut documents) = run.results(Tool::CompressPdf, options);
        (outcome.report.unwrap(), documents.remove(0))
    }
}

struct Ink(bool);

impl OutlineBuilder for Ink {
    fn move_to(&mut self, _: f32, _: f32) {
        self.0 = true;
    }
    fn line_to(&mut self, _: f32, _: f32) {}
    fn quad_to(&mut self, _: f32, _: f32, _: f32, _: f32) {}
    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {}
    fn close(&mut self) {}
}

/// The font files of a document.
fn files(document: &Document) -> Vec<Vec<u8>> {
    let descriptors = document.objects.values().filter_map(|object| object.as_dict().ok());
    let ids: std::collections::BTreeSet<ObjectId> =
        descriptors.filter_map(|dict| dict.get(b"FontFile2").ok()?.as_reference().ok()).collect();
    ids.iter().map(|id| document.get_object(*id).unwrap().as_stream().unwrap().get_plain_content().unwrap()).collect()
}

/// Which of these characters a font file can draw.
fn drawable(file: &[u8], characters: &str) -> String {
    let names = whole();
    let names = Face::parse(&names, 0).unwrap();
    let face = Face::parse(file, 0).unwrap();
    let draws = |character: &char| {
        let mut ink = Ink(false);
        face.outline_glyph(GlyphId(names.glyph_index(*character).unwrap().0), &mut ink);
        ink.0
    };
    characters.chars().filter(draws).collect()
}

fn looks_the_same(report: &Value) {
    for page in report["pages"].as_array().unwrap() {
        assert_eq!(page["textSame"], true, "{page}");
        assert!(page["similarity"].as_f64().unwrap() >= 0.9999, "{page}");
    }
}

#[test]
fn a_font_is_reduced_to_the_letters_that_pages_forms_and_annotations_show() {
    let mut letter = Letter::new();
    let (report, result) = letter.compress(json!({}));
    looks_the_same(&report);
    let files = files(&result);
    assert_eq!(files.len(), 1);
    assert_eq!(drawable(&files[0], "HeloÉXyzWQabc"), "HeloÉXyzW");
    assert!(files[0].len() < whole().len() / 4);
    let font = result.objects.values().filter_map(|o| o.as_dict().ok()).find(|d| d.has(b"FontDescriptor")).unwrap();
    let name = String::from_utf8_lossy(font.get(b"BaseFont").unwrap().as_name().unwrap()).into_owned();
    assert!(name.ends_with("+Gelasio") && name.len() == 14, "{name}");
    assert_eq!(page_texts(&result), page_texts(&letter.document));
    // The second time, nothing more can be removed.
    let (again, _) = Letter { document: result, ..Letter::new() }.compress(json!({}));
    looks_the_same(&again);
}

#[test]
fn a_font_that_contains_its_descriptor_is_reduced_too() {
    let mut letter = Letter::new();
    let font = letter.font;
    let descriptor =
        letter.document.get_dictionary(font).unwrap().get(b"FontDescriptor").unwrap().as_reference().unwrap();
    let own = letter.document.objects.remove(&descriptor).unwrap();
    letter.document.get_dictionary_mut(font).unwrap().set("FontDescriptor", own);
    let (report, result) = letter.compress(json!({}));
    looks_the_same(&report);
    assert_eq!(drawable(&files(&result)[0], "HeloÉXyzWQabc"), "HeloÉXyzW");
}

#[test]
fn fonts_that_may_be_used_for_new_text_are_kept_whole() {
    let stays = |name: &str, mut letter: Letter, options: Value| {
        let (report, result) = letter.compress(options);
        looks_the_same(&report);
        assert_eq!(drawable(&files(&result)[0], "Qabc"), "Qabc", "{name}");
    };
    stays("lossless", Letter::new(), json!({"preset": "lossless"}));

    let mut letter = Letter::new();
    let font = letter.font;
    let resources = dictionary! { "Font" => dictionary! { "G" => font } };
    letter.catalog().set("AcroForm", dictionary! { "Fields" => Vec::<Object>::new(), "DR" => resources });
    stays("a form's font", letter, json!({}));

    let mut letter = Letter::new();
    letter.catalog().set("AcroForm", dictionary! { "XFA" => Vec::<Object>::new() });
    stays("XFA", letter, json!({}));

    let mut letter = Letter::new();
    let (font, page) = (letter.font, letter.page);
    let state = dictionary! { "S" => dictionary! { "Font" => vec![font.into(), 12.into()] } };
    let page = letter.document.get_dictionary_mut(page).unwrap();
    page.get_mut(b"Resources").unwrap().as_dict_mut().unwrap().set("ExtGState", state);
    stays("a graphics state's font", letter, json!({}));

    let mut letter = Letter::new();
    let form = letter.document.get_object_mut(letter.form).unwrap().as_stream_mut().unwrap();
    form.content = b"BT 10 10 Td (Q) Tj ET".to_vec();
    stays("a form that inherits its font", letter, json!({}));
}

#[test]
fn glyphs_by_number_are_kept_by_number() {
    let mut letter = Letter::new();
    let data = whole();
    let face = Face::parse(&data, 0).unwrap();
    let codes: String = "Zé".chars().map(|c| format!("{:04X}", face.glyph_index(c).unwrap().0)).collect();
    let descriptor = font_file(&mut letter.document);
    let descendant = letter.document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => "Gelasio", "CIDToGIDMap" => "Identity",
        "CIDSystemInfo" => dictionary! {
            "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"), "Supplement" => 0,
        },
        "DW" => 600, "FontDescriptor" => descriptor,
    });
    letter.document.objects.insert(
        letter.font,
        dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "Gelasio", "Encoding" => "Identity-H",
            "DescendantFonts" => vec![descendant.into()],
        }
        .into(),
    );
    let content = format!("BT /G 20 Tf 40 200 Td <{codes}> Tj ET").into_bytes();
    let content = letter.document.add_object(Stream::new(Dictionary::new(), content));
    let page = letter.document.get_dictionary_mut(letter.page).unwrap();
    page.set("Contents", content);
    page.remove(b"Annots");
    let (report, result) = letter.compress(json!({}));
    looks_the_same(&report);
    assert_eq!(drawable(&files(&result)[0], "ZéHQ"), "Zé");
}

#[test]
fn a_font_that_is_stored_twice_is_kept_once_with_the_letters_of_both() {
    let mut letter = Letter::new();
    let second = simple_font(&mut letter.document);
    let form = letter.document.get_object_mut(letter.form).unwrap().as_stream_mut().unwrap();
    form.dict.set("Resources", dictionary! { "Font" => dictionary! { "G" => second } });
    let (report, result) = letter.compress(json!({}));
    looks_the_same(&report);
    let files = files(&result);
    assert_eq!(files.len(), 1);
    assert_eq!(drawable(&files[0], "HXQ"), "HX");
}

#[test]
fn content_with_a_wrong_checksum_is_kept() {
    let mut letter = Letter::new();
    let lines: String =
        (0..400).map(|line| format!("BT /G 8 Tf 10 {} Td (Hello {line}) Tj ET\n", 390 - line)).collect();
    let mut content = Stream::new(lopdf::Dictionary::new(), lines.into_bytes());
    content.compress().unwrap();
    *content.content.last_mut().unwrap() ^= 0xff;
    let content = letter.document.add_object(content);
    letter.document.get_dictionary_mut(letter.page).unwrap().set("Contents", content);
    let run = Run::new().with(&save(&mut letter.document));
    let (outcome, _) = run.results(Tool::CompressPdf, json!({}));
    looks_the_same(&outcome.report.unwrap());
}
