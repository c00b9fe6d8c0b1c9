//! The libraries that most tools call.

use std::sync::OnceLock;

use docmill_pdf_request::Failure;

use crate::fonts::Fonts;
use crate::pdfium::{self, Pdfium};
use crate::qpdf::Qpdf;

/// The libraries and fonts of this machine, found and loaded once.
#[derive(Debug)]
pub struct Libraries {
    pdfium: Result<Pdfium, String>,
    qpdf: Result<Qpdf, String>,
    fonts: OnceLock<Fonts>,
}

impl Libraries {
    /// Finds the installed libraries. A tool whose library is missing fails when it is used.
    pub fn load() -> Self {
        Self { pdfium: Pdfium::load(), qpdf: Qpdf::load(), fonts: OnceLock::from(Fonts::load()) }
    }

    /// The installed fonts.
    pub fn fonts(&self) -> &Fonts {
        self.fonts.get_or_init(Fonts::load)
    }

    /// libqpdf.
    ///
    /// # Errors
    ///
    /// Fails if it is not installed.
    pub fn qpdf(&self) -> Result<&Qpdf, Failure> {
        self.qpdf.as_ref().map_err(Failure::internal)
    }

    /// PDFium.
    ///
    /// # Errors
    ///
    /// Fails if it is not installed.
    pub fn pdfium(&self) -> Result<&Pdfium, Failure> {
        self.pdfium.as_ref().map_err(|cause| pdfium::missing(cause))
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
}
