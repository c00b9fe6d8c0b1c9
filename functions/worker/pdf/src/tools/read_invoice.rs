//! read-invoice: what an electronic invoice says, as JSON in one model for all syntaxes, or as a page.

use docmill_invoices::{Invoice, Language, Syntax, invoice_page, read};
use docmill_pdf_core::Libraries;
use docmill_pdf_request::{Failure, Outcome, Request};
use serde::{Deserialize, Serialize};

use super::invoice_file::{InvoiceFile, refusal};
use super::report_file::{self, Shape};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    format: Shape,
    language: Language,
}

/// The published JSON.
#[derive(Serialize)]
struct Answer<'a> {
    syntax: Syntax,
    invoice: &'a Invoice,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let Options { format, language } = super::options(request)?;
    let InvoiceFile { bytes, whose, warnings, .. } = InvoiceFile::open(libraries, request)?;
    let (syntax, invoice) = read(&bytes).map_err(|error| refusal(error, &whose))?;
    let artifact = match format {
        Shape::Json => report_file::json("invoice.json", &Answer { syntax, invoice: &invoice }, request)?,
        Shape::Html => report_file::page("invoice.html", &invoice_page(&invoice, language), request)?,
    };
    Ok(Outcome { artifacts: vec![artifact], report: None, warnings })
}
