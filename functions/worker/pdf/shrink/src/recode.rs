//! Re-encodes pictures: at a lower resolution, and in the format that suits them.

use docmill_pdf_core::image::deflate::{Samples, deflated_rows, image_data, png_data};
use docmill_pdf_core::image::{jpeg_coarseness, metadata, resized_colors};
use docmill_pdf_core::picture::{Coding, Colors, Model, Picture, Pixels, Reason};
use fast_image_resize::{FilterType, PixelType};
use lopdf::{Dictionary, Document, Object, Stream};

use super::bilevel;
use super::{Done, Quality};

/// Photographs are resampled only above this multiple of the requested resolution. Below it, the gain is not worth the blur.
const WORTHWHILE: f32 = 1.25;
/// The same for text and drawings, which lose more by it.
const WORTHWHILE_IF_SHARP: f32 = 1.5;
/// Other pictures become JPEG only if that takes less than this percentage. They have as many colors as photographs then.
const MUCH_LESS: usize = 40;
/// A JPEG whose quantisation steps are this many times those requested would only lose quality.
const COARSER: f32 = 1.3;

/// What an encoder aims at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    Small,
    /// A tenth of the time, for files that are some percent larger.
    Fast,
}

/// The picture made smaller, and what was done. `placed` is its size on the page, in points.
///
/// # Errors
///
/// Says why the picture stays as it is.
pub(super) fn recode(
    document: &Document,
    stream: &Stream,
    placed: (f32, f32),
    is_mask: bool,
    quality: &Quality,
    most: u64,
) -> Result<(Stream, Done), Reason> {
    let picture = Picture::new(document, stream, most)?;
    let exact = exact(&picture, stream).map(|stream| (stream, Done::Repacked));
    let blurred = match quality.pictures {
        // A transparent color must stay that color, and so must all others.
        Some(_) if picture.is_keyed => Err(Reason::ColorKey),
        Some((dpi, _)) if picture.is_bilevel() => bilevel::resample(&picture, stream, placed, dpi),
        Some((dpi, quality)) => lossy(&picture, stream, placed, is_mask, (dpi, quality)),
        None => Err(Reason::Compact),
    };
    match (blurred, exact) {
        (Ok(blurred), Some(exact)) if exact.0.content.len() < blurred.0.content.len() => Ok(exact),
        (Ok(blurred), _) => Ok(blurred),
        (Err(_), Some(exact)) => Ok(exact),
        (Err(reason), None) => Err(reason),
    }
}

fn lossy(
    picture: &Picture<'_>,
    stream: &Stream,
    placed: (f32, f32),
    is_mask: bool,
    (dpi, jpeg_quality): (f32, u8),
) -> Result<(Stream, Done), Reason> {
    let own_size = (picture.width, picture.height);
    let least = target(picture, placed, dpi, WORTHWHILE);
    if least == own_size {
        if matches!(picture.colors, Colors::Palette(_)) {
            return Err(Reason::Compact);
        }
        let is_coarse = |coarseness| coarseness >= COARSER * steps(jpeg_quality);
        if picture.coding == Coding::Jpeg && jpeg_coarseness(picture.coded()).is_some_and(is_coarse) {
            return Err(Reason::Compact);
        }
    }
    let pixels = picture.decode(least).ok_or(Reason::Unreadable)?;
    let kind = Kind::of(picture, &pixels, is_mask);
    let size = match kind {
        Kind::Photo | Kind::Mask => least,
        Kind::Drawing => target(picture, placed, dpi, WORTHWHILE_IF_SHARP),
    };
    let done = if size == own_size { Done::Encoded } else { Done::Resampled };
    if size == own_size && kind == Kind::Mask {
        return Err(Reason::Compact);
    }
    let pixels = resize(pixels, size).ok_or(Reason::Colors)?;
    let exact = || if size == own_size { repack(picture) } else { deflated(&stream.dict, &pixels) };
    let new = encoded(picture, &pixels, kind, exact, (jpeg_quality, Effort::Small)).ok_or(Reason::Compact)?;
    if super::is_worth(&new, stream) { Ok((new, done)) } else { Err(Reason::Compact) }
}

/// The same picture in fewer bytes.
fn exact(picture: &Picture<'_>, stream: &Stream) -> Option<Stream> {
    let candidates = [bare(picture, stream), repack(picture), bilevel::fax(picture)];
    let best = candidates.into_iter().flatten().min_by_key(|candidate| candidate.content.len())?;
    (best.content.len() < stream.content.len()).then_some(best)
}

/// The picture in its own coding, without the filters around that, and without data about cameras.
fn bare(picture: &Picture<'_>, stream: &Stream) -> Option<Stream> {
    let clean = match picture.coding {
        Coding::Jpeg => metadata::jpeg(picture.coded()),
        Coding::Jpeg2000 => metadata::jpeg2000(picture.coded()),
        Coding::Fax | Coding::Jbig2 | Coding::Plain => None,
    };
    if clean.is_none() && !picture.is_wrapped {
        return None;
    }
    let mut dict = stream.dict.clone();
    for key in [b"DecodeParms".as_slice(), b"DP", b"Length"] {
        dict.remove(key);
    }
    dict.set("Filter", Object::Name(picture.coding.filter()?.into()));
    if let Some(parameters) = picture.parameters() {
        dict.set("DecodeParms", parameters.clone());
    }
    let mut bare = Stream::new(dict, clean.unwrap_or_else(|| picture.coded().to_vec()));
    bare.allows_compression = false;
    Some(bare)
}

/// What decides how a picture may be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// As JPEG.
    Photo,
    /// Exact, or as a JPEG if that is much smaller.
    Drawing,
    /// Exact.
    Mask,
}

impl Kind {
    pub(super) fn of(picture: &Picture<'_>, pixels: &Pixels, is_mask: bool) -> Self {
        if is_mask {
            Self::Mask
        } else if matches!(picture.coding, Coding::Jpeg | Coding::Jpeg2000) || is_photo(pixels) {
            Self::Photo
        } else {
            Self::Drawing
        }
    }
}

/// A picture with these pixels, which may have been scaled. `exact`: its exact form, unless the picture has it already.
pub(super) fn encoded(
    picture: &Picture<'_>,
    pixels: &Pixels,
    kind: Kind,
    exact: impl FnOnce() -> Option<Stream>,
    (quality, effort): (u8, Effort),
) -> Option<Stream> {
    let model = picture.colors.model().unwrap_or(if pixels.channels == 1 { Model::Gray } else { Model::Rgb });
    let coded = |quality| {
        let data = jpeg(pixels, model, quality, effort)?;
        Some(Stream::new(redressed(picture.dict, pixels, "DCTDecode", None), data))
    };
    let mut new = match kind {
        Kind::Photo => coded(quality).or_else(exact)?,
        Kind::Drawing => {
            let exact = exact();
            let bytes = exact.as_ref().map_or(picture.stored, |exact| exact.content.len());
            let blurred = coded(quality.midpoint(100));
            blurred.filter(|blurred| blurred.content.len() * 100 < bytes * MUCH_LESS).or(exact)?
        }
        Kind::Mask => exact()?,
    };
    if is_jpeg(&new) || (pixels.width, pixels.height) != (picture.width, picture.height) {
        name_colors(&mut new, picture, pixels);
    }
    new.allows_compression = false;
    Some(new)
}

fn is_jpeg(stream: &Stream) -> bool {
    stream.filters().is_ok_and(|filters| filters == [b"DCTDecode"])
}

/// Names the colors of pixels that had a palette, or a picture's own colors.
fn name_colors(new: &mut Stream, picture: &Picture<'_>, pixels: &Pixels) {
    match &picture.colors {
        Colors::Palette(palette) => {
            new.dict.set("ColorSpace", palette.base.clone());
            // It was a mapping of indices.
            new.dict.remove(b"Decode");
        }
        Colors::Own => {
            let space = if pixels.channels == 1 { "DeviceGray" } else { "DeviceRGB" };
            new.dict.set("ColorSpace", Object::Name(space.into()));
        }
        Colors::Channels { .. } => {}
    }
}

/// The dictionary of a picture with other data: its size, coding and colors.
pub(super) fn redressed(
    dict: &Dictionary,
    pixels: &Pixels,
    filter: &str,
    parameters: Option<Dictionary>,
) -> Dictionary {
    let mut dict = dict.clone();
    for key in [b"DecodeParms".as_slice(), b"DP", b"Length", b"F", b"SMaskInData", b"Metadata"] {
        dict.remove(key);
    }
    dict.set("Width", i64::from(pixels.width));
    dict.set("Height", i64::from(pixels.height));
    dict.set("BitsPerComponent", 8);
    dict.set("Filter", Object::Name(filter.into()));
    if let Some(parameters) = parameters {
        dict.set("DecodeParms", parameters);
    }
    dict
}

/// The size in pixels that the resolution asks for at the largest placement.
pub(super) fn target(picture: &Picture<'_>, (width, height): (f32, f32), dpi: f32, worthwhile: f32) -> (u32, u32) {
    let have = (picture.width as f32 / (width / 72.0).max(0.01)).max(picture.height as f32 / (height / 72.0).max(0.01));
    if picture.fixed_size || !have.is_finite() || have <= dpi * worthwhile {
        return (picture.width, picture.height);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rounded, and clamped to the picture's size"
    )]
    let scale = |pixels: u32| ((pixels as f32 * dpi / have).round() as u32).clamp(1, pixels);
    (scale(picture.width), scale(picture.height))
}

/// By how much a JPEG's quality multiplies the steps that a quality of 50 has.
pub(super) fn steps(quality: u8) -> f32 {
    let quality = f32::from(quality.clamp(1, 99));
    if quality < 50.0 { 50.0 / quality } else { (100.0 - quality) / 50.0 }
}

/// Whether neighbours often differ a little, as in photographs. JPEG damages drawings and text.
fn is_photo(pixels: &Pixels) -> bool {
    let channels = usize::from(pixels.channels);
    // Any of four inks may be empty. Of other colors, one tells enough.
    let looked_at = if channels == 4 { 4 } else { 1 };
    let (mut alike, mut all) = (0u32, 0u32);
    for pair in pixels.data.chunks_exact(channels * 2).step_by(7) {
        all += 1;
        let (one, other) = pair.split_at(channels);
        let differs = one.iter().zip(other).take(looked_at).any(|(a, b)| (1..=24).contains(&a.abs_diff(*b)));
        alike += u32::from(differs);
    }
    alike * 4 > all
}

pub(super) fn resize(pixels: Pixels, (width, height): (u32, u32)) -> Option<Pixels> {
    if (pixels.width, pixels.height) == (width, height) {
        return Some(pixels);
    }
    let kind = match pixels.channels {
        1 => PixelType::U8,
        2 => PixelType::U8x2,
        3 => PixelType::U8x3,
        4 => PixelType::U8x4,
        _ => return None,
    };
    let size = (pixels.width, pixels.height);
    let data = resized_colors(&pixels.data, kind, size, (width, height), FilterType::Lanczos3)?;
    Some(Pixels { width, height, channels: pixels.channels, data })
}

/// `None` for channels that JPEG does not have.
fn jpeg(pixels: &Pixels, model: Model, quality: u8, effort: Effort) -> Option<Vec<u8>> {
    use mozjpeg::ColorSpace::{JCS_CMYK, JCS_GRAYSCALE, JCS_RGB, JCS_YCCK, JCS_YCbCr};
    // The colors of the samples, and those that are stored. Inks that are no colors of light are stored as they are.
    let (given, stored) = match (pixels.channels, model) {
        (1, _) => (JCS_GRAYSCALE, JCS_GRAYSCALE),
        (3, Model::Other) => (JCS_RGB, JCS_RGB),
        (3, _) => (JCS_RGB, JCS_YCbCr),
        (4, Model::Other) => (JCS_CMYK, JCS_CMYK),
        (4, _) => (JCS_CMYK, JCS_YCCK),
        _ => return None,
    };
    let encoded = std::panic::catch_unwind(|| {
        let mut encoder = mozjpeg::Compress::new(given);
        encoder.set_size(pixels.width as usize, pixels.height as usize);
        if stored != given {
            encoder.set_color_space(stored);
        }
        match effort {
            Effort::Small => {
                encoder.set_progressive_mode();
                // Trying many divisions into scans takes a third of the time, and saves 2 %.
                encoder.set_optimize_scans(false);
            }
            Effort::Fast => {
                encoder.set_fastest_defaults();
                encoder.set_optimize_coding(true);
            }
        }
        encoder.set_quality(f32::from(quality));
        let mut started = encoder.start_compress(Vec::new()).ok()?;
        started.write_scanlines(&pixels.data).ok()?;
        started.finish().ok()
    });
    encoded.ok().flatten()
}

/// Deflated with the filters of PNG, which PDF knows as predictor 15.
pub(super) fn deflated(dict: &Dictionary, pixels: &Pixels) -> Option<Stream> {
    let samples = Samples::Channels { count: pixels.channels, bits: 8 };
    let (data, parameters) = match png_data(pixels.width, pixels.height, samples, &pixels.data) {
        Some(data) => (data, Some(image_data(pixels.channels, 8, pixels.width))),
        None => (deflated_rows(&pixels.data)?, None),
    };
    Some(Stream::new(redressed(dict, pixels, "FlateDecode", parameters), data))
}

/// The same samples, compressed better.
fn repack(picture: &Picture<'_>) -> Option<Stream> {
    if picture.coding != Coding::Plain {
        return None;
    }
    let count = picture.colors.stored_channels()?;
    let samples = Samples::Channels { count, bits: picture.bits };
    let raw = picture.samples()?;
    let mut dict = picture.dict.clone();
    for key in [b"DecodeParms".as_slice(), b"DP", b"Length", b"Metadata"] {
        dict.remove(key);
    }
    dict.set("Filter", Object::Name("FlateDecode".into()));
    let data = match png_data(picture.width, picture.height, samples, &raw) {
        Some(data) => {
            dict.set("DecodeParms", image_data(count, picture.bits, picture.width));
            data
        }
        None => deflated_rows(&raw)?,
    };
    let mut stream = Stream::new(dict, data);
    stream.allows_compression = false;
    Some(stream)
}
