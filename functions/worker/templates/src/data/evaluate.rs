//! Expressions become values.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::{Located, Scope};
use crate::expression::{Expression, Operator, Path};
use crate::filters::{self, Formats};
use crate::problem::Fault;
use crate::value::{compared, equal, finite, is_shown, number, text_of};

/// Why an expression has no value.
#[derive(Clone, Debug)]
pub(crate) enum Missed {
    /// The data has no value of this name.
    Unknown(Path),
    Faulty(Fault),
    /// The limit on work is reached.
    Exhausted,
}

impl From<Fault> for Missed {
    fn from(fault: Fault) -> Self {
        Self::Faulty(fault)
    }
}

pub(crate) fn evaluate<'s>(
    expression: &Expression,
    scope: &'s Scope<'_>,
    formats: &Formats,
) -> Result<Located<'s>, Missed> {
    let inner = |expression| evaluate(expression, scope, formats);
    match expression {
        Expression::Literal(value) => Ok(Located::computed(value.clone())),
        Expression::Path(path) => {
            let found = scope.find(path).ok_or_else(|| Missed::Unknown(path.clone()))?;
            scope.note_use(found.node);
            Ok(found)
        }
        Expression::Not(expression) => {
            Ok(Located::computed(Value::Bool(!is_shown(&optional(expression, scope, formats)?.value))))
        }
        Expression::Negative(expression) => {
            let value = inner(expression)?.value;
            Ok(Located::computed(finite(-number(&value)?)?))
        }
        Expression::Binary(Operator::And, left, right) => {
            let left = optional(left, scope, formats)?;
            if is_shown(&left.value) { optional(right, scope, formats) } else { Ok(left) }
        }
        Expression::Binary(Operator::Or, left, right) => {
            let left = optional(left, scope, formats)?;
            if is_shown(&left.value) { Ok(left) } else { optional(right, scope, formats) }
        }
        Expression::Binary(operator, left, right) => {
            let operand = |side| if operator.calculates() { inner(side) } else { optional(side, scope, formats) };
            let (left, right) = (operand(left)?.value, operand(right)?.value);
            spend(scope, weight(&left).saturating_add(weight(&right)))?;
            Ok(Located::computed(combined(*operator, &left, &right)?))
        }
        Expression::Choice(condition, yes, no) => {
            if is_shown(&optional(condition, scope, formats)?.value) {
                inner(yes)
            } else {
                inner(no)
            }
        }
        Expression::Filter { name, input, arguments } => {
            let input = if name == "default" { optional(input, scope, formats)? } else { inner(input)? };
            let arguments: Vec<_> =
                arguments.iter().map(|argument| inner(argument).map(|found| found.value)).collect::<Result<_, _>>()?;
            if let ("sum" | "sortBy", Some(member)) = (name.as_str(), arguments.first().and_then(|name| name.as_str()))
            {
                scope.note_use(scope.step(input.node, member));
            }
            spend(scope, weight(&input.value))?;
            let node = input.node.filter(|_| filters::keeps_elements(name));
            match filters::apply(name, &input.value, &arguments, formats)? {
                Some(value) => Ok(Located { value: Cow::Owned(value), node }),
                None => Ok(input),
            }
        }
    }
}

fn spend(scope: &Scope<'_>, steps: usize) -> Result<(), Missed> {
    if scope.work.allows(steps) { Ok(()) } else { Err(Missed::Exhausted) }
}

/// The work to go through a value.
fn weight(value: &Value) -> usize {
    const BYTES_IN_STEP: usize = 64;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
        Value::String(text) => 1 + text.len() / BYTES_IN_STEP,
        Value::Array(elements) => 1 + elements.iter().map(weight).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(weight).sum::<usize>(),
    }
}

/// In a condition, a value that isn't there is null.
fn optional<'s>(expression: &Expression, scope: &'s Scope<'_>, formats: &Formats) -> Result<Located<'s>, Missed> {
    match evaluate(expression, scope, formats) {
        Err(Missed::Unknown(_)) => Ok(Located::computed(Value::Null)),
        other => other,
    }
}

fn combined(operator: Operator, left: &Value, right: &Value) -> Result<Value, Fault> {
    let ordered = |wanted: fn(Ordering) -> bool| Ok(Value::Bool(compared(left, right)?.is_some_and(wanted)));
    let calculated = |calculate: fn(f64, f64) -> f64| finite(calculate(number(left)?, number(right)?));
    match operator {
        Operator::Equal => Ok(Value::Bool(equal(left, right))),
        Operator::Unequal => Ok(Value::Bool(!equal(left, right))),
        Operator::Less => ordered(Ordering::is_lt),
        Operator::LessOrEqual => ordered(Ordering::is_le),
        Operator::Greater => ordered(Ordering::is_gt),
        Operator::GreaterOrEqual => ordered(Ordering::is_ge),
        Operator::Add if left.is_string() || right.is_string() => {
            Ok(Value::String(format!("{}{}", text_of(left)?, text_of(right)?)))
        }
        Operator::Add => calculated(|left, right| left + right),
        Operator::Subtract => calculated(|left, right| left - right),
        Operator::Multiply => calculated(|left, right| left * right),
        Operator::Divide => calculated(|left, right| left / right),
        Operator::Remainder => calculated(|left, right| left % right),
        Operator::And | Operator::Or => Ok(Value::Bool(is_shown(left) && is_shown(right))),
    }
}
