//! Expressions of XPath 2.0, as far as the rules of invoices use them.

use std::rc::Rc;

use regex::Regex;

use super::functions::Function;
use super::value::Item;

/// A variable or a function of a rule file, by its place in the list of names.
pub(crate) type Symbol = u32;

#[derive(Debug)]
pub(crate) enum Expr {
    Literal(Item),
    Variable(Symbol),
    Context,
    Root,
    Sequence(Vec<Expr>),
    Or(Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    /// True if any item of the left side and any of the right side are so.
    General(Comparison, Box<Expr>, Box<Expr>),
    /// Of single items.
    Single(Comparison, Box<Expr>, Box<Expr>),
    Range(Box<Expr>, Box<Expr>),
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    Negated(Box<Expr>),
    Union(Box<Expr>, Box<Expr>),
    /// Steps from what the first expression gives.
    Path(Box<Expr>, Vec<Step>),
    Filter(Box<Expr>, Vec<Expr>),
    Call(Function, Vec<Expr>),
    /// Of a regular expression that is known before.
    Matches(Box<Expr>, Rc<Regex>),
    Own(Symbol, Vec<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    For(Vec<(Symbol, Expr)>, Box<Expr>),
    Quantified(Quantifier, Vec<(Symbol, Expr)>, Box<Expr>),
    Castable(Box<Expr>, Type),
    Cast(Box<Expr>, Type),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    Some,
    Every,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Plus,
    Minus,
    Times,
    Divided,
    DividedWhole,
    Remainder,
}

#[derive(Debug)]
pub(crate) enum Step {
    Axis(Axis, Test, Vec<Expr>),
    /// An expression that is evaluated for each node.
    Each(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    Child,
    Descendant,
    DescendantOrSelf,
    Parent,
    Ancestor,
    AncestorOrSelf,
    FollowingSibling,
    PrecedingSibling,
    Following,
    Preceding,
    Attribute,
    OneSelf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Name {
        space: Rc<str>,
        local: Rc<str>,
    },
    /// `*`
    AnyName,
    /// `prefix:*`
    Space(Rc<str>),
    /// `*:name`
    Local(Rc<str>),
    Node,
    Text,
    Comment,
    Element,
}

/// What values are cast to, and what parameters ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) atomic: Atomic,
    /// Whether it may be absent: `xs:string?`.
    pub(crate) optional: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Atomic {
    String,
    Boolean,
    Decimal,
    Integer,
    Double,
    Date,
}
