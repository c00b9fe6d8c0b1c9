//! Decoding of JPEGs, at no more than the size that is needed.

use std::panic::catch_unwind;

/// Width, height and samples of a JPEG in grey or in three colors. Decodes at an eighth, a quarter or half of its `size` where that
/// is no less than asked for, which JPEG does almost for free.
pub fn jpeg_samples(data: &[u8], channels: u8, size: (u32, u32), least: (u32, u32)) -> Option<(u32, u32, Vec<u8>)> {
    // libjpeg's errors unwind through the library. What was decoded before is dropped.
    let decoded = catch_unwind(|| {
        let mut decoder = mozjpeg::Decompress::new_mem(data).ok()?;
        // The header may claim more pixels than the dictionary. It is not trusted then.
        if (decoder.width(), decoder.height()) != (size.0 as usize, size.1 as usize) {
            return None;
        }
        if decoder.components().len() != usize::from(channels) {
            return None;
        }
        let scaled = |side: u32, eighths: u8| side * u32::from(eighths) / 8;
        let eighths = [1, 2, 4]
            .into_iter()
            .find(|eighths| scaled(size.0, *eighths) >= least.0 && scaled(size.1, *eighths) >= least.1);
        if let Some(eighths) = eighths {
            decoder.scale(eighths);
        }
        let mut started = match channels {
            1 => decoder.grayscale().ok()?,
            3 => decoder.rgb().ok()?,
            // As they are stored: Adobe's programs invert them, and say so in `Decode`.
            4 => decoder.to_colorspace(mozjpeg::ColorSpace::JCS_CMYK).ok()?,
            _ => return None,
        };
        let (width, height) = (u32::try_from(started.width()).ok()?, u32::try_from(started.height()).ok()?);
        let data = started.read_scanlines::<u8>().ok()?;
        started.finish().ok()?;
        Some((width, height, data))
    });
    decoded.ok().flatten()
}
