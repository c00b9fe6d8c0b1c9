//! Electronic invoices in XML: read, shown, and checked by the official schemas and rules: of EN 16931 for both of its syntaxes, of
//! XRechnung and of Factur-X.
//!
//! The rules are the Schematron files that their makers publish (`rules/`), packed into the binary and interpreted: `xpath` has the part
//! of XPath 2.0 that they use, `xsd` what they need of XML Schema. Nothing is read or fetched, and a document can't make a rule run without an end.

#![warn(missing_docs, clippy::missing_errors_doc)]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod container;
#[cfg(test)]
mod hostile;
mod model;
mod page;
#[cfg(test)]
mod peppol;
mod report;
mod rules;
mod schematron;
#[cfg(test)]
mod suites;
mod verdict;
mod xml;
mod xpath;
mod xsd;

pub use container::{Container, Metadata, is_invoice_name};
pub use model::{Invoice, Summary};
pub use page::{Language, invoice_page, verdict_page};
pub use report::{Broken, Place, RuleSet, Syntax};
pub use rules::{Level, Profile};
pub use schematron::Severity;
pub use verdict::{InvoiceError, Verdict, load_rules, read, validate, validate_embedded};
