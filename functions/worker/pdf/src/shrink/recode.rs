//! Re-encodes pictures: at a lower resolution, and in the format that suits them.

use fast_image_resize::{FilterType, PixelType};
use lopdf::{Dictionary, Document, Object, Stream};

use super::Quality;
use super::picture::{Coding, Colors, Picture, Pixels, redressed};
use crate::image::deflate::{Samples, image_data, png_data};
use crate::image::{jpeg_coarseness, resized};

/// Photographs are resampled only above this multiple of the requested resolution. Below it, the gain is not worth the blur.
const WORTHWHILE: f32 = 1.25;
/// The same for text and drawings, which lose more by it.
const WORTHWHILE_IF_SHARP: f32 = 1.5;
/// A new encoding must save a tenth. Otherwise the old one is kept.
const SAVING: usize = 10;
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

/// The picture made smaller, or `None` if it can't be or isn't worth it. `placed` is its size on the page, in points.
pub(super) fn recode(
    document: &Document,
    stream: &Stream,
    placed: (f32, f32),
    is_mask: bool,
    quality: &Quality,
    most: u64,
) -> Option<Stream> {
    let picture = Picture::new(document, stream, most)?;
    let lossless = || {
        let better = repack(&picture)?;
        (better.content.len() < stream.content.len()).then_some(better)
    };
    let Some((dpi, jpeg_quality)) = quality.pictures else { return lossless() };
    let own_size = (picture.width, picture.height);
    let least = target(&picture, placed, dpi, WORTHWHILE);
    if least == own_size && matches!(picture.colors, Colors::Palette { .. }) {
        return lossless();
    }
    if least == own_size
        && picture.coding == Coding::Jpeg
        && jpeg_coarseness(&stream.content).is_some_and(|coarseness| coarseness >= COARSER * steps(jpeg_quality))
    {
        return None;
    }
    let pixels = picture.decode(least)?;
    let kind = Kind::of(&picture, &pixels, is_mask);
    let size = match kind {
        Kind::Photo | Kind::Mask => least,
        Kind::Drawing => target(&picture, placed, dpi, WORTHWHILE_IF_SHARP),
    };
    if size == own_size && kind == Kind::Mask {
        return lossless();
    }
    let pixels = resize(pixels, size)?;
    let exact = || if size == own_size { repack(&picture) } else { deflated(&stream.dict, &pixels) };
    let new = encoded(&picture, &pixels, kind, exact, (jpeg_quality, Effort::Small))?;
    if is_worth(&new, stream) { Some(new) } else { lossless() }
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
        } else if picture.coding != Coding::Lossless || is_photo(pixels) {
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
    let dict = &picture.stream.dict;
    let coded = |quality| {
        let data = jpeg(pixels, quality, effort)?;
        Some(Stream::new(redressed(dict, pixels, "DCTDecode", None), data))
    };
    let mut new = match kind {
        Kind::Photo => coded(quality)?,
        Kind::Drawing => {
            let exact = exact();
            let bytes = exact.as_ref().unwrap_or(picture.stream).content.len();
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

/// Whether a new encoding saves enough.
pub(super) fn is_worth(new: &Stream, old: &Stream) -> bool {
    new.content.len() < old.content.len() / SAVING * (SAVING - 1)
}

fn is_jpeg(stream: &Stream) -> bool {
    stream.filters().is_ok_and(|filters| filters == [b"DCTDecode"])
}

/// Names the colors of pixels that had a palette, or a picture's own colors.
fn name_colors(new: &mut Stream, picture: &Picture<'_>, pixels: &Pixels) {
    if matches!(picture.colors, Colors::Palette { .. } | Colors::Own) {
        new.dict.set("ColorSpace", Object::Name(if pixels.channels == 1 { "DeviceGray" } else { "DeviceRGB" }.into()));
    }
}

/// The size in pixels that the resolution asks for at the largest placement.
pub(super) fn target(picture: &Picture<'_>, (width, height): (f32, f32), dpi: f32, worthwhile: f32) -> (u32, u32) {
    let have = (picture.width as f32 / (width / 72.0).max(0.01)).max(picture.height as f32 / (height / 72.0).max(0.01));
    if picture.fixed_size || !have.is_finite() || have <= dpi * worthwhile {
        return (picture.width, picture.height);
    }
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
    let (mut alike, mut all) = (0u32, 0u32);
    for pair in pixels.data.chunks_exact(channels * 2).step_by(7) {
        all += 1;
        alike += u32::from((1..=24).contains(&pair[0].abs_diff(pair[channels])));
    }
    alike * 4 > all
}

pub(super) fn resize(pixels: Pixels, (width, height): (u32, u32)) -> Option<Pixels> {
    if (pixels.width, pixels.height) == (width, height) {
        return Some(pixels);
    }
    let kind = if pixels.channels == 1 { PixelType::U8 } else { PixelType::U8x3 };
    let size = (pixels.width, pixels.height);
    let data = resized(&pixels.data, kind, size, (width, height), FilterType::Lanczos3)?;
    Some(Pixels { width, height, channels: pixels.channels, data })
}

fn jpeg(pixels: &Pixels, quality: u8, effort: Effort) -> Option<Vec<u8>> {
    let encoded = std::panic::catch_unwind(|| {
        let gray = pixels.channels == 1;
        let space = if gray { mozjpeg::ColorSpace::JCS_GRAYSCALE } else { mozjpeg::ColorSpace::JCS_RGB };
        let mut encoder = mozjpeg::Compress::new(space);
        encoder.set_size(pixels.width as usize, pixels.height as usize);
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
    let samples = if pixels.channels == 1 { Samples::Gray } else { Samples::Rgb };
    let data = png_data(pixels.width, pixels.height, samples, &pixels.data)?;
    let dict = redressed(dict, pixels, "FlateDecode", Some(image_data(pixels.channels, 8, pixels.width)));
    Some(Stream::new(dict, data))
}

/// The same samples, compressed better.
fn repack(picture: &Picture<'_>) -> Option<Stream> {
    if picture.coding != Coding::Lossless {
        return None;
    }
    let samples = match &picture.colors {
        Colors::Gray => Samples::Gray,
        Colors::Rgb => Samples::Rgb,
        Colors::Palette { bits, .. } => Samples::Indices { bits: *bits },
        Colors::Own => return None,
    };
    let (_, channels, bits) = samples.description();
    let data = png_data(picture.width, picture.height, samples, &picture.samples()?)?;
    let mut dict = picture.stream.dict.clone();
    for key in [b"DecodeParms".as_slice(), b"Length", b"Metadata"] {
        dict.remove(key);
    }
    dict.set("Filter", Object::Name("FlateDecode".into()));
    dict.set("DecodeParms", image_data(channels, bits, picture.width));
    let mut stream = Stream::new(dict, data);
    stream.allows_compression = false;
    Some(stream)
}
