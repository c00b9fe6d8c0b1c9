//! XPath 2.0, as far as the Schematron rules of invoices use it: parsed once, evaluated on [`Document`](crate::xml::Document).
//!
//! Evaluation counts what it does and stops when that is more than any invoice needs: a document can't keep a rule running.

mod ast;
mod atomic;
mod evaluation;
mod functions;
mod index;
mod lexer;
mod names;
mod number;
mod operators;
mod parser;
mod path;
mod regexes;
#[cfg(test)]
mod tests;
mod texts;
mod value;

pub(crate) use ast::{Axis, Expr, Named, Step, Symbol, Test, Type};
pub(crate) use evaluation::{Evaluation, Focus, Instruction, OwnFunction};
pub(crate) use names::Names;
pub(crate) use parser::{parse, parse_type};
pub(crate) use texts::normalized;
pub(crate) use value::{Failure, Item, Outcome};

/// Why an expression can't be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Mistake {
    #[error("unexpected: {0}")]
    Syntax(String),
    #[error("there is no function {0}")]
    Function(String),
}
