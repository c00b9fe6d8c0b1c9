//! JPEG 2000.

use std::panic::catch_unwind;

use super::{Colors, Pixels};

/// The pixels, if the data is of this size and has these channels.
pub(super) fn decode(data: &[u8], size: (u32, u32), colors: &Colors) -> Option<Pixels> {
    // The decoder is young: a panic of its own leaves the picture as it is.
    let decoded = catch_unwind(|| {
        let image = hayro_jpeg2000::Image::new(data, &hayro_jpeg2000::DecodeSettings::default()).ok()?;
        if (image.width(), image.height()) != size || image.has_alpha() {
            return None;
        }
        let own = image.color_space();
        let plain = matches!(own, hayro_jpeg2000::ColorSpace::Gray | hayro_jpeg2000::ColorSpace::RGB);
        let channels = own.num_channels();
        let matching = match colors {
            Colors::Channels { count, .. } => channels == *count,
            Colors::Own => plain,
            Colors::Palette(_) => false,
        };
        if !matching {
            return None;
        }
        let mut context = hayro_jpeg2000::DecoderContext::default();
        let data = image.decode(&mut context).ok()?.data_u8();
        Some(Pixels { width: size.0, height: size.1, channels, data })
    });
    decoded.ok().flatten()
}
