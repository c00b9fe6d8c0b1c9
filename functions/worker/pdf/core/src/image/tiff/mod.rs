//! The frames of a TIFF file.

mod rewrite;
mod samples;

use std::collections::BTreeSet;
use std::io::Cursor;

use docmill_pdf_request::{ErrorCode, Failure, Limits};
use image::DynamicImage;
use image::metadata::Orientation;
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::{CompressionMethod, Tag};
use tiff::{ColorType, TiffError, TiffUnsupportedError};

use super::deflate;
use super::header::sound;
use super::stream::{Embedded, check_size, image_stream};
use samples::Samples;

/// `Compression` that the decoder takes for a wrong subsampling.
const OLD_JPEG: u16 = 6;
/// `PlanarConfiguration` of channels in planes of their own.
const PLANAR: u16 = 2;
/// `ExtraSamples` that are alpha: premultiplied, or not.
const ALPHA: [u16; 2] = [1, 2];

pub(super) fn frames(
    data: &[u8],
    limits: &Limits,
    most: usize,
    each: &mut impl FnMut(Embedded) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let rewritten = rewrite::rewrite(data, most).map_err(failure)?;
    let mut file = File::open(&rewritten.data, rewritten.palettes, limits)?;
    for number in 0..most {
        each(file.embedded(number, limits)?)?;
        if !file.decoder.more_images() {
            return Ok(());
        }
        file.decoder.next_image().map_err(failure)?;
    }
    Err(Failure::new(
        ErrorCode::PageLimitExceeded,
        format!("The TIFF file has more than {most} images. Split it first."),
        "tiff: frames",
    ))
}

/// The first frame.
pub(super) fn first(data: &[u8], limits: &Limits) -> Result<(DynamicImage, Orientation), Failure> {
    let rewritten = rewrite::rewrite(data, 1).map_err(failure)?;
    let mut file = File::open(&rewritten.data, rewritten.palettes, limits)?;
    let orientation = file.orientation();
    Ok((file.samples(0, limits)?.into_image()?, orientation))
}

/// What is known of the first frame before its pixels are read.
#[derive(Debug)]
pub struct Header {
    /// In pixels, before it is turned.
    pub width: u32,
    /// As for `width`.
    pub height: u32,
    /// Those of the result: a palette has three of 8 bits.
    pub channels: u8,
    /// Bits of a channel.
    pub bits: u8,
    /// Whether one of the channels is transparency.
    pub has_alpha: bool,
    /// Whether it has a color profile.
    pub has_profile: bool,
    /// How a viewer turns it.
    pub orientation: Orientation,
}

/// Reads what a TIFF says of its first frame.
///
/// # Errors
/// If the file is damaged or above a limit.
pub fn header(data: &[u8], limits: &Limits) -> Result<Header, Failure> {
    let rewritten = rewrite::rewrite(data, 1).map_err(failure)?;
    let is_palette = !rewritten.palettes.is_empty();
    let mut file = File::open(&rewritten.data, rewritten.palettes, limits)?;
    let (width, height) = file.decoder.dimensions().map_err(failure)?;
    let color = file.decoder.colortype().map_err(failure)?;
    Ok(Header {
        width,
        height,
        channels: if is_palette { 3 } else { u8::try_from(color.num_samples()).unwrap_or(u8::MAX) },
        bits: if is_palette { 8 } else { color.bit_depth() },
        has_alpha: file.has_alpha(),
        has_profile: file.decoder.find_tag(Tag::IccProfile).ok().flatten().is_some(),
        orientation: file.orientation(),
    })
}

struct File<'d> {
    decoder: Decoder<Cursor<&'d [u8]>>,
    palettes: BTreeSet<usize>,
}

impl<'d> File<'d> {
    fn open(data: &'d [u8], palettes: BTreeSet<usize>, limits: &Limits) -> Result<Self, Failure> {
        let mut bounds = tiff::decoder::Limits::default();
        bounds.decoding_buffer_size = usize::try_from(limits.memory_bytes / 3).unwrap_or(usize::MAX);
        bounds.intermediate_buffer_size = bounds.decoding_buffer_size;
        let decoder = Decoder::new(Cursor::new(data)).map_err(failure)?.with_limits(bounds);
        Ok(Self { decoder, palettes })
    }

    fn embedded(&mut self, number: usize, limits: &Limits) -> Result<Embedded, Failure> {
        let (orientation, dpi) = (self.orientation(), self.dpi());
        let samples = self.samples(number, limits)?;
        let (width, height) = (samples.width, samples.height);
        let (stream, soft_mask) = match &samples {
            Samples { color: ColorType::Gray(1), data: DecodingResult::U8(data), palette: None, .. } => {
                (image_stream(width, height, deflate::Samples::Bits, data)?, None)
            }
            _ => super::stream::deflate(&samples.into_image()?)?,
        };
        Ok(Embedded { stream, soft_mask, profile: None, width, height, orientation, dpi })
    }

    fn samples(&mut self, number: usize, limits: &Limits) -> Result<Samples, Failure> {
        let (width, height) = self.decoder.dimensions().map_err(failure)?;
        check_size(width, height, limits)?;
        if self.number(Tag::Compression) == Some(OLD_JPEG) {
            return Err(failure(TiffUnsupportedError::UnsupportedCompressionMethod(CompressionMethod::JPEG).into()));
        }
        let color = self.decoder.colortype().map_err(failure)?;
        let palette = if self.palettes.contains(&number) { Some(self.palette()?) } else { None };
        let is_planar = self.number(Tag::PlanarConfiguration) == Some(PLANAR);
        let has_alpha = self.has_alpha();
        let mut data = DecodingResult::U8(Vec::new());
        let layout = self.decoder.read_image_to_buffer(&mut data).map_err(failure)?;
        if data.as_buffer(0).byte_len() < layout.complete_len {
            return Err(failure(TiffError::LimitsExceeded));
        }
        let planes = (is_planar && layout.planes > 1).then_some(layout.planes);
        Ok(Samples { width, height, color, data, planes, has_alpha, palette })
    }

    /// A file has all red values, then all green and all blue ones. Old programs wrote values of 8 bits.
    fn palette(&mut self) -> Result<Vec<[u8; 3]>, Failure> {
        let values = self.decoder.get_tag_u16_vec(Tag::ColorMap).map_err(failure)?;
        let shift = if values.iter().any(|value| *value > 0xff) { 8 } else { 0 };
        let channel = |value: &u16| u8::try_from(value >> shift).unwrap_or(u8::MAX);
        let (reds, rest) = values.split_at(values.len() / 3);
        let (greens, blues) = rest.split_at(reds.len());
        let colors = reds.iter().zip(greens).zip(blues);
        Ok(colors.map(|((red, green), blue)| [red, green, blue].map(channel)).collect())
    }

    fn has_alpha(&mut self) -> bool {
        let extra = self.decoder.find_tag_unsigned_vec::<u16>(Tag::ExtraSamples).ok().flatten().unwrap_or_default();
        extra.first().is_some_and(|extra| ALPHA.contains(extra))
    }

    fn number(&mut self, tag: Tag) -> Option<u16> {
        self.decoder.find_tag_unsigned(tag).ok().flatten()
    }

    fn orientation(&mut self) -> Orientation {
        let given = self.number(Tag::Orientation).and_then(|value| Orientation::from_exif(u8::try_from(value).ok()?));
        given.unwrap_or(Orientation::NoTransforms)
    }

    fn dpi(&mut self) -> Option<(f32, f32)> {
        let unit = self.number(Tag::ResolutionUnit).unwrap_or(2);
        #[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
        let mut resolution = |tag| self.decoder.find_tag(tag).ok().flatten()?.into_f64().ok().map(|value| value as f32);
        let per_inch = if unit == 3 { 2.54 } else { 1.0 };
        let (x, y) = (resolution(Tag::XResolution)?, resolution(Tag::YResolution)?);
        sound(x * per_inch, y * per_inch).filter(|_| unit != 1)
    }
}

/// What is not supported is no damage: other programs can open it and save it in another way.
fn unsupported(what: &str) -> Failure {
    Failure::new(
        ErrorCode::UnsupportedFormat,
        format!(
            "This TIFF file's {what} is not supported. Save it without compression in RGB or gray with 8 bits, or as PNG."
        ),
        "tiff: unsupported",
    )
}

fn failure(error: TiffError) -> Failure {
    match error {
        TiffError::LimitsExceeded => Failure::new(
            ErrorCode::RenderFailed,
            "The image needs more memory than there is. Send a smaller one.",
            "tiff: limits",
        ),
        TiffError::UnsupportedError(error) => unsupported(&name(&error)),
        TiffError::FormatError(_) | TiffError::IoError(_) | TiffError::IntSizeError | TiffError::UsageError(_) => {
            super::damaged("tiff: damaged")
        }
    }
}

#[allow(clippy::wildcard_enum_match_arm, reason = "the library's list is open")]
fn name(error: &TiffUnsupportedError) -> String {
    match error {
        TiffUnsupportedError::UnsupportedCompressionMethod(method) => match compression(method.to_u16()) {
            Some(name) => format!("compression ({name})"),
            None => format!("compression (number {})", method.to_u16()),
        },
        TiffUnsupportedError::InterpretationWithBits(..)
        | TiffUnsupportedError::UnsupportedColorType(_)
        | TiffUnsupportedError::UnknownInterpretation => "color space or number of bits".to_owned(),
        TiffUnsupportedError::ChromaSubsampling => "color subsampling".to_owned(),
        TiffUnsupportedError::HorizontalPredictor(_) | TiffUnsupportedError::FloatingPointPredictor(_) => {
            "predictor".to_owned()
        }
        TiffUnsupportedError::InconsistentBitsPerSample(_) => "mix of numbers of bits".to_owned(),
        TiffUnsupportedError::UnsupportedSampleFormat(_) => "kind of samples".to_owned(),
        _ => "variant".to_owned(),
    }
}

/// Names by which programs offer a compression.
const fn compression(number: u16) -> Option<&'static str> {
    Some(match number {
        2 => "CCITT modified Huffman",
        3 => "CCITT Group 3",
        6 => "old JPEG",
        32_766 => "NeXT",
        32_809 => "ThunderScan",
        34_676 | 34_677 => "SGI LogLuv",
        34_712 => "JPEG 2000",
        34_887 => "LERC",
        34_925 => "LZMA",
        34_933 => "PNG",
        34_934 => "JPEG XR",
        50_000 => "Zstandard",
        50_001 => "WebP",
        50_002 | 52_546 => "JPEG XL",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { pages: 10, output_bytes: 1 << 20, pixels: 1_000_000, memory_bytes: 1 << 28 };

    /// A file of 4 × 2 pixels.
    fn file(bits: &[u16], interpretation: u16, more: &[(u16, &[u16])], pixels: &[u8]) -> Vec<u8> {
        let (samples, length) = ([bits.len() as u16], [pixels.len() as u16]);
        let own: [(u16, &[u16]); 9] = [
            (256, &[4]),
            (257, &[2]),
            (258, bits),
            (259, &[1]),
            (262, &[interpretation]),
            (273, &[8]),
            (277, &samples),
            (278, &[2]),
            (279, &length),
        ];
        let mut entries: std::collections::BTreeMap<u16, &[u16]> = own.into();
        entries.extend(more.iter().copied());
        let directory = 8 + pixels.len().next_multiple_of(2);
        let mut beyond = directory + 6 + 12 * entries.len();
        let mut written = [b"II*\0".as_slice(), &(directory as u32).to_le_bytes(), pixels].concat();
        written.resize(directory, 0);
        written.extend((entries.len() as u16).to_le_bytes());
        let mut values_beyond = Vec::new();
        for (tag, values) in entries {
            let mut bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            if bytes.len() > 4 {
                let place = (beyond as u32).to_le_bytes().to_vec();
                beyond += bytes.len();
                values_beyond.extend(std::mem::replace(&mut bytes, place));
            }
            bytes.resize(4, 0);
            written.extend([tag.to_le_bytes(), 3_u16.to_le_bytes()].concat());
            written.extend((values.len() as u32).to_le_bytes());
            written.extend(bytes);
        }
        written.extend([0; 4]);
        written.extend(values_beyond);
        written
    }

    /// The first row in RGBA.
    fn row(file: &[u8]) -> Vec<[u8; 4]> {
        let (image, _) = first(file, &LIMITS).unwrap();
        image.to_rgba8().pixels().take(4).map(|pixel| pixel.0).collect()
    }

    fn grey(levels: [u8; 4]) -> Vec<[u8; 4]> {
        levels.map(|level| [level, level, level, 255]).to_vec()
    }

    #[test]
    fn levels_of_few_bits_are_spread() {
        assert_eq!(row(&file(&[2], 1, &[], &[0b0001_1011, 0])), grey([0, 85, 170, 255]));
        assert_eq!(row(&file(&[2], 0, &[], &[0b0001_1011, 0])), grey([255, 170, 85, 0]));
        assert_eq!(row(&file(&[4], 1, &[], &[0x0f, 0x80, 0, 0])), grey([0, 255, 136, 0]));
        assert_eq!(row(&file(&[1], 1, &[], &[0b1010_0000, 0])), grey([255, 0, 255, 0]));
    }

    #[test]
    fn a_palette_gives_its_colors() {
        let colors = [0xffff, 0, 0x8000, 0, /* green */ 0, 0xffff, 0x8000, 0, /* blue */ 0, 0, 0x8000, 0];
        let palette = file(&[2], 3, &[(320, &colors)], &[0b0001_1011, 0]);
        assert_eq!(row(&palette), [[255, 0, 0, 255], [0, 255, 0, 255], [128, 128, 128, 255], [0, 0, 0, 255]]);
        let old: Vec<u16> = colors.iter().map(|value| value >> 8).collect();
        assert_eq!(row(&file(&[2], 3, &[(320, &old)], &[0b0001_1011, 0])), row(&palette));
    }

    #[test]
    fn channels_in_planes_are_joined() {
        let planes = [[1, 2, 3, 4, 0, 0, 0, 0], [11, 12, 13, 14, 0, 0, 0, 0], [21, 22, 23, 24, 0, 0, 0, 0]].concat();
        let more: [(u16, &[u16]); 3] = [(284, &[2]), (273, &[8, 16, 24]), (279, &[8, 8, 8])];
        let expected = [[1, 11, 21, 255], [2, 12, 22, 255], [3, 13, 23, 255], [4, 14, 24, 255]];
        assert_eq!(row(&file(&[8; 3], 2, &more, &planes)), expected);
    }

    #[test]
    fn other_color_spaces_become_rgb() {
        let luma = [76, 85, 255, 150, 44, 21, 29, 255, 107, 128, 128, 128].repeat(2);
        let colors = row(&file(&[8; 3], 6, &[(530, &[1, 1])], &luma));
        assert_eq!(colors, [[254, 0, 0, 255], [0, 255, 1, 255], [0, 0, 254, 255], [128, 128, 128, 255]]);
        let inks = [0_u16, 0, 0, 0, 0xffff, 0, 0, 0, 0, 0xffff, 0xffff, 0, 0, 0, 0, 0xffff].repeat(2);
        let inks: Vec<u8> = inks.into_iter().flat_map(u16::to_le_bytes).collect();
        let colors = row(&file(&[16; 4], 5, &[], &inks));
        assert_eq!(colors, [[255; 4], [0, 255, 255, 255], [255, 0, 0, 255], [0, 0, 0, 255]]);
        let levels = [9, 255, 9, 0, 200, 128, 7, 255].repeat(2);
        let seen = row(&file(&[8; 2], 1, &[(338, &[2])], &levels));
        assert_eq!(seen, [[9, 9, 9, 255], [9, 9, 9, 0], [200, 200, 200, 128], [7, 7, 7, 255]]);
    }

    #[test]
    fn bytes_may_begin_with_their_last_bit() {
        assert_eq!(row(&file(&[1], 1, &[(266, &[2])], &[0b0000_0101, 0])), grey([255, 0, 255, 0]));
    }

    #[test]
    fn what_is_not_supported_is_named_and_not_called_damaged() {
        let refusal =
            |bits: &[u16], more: &[(u16, &[u16])]| first(&file(bits, 1, more, &[0; 32]), &LIMITS).unwrap_err();
        for (bits, more, what) in [
            ([1], (259, [3]), "compression (CCITT Group 3)"),
            ([8], (259, [6]), "compression (old JPEG)"),
            ([8], (259, [50_000]), "compression (Zstandard)"),
            ([8], (259, [4711]), "compression (number 4711)"),
            ([12], (259, [1]), "color space or number of bits"),
            ([32], (339, [3]), "kind of samples (numbers of 32 bits)"),
        ] {
            let failure = refusal(&bits, &[(more.0, &more.1)]);
            assert_eq!(failure.code, ErrorCode::UnsupportedFormat, "{what}");
            assert!(
                failure.message.starts_with(&format!("This TIFF file's {what} is not supported. Save")),
                "{failure:?}"
            );
        }
        let cut = &file(&[8], 1, &[], &[0; 8])[..20];
        assert_eq!(first(cut, &LIMITS).unwrap_err().code, ErrorCode::CorruptDocument);
    }
}
