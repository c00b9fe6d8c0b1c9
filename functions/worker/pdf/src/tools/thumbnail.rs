//! thumbnail: a small picture of a page or an image.

use docmill_formats::Format;
use docmill_pdf_core::image::{Encoding, PictureFormat, decode, decoder_of, encode, resized, svg_to_pdf};
use docmill_pdf_core::pdfium::{Background, Bitmap};
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Request, Source, Warning};
use fast_image_resize::{FilterType, PixelType};
use image::{DynamicImage, ImageFormat};
use serde::Deserialize;

use super::raster::{self, Size};
use docmill_pdf_core::Libraries;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    width: u32,
    height: u32,
    fit: Fit,
    page: u32,
    format: PictureFormat,
    quality: u8,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 320, height: 320, fit: Fit::Contain, page: 1, format: PictureFormat::Png, quality: 80 }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Fit {
    #[default]
    Contain,
    Cover,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let source = super::only_source(request)?;
    let mut warnings = Vec::new();
    let picture = if source.media == Format::Pdf {
        let (picture, skipped) = page(libraries, request, source, &options)?;
        warnings.extend(skipped);
        picture
    } else if source.media == Format::Svg {
        drawing(libraries, request, source, &options)?
    } else if let Some(format) = decoder_of(source.media) {
        picture(request, source, format, &options)?
    } else {
        let message = "There are thumbnails of PDF files and images only. Convert the document first.";
        return Err(Failure::new(ErrorCode::UnsupportedFormat, message, "neither PDF nor image"));
    };
    Ok(Outcome { warnings, ..finish(request, &picture, &options)? })
}

/// A drawing becomes a page first.
fn drawing(libraries: &Libraries, request: &Request, source: &Source, options: &Options) -> Result<Bitmap, Failure> {
    let drawn = request.directory.join("drawing.pdf");
    std::fs::write(&drawn, svg_to_pdf(&super::images_to_pdf::read(&source.path)?, libraries.fonts())?)
        .map_err(|error| Failure::io(&error))?;
    let drawing = Source { path: drawn.clone(), media: Format::Pdf, password: None, ..source.clone() };
    let picture = page(libraries, request, &drawing, &Options { page: 1, ..*options });
    std::fs::remove_file(&drawn).map_err(|error| Failure::io(&error))?;
    picture.map(|(picture, _no_form)| picture)
}

fn finish(request: &Request, picture: &Bitmap, options: &Options) -> Result<Outcome, Failure> {
    let encoding = Encoding { format: options.format, quality: options.quality, grayscale: false, dpi: None };
    let media = options.format.media();
    let file = format!("thumbnail.{}", media.extension());
    std::fs::write(request.directory.join(&file), encode(picture, &encoding)?).map_err(|error| Failure::io(&error))?;
    let (width, height) = (Some(picture.width), Some(picture.height));
    Ok(Outcome { artifacts: vec![Artifact { width, height, ..Artifact::new(file, media) }], ..Outcome::default() })
}

fn page(
    libraries: &Libraries,
    request: &Request,
    source: &Source,
    options: &Options,
) -> Result<(Bitmap, Option<Warning>), Failure> {
    let session = libraries.pdfium()?.session();
    let document = raster::open(libraries, &session, request, source)?;
    let pages = raster::page_count(&document, request)?;
    if options.page == 0 || options.page > pages {
        return Err(Failure::new(
            ErrorCode::RenderFailed,
            format!("There is no page {}: the document has {pages}.", options.page),
            "no such page",
        ));
    }
    let page = document.page(options.page - 1)?;
    let size = size(page.size(), options, false, request.limits.pixels)?;
    let drawn = page.render(size.width, size.height, Background::Color([255; 3]))?;
    Ok((crop(drawn, options), raster::fields_skipped(&document)))
}

fn picture(request: &Request, source: &Source, format: ImageFormat, options: &Options) -> Result<Bitmap, Failure> {
    let data = super::images_to_pdf::read(&source.path)?;
    let (mut image, orientation, _) = decode(&data, format, &request.limits)?;
    let transparent = image.color().has_alpha() && options.format.has_alpha();
    if image.color().has_alpha() && !transparent {
        image = on_white(&image);
    }
    let turned = matches!(
        orientation,
        image::metadata::Orientation::Rotate90
            | image::metadata::Orientation::Rotate270
            | image::metadata::Orientation::Rotate90FlipH
            | image::metadata::Orientation::Rotate270FlipH
    );
    let (width, height) = (image.width() as f32, image.height() as f32);
    let shown = size(if turned { (height, width) } else { (width, height) }, options, true, request.limits.pixels)?;
    let stored = if turned { Size { width: shown.height, height: shown.width } } else { shown };
    let pixels = image.into_rgba8();
    let failed = || Failure::internal("resampling");
    let (width, height) = (stored.width, stored.height);
    let small = resized(&pixels, PixelType::U8x4, pixels.dimensions(), (width, height), FilterType::Lanczos3);
    let small = small.and_then(|small| image::RgbaImage::from_raw(width, height, small)).ok_or_else(failed)?;
    let mut small = DynamicImage::ImageRgba8(small);
    small.apply_orientation(orientation);
    let small = small.into_rgba8();
    let bitmap = Bitmap { width: small.width(), height: small.height(), data: small.into_raw(), transparent };
    Ok(crop(bitmap, options))
}

fn on_white(image: &DynamicImage) -> DynamicImage {
    let mut pixels = image.to_rgba8();
    for pixel in pixels.pixels_mut() {
        let [colors @ .., alpha] = &mut pixel.0;
        let opaque = u32::from(*alpha);
        for color in colors {
            let mixed = (u32::from(*color) * opaque + 255 * (255 - opaque)) / 255;
            *color = u8::try_from(mixed).unwrap_or(u8::MAX);
        }
        *alpha = 255;
    }
    DynamicImage::ImageRgba8(pixels)
}

/// The size before cropping. Images, unlike pages, are not enlarged.
fn size((width, height): (f32, f32), options: &Options, natural: bool, most: u64) -> Result<Size, Failure> {
    let (by_width, by_height) = (options.width as f32 / width, options.height as f32 / height);
    let scale = match options.fit {
        Fit::Contain => by_width.min(by_height),
        Fit::Cover => by_width.max(by_height),
    };
    let scale = if natural { scale.min(1.0) } else { scale };
    raster::size((width, height), &raster::Fit::Dpi(scale * 72.0), most)
}

/// Crops a picture to its middle.
fn crop(bitmap: Bitmap, options: &Options) -> Bitmap {
    let (width, height) = (bitmap.width.min(options.width), bitmap.height.min(options.height));
    if options.fit == Fit::Contain || (width, height) == (bitmap.width, bitmap.height) {
        return bitmap;
    }
    let (left, top) = ((bitmap.width - width) / 2, (bitmap.height - height) / 2);
    let row = bitmap.width as usize * 4;
    let cut = left as usize * 4..(left + width) as usize * 4;
    let rows = bitmap.data.chunks_exact(row).skip(top as usize).take(height as usize);
    let data = rows.flat_map(|row| row.get(cut.clone()).unwrap_or_default()).copied().collect();
    Bitmap { width, height, data, transparent: bitmap.transparent }
}
