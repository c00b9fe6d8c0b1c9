//! QR codes and bar codes of values, as pictures: `{%url | qr}`, `{%url | qr:30}`.

use docmill_codes::{self as codes, Code, Layer, Mistake, Symbology, Tone};
use serde_json::Value;

use crate::expression::Expression;
use crate::pictures::Picture;
use crate::problem::Fault;

/// Narrowest and widest code, in millimeters.
const WIDTHS: std::ops::RangeInclusive<f64> = 1.0..=1000.0;
/// Pixels of a code's width, at least; a module is a whole number of them, within bounds.
const PIXELS: f32 = 1200.0;
const PIXELS_OF_MODULE: (f32, f32) = (4.0, 24.0);

/// How a value becomes a code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    pub(crate) symbology: Symbology,
    /// In millimeters, without the quiet zone; otherwise what is usual.
    width: Option<f32>,
}

/// Names of filters that make codes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    Symbology::ALL.into_iter().map(Symbology::name)
}

/// The expression whose value is drawn, and how, if its last filter makes a code.
pub(crate) fn split(expression: Expression) -> Result<(Expression, Option<Style>), Fault> {
    let Expression::Filter { name, input, arguments } = expression else { return Ok((expression, None)) };
    let Some(symbology) = Symbology::from_name(&name) else {
        return Ok((Expression::Filter { name, input, arguments }, None));
    };
    let wrong = || Fault::invalid(format!("A code's width is a number of millimeters: `{name}:30`."));
    let width = match arguments.as_slice() {
        [] => None,
        [argument] => Some(width(argument).ok_or_else(wrong)?),
        [_, _, ..] => return Err(wrong()),
    };
    Ok((*input, Some(Style { symbology, width })))
}

fn width(argument: &Expression) -> Option<f32> {
    let Expression::Literal(Value::Number(width)) = argument else { return None };
    let width = width.as_f64().filter(|width| WIDTHS.contains(width))?;
    Some(width as f32)
}

impl Style {
    /// `None` if there is no value.
    pub(crate) fn picture(self, value: &Value, as_pixels: bool) -> Result<Option<Picture>, Fault> {
        if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
            return Ok(None);
        }
        let mut code = codes::encode(self.symbology, value).map_err(|mistakes| self.fault(&mistakes))?;
        if let Some(width) = self.width {
            code.module = width / code.width;
        }
        if !as_pixels {
            return Ok(Some(Picture::vector(code.svg().into_bytes())));
        }
        let png = png(&code).map_err(|_| Fault::unusable("The code can't be drawn."))?;
        let (width, height) = code.full_size();
        Ok(Some(Picture::of_size(png, (width * code.module, height * code.module))))
    }

    fn fault(self, mistakes: &[Mistake]) -> Fault {
        let mistakes: Vec<_> = mistakes.iter().map(Mistake::to_string).collect();
        Fault::unusable(format!("The value can't be drawn as {}: {}.", self.symbology, mistakes.join("; ")))
    }
}

/// Black and white, in which edges are sharp.
fn png(code: &Code) -> Result<Vec<u8>, png::EncodingError> {
    let (width, height) = code.full_size();
    let (least, most) = PIXELS_OF_MODULE;
    let scale = (PIXELS / width).ceil().clamp(least, most);
    let mut bitmap = Bitmap::white(pixels(width * scale), pixels(height * scale));
    for Layer { tone, rectangles } in &code.layers {
        for part in rectangles {
            let (left, top) = (part.left + code.quiet_zone.horizontal, part.top + code.quiet_zone.vertical);
            let across = pixels(left * scale)..pixels((left + part.width) * scale);
            let down = pixels(top * scale)..pixels((top + part.height) * scale);
            bitmap.fill(&across, down, *tone);
        }
    }
    bitmap.encoded()
}

fn pixels(length: f32) -> u32 {
    length.round() as u32
}

/// One bit for each pixel, which is set where it is white.
struct Bitmap {
    width: u32,
    height: u32,
    rows: Vec<Vec<u8>>,
}

impl Bitmap {
    fn white(width: u32, height: u32) -> Self {
        Self { width, height, rows: vec![vec![0xFF; width.div_ceil(8) as usize]; height as usize] }
    }

    fn fill(&mut self, across: &std::ops::Range<u32>, down: std::ops::Range<u32>, tone: Tone) {
        for row in self.rows.iter_mut().skip(down.start as usize).take(down.len()) {
            for column in across.clone() {
                let Some(byte) = row.get_mut((column / 8) as usize) else { break };
                let bit = 0x80_u8 >> (column % 8);
                match tone {
                    Tone::Dark => *byte &= !bit,
                    Tone::Light => *byte |= bit,
                }
            }
        }
    }

    fn encoded(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::One);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rows.concat())?;
        writer.finish()?;
        Ok(bytes)
    }
}
