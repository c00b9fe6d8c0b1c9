//! The libraries that the tools call.

use std::sync::OnceLock;

use docmill_pdf_core::Libraries;
use docmill_pdf_ocr::Tesseract;
use docmill_pdf_request::{Failure, Outcome, Request};

use crate::tools;

/// The libraries, found and loaded once before the first request.
#[derive(Debug)]
pub struct Engines {
    pub(crate) libraries: Libraries,
    /// Loaded when first needed, with its many dependencies.
    tesseract: OnceLock<Result<Tesseract, String>>,
}

impl Engines {
    /// Finds the installed libraries. A tool whose library is missing fails when it is used.
    pub fn load() -> Self {
        Self { libraries: Libraries::load(), tesseract: OnceLock::new() }
    }

    pub(crate) fn tesseract(&self) -> Result<&Tesseract, Failure> {
        self.tesseract
            .get_or_init(Tesseract::load)
            .as_ref()
            .map_err(|cause| Failure::internal(format!("no Tesseract: {cause}")))
    }

    /// Problems of the installation, for the log: missing or slow libraries.
    pub fn complaints(&self) -> Vec<String> {
        self.libraries.complaints()
    }

    /// Loads the rules that `validate-invoice` checks: a process that forks does so once for all.
    ///
    /// # Errors
    ///
    /// Never: tests load them.
    pub fn load_invoice_rules(&self) -> Result<(), Failure> {
        docmill_invoices::load_rules().map_err(|error| Failure::internal(error.to_string()))
    }

    /// Runs a tool. Its results are in `request.directory`.
    ///
    /// # Errors
    ///
    /// Fails if the tool has no result: because of a source, an option, or this machine.
    pub fn run(&self, request: &Request) -> Result<Outcome, Failure> {
        tools::run(self, request)
    }
}
