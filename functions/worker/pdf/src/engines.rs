//! The libraries that the tools call.

use std::sync::OnceLock;

use crate::{Failure, Outcome, Request, label, ocr, pdfium, qpdf, tools};

/// The libraries, found and loaded once before the first request.
#[derive(Debug)]
pub struct Engines {
    pdfium: Result<pdfium::Pdfium, String>,
    qpdf: Result<qpdf::Qpdf, String>,
    fonts: OnceLock<label::Fonts>,
    /// Loaded when first needed, with its many dependencies.
    tesseract: OnceLock<Result<ocr::Tesseract, String>>,
}

impl Engines {
    /// Finds the installed libraries. A tool whose library is missing fails when it is used.
    pub fn load() -> Self {
        Self {
            pdfium: pdfium::Pdfium::load(),
            qpdf: qpdf::Qpdf::load(),
            fonts: OnceLock::from(label::Fonts::load()),
            tesseract: OnceLock::new(),
        }
    }

    pub(crate) fn fonts(&self) -> &label::Fonts {
        self.fonts.get_or_init(label::Fonts::load)
    }

    pub(crate) fn qpdf(&self) -> Result<&qpdf::Qpdf, Failure> {
        self.qpdf.as_ref().map_err(Failure::internal)
    }

    pub(crate) fn pdfium(&self) -> Result<&pdfium::Pdfium, Failure> {
        self.pdfium.as_ref().map_err(|cause| pdfium::missing(cause))
    }

    pub(crate) fn tesseract(&self) -> Result<&ocr::Tesseract, Failure> {
        self.tesseract
            .get_or_init(ocr::Tesseract::load)
            .as_ref()
            .map_err(|cause| Failure::internal(format!("no Tesseract: {cause}")))
    }

    /// Problems of the installation, for the log: missing or slow libraries.
    pub fn complaints(&self) -> Vec<String> {
        let pdfium = match &self.pdfium {
            Ok(pdfium) if pdfium.keeps_glyphs() => None,
            Ok(pdfium) => Some(format!(
                "{} does not call this program's FT_Load_Glyph: reading text is slow",
                pdfium.path().display()
            )),
            Err(cause) => Some(cause.clone()),
        };
        pdfium.into_iter().chain(self.qpdf.as_ref().err().cloned()).collect()
    }

    /// Runs a tool. Its results are in `request.directory`.
    pub fn run(&self, request: &Request) -> Result<Outcome, Failure> {
        tools::run(self, request)
    }
}
