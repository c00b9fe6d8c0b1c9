//! Pictures of two values, such as scanned text.

use docmill_pdf_core::image::resized;
use docmill_pdf_core::picture::{Picture, Reason, encode_bilevel};
use fast_image_resize::{FilterType, PixelType};
use lopdf::{Dictionary, Object, Stream};

use super::Done;

/// Letters of two values need more pixels than letters with soft edges: this many times the resolution of photographs, and never
/// fewer dots per inch than these.
const SHARPER: f32 = 2.0;
const LEAST_DPI: f32 = 200.0;
/// It is worth it above this multiple.
const WORTHWHILE: f32 = 1.5;
/// A fax that takes more than this percentage of its samples has dots instead of grey: these must not be averaged.
const DOTTED: usize = 20;

/// The same picture as a fax.
pub(super) fn fax(picture: &Picture<'_>) -> Option<Stream> {
    if !picture.is_bilevel() {
        return None;
    }
    let (data, parameters) = encode_bilevel(&picture.samples()?, (picture.width, picture.height))?;
    Some(as_fax(picture.dict, data, parameters))
}

/// A scan at a lower resolution, as a fax.
pub(super) fn resample(
    picture: &Picture<'_>,
    stream: &Stream,
    (across, down): (f32, f32),
    dpi: f32,
) -> Result<(Stream, Done), Reason> {
    let wanted = (dpi * SHARPER).max(LEAST_DPI);
    let have = (picture.width as f32 / (across / 72.0).max(0.01)).max(picture.height as f32 / (down / 72.0).max(0.01));
    if picture.fixed_size || !have.is_finite() || have <= wanted * WORTHWHILE {
        return Err(Reason::Compact);
    }
    let samples = picture.samples().ok_or(Reason::Unreadable)?;
    let size = (picture.width, picture.height);
    let (whole, _) = encode_bilevel(&samples, size).ok_or(Reason::Compact)?;
    if whole.len() * 100 > samples.len() * DOTTED {
        return Err(Reason::Compact);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rounded, and clamped to the picture's size"
    )]
    let scale = |pixels: u32| ((pixels as f32 * wanted / have).round() as u32).clamp(1, pixels);
    let to = (scale(size.0), scale(size.1));
    let row = (size.0 as usize).div_ceil(8);
    let grey: Vec<u8> = samples
        .chunks_exact(row)
        .flat_map(|row| {
            let bits = row.iter().flat_map(|byte| (0..8).map(move |at| if byte & (0x80 >> at) == 0 { 0 } else { 255 }));
            bits.take(size.0 as usize)
        })
        .collect();
    let grey = resized(&grey, PixelType::U8, size, to, FilterType::Hamming).ok_or(Reason::Unreadable)?;
    let packed: Vec<u8> = grey
        .chunks_exact(to.0 as usize)
        .flat_map(|row| {
            row.chunks(8).map(|pixels| {
                pixels.iter().enumerate().fold(0, |byte, (at, grey)| if *grey < 128 { byte } else { byte | 0x80 >> at })
            })
        })
        .collect();
    let (data, parameters) = encode_bilevel(&packed, to).ok_or(Reason::Compact)?;
    let mut new = as_fax(picture.dict, data, parameters);
    new.dict.set("Width", i64::from(to.0));
    new.dict.set("Height", i64::from(to.1));
    if super::is_worth(&new, stream) { Ok((new, Done::Resampled)) } else { Err(Reason::Compact) }
}

fn as_fax(dict: &Dictionary, data: Vec<u8>, parameters: Dictionary) -> Stream {
    let mut dict = dict.clone();
    for key in [b"DP".as_slice(), b"Length", b"Metadata"] {
        dict.remove(key);
    }
    dict.set("BitsPerComponent", 1);
    dict.set("Filter", Object::Name("CCITTFaxDecode".into()));
    dict.set("DecodeParms", parameters);
    let mut stream = Stream::new(dict, data);
    stream.allows_compression = false;
    stream
}
