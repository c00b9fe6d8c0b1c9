//! Documents with text that is hard to analyse, on pages with other text: fonts with custom codes, fonts with false maps,
//! outlines, and shared or earlier content.

use std::fmt::Write as _;

use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::catalogue::Case;
use super::sources::{Made, PLACED, PUBLIC, SECRET, jpeg, made, picture, rect, text};

/// As long as the word, and the false text of some fonts.
const OTHER: &str = "Vegetables!!";
const FONT: &[u8] = include_bytes!("../../../../../../infra/worker/fonts/Gelasio-Regular.ttf");

fn face() -> Face<'static> {
    Face::parse(FONT, 0).unwrap()
}

fn glyph(letter: char) -> GlyphId {
    face().glyph_index(letter).unwrap()
}

/// A page with enough text to be read in two steps, and this content.
fn page(content: &str) -> Made {
    let line = "The crops of this year were brought in before the rain, and all barns are full.";
    made(&format!("BT /F 8 Tf 20 40 Td ({line}) Tj 0 -11 Td ({line}) Tj ET {content}"))
}

/// The word in a font with two bytes for a glyph. `says`: what its map says of the glyphs.
fn composite(says: Option<&str>) -> Vec<u8> {
    let codes: String = SECRET.chars().map(|letter| format!("{:04X}", glyph(letter).0)).collect();
    let mut made = page(&format!("BT /T 18 Tf 20 100 Td <{codes}> Tj ET"));
    let file = made.stream(dictionary! { "Length1" => FONT.len() as i64 }, FONT);
    let descriptor = made.document.add_object(dictionary! {
        "Type" => "FontDescriptor", "FontName" => "Gelasio", "Flags" => 4, "FontBBox" => rect([-500, -300, 1500, 1000]),
        "ItalicAngle" => 0, "Ascent" => 900, "Descent" => -250, "CapHeight" => 700, "StemV" => 80, "FontFile2" => file,
    });
    let face = face();
    let scale = |units: u16| i64::from(units) * 1000 / i64::from(face.units_per_em());
    let widths: Vec<Object> = SECRET
        .chars()
        .flat_map(|letter| {
            let width = scale(face.glyph_hor_advance(glyph(letter)).unwrap());
            [i64::from(glyph(letter).0).into(), vec![Object::from(width)].into()]
        })
        .collect();
    let descendant = made.document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => "Gelasio", "FontDescriptor" => descriptor, "W" => widths,
        "CIDSystemInfo" => dictionary! { "Registry" => text("Adobe"), "Ordering" => text("Identity"), "Supplement" => 0 },
        "CIDToGIDMap" => "Identity",
    });
    let mut font = dictionary! {
        "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "Gelasio", "Encoding" => "Identity-H",
        "DescendantFonts" => vec![descendant.into()],
    };
    if let Some(says) = says {
        let map = made.stream(Dictionary::new(), map(says));
        font.set("ToUnicode", map);
    }
    let font = made.document.add_object(font);
    made.resource("Font", "T", font).bytes()
}

fn map(says: &str) -> String {
    let mut map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n\
                   1 begincodespacerange <0000> <FFFF> endcodespacerange\n12 beginbfchar\n"
        .to_owned();
    for (shown, said) in SECRET.chars().zip(says.chars()) {
        writeln!(map, "<{:04X}> <{:04X}>", glyph(shown).0, u32::from(said)).unwrap();
    }
    map + "endbfchar endcmap end end"
}

/// Draws the outlines of glyphs with the operators of a page.
struct Outlines {
    content: String,
    x: f32,
    at: (f32, f32),
}

impl OutlineBuilder for Outlines {
    fn move_to(&mut self, x: f32, y: f32) {
        self.at = (x, y);
        write!(self.content, "{} {y} m ", x + self.x).unwrap();
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.at = (x, y);
        write!(self.content, "{} {y} l ", x + self.x).unwrap();
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let third = |from: f32, to: f32| from + (to - from) * 2.0 / 3.0;
        let (from, to) = (self.at, (x, y));
        let first = (third(from.0, x1), third(from.1, y1));
        let second = (third(to.0, x1), third(to.1, y1));
        self.curve_to(first.0, first.1, second.0, second.1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let left = self.x;
        self.at = (x, y);
        write!(self.content, "{} {y1} {} {y2} {} {y} c ", x1 + left, x2 + left, x + left).unwrap();
    }

    fn close(&mut self) {
        self.content.push_str("h ");
    }
}

fn outlines() -> String {
    let face = face();
    let mut outlines = Outlines { content: String::new(), x: 0.0, at: (0.0, 0.0) };
    for letter in SECRET.chars() {
        face.outline_glyph(glyph(letter), &mut outlines);
        outlines.x += f32::from(face.glyph_hor_advance(glyph(letter)).unwrap());
    }
    let scale = 20.0 / f32::from(face.units_per_em());
    format!("q {scale} 0 0 {scale} 20 100 cm {} f Q", outlines.content)
}

fn shown() -> String {
    format!("BT /F 18 Tf 20 100 Td ({SECRET} of old) Tj ET")
}

/// A picture of the word in the content, in short names and with filters.
fn inline_picture() -> Vec<u8> {
    let picture = picture();
    let hex: String = jpeg(&picture).iter().map(|byte| format!("{byte:02x}")).collect();
    let (width, height) = (picture.width(), picture.height());
    page(&format!("q {PLACED} cm BI /W {width} /H {height} /CS /RGB /BPC 8 /F [/AHx /DCT] ID {hex}>\nEI Q")).bytes()
}

/// A form that two pages draw.
fn on_two_pages() -> Vec<u8> {
    let mut made = page("/X Do");
    let form = made.form(&shown(), Dictionary::new());
    let made = made.resource("XObject", "X", form);
    let Made { mut document, page, catalog } = made;
    let second = document.get_dictionary(page).unwrap().clone();
    let root = second.get(b"Parent").unwrap().as_reference().unwrap();
    let second = document.add_object(second);
    let pages = document.get_dictionary_mut(root).unwrap();
    pages.set("Kids", vec![Object::from(page), second.into()]);
    pages.set("Count", 2);
    Made { document, page, catalog }.bytes()
}

/// A form that belongs to a layer that is not shown.
fn hidden_form() -> Vec<u8> {
    let mut made = page("/X Do");
    let layer = made.document.add_object(dictionary! { "Type" => "OCG", "Name" => text("Layer") });
    let form = made.form(&shown(), dictionary! { "OC" => layer });
    let settings = dictionary! { "OFF" => vec![layer.into()] };
    made.resource("XObject", "X", form)
        .catalog("OCProperties", dictionary! { "OCGs" => vec![layer.into()], "D" => settings })
        .bytes()
}

/// The content of a page, as later revisions have it one after the other.
fn revisions(contents: &[String]) -> Vec<u8> {
    let mut bytes = page(&shown()).bytes();
    for content in contents {
        let mut later = lopdf::IncrementalDocument::load_from(&bytes[..]).unwrap();
        let page: ObjectId = later.get_prev_documents().page_iter().next().unwrap();
        later.opt_clone_object_to_new_document(page).unwrap();
        let content = lopdf::Stream::new(Dictionary::new(), content.clone().into_bytes());
        let content = later.new_document.add_object(content);
        later.new_document.get_dictionary_mut(page).unwrap().set("Contents", content);
        bytes.clear();
        later.save_to(&mut bytes).unwrap();
    }
    assert_eq!(Document::load_mem(&bytes).unwrap().get_pages().len(), 1);
    bytes
}

fn stamp(entries: Dictionary) -> Vec<u8> {
    let mut made = page("");
    let form =
        made.form(&format!("BT /F 18 Tf 5 5 Td ({SECRET}) Tj ET"), dictionary! { "BBox" => rect([0, 0, 200, 30]) });
    let mut stamp = dictionary! {
        "Subtype" => "Stamp", "Rect" => rect([20, 90, 220, 120]), "AP" => dictionary! { "N" => form },
    };
    stamp.extend(&entries);
    made.annotation(stamp).bytes()
}

pub(super) const HARD: &[Case] = &[
    ("two bytes for a glyph, with a map", || composite(Some(SECRET))),
    ("two bytes for a glyph, without a map", || composite(None)),
    ("two bytes for a glyph, with a map that says another word", || composite(Some(OTHER))),
    ("outlines", || page(&outlines()).bytes()),
    ("outlines beside text", || page(&format!("{} BT /F 20 Tf 150 100 Td (of old) Tj ET", outlines())).bytes()),
    ("outlines with other text under them", || {
        page(&format!("BT /F 20 Tf 3 Tr 20 100 Td ({OTHER}) Tj ET {}", outlines())).bytes()
    }),
    ("a picture in the content, with filters", inline_picture),
    ("a picture with other text under it", || {
        let mut made = page(&format!("BT /F 30 Tf 3 Tr 40 75 Td ({OTHER}) Tj ET q {PLACED} cm /P Do Q"));
        let mut dict = super::sources::picture_dict(&picture(), "DeviceRGB", 8);
        dict.set("Filter", "DCTDecode");
        let id = made.stream(dict, jpeg(&picture()));
        made.resource("XObject", "P", id).bytes()
    }),
    ("hyphenated, in two texts", || {
        page("BT /F 18 Tf 150 120 Td (of Griffin-) Tj ET BT /F 18 Tf 20 100 Td (shire and more) Tj ET").bytes()
    }),
    ("hyphenated, in a text and a form", || {
        let mut made = page("BT /F 18 Tf 150 120 Td (of Griffin-) Tj ET /X Do");
        let form = made.form("BT /F 18 Tf 20 100 Td (shire and more) Tj ET", Dictionary::new());
        made.resource("XObject", "X", form).bytes()
    }),
    ("in two texts side by side", || {
        page("BT /F 18 Tf 20 100 Td (Griffin) Tj ET BT /F 18 Tf 78 100 Td (shire) Tj ET").bytes()
    }),
    ("a form on two pages", on_two_pages),
    ("a stamp without words", || stamp(Dictionary::new())),
    ("a stamp that is only printed", || stamp(dictionary! { "F" => 4 | 32, "Name" => SECRET })),
    ("a form of a hidden layer", hidden_form),
    ("two earlier revisions", || {
        let blank = format!("BT /F 18 Tf 20 160 Td ({PUBLIC}) Tj ET");
        revisions(&[format!("{blank} {}", shown()), blank])
    }),
    ("a later revision that brings the word back", || {
        let blank = format!("BT /F 18 Tf 20 160 Td ({PUBLIC}) Tj ET");
        revisions(&[blank.clone(), format!("{blank} {}", shown())])
    }),
];
