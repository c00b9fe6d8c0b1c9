//! PDF tools on local files: merge, split, compress, render, read. No network, no AWS, no threads of its own at rest.
//!
//! The worker loads [`Engines`] once in a helper process, forks a confined child for each [`Request`], and calls
//! [`Engines::run`] there. Everything here may meet a hostile file: no panic, no unbounded memory, every end typed.
//!
//! `tools/` has a module for each tool, which reads its options and says what happens in which order. Below them:
//! `qpdf/` (libqpdf: bytes, repair, encryption), `structure/` (lopdf: pages, outlines, forms, tags),
//! `pdfium/` (rendering, text, forms), `image/` (decoders and encoders), `markdown/` and `email/` (what becomes a page), `ocr/` (text of
//! pictures, by Tesseract), `compare/` (what differs between two documents), `pdfa/` (what archives ask of a file), `redact/`
//! (taking content out, and proving that it is gone).

mod compare;
mod email;
mod image;
mod label;
mod library;
mod markdown;
mod ocr;
mod office_file;
mod page_range;
mod pdfa;
mod pdfium;
mod qpdf;
mod redact;
mod request;
mod room;
mod shrink;
mod structure;
mod text;
mod tool;
mod tools;
mod xml;

pub use office_file::OfficeFile;
pub use page_range::{PageRange, RangeError};
pub use request::{Artifact, ErrorCode, Failure, Limits, Media, Outcome, Request, Source, Warning};
pub use tool::Tool;

/// The libraries that the tools call: found and loaded once, before the first request.
#[derive(Debug)]
pub struct Engines {
    pdfium: Result<pdfium::Pdfium, String>,
    qpdf: Result<qpdf::Qpdf, String>,
    fonts: std::sync::OnceLock<label::Fonts>,
    /// Loaded when it is first needed, with the many libraries that it depends on.
    tesseract: std::sync::OnceLock<Result<ocr::Tesseract, String>>,
}

impl Engines {
    /// Finds the libraries that are installed here. A tool whose library is missing fails when it is asked for.
    pub fn load() -> Self {
        Self {
            pdfium: pdfium::Pdfium::load(),
            qpdf: qpdf::Qpdf::load(),
            fonts: std::sync::OnceLock::from(label::Fonts::load()),
            tesseract: std::sync::OnceLock::new(),
        }
    }

    fn fonts(&self) -> &label::Fonts {
        self.fonts.get_or_init(label::Fonts::load)
    }

    fn qpdf(&self) -> Result<&qpdf::Qpdf, Failure> {
        self.qpdf
            .as_ref()
            .map_err(|cause| Failure::new(ErrorCode::Internal, "Something went wrong on our side.", cause))
    }

    fn pdfium(&self) -> Result<&pdfium::Pdfium, Failure> {
        self.pdfium.as_ref().map_err(|cause| pdfium::missing(cause))
    }

    fn tesseract(&self) -> Result<&ocr::Tesseract, Failure> {
        self.tesseract.get_or_init(ocr::Tesseract::load).as_ref().map_err(|cause| {
            Failure::new(ErrorCode::Internal, "Something went wrong on our side.", format!("no Tesseract: {cause}"))
        })
    }

    /// What is missing here, or slower than it should be: for the log. Nothing in a sound installation.
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

    /// Runs one tool to its end. Its results lie in `request.directory`.
    pub fn run(&self, request: &Request) -> Result<Outcome, Failure> {
        tools::run(self, request)
    }
}

#[cfg(test)]
mod tests;
