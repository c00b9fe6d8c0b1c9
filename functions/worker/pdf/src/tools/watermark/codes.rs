//! Codes as objects of the document. Each page may have codes of its own: equal ones are drawn once, and all are compressed at once.

use std::collections::HashMap;

use docmill_codes::{self as codes, Code, QuietZone, Symbology, Tone};
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_request::{Failure, Limits};
use lopdf::{Document, Object, ObjectId, Stream, dictionary};
use serde_json::Value;

use super::mark::Mark;
use super::options::{Barcode, Stamp};
use super::refuse;

const POINTS_PER_MILLIMETER: f32 = 72.0 / 25.4;
/// The part of the memory that codes may take.
const SHARE_OF_MEMORY: u64 = 8;
/// What a code takes in memory beside its text and its drawing.
const BYTES_OF_OBJECT: usize = 1024;

/// The codes that are drawn already.
pub(super) struct Codes {
    drawn: HashMap<Look, Drawn>,
    most: u64,
    left: u64,
}

/// What makes codes equal. Their size is that of their marks.
#[derive(PartialEq, Eq, Hash)]
struct Look {
    symbology: Symbology,
    text: String,
    quiet_zone: Option<u32>,
    color: String,
}

/// Lengths in modules, but the module's own in points.
#[derive(Clone, Copy)]
struct Drawn {
    form: ObjectId,
    width: f32,
    full_size: (f32, f32),
    module: f32,
}

impl Codes {
    pub(super) fn within(limits: &Limits) -> Self {
        let most = limits.output_bytes.min(limits.memory_bytes / SHARE_OF_MEMORY);
        Self { drawn: HashMap::new(), most, left: most }
    }

    /// A mark with the code of this text, or of the payment in the options.
    pub(super) fn mark(
        &mut self,
        barcode: &Barcode,
        text: &str,
        stamp: &Stamp,
        document: &mut Document,
    ) -> Result<Mark, Failure> {
        let drawn = self.drawn(barcode, text, stamp, document)?;
        let module = barcode.size.map_or(drawn.module, |size| size / drawn.width);
        let (width, height) = drawn.full_size;
        Ok(Mark {
            form: drawn.form,
            width: width * module,
            height: height * module,
            matrix: Matrix::scale(module),
            // The Swiss one has its size by law.
            shrinks: barcode.size.is_none() && barcode.symbology != Symbology::SwissQr,
        })
    }

    fn drawn(
        &mut self,
        barcode: &Barcode,
        text: &str,
        stamp: &Stamp,
        document: &mut Document,
    ) -> Result<Drawn, Failure> {
        let look = Look {
            symbology: barcode.symbology,
            text: payment(barcode).map_or_else(|| text.to_owned(), Value::to_string),
            quiet_zone: barcode.quiet_zone.map(f32::to_bits),
            color: stamp.look.color.clone(),
        };
        if let Some(drawn) = self.drawn.get(&look) {
            return Ok(*drawn);
        }
        let mut code = encoded(barcode, text).map_err(|mistakes| wrong_code(&stamp.path, &mistakes))?;
        if let Some(modules) = barcode.quiet_zone {
            code.quiet_zone = QuietZone { horizontal: modules, vertical: modules };
        }
        let form = code_form(&code, &look.color)?;
        self.spend(look.text.len() + form.content.len() + BYTES_OF_OBJECT, &stamp.path)?;
        let drawn = Drawn {
            form: document.add_object(Object::Stream(form)),
            width: code.width,
            full_size: code.full_size(),
            module: code.module * POINTS_PER_MILLIMETER,
        };
        self.drawn.insert(look, drawn);
        Ok(drawn)
    }

    fn spend(&mut self, bytes: usize, path: &str) -> Result<(), Failure> {
        let left = u64::try_from(bytes).ok().and_then(|bytes| self.left.checked_sub(bytes));
        self.left = left.ok_or_else(|| {
            refuse(format!(
                "`{path}barcode` makes the codes larger than the {} MiB that they may have together: give them shorter texts, choose \
                 fewer `pages`, or split the document.",
                self.most >> 20
            ))
        })?;
        Ok(())
    }
}

/// The fields of a payment, which take the place of a text.
fn payment(barcode: &Barcode) -> Option<&Value> {
    match barcode.symbology {
        Symbology::Epc => Some(barcode.payment.as_ref().unwrap_or(&Value::Null)),
        Symbology::SwissQr => Some(barcode.bill.as_ref().unwrap_or(&Value::Null)),
        Symbology::Qr
        | Symbology::Code128
        | Symbology::Ean13
        | Symbology::Ean8
        | Symbology::UpcA
        | Symbology::DataMatrix
        | Symbology::Pdf417 => None,
    }
}

fn encoded(barcode: &Barcode, text: &str) -> Result<Code, Vec<codes::Mistake>> {
    match payment(barcode) {
        Some(fields) => codes::encode(barcode.symbology, fields),
        None => codes::encode_text(barcode.symbology, text),
    }
}

fn wrong_code(path: &str, mistakes: &[codes::Mistake]) -> Failure {
    let mistakes: Vec<String> = mistakes.iter().map(codes::Mistake::to_string).collect();
    refuse(format!("`{path}barcode` cannot be drawn: {}.", mistakes.join("; ")))
}

/// A code on white, in units of modules.
pub(crate) fn code_form(code: &Code, color: &str) -> Result<Stream, Failure> {
    let (width, height) = code.full_size();
    let mut content = format!("1 g 0 0 {width} {height} re f\n");
    for layer in &code.layers {
        content.push_str(&match layer.tone {
            Tone::Dark => rgb(color),
            Tone::Light => "1 g\n".to_owned(),
        });
        // All in one path, so that no viewer shows seams between them.
        for part in &layer.rectangles {
            let left = code.quiet_zone.horizontal + part.left;
            let bottom = height - code.quiet_zone.vertical - part.top - part.height;
            content.push_str(&format!("{left} {bottom} {} {} re\n", part.width, part.height));
        }
        content.push_str("f\n");
    }
    let bounds = Rectangle::of_size(width, height).to_object();
    let head = dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => bounds };
    let mut form = Stream::new(head, content.into_bytes());
    form.compress().map_err(|error| Failure::internal(format!("compressing a code: {error}")))?;
    Ok(form)
}

/// The operator for a color such as `#204060`. Shades of gray suit all color spaces.
fn rgb(color: &str) -> String {
    let part = |at: usize| color.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0);
    let [red, green, blue] = [part(1), part(3), part(5)].map(|part| f32::from(part) / 255.0);
    if color.get(1..3) == color.get(3..5) && color.get(3..5) == color.get(5..7) {
        return format!("{red} g\n");
    }
    format!("{red} {green} {blue} rg\n")
}
