//! Samples of 1 to 16 bits as bytes.

use lopdf::Object;

use super::Palette;

/// A byte for each sample. Rows begin at whole bytes.
pub(super) fn bytes(samples: &[u8], width: u32, channels: u8, bits: u8) -> Option<Vec<u8>> {
    match bits {
        8 => Some(samples.to_vec()),
        16 => Some(samples.as_chunks().0.iter().map(|[high, _]| *high).collect()),
        1 | 2 | 4 => {
            let most = (1u16 << bits) - 1;
            // Whole, because 255 can be divided by 1, 3 and 15.
            Some(
                unpacked(samples, width, channels, bits)?
                    .map(|sample| u8::try_from(u16::from(sample) * 255 / most).unwrap_or(u8::MAX))
                    .collect(),
            )
        }
        _ => None,
    }
}

/// The colors of indices, in the channels of the palette. Indices beyond the palette are its zeros.
pub(super) fn colors(
    samples: &[u8],
    width: u32,
    bits: u8,
    palette: &Palette,
    decode: Option<&Vec<Object>>,
) -> Option<Vec<u8>> {
    let most = (1u16 << bits.min(8)) - 1;
    let limits: Option<Vec<f32>> =
        decode.map(|decode| decode.iter().filter_map(|limit| limit.as_float().ok()).collect());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
    let index = |sample: u8| match limits.as_deref() {
        Some([low, high]) => {
            (low + f32::from(sample) * (high - low) / f32::from(most)).round().clamp(0.0, 255.0) as usize
        }
        _ => usize::from(sample),
    };
    let count = usize::from(palette.count);
    let zeros = vec![0; count];
    let table: Vec<&[u8]> = (0..=255u8)
        .map(|sample| {
            let start = index(sample) * count;
            palette.entries.get(start..start + count).unwrap_or(&zeros)
        })
        .collect();
    let mut colors = Vec::with_capacity(samples.len() * 8 / usize::from(bits.max(1)) * count);
    let mut add = |sample: u8| colors.extend_from_slice(table.get(usize::from(sample)).copied().unwrap_or(&zeros));
    match bits {
        8 => samples.iter().copied().for_each(add),
        1 | 2 | 4 => unpacked(samples, width, 1, bits)?.for_each(&mut add),
        _ => return None,
    }
    Some(colors)
}

/// Samples of less than a byte, without the bits that fill up rows.
fn unpacked(samples: &[u8], width: u32, channels: u8, bits: u8) -> Option<impl Iterator<Item = u8>> {
    let in_row = usize::try_from(u64::from(width) * u64::from(channels)).ok()?;
    let row = (in_row * usize::from(bits)).div_ceil(8).max(1);
    let mask = u8::try_from((1u16 << bits) - 1).ok()?;
    Some(samples.chunks_exact(row).flat_map(move |row| {
        let all = row.iter().flat_map(move |byte| (0..8 / bits).map(move |at| (byte >> (8 - bits - at * bits)) & mask));
        all.take(in_row)
    }))
}
