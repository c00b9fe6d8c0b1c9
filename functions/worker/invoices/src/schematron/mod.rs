//! Rule files of ISO Schematron with the query language of XPath 2.0.

mod load;
mod run;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::xpath::{Expr, Mistake, Named, Names, OwnFunction, Symbol};

pub(crate) use load::load;
pub(crate) use run::{Finding, TooLong};

/// What a broken rule means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The invoice is not valid.
    #[serde(rename = "error")]
    Fatal,
    /// The invoice is valid, but may be refused.
    Warning,
    /// For those who make invoices.
    Information,
}

/// Why a rule file can't be used. Tests load all that are shipped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("the rules are damaged: {0}")]
    Damaged(String),
    #[error("{0}: {1}")]
    Expression(String, Mistake),
}

#[derive(Debug)]
pub(crate) struct Schema {
    names: Names,
    globals: Vec<(Symbol, Expr)>,
    functions: HashMap<Symbol, OwnFunction>,
    patterns: Vec<Vec<Rule>>,
}

/// A node is tested by the first rule of a pattern that is about it.
#[derive(Debug)]
struct Rule {
    context: Expr,
    variables: Vec<(Symbol, Expr)>,
    asserts: Vec<Assert>,
}

#[derive(Debug)]
struct Assert {
    id: String,
    severity: Severity,
    test: Expr,
    /// A report is made if its test holds, an assertion fails if it does not.
    is_report: bool,
    /// What a document must have for the rule to be broken.
    needs: Option<Named>,
    text: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Text(String),
    Value(Expr),
    /// The name of the node.
    Name,
}

#[cfg(test)]
impl Schema {
    pub(crate) fn rules(&self) -> usize {
        self.patterns.iter().flatten().map(|rule| rule.asserts.len()).sum()
    }
}
