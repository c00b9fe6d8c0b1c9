//! The mark of test jobs on a picture: a large "TEST" across it.

use docmill_pdf_core::image::{Encoding, PictureFormat, encode};
use docmill_pdf_core::pdfium::Bitmap;
use docmill_pdf_core::pixels::whole;
use docmill_pdf_request::{Artifact, Failure, Outcome, Request, Source};
use docmill_pdf_structure::stamp;

/// The bars of each letter: left, top, right, bottom, in a box of 5 × 7.
const T: &[[f32; 4]] = &[[0.0, 0.0, 5.0, 1.4], [1.8, 1.4, 3.2, 7.0]];
const E: &[[f32; 4]] = &[[0.0, 0.0, 1.4, 7.0], [1.4, 0.0, 5.0, 1.4], [1.4, 2.8, 5.0, 4.2], [1.4, 5.6, 5.0, 7.0]];
const S: &[[f32; 4]] =
    &[[0.0, 0.0, 5.0, 1.4], [0.0, 1.4, 1.4, 2.8], [0.0, 2.8, 5.0, 4.2], [3.6, 4.2, 5.0, 5.6], [0.0, 5.6, 5.0, 7.0]];
/// The distance from one letter to the next.
const STEP: f32 = 6.5;
const WIDTH: f32 = 3.0 * STEP + 5.0;
const HEIGHT: f32 = 7.0;
/// The share of the picture that the word covers.
const SHARE: f32 = 0.8;

const RED: [u8; 3] = [204, 26, 26];
const OPACITY: f32 = 0.4;
/// The same quality as the browser's own JPEGs.
const QUALITY: u8 = 85;

pub(super) fn run(request: &Request, source: &Source) -> Result<Outcome, Failure> {
    let format = PictureFormat::of(source.media).ok_or_else(|| Failure::internal("a file that takes no mark"))?;
    let content = std::fs::read(&source.path).map_err(|error| Failure::io(&error))?;
    let image = stamp::decode(&content, request.limits.pixels)?;
    let (width, height, transparent) = (image.width(), image.height(), image.color().has_alpha());
    let mut bitmap = Bitmap { width, height, data: image.into_rgba8().into_raw(), transparent };
    draw(&mut bitmap);
    let file = encode(&bitmap, &Encoding { format, quality: QUALITY, grayscale: false, dpi: None })?;
    let name = format!("marked.{}", source.media.extension());
    std::fs::write(request.directory.join(&name), file).map_err(|error| Failure::io(&error))?;
    let (width, height) = (Some(width), Some(height));
    let marked = Artifact { width, height, ..Artifact::new(name, source.media) };
    Ok(Outcome { artifacts: vec![marked], report: None, warnings: Vec::new() })
}

/// Centres the word, as large as it fits.
fn draw(bitmap: &mut Bitmap) {
    let (width, height) = (bitmap.width as f32, bitmap.height as f32);
    let unit = (SHARE * width / WIDTH).min(SHARE * height / HEIGHT);
    let (left, top) = ((width - unit * WIDTH) / 2.0, (height - unit * HEIGHT) / 2.0);
    for (index, letter) in [T, E, S, T].into_iter().enumerate() {
        let left = left + unit * STEP * index as f32;
        for [from_x, from_y, to_x, to_y] in letter {
            let columns = pixels(left + unit * from_x, left + unit * to_x, bitmap.width);
            let rows = pixels(top + unit * from_y, top + unit * to_y, bitmap.height);
            fill(bitmap, columns, rows);
        }
    }
}

fn pixels(from: f32, to: f32, most: u32) -> std::ops::Range<usize> {
    whole(from.round()) as usize..whole(to.round()).min(most) as usize
}

fn fill(bitmap: &mut Bitmap, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) {
    let line = bitmap.width as usize * 4;
    for row in bitmap.data.chunks_exact_mut(line).take(rows.end).skip(rows.start) {
        let (pixels, _) = row.as_chunks_mut::<4>();
        for [colors @ .., alpha] in pixels.iter_mut().take(columns.end).skip(columns.start) {
            let opaque = f32::from(*alpha) / 255.0;
            let shown = OPACITY + opaque * (1.0 - OPACITY);
            for (channel, red) in colors.iter_mut().zip(RED) {
                let below = f32::from(*channel) * opaque * (1.0 - OPACITY);
                *channel = level((f32::from(red) * OPACITY + below) / shown);
            }
            *alpha = level(shown * 255.0);
        }
    }
}

/// As a byte, by rounding.
fn level(value: f32) -> u8 {
    u8::try_from(whole(value.round())).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(width: u32, height: u32, pixel: [u8; 4]) -> Vec<[u8; 4]> {
        let data = pixel.repeat((width * height) as usize);
        let mut bitmap = Bitmap { width, height, data, transparent: true };
        draw(&mut bitmap);
        bitmap.data.as_chunks::<4>().0.to_vec()
    }

    #[test]
    fn the_word_is_seen_on_white_and_on_nothing() {
        let white = marked(245, 100, [255; 4]);
        let red = white.iter().filter(|pixel| pixel[1] < 200).count();
        assert!((2000..9000).contains(&red), "{red}");
        assert_eq!(white[0], [255; 4]);
        let clear = marked(245, 100, [0; 4]);
        assert!(clear.contains(&[204, 26, 26, 102]) && clear[0] == [0; 4]);
    }

    #[test]
    fn the_smallest_picture_takes_it_too() {
        for (width, height) in [(1, 1), (1, 500), (500, 1)] {
            marked(width, height, [255; 4]);
        }
    }
}
