//! What no page shows goes when a PDF is compressed, and what pages show stays the same.

use std::path::{Path, PathBuf};

use docmill_formats::Format;
use docmill_pdf_request::Tool;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use serde_json::json;

use crate::{Run, run, source};

/// Pixels at the side of a picture.
const SIDE: i64 = 48;

/// A document with fonts, and numbers for its catalog and page tree.
struct Draft {
    document: Document,
    root: ObjectId,
    tree: ObjectId,
    font: ObjectId,
    noise: u64,
}

impl Draft {
    fn new() -> Self {
        let mut document = Document::with_version("1.7");
        let font = dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" };
        let (root, tree, font) = (document.new_object_id(), document.new_object_id(), document.add_object(font));
        document.trailer.set("Root", root);
        Self { document, root, tree, font, noise: 49 }
    }

    /// A picture that nothing compresses.
    fn picture(&mut self) -> ObjectId {
        let mut next = || {
            self.noise ^= self.noise << 13;
            self.noise ^= self.noise >> 7;
            self.noise ^= self.noise << 17;
            self.noise as u8
        };
        let pixels = (0..SIDE * SIDE * 3).map(|_| next()).collect();
        let head = dictionary! {
            "Type" => "XObject", "Subtype" => "Image", "Width" => SIDE, "Height" => SIDE, "BitsPerComponent" => 8,
            "ColorSpace" => "DeviceRGB",
        };
        self.document.add_object(Stream::new(head, pixels))
    }

    fn page(&mut self, content: &str, resources: Dictionary, more: Dictionary) -> ObjectId {
        let content = self.document.add_object(Stream::new(Dictionary::new(), content.as_bytes().to_vec()));
        let mut page = dictionary! {
            "Type" => "Page", "Parent" => self.tree, "Contents" => content, "Resources" => resources,
            "MediaBox" => [0, 0, 200, 200].map(Object::from).to_vec(),
        };
        page.extend(&more);
        self.document.add_object(page)
    }

    fn fonts(&self) -> Dictionary {
        dictionary! { "Font" => dictionary! { "F1" => self.font } }
    }

    fn save(mut self, kids: &[ObjectId], more: &Dictionary, name: &str, folder: &Path) -> PathBuf {
        let kids: Vec<Object> = kids.iter().copied().map(Object::Reference).collect();
        let count = kids.len() as i64;
        let tree = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
        self.document.objects.insert(self.tree, tree.into());
        let mut root = dictionary! { "Type" => "Catalog", "Pages" => self.tree };
        root.extend(more);
        self.document.objects.insert(self.root, root.into());
        let path = folder.join(name);
        self.document.save(&path).unwrap();
        path
    }
}

fn on(tool: Tool, path: &Path, options: serde_json::Value) -> Run {
    run(tool, vec![source(path, Format::Pdf)], options)
}

/// The result without loss, after it was compared with its source: text, and every pixel.
fn compressed(path: &Path, preset: &str) -> Document {
    let made = on(Tool::CompressPdf, path, json!({"preset": preset}));
    assert!(made.warnings().is_empty(), "{:?}", made.warnings());
    let result = made.path(&made.outcome().artifacts[0]);
    for (tool, options) in [(Tool::PdfToText, json!({})), (Tool::PdfToImages, json!({"dpi": 72}))] {
        let (old, new) = (on(tool, path, options.clone()).files(), on(tool, &result, options).files());
        assert!(old == new, "{tool:?} gives another result");
    }
    Document::load(&result).unwrap()
}

fn pictures(document: &Document) -> usize {
    let is_picture = |object: &&Object| {
        object.as_stream().is_ok_and(|stream| stream.dict.get(b"Subtype").is_ok_and(|kind| kind == &"Image".into()))
    };
    document.objects.values().filter(is_picture).count()
}

#[test]
fn pages_that_only_tags_and_links_refer_to_go_with_their_elements() {
    let folder = tempfile::tempdir().unwrap();
    let mut draft = Draft::new();
    let shown = draft.picture();
    let hidden = draft.picture();
    let mut with = |picture: ObjectId, text: &str| {
        let resources = dictionary! {
            "Font" => dictionary! { "F1" => draft.font }, "XObject" => dictionary! { "Im0" => picture },
        };
        let content =
            format!("/P <</MCID 0>> BDC BT /F1 12 Tf 20 20 Td ({text}) Tj ET EMC q 90 0 0 90 50 80 cm /Im0 Do Q");
        draft.page(&content, resources, dictionary! { "StructParents" => 0 })
    };
    let (kept, lost) = (with(shown, "Kept"), with(hidden, "Deleted"));
    let root = draft.document.new_object_id();
    let mut element = |page: ObjectId, title: &str, kids: Vec<Object>| {
        let element = dictionary! {
            "Type" => "StructElem", "S" => "P", "Pg" => page, "P" => root, "T" => Object::string_literal(title), "K" => kids,
        };
        draft.document.add_object(element)
    };
    let first = element(kept, "of the first page", vec![0.into()]);
    let second = element(lost, "of a deleted page", vec![0.into()]);
    let inside = dictionary! { "Type" => "MCR", "Pg" => lost, "MCID" => 0 };
    let mixed = element(kept, "of both", vec![0.into(), inside.into()]);
    let section = element(lost, "around a deleted page", vec![second.into()]);
    let parents = vec![0.into(), vec![first.into(), second.into()].into()];
    let kids: Vec<Object> = vec![first.into(), section.into(), mixed.into()];
    let structure = dictionary! {
        "Type" => "StructTreeRoot", "K" => kids, "ParentTree" => dictionary! { "Nums" => parents },
    };
    draft.document.objects.insert(root, structure.into());
    let link = dictionary! {
        "Type" => "Annot", "Subtype" => "Link", "Rect" => [0, 0, 9, 9].map(Object::from).to_vec(),
        "Dest" => Object::Array(vec![lost.into(), "Fit".into()]),
    };
    draft.document.get_dictionary_mut(kept).unwrap().set("Annots", Object::Array(vec![link.into()]));
    let path = draft.save(&[kept], &dictionary! { "StructTreeRoot" => root }, "deleted.pdf", folder.path());
    let before = std::fs::metadata(&path).unwrap().len();
    let made = compressed(&path, "lossless");
    assert_eq!(pictures(&made), 1);
    let titles: Vec<_> = made
        .objects
        .values()
        .filter_map(|object| object.as_dict().ok()?.get(b"T").ok()?.as_str().ok())
        .map(|title| String::from_utf8(title.to_vec()).unwrap())
        .collect();
    assert_eq!(titles, ["of the first page", "of both"]);
    let kids = |dictionary: &Dictionary| dictionary.get(b"K").unwrap().as_array().unwrap().len();
    let both = made.objects.values().filter_map(|object| object.as_dict().ok());
    assert!(both.filter(|element| element.has(b"T")).all(|element| kids(element) == 1));
    let result = folder.path().join("made.pdf");
    let mut made = made;
    made.save(&result).unwrap();
    assert!(std::fs::metadata(&result).unwrap().len() < before * 6 / 10);
}

#[test]
fn resources_that_no_content_names_go_and_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let mut draft = Draft::new();
    let names = ["Shown", "Unused", "ByForm", "ByLooseForm", "ByPattern", "ByGlyph", "ByAnnotation", "Elsewhere"];
    let all: Dictionary = names.iter().map(|name| (name.as_bytes().to_vec(), draft.picture().into())).collect();
    let draws = |name: &str| format!("q 40 0 0 40 0 0 cm /{name} Do Q").into_bytes();
    let only = |name: &str, more: &str| {
        let entries = all.iter().filter(|(key, _)| [name.as_bytes(), more.as_bytes()].contains(&key.as_slice()));
        dictionary! { "XObject" => entries.map(|(key, value)| (key.clone(), value.clone())).collect::<Dictionary>() }
    };
    let square = || [0, 0, 40, 40].map(Object::from).to_vec();
    let form = |content: Vec<u8>, resources: Option<Dictionary>| {
        let mut head = dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => square() };
        if let Some(resources) = resources {
            head.set("Resources", resources);
        }
        Stream::new(head, content)
    };
    let own = draft.document.add_object(form(draws("ByForm"), Some(only("ByForm", "Unused"))));
    let loose = draft.document.add_object(form(draws("ByLooseForm"), None));
    let look = draft.document.add_object(form(draws("ByAnnotation"), Some(only("ByAnnotation", ""))));
    let pattern = dictionary! {
        "PatternType" => 1, "PaintType" => 1, "TilingType" => 1, "BBox" => square(), "XStep" => 40, "YStep" => 40,
        "Resources" => only("ByPattern", "Unused"),
    };
    let pattern = draft.document.add_object(Stream::new(pattern, draws("ByPattern")));
    let glyph = [b"40 0 d0 ".to_vec(), draws("ByGlyph")].concat();
    let glyph = draft.document.add_object(Stream::new(Dictionary::new(), glyph));
    let drawn = dictionary! {
        "Type" => "Font", "Subtype" => "Type3", "FontBBox" => square(), "FirstChar" => 97, "LastChar" => 97,
        "FontMatrix" => [1, 0, 0, 1, 0, 0].map(Object::from).to_vec(), "Widths" => Object::Array(vec![40.into()]),
        "CharProcs" => dictionary! { "a" => glyph }, "Resources" => only("ByGlyph", "Unused"),
        "Encoding" => dictionary! { "Differences" => Object::Array(vec![97.into(), "a".into()]) },
    };
    let drawn = draft.document.add_object(drawn);
    let mut objects = all.clone();
    objects.set("Own", own);
    objects.set("Loose", loose);
    let objects = draft.document.add_object(objects);
    let resources = dictionary! {
        "XObject" => objects, "Pattern" => dictionary! { "P1" => pattern },
        "Font" => dictionary! { "F1" => draft.font, "T3" => drawn, "F2" => draft.font },
    };
    let annotation = dictionary! {
        "Type" => "Annot", "Subtype" => "Stamp", "Rect" => [150, 150, 190, 190].map(Object::from).to_vec(), "F" => 4,
        "AP" => dictionary! { "N" => look },
    };
    let annotation = draft.document.add_object(annotation);
    let content = "q 1 0 0 1 0 0 cm 40 0 0 40 0 0 cm /Sho#77n Do Q q 1 0 0 1 50 0 cm /Own Do Q q 1 0 0 1 100 0 cm /Loose Do Q \
        /Pattern cs /P1 scn 0 50 80 80 re f BT /T3 1 Tf 100 60 Td (a) Tj ET BT /F1 12 Tf 20 150 Td (Text) Tj ET";
    let more = dictionary! { "Annots" => Object::Array(vec![annotation.into()]) };
    let first = draft.page(content, resources.clone(), more);
    let second = draft.page("q 90 0 0 90 0 0 cm /Elsewhere Do Q", resources, Dictionary::new());
    let path = draft.save(&[first, second], &Dictionary::new(), "unused.pdf", folder.path());
    assert_eq!(pictures(&compressed(&path, "lossless")), names.len() - 1);
}

#[test]
fn a_page_that_the_tree_names_twice_and_pages_in_any_order_stay() {
    let folder = tempfile::tempdir().unwrap();
    let mut draft = Draft::new();
    let mut page = |text: &str| {
        let fonts = draft.fonts();
        draft.page(&format!("BT /F1 12 Tf 20 20 Td ({text}) Tj ET"), fonts, Dictionary::new())
    };
    let (a, b, c, d) = (page("Anna"), page("Berta"), page("Carla"), page("Dora"));
    let path = draft.save(&[d, b, d, a, c], &Dictionary::new(), "twice.pdf", folder.path());
    for (tool, options) in [
        (Tool::CompressPdf, json!({})),
        (Tool::WatermarkPdf, json!({"text": "Draft"})),
        (Tool::EditMetadata, json!({"set": {"title": "A"}})),
        (Tool::PdfToPdfa, json!({"onUnsupported": "warn"})),
    ] {
        let made = on(tool, &path, options);
        let result = made.path(&made.outcome().artifacts[0]);
        let text = String::from_utf8(on(Tool::PdfToText, &result, json!({})).files().remove(0)).unwrap();
        let found: Vec<_> = text.split_whitespace().filter(|word| *word != "Draft").collect();
        assert_eq!(found, ["Dora", "Berta", "Dora", "Anna", "Carla"], "{tool:?}");
    }
}

#[test]
fn a_font_of_a_form_keeps_every_letter_that_a_field_can_have() {
    let folder = tempfile::tempdir().unwrap();
    let mut draft = Draft::new();
    let gelasio = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../infra/worker/fonts/Gelasio-Regular.ttf");
    let whole = std::fs::read(gelasio).unwrap();
    let file = draft.document.add_object(Stream::new(dictionary! { "Length1" => whole.len() as i64 }, whole.clone()));
    let descriptor = dictionary! {
        "Type" => "FontDescriptor", "FontName" => "Gelasio-Regular", "FontFile2" => file, "Flags" => 32, "ItalicAngle" => 0,
        "FontBBox" => [-200, -300, 1200, 1000].map(Object::from).to_vec(), "Ascent" => 900, "Descent" => -250,
        "CapHeight" => 700, "StemV" => 80,
    };
    let descriptor = draft.document.add_object(descriptor);
    let font = dictionary! {
        "Type" => "Font", "Subtype" => "TrueType", "BaseFont" => "Gelasio-Regular", "Encoding" => "WinAnsiEncoding",
        "FirstChar" => 32, "LastChar" => 255, "Widths" => Object::Array(vec![500.into(); 224]), "FontDescriptor" => descriptor,
    };
    let font = draft.document.add_object(font);
    let fonts = draft.fonts();
    let page = draft.page("BT /F1 12 Tf 20 20 Td (Name) Tj ET", fonts, Dictionary::new());
    let field = dictionary! {
        "Type" => "Annot", "Subtype" => "Widget", "FT" => "Tx", "T" => Object::string_literal("name"), "P" => page,
        "Rect" => [20, 50, 180, 70].map(Object::from).to_vec(), "DA" => Object::string_literal("/Gel 12 Tf 0 g"), "F" => 4,
    };
    let field = draft.document.add_object(field);
    draft.document.get_dictionary_mut(page).unwrap().set("Annots", Object::Array(vec![field.into()]));
    let form = dictionary! {
        "Fields" => Object::Array(vec![field.into()]), "DA" => Object::string_literal("/Gel 12 Tf 0 g"),
        "DR" => dictionary! { "Font" => dictionary! { "Gel" => font } },
    };
    let path = draft.save(&[page], &dictionary! { "AcroForm" => form }, "form.pdf", folder.path());
    let made = compressed(&path, "balanced");
    let descriptor =
        made.objects.values().filter_map(|object| object.as_dict().ok()).find(|d| d.has(b"FontFile2")).unwrap();
    // It is no subset to whoever fills the form in.
    assert_eq!(descriptor.get(b"FontName").unwrap(), &Object::from("Gelasio-Regular"));
    let file =
        made.get_object(descriptor.get(b"FontFile2").unwrap().as_reference().unwrap()).unwrap().as_stream().unwrap();
    let cut = file.decompressed_content().unwrap();
    let (old, new) = (ttf_parser::Face::parse(&whole, 0).unwrap(), ttf_parser::Face::parse(&cut, 0).unwrap());
    let outline = |face: &ttf_parser::Face<'_>, letter: char| {
        let glyph = face.glyph_index(letter)?;
        face.glyph_bounding_box(glyph)
    };
    for letter in (' '..='~').chain('\u{a0}'..='ÿ').chain("€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ".chars())
    {
        assert_eq!(outline(&new, letter), outline(&old, letter), "{letter}");
    }
    assert!(outline(&old, 'Ж').or(outline(&old, 'Ő')).is_some());
    assert_eq!(outline(&new, 'Ő'), None);
    assert!(cut.len() < whole.len() * 2 / 3, "{} of {}", cut.len(), whole.len());
}
