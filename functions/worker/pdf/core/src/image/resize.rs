//! Resamples pixels.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

/// The pixels at another size, in the same form. `None` if there are too few for the size that they should have.
pub fn resized(
    data: &[u8],
    form: PixelType,
    (width, height): (u32, u32),
    to: (u32, u32),
    filter: FilterType,
) -> Option<Vec<u8>> {
    let has_alpha = matches!(form, PixelType::U8x2 | PixelType::U8x4);
    convolved(data, form, (width, height), to, ResizeOptions::new().use_alpha(has_alpha), filter)
}

/// The same, where each channel is a color.
pub fn resized_colors(
    data: &[u8],
    form: PixelType,
    size: (u32, u32),
    to: (u32, u32),
    filter: FilterType,
) -> Option<Vec<u8>> {
    convolved(data, form, size, to, ResizeOptions::new().use_alpha(false), filter)
}

fn convolved(
    data: &[u8],
    form: PixelType,
    (width, height): (u32, u32),
    to: (u32, u32),
    options: ResizeOptions,
    filter: FilterType,
) -> Option<Vec<u8>> {
    let from = ImageRef::new(width, height, data, form).ok()?;
    let mut into = Image::new(to.0, to.1, form);
    let options = options.resize_alg(ResizeAlg::Convolution(filter));
    Resizer::new().resize(&from, &mut into, &options).ok()?;
    Some(into.into_vec())
}
