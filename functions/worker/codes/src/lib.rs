//! QR codes and bar codes as vectors: rectangles in modules, or SVG and EMF made of them.
//!
//! Encoders are libraries: `qrcodegen` (QR), `datamatrix`, and `rxing` (bars and PDF417). The texts of payment codes are
//! built here, from fields that are checked (`payment`). Tests decode what is drawn with another program.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod code;
mod emf;
mod linear;
mod matrix;
mod mistake;
mod payment;
mod symbology;

pub use code::{Code, Layer, QuietZone, Rectangle, Tone};
pub use mistake::Mistake;
pub use payment::epc::Transfer;
pub use payment::swiss::{Bill, Party};
pub use symbology::Symbology;

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Encodes a value: text, or an object with the fields of a payment for `epc` and `swiss-qr`.
///
/// # Errors
///
/// Everything that is wrong with the value.
pub fn encode(symbology: Symbology, value: &Value) -> Result<Code, Vec<Mistake>> {
    match symbology {
        Symbology::Epc => matrix::epc(&fields::<Transfer>(symbology, value)?.text()?),
        Symbology::SwissQr => matrix::swiss(&fields::<Bill>(symbology, value)?.text()?),
        Symbology::Qr
        | Symbology::Code128
        | Symbology::Ean13
        | Symbology::Ean8
        | Symbology::UpcA
        | Symbology::DataMatrix
        | Symbology::Pdf417 => return encode_text(symbology, &text(symbology, value)?),
    }
    .map_err(|mistake| vec![mistake])
}

/// Encodes text. Payment codes take the JSON of their fields.
///
/// # Errors
///
/// Everything that is wrong with the text.
pub fn encode_text(symbology: Symbology, text: &str) -> Result<Code, Vec<Mistake>> {
    if text.is_empty() {
        return Err(vec![Mistake::Empty]);
    }
    match symbology {
        Symbology::Qr => matrix::qr(text),
        Symbology::DataMatrix => matrix::data_matrix(text),
        Symbology::Pdf417 => matrix::pdf417(text),
        Symbology::Code128 => linear::code_128(text),
        Symbology::Ean13 => linear::article(linear::EAN_13, text),
        Symbology::Ean8 => linear::article(linear::EAN_8, text),
        Symbology::UpcA => linear::article(linear::UPC_A, text),
        Symbology::Epc | Symbology::SwissQr => {
            let value = serde_json::from_str(text).map_err(|_| vec![Mistake::NoFields { symbology }])?;
            return encode(symbology, &value);
        }
    }
    .map_err(|mistake| vec![mistake])
}

/// Whole numbers are accepted as text too: data often has an article's number as a number.
fn text(symbology: Symbology, value: &Value) -> Result<String, Vec<Mistake>> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) if number.is_u64() => Ok(number.to_string()),
        Value::Null => Err(vec![Mistake::Empty]),
        Value::Number(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            Err(vec![Mistake::NoText { symbology }])
        }
    }
}

/// The library's own message would repeat values.
fn fields<T: DeserializeOwned>(symbology: Symbology, value: &Value) -> Result<T, Vec<Mistake>> {
    // serde reads structures from lists too.
    let object = value.is_object().then(|| T::deserialize(value).ok()).flatten();
    object.ok_or_else(|| vec![Mistake::NoFields { symbology }])
}
