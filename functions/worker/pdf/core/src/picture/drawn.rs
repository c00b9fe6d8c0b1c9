//! Pictures as pdfium draws them: each alone on a page, with one unit per pixel. It decodes all kinds, and manages their colors.

use std::collections::HashSet;
use std::path::Path;

use docmill_pdf_request::Failure;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use crate::Libraries;
use crate::deferred_pictures::DeferredPictures;
use crate::image::deflate::Samples;
use crate::image::{Encoding, PictureFormat, encode, image_stream, jpeg, luma};
use crate::objects::references;
use crate::pdfium::{self, Background, Bitmap};
use crate::rectangle::Rectangle;

/// JPEG quality for pictures that were JPEG before.
const QUALITY: u8 = 95;
/// The most objects that one picture may consist of.
const PARTS: usize = 1000;

/// A picture that can't be drawn or written, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit(pub &'static str);

/// Draws a picture on a transparent page, by way of a file.
///
/// # Errors
///
/// Fails if the picture has too many parts or can't be drawn.
pub fn draw(
    libraries: &Libraries,
    file: &Path,
    document: &Document,
    held: &DeferredPictures,
    id: ObjectId,
    (width, height): (u32, u32),
) -> Result<Bitmap, Unfit> {
    let mut alone = alone(document, held, id, (width, height)).ok_or(Unfit("a picture of too many parts"))?;
    alone.save(file).map_err(|_| Unfit("a picture that can't be written"))?;
    let draw = || -> Result<Bitmap, Failure> {
        let session = libraries.pdfium()?.session();
        let document = pdfium::Document::open(&session, file, None)?;
        let page = document.page(0)?;
        page.render(width, height, Background::Transparent)
    };
    let bitmap = draw();
    std::fs::remove_file(file).map_err(|_| Unfit("a file that stays"))?;
    bitmap.map_err(|_| Unfit("a picture that can't be drawn"))
}

/// A document of one page that shows this picture, a unit for each pixel.
fn alone(document: &Document, held: &DeferredPictures, id: ObjectId, (width, height): (u32, u32)) -> Option<Document> {
    let mut alone = Document::with_version("1.7");
    alone.max_id = document.max_id;
    let mut wanted = vec![id];
    let mut seen = HashSet::new();
    while let Some(id) = wanted.pop() {
        if !seen.insert(id) {
            continue;
        }
        if seen.len() > PARTS {
            return None;
        }
        let Ok(object) = document.get_object(id).cloned() else { continue };
        let mut object = held.filled(object).ok()?;
        if let Object::Stream(stream) = &mut object {
            for key in [b"Metadata".as_slice(), b"OC", b"Alternates", b"OPI", b"StructParent", b"PieceInfo"] {
                stream.dict.remove(key);
            }
        }
        references(&object, &mut wanted);
        alone.objects.insert(id, object);
    }
    // Larger pages are refused by some libraries.
    let (width, height) = (f64::from(width), f64::from(height));
    let scale = (10_000.0 / width.max(height)).min(1.0);
    #[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
    let (width, height) = ((width * scale) as f32, (height * scale) as f32);
    let content = format!("q {width} 0 0 {height} 0 0 cm /Picture Do Q");
    let content = alone.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
    let root = alone.new_object_id();
    let page = alone.add_object(dictionary! {
        "Type" => "Page", "Parent" => root, "Contents" => content,
        "MediaBox" => Rectangle::of_size(width, height).to_object(),
        "Resources" => dictionary! { "XObject" => dictionary! { "Picture" => id } },
    });
    alone.objects.insert(root, dictionary! { "Type" => "Pages", "Count" => 1, "Kids" => vec![page.into()] }.into());
    let catalog = alone.add_object(dictionary! { "Type" => "Catalog", "Pages" => root });
    alone.trailer.set("Root", catalog);
    Some(alone)
}

/// The opaque colors of a bitmap as a picture: in as few channels and bits as they need, or as a JPEG.
///
/// # Errors
///
/// Fails if the picture can't be encoded.
pub fn opaque(bitmap: &Bitmap, is_lossy: bool) -> Result<Stream, Unfit> {
    let is_grey = bitmap.data.as_chunks().0.iter().all(|[r, g, b, _]| r == g && g == b);
    stream(bitmap, is_lossy, is_grey)
}

/// The colors of a bitmap as a grey picture.
///
/// # Errors
///
/// Fails if the picture can't be encoded.
pub fn grey(bitmap: &Bitmap, is_lossy: bool) -> Result<Stream, Unfit> {
    stream(bitmap, is_lossy, true)
}

fn stream(bitmap: &Bitmap, is_lossy: bool, is_grey: bool) -> Result<Stream, Unfit> {
    let failed = || Unfit("a picture that can't be written");
    if is_lossy {
        let encoding = Encoding { format: PictureFormat::Jpeg, quality: QUALITY, grayscale: is_grey, dpi: None };
        // A side beyond those of JPEG.
        if let Ok(data) = encode(bitmap, &encoding) {
            return jpeg(&data).ok_or_else(failed);
        }
    }
    if !is_grey {
        let rgb: Vec<u8> = bitmap.data.as_chunks().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect();
        return image_stream(bitmap.width, bitmap.height, Samples::Rgb, &rgb).map_err(|_| failed());
    }
    let grey = luma(&bitmap.data);
    if grey.iter().any(|grey| !matches!(grey, 0 | 255)) {
        return image_stream(bitmap.width, bitmap.height, Samples::Gray, &grey).map_err(|_| failed());
    }
    let row = |row: &[u8]| -> Vec<u8> {
        row.chunks(8)
            .map(|pixels| pixels.iter().enumerate().fold(0, |byte, (at, grey)| byte | (grey & (0x80 >> at))))
            .collect()
    };
    let bits: Vec<u8> = grey.chunks_exact(bitmap.width.max(1) as usize).flat_map(row).collect();
    image_stream(bitmap.width, bitmap.height, Samples::Bits, &bits).map_err(|_| failed())
}
