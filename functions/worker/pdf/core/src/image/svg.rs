//! SVG drawings as pages with searchable text.

use docmill_pdf_request::{ErrorCode, Failure};
use svg2pdf::usvg::{self, Tree};
use svg2pdf::{ConversionError, ConversionOptions, PageOptions};

use crate::fonts::Fonts;

/// Longest side of a page in pixels. Larger drawings are reduced: many declare coordinates and no size.
const SIDE: f32 = 14_400.0;

/// A PDF page of the drawing's size. A pixel is 1/96 inch.
///
/// # Errors
/// If the drawing is damaged.
pub fn to_pdf(data: &[u8], fonts: &Fonts) -> Result<Vec<u8>, Failure> {
    // The drawing libraries panic on some sizes that are not numbers.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drawn(data, fonts)))
        .unwrap_or_else(|_| Err(damaged("svg: panic")))
}

/// A drawing that can't be read, for its owner.
pub fn damaged(cause: &'static str) -> Failure {
    Failure::new(ErrorCode::CorruptDocument, "The SVG file is damaged and can't be read.", cause)
}

fn drawn(data: &[u8], fonts: &Fonts) -> Result<Vec<u8>, Failure> {
    let options = usvg::Options {
        // Only embedded pictures are drawn. Others would be files of this machine.
        image_href_resolver: usvg::ImageHrefResolver {
            resolve_data: usvg::ImageHrefResolver::default_data_resolver(),
            resolve_string: Box::new(|_, _| None),
        },
        ..fonts.options()
    };
    let tree = Tree::from_data(data, &options).map_err(|_| damaged("svg: not read"))?;
    let times = (tree.size().width().max(tree.size().height()) / SIDE).max(1.0);
    let raster_scale = ConversionOptions::default().raster_scale / times;
    write(&tree, raster_scale, 96.0 * times).map_err(|_| damaged("svg: not written"))
}

/// A drawing as a page. Its text is outlines if one of its fonts can't be embedded, such as one of emoji.
///
/// # Errors
/// If the library can't write it.
pub fn write(tree: &Tree, raster_scale: f32, dpi: f32) -> Result<Vec<u8>, ConversionError> {
    let convert = |embed_text| {
        let options = ConversionOptions { raster_scale, embed_text, ..ConversionOptions::default() };
        svg2pdf::to_pdf(tree, options, PageOptions { dpi })
    };
    match convert(true) {
        Err(ConversionError::SubsetError(_) | ConversionError::InvalidFont(_)) => convert(false),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_without_a_size_fits_a_page() {
        let drawing =
            br#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28800 14400"><rect width="9" height="9"/></svg>"#;
        let pdf = lopdf::Document::load_mem(&to_pdf(drawing, &Fonts::none()).unwrap()).unwrap();
        let page = pdf.get_dictionary(pdf.page_iter().next().unwrap()).unwrap();
        let sides = page.get(b"MediaBox").unwrap().as_array().unwrap();
        assert_eq!((sides[2].as_float().unwrap(), sides[3].as_float().unwrap()), (10_800.0, 5_400.0));
    }

    #[test]
    fn fuzz_drawings() {
        let fonts = Fonts::none();
        docmill_fuzz::fuzz("svg", &[], |data| drop(to_pdf(data, &fonts)));
    }
}
