//! compress-pdf on pictures of each kind: what becomes of them, and what they look like.

use super::pictures::{SIDE, page_with};
use super::*;
use fixture::save;
use lopdf::{Stream, StringFormat, dictionary};

/// A photograph's soft shades, in any number of channels.
fn shades(channels: u32) -> Vec<u8> {
    let wave = |at: u32, step: f32| (((at as f32 * step).sin() + 1.0) * 100.0) as u8;
    let pixel = |x: u32, y: u32, channel: u32| {
        let noise = (x.wrapping_mul(31) ^ y.wrapping_mul(17) ^ channel.wrapping_mul(7)) % 9;
        wave(x + channel * 40, 0.03) / 2 + wave(y, 0.05) / 2 + noise as u8
    };
    (0..SIDE * SIDE * channels).map(|at| pixel(at / channels % SIDE, at / channels / SIDE, at % channels)).collect()
}

fn picture(space: Object, bits: i64, filter: Option<Object>, data: Vec<u8>) -> Stream {
    let mut dict = dictionary! {
        "Type" => "XObject", "Subtype" => "Image", "Width" => SIDE, "Height" => SIDE, "BitsPerComponent" => bits, "ColorSpace" => space,
    };
    if let Some(filter) = filter {
        dict.set("Filter", filter);
    }
    Stream::new(dict, data)
}

fn cmyk_jpeg() -> Vec<u8> {
    let mut encoder = mozjpeg::Compress::new(mozjpeg::ColorSpace::JCS_CMYK);
    encoder.set_size(SIDE as usize, SIDE as usize);
    encoder.set_quality(95.0);
    let mut started = encoder.start_compress(Vec::new()).unwrap();
    started.write_scanlines(&shades(4)).unwrap();
    started.finish().unwrap()
}

fn rgb_jpeg() -> Vec<u8> {
    let mut data = Vec::new();
    image::codecs::jpeg::JpegEncoder::new_with_quality(&mut data, 95)
        .encode(&shades(3), SIDE, SIDE, image::ExtendedColorType::Rgb8)
        .unwrap();
    data
}

/// The report, the picture in the result, and its document.
fn compressed(picture: Stream, options: Value) -> (Value, Stream, Vec<String>) {
    let run = Run::new().with(&save(&mut page_with(picture, 300.0)));
    let (outcome, documents) = run.results(Tool::CompressPdf, options);
    let is_picture =
        |stream: &&Stream| stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image");
    let picture = documents[0].objects.values().filter_map(|object| object.as_stream().ok()).find(is_picture).unwrap();
    let warnings = outcome.warnings.into_iter().map(|warning| warning.code).collect();
    (outcome.report.unwrap(), picture.clone(), warnings)
}

fn looks_alike(report: &Value, what: &str) {
    let similarity = report["pages"][0]["similarity"].as_f64().unwrap();
    assert!(similarity > 0.97, "{what}: {report}");
}

fn base85(data: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for group in data.chunks(4) {
        let mut four = [0; 4];
        four[..group.len()].copy_from_slice(group);
        let mut number = u32::from_be_bytes(four);
        let mut five = [0; 5];
        for digit in five.iter_mut().rev() {
            *digit = b'!' + (number % 85) as u8;
            number /= 85;
        }
        text.extend_from_slice(&five[..=group.len()]);
    }
    text.extend_from_slice(b"~>");
    text
}

#[test]
fn a_jpeg_behind_another_filter_is_made_smaller() {
    let names: Vec<Object> = vec!["ASCII85Decode".into(), "DCTDecode".into()];
    let made = || picture("DeviceRGB".into(), 8, Some(names.clone().into()), base85(&rgb_jpeg()));
    let (report, kept, _) = compressed(made(), json!({"preset": "lossless"}));
    assert_eq!(kept.filters().unwrap(), [b"DCTDecode"]);
    assert_eq!(kept.content, rgb_jpeg());
    assert_eq!(report["pictures"][0]["done"], "repacked");
    let sizes: Vec<usize> = ["lossless", "high", "balanced", "small"]
        .map(|preset| {
            let (report, picture, warnings) = compressed(made(), json!({"preset": preset}));
            looks_alike(&report, preset);
            assert!(!warnings.contains(&"not_smaller".to_owned()));
            picture.content.len()
        })
        .to_vec();
    assert!(sizes.is_sorted_by(|a, b| a > b), "{sizes:?}");
}

#[test]
fn inks_stay_inks_and_look_the_same() {
    let lab = Object::Array(vec![
        "Lab".into(),
        dictionary! { "WhitePoint" => vec![Object::Real(0.95), Object::Real(1.0), Object::Real(1.09)] }.into(),
    ]);
    let tint = dictionary! {
        "FunctionType" => 2, "Domain" => vec![0.into(), 1.into()], "N" => 1,
        "C0" => vec![0.into(), 0.into(), 0.into(), 0.into()], "C1" => vec![0.into(), 1.into(), 1.into(), 0.into()],
    };
    let spot = Object::Array(vec!["Separation".into(), "Ruby".into(), "DeviceCMYK".into(), tint.into()]);
    let inverted = |mut stream: Stream| {
        stream.dict.set("Decode", [1, 0, 1, 0, 1, 0, 1, 0].map(Object::Integer).to_vec());
        stream
    };
    let jpeg = || Some(Object::from("DCTDecode"));
    for (name, stream) in [
        ("CMYK", picture("DeviceCMYK".into(), 8, None, shades(4))),
        ("CMYK JPEG", picture("DeviceCMYK".into(), 8, jpeg(), cmyk_jpeg())),
        ("inverted CMYK JPEG", inverted(picture("DeviceCMYK".into(), 8, jpeg(), cmyk_jpeg()))),
        ("Lab", picture(lab, 8, None, shades(3))),
        ("spot color", picture(spot, 8, None, shades(1))),
        ("16 bits", picture("DeviceRGB".into(), 16, None, shades(6))),
    ] {
        let space = stream.dict.get(b"ColorSpace").unwrap().clone();
        let before = stream.content.len();
        let (report, made, _) = compressed(stream, json!({}));
        assert!(made.content.len() * 3 < before, "{name}: {} of {before}", made.content.len());
        assert_eq!(made.filters().unwrap(), [b"DCTDecode"], "{name}");
        assert_eq!(made.dict.get(b"Width").unwrap().as_i64().unwrap(), i64::from(SIDE / 2), "{name}");
        assert_eq!(made.dict.get(b"ColorSpace").unwrap(), &space, "{name}");
        assert_eq!(report["pictures"][0]["done"], "resampled", "{name}");
        looks_alike(&report, name);
    }
}

#[test]
fn inks_become_red_green_and_blue_if_asked() {
    for (colors, space) in [("rgb", "DeviceRGB"), ("gray", "DeviceGray")] {
        let stream = picture("DeviceCMYK".into(), 8, Some("DCTDecode".into()), cmyk_jpeg());
        let (report, made, warnings) = compressed(stream, json!({"colors": colors}));
        assert_eq!(made.dict.get(b"ColorSpace").unwrap().as_name().unwrap(), space.as_bytes());
        assert_eq!(report["pictures"][0]["converted"], true);
        assert_eq!(warnings, Vec::<String>::new());
        if colors == "rgb" {
            looks_alike(&report, colors);
        }
    }
    let stream = picture("DeviceGray".into(), 8, None, shades(1));
    let (report, ..) = compressed(stream, json!({"colors": "rgb"}));
    assert_eq!(report["pictures"][0]["converted"], false);
}

#[test]
fn a_palette_of_inks_keeps_its_space() {
    let entries: Vec<u8> = (0..=255u8).flat_map(|index| [index, 255 - index, index / 2, 0]).collect();
    let table = Object::String(entries, StringFormat::Hexadecimal);
    let space = Object::Array(vec!["Indexed".into(), "DeviceCMYK".into(), 255.into(), table]);
    let (report, made, _) = compressed(picture(space, 8, None, shades(1)), json!({}));
    assert_eq!(made.dict.get(b"ColorSpace").unwrap().as_name().unwrap(), b"DeviceCMYK");
    looks_alike(&report, "palette");
}

#[test]
fn scanned_text_becomes_a_fax_and_never_grey() {
    // Strokes whose edges differ a little from row to row, as a scanner sees them.
    let mut state = 9_u32;
    let mut random = |most: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % most
    };
    let mut data = Vec::new();
    for _ in 0..SIDE / 24 {
        let edges: Vec<u32> = (0..SIDE / 12).map(|at| at * 12 + random(6)).collect();
        for y in 0..24 {
            let strokes: Vec<(u32, u32)> = edges.iter().map(|edge| (edge + random(2), edge + 3 + random(2))).collect();
            let is_black = |x: u32| y < 14 && strokes.iter().any(|(from, to)| (*from..*to).contains(&x));
            data.extend(
                (0..SIDE / 8).map(|byte| (0..8).fold(0u8, |bits, at| bits << 1 | u8::from(!is_black(byte * 8 + at)))),
            );
        }
    }
    let mut stencil = picture("DeviceGray".into(), 1, None, data.clone());
    stencil.dict.remove(b"ColorSpace");
    stencil.dict.set("ImageMask", true);
    for (name, stream) in [("gray", picture("DeviceGray".into(), 1, None, data)), ("stencil", stencil)] {
        let before = stream.content.len();
        let (report, made, _) = compressed(stream, json!({"preset": "small"}));
        assert_eq!(made.filters().unwrap(), [b"CCITTFaxDecode"], "{name}");
        assert_eq!(made.dict.get(b"BitsPerComponent").unwrap().as_i64().unwrap(), 1, "{name}");
        assert!(made.content.len() * 3 < before, "{name}: {} of {before}", made.content.len());
        looks_alike(&report, name);
    }
}

#[test]
fn a_transparent_color_stays_that_color() {
    let mut stream = picture("DeviceRGB".into(), 8, None, shades(3));
    stream.dict.set("Mask", [0, 40, 0, 40, 0, 40].map(Object::Integer).to_vec());
    let (report, made, _) = compressed(stream, json!({"preset": "small"}));
    assert_eq!(made.get_plain_content().unwrap(), shades(3));
    assert_eq!(report["pictures"][0]["done"], "repacked");
}

#[test]
fn little_saved_has_its_reasons() {
    let stream = picture("DeviceRGB".into(), 8, Some("DCTDecode".into()), {
        let mut data = Vec::new();
        image::codecs::jpeg::JpegEncoder::new_with_quality(&mut data, 30)
            .encode(&shades(3), SIDE, SIDE, image::ExtendedColorType::Rgb8)
            .unwrap();
        data
    });
    let run = Run::new().with(&save(&mut page_with(stream, 72.0)));
    let outcome = run.run(Tool::CompressPdf, json!({"preset": "high"})).unwrap();
    let warning = outcome.warnings.iter().find(|warning| warning.code == "not_smaller").expect("a warning");
    assert!(warning.message.contains("1 are compact already"), "{}", warning.message);
    let report = outcome.report.unwrap();
    assert_eq!((&report["pictures"][0]["done"], &report["pictures"][0]["reason"]), (&json!("kept"), &json!("compact")));
    assert_eq!(report["pictures"][0]["pages"], json!([1]));
}
