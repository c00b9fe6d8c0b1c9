//! SVG drawings as pages with searchable text.

use std::sync::Arc;

use svg2pdf::usvg;

use crate::{ErrorCode, Failure};

/// Longest side of a drawing in points. Larger ones are errors.
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

fn damaged(cause: &'static str) -> Failure {
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
    if tree.size().width().max(tree.size().height()) > SIDE {
        return Err(Failure::new(
            ErrorCode::RenderFailed,
            "The drawing is too large. Give it a smaller size.",
            "svg: size",
        ));
    }
    let page = svg2pdf::PageOptions { dpi: 96.0 };
    svg2pdf::to_pdf(&tree, svg2pdf::ConversionOptions::default(), page).map_err(|_| damaged("svg: not written"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzz_drawings() {
        let fonts = Arc::<usvg::fontdb::Database>::default();
        docmill_fuzz::fuzz("svg", &[], |data| drop(draw(data, Arc::clone(&fonts))));
    }
}
