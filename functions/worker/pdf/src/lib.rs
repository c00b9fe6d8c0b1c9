//! PDF tools for local files: merge, split, compress, render, read. No network, no AWS, and no threads while idle.
//!
//! The worker loads [`Engines`] once in a helper process, forks a confined child for each [`Request`], and calls [`Engines::run`]
//! there. Any file may be hostile: there are no panics, memory is limited, and all failures are typed.
//!
//! `tools/` has a module for each tool, which reads options and runs steps in order. Below are
//! `qpdf/` (libqpdf: bytes, repair, encryption), `structure/` (lopdf: pages, outlines, forms, tags),
//! `pdfium/` (rendering, text, forms), `image/` (decoders and encoders), `markdown/` and `email/` (input that becomes pages),
//! `ocr/` (text in pictures, by Tesseract), `compare/` (differences between two documents), `pdfa/` (conformance to PDF/A), and
//! `redact/` (removing content, and proving that it is gone).

mod compare;
mod email;
mod image;
mod label;
mod library;
mod markdown;
mod ocr;
mod office_file;
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
pub use request::{Artifact, ErrorCode, Failure, Limits, Media, Outcome, PictureLimits, Request, Source, Warning};
pub use tool::Tool;

/// The libraries that the tools call, found and loaded once before the first request.
#[derive(Debug)]
pub struct Engines {
    pdfium: Result<pdfium::Pdfium, String>,
    qpdf: Result<qpdf::Qpdf, String>,
    fonts: std::sync::OnceLock<label::Fonts>,
    /// Loaded when first needed, with its many dependencies.
    tesseract: std::sync::OnceLock<Result<ocr::Tesseract, String>>,
}

impl Engines {
    /// Finds the installed libraries. A tool whose library is missing fails when it is used.
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

#[cfg(test)]
mod tests;
