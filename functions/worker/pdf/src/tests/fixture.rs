//! Documents made in code, with everything that a tool might lose.

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

/// A document of `pages` pages that say `NAME 1`, `NAME 2` … It has, for each page, a bookmark, a named destination `pageN`
/// of the new kind and `oldN` of the old, a link to the next page by name and one back to the first; a text field `name` on
/// page 1, a group of radio buttons over all pages; labels `i`, `ii`, then `A-1` …; tags; an attachment; two layers.
pub(super) fn rich(name: &str, pages: usize) -> Vec<u8> {
    save(&mut rich_document(name, pages))
}

pub(super) fn save(document: &mut Document) -> Vec<u8> {
    let mut content = Vec::new();
    document.save_to(&mut content).unwrap();
    content
}

/// Pages that say `NAME 1`, `NAME 2` …, and nothing else.
pub(super) fn plain(name: &str, pages: usize) -> Vec<u8> {
    save(&mut plain_document(name, pages, (300.0, 400.0)))
}

pub(super) fn plain_document(name: &str, pages: usize, size: (f32, f32)) -> Document {
    let mut document = Document::with_version("1.7");
    let root = document.new_object_id();
    let font = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
    let kids: Vec<Object> = (1..=pages)
        .map(|number| {
            let text = format!("/P <</MCID 0>> BDC BT /F 20 Tf 40 200 Td ({name} {number}) Tj ET EMC");
            let content = document.add_object(Stream::new(Dictionary::new(), text.into_bytes()));
            document.add_object(dictionary! { "Type" => "Page", "Parent" => root, "Contents" => content }).into()
        })
        .collect();
    // Inherited by the pages.
    document.objects.insert(
        root,
        dictionary! {
            "Type" => "Pages", "Count" => pages as i64, "Kids" => kids,
            "MediaBox" => vec![0.into(), 0.into(), size.0.into(), size.1.into()],
            "Resources" => dictionary! { "Font" => dictionary! { "F" => font } },
        }
        .into(),
    );
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => root });
    document.trailer.set("Root", catalog);
    document
}

/// A page with pictures within its content, one in each of the formats that need a filter, and with this `more`. It has a hidden
/// layer, `hidden`.
pub(super) fn inline_pictures(more: &str) -> Vec<u8> {
    let mut document = plain_document("one", 1, (300.0, 400.0));
    let scan =
        Document::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/pdf/redact/ccitt.pdf")).unwrap();
    let scan = scan.objects.values().find_map(|object| object.as_stream().ok().filter(|scan| scan.dict.has(b"Width")));
    let stripes: Vec<u8> = (0..64u32 * 64 * 3).map(|sample| if sample % 96 < 48 { 20 } else { 230 }).collect();
    let mut jpeg = Vec::new();
    image::codecs::jpeg::JpegEncoder::new(&mut jpeg).encode(&stripes, 64, 64, image::ExtendedColorType::Rgb8).unwrap();
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut packed, &stripes).unwrap();
    let colors = "/W 64 /H 64 /BPC 8 /CS /RGB";
    let pictures: [(String, Vec<u8>); 4] = [
        (
            "/W 500 /H 100 /BPC 1 /CS /G /F /CCF /DP << /K -1 /Columns 500 /Rows 100 >>".to_owned(),
            scan.unwrap().content.clone(),
        ),
        (format!("{colors} /F /DCT"), jpeg),
        (format!("{colors} /F [/Fl]"), packed.finish().unwrap()),
        ("/W 64 /H 192 /BPC 8 /CS /Named".to_owned(), stripes),
    ];
    let mut content = format!("{more}\n").into_bytes();
    for (number, (head, data)) in pictures.into_iter().enumerate() {
        content.extend(format!("q 200 0 0 80 50 {} cm\nBI {head} ID ", 10 + 90 * number).into_bytes());
        content.extend(data);
        content.extend(b"\nEI Q\n");
    }
    let content = document.add_object(Stream::new(Dictionary::new(), content));
    let hidden = document.add_object(dictionary! { "Type" => "OCG", "Name" => string("hidden") });
    let page = document.get_pages()[&1];
    document.get_dictionary_mut(page).unwrap().set("Contents", content);
    let font = dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" };
    let resources = dictionary! {
        "Font" => dictionary! { "F" => font }, "Properties" => dictionary! { "hidden" => hidden },
        "ColorSpace" => dictionary! { "Named" => "DeviceGray" },
    };
    document.get_dictionary_mut(page).unwrap().set("Resources", resources);
    let settings = dictionary! { "OFF" => vec![hidden.into()] };
    let layers = dictionary! { "OCGs" => vec![hidden.into()], "D" => settings };
    document.catalog_mut().unwrap().set("OCProperties", layers);
    save(&mut document)
}

fn string(text: &str) -> Object {
    Object::string_literal(text)
}

pub(super) fn rich_document(name: &str, pages: usize) -> Document {
    let mut document = plain_document(name, pages, (300.0, 400.0));
    let ids: Vec<ObjectId> = document.get_pages().into_values().collect();
    let catalog = document.trailer.get(b"Root").unwrap().as_reference().unwrap();
    let mut entries = dictionary! { "Lang" => string("en"), "MarkInfo" => dictionary! { "Marked" => true } };
    entries.set("Names", names(&mut document, name, &ids));
    let old: Dictionary = ids
        .iter()
        .enumerate()
        .map(|(index, id)| (format!("old{}", index + 1).into_bytes(), Object::from(vec![(*id).into(), "Fit".into()])))
        .collect();
    entries.set("Dests", old);
    entries.set("Outlines", outline(&mut document, name, &ids));
    entries.set("AcroForm", form(&mut document, &ids));
    entries.set(
        "PageLabels",
        dictionary! { "Nums" => vec![
            0.into(), dictionary! { "S" => "r" }.into(),
            2.into(), dictionary! { "S" => "D", "P" => string("A-") }.into(),
        ] },
    );
    links(&mut document, &ids);
    let tags = tags(&mut document, &ids);
    entries.set("StructTreeRoot", tags);
    entries.set("OCProperties", layers(&mut document, name, &ids));
    let info = document.add_object(dictionary! { "Title" => string(&format!("Title of {name}")) });
    document.trailer.set("Info", info);
    document.get_dictionary_mut(catalog).unwrap().extend(&entries);
    document
}

fn names(document: &mut Document, name: &str, pages: &[ObjectId]) -> Dictionary {
    let mut dests = Vec::new();
    for (index, page) in pages.iter().enumerate() {
        dests.push(string(&format!("page{:03}", index + 1)));
        let target: Object = vec![(*page).into(), "XYZ".into(), 0.into(), 400.into(), Object::Null].into();
        dests.push(dictionary! { "D" => target }.into());
    }
    let leaf = document.add_object(dictionary! { "Names" => dests });
    let content = format!("attachment of {name}").into_bytes();
    let file = document.add_object(Stream::new(dictionary! { "Type" => "EmbeddedFile" }, content));
    let file = dictionary! { "Type" => "Filespec", "F" => string("note.txt"), "EF" => dictionary! { "F" => file } };
    dictionary! {
        "Dests" => dictionary! { "Kids" => vec![leaf.into()] },
        "EmbeddedFiles" => dictionary! { "Names" => vec![string("note.txt"), file.into()] },
        "JavaScript" => dictionary! { "Names" => vec![
            string("start"), dictionary! { "S" => "JavaScript", "JS" => string("app.alert(1)") }.into(),
        ] },
    }
}

/// A closed item `Chapters` with an item for each page below it, and an open one after it.
fn outline(document: &mut Document, name: &str, pages: &[ObjectId]) -> ObjectId {
    let (root, parent, last) = (document.new_object_id(), document.new_object_id(), document.new_object_id());
    let items: Vec<ObjectId> = pages.iter().map(|_| document.new_object_id()).collect();
    for (index, (item, page)) in items.iter().zip(pages).enumerate() {
        let mut entry = dictionary! { "Title" => string(&format!("{name} chapter {}", index + 1)), "Parent" => parent };
        if index % 2 == 0 {
            entry.set("Dest", vec![(*page).into(), "Fit".into()]);
        } else {
            entry.set("A", dictionary! { "S" => "GoTo", "D" => string(&format!("page{:03}", index + 1)) });
        }
        if index > 0 {
            entry.set("Prev", items[index - 1]);
        }
        if let Some(next) = items.get(index + 1) {
            entry.set("Next", *next);
        }
        document.objects.insert(*item, entry.into());
    }
    document.objects.insert(
        parent,
        dictionary! {
            "Title" => string("Chapters"), "Parent" => root, "Next" => last, "Count" => -(pages.len() as i64),
            "First" => items[0], "Last" => items[items.len() - 1], "Dest" => vec![pages[0].into(), "Fit".into()],
        }
        .into(),
    );
    let end = pages[pages.len() - 1];
    document.objects.insert(
        last,
        dictionary! { "Title" => string("End"), "Parent" => root, "Prev" => parent, "Dest" => vec![end.into(), "Fit".into()] }
            .into(),
    );
    document.objects.insert(root, dictionary! { "First" => parent, "Last" => last, "Count" => 2 }.into());
    root
}

fn add_annotation(document: &mut Document, page: ObjectId, annotation: ObjectId) {
    let page = document.get_dictionary_mut(page).unwrap();
    if !page.has(b"Annots") {
        page.set("Annots", Vec::<Object>::new());
    }
    page.get_mut(b"Annots").unwrap().as_array_mut().unwrap().push(annotation.into());
}

fn form(document: &mut Document, pages: &[ObjectId]) -> ObjectId {
    let appearance = document.add_object(Stream::new(
        dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 100.into(), 20.into()] },
        b"0 0 1 rg 0 0 100 20 re f".to_vec(),
    ));
    let text = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Widget", "FT" => "Tx", "T" => string("name"), "V" => string("value"),
        "Rect" => vec![10.into(), 10.into(), 110.into(), 30.into()], "P" => pages[0], "DA" => string("/Helv 10 Tf"),
        "AP" => dictionary! { "N" => appearance }, "F" => 4,
    });
    add_annotation(document, pages[0], text);
    let group = document.new_object_id();
    let mut kids: Vec<Object> = Vec::new();
    for page in pages {
        let radio = document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "Widget", "Parent" => group, "P" => *page, "AS" => "Off",
            "Rect" => vec![10.into(), 40.into(), 20.into(), 50.into()],
        });
        add_annotation(document, *page, radio);
        kids.push(radio.into());
    }
    let field = dictionary! { "FT" => "Btn", "Ff" => 1 << 15, "T" => string("choice"), "Kids" => kids };
    document.objects.insert(group, field.into());
    let font = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
    document.add_object(dictionary! {
        "Fields" => vec![text.into(), group.into()], "DA" => string("/Helv 0 Tf 0 g"),
        "DR" => dictionary! { "Font" => dictionary! { "Helv" => font } },
    })
}

fn links(document: &mut Document, pages: &[ObjectId]) {
    let rectangle = || -> Object { vec![10.into(), 300.into(), 60.into(), 320.into()].into() };
    for (index, page) in pages.iter().enumerate() {
        let name = format!("page{:03}", (index + 1) % pages.len() + 1);
        let next = document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "Link", "Rect" => rectangle(),
            "A" => dictionary! { "S" => "GoTo", "D" => string(&name) },
        });
        let back = document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "Link", "Rect" => rectangle(), "Dest" => "old1",
        });
        add_annotation(document, *page, next);
        add_annotation(document, *page, back);
    }
}

/// A `Document` with a `Para` for each page, which stands for `P`.
fn tags(document: &mut Document, pages: &[ObjectId]) -> ObjectId {
    let (root, top) = (document.new_object_id(), document.new_object_id());
    let (mut kids, mut numbers) = (Vec::<Object>::new(), Vec::<Object>::new());
    for (index, page) in pages.iter().enumerate() {
        let element = document.add_object(dictionary! {
            "Type" => "StructElem", "S" => "Para", "P" => top, "Pg" => *page, "K" => vec![0.into()],
            "ID" => string(&format!("node{}", index + 1)),
        });
        document.get_dictionary_mut(*page).unwrap().set("StructParents", index as i64);
        kids.push(element.into());
        numbers.extend([(index as i64).into(), vec![element.into()].into()]);
    }
    let ids: Vec<Object> = kids
        .iter()
        .enumerate()
        .flat_map(|(index, element)| [string(&format!("node{}", index + 1)), element.clone()])
        .collect();
    document
        .objects
        .insert(top, dictionary! { "Type" => "StructElem", "S" => "Document", "P" => root, "K" => kids }.into());
    document.objects.insert(
        root,
        dictionary! {
            "Type" => "StructTreeRoot", "K" => vec![top.into()], "ParentTree" => dictionary! { "Nums" => numbers },
            "RoleMap" => dictionary! { "Para" => "P" }, "IDTree" => dictionary! { "Names" => ids },
        }
        .into(),
    );
    root
}

/// A layer `NAME shown` on the first page, and `NAME hidden`, which is off, on the last.
fn layers(document: &mut Document, name: &str, pages: &[ObjectId]) -> Dictionary {
    let mut groups = Vec::new();
    for (kind, page) in [("shown", pages[0]), ("hidden", pages[pages.len() - 1])] {
        let group = document.add_object(dictionary! { "Type" => "OCG", "Name" => string(&format!("{name} {kind}")) });
        let content = format!("/OC /L{kind} BDC BT /F 9 Tf 40 100 Td (layer {kind}) Tj ET EMC");
        let content = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
        let inherited = document.get_dictionary(page).unwrap().get(b"Parent").unwrap().as_reference().unwrap();
        let inherited =
            document.get_dictionary(inherited).unwrap().get(b"Resources").unwrap().as_dict().unwrap().clone();
        let page = document.get_dictionary_mut(page).unwrap();
        let mut resources = page.get(b"Resources").and_then(Object::as_dict).cloned().unwrap_or(inherited);
        let mut properties = resources.get(b"Properties").and_then(Object::as_dict).cloned().unwrap_or_default();
        properties.set(format!("L{kind}"), group);
        resources.set("Properties", properties);
        page.set("Resources", resources);
        let mut contents = match page.get(b"Contents").unwrap() {
            Object::Array(contents) => contents.clone(),
            one => vec![one.clone()],
        };
        contents.push(content.into());
        page.set("Contents", contents);
        groups.push(Object::from(group));
    }
    dictionary! {
        "OCGs" => groups.clone(),
        "D" => dictionary! { "Order" => groups.clone(), "OFF" => vec![groups[1].clone()] },
    }
}
