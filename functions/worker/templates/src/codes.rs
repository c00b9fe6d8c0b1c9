//! QR codes and bar codes of values, as pictures: `{%url | qr}`, `{%url | qr:30}`.

use docmill_codes::{self as codes, Mistake, Symbology};
use serde_json::Value;

use crate::expression::Expression;
use crate::pictures::{Kind, Picture, Surroundings};
use crate::problem::Fault;

/// Narrowest and widest code, in millimeters.
const WIDTHS: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

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
    #[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
    Some(width as f32)
}

impl Style {
    /// A vector drawing, as this kind of document shows it. `None` if there is no value.
    pub(crate) fn picture(self, value: &Value, surroundings: Surroundings) -> Result<Option<Picture>, Fault> {
        if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
            return Ok(None);
        }
        let mut code = codes::encode(self.symbology, value).map_err(|mistakes| self.fault(&mistakes))?;
        if let Some(width) = self.width {
            code.module = width / code.width;
        }
        let (width, height) = code.full_size();
        let size = (width * code.module, height * code.module);
        Ok(Some(match surroundings {
            Surroundings::Html => Picture::for_html(code.svg().into_bytes()),
            Surroundings::Office => Picture::of_size(Kind::Emf, code.emf(), size),
            Surroundings::OpenDocument => Picture::of_size(Kind::Svg, code.svg().into_bytes(), size),
        }))
    }

    fn fault(self, mistakes: &[Mistake]) -> Fault {
        let mistakes: Vec<_> = mistakes.iter().map(Mistake::to_string).collect();
        Fault::unusable(format!("The value can't be drawn as {}: {}.", self.symbology, mistakes.join("; ")))
    }
}
