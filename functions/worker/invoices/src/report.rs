//! What is said about a broken rule.

use serde::Serialize;

use crate::schematron::Severity;

/// How an invoice is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Syntax {
    UblInvoice,
    UblCreditNote,
    Cii,
}

/// A broken rule.
#[derive(Debug, Serialize)]
pub struct Broken {
    pub id: String,
    pub severity: Severity,
    /// `None` if it is about the PDF.
    pub place: Option<Place>,
    /// What the rule asks for, in its makers' words.
    pub message: String,
    /// Why it could not be evaluated, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct Place {
    pub xpath: String,
    pub line: u32,
}

/// Rules that are published together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RuleSet {
    pub name: &'static str,
    pub version: &'static str,
}
