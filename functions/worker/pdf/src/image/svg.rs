//! SVG drawings as pages with searchable text.

use std::sync::Arc;

use svg2pdf::usvg;

use crate::{ErrorCode, Failure};

/// Longest side of a page in pixels. Larger drawings are reduced: many declare coordinates and no size.
const SIDE: f32 = 14_400.0;

/// A PDF page of the drawing's size. A pixel is 1/96 inch.
pub(crate) fn to_pdf(data: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_system_fonts();
    draw(data, Arc::new(fonts))
}

/// The drawing libraries panic on some sizes that are not numbers.
fn draw(data: &[u8], fonts: Arc<usvg::fontdb::Database>) -> Result<Vec<u8>, Failure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drawn(data, fonts)))
        .unwrap_or_else(|_| Err(damaged("svg: panic")))
}

pub(crate) fn damaged(cause: &'static str) -> Failure {
    Failure::new(ErrorCode::CorruptDocument, "The SVG file is damaged and can't be read.", cause)
}

fn drawn(data: &[u8], fonts: Arc<usvg::fontdb::Database>) -> Result<Vec<u8>, Failure> {
    let options = usvg::Options {
        fontdb: fonts,
        // Only embedded pictures are drawn. Others would be files of this machine.
        image_href_resolver: usvg::ImageHrefResolver {
            resolve_data: usvg::ImageHrefResolver::default_data_resolver(),
            resolve_string: Box::new(|_, _| None),
        },
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_data(data, &options).map_err(|_| damaged("svg: not read"))?;
    let times = (tree.size().width().max(tree.size().height()) / SIDE).max(1.0);
    let conversion = svg2pdf::ConversionOptions::default();
    let conversion = svg2pdf::ConversionOptions { raster_scale: conversion.raster_scale / times, ..conversion };
    let page = svg2pdf::PageOptions { dpi: 96.0 * times };
    svg2pdf::to_pdf(&tree, conversion, page).map_err(|_| damaged("svg: not written"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_without_a_size_fits_a_page() {
        let drawing =
            br#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28800 14400"><rect width="9" height="9"/></svg>"#;
        let pdf = lopdf::Document::load_mem(&draw(drawing, Arc::default()).unwrap()).unwrap();
        let page = pdf.get_dictionary(pdf.page_iter().next().unwrap()).unwrap();
        let sides = page.get(b"MediaBox").unwrap().as_array().unwrap();
        assert_eq!((sides[2].as_float().unwrap(), sides[3].as_float().unwrap()), (10_800.0, 5_400.0));
    }

    #[test]
    fn fuzz_drawings() {
        let fonts = Arc::<usvg::fontdb::Database>::default();
        docmill_fuzz::fuzz("svg", &[], |data| drop(draw(data, Arc::clone(&fonts))));
    }
}
