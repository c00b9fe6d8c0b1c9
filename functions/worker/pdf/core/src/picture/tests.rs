//! Pictures of each kind, decoded.

use lopdf::{Object, Stream, StringFormat, dictionary};

use super::*;

const SIDE: u32 = 64;

fn picture(entries: Dictionary, data: Vec<u8>) -> Stream {
    let mut dict = dictionary! { "Subtype" => "Image", "Width" => SIDE, "Height" => SIDE, "BitsPerComponent" => 8 };
    for (key, value) in entries {
        dict.set(key, value);
    }
    Stream::new(dict, data)
}

fn decode(stream: &Stream) -> Result<Pixels, Reason> {
    let document = Document::new();
    let picture = Picture::new(&document, stream, 1 << 20)?;
    picture.decode((picture.width, picture.height)).ok_or(Reason::Unreadable)
}

fn ramp(channels: u32) -> Vec<u8> {
    (0..SIDE * SIDE * channels).map(|at| (at % 251) as u8).collect()
}

fn hex(data: &[u8]) -> Vec<u8> {
    let digits: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{digits}>").into_bytes()
}

#[test]
fn filters_are_undone_in_turn() {
    let data = ramp(3);
    let names = |names: &[&str]| names.iter().map(|name| Object::Name((*name).into())).collect::<Vec<_>>();
    let mut deflated = Stream::new(Dictionary::new(), data.clone());
    deflated.compress().unwrap();
    let entries = dictionary! { "ColorSpace" => "DeviceRGB", "Filter" => names(&["ASCIIHexDecode", "FlateDecode"]) };
    assert_eq!(decode(&picture(entries, hex(&deflated.content))).unwrap().data, data);
    let entries = dictionary! { "ColorSpace" => "RGB", "Filter" => names(&["AHx"]) };
    assert_eq!(decode(&picture(entries, hex(&data))).unwrap().data, data);
    let entries = dictionary! { "ColorSpace" => "DeviceRGB", "Filter" => names(&["DCTDecode", "FlateDecode"]) };
    assert_eq!(decode(&picture(entries, data)).unwrap_err(), Reason::Unreadable);
}

#[test]
fn spaces_have_their_channels() {
    let icc = |channels: i64| {
        let profile = Stream::new(dictionary! { "N" => channels }, Vec::new());
        Object::Array(vec!["ICCBased".into(), profile.into()])
    };
    let tint = || Object::Dictionary(dictionary! { "FunctionType" => 2, "N" => 1 });
    let inks = |count: usize| {
        let names = (0..count).map(|ink| Object::Name(format!("Ink{ink}").into_bytes())).collect::<Vec<_>>();
        Object::Array(vec!["DeviceN".into(), names.into(), "DeviceCMYK".into(), tint()])
    };
    let lab = Object::Array(vec!["Lab".into(), dictionary! { "WhitePoint" => vec![1.into()] }.into()]);
    let spot = Object::Array(vec!["Separation".into(), "Gold".into(), "DeviceCMYK".into(), tint()]);
    for (space, channels) in [
        ("DeviceGray".into(), 1),
        ("DeviceCMYK".into(), 4),
        (icc(1), 1),
        (icc(3), 3),
        (icc(4), 4),
        (lab, 3),
        (spot, 1),
        (inks(2), 2),
        (inks(5), 5),
    ] {
        let name = format!("{space:?}");
        let pixels = decode(&picture(dictionary! { "ColorSpace" => space }, ramp(channels))).unwrap();
        assert_eq!((u32::from(pixels.channels), &pixels.data), (channels, &ramp(channels)), "{name}");
    }
    assert_eq!(decode(&picture(dictionary! { "ColorSpace" => icc(2) }, ramp(2))).unwrap_err(), Reason::Colors);
}

#[test]
fn samples_of_any_depth_become_bytes() {
    for (bits, first) in
        [(1, vec![255, 0, 255]), (2, vec![170, 170, 0]), (4, vec![170, 15 * 17, 0]), (16, vec![0xaf, 0x12, 0xaf])]
    {
        let row = usize::try_from(SIDE * bits).unwrap().div_ceil(8);
        let start: &[u8] = match bits {
            1 => &[0b1010_0000],
            2 => &[0b1010_0000],
            4 => &[0xaf, 0x00],
            _ => &[0xaf, 0x03, 0x12, 0x34],
        };
        let line: Vec<u8> = start.iter().copied().cycle().take(row).collect();
        let entries = dictionary! { "ColorSpace" => "DeviceGray", "BitsPerComponent" => bits };
        let pixels = decode(&picture(entries, line.repeat(SIDE as usize))).unwrap();
        assert_eq!(&pixels.data[..3], first, "{bits} bits");
        assert_eq!(pixels.data.len(), (SIDE * SIDE) as usize);
    }
}

#[test]
fn indices_become_the_colors_of_their_palette() {
    let palette = |base: Object, entries: &[u8]| {
        let table = Object::String(entries.to_vec(), StringFormat::Hexadecimal);
        Object::Array(vec!["Indexed".into(), base, 1.into(), table])
    };
    let line: Vec<u8> = [0b0100_0000].into_iter().chain(std::iter::repeat_n(0, 7)).collect();
    let space = palette("DeviceCMYK".into(), &[1, 2, 3, 4, 5, 6, 7, 8]);
    let entries = dictionary! { "ColorSpace" => space.clone(), "BitsPerComponent" => 1 };
    let pixels = decode(&picture(entries, line.repeat(SIDE as usize))).unwrap();
    assert_eq!((pixels.channels, &pixels.data[..12]), (4, &[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4][..]));
    let entries = dictionary! { "ColorSpace" => space, "BitsPerComponent" => 1, "Decode" => vec![1.into(), 0.into()] };
    let pixels = decode(&picture(entries, line.repeat(SIDE as usize))).unwrap();
    assert_eq!(&pixels.data[..8], [5, 6, 7, 8, 1, 2, 3, 4]);
}

#[test]
fn a_fax_is_read_as_it_was_written() {
    let row = (SIDE / 8) as usize;
    let samples: Vec<u8> =
        (0..row * SIDE as usize).map(|at| if at % 13 < 7 { 0xff } else { (at * 37) as u8 }).collect();
    let (data, parameters) = encode_bilevel(&samples, (SIDE, SIDE)).unwrap();
    let entries = dictionary! { "ColorSpace" => "DeviceGray", "BitsPerComponent" => 1, "Filter" => "CCITTFaxDecode", "DecodeParms" => parameters };
    let stream = picture(entries, data);
    let document = Document::new();
    let picture = Picture::new(&document, &stream, 1 << 20).unwrap();
    assert!(picture.is_bilevel());
    assert_eq!(picture.samples().unwrap(), samples);
}

#[test]
fn what_must_stay_says_why() {
    let gray = || dictionary! { "ColorSpace" => "DeviceGray" };
    let with = |key: &str, value: Object| {
        let mut entries = gray();
        entries.set(key, value);
        decode(&picture(entries, ramp(1))).unwrap_err()
    };
    assert_eq!(with("Width", 3.into()), Reason::FewPixels);
    assert_eq!(with("Width", 100_000.into()), Reason::TooManyPixels);
    assert_eq!(with("SMaskInData", 1.into()), Reason::Alpha);
    assert_eq!(with("ColorSpace", "Pattern".into()), Reason::Colors);
    assert_eq!(with("BitsPerComponent", 7.into()), Reason::Unreadable);
    let mut keyed = gray();
    keyed.set("Mask", vec![0.into(), 0.into()]);
    let stream = picture(keyed, ramp(1));
    assert!(Picture::new(&Document::new(), &stream, 1 << 20).unwrap().is_keyed);
}

#[test]
fn fuzz_compressed_pictures() {
    docmill_fuzz::fuzz("pictures", &[], |data| {
        let size = (24, 16);
        for count in [1, 3, 4] {
            drop(jpeg2000::decode(data, size, &Colors::Channels { count, model: Model::Other }));
            drop(jpeg_samples(data, count, size, (12, 8)));
        }
        drop(jpeg2000::decode(data, size, &Colors::Own));
        drop(bilevel::jbig2(data, None, size));
        for kind in [-1, 0, 1] {
            let parameters = dictionary! { "K" => kind, "Columns" => 24 };
            drop(bilevel::fax(data, Some(&parameters), size));
        }
    });
}

/// A JPEG with or without the marker of Adobe's programs, which libjpeg writes for colors that JFIF does not have.
fn jpeg(channels: u32, stored: mozjpeg::ColorSpace) -> Vec<u8> {
    let given = if channels == 1 { mozjpeg::ColorSpace::JCS_GRAYSCALE } else { mozjpeg::ColorSpace::JCS_RGB };
    let mut encoder = mozjpeg::Compress::new(given);
    encoder.set_size(SIDE as usize, SIDE as usize);
    encoder.set_color_space(stored);
    let mut started = encoder.start_compress(Vec::new()).unwrap();
    started.write_scanlines(&vec![200; (SIDE * SIDE * channels) as usize]).unwrap();
    started.finish().unwrap()
}

#[test]
fn parameters_of_jpegs_count_where_the_data_does_not_say_more() {
    use mozjpeg::ColorSpace::{JCS_GRAYSCALE, JCS_RGB, JCS_YCbCr};
    let read = |space: &str, transform: i64, data: Vec<u8>| {
        let parameters = dictionary! { "ColorTransform" => transform };
        let entries = dictionary! { "ColorSpace" => space, "Filter" => "DCTDecode", "DecodeParms" => parameters };
        decode(&picture(entries, data)).map(|pixels| pixels.data.iter().all(|sample| sample.abs_diff(200) < 3))
    };
    assert_eq!(read("DeviceGray", 1, jpeg(1, JCS_GRAYSCALE)), Ok(true));
    assert_eq!(read("DeviceRGB", 1, jpeg(3, JCS_YCbCr)), Ok(true));
    assert_eq!(read("DeviceRGB", 0, jpeg(3, JCS_YCbCr)), Err(Reason::Unreadable));
    // With the marker.
    assert_eq!(read("DeviceRGB", 1, jpeg(3, JCS_RGB)), Ok(true));
}
