//! read-invoice: what an electronic invoice says, as JSON in one model for all syntaxes, or as a page.

use docmill_formats::Format;
use docmill_invoices::{Invoice, Language, Syntax, page, read};
use docmill_pdf_core::Libraries;
use docmill_pdf_request::{Artifact, Failure, Outcome, Request};
use serde::{Deserialize, Serialize};

use super::invoice_file::{InvoiceFile, refusal};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    format: Shape,
    language: Language,
}

/// What is made. A PDF is printed of the page by another engine.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shape {
    #[default]
    Json,
    Html,
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
    let (name, media, content) = match format {
        Shape::Json => {
            let result = Answer { syntax, invoice: &invoice };
            let text = serde_json::to_vec_pretty(&result).map_err(|_| Failure::internal("json"))?;
            ("invoice.json", Format::Json, text)
        }
        Shape::Html => ("invoice.html", Format::Html, page(&invoice, language).into_bytes()),
    };
    super::within_output(content.len() as u64, &request.limits)?;
    std::fs::write(request.directory.join(name), content).map_err(|error| Failure::io(&error))?;
    Ok(Outcome { artifacts: vec![Artifact::new(name, media)], report: None, warnings })
}
