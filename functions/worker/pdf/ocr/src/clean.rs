//! Removes noise and shadows from scans, which OCR would misread.

use docmill_pdf_core::image::resized;
use docmill_pdf_core::pdfium::GreyBitmap;
use fast_image_resize::{FilterType, PixelType};

/// The side, in pixels, of the squares whose lightness is compared. Strokes of letters are thinner.
const SQUARE: u32 = 8;
/// Paper is found at most this many squares away from a letter.
const AROUND: usize = 4;
/// Paper is in shadow below this share of the lightest paper, and a picture has shadows from this share of its area on.
const SHADED: f32 = 0.85;
const SHADED_PART: f32 = 0.1;
/// The lightness of paper in the result, and the darkest lightness that counts as paper, so that photos stay dark.
const PAPER: u32 = 240;
const DARKEST: u32 = 90;

/// Removes noise: mixes each pixel with its neighbours.
pub(super) fn smooth(picture: &mut GreyBitmap) {
    let width = picture.width.max(1) as usize;
    for row in picture.data.chunks_exact_mut(width) {
        let mut before = u16::from(row.first().copied().unwrap_or_default());
        for x in 0..width {
            let after = row.get(x + 1).or(row.get(x)).copied().unwrap_or_default();
            let Some(pixel) = row.get_mut(x) else { continue };
            let own = u16::from(*pixel);
            *pixel = mixed(before, own, after.into());
            before = own;
        }
    }
    let mut above: Vec<u8> = picture.data.iter().take(width).copied().collect();
    let mut rest = picture.data.as_mut_slice();
    while rest.len() >= width {
        let (row, below) = rest.split_at_mut(width);
        for (x, (pixel, above)) in row.iter_mut().zip(&mut above).enumerate() {
            let own = *pixel;
            let below = below.get(x).copied().unwrap_or(own);
            *pixel = mixed((*above).into(), own.into(), below.into());
            *above = own;
        }
        rest = below;
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a mean of bytes")]
const fn mixed(before: u16, own: u16, after: u16) -> u8 {
    ((before + 2 * own + after + 2) / 4) as u8
}

/// Makes paper in shadow as light as the rest. `None` if there are no shadows.
pub(super) fn evened(picture: &GreyBitmap) -> Option<GreyBitmap> {
    let (across, down) = (picture.width / SQUARE, picture.height / SQUARE);
    if across == 0 || down == 0 {
        return None;
    }
    let size = (picture.width, picture.height);
    let squares = resized(&picture.data, PixelType::U8, size, (across, down), FilterType::Box)?;
    let paper = lightest_around(&squares, across as usize);
    let lightest = paper.iter().copied().max().map_or(0.0, f32::from);
    let in_shade = paper.iter().filter(|paper| f32::from(**paper) < SHADED * lightest).count();
    if (in_shade as f32) < SHADED_PART * paper.len() as f32 {
        return None;
    }
    let paper = resized(&paper, PixelType::U8, (across, down), size, FilterType::Bilinear)?;
    let even = |(pixel, paper): (&u8, &u8)| {
        u8::try_from(u32::from(*pixel) * PAPER / u32::from(*paper).max(DARKEST)).unwrap_or(u8::MAX)
    };
    let data = picture.data.iter().zip(&paper).map(even).collect();
    Some(GreyBitmap { data, ..*picture })
}

/// The lightest square near each square.
fn lightest_around(squares: &[u8], across: usize) -> Vec<u8> {
    let down = squares.len() / across;
    let in_rows: Vec<u8> = squares
        .chunks_exact(across)
        .flat_map(|row| {
            (0..across).map(|x| {
                let near = row.get(x.saturating_sub(AROUND)..(x + AROUND + 1).min(across)).unwrap_or_default();
                near.iter().copied().max().unwrap_or(u8::MAX)
            })
        })
        .collect();
    let in_column = |x: usize, y: usize| {
        let near = y.saturating_sub(AROUND)..(y + AROUND + 1).min(down);
        near.filter_map(|y| in_rows.get(y * across + x)).copied().max().unwrap_or(u8::MAX)
    };
    (0..down).flat_map(|y| (0..across).map(move |x| (x, y))).map(|(x, y)| in_column(x, y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, pixel: impl Fn(u32, u32) -> u8) -> GreyBitmap {
        let data = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| pixel(x, y)).collect();
        GreyBitmap { width, height, data, dpi: 300.0 }
    }

    #[test]
    fn each_pixel_is_mixed_with_its_neighbours() {
        let mut dot = picture(4, 3, |x, y| if (x, y) == (1, 1) { 160 } else { 0 });
        smooth(&mut dot);
        assert_eq!(dot.data, [10, 20, 10, 0, 20, 40, 20, 0, 10, 20, 10, 0]);
        let mut plain = picture(5, 1, |_, _| 77);
        smooth(&mut plain);
        assert_eq!(plain.data, [77; 5]);
        smooth(&mut GreyBitmap { width: 0, height: 0, data: Vec::new(), dpi: 300.0 });
    }

    #[test]
    fn paper_in_shadow_becomes_as_light_as_the_rest() {
        // Paper from 240 to 120, with strokes of half its lightness every 40 pixels.
        let paper = |x: u32| 240 - x * 120 / 400;
        let shaded = picture(400, 80, |x, _| if x % 40 < 4 { paper(x) / 2 } else { paper(x) } as u8);
        let even = evened(&shaded).unwrap();
        for (x, pixel) in (0..).zip(even.data.iter().take(400)) {
            let wanted = if x % 40 < 4 { 120 } else { 240 };
            assert!(i32::from(*pixel).abs_diff(wanted) <= 20, "{x}: {pixel}");
        }
        assert!(evened(&picture(3, 3, |_, _| 0)).is_none());
        let photo = picture(400, 80, |x, _| if x < 200 { 20 } else { 240 });
        let dark = evened(&photo).unwrap().data;
        assert!(dark.iter().take(150).all(|pixel| *pixel < 64), "a dark picture stays dark");
        assert!(evened(&picture(400, 80, |x, _| if x % 40 < 4 { 20 } else { 230 })).is_none(), "no shade");
    }
}
