//! How alike two pictures look.

use crate::pdfium::Bitmap;

/// The side of the compared squares in pixels, and the distance between them.
const WINDOW: usize = 8;
const STEP: usize = 4;

/// The mean structural similarity (SSIM) of two grey pictures: 1 if they are equal. `None` if their sizes differ.
pub fn similarity(a: &Bitmap, b: &Bitmap) -> Option<f64> {
    if (a.width, a.height) != (b.width, b.height) {
        return None;
    }
    if a.data == b.data {
        return Some(1.0);
    }
    let (width, height) = (a.width as usize, a.height as usize);
    let (a, b) = (super::encode::luma(&a.data), super::encode::luma(&b.data));
    let (mut sum, mut count) = (0.0, 0u32);
    for top in (0..height.saturating_sub(WINDOW - 1)).step_by(STEP) {
        for left in (0..width.saturating_sub(WINDOW - 1)).step_by(STEP) {
            sum += window(&a, &b, width, left, top);
            count += 1;
        }
    }
    // Pictures smaller than a square are compared as a whole.
    Some(if count == 0 { f64::from(u8::from(a == b)) } else { sum / f64::from(count) })
}

fn window(a: &[u8], b: &[u8], width: usize, left: usize, top: usize) -> f64 {
    const C1: f64 = 6.5025;
    const C2: f64 = 58.5225;
    const N: f64 = (WINDOW * WINDOW) as f64;
    let (mut sum_a, mut sum_b, mut squares_a, mut squares_b, mut products) = (0u32, 0u32, 0u32, 0u32, 0u32);
    for row in 0..WINDOW {
        let start = (top + row) * width + left;
        for (x, y) in a.iter().skip(start).zip(b.iter().skip(start)).take(WINDOW) {
            let (x, y) = (u32::from(*x), u32::from(*y));
            sum_a += x;
            sum_b += y;
            squares_a += x * x;
            squares_b += y * y;
            products += x * y;
        }
    }
    let (mean_a, mean_b) = (f64::from(sum_a) / N, f64::from(sum_b) / N);
    let variance_a = f64::from(squares_a) / N - mean_a * mean_a;
    let variance_b = f64::from(squares_b) / N - mean_b * mean_b;
    let covariance = f64::from(products) / N - mean_a * mean_b;
    ((2.0 * mean_a * mean_b + C1) * (2.0 * covariance + C2))
        / ((mean_a * mean_a + mean_b * mean_b + C1) * (variance_a + variance_b + C2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripes(width: u32, shift: u32) -> Bitmap {
        let pixel = |i: u32| if (i % 64 + shift) % 8 < 4 { [0, 0, 0, 255] } else { [255, 255, 255, 255] };
        Bitmap { width, height: 64, data: (0..width * 64).flat_map(pixel).collect(), transparent: false }
    }

    #[test]
    fn equal_pictures_are_wholly_alike_and_opposite_ones_are_not() {
        assert_eq!(similarity(&stripes(64, 0), &stripes(64, 0)), Some(1.0));
        assert!(similarity(&stripes(64, 0), &stripes(64, 4)).unwrap() < 0.0);
        assert_eq!(similarity(&stripes(64, 0), &stripes(32, 0)), None);
    }
}
