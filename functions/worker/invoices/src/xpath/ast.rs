//! Expressions of XPath 2.0, as far as the rules of invoices use them.

use std::rc::Rc;

use regex::Regex;

use super::functions::Function;
use super::names::NameId;
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

/// A name that elements or attributes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Element(NameId),
    Attribute(NameId),
}

impl Step {
    /// What a document must have for the step to lead anywhere.
    pub(super) fn named(&self) -> Option<Named> {
        match self {
            Self::Axis(Axis::Attribute, Test::Name(name), _) => Some(Named::Attribute(*name)),
            Self::Axis(_, Test::Name(name), _) => Some(Named::Element(*name)),
            Self::Axis(..) | Self::Each(_) => None,
        }
    }
}

impl Expr {
    /// What a document must have for it to be false.
    pub(crate) fn true_without(&self) -> Option<Named> {
        if let Self::Or(left, _) = self {
            return left.true_without();
        }
        let Self::Call(Function::Not, arguments) = self else { return None };
        arguments.first()?.false_without()
    }

    /// What a document must have for it to be true.
    pub(crate) fn false_without(&self) -> Option<Named> {
        if let Self::And(left, _) = self {
            return left.false_without();
        }
        if let Self::Path(start, steps) = self
            && matches!(**start, Self::Context | Self::Root)
        {
            return steps.iter().take_while(|step| matches!(step, Step::Axis(..))).filter_map(Step::named).last();
        }
        let Self::Call(Function::Exists | Function::Boolean, arguments) = self else { return None };
        arguments.first()?.false_without()
    }

    /// How the name of an element must end for it to be true as a predicate, if it asks for that first.
    pub(super) fn name_end(&self) -> Option<&str> {
        if let Self::And(left, _) = self {
            return left.name_end();
        }
        let Self::Call(Function::EndsWith, arguments) = self else { return None };
        match arguments.as_slice() {
            [Self::Call(Function::Name, none), end] if none.is_empty() => end.text(),
            _ => None,
        }
    }

    /// A text that is written out.
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Literal(Item::Text(text)) = self { Some(text) } else { None }
    }

    /// Whether its value is always a truth value.
    pub(super) fn is_truth(&self) -> bool {
        let Self::Call(function, _) = self else {
            return matches!(
                self,
                Self::Or(..) | Self::And(..) | Self::General(..) | Self::Quantified(..) | Self::Matches(..)
            );
        };
        function.is_truth()
    }

    /// Whether it may, as a predicate, depend on the place of an item among others.
    pub(crate) fn may_be_place(&self) -> bool {
        let is_truth = match self {
            Self::Or(..) | Self::And(..) | Self::General(..) | Self::Quantified(..) | Self::Matches(..) => true,
            Self::Path(_, steps) => !matches!(steps.last(), Some(Step::Each(_))),
            Self::Call(function, _) => function.is_truth(),
            Self::Literal(_)
            | Self::Variable(_)
            | Self::Context
            | Self::Root
            | Self::Sequence(_)
            | Self::Single(..)
            | Self::Range(..)
            | Self::Arithmetic(..)
            | Self::Negated(_)
            | Self::Union(..)
            | Self::Filter(..)
            | Self::Own(..)
            | Self::If(..)
            | Self::For(..)
            | Self::Castable(..)
            | Self::Cast(..) => false,
        };
        !is_truth || self.asks_for_place()
    }

    /// Whether it asks for the place of its own item.
    fn asks_for_place(&self) -> bool {
        match self {
            Self::Call(Function::Position | Function::Last, _) => true,
            Self::Literal(_) | Self::Variable(_) | Self::Context | Self::Root => false,
            Self::Sequence(parts) | Self::Call(_, parts) | Self::Own(_, parts) => {
                parts.iter().any(Self::asks_for_place)
            }
            Self::Or(left, right)
            | Self::And(left, right)
            | Self::General(_, left, right)
            | Self::Single(_, left, right)
            | Self::Range(left, right)
            | Self::Arithmetic(_, left, right)
            | Self::Union(left, right) => left.asks_for_place() || right.asks_for_place(),
            // What stands in steps and predicates is about other items.
            Self::Negated(inner)
            | Self::Matches(inner, _)
            | Self::Castable(inner, _)
            | Self::Cast(inner, _)
            | Self::Path(inner, _)
            | Self::Filter(inner, _) => inner.asks_for_place(),
            Self::If(condition, then, otherwise) => {
                condition.asks_for_place() || then.asks_for_place() || otherwise.asks_for_place()
            }
            Self::For(bindings, result) | Self::Quantified(_, bindings, result) => {
                bindings.iter().any(|(_, values)| values.asks_for_place()) || result.asks_for_place()
            }
        }
    }
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
    Name(NameId),
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
