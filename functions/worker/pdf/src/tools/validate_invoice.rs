//! validate-invoice: checks an electronic invoice by the official rules, and how it lies in a PDF.

use docmill_invoices::{Language, Profile, Severity, Verdict, validate, validate_embedded, verdict_page};
use docmill_pdf_core::Libraries;
use docmill_pdf_request::{Failure, Outcome, Request, Warning};
use serde::Deserialize;
use serde_json::{Value, json};

use super::invoice_file::{InvoiceFile, refusal};
use super::report_file::{self, Shape};

/// The job names so many broken rules.
const NAMED: usize = 10;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    profile: Profile,
    format: Shape,
    language: Language,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let Options { profile, format, language } = super::options(request)?;
    let InvoiceFile { bytes, whose, container, mut warnings } = InvoiceFile::open(libraries, request)?;
    let verdict = match container {
        Some(container) => validate_embedded(&bytes, profile, container),
        None => validate(&bytes, profile),
    };
    let verdict = verdict.map_err(|error| refusal(error, &whose))?;
    let artifact = match format {
        Shape::Json => report_file::json("invoice.json", &verdict, request)?,
        Shape::Html => report_file::page("invoice.html", &verdict_page(&verdict, language), request)?,
    };
    warnings.extend(without_rules(&verdict));
    Ok(Outcome { artifacts: vec![artifact], report: Some(summary(&verdict)), warnings })
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
