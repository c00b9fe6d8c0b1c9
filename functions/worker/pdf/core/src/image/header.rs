//! JPEG and PNG data that PDF can use unchanged, according to their headers.

use lopdf::{Object, Stream};

use super::deflate::{chunks, image_data};
use super::stream::{Coding, stream};

/// A JPEG's stream. `None` for kinds that PDF does not support.
pub fn jpeg(data: &[u8]) -> Option<Stream> {
    let frame = segments(data).find(|(marker, _)| matches!(marker, 0xc0..=0xc2))?.1;
    let (height, width) =
        (u16::from_be_bytes([*frame.get(1)?, *frame.get(2)?]), u16::from_be_bytes([*frame.get(3)?, *frame.get(4)?]));
    if *frame.first()? != 8 {
        return None;
    }
    let components = *frame.get(5)?;
    let space = match components {
        1 => "DeviceGray",
        3 => "DeviceRGB",
        4 => "DeviceCMYK",
        _ => return None,
    };
    let coding = Coding { space, bits: 8, filter: "DCTDecode", parameters: None };
    let mut stream = stream((width.into(), height.into()), coding, data.to_vec());
    // Adobe's programs store CMYK inverted.
    if components == 4 && is_adobes_jpeg(data) {
        stream.dict.set("Decode", [1, 0, 1, 0, 1, 0, 1, 0].map(Object::Integer).to_vec());
    }
    Some(stream)
}

/// Whether a JPEG says itself how its colors are stored, in the marker of Adobe's programs.
pub fn is_adobes_jpeg(data: &[u8]) -> bool {
    segments(data).any(|(marker, body)| marker == 0xee && body.starts_with(b"Adobe"))
}

/// How coarsely a JPEG stores brightness: 1 at quality 50, lower at higher quality.
pub fn jpeg_coarseness(data: &[u8]) -> Option<f32> {
    /// The sum of the standard's brightness table (annex K).
    const STANDARD: f32 = 3688.0;
    // The first 8-bit table, which is usually written first.
    let table = segments(data).find(|(marker, body)| *marker == 0xdb && body.first() == Some(&0))?.1.get(1..65)?;
    Some(table.iter().map(|step| f32::from(*step)).sum::<f32>() / STANDARD)
}

pub(super) fn jpeg_dpi(data: &[u8]) -> Option<(f32, f32)> {
    let body = segments(data).find(|(marker, body)| *marker == 0xe0 && body.starts_with(b"JFIF\0"))?.1;
    let number = |at: usize| Some(f32::from(u16::from_be_bytes([*body.get(at)?, *body.get(at + 1)?])));
    let (x, y) = (number(8)?, number(10)?);
    match body.get(7)? {
        1 => sound(x, y),
        2 => sound(x * 2.54, y * 2.54),
        _ => None,
    }
}

/// A PNG's stream: not interlaced, without transparency, of at most 8 bits.
pub(super) fn png(data: &[u8]) -> Option<Stream> {
    let head = chunks(data, b"IHDR");
    let [w0, w1, w2, w3, h0, h1, h2, h3, bits, color, 0, 0, 0] = *<&[u8; 13]>::try_from(head.as_slice()).ok()? else {
        return None;
    };
    if bits > 8 || !chunks(data, b"tRNS").is_empty() {
        return None;
    }
    let (width, height) = (u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]));
    let (space, channels) = match color {
        0 => ("DeviceGray", 1),
        2 => ("DeviceRGB", 3),
        3 => ("Indexed", 1),
        _ => return None,
    };
    let parameters = Some(image_data(channels, bits, width));
    let coding = Coding { space, bits, filter: "FlateDecode", parameters };
    let mut stream = stream((width, height), coding, chunks(data, b"IDAT"));
    if color == 3 {
        let palette = chunks(data, b"PLTE");
        let last = i64::try_from(palette.len() / 3).ok()?.checked_sub(1)?;
        let entries = Object::String(palette, lopdf::StringFormat::Hexadecimal);
        stream.dict.set("ColorSpace", vec!["Indexed".into(), "DeviceRGB".into(), last.into(), entries]);
    }
    Some(stream)
}

pub(super) fn png_dpi(data: &[u8]) -> Option<(f32, f32)> {
    let body = chunks(data, b"pHYs");
    let number = |at: usize| Some(u32::from_be_bytes(body.get(at..at + 4)?.try_into().ok()?) as f32 * 0.0254);
    (body.get(8) == Some(&1)).then(|| sound(number(0)?, number(4)?)).flatten()
}

/// Resolutions that no device has are errors.
pub(super) fn sound(x: f32, y: f32) -> Option<(f32, f32)> {
    ([x, y].iter().all(|dpi| (10.0..=10_000.0).contains(dpi))).then_some((x, y))
}

/// Marker and content of each segment before the picture's data.
fn segments(data: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = data.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        while let [0xff, after @ ..] = rest
            && after.first() == Some(&0xff)
        {
            rest = after;
        }
        let [0xff, marker, high, low, body @ ..] = rest else { return None };
        let length = usize::from(u16::from_be_bytes([*high, *low])).checked_sub(2)?;
        let content;
        (content, rest) = body.split_at_checked(length)?;
        (*marker != 0xda).then_some((*marker, content))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adobes_cmyk_is_inverted() {
        let adobe = b"\xff\xd8\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\x02\xff\xc0\0\x14\x08\0\x10\0\x20\x04\x01\x11\0\x02\x11\0\x03\x11\0\x04\x11\0";
        let stream = jpeg(adobe).unwrap();
        assert_eq!(stream.dict.get(b"ColorSpace").unwrap().as_name().unwrap(), b"DeviceCMYK");
        assert_eq!(stream.dict.get(b"Width").unwrap().as_i64().unwrap(), 32);
        assert!(stream.dict.has(b"Decode"));
    }

    #[test]
    fn coarseness_follows_the_quality() {
        let coarseness = |quality: u8| {
            let mut file = Vec::new();
            let pixels = vec![128; 16 * 16];
            image::codecs::jpeg::JpegEncoder::new_with_quality(&mut file, quality)
                .encode(&pixels, 16, 16, image::ExtendedColorType::L8)
                .unwrap();
            jpeg_coarseness(&file).unwrap()
        };
        assert!((0.95..1.05).contains(&coarseness(50)) && (0.5..0.6).contains(&coarseness(72)));
        assert!(coarseness(30) > 1.5 && coarseness(95) < 0.2);
        assert_eq!(jpeg_coarseness(b"\xff\xd8\xff\xdb\0\x04\0\x01"), None);
    }

    #[test]
    fn fuzz_image_headers() {
        docmill_fuzz::fuzz("image-headers", &[], |bytes| {
            drop((jpeg(bytes), jpeg_dpi(bytes), jpeg_coarseness(bytes), png(bytes), png_dpi(bytes)));
        });
    }
}
