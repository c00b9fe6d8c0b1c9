use std::io::Cursor;
use std::path::PathBuf;

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Source, Tool};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use serde_json::{Value, json};

use crate::{Run, run, source};

/// Red on the left, blue on the right; wider than high.
fn two_colors() -> DynamicImage {
    let color = |x, _| if x < 60 { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) };
    DynamicImage::ImageRgb8(RgbImage::from_fn(120, 80, color))
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn add(&self, name: &str, media: Format, data: &[u8]) -> Source {
        let path: PathBuf = self.0.path().join(name);
        std::fs::write(&path, data).unwrap();
        source(&path, media)
    }
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut data = Cursor::new(Vec::new());
    image.write_to(&mut data, format).unwrap();
    data.into_inner()
}

/// The pages of a result as pictures of 96 dpi.
fn drawn(made: &Run) -> Vec<DynamicImage> {
    let path = made.path(&made.outcome().artifacts[0]);
    let run = run(Tool::PdfToImages, vec![source(&path, Format::Pdf)], json!({"dpi": 96}));
    run.files().iter().map(|file| image::load_from_memory(file).unwrap()).collect()
}

fn made(sources: Vec<Source>, options: Value) -> Run {
    run(Tool::ImagesToPdf, sources, options)
}

fn near(image: &DynamicImage, x: u32, y: u32, color: [u8; 3]) -> bool {
    let pixel = image.to_rgb8().get_pixel(x, y).0;
    pixel.iter().zip(color).all(|(is, was)| is.abs_diff(was) < 12)
}

#[test]
fn every_format_becomes_a_page() {
    let files = Files::new();
    let formats = [
        ("a.png", Format::Png, ImageFormat::Png),
        ("a.jpg", Format::Jpeg, ImageFormat::Jpeg),
        ("a.webp", Format::Webp, ImageFormat::WebP),
        ("a.gif", Format::Gif, ImageFormat::Gif),
        ("a.bmp", Format::Bmp, ImageFormat::Bmp),
        ("a.tiff", Format::Tiff, ImageFormat::Tiff),
    ];
    let sources = formats.map(|(name, media, format)| files.add(name, media, &encoded(&two_colors(), format)));
    let result = made(sources.to_vec(), json!({}));
    assert_eq!(result.outcome().artifacts[0].pages, Some(6));
    for (page, format) in drawn(&result).iter().zip(formats) {
        assert_eq!((page.width(), page.height()), (120, 80), "{format:?}");
        assert!(near(page, 20, 40, [255, 0, 0]) && near(page, 100, 40, [0, 0, 255]), "{format:?}");
    }
}

#[test]
fn jpeg_data_is_not_changed() {
    let files = Files::new();
    let data = encoded(&two_colors(), ImageFormat::Jpeg);
    let result = made(vec![files.add("a.jpg", Format::Jpeg, &data)], json!({})).files().remove(0);
    assert!(result.windows(data.len()).any(|window| window == data));
}

#[test]
fn a_photograph_is_turned_as_its_camera_says() {
    let files = Files::new();
    let data = encoded(&two_colors(), ImageFormat::Jpeg);
    // An EXIF segment with orientation 6: turn clockwise to look at it.
    let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let mut turned = data[..2].to_vec();
    turned.extend([0xff, 0xe1]);
    turned.extend((exif.len() as u16 + 2).to_be_bytes());
    turned.extend(exif);
    turned.extend(&data[2..]);
    let page = drawn(&made(vec![files.add("a.jpg", Format::Jpeg, &turned)], json!({}))).remove(0);
    assert_eq!((page.width(), page.height()), (80, 120));
    assert!(near(&page, 40, 20, [255, 0, 0]) && near(&page, 40, 100, [0, 0, 255]));
}

#[test]
fn transparency_shows_the_page() {
    let files = Files::new();
    let color = |x, _| if x < 50 { Rgba([0, 128, 0, 255]) } else { Rgba([0, 128, 0, 0]) };
    let image = DynamicImage::ImageRgba8(RgbaImage::from_fn(100, 100, color));
    let page =
        drawn(&made(vec![files.add("a.png", Format::Png, &encoded(&image, ImageFormat::Png))], json!({}))).remove(0);
    assert!(near(&page, 20, 50, [0, 128, 0]) && near(&page, 80, 50, [255, 255, 255]));
}

#[test]
fn drawings_stay_drawings() {
    let files = Files::new();
    let svg = br##"<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="100" height="100" fill="#00f"/>
        <text x="110" y="50" font-family="Liberation Sans" font-size="20">Mill</text>
        <image href="/etc/passwd" width="9" height="9"/></svg>"##;
    let result = made(vec![files.add("a.svg", Format::Svg, svg)], json!({}));
    let page = drawn(&result).remove(0);
    assert_eq!((page.width(), page.height()), (200, 100));
    assert!(near(&page, 50, 50, [0, 0, 255]));
    let path = result.path(&result.outcome().artifacts[0]);
    let text = run(Tool::PdfToText, vec![source(&path, Format::Pdf)], json!({})).files().remove(0);
    assert_eq!(String::from_utf8(text).unwrap().trim(), "Mill");
}

#[test]
fn pages_have_the_size_and_margin_asked_for() {
    let files = Files::new();
    let image = files.add("a.png", Format::Png, &encoded(&two_colors(), ImageFormat::Png));
    let page = drawn(&made(vec![image], json!({"pageSize": "A4", "margin": "1in"}))).remove(0);
    assert_eq!((page.width(), page.height()), (1123, 794));
    assert!(near(&page, 90, 397, [255, 255, 255]) && near(&page, 150, 397, [255, 0, 0]));
}

#[test]
fn one_pixel_has_a_page_too() {
    let files = Files::new();
    let dot = DynamicImage::ImageRgb8(RgbImage::from_pixel(1, 1, Rgb([255, 0, 0])));
    let page =
        drawn(&made(vec![files.add("a.png", Format::Png, &encoded(&dot, ImageFormat::Png))], json!({}))).remove(0);
    assert_eq!((page.width(), page.height()), (4, 4), "3 points at 96 dpi");
    assert!(near(&page, 2, 2, [255, 0, 0]));
}

#[test]
fn damaged_images_end_in_a_typed_error() {
    let files = Files::new();
    let png = encoded(&two_colors(), ImageFormat::Png);
    let failure = |name, media, data: &[u8]| made(vec![files.add(name, media, data)], json!({})).failure().code;
    assert_eq!(failure("a.png", Format::Png, &png[..png.len() / 2]), ErrorCode::CorruptDocument);
    assert_eq!(failure("a.jpg", Format::Jpeg, b"\xff\xd8\xff"), ErrorCode::CorruptDocument);
    // Its header is whole, and its pixels are missing.
    let jpeg = encoded(&two_colors(), ImageFormat::Jpeg);
    let scan = jpeg.windows(2).position(|pair| pair == [0xff, 0xda]).unwrap();
    assert_eq!(failure("b.jpg", Format::Jpeg, &jpeg[..scan]), ErrorCode::CorruptDocument);
    assert_eq!(failure("a.svg", Format::Svg, b"<svg"), ErrorCode::CorruptDocument);
    let mut huge = png;
    huge[16..24].copy_from_slice(&[0, 0, 0xfd, 0xe8, 0, 0, 0xfd, 0xe8]);
    let code = failure("b.png", Format::Png, &huge);
    assert!(matches!(code, ErrorCode::RenderFailed | ErrorCode::CorruptDocument), "{code:?}");
}
