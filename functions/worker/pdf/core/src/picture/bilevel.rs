//! Pictures of two values: fax and JBIG2.

use std::panic::catch_unwind;

use fax::encoder::Encoder;
use fax::{Color, VecWriter};
use hayro_ccitt::{DecodeSettings, DecoderContext, EncodingMode};
use lopdf::{Dictionary, Object};

/// The width that a fax has by default.
const FAX_COLUMNS: i64 = 1728;

/// Packed rows, with 1 for white unless the fax says that black is 1.
pub(super) fn fax(data: &[u8], parameters: Option<&Dictionary>, (width, height): (u32, u32)) -> Option<Vec<u8>> {
    let integer = |key: &[u8]| parameters.and_then(|parameters| parameters.get(key).ok()?.as_i64().ok());
    let flag = |key: &[u8]| parameters.and_then(|parameters| parameters.get(key).ok()?.as_bool().ok());
    if integer(b"Columns").unwrap_or(FAX_COLUMNS) != i64::from(width) {
        return None;
    }
    let encoding = match integer(b"K").unwrap_or(0) {
        ..0 => EncodingMode::Group4,
        0 => EncodingMode::Group3_1D,
        _ => EncodingMode::Group3_2D,
    };
    let settings = DecodeSettings {
        columns: width,
        rows: height,
        end_of_block: flag(b"EndOfBlock").unwrap_or(true),
        end_of_line: flag(b"EndOfLine").unwrap_or(false),
        rows_are_byte_aligned: flag(b"EncodedByteAlign").unwrap_or(false),
        encoding,
        strict: false,
    };
    let black_is_1 = flag(b"BlackIs1").unwrap_or(false);
    let rows = decoded(data, settings)?;
    // A cut picture stays as it is: viewers differ in what they show of it.
    (rows.rows == height as usize).then(|| if black_is_1 { rows.bits } else { inverted(rows.bits) })
}

/// Packed rows, with 1 for white.
pub(super) fn jbig2(data: &[u8], globals: Option<&[u8]>, (width, height): (u32, u32)) -> Option<Vec<u8>> {
    let decoded = catch_unwind(|| {
        let settings = hayro_jbig2::DecodeSettings::default();
        let globals = match globals {
            Some(globals) => Some(hayro_jbig2::Globals::new(globals, &settings).ok()?),
            None => None,
        };
        let page = hayro_jbig2::Page::new_embedded(data, globals.as_ref(), &settings).ok()?;
        if (page.width(), page.height()) != (width, height) {
            return None;
        }
        let mut rows = Rows::new(width);
        page.decode(&mut rows).ok()?;
        (rows.rows == height as usize).then(|| inverted(rows.bits))
    });
    decoded.ok().flatten()
}

/// Packed rows, with 0 for black, as a fax of group 4, with its parameters. `None` if it is too wide for that.
pub fn encode(samples: &[u8], (width, height): (u32, u32)) -> Option<(Vec<u8>, Dictionary)> {
    let columns = u16::try_from(width).ok()?;
    let row = usize::from(columns).div_ceil(8);
    let encoded = catch_unwind(|| {
        let mut encoder = Encoder::new(VecWriter::with_capacity(samples.len()));
        for row in samples.chunks_exact(row) {
            let bits = row.iter().flat_map(|byte| (0..8).map(move |at| byte & (0x80 >> at) == 0));
            let pixels = bits.take(usize::from(columns)).map(|black| if black { Color::Black } else { Color::White });
            encoder.encode_line(pixels, columns).ok()?;
        }
        Some(encoder.finish().ok()?.finish())
    });
    let data = encoded.ok().flatten()?;
    let settings = DecodeSettings {
        columns: width,
        rows: height,
        end_of_block: true,
        end_of_line: false,
        rows_are_byte_aligned: false,
        encoding: EncodingMode::Group4,
        strict: true,
    };
    // Another program wrote the encoder: what it makes must be the same picture.
    let back = decoded(&data, settings).map(|rows| inverted(rows.bits))?;
    let spare = u32::try_from(row * 8 - usize::from(columns)).ok()?;
    let same = back.chunks(row).zip(samples.chunks(row)).all(|(one, other)| same_row(one, other, spare));
    let mut parameters = Dictionary::new();
    parameters.set("K", -1);
    parameters.set("Columns", Object::Integer(i64::from(width)));
    parameters.set("Rows", Object::Integer(i64::from(height)));
    (same && back.len() == samples.len()).then_some((data, parameters))
}

/// Whether rows are equal but for the bits that fill up their last byte.
fn same_row(one: &[u8], other: &[u8], spare: u32) -> bool {
    match (one.split_last(), other.split_last()) {
        (Some((last, rest)), Some((other_last, other_rest))) => rest == other_rest && (last ^ other_last) >> spare == 0,
        _ => one == other,
    }
}

fn decoded(data: &[u8], settings: DecodeSettings) -> Option<Rows> {
    let decoded = catch_unwind(|| {
        let mut rows = Rows::new(settings.columns);
        hayro_ccitt::decode(data, &mut rows, &mut DecoderContext::new(settings)).ok()?;
        Some(rows)
    });
    decoded.ok().flatten()
}

fn inverted(bits: Vec<u8>) -> Vec<u8> {
    bits.into_iter().map(|byte| !byte).collect()
}

/// Packed rows, with 1 for black.
struct Rows {
    width: usize,
    bits: Vec<u8>,
    rows: usize,
    /// Pixels of the row that is not complete.
    column: usize,
}

impl Rows {
    fn new(width: u32) -> Self {
        Self { width: width as usize, bits: Vec::new(), rows: 0, column: 0 }
    }

    fn push(&mut self, black: bool) {
        if self.column.is_multiple_of(8) {
            self.bits.push(0);
        }
        if black && let Some(byte) = self.bits.last_mut() {
            *byte |= 0x80 >> (self.column % 8);
        }
        self.column += 1;
    }
}

impl hayro_ccitt::Decoder for Rows {
    fn push_row(&mut self, changes: &[u32]) {
        let start = self.bits.len();
        self.bits.resize(start + self.width.div_ceil(8), 0);
        for pair in changes.chunks(2) {
            let from = pair.first().map_or(0, |at| *at as usize);
            let to = pair.get(1).map_or(self.width, |at| *at as usize).min(self.width);
            for at in from..to {
                if let Some(byte) = self.bits.get_mut(start + at / 8) {
                    *byte |= 0x80 >> (at % 8);
                }
            }
        }
        self.rows += 1;
    }
}

impl hayro_jbig2::Decoder for Rows {
    fn push_pixel(&mut self, black: bool) {
        self.push(black);
    }

    fn push_pixel_chunk(&mut self, black: bool, chunk_count: u32) {
        for _ in 0..chunk_count {
            self.bits.push(if black { 0xff } else { 0 });
            self.column += 8;
        }
    }

    fn next_line(&mut self) {
        self.rows += 1;
        self.column = 0;
    }
}
