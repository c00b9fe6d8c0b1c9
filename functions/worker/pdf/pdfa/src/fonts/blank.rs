//! Programs of glyphs that draw nothing.

use std::collections::BTreeMap;

use docmill_pdf_fonts::truetype::{self, Tables};

/// Units of an em.
const UNITS: u16 = 1000;
/// A file that has no tables yet.
const EMPTY: [u8; 12] = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// A TrueType program, and the glyphs of its codes.
pub(super) struct Program {
    pub(super) data: Vec<u8>,
    pub(super) glyphs: BTreeMap<u16, u16>,
}

/// A glyph for each width. `widths`: those of codes, in thousandths of an em. `None` if one is no width.
pub(super) fn program(widths: &[(u16, f64)]) -> Option<Program> {
    let mut advances = vec![UNITS];
    let mut glyphs = BTreeMap::new();
    for (code, width) in widths {
        let width = Some(width.round()).filter(|width| (0.0..=65_535.0).contains(width))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in the range")]
        let width = width as u16;
        // The first one stands for codes that are missing.
        let known = advances.iter().skip(1).position(|advance| *advance == width).map(|place| place + 1);
        let glyph = known.unwrap_or_else(|| {
            advances.push(width);
            advances.len() - 1
        });
        glyphs.insert(*code, u16::try_from(glyph).ok()?);
    }
    let count = u16::try_from(advances.len()).ok()?;
    let widest = advances.iter().copied().max().unwrap_or(UNITS);
    let metrics = advances.iter().flat_map(|advance| words(&[*advance, 0])).collect();
    // Positions of outlines, each of two bytes: all are at the beginning, and none has a length.
    let places = vec![0; (usize::from(count) + 1) * 2];
    let tables = vec![
        (*b"head", head()),
        (*b"hhea", words(&[1, 0, 800, 65_336, 0, widest, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, count])),
        (*b"maxp", words(&[1, 0, count, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0])),
        (*b"hmtx", metrics),
        (*b"loca", places),
        // Some readers take an empty table for none.
        (*b"glyf", vec![0; 4]),
    ];
    let data = truetype::sealed(&Tables::new(&EMPTY)?, tables)?;
    Some(Program { data, glyphs })
}

/// Version 1, its revision, a sum that is computed later, a magic number, flags, units, two dates, an empty box, no style, the least size,
/// left to right, and the forms of two other tables.
fn head() -> Vec<u8> {
    let before = words(&[1, 0, 1, 0, 0, 0, 0x5F0F, 0x3CF5, 0, UNITS]);
    let after = words(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 0, 0]);
    [before, after].concat()
}

fn words(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::truetype::Face;
    use super::*;

    #[test]
    fn codes_of_a_width_share_a_glyph_that_draws_nothing() {
        let Program { data, glyphs } = program(&[(32, 250.0), (65, 500.0), (66, 500.0)]).unwrap();
        assert_eq!(glyphs.into_iter().collect::<Vec<_>>(), [(32, 1), (65, 2), (66, 2)]);
        let face = Face::new(&data).unwrap();
        assert_eq!([1, 2].map(|glyph| face.width(glyph)), [Some(250.0), Some(500.0)]);
        assert!(program(&[(32, -1.0)]).is_none());
    }
}
