//! What is said about a broken rule.

use serde::Serialize;

use crate::schematron::Severity;

/// How an invoice is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Syntax {
    /// `Invoice` of UBL 2.1.
    UblInvoice,
    /// `CreditNote` of UBL 2.1.
    UblCreditNote,
    /// UN/CEFACT's Cross Industry Invoice, as Factur-X has it.
    Cii,
}

/// A broken rule.
#[derive(Debug, Serialize)]
pub struct Broken {
    /// As its makers call it, such as `BR-CO-15`.
    pub id: String,
    /// What that means for the invoice.
    pub severity: Severity,
    /// `None` if it is about the PDF.
    pub place: Option<Place>,
    /// What the rule asks for, in its makers' words.
    pub message: String,
    /// Why it could not be evaluated, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Where a rule is broken.
#[derive(Debug, Serialize)]
pub struct Place {
    /// The path of the element from the root, with namespaces.
    pub xpath: String,
    /// The line of its tag in the XML, from 1.
    pub line: u32,
}

/// Rules that are published together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RuleSet {
    /// As people know it.
    pub name: &'static str,
    /// As its makers number it.
    pub version: &'static str,
}
