//! What predictors did before data was packed.

use lopdf::{Dictionary, Object};

use super::Condition;

/// The layout of rows.
struct Rows {
    columns: usize,
    colors: usize,
    bits: usize,
    /// Bytes of a row.
    length: usize,
}

impl Rows {
    fn read(parameters: &Dictionary) -> Option<Self> {
        let number = |key: &[u8], usual: usize| {
            let number = parameters.get(key).and_then(Object::as_i64).ok().and_then(|number| number.try_into().ok());
            number.unwrap_or(usual).max(1)
        };
        let (columns, colors, bits) = (number(b"Columns", 1), number(b"Colors", 1), number(b"BitsPerComponent", 8));
        let length = columns.checked_mul(colors)?.checked_mul(bits)?.div_ceil(8);
        Some(Self { columns, colors, bits, length })
    }

    /// How far apart bytes are that belong together.
    fn step(&self) -> usize {
        (self.colors * self.bits).div_ceil(8)
    }
}

/// Undoes the predictor that the parameters name. Data that ends within a row gives a part of that row. `None` if the parameters are
/// impossible.
pub(super) fn undo(
    bytes: Vec<u8>,
    condition: Condition,
    parameters: Option<&Dictionary>,
) -> Option<(Vec<u8>, Condition)> {
    let Some(parameters) = parameters else { return Some((bytes, condition)) };
    match parameters.get(b"Predictor").and_then(Object::as_i64).unwrap_or(1) {
        2 => {
            let rows = Rows::read(parameters)?;
            Some((tiff(bytes, &rows), condition))
        }
        10..=15 => {
            let rows = Rows::read(parameters)?;
            let (bytes, is_sound) = png(bytes, &rows);
            Some((bytes, if is_sound { condition } else { Condition::Cut }))
        }
        _ => Some((bytes, condition)),
    }
}

/// Differences to the sample before.
fn tiff(mut bytes: Vec<u8>, rows: &Rows) -> Vec<u8> {
    for row in bytes.chunks_mut(rows.length) {
        match rows.bits {
            8 => add_left(row, rows.colors),
            16 => add_left_wide(row, rows.colors),
            1 | 2 | 4 => add_left_narrow(row, rows),
            _ => {}
        }
    }
    bytes
}

/// Adds to each byte the one that is `step` before it.
fn add_left(row: &mut [u8], step: usize) {
    for at in step..row.len() {
        let left = row.get(at - step).copied().unwrap_or_default();
        if let Some(byte) = row.get_mut(at) {
            *byte = byte.wrapping_add(left);
        }
    }
}

fn add_left_wide(row: &mut [u8], colors: usize) {
    let (samples, _) = row.as_chunks_mut::<2>();
    for at in colors..samples.len() {
        let left = samples.get(at - colors).copied().map(u16::from_be_bytes).unwrap_or_default();
        if let Some(sample) = samples.get_mut(at) {
            *sample = u16::from_be_bytes(*sample).wrapping_add(left).to_be_bytes();
        }
    }
}

fn add_left_narrow(row: &mut [u8], rows: &Rows) {
    let per_byte = 8 / rows.bits;
    let mask = u8::MAX >> (8 - rows.bits);
    let shift = |sample: usize| (per_byte - 1 - sample % per_byte) * rows.bits;
    let count = rows.columns.saturating_mul(rows.colors).min(row.len() * per_byte);
    for at in rows.colors..count {
        let before = at - rows.colors;
        let left = row.get(before / per_byte).map_or(0, |byte| byte >> shift(before) & mask);
        if let Some(byte) = row.get_mut(at / per_byte) {
            let sum = (*byte >> shift(at) & mask).wrapping_add(left) & mask;
            *byte = *byte & !(mask << shift(at)) | sum << shift(at);
        }
    }
}

/// Rows that each begin with the way they are filtered. False if a row is cut, or filtered in an unknown way.
fn png(mut bytes: Vec<u8>, rows: &Rows) -> (Vec<u8>, bool) {
    let step = rows.step();
    let mut is_sound = true;
    let mut written = 0;
    let mut read = 0;
    while let Some(filter) = bytes.get(read).copied() {
        let length = rows.length.min(bytes.len() - read - 1);
        if length < rows.length {
            // Some writers end with the byte of a further row.
            is_sound &= length == 0;
        }
        // Rows move down over the bytes of their filters.
        bytes.copy_within(read + 1..read + 1 + length, written);
        read += 1 + length;
        let (above, row) = bytes.split_at_mut_checked(written).unwrap_or_default();
        let above = above.get(written.saturating_sub(rows.length)..).unwrap_or_default();
        let row = row.get_mut(..length).unwrap_or_default();
        match filter {
            0 => {}
            1 => add_left(row, step),
            2 => row.iter_mut().zip(above).for_each(|(byte, above)| *byte = byte.wrapping_add(*above)),
            3 => add_mean(row, above, step),
            4 => add_paeth(row, above, step),
            _ => is_sound = false,
        }
        written += length;
    }
    bytes.truncate(written);
    (bytes, is_sound)
}

fn add_mean(row: &mut [u8], above: &[u8], step: usize) {
    for at in 0..row.len() {
        let left = at.checked_sub(step).and_then(|left| row.get(left)).copied().unwrap_or_default();
        let above = above.get(at).copied().unwrap_or_default();
        if let Some(byte) = row.get_mut(at) {
            *byte = byte.wrapping_add(left.midpoint(above));
        }
    }
}

fn add_paeth(row: &mut [u8], above: &[u8], step: usize) {
    for at in 0..row.len() {
        let before = at.checked_sub(step);
        let left = before.and_then(|before| row.get(before)).copied().unwrap_or_default();
        let corner = before.and_then(|before| above.get(before)).copied().unwrap_or_default();
        let above = above.get(at).copied().unwrap_or_default();
        if let Some(byte) = row.get_mut(at) {
            *byte = byte.wrapping_add(nearest(left, above, corner));
        }
    }
}

/// Of the three, the one that is nearest to left plus above minus corner.
fn nearest(left: u8, above: u8, corner: u8) -> u8 {
    let [l, a, c] = [left, above, corner].map(i16::from);
    let (by_left, by_above, by_corner) = ((a - c).abs(), (l - c).abs(), (l + a - 2 * c).abs());
    if by_left <= by_above && by_left <= by_corner {
        left
    } else if by_above <= by_corner {
        above
    } else {
        corner
    }
}
