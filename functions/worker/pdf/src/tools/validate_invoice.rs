//! validate-invoice: checks an electronic invoice by the official rules, and how it lies in a PDF.

use docmill_formats::Format;
use docmill_invoices::{Container, InvoiceError, Metadata, Profile, Severity, Verdict, validate, validate_embedded};
use docmill_pdf_core::Libraries;
use docmill_pdf_pdfa::invoice::is_namespace;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Request, Warning};
use docmill_pdf_structure::attachments::{self, Attached};
use docmill_pdf_structure::open::Opened;
use docmill_pdf_structure::{metadata, open_deferring};
use lopdf::Document;
use serde::Deserialize;
use serde_json::{Value, json};

const RESULT: &str = "invoice.json";
/// An embedded invoice may be as large as one that is sent alone.
const INVOICE_BYTES: usize = 64 << 20;
/// The job names so many broken rules.
const NAMED: usize = 10;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    profile: Profile,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let Options { profile } = super::options(request)?;
    let source = super::only_source(request)?;
    let (verdict, mut warnings) = if source.media == Format::Pdf {
        let Opened { document, warnings, .. } = open_deferring(libraries, request, 0)?;
        // That the copy to read has no password says nothing about the result.
        let repairs = warnings.into_iter().filter(|warning| warning.code == "repaired").collect();
        (of_pdf(&document, profile)?, repairs)
    } else {
        let bytes = std::fs::read(&source.path).map_err(|error| Failure::io(&error))?;
        (validate(&bytes, profile).map_err(|error| refusal(error, "The source"))?, Vec::new())
    };
    let text = serde_json::to_vec_pretty(&verdict).map_err(|_| Failure::internal("json"))?;
    super::within_output(text.len() as u64, &request.limits)?;
    std::fs::write(request.directory.join(RESULT), text).map_err(|error| Failure::io(&error))?;
    warnings.extend(without_rules(&verdict));
    let artifact = Artifact::new(RESULT, Format::Json);
    Ok(Outcome { artifacts: vec![artifact], report: Some(summary(&verdict)), warnings })
}

/// Checks the invoice in a PDF.
fn of_pdf(document: &Document, profile: Profile) -> Result<Verdict, Failure> {
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
    validate_embedded(&bytes, profile, container).map_err(|error| refusal(error, &whose))
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

fn refusal(error: InvoiceError, whose: &str) -> Failure {
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

/// Says that the rules of the specification that the invoice names were not applied.
fn without_rules(verdict: &Verdict) -> Option<Warning> {
    let name = verdict.without_rules_of.as_ref()?;
    let applied: Vec<_> = verdict.rule_sets.iter().map(|set| set.name).collect();
    let message = format!(
        "The invoice names a specification with further rules, which were not applied. It was checked by: {}.",
        applied.join(", ")
    );
    Some(Warning { detail: Some(name.clone()), ..Warning::new("rules_not_applied", message) })
}

/// What the job shows: nothing of the invoice itself.
fn summary(verdict: &Verdict) -> Value {
    let count = |severity: Severity| verdict.rules.iter().filter(|broken| broken.severity == severity).count();
    let mut named: Vec<&str> = Vec::new();
    for broken in verdict.rules.iter().filter(|broken| broken.severity != Severity::Information) {
        if named.len() < NAMED && !named.contains(&broken.id.as_str()) {
            named.push(&broken.id);
        }
    }
    json!({
        "valid": verdict.valid,
        "errors": count(Severity::Fatal),
        "warnings": count(Severity::Warning),
        "ruleSets": verdict.rule_sets.iter().map(|set| set.name).collect::<Vec<_>>(),
        "broken": named,
    })
}
