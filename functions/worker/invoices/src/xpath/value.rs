//! Values of expressions: sequences of nodes and atomic values.

use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use super::number::Decimal;
use crate::xml::NodeId;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    #[error("\"{0}\" is no {1}")]
    NotA(String, &'static str),
    #[error("it has {0}, where {1} is allowed")]
    Count(&'static str, &'static str),
    #[error("{0} can't be compared or computed with {1}")]
    Types(&'static str, &'static str),
    #[error("it divides by zero")]
    ZeroDivision,
    #[error("the variable or function {0} is not defined")]
    Undefined(String),
    #[error("its regular expression is not valid")]
    Regex,
    /// The document makes a rule run without an end in sight.
    #[error("it takes too long")]
    TooLong,
}

pub(crate) type Outcome<T> = Result<T, Failure>;

#[derive(Clone, Debug)]
pub(crate) enum Item {
    Node(NodeId),
    /// The value of a node, which becomes what it is compared with.
    Untyped(Rc<str>),
    Text(Rc<str>),
    Boolean(bool),
    Integer(Decimal),
    Decimal(Decimal),
    Double(f64),
    /// Minutes since the year 0 in UTC.
    Date(i64, Rc<str>),
}

/// Most are of one item.
pub(crate) type Value = SmallVec<[Item; 1]>;

impl Item {
    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn integer(value: usize) -> Self {
        Self::Integer(Decimal::from(i64::try_from(value).unwrap_or(i64::MAX)))
    }

    pub(super) fn node(&self) -> Option<NodeId> {
        match self {
            Self::Node(id) => Some(*id),
            Self::Untyped(_)
            | Self::Text(_)
            | Self::Boolean(_)
            | Self::Integer(_)
            | Self::Decimal(_)
            | Self::Double(_)
            | Self::Date(..) => None,
        }
    }

    /// Its type's name.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Node(_) => "a node",
            Self::Untyped(_) => "the text of a node",
            Self::Text(_) => "a text",
            Self::Boolean(_) => "a truth value",
            Self::Integer(_) => "a whole number",
            Self::Decimal(_) => "a number",
            Self::Double(_) => "a number in floating point",
            Self::Date(..) => "a date",
        }
    }
}

pub(super) fn boolean(value: bool) -> Value {
    smallvec![Item::Boolean(value)]
}

/// As XPath writes a double.
pub(super) fn double_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    if value == 0.0 || (1e-6..1e6).contains(&value.abs()) {
        return format!("{value}");
    }
    let text = format!("{value:E}");
    match text.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        _ => text,
    }
}
