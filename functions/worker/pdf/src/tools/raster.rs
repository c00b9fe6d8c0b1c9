//! Shared by the tools that draw pages: page selection, size and background.

use docmill_domain::page_range::{PageRange, RangeError};
use docmill_pdf_core::image::PictureFormat;
use docmill_pdf_core::pages::too_many;
use docmill_pdf_core::pdfium::{Background, Document, Session};
use docmill_pdf_core::pixels::whole;
use docmill_pdf_request::{ErrorCode, Failure, Request, Source, Warning};

use docmill_pdf_core::Libraries;

/// The size of a page's picture.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fit {
    Dpi(f32),
    /// The largest size within both, in the page's proportions.
    Inside {
        width: Option<u32>,
        height: Option<u32>,
    },
}

/// In pixels, at least 1 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub width: u32,
    pub height: u32,
}

impl Size {
    /// The bytes of its bitmap.
    pub(super) fn bytes(self) -> u64 {
        u64::from(self.width) * u64::from(self.height) * 4
    }
}

/// Opens a source in pdfium. If pdfium can't decrypt it, qpdf does: it reads protection that others find damaged.
pub(super) fn open<'s>(
    libraries: &Libraries,
    session: &'s Session<'s>,
    request: &Request,
    source: &Source,
) -> Result<Document<'s>, Failure> {
    let password = source.password.as_deref();
    let refusal = match Document::open(session, &source.path, password) {
        Err(failure) if failure.code == ErrorCode::PasswordRequired || failure.code == ErrorCode::WrongPassword => {
            failure
        }
        opened => return opened,
    };
    let decrypted = request.directory.join("decrypted.pdf");
    libraries.qpdf()?.normalize(&source.path, password, &decrypted).map_err(|_same| refusal)?;
    let document = Document::open(session, &decrypted, None);
    // The open file can still be read after it is removed.
    std::fs::remove_file(&decrypted).map_err(|error| Failure::io(&error))?;
    document
}

/// The size of the picture of a page, given its size in points.
pub(super) fn size((width, height): (f32, f32), fit: &Fit, most: u64) -> Result<Size, Failure> {
    let (width, height) = (f64::from(width), f64::from(height));
    if !(width.is_finite() && height.is_finite() && width > 0.0 && height > 0.0) {
        return Err(Failure::new(ErrorCode::CorruptDocument, "A page of this PDF has no size.", "page without a size"));
    }
    let scale = match *fit {
        Fit::Dpi(dpi) => f64::from(dpi) / 72.0,
        Fit::Inside { width: most_width, height: most_height } => {
            let by_width = most_width.map_or(f64::INFINITY, |most| f64::from(most) / width);
            let by_height = most_height.map_or(f64::INFINITY, |most| f64::from(most) / height);
            by_width.min(by_height)
        }
    };
    // Sizes beyond the limit are refused below.
    let pixels = |points: f64| whole((points * scale).round()).max(1);
    let size = Size { width: pixels(width), height: pixels(height) };
    if u64::from(size.width) * u64::from(size.height) > most {
        return Err(Failure::new(
            ErrorCode::RenderFailed,
            format!(
                "A page's picture would have {} × {} pixels, and the limit is {} million. Ask for a lower resolution.",
                size.width,
                size.height,
                most / 1_000_000
            ),
            "picture beyond the limit",
        ));
    }
    Ok(size)
}

/// Fields that are not drawn.
pub(super) fn fields_skipped(document: &Document<'_>) -> Option<Warning> {
    let message = "The PDF's form has more fields than can be drawn. They are left out.";
    document.skips_fields().then(|| Warning::new("fields_skipped", message))
}

/// The number of pages, within the limit.
pub(super) fn page_count(document: &Document<'_>, request: &Request) -> Result<u32, Failure> {
    let (count, limit) = (document.pages(), request.limits.pages);
    match count {
        0 => Err(Failure::new(ErrorCode::CorruptDocument, "This PDF has no pages.", "no pages")),
        count if count > limit => Err(too_many(limit)),
        count => Ok(count),
    }
}

/// The pages that the option selects, counted from 0, each once; all pages without it.
pub(super) fn pages(document: &Document<'_>, range: Option<&str>, request: &Request) -> Result<Vec<u32>, Failure> {
    let (count, limit) = (page_count(document, request)?, request.limits.pages);
    let Some(range) = range else { return Ok((0..count).collect()) };
    let unknown = |error: RangeError| {
        Failure::new(ErrorCode::RenderFailed, error.to_string(), "pages that the document does not have")
    };
    let range: PageRange = range.parse().map_err(unknown)?;
    let mut seen = vec![false; count as usize];
    let mut pages = range.resolve(count, limit.saturating_mul(2)).map_err(unknown)?;
    pages.retain(|page| seen.get_mut(*page as usize).is_some_and(|seen| !std::mem::replace(seen, true)));
    Ok(pages)
}

/// `#ffffff`, or `transparent` if the format has transparency.
pub(super) fn background(text: &str, format: PictureFormat) -> Result<Background, Failure> {
    if text == "transparent" {
        return Ok(if format.has_alpha() { Background::Transparent } else { Background::Color([255; 3]) });
    }
    let color = text.strip_prefix('#').filter(|hex| hex.len() == 6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let Some(color) = color else {
        return Err(Failure::new(
            ErrorCode::RenderFailed,
            "Write the background as #rrggbb, such as #ffffff, or as transparent.",
            "background",
        ));
    };
    let [_, r, g, b] = color.to_be_bytes();
    Ok(Background::Color([r, g, b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_scaled_by_resolution_or_into_a_box() {
        let a4 = (595.0, 842.0);
        assert_eq!(size(a4, &Fit::Dpi(144.0), 1 << 30).unwrap(), Size { width: 1190, height: 1684 });
        let inside = Fit::Inside { width: Some(200), height: Some(200) };
        assert_eq!(size(a4, &inside, 1 << 30).unwrap(), Size { width: 141, height: 200 });
        assert_eq!(size((1.0, 9000.0), &Fit::Dpi(36.0), 1 << 30).unwrap(), Size { width: 1, height: 4500 });
        assert_eq!(size((1e30, 1e30), &Fit::Dpi(600.0), 1 << 30).unwrap_err().code, ErrorCode::RenderFailed);
        assert_eq!(size((f32::NAN, 5.0), &inside, 1 << 30).unwrap_err().code, ErrorCode::CorruptDocument);
    }

    #[test]
    fn backgrounds_are_colors_or_nothing() {
        assert_eq!(background("#102030", PictureFormat::Jpeg).unwrap(), Background::Color([0x10, 0x20, 0x30]));
        assert_eq!(background("transparent", PictureFormat::Png).unwrap(), Background::Transparent);
        assert_eq!(background("transparent", PictureFormat::Jpeg).unwrap(), Background::Color([255; 3]));
        assert!(background("#fff", PictureFormat::Png).is_err());
    }
}
