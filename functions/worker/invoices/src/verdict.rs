//! What is said about an invoice.

use std::collections::HashSet;

use serde::Serialize;

use crate::container::{self, Container};
use crate::model::{Invoice, Summary};
use crate::report::{Broken, Place, RuleSet, Syntax};
use crate::rules::{self, Profile};
use crate::schematron::{Finding, LoadError, Severity, TooLong};
use crate::xml::{self, Document, NodeId};
use crate::xsd::Fault;

const UBL: &str = "urn:oasis:names:specification:ubl:schema:xsd:";
const CII: &str = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100";

/// What the rules say about an invoice.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Whether no rule is broken that is fatal.
    pub valid: bool,
    /// How it is written.
    pub syntax: Syntax,
    /// The identifier of its specification (BT-24), as it says.
    pub specification: String,
    /// What the invoice was checked against.
    pub rule_sets: Vec<RuleSet>,
    /// The specification that it names, and whose own rules were not applied.
    pub without_rules_of: Option<String>,
    /// Broken rules, the severe ones first.
    pub rules: Vec<Broken>,
    /// What only the PDF shows, if the invoice lies in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pdf: Option<Container>,
    /// What was checked.
    pub invoice: Summary,
}

/// Why there is no verdict.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvoiceError {
    /// It can't be read.
    #[error("{0}")]
    Unreadable(String),
    /// The XML is something else: the name of its root.
    #[error("it is no invoice in UBL or CII: its root element is {0}")]
    NoInvoice(String),
    /// The rules took more steps than any invoice needs.
    #[error("checking it takes too long")]
    TooComplex,
    /// Never: tests load all rules.
    #[error("{0}")]
    Rules(String),
}

/// Loads the rules, so that hardly any invoice in this thread, or in a fork of it, has to wait for that.
///
/// # Errors
/// Never: tests load all rules.
pub fn load_rules() -> Result<(), InvoiceError> {
    rules::load_common().map_err(|error| InvoiceError::Rules(error.to_string()))
}

/// What an invoice says, and how it is written.
///
/// # Errors
/// If the text is no invoice in one of the syntaxes.
pub fn read(bytes: &[u8]) -> Result<(Syntax, Invoice), InvoiceError> {
    let document = xml::read(bytes).map_err(|fault: xml::Fault| InvoiceError::Unreadable(fault.to_string()))?;
    let (root, syntax) = syntax(&document)?;
    Ok((syntax, Invoice::of(&document, root, syntax)))
}

/// Checks an invoice that lies in a PDF, and how it does.
///
/// # Errors
/// If the text is no invoice in one of the syntaxes, or checking it would take too long.
pub fn validate_embedded(bytes: &[u8], wanted: Profile, container: Container) -> Result<Verdict, InvoiceError> {
    let mut verdict = check(bytes, wanted, true)?;
    verdict.rule_sets.push(container::RULES);
    verdict.rules.append(&mut container.broken(verdict.syntax, &verdict.specification));
    verdict.rules.sort_by_key(|broken| broken.severity);
    verdict.valid = verdict.rules.iter().all(|broken| broken.severity != Severity::Fatal);
    verdict.pdf = Some(container);
    Ok(verdict)
}

/// Checks an invoice.
///
/// # Errors
/// If the text is no invoice in one of the syntaxes, or checking it would take too long.
pub fn validate(bytes: &[u8], wanted: Profile) -> Result<Verdict, InvoiceError> {
    check(bytes, wanted, false)
}

fn check(bytes: &[u8], wanted: Profile, is_in_pdf: bool) -> Result<Verdict, InvoiceError> {
    let document = xml::read(bytes).map_err(|fault: xml::Fault| InvoiceError::Unreadable(fault.to_string()))?;
    let (root, syntax) = syntax(&document)?;
    let specification = specification(&document, root, syntax);
    let profile = match wanted {
        Profile::Auto => Profile::of(&specification, syntax, is_in_pdf),
        Profile::En16931 | Profile::XRechnung | Profile::Peppol | Profile::FacturX(_) => wanted,
    };
    let mut rules = schema_faults(&document, profile, syntax)?;
    // Rules that two sets have in common are told once.
    let mut told = HashSet::new();
    for schema in profile.schemas(syntax).map_err(damaged)? {
        let findings = schema.check(&document).map_err(|TooLong| InvoiceError::TooComplex)?;
        let new: Vec<Finding> =
            findings.into_iter().filter(|finding| !told.contains(&(finding.node, finding.id.clone()))).collect();
        for finding in new {
            told.insert((finding.node, finding.id.clone()));
            let severity = profile.severity(syntax, &specification, &finding.id, finding.severity);
            rules.push((severity, finding));
        }
    }
    rules.sort_by_key(|(severity, finding)| (*severity, finding.node));
    let broken = |(severity, finding): (Severity, Finding)| Broken {
        message: without_id(&finding.text, &finding.id),
        id: finding.id,
        severity,
        place: Some(Place { xpath: document.path(finding.node), line: document.line(finding.node) }),
        failure: finding.failure,
    };
    let valid = rules.iter().all(|(severity, _)| *severity != Severity::Fatal);
    Ok(Verdict {
        valid,
        syntax,
        rule_sets: profile.rule_sets(syntax),
        without_rules_of: profile.without_rules_of(&specification, syntax),
        specification,
        rules: rules.into_iter().map(broken).collect(),
        pdf: None,
        invoice: Summary::of(Invoice::of(&document, root, syntax)),
    })
}

/// What the schema does not allow, as broken rules.
fn schema_faults(
    document: &Document,
    profile: Profile,
    syntax: Syntax,
) -> Result<Vec<(Severity, Finding)>, InvoiceError> {
    let grammar = profile.grammar(syntax).map_err(damaged)?;
    let finding = |fault: Fault| {
        let Fault { kind, node, text } = fault;
        (Severity::Fatal, Finding { id: kind.id().to_owned(), severity: Severity::Fatal, node, text, failure: None })
    };
    Ok(grammar.check(document).into_iter().map(finding).collect())
}

/// A rule's message without the ID at its start, as in `[BR-01]-An Invoice shall have …`.
fn without_id(text: &str, id: &str) -> String {
    let text = text.trim();
    let rest = text.strip_prefix('[').and_then(|rest| rest.strip_prefix(id)?.strip_prefix(']'));
    rest.map_or(text, |rest| rest.trim_start_matches(['-', ':', ' '])).to_owned()
}

fn damaged(error: LoadError) -> InvoiceError {
    InvoiceError::Rules(error.to_string())
}

fn syntax(document: &Document) -> Result<(NodeId, Syntax), InvoiceError> {
    let root = document.root_element().ok_or_else(|| InvoiceError::NoInvoice("missing".to_owned()))?;
    let name = document.name(root);
    let known = name.and_then(|name| match (&*name.space, &*name.local) {
        (CII, "CrossIndustryInvoice") => Some(Syntax::Cii),
        (space, local) => match (space.strip_prefix(UBL)?, local) {
            ("Invoice-2", "Invoice") => Some(Syntax::UblInvoice),
            ("CreditNote-2", "CreditNote") => Some(Syntax::UblCreditNote),
            _ => None,
        },
    });
    match known {
        Some(syntax) => Ok((root, syntax)),
        None => Err(InvoiceError::NoInvoice(document.written(root).chars().take(100).collect())),
    }
}

/// The text of the element that names the specification, wherever its first one is among those that may hold it.
fn specification(document: &Document, root: NodeId, syntax: Syntax) -> String {
    let path = match syntax {
        Syntax::UblInvoice | Syntax::UblCreditNote => "CustomizationID",
        Syntax::Cii => "ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID",
    };
    let named = document.at(root, path).into_iter().next();
    named.map(|id| document.text(id).trim().chars().take(500).collect()).unwrap_or_default()
}
