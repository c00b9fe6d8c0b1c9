//! What is said about an invoice.

use serde::Serialize;

use crate::container::{self, Container};
use crate::model::{Invoice, Summary};
use crate::report::{Broken, Place, RuleSet, Syntax};
use crate::rules::{self, Profile};
use crate::schematron::{Severity, TooLong};
use crate::xml::{self, Document, Fault, NodeId};

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

/// Loads all rules, so that no invoice in this thread, or in a fork of it, has to wait for that.
///
/// # Errors
/// Never: tests load all rules.
pub fn load_rules() -> Result<(), InvoiceError> {
    rules::load_all().map_err(|error| InvoiceError::Rules(error.to_string()))
}

/// What an invoice says, and how it is written.
///
/// # Errors
/// If the text is no invoice in one of the syntaxes.
pub fn read(bytes: &[u8]) -> Result<(Syntax, Invoice), InvoiceError> {
    let document = xml::read(bytes).map_err(|fault: Fault| InvoiceError::Unreadable(fault.to_string()))?;
    let (root, syntax) = syntax(&document)?;
    Ok((syntax, Invoice::of(&document, root, syntax)))
}

/// Checks an invoice that lies in a PDF, and how it does.
///
/// # Errors
/// If the text is no invoice in one of the syntaxes, or checking it would take too long.
pub fn validate_embedded(bytes: &[u8], wanted: Profile, container: Container) -> Result<Verdict, InvoiceError> {
    let mut verdict = validate(bytes, wanted)?;
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
    let document = xml::read(bytes).map_err(|fault: Fault| InvoiceError::Unreadable(fault.to_string()))?;
    let (root, syntax) = syntax(&document)?;
    let specification = specification(&document, root, syntax);
    let profile = match wanted {
        Profile::Auto => Profile::of(&specification),
        Profile::En16931 | Profile::XRechnung | Profile::Peppol => wanted,
    };
    let mut rules = Vec::new();
    for schema in profile.schemas(syntax).map_err(|error| InvoiceError::Rules(error.to_string()))? {
        for finding in schema.check(&document).map_err(|TooLong| InvoiceError::TooComplex)? {
            let severity = profile.severity(syntax, &specification, &finding.id, finding.severity);
            rules.push((severity, finding));
        }
    }
    rules.sort_by_key(|(severity, finding)| (*severity, finding.node));
    let broken = |(severity, finding): (Severity, crate::schematron::Finding)| Broken {
        id: finding.id,
        severity,
        place: Some(Place { xpath: document.path(finding.node), line: document.line(finding.node) }),
        message: finding.text,
        failure: finding.failure,
    };
    let valid = rules.iter().all(|(severity, _)| *severity != Severity::Fatal);
    Ok(Verdict {
        valid,
        syntax,
        rule_sets: profile.rule_sets(),
        without_rules_of: profile.without_rules_of(&specification),
        specification,
        rules: rules.into_iter().map(broken).collect(),
        pdf: None,
        invoice: Summary::of(Invoice::of(&document, root, syntax)),
    })
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
