//! Prepares pages for OCR: resolution, orientation and skew.

use docmill_pdf_core::pdfium::{GreyBitmap, Page, Rect, View};
use docmill_pdf_request::{ErrorCode, Failure};

use super::{LOW_CONFIDENCE, Reader, Tesseract, Text, clean, face};

/// Higher resolutions don't improve OCR; below the lower bound, letters are too small.
const MOST_DPI: f32 = 300.0;
const LEAST_DPI: f32 = 150.0;
/// The lowest resolution at which letters stay clear when noise is smoothed.
const SMOOTH_DPI: f32 = 250.0;
/// Pictures that cover at least this share of the page count as scans.
const SCANNED_PART: f32 = 0.1;
/// Most pixels of a picture, and of a side, which the library counts in 16 bits.
const PIXELS: u64 = 60_000_000;
const SIDE: f32 = 32_000.0;
/// The confidence needed to rotate a page, on the library's scale: of the few pages tried, right answers had 10 and more, and
/// wrong ones up to 3.
const SURE_OF_TURN: f32 = 5.0;
/// The same for skew, as leptonica recommends, and the range of degrees that is corrected.
const SURE_OF_SKEW: f32 = 3.0;
const SKEWED: std::ops::RangeInclusive<f32> = 0.1..=7.0;

/// Lines that slope by more degrees than this are levelled unasked: further ones would mix the rows of a table.
const ASKEW: f32 = 0.7;
/// A reading is better than another one if it has this many times its certainty.
const BETTER: f32 = 1.1;

/// The requested processing.
#[derive(Debug)]
pub struct How {
    /// `None`: the scan's resolution.
    pub dpi: Option<f32>,
    /// Turns every page upright.
    pub rotate: bool,
    /// Levels the lines of every page, however little they slope.
    pub deskew: bool,
    /// Looks for the orientation of pages whose text is uncertain, and levels the lines of scans that slope much.
    pub straighten: bool,
    /// The most pixels of a bitmap.
    pub pixels: u64,
}

/// Finds how pages lie. Its model is loaded for the first page that needs it.
#[derive(Debug)]
pub struct Orienter<'t> {
    tesseract: &'t Tesseract,
    reader: Option<Option<Reader>>,
}

impl<'t> Orienter<'t> {
    /// Without its own reader, which it loads once it is needed.
    pub fn new(tesseract: &'t Tesseract) -> Self {
        Self { tesseract, reader: None }
    }

    /// Whether its model is installed.
    pub fn is_there(&mut self) -> bool {
        self.reader().is_some()
    }

    fn reader(&mut self) -> Option<&mut Reader> {
        self.reader.get_or_insert_with(|| self.tesseract.orienter()).as_mut()
    }

    /// The degrees to turn a picture clockwise, if that is known for sure.
    fn turn(&mut self, picture: &GreyBitmap) -> Option<u16> {
        let (degrees, sure) = self.reader()?.orientation(picture)?;
        (degrees != 0 && sure >= SURE_OF_TURN).then_some(degrees)
    }
}

/// The text of a page, in the picture that was read.
#[derive(Debug)]
pub struct PageText {
    /// Places are in pixels of that picture.
    pub text: Text,
    /// Size of the picture in pixels.
    pub width: u32,
    /// As for `width`.
    pub height: u32,
    /// Pixels of the picture per inch of the page.
    pub dpi: f32,
    /// How the page was rotated clockwise for this picture: by quarters, and the rest that levels its lines.
    pub view: View,
}

/// Reads a page except for the areas `without`.
///
/// # Errors
/// If the page can't be drawn, or Tesseract gives up.
pub fn read(
    page: &Page<'_>,
    reader: &mut Reader,
    orienter: &mut Orienter<'_>,
    how: &How,
    without: &[Rect],
) -> Result<PageText, Failure> {
    let scan = scan_dpi(page);
    let usual = scan.map_or(MOST_DPI, |dpi| dpi.clamp(LEAST_DPI, MOST_DPI));
    let dpi = resolution(page, how.dpi.unwrap_or(usual), how.pixels);
    let mut view = View::default();
    let mut picture = look(page, reader, dpi, view, without)?;
    if how.rotate
        && let Some(turn) = orienter.turn(&picture)
    {
        view.turn = turn;
        picture = turned(picture, turn);
    }
    let least = if how.deskew { *SKEWED.start() } else { ASKEW };
    let levels = how.deskew || how.straighten && scan.is_some();
    if let Some(skew) = levels.then(|| skew(reader, &picture, least)).flatten() {
        view.skew = skew;
        picture = look(page, reader, dpi, view, without)?;
    }
    // Only scans are noisy.
    let is_noisy = dpi >= SMOOTH_DPI && scan.is_some();
    if is_noisy {
        clean::smooth(&mut picture);
    }
    let mut text = read_clearest(reader, &picture)?;
    if how.straighten
        && !how.rotate
        && is_uncertain(&text)
        && let Some(turn) = orienter.turn(&picture)
    {
        let mut other = View { turn, skew: view.skew };
        let mut again = turned(picture.clone(), turn);
        if let Some(skew) = skew(reader, &again, least) {
            other.skew += skew;
            again = look(page, reader, dpi, other, without)?;
            if is_noisy {
                clean::smooth(&mut again);
            }
        }
        let better = read_clearest(reader, &again)?;
        if better.certainty() > BETTER * text.certainty() {
            (text, picture, view) = (better, again, other);
        }
    }
    face::measure(&picture, &mut text);
    Ok(PageText { text, width: picture.width, height: picture.height, dpi, view })
}

/// Whether a page may lie on its side, as far as its text tells.
fn is_uncertain(text: &Text) -> bool {
    text.confidence().is_none_or(|confidence| confidence < LOW_CONFIDENCE)
}

/// The degrees to turn a picture clockwise so that its lines are level. `None` if these are few, or not known for sure.
fn skew(reader: &mut Reader, picture: &GreyBitmap, least: f32) -> Option<f32> {
    let skew = reader.skew(picture)?;
    let is_worth = skew.degrees.abs() >= least && SKEWED.contains(&skew.degrees.abs());
    (is_worth && skew.confidence >= SURE_OF_SKEW).then_some(skew.degrees)
}

/// Reads a picture. Pictures with shadows are read again without them, and the better result is used.
fn read_clearest(reader: &mut Reader, picture: &GreyBitmap) -> Result<Text, Failure> {
    let text = reader.read(picture).ok_or_else(unread)?;
    let Some(even) = clean::evened(picture) else { return Ok(text) };
    let again = reader.read(&even).ok_or_else(unread)?;
    Ok(if again.certainty() > text.certainty() { again } else { text })
}

/// Draws a page upright at the best resolution for OCR.
///
/// # Errors
/// If it can't be drawn.
pub fn picture(page: &Page<'_>, pixels: u64) -> Result<GreyBitmap, Failure> {
    let dpi = resolution(page, MOST_DPI, pixels);
    page.render_grey(dpi, View::default())
}

/// A page that Tesseract could not read, for the job's owner.
pub fn unread() -> Failure {
    Failure::new(ErrorCode::RenderFailed, "The text of a page could not be recognized.", "tesseract gave up")
}

/// The resolution for drawing a page: the wanted one, or lower for huge pages.
fn resolution(page: &Page<'_>, wanted: f32, pixels: u64) -> f32 {
    let (width, height) = page.size();
    let area = (width * height / (72.0 * 72.0)).max(f32::MIN_POSITIVE);
    let by_area = (PIXELS.min(pixels) as f32 / area).sqrt();
    let by_side = SIDE * 72.0 / width.max(height).max(1.0);
    wanted.min(by_area).min(by_side)
}

/// The highest resolution of a page's scans. `None` for pages without scans.
fn scan_dpi(page: &Page<'_>) -> Option<f32> {
    let (width, height) = page.size();
    let large = width * height * SCANNED_PART;
    let scans = page.pictures().into_iter().filter(|picture| picture.area.width() * picture.area.height() >= large);
    scans.map(|picture| picture.dpi).reduce(f32::max).filter(|dpi| *dpi > 0.0)
}

/// Draws a page with dark letters only, and with the areas painted over.
fn look(page: &Page<'_>, reader: &Reader, dpi: f32, view: View, without: &[Rect]) -> Result<GreyBitmap, Failure> {
    let mut picture = page.render_grey(dpi, view)?;
    reader.turn_inverse_text(&mut picture);
    for area in without {
        let Rect { x0, y0, x1, y1 } = page.view_area(view, area);
        let scale = dpi / 72.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let pixel = |points: f32, most: u32| ((points * scale).max(0.0) as usize).min(most as usize);
        let [left, right] = [x0, x1].map(|x| pixel(x, picture.width));
        let [top, bottom] = [y0, y1].map(|y| pixel(y, picture.height));
        for row in picture.data.chunks_exact_mut(picture.width.max(1) as usize).take(bottom).skip(top) {
            if let Some(pixels) = row.get_mut(left..right) {
                pixels.fill(255);
            }
        }
    }
    Ok(picture)
}

/// The picture rotated clockwise by quarters.
fn turned(picture: GreyBitmap, degrees: u16) -> GreyBitmap {
    let GreyBitmap { width, height, data, dpi } = picture;
    let (w, h) = (width as usize, height as usize);
    let at = |x: usize, y: usize| data.get(y * w + x).copied().unwrap_or(255);
    let (width, height, data) = match degrees {
        90 => (
            height,
            width,
            (0..w).flat_map(|row| (0..h).map(move |x| (row, h - 1 - x))).map(|(x, y)| at(x, y)).collect(),
        ),
        180 => (width, height, data.iter().rev().copied().collect()),
        270 => (
            height,
            width,
            (0..w).flat_map(|row| (0..h).map(move |x| (w - 1 - row, x))).map(|(x, y)| at(x, y)).collect(),
        ),
        _ => (width, height, data),
    };
    GreyBitmap { width, height, data, dpi }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_turned_clockwise() {
        let picture = || GreyBitmap { width: 3, height: 2, data: vec![1, 2, 3, 4, 5, 6], dpi: 72.0 };
        let turn = |degrees| {
            let GreyBitmap { width, height, data, .. } = turned(picture(), degrees);
            (width, height, data)
        };
        assert_eq!(turn(0), (3, 2, vec![1, 2, 3, 4, 5, 6]));
        assert_eq!(turn(90), (2, 3, vec![4, 1, 5, 2, 6, 3]));
        assert_eq!(turn(180), (3, 2, vec![6, 5, 4, 3, 2, 1]));
        assert_eq!(turn(270), (2, 3, vec![3, 6, 2, 5, 1, 4]));
    }
}
