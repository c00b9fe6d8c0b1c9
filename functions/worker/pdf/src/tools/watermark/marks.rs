//! Stamps as objects of the document.

use std::collections::HashMap;

use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_request::{Failure, Request, Warning};
use docmill_pdf_structure::assembly::Source;
use docmill_pdf_structure::label::{self, Align, Missing};
use docmill_pdf_structure::stamp;
use lopdf::Document;

use super::codes::Codes;
use super::fields::{Fields, distinct};
use super::look::Look;
use super::mark::Mark;
use super::options::{Content, Stamp};
use super::refuse;
use docmill_pdf_core::Libraries;

/// The default size of a watermark's text, in points, if it fits.
const USUAL_SIZE: f32 = 48.0;

/// Makes marks, and keeps what several share.
pub(super) struct Maker<'a> {
    libraries: &'a Libraries,
    request: &'a Request,
    /// Pictures and pages by the index of their source.
    loaded: HashMap<usize, stamp::Stamp>,
    codes: Codes,
    missing: Missing,
    warnings: Vec<Warning>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(libraries: &'a Libraries, request: &'a Request) -> Self {
        let codes = Codes::within(&request.limits);
        let (missing, warnings) = (Missing::default(), Vec::new());
        Self { libraries, request, loaded: HashMap::new(), codes, missing, warnings }
    }

    pub(super) fn warnings(self) -> impl Iterator<Item = Warning> {
        self.warnings.into_iter().chain(self.missing.warning())
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
                let (values, indices) = distinct(values);
                let marks = values.iter().map(|value| self.codes.mark(barcode, value, stamp, &mut source.document));
                let marks = marks.collect::<Result<Vec<Mark>, Failure>>()?;
                Ok(indices.into_iter().map(|index| marks.get(index).copied()).collect())
            }
        }
    }

    fn labels(&mut self, texts: Vec<String>, look: &Look, source: &mut Source) -> Result<Vec<Option<Mark>>, Failure> {
        let (texts, indices) = distinct(texts);
        let size = look.font_size.unwrap_or(USUAL_SIZE);
        let style = label::Look { size, color: &look.color, align: Align::Center };
        let (labels, missing) = label::add(self.libraries.fonts(), &mut source.document, &texts, style)?;
        self.missing.extend(missing);
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
        let (picture, more) = stamp::load(self.libraries, self.request, index, document)?;
        self.warnings.extend(more);
        self.loaded.insert(index, picture);
        Ok(picture)
    }
}
