//! Pictures: those above the limits are made smaller, and others keep their bytes.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use image::{ExtendedColorType, Rgb, RgbImage, RgbaImage};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::packages::{Picture, docx, docx_with_picture, paragraph, pptx_with_picture};
use crate::support::deliver;

const WIDTH: u32 = 800;
const HEIGHT: u32 = 600;
const EMU_PER_INCH: u32 = 914_400;

/// Soft colors with some noise.
fn photo() -> RgbImage {
    let mut state = 7_u32;
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Rgb([x / 4, y / 3, (x + y) / 8].map(|shade| shade as u8 + (state >> 28) as u8))
    })
}

fn jpeg(quality: u8) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut file, quality);
    encoder.encode(photo().as_raw(), WIDTH, HEIGHT, ExtendedColorType::Rgb8).unwrap();
    file
}

/// The photo, transparent in its left half.
fn transparent_png() -> Vec<u8> {
    let photo = photo();
    let image = RgbaImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let [red, green, blue] = photo.get_pixel(x, y).0;
        image::Rgba([red, green, blue, if x < WIDTH / 2 { 0 } else { 255 }])
    });
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, image::ImageFormat::Png).unwrap();
    file.into_inner()
}

/// A text and a presentation with the picture at this resolution.
fn documents(directory: &Path, picture: Picture<'_>, dpi: u32) -> [PathBuf; 2] {
    let size = [WIDTH, HEIGHT].map(|pixels| pixels * (EMU_PER_INCH / dpi));
    [docx_with_picture(directory, picture, size), pptx_with_picture(directory, picture, size)]
}

#[tokio::test]
async fn a_photo_above_the_resolution_is_scaled_down() {
    let (directory, photo) = (TempDir::new().unwrap(), jpeg(85));
    for document in documents(directory.path(), Picture("photo.jpg", &photo), 400) {
        for (options, expected) in
            [(json!({}), "image 600 450 jpeg"), (json!({"maxImageDpi": 150}), "image 300 225 jpeg")]
        {
            let (printed, is_new) = deliver(&document, options).await;
            assert_eq!((printed.list_of_pictures(), is_new), (vec![expected.to_owned()], true), "{document:?}");
        }
        let (kept, is_new) = deliver(&document, json!({"maxImageDpi": 600})).await;
        assert!(kept.pictures() == std::slice::from_ref(&photo) && !is_new, "{document:?}");
    }
}

#[tokio::test]
async fn a_photo_below_the_resolution_keeps_its_bytes() {
    let (directory, photo) = (TempDir::new().unwrap(), jpeg(90));
    for document in documents(directory.path(), Picture("photo.jpg", &photo), 200) {
        for options in [json!({}), json!({"conversionProviderMode": "best_output"})] {
            let (printed, is_new) = deliver(&document, options).await;
            assert!(printed.pictures() == std::slice::from_ref(&photo) && !is_new, "{document:?}");
        }
        let (smaller, _) = deliver(&document, json!({"imageQuality": 40})).await;
        assert_eq!(smaller.list_of_pictures(), ["image 800 600 jpeg"]);
        assert!(smaller.pictures()[0].len() * 2 < photo.len(), "{document:?}");
    }
}

#[tokio::test]
async fn a_transparent_picture_keeps_its_mask() {
    let (directory, png) = (TempDir::new().unwrap(), transparent_png());
    for document in documents(directory.path(), Picture("photo.png", &png), 400) {
        let (printed, _) = deliver(&document, Value::Null).await;
        let [image, mask] = &printed.list_of_pictures()[..] else { panic!("{:?}", printed.list_of_pictures()) };
        assert_eq!(image, "image 600 450 jpeg");
        assert!(mask.starts_with("smask") && mask.ends_with("image"), "{mask}");
        let mask = image::load_from_memory(&printed.pictures()[1]).unwrap().to_luma8();
        let at = |eighths| mask.get_pixel(mask.width() * eighths / 8, mask.height() / 2).0[0];
        assert_eq!((at(1), at(3), at(5), at(7)), (0, 0, 255, 255));
    }
}

#[tokio::test]
async fn a_document_without_pictures_is_delivered_as_it_was_written() {
    let directory = TempDir::new().unwrap();
    let (_, is_new) = deliver(&docx(directory.path(), &paragraph("Words", "")), Value::Null).await;
    assert!(!is_new);
}

/// These files are not written again, so LibreOffice makes their pictures smaller.
#[tokio::test]
async fn files_of_a_standard_are_delivered_as_they_were_written() {
    let (directory, photo) = (TempDir::new().unwrap(), jpeg(85));
    let [document, _] = documents(directory.path(), Picture("photo.jpg", &photo), 400);
    for version in ["pdfa-1b", "pdfa-2b", "pdfa-3b", "pdfua"] {
        let (printed, is_new) = deliver(&document, json!({"pdfVersion": version})).await;
        assert_eq!((printed.list_of_pictures(), is_new), (vec!["image 600 450 jpeg".to_owned()], false), "{version}");
    }
}
