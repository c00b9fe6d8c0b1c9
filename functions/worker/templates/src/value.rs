//! Values of the data: which are shown, and how they are written, calculated with and compared.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Number, Value};

use crate::problem::Fault;

/// Whether a section with this value is shown: not for nothing, false, zero, empty text and empty lists.
pub(crate) fn is_shown(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(yes) => *yes,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(elements) => !elements.is_empty(),
        Value::Object(_) => true,
    }
}

/// What a tag writes. Lists of simple values are joined by commas.
pub(crate) fn text_of(value: &Value) -> Result<Cow<'_, str>, Fault> {
    match value {
        Value::Null => Ok(Cow::Borrowed("")),
        Value::Bool(true) => Ok(Cow::Borrowed("true")),
        Value::Bool(false) => Ok(Cow::Borrowed("false")),
        Value::Number(number) => Ok(Cow::Owned(number.to_string())),
        Value::String(text) => Ok(Cow::Borrowed(text)),
        Value::Array(elements) => {
            let texts: Vec<_> = elements
                .iter()
                .map(|element| match element {
                    Value::Array(_) | Value::Object(_) => Err(Fault::unusable(
                        "The value is a list of objects, which a tag can't write. Use a section that begins with `#`.",
                    )),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => text_of(element),
                })
                .collect::<Result<_, _>>()?;
            Ok(Cow::Owned(texts.join(", ")))
        }
        Value::Object(_) => Err(Fault::unusable(
            "The value is an object, which a tag can't write. Name one of its members, as in `a.b`.",
        )),
    }
}

pub(crate) fn number(value: &Value) -> Result<f64, Fault> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    number.ok_or_else(|| Fault::unusable(format!("A number is needed, but the value is {}.", kind_of(value))))
}

pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Fifteen digits, so that 0.1 + 0.2 is 0.3; whole numbers without a fraction.
pub(crate) fn finite(number: f64) -> Result<Value, Fault> {
    const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    if rounded.fract() == 0.0 && rounded.abs() < LARGEST_WHOLE {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and in the range")]
        return Ok(Value::Number(Number::from(rounded as i64)));
    }
    Number::from_f64(rounded).map(Value::Number).ok_or_else(|| Fault::unusable("The result is not a finite number."))
}

pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        _ => left == right,
    }
}

/// Numbers by size, texts by their characters. Nothing is neither less nor greater.
pub(crate) fn compared(left: &Value, right: &Value) -> Result<Option<Ordering>, Fault> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Ok(Some(left.cmp(right))),
        (Value::Bool(left), Value::Bool(right)) => Ok(Some(left.cmp(right))),
        (Value::Null, _) | (_, Value::Null) => Ok(None),
        _ => Ok(number(left)?.partial_cmp(&number(right)?)),
    }
}
