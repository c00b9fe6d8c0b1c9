//! Stamps as objects of the document.

use std::collections::HashMap;

use docmill_codes as codes;
use docmill_codes::{Code, QuietZone, Symbology, Tone};
use lopdf::{Document, Object, ObjectId, Stream, dictionary};
use serde_json::Value;

use super::fields::{Fields, distinct};
use super::options::{Barcode, Content, Look, Stamp};
use super::refuse;
use crate::label::{self, Align};
use crate::structure::assembly::Source;
use crate::structure::pages::Rectangle;
use crate::structure::stamp;
use crate::structure::transform::Matrix;
use crate::{Engines, Failure, Request, Warning};

/// The default size of a watermark's text, in points, if it fits.
const USUAL_SIZE: f32 = 48.0;
const POINTS_PER_MILLIMETER: f32 = 72.0 / 25.4;

/// Something to put on a page: an object, its size, and the matrix from its units to a box of that size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) form: ObjectId,
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) matrix: Matrix,
    /// It may be scaled down to fit.
    pub(super) shrinks: bool,
}

/// Makes marks, and keeps what several share.
pub(super) struct Maker<'a> {
    engines: &'a Engines,
    request: &'a Request,
    /// Pictures and pages by the index of their source.
    loaded: HashMap<usize, stamp::Stamp>,
    pub(super) warnings: Vec<Warning>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(engines: &'a Engines, request: &'a Request) -> Self {
        Self { engines, request, loaded: HashMap::new(), warnings: Vec::new() }
    }

    /// A mark for each of these pages. Pages with the same text share one.
    pub(super) fn marks(
        &mut self,
        stamp: &Stamp,
        source: &mut Source,
        chosen: &[u32],
    ) -> Result<Vec<Option<Mark>>, Failure> {
        let pages = source.pages.len();
        let fields = |style| Fields::new(style, self.request.now, pages, &stamp.path);
        match &stamp.content {
            Content::Watermark(text) => {
                let text = text.replace("{pages}", &pages.to_string()).replace("{date}", &self.request.now.day());
                let own = |page: &u32| text.replace("{page}", &(page + 1).to_string());
                self.labels(chosen.iter().map(own).collect(), &stamp.look, source)
            }
            Content::Text { text, fields: style } => {
                let texts = fields(style)?.fill(text, chosen);
                self.labels(texts, &stamp.look, source)
            }
            Content::Source(index) => {
                let mark = self.picture(*index, stamp, &mut source.document)?;
                Ok(vec![Some(mark); chosen.len()])
            }
            Content::Barcode { barcode, fields: style } => {
                let values = fields(style)?.fill(barcode.value.as_deref().unwrap_or_default(), chosen);
                barcodes(barcode, values, stamp, &mut source.document)
            }
        }
    }

    fn labels(&self, texts: Vec<String>, look: &Look, source: &mut Source) -> Result<Vec<Option<Mark>>, Failure> {
        let (texts, indices) = distinct(texts);
        let size = look.font_size.unwrap_or(USUAL_SIZE);
        let style = label::Look { size, color: &look.color, align: Align::Center };
        let labels = label::add(self.engines.fonts(), &mut source.document, &texts, style)?;
        let mark = |index: usize| {
            let label = labels.get(index).copied().flatten()?;
            Some(Mark {
                form: label.form,
                width: label.width,
                height: label.height,
                matrix: label.matrix,
                shrinks: look.font_size.is_none(),
            })
        };
        Ok(indices.into_iter().map(mark).collect())
    }

    fn picture(&mut self, index: usize, wanted: &Stamp, document: &mut Document) -> Result<Mark, Failure> {
        let picture = match self.loaded.get(&index) {
            Some(picture) => *picture,
            None => self.load(index, &wanted.path, document)?,
        };
        let width = wanted.look.width;
        let factor = width.map_or(1.0, |width| width / picture.width);
        Ok(Mark {
            form: picture.form,
            width: picture.width * factor,
            height: picture.height * factor,
            matrix: picture.matrix.then(Matrix::scale(factor)),
            shrinks: width.is_none(),
        })
    }

    fn load(&mut self, index: usize, path: &str, document: &mut Document) -> Result<stamp::Stamp, Failure> {
        if index >= self.request.sources.len() {
            let message =
                format!("`{path}source` names source {index}, which does not exist: count from 1, after the PDF.");
            return Err(refuse(message));
        }
        let (picture, more) = stamp::load(self.engines, self.request, index, document)?;
        self.warnings.extend(more.into_iter().filter(|warning| warning.code != "signature_broken"));
        self.loaded.insert(index, picture);
        Ok(picture)
    }
}

fn barcodes(
    barcode: &Barcode,
    values: Vec<String>,
    stamp: &Stamp,
    document: &mut Document,
) -> Result<Vec<Option<Mark>>, Failure> {
    let (values, indices) = distinct(values);
    let marks: Vec<Mark> = values
        .iter()
        .map(|value| {
            let mut code = encoded(barcode, value).map_err(|mistakes| wrong_code(&stamp.path, &mistakes))?;
            if let Some(modules) = barcode.quiet_zone {
                code.quiet_zone = QuietZone { horizontal: modules, vertical: modules };
            }
            let module = barcode.size.map_or(code.module * POINTS_PER_MILLIMETER, |size| size / code.width);
            let (width, height) = code.full_size();
            Ok(Mark {
                form: add_code(document, &code, &stamp.look.color),
                width: width * module,
                height: height * module,
                matrix: Matrix::scale(module),
                // The Swiss one has its size by law.
                shrinks: barcode.size.is_none() && barcode.symbology != Symbology::SwissQr,
            })
        })
        .collect::<Result<_, Failure>>()?;
    Ok(indices.into_iter().map(|index| marks.get(index).copied()).collect())
}

fn encoded(barcode: &Barcode, text: &str) -> Result<Code, Vec<codes::Mistake>> {
    match barcode.symbology {
        Symbology::Epc => codes::encode(Symbology::Epc, barcode.payment.as_ref().unwrap_or(&Value::Null)),
        Symbology::SwissQr => codes::encode(Symbology::SwissQr, barcode.bill.as_ref().unwrap_or(&Value::Null)),
        symbology @ (Symbology::Qr
        | Symbology::Code128
        | Symbology::Ean13
        | Symbology::Ean8
        | Symbology::UpcA
        | Symbology::DataMatrix
        | Symbology::Pdf417) => codes::encode_text(symbology, text),
    }
}

fn wrong_code(path: &str, mistakes: &[codes::Mistake]) -> Failure {
    let mistakes: Vec<String> = mistakes.iter().map(codes::Mistake::to_string).collect();
    refuse(format!("`{path}barcode` cannot be drawn: {}.", mistakes.join("; ")))
}

/// A code on white, in units of modules.
fn add_code(document: &mut Document, code: &Code, color: &str) -> ObjectId {
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
    document.add_object(Object::Stream(Stream::new(head, content.into_bytes())))
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
