//! Where an invoice is: the source itself, or a file that is attached to it.

use docmill_formats::Format;
use docmill_invoices::{Container, InvoiceError, Metadata};
use docmill_pdf_core::Libraries;
use docmill_pdf_pdfa::invoice::is_namespace;
use docmill_pdf_request::{ErrorCode, Failure, Request, Warning};
use docmill_pdf_structure::attachments::{self, Attached};
use docmill_pdf_structure::open::Opened;
use docmill_pdf_structure::{metadata, open_deferring};
use lopdf::Document;

/// An embedded invoice may be as large as one that is sent alone.
const INVOICE_BYTES: usize = 64 << 20;

/// The XML of an invoice.
pub(super) struct InvoiceFile {
    pub(super) bytes: Vec<u8>,
    /// What messages call it.
    pub(super) whose: String,
    /// How it lies in a PDF.
    pub(super) container: Option<Container>,
    pub(super) warnings: Vec<Warning>,
}

impl InvoiceFile {
    /// The invoice of the only source.
    pub(super) fn open(libraries: &Libraries, request: &Request) -> Result<Self, Failure> {
        let source = super::only_source(request)?;
        if source.media == Format::Pdf {
            let Opened { document, warnings, .. } = open_deferring(libraries, request, 0)?;
            // That the copy to read has no password says nothing about the result.
            return of_pdf(&document, warnings.into_iter().filter(|warning| warning.code == "repaired").collect());
        }
        let bytes = std::fs::read(&source.path).map_err(|error| Failure::io(&error))?;
        Ok(Self { bytes, whose: "The source".to_owned(), container: None, warnings: Vec::new() })
    }
}

/// The invoice in a PDF.
fn of_pdf(document: &Document, warnings: Vec<Warning>) -> Result<InvoiceFile, Failure> {
    let described = metadata::values(document, is_namespace);
    let files = attachments::all(document);
    let (file, others) = invoice_of(&files, described.get("DocumentFileName"))?;
    let unreadable = || {
        let message = format!("The attached file {} can't be read, or is too large for an invoice.", file.name);
        Failure::new(ErrorCode::CorruptDocument, message, "embedded invoice: no bytes")
    };
    let bytes = file.content(document, INVOICE_BYTES).ok_or_else(unreadable)?;
    let value = |name: &str| described.get(name).cloned();
    let container = Container {
        file_name: file.name.clone(),
        other_invoices: others,
        relationship: file.relationship.clone(),
        media_type: file.content_type.clone(),
        is_associated: file.is_associated,
        pdfa_part: metadata::statement(document).pdfa().map(|(part, _)| part.to_owned()),
        metadata: (!described.is_empty()).then(|| Metadata {
            document_type: value("DocumentType"),
            file_name: value("DocumentFileName"),
            version: value("Version"),
            conformance_level: value("ConformanceLevel"),
        }),
    };
    let whose = format!("The attached file {}", file.name);
    Ok(InvoiceFile { bytes, whose, container: Some(container), warnings })
}

/// The file that is the invoice: of those with an invoice's name, the one that the metadata names, or else the first. How many others have
/// such a name. Without any, a single XML file.
fn invoice_of<'a>(files: &'a [Attached], described: Option<&String>) -> Result<(&'a Attached, usize), Failure> {
    let named: Vec<_> = files.iter().filter(|file| docmill_invoices::is_invoice_name(&file.name)).collect();
    let is_described = |file: &&Attached| Some(&file.name) == described;
    if let Some(file) = named.iter().copied().find(is_described).or_else(|| named.first().copied()) {
        return Ok((file, named.len() - 1));
    }
    let is_xml = |file: &&Attached| Format::from_filename(&file.name) == Some(Format::Xml);
    let mut xml = files.iter().filter(is_xml);
    match (xml.next(), xml.next()) {
        (Some(only), None) => Ok((only, 0)),
        (_, _) => Err(Failure::new(
            ErrorCode::UnsupportedFormat,
            "This PDF has no electronic invoice: no attached file is called factur-x.xml, xrechnung.xml or zugferd-invoice.xml.",
            "no embedded invoice",
        )),
    }
}

/// What the user is told of an invoice that can't be read.
pub(super) fn refusal(error: InvoiceError, whose: &str) -> Failure {
    match error {
        InvoiceError::Unreadable(why) => {
            let message = format!("{whose} can't be read as an invoice: {why}.");
            Failure::new(ErrorCode::CorruptDocument, message, "invoice: unreadable")
        }
        InvoiceError::NoInvoice(root) => {
            let message =
                format!("{whose} is no invoice or credit note in UBL 2 or CII (D16B): its root element is `{root}`.");
            Failure::new(ErrorCode::UnsupportedFormat, message, "invoice: another root element")
        }
        InvoiceError::TooComplex => {
            let message = format!("{whose} takes too long to check by the rules: it has too many parts.");
            Failure::new(ErrorCode::RenderFailed, message, "invoice: too many steps")
        }
        InvoiceError::Rules(why) => Failure::internal(why),
    }
}
