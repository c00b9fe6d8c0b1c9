//! Pictures and metadata of a document after compression.

use docmill_formats::Format;

use super::*;
use fixture::save;
use lopdf::{Stream, dictionary};

pub(super) const SIDE: u32 = 240;

/// A page with a picture at this resolution.
pub(super) fn page_with(picture: Stream, dpi: f32) -> Document {
    let mut document = fixture::plain_document("unused", 1, (300.0, 400.0));
    let picture = document.add_object(picture);
    let page = document.get_pages()[&1];
    let side = SIDE as f32 * 72.0 / dpi;
    let content = format!("q {side} 0 0 {side} 20 20 cm /X Do Q").into_bytes();
    let content = document.add_object(Stream::new(Dictionary::new(), content));
    let entries = document.get_dictionary_mut(page).unwrap();
    entries.set("Contents", content);
    entries.set("Resources", dictionary! { "XObject" => dictionary! { "X" => picture } });
    document
}

fn dress(space: &str) -> Dictionary {
    dictionary! {
        "Type" => "XObject", "Subtype" => "Image", "Width" => SIDE, "Height" => SIDE, "BitsPerComponent" => 8,
        "ColorSpace" => space,
    }
}

pub(super) fn deflated(space: &str, samples: Vec<u8>) -> Stream {
    let mut stream = Stream::new(dress(space), samples);
    stream.compress().unwrap();
    stream
}

pub(super) fn jpeg(quality: u8) -> Stream {
    let mut data = Vec::new();
    image::codecs::jpeg::JpegEncoder::new_with_quality(&mut data, quality)
        .encode(&noise(3), SIDE, SIDE, image::ExtendedColorType::Rgb8)
        .unwrap();
    let mut dress = dress("DeviceRGB");
    dress.set("Filter", "DCTDecode");
    Stream::new(dress, data)
}

/// Random samples.
pub(super) fn noise(channels: u32) -> Vec<u8> {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..SIDE * SIDE * channels).map(|_| next()).collect()
}

/// A few very different greys, as in a drawing.
pub(super) fn drawing(channels: usize) -> Vec<u8> {
    noise(1).into_iter().flat_map(|sample| std::iter::repeat_n(sample / 64 * 80, channels)).collect()
}

/// The filter, width and bytes of the picture in the result.
fn compressed(document: &mut Document) -> (String, i64, usize) {
    let run = Run::new().with(&save(document));
    let (_, documents) = run.results(Tool::CompressPdf, json!({}));
    let pictures = documents[0].objects.values().filter_map(|object| object.as_stream().ok());
    let picture = pictures
        .filter(|stream| stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image"))
        .collect::<Vec<_>>();
    let [picture] = picture.as_slice() else { panic!("{} pictures", picture.len()) };
    let filters = picture.filters().unwrap();
    let width = picture.dict.get(b"Width").unwrap().as_i64().unwrap();
    (String::from_utf8_lossy(filters[0]).into_owned(), width, picture.content.len())
}

#[test]
fn pictures_that_jpeg_makes_much_smaller_become_jpeg() {
    let (filter, width, bytes) = compressed(&mut page_with(deflated("DeviceRGB", noise(3)), 150.0));
    assert_eq!((filter.as_str(), width), ("DCTDecode", i64::from(SIDE)));
    assert!(bytes < (SIDE * SIDE) as usize, "{bytes}");
}

#[test]
pub(super) fn drawings_stay_exact_and_keep_a_little_more_than_the_resolution_asked_for() {
    for dpi in [150.0, 220.0] {
        let (filter, width, _) = compressed(&mut page_with(deflated("DeviceRGB", drawing(3)), dpi));
        assert_eq!((filter.as_str(), width), ("FlateDecode", i64::from(SIDE)), "{dpi}");
    }
    assert_eq!(compressed(&mut page_with(deflated("DeviceRGB", drawing(3)), 300.0)).1, i64::from(SIDE / 2));
}

#[test]
fn pictures_with_a_decode_array_are_made_smaller_too() {
    let mut picture = deflated("DeviceGray", drawing(1));
    picture.dict.set("Decode", vec![1.into(), 0.into()]);
    assert_eq!(compressed(&mut page_with(picture, 300.0)).1, 120);
}

#[test]
fn pictures_in_patterns_are_made_smaller_too() {
    let mut document = page_with(deflated("DeviceGray", drawing(1)), 300.0);
    let page = document.get_pages()[&1];
    let entries = document.get_dictionary(page).unwrap();
    let objects = entries.get(b"Resources").unwrap().as_dict().unwrap().clone();
    // The page's content becomes the pattern's, at a quarter of its size.
    let content = document.get_page_content(page);
    let bounds: Vec<Object> = [0, 0, 300, 400].map(Object::Integer).to_vec();
    let matrix: Vec<Object> = [1, 0, 0, 1, 0, 0].map(|number| Object::Real(number as f32 / 4.0)).to_vec();
    let head = dictionary! {
        "PatternType" => 1, "PaintType" => 1, "TilingType" => 1, "BBox" => bounds, "XStep" => 300, "YStep" => 400,
        "Matrix" => matrix, "Resources" => objects,
    };
    let pattern = document.add_object(Stream::new(head, content));
    let content = b"/Pattern cs /P scn 0 0 300 400 re f".to_vec();
    let content = document.add_object(Stream::new(Dictionary::new(), content));
    let entries = document.get_dictionary_mut(page).unwrap();
    entries.set("Contents", content);
    entries.set("Resources", dictionary! { "Pattern" => dictionary! { "P" => pattern } });
    assert_eq!(compressed(&mut document).1, 30);
}

#[test]
fn pictures_that_annotations_show_are_made_smaller_too() {
    let mut document = page_with(deflated("DeviceRGB", noise(3)), 300.0);
    let page = document.get_pages()[&1];
    let resources = document.get_dictionary(page).unwrap().get(b"Resources").unwrap().clone();
    let box_of = |side: i64| vec![Object::Integer(0), 0.into(), side.into(), side.into()];
    let form =
        dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => box_of(100), "Resources" => resources };
    let form = document.add_object(Stream::new(form, b"q 100 0 0 100 0 0 cm /X Do Q".to_vec()));
    // Shown at half the size that the appearance has.
    let stamp = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Stamp", "Rect" => box_of(50), "AP" => dictionary! { "N" => form },
    });
    let entries = document.get_dictionary_mut(page).unwrap();
    entries.remove(b"Contents");
    entries.remove(b"Resources");
    entries.set("Annots", vec![stamp.into()]);
    let (filter, width, _) = compressed(&mut document);
    assert_eq!((filter.as_str(), width), ("DCTDecode", 104));
}

#[test]
fn coarse_jpegs_stay_as_they_are_and_fine_ones_do_not() {
    let [coarse, fine] = [40, 98].map(|quality| {
        let picture = jpeg(quality);
        let before = picture.content.len();
        (before, compressed(&mut page_with(picture, 150.0)).2)
    });
    assert_eq!(coarse.0, coarse.1);
    assert!(fine.1 < fine.0 / 2, "{fine:?}");
}

#[test]
fn thumbnails_in_metadata_are_removed() {
    let thumbnail = "/9j/4AAQ".repeat(999);
    let packet = format!(
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
        <rdf:Description xmlns:xmp='http://ns.adobe.com/xap/1.0/'><xmp:CreatorTool>Press</xmp:CreatorTool>\
        <xmp:Thumbnails>{thumbnail}</xmp:Thumbnails></rdf:Description></rdf:RDF></x:xmpmeta>"
    );
    let mut document = fixture::plain_document("one", 1, (300.0, 400.0));
    let head = dictionary! { "Type" => "Metadata", "Subtype" => "XML" };
    let packet = document.add_object(Stream::new(head, packet.into_bytes()));
    let root = document.trailer.get(b"Root").unwrap().as_reference().unwrap();
    document.get_dictionary_mut(root).unwrap().set("Metadata", packet);
    let (_, documents) = Run::new().with(&save(&mut document)).results(Tool::CompressPdf, json!({}));
    let mut streams = documents[0].objects.values().filter_map(|object| object.as_stream().ok());
    let packet = streams.find(|stream| stream.dict.has_type(b"Metadata")).unwrap().get_plain_content().unwrap();
    let packet = String::from_utf8(packet).unwrap();
    assert!(packet.contains("Press") && !packet.contains("Thumbnails") && packet.ends_with("</x:xmpmeta>"), "{packet}");
}

#[test]
fn metadata_of_parts_is_removed_and_long_metadata_is_compressed() {
    let packet = |text: &str, times: usize| {
        Stream::new(dictionary! { "Type" => "Metadata", "Subtype" => "XML" }, text.repeat(times).into_bytes())
    };
    let mut document = fixture::plain_document("one", 1, (300.0, 400.0));
    let part = document.add_object(packet("<part/>", 9));
    let own = document.add_object(packet("<own/>", 9000));
    let page = document.get_pages()[&1];
    let lists = dictionary! { "M" => dictionary! { "Metadata" => part, "Kept" => true } };
    document.get_dictionary_mut(page).unwrap().set("Resources", dictionary! { "Properties" => lists });
    let root = document.trailer.get(b"Root").unwrap().as_reference().unwrap();
    document.get_dictionary_mut(root).unwrap().set("Metadata", own);
    let (_, documents) = Run::new().with(&save(&mut document)).results(Tool::CompressPdf, json!({}));
    let streams = documents[0].objects.values().filter_map(|object| object.as_stream().ok());
    let [left] = streams.filter(|stream| stream.dict.has_type(b"Metadata")).collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!(left.get_plain_content().unwrap(), "<own/>".repeat(9000).into_bytes());
    assert!(left.content.len() < 1000);
}

#[test]
fn a_tiff_with_a_palette_is_a_stamp_and_is_described() {
    let tiff = include_bytes!("../../../../../tests/fuzz/seeds/tiff/palette.tif");
    let mut run = Run::new().with(&fixture::plain("one", 1));
    run.push(tiff, Format::Tiff);
    let result = run.result(Tool::WatermarkPdf, json!({}));
    let picture = result.objects.values().filter_map(|object| object.as_stream().ok()).find_map(|stream| {
        stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image").then_some(&stream.dict)
    });
    let picture = picture.unwrap();
    assert_eq!(picture.get(b"Width").unwrap().as_i64().unwrap(), 8);
    assert_eq!(picture.get(b"ColorSpace").unwrap().as_name().unwrap(), b"DeviceRGB");

    let mut run = Run::new();
    run.push(tiff, Format::Tiff);
    let outcome = run.run(Tool::InspectDocument, json!({})).unwrap();
    let seen: Value = serde_json::from_slice(&std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap()).unwrap();
    assert_eq!((&seen["width"], &seen["height"], &seen["channels"]), (&json!(8), &json!(4), &json!(3)));
}
