//! Pictures of a printed document after the check, which brings them within limits.

use super::*;
use fixture::save;
use lopdf::{ObjectId, Stream, dictionary};
use pictures::{SIDE, deflated, drawing, jpeg, noise, page_with};

/// The document after the check, or `None` if it stays as it is.
fn fitted(document: &mut Document, dpi: u16, quality: u8) -> Option<Document> {
    let run = Run::new().with(&save(document));
    let options = json!({ "pictures": { "dpi": dpi, "quality": quality } });
    let outcome = run.run(Tool::Verify, options).unwrap();
    assert_eq!(outcome.artifacts[0].pages, Some(1));
    let file = run.path("fitted-0.pdf");
    if outcome.report.unwrap()["fitted"] == json!([]) {
        assert!(!file.exists());
        return None;
    }
    assert_eq!(outcome.artifacts[0].file, "fitted-0.pdf");
    assert!(std::fs::read(&file).unwrap().starts_with(b"%PDF-1.7"));
    check(&file);
    Some(Document::load(&file).unwrap())
}

/// The picture that the page shows.
fn shown(document: &Document) -> &Stream {
    let page = document.get_dictionary(document.get_pages()[&1]).unwrap();
    let resources = document.child(page, b"Resources").unwrap();
    let objects = document.child(resources, b"XObject").unwrap();
    document.value(objects, b"X").unwrap().as_stream().unwrap()
}

fn described(picture: &Stream) -> (String, i64, i64) {
    let number = |key: &[u8]| picture.dict.get(key).unwrap().as_i64().unwrap();
    (String::from_utf8_lossy(picture.filters().unwrap()[0]).into_owned(), number(b"Width"), number(b"Height"))
}

fn half(filter: &str) -> (String, i64, i64) {
    let side = i64::from(SIDE / 2);
    (filter.to_owned(), side, side)
}

/// Grey that becomes lighter from left to right, with some noise, as in a photograph.
fn gradient() -> Vec<u8> {
    (0..SIDE * SIDE).zip(noise(1)).map(|(at, noise)| (at % SIDE) as u8 + noise % NOISE).collect()
}

const NOISE: u8 = 8;

/// Whether a row of a gradient of half the size becomes lighter from left to right.
fn is_gradient(row: &[u8]) -> bool {
    row.iter().enumerate().all(|(x, sample)| usize::from(*sample).abs_diff(x * 2 + usize::from(NOISE / 2)) <= 8)
}

#[test]
fn pictures_above_the_resolution_are_scaled_down() {
    let document = fitted(&mut page_with(jpeg(90), 600.0), 300, 90).unwrap();
    assert_eq!(described(shown(&document)), half("DCTDecode"));
    let document = fitted(&mut page_with(deflated("DeviceGray", gradient()), 310.0), 300, 90);
    assert_eq!(document.map(|document| described(shown(&document)).1), Some(232));
}

#[test]
fn the_scaled_picture_looks_like_the_picture() {
    let document = fitted(&mut page_with(deflated("DeviceGray", gradient()), 600.0), 300, 90).unwrap();
    let picture = shown(&document);
    assert_eq!(described(picture), half("DCTDecode"));
    let pixels = image::load_from_memory(&picture.content).unwrap().to_luma8();
    for row in pixels.chunks_exact((SIDE / 2) as usize) {
        assert!(is_gradient(row), "{row:?}");
    }
}

#[test]
fn pictures_within_the_limits_keep_their_data_and_so_does_the_file() {
    for picture in [jpeg(40), jpeg(90), deflated("DeviceRGB", drawing(3)), deflated("DeviceGray", drawing(1))] {
        // A placement that is rounded is no reason to scale.
        for dpi in [75.0, 300.0, 302.0] {
            assert!(fitted(&mut page_with(picture.clone(), dpi), 300, 90).is_none(), "{dpi}");
        }
    }
    assert!(fitted(&mut fixture::plain_document("one", 1, (300.0, 400.0)), 300, 90).is_none());
}

#[test]
fn much_finer_jpegs_and_exact_photographs_are_encoded_again() {
    for picture in [jpeg(98), deflated("DeviceRGB", noise(3))] {
        let before = picture.content.len();
        let document = fitted(&mut page_with(picture, 150.0), 300, 60).unwrap();
        let after = shown(&document);
        assert_eq!(described(after), ("DCTDecode".to_owned(), i64::from(SIDE), i64::from(SIDE)));
        assert!(after.content.len() * 2 < before);
    }
}

#[test]
fn transparency_is_kept() {
    let mut document = page_with(deflated("DeviceRGB", drawing(3)), 600.0);
    let mask = document.add_object(deflated("DeviceGray", gradient()));
    let id = document.objects.iter().find(|(_, object)| is_rgb(object)).map(|(id, _)| *id).unwrap();
    document.get_object_mut(id).unwrap().as_stream_mut().unwrap().dict.set("SMask", mask);
    let document = fitted(&mut document, 300, 90).unwrap();
    let picture = shown(&document);
    assert_eq!(described(picture), half("DCTDecode"));
    let mask = document.value(&picture.dict, b"SMask").unwrap().as_stream().unwrap();
    assert_eq!(described(mask), half("FlateDecode"));
    let samples = mask.decompressed_content().unwrap();
    let rows = samples.chunks_exact((SIDE / 2) as usize);
    assert!(rows.len() == (SIDE / 2) as usize && rows.into_iter().all(is_gradient), "a mask is never a JPEG");
}

fn is_rgb(object: &Object) -> bool {
    let space = object.as_stream().and_then(|stream| stream.dict.get(b"ColorSpace"));
    space.is_ok_and(|space| space.as_name().is_ok_and(|name| name == b"DeviceRGB"))
}

/// Photographs often say where they were taken.
#[test]
fn metadata_of_photographs_is_removed() {
    let plain = jpeg(80);
    let mut told = plain.clone();
    let exif = [b"\xff\xd8\xff\xe1\0\x11Exif\0\0here I am".as_slice(), &plain.content[2..]].concat();
    told.set_content(exif);
    let document = fitted(&mut page_with(told, 150.0), 300, 90).unwrap();
    assert_eq!(shown(&document).content, plain.content);
    assert!(fitted(&mut page_with(plain, 150.0), 300, 90).is_none());
}

#[test]
fn everything_else_of_the_document_is_kept() {
    let mut document = page_with(jpeg(90), 600.0);
    let (page, root) = (document.get_pages()[&1], document.trailer.get(b"Root").unwrap().as_reference().unwrap());
    let element = document.add_object(dictionary! { "Type" => "StructElem", "S" => "Figure", "Pg" => page, "K" => 0 });
    let tags = document.add_object(dictionary! { "Type" => "StructTreeRoot", "K" => element });
    let head = dictionary! { "Type" => "Metadata", "Subtype" => "XML" };
    let packet = document.add_object(Stream::new(head, b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".repeat(9)));
    let entry = document.add_object(dictionary! {
        "Title" => Object::string_literal("Chapter"), "Dest" => vec![page.into(), "Fit".into()],
    });
    let outline = document.add_object(dictionary! { "First" => entry, "Last" => entry, "Count" => 1 });
    let action = dictionary! { "S" => "URI", "URI" => Object::string_literal("https://a.example/") };
    let rectangle: Vec<Object> = [10, 10, 90, 30].map(Object::Integer).to_vec();
    let link =
        document.add_object(dictionary! { "Type" => "Annot", "Subtype" => "Link", "Rect" => rectangle, "A" => action });
    document.get_dictionary_mut(page).unwrap().set("Annots", vec![link.into()]);
    let catalog = document.get_dictionary_mut(root).unwrap();
    for (key, id) in [("StructTreeRoot", tags), ("Metadata", packet), ("Outlines", outline)] {
        catalog.set(key, id);
    }
    catalog.set("Lang", Object::string_literal("de-CH"));
    let info: ObjectId = document.add_object(dictionary! { "Title" => Object::string_literal("Report") });
    document.trailer.set("Info", info);

    let result = fitted(&mut document, 300, 90).unwrap();
    let catalog = result.catalog().unwrap();
    let child = |dict, key| result.child(dict, key).unwrap();
    let name = |dict: &Dictionary, key: &[u8]| result.name(dict, key).map(<[u8]>::to_vec);
    assert_eq!(name(child(child(catalog, b"StructTreeRoot"), b"K"), b"S").unwrap(), b"Figure");
    let packet = result.value(catalog, b"Metadata").unwrap().as_stream().unwrap();
    assert!(packet.content.starts_with(b"<x:xmpmeta"), "it is readable in the file");
    let entry = child(child(catalog, b"Outlines"), b"First");
    assert_eq!(bytes(entry.get(b"Title").unwrap()).unwrap(), b"Chapter");
    assert_eq!(result.array(entry, b"Dest")[0], Object::Reference(result.get_pages()[&1]));
    assert_eq!(bytes(catalog.get(b"Lang").unwrap()).unwrap(), b"de-CH");
    let page = result.get_dictionary(result.get_pages()[&1]).unwrap();
    let link = result.get_dictionary(result.array(page, b"Annots")[0].as_reference().unwrap()).unwrap();
    assert_eq!(bytes(child(link, b"A").get(b"URI").unwrap()).unwrap(), b"https://a.example/");
    let info = result.get_dictionary(result.trailer.get(b"Info").unwrap().as_reference().unwrap()).unwrap();
    assert_eq!(bytes(info.get(b"Title").unwrap()).unwrap(), b"Report");
}
