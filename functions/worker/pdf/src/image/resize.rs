//! Resamples pixels.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

/// The pixels at another size, in the same form. `None` if there are too few for the size that they should have.
pub(crate) fn resized(
    data: &[u8],
    form: PixelType,
    (width, height): (u32, u32),
    to: (u32, u32),
    filter: FilterType,
) -> Option<Vec<u8>> {
    let from = ImageRef::new(width, height, data, form).ok()?;
    let mut into = Image::new(to.0, to.1, form);
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(filter));
    Resizer::new().resize(&from, &mut into, &options).ok()?;
    Some(into.into_vec())
}
