//! Fonts without characters whose program keeps the glyphs' order, or the codes, of the whole font: both are those of many fonts for
//! Windows. The heights of the glyphs say whether they are those of this one.

use std::collections::{BTreeSet, HashMap};

use docmill_pdf_fonts::heights::{self, Span};
use docmill_pdf_fonts::{glyph_names, stated};
use read_fonts::tables::post::DEFAULT_GLYPH_NAMES;
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, GlyphId, MetadataProvider as _};

/// The least number of glyphs by which an order is told.
const LEAST: usize = 6;

/// The texts of these codes of a TrueType program. `glyph`: that of a code. Two glyphs that draw nothing may be left out before the first
/// letter.
pub(super) fn texts(data: &[u8], codes: &BTreeSet<u16>, glyph: &dyn Fn(u16) -> Option<u16>) -> HashMap<u16, String> {
    let Ok(font) = FontRef::new(data) else { return HashMap::new() };
    let em = f64::from(font.metrics(Size::unscaled(), LocationRef::default()).units_per_em).max(1.0);
    let metrics = font.glyph_metrics(Size::unscaled(), LocationRef::default());
    let span = |glyph: u16| {
        let bounds = metrics.bounds(GlyphId::new(glyph.into()))?;
        let (bottom, top) = (f64::from(bounds.y_min) / em, f64::from(bounds.y_max) / em);
        (bounds.x_max > bounds.x_min).then_some(Span { bottom, top })
    };
    let drawn: Vec<(u16, u16, Span)> =
        codes.iter().filter_map(|code| glyph(*code).and_then(|glyph| Some((*code, glyph, span(glyph)?)))).collect();
    let by_order = |left_out: usize| {
        let text = |&(_, glyph, _): &(u16, u16, Span)| {
            glyph_names::text(DEFAULT_GLYPH_NAMES.get(usize::from(glyph).checked_add(left_out)?)?)
        };
        drawn.iter().map(text).collect()
    };
    let by_code = |&(code, _, _): &(u16, u16, Span)| {
        let code = u8::try_from(code).ok().filter(u8::is_ascii_graphic)?;
        Some(stated::plain(char::from(code)))
    };
    let supposed: [Option<Vec<String>>; 4] =
        [by_order(0), by_order(1), by_order(2), drawn.iter().map(by_code).collect()];
    let spans: Vec<Span> = drawn.iter().map(|(_, _, span)| *span).collect();
    let told = heights::best(supposed.into_iter().flatten(), &spans, LEAST).unwrap_or_default();
    drawn.iter().map(|(code, ..)| *code).zip(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FONT: &[u8] = include_bytes!("../../../../../infra/worker/fonts/ArimoFitted-Regular.ttf");

    /// A font with another order.
    const OTHER: &[u8] = include_bytes!("../../../../../infra/worker/fonts/Gelasio-Regular.ttf");

    fn read(font: &[u8], codes: &[u16], glyph: &dyn Fn(u16) -> Option<u16>) -> String {
        let codes: BTreeSet<u16> = codes.iter().copied().collect();
        let found = texts(font, &codes, glyph);
        codes.iter().filter_map(|code| found.get(code).cloned()).collect()
    }

    #[test]
    fn glyphs_in_the_usual_order_are_known() {
        // The first glyph is the space.
        let letters = "Help,dog!";
        let glyphs: Vec<u16> = letters.bytes().map(|byte| u16::from(byte) - 31).collect();
        let font = FontRef::new(FONT).unwrap();
        assert_eq!(font.charmap().map('H').unwrap().to_u32(), u32::from(b'H') - 31);
        let codes: Vec<u16> = (1..).take(glyphs.len()).collect();
        let glyph = |code: u16| glyphs.get(usize::from(code) - 1).copied();
        assert_eq!(read(FONT, &codes, &glyph), letters);
        assert_eq!(read(FONT, &codes[..4], &glyph), "", "too few");
        assert_eq!(read(OTHER, &codes, &glyph), "");
    }

    #[test]
    fn codes_that_are_characters_are_known() {
        let font = FontRef::new(FONT).unwrap();
        let glyph = |code: u16| u16::try_from(font.charmap().map(u32::from(code))?.to_u32()).ok();
        let codes: Vec<u16> = "Daegip".bytes().map(u16::from).collect();
        assert_eq!(read(FONT, &codes, &|code| glyph(code).map(|glyph| if glyph == 0 { 1 } else { glyph })), "Daegip");
    }
}
