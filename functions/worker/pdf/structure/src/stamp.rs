//! A picture or the first page of a PDF as an object that pages can draw.

use ::image::{DynamicImage, ImageFormat, ImageReader, Limits as ImageLimits};
use docmill_formats::{Family, Format};
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::numbering::number_from;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_core::{image, pages};
use docmill_pdf_request::{ErrorCode, Failure, Limits, Request, Source, Warning};
use lopdf::{Document, Object, ObjectId, Stream, dictionary};
use svg2pdf::ConversionOptions;
use svg2pdf::usvg::{self, Tree};

use super::{impose, open};
use docmill_pdf_core::Libraries;

/// Points for each pixel of a picture without a resolution: 96 dpi.
const POINTS: f32 = 0.75;

/// An object to draw: its size in points, and the matrix from its own units to a box of that size.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// The object to draw.
    pub form: ObjectId,
    /// In points.
    pub width: f32,
    /// In points.
    pub height: f32,
    /// From its own units to a box of that size.
    pub matrix: Matrix,
}

/// Adds the source at this position to a document.
///
/// # Errors
/// If the source can't be read, or is too large.
pub fn load(
    libraries: &Libraries,
    request: &Request,
    position: usize,
    into: &mut Document,
) -> Result<(Stamp, Vec<Warning>), Failure> {
    let Some(source) = request.sources.get(position) else { return Err(refuse("no such source")) };
    if source.media == Format::Pdf {
        let opened = open(libraries, request, position)?;
        Ok((page(opened.document, into, request.limits.pages)?, opened.warnings))
    } else if source.media == Format::Svg {
        let drawn = drawing(libraries, source)?;
        Ok((page(drawn, into, 1)?, Vec::new()))
    } else if source.media.family() == Family::Picture {
        Ok((picture(source, &request.limits, into)?, Vec::new()))
    } else {
        Err(refuse("not a picture"))
    }
}

fn refuse(cause: &str) -> Failure {
    Failure::new(
        ErrorCode::UnsupportedFormat,
        "The stamp is not supported: send a PDF, PNG, JPEG, WebP, TIFF, GIF, BMP or SVG file.",
        format!("stamp: {cause}"),
    )
}

fn damaged(cause: &str) -> Failure {
    Failure::new(ErrorCode::CorruptDocument, "The stamp is damaged and cannot be read.", format!("stamp: {cause}"))
}

fn page(mut from: Document, into: &mut Document, limit: u32) -> Result<Stamp, Failure> {
    number_from(&mut from, into.max_id.saturating_add(1));
    let tree = pages::read(&mut from, limit)?;
    let Some(first) = tree.pages.first().copied() else { return Err(damaged("no page")) };
    let form = impose::form(&mut from, first)?;
    let dictionary = from.get_dictionary(first).map_err(|_| damaged("no page"))?;
    let space = PageSpace::of(&from, dictionary);
    let (width, height) = space.size();
    into.max_id = into.max_id.max(from.max_id);
    into.objects.append(&mut from.objects);
    Ok(Stamp { form, width, height, matrix: space.to_shown() })
}

fn drawing(libraries: &Libraries, source: &Source) -> Result<Document, Failure> {
    let svg = std::fs::read(&source.path).map_err(|error| Failure::io(&error))?;
    let options = usvg::Options {
        // Only what the drawing itself contains: no files and no network.
        resources_dir: None,
        image_href_resolver: usvg::ImageHrefResolver {
            resolve_data: usvg::ImageHrefResolver::default_data_resolver(),
            resolve_string: Box::new(|_, _| None),
        },
        ..libraries.fonts().options()
    };
    let tree = Tree::from_data(&svg, &options).map_err(|_| damaged("svg"))?;
    let pdf = image::svg_write(&tree, ConversionOptions::default().raster_scale, 96.0).map_err(|_| damaged("svg"))?;
    Document::load_mem(&pdf).map_err(|_| damaged("svg"))
}

fn picture(source: &Source, limits: &Limits, into: &mut Document) -> Result<Stamp, Failure> {
    let content = std::fs::read(&source.path).map_err(|error| Failure::io(&error))?;
    let image = if source.media == Format::Tiff {
        image::decode(&content, ImageFormat::Tiff, limits)?.0
    } else {
        decode(&content, limits.pixels)?
    };
    let (width, height) = (image.width(), image.height());
    let head = |space: &str| {
        dictionary! {
            "Type" => "XObject", "Subtype" => "Image", "Width" => i64::from(width), "Height" => i64::from(height),
            "BitsPerComponent" => 8, "ColorSpace" => space,
        }
    };
    let gray = matches!(image, DynamicImage::ImageLuma8(_));
    let space = if gray { "DeviceGray" } else { "DeviceRGB" };
    let mut stream = if source.media == Format::Jpeg
        && matches!(image, DynamicImage::ImageLuma8(_) | DynamicImage::ImageRgb8(_))
        && !is_cmyk(&content)
    {
        let mut stream = Stream::new(head(space), content);
        stream.dict.set("Filter", "DCTDecode");
        stream
    } else if gray {
        Stream::new(head(space), image.to_luma8().into_raw())
    } else {
        Stream::new(head(space), image.to_rgb8().into_raw())
    };
    if image.color().has_alpha() {
        let alpha: Vec<u8> = image.to_rgba8().pixels().map(|pixel| pixel.0[3]).collect();
        let mask = into.add_object(Stream::new(head("DeviceGray"), alpha));
        stream.dict.set("SMask", Object::Reference(mask));
    }
    let form = into.add_object(stream);
    let (width, height) = (width as f32 * POINTS, height as f32 * POINTS);
    // A picture is the unit square.
    Ok(Stamp { form, width, height, matrix: Matrix([width, 0.0, 0.0, height, 0.0, 0.0]) })
}

/// Decodes a picture with at most this many pixels.
///
/// # Errors
/// If it is no picture, or has more pixels.
pub fn decode(content: &[u8], pixels: u64) -> Result<DynamicImage, Failure> {
    let reader =
        || ImageReader::new(std::io::Cursor::new(content)).with_guessed_format().map_err(|error| Failure::io(&error));
    let (width, height) = reader()?.into_dimensions().map_err(|_| damaged("header"))?;
    if u64::from(width) * u64::from(height) > pixels {
        return Err(Failure::new(
            ErrorCode::RenderFailed,
            format!("The picture has {width} × {height} pixels, and {pixels} are allowed: send a smaller one."),
            "pixels beyond the limit",
        ));
    }
    let mut reader = reader()?;
    let mut limits = ImageLimits::default();
    limits.max_alloc = Some(pixels.saturating_mul(16));
    reader.limits(limits);
    reader.decode().map_err(|_| damaged("content"))
}

/// Whether a JPEG has four components, by its frame header.
fn is_cmyk(jpeg: &[u8]) -> bool {
    let mut at = 2;
    while let Some([0xFF, marker, high, low]) = jpeg.get(at..at + 4) {
        // Any kind of frame. Tables share the range of markers.
        if matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC) {
            return jpeg.get(at + 9) == Some(&4);
        }
        at += 2 + usize::from(u16::from_be_bytes([*high, *low]));
    }
    false
}
