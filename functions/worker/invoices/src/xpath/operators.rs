//! Comparisons and arithmetic.

use std::cmp::Ordering;

use smallvec::smallvec;

use super::ast::{Arithmetic, Atomic, Comparison, Expr};
use super::evaluation::{Evaluation, Focus};
use super::number::Decimal;
use super::value::{Failure, Item, Outcome, Value, boolean};

/// Items of `1 to n`. The rules count digits.
const RANGE: i64 = 10_000;

impl<'a> Evaluation<'a> {
    /// Whether any item of the left side and any of the right side are so.
    pub(super) fn general(
        &mut self,
        comparison: Comparison,
        left: &'a Expr,
        right: &'a Expr,
        focus: &Focus,
    ) -> Outcome<bool> {
        if let (Expr::Call(function, arguments), Expr::Literal(Item::Text(wanted))) = (left, right)
            && function.is_text()
        {
            let text = self.text_of_call(*function, arguments, focus)?;
            return Ok(holds(comparison, Some(text.cmp(wanted))));
        }
        let (left, right) = (self.value(left, focus)?, self.value(right, focus)?);
        self.compare_any(comparison, &left, &right)
    }

    fn compare_any(&self, comparison: Comparison, left: &Value, right: &Value) -> Outcome<bool> {
        if let ([first], [second]) = (left.as_slice(), right.as_slice()) {
            return self.compare(comparison, &self.atom(first)?, &self.atom(second)?, true);
        }
        if left.is_empty() || right.is_empty() {
            return Ok(false);
        }
        let left = self.atoms(left)?;
        let right = self.atoms(right)?;
        for first in &left {
            self.spend(right.len())?;
            for second in &right {
                if self.compare(comparison, first, second, true)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    pub(super) fn compare_singles(&self, comparison: Comparison, left: Value, right: Value) -> Outcome<Value> {
        let (left, right) = (self.single(&left)?, self.single(&right)?);
        match (left, right) {
            (Some(left), Some(right)) => Ok(boolean(self.compare(comparison, &left, &right, false)?)),
            _ => Ok(Value::new()),
        }
    }

    /// The text of a node becomes what it is compared with, in comparisons of any items.
    fn compare(&self, comparison: Comparison, left: &Item, right: &Item, adapts: bool) -> Outcome<bool> {
        if adapts {
            if let (Item::Untyped(_), Some(target)) = (left, other_type(right)) {
                let left = self.cast_item(left, target)?;
                return self.compare(comparison, &left, right, false);
            }
            if let (Item::Untyped(_), Some(target)) = (right, other_type(left)) {
                let right = self.cast_item(right, target)?;
                return self.compare(comparison, left, &right, false);
            }
        }
        let order = match (left, right) {
            (Item::Untyped(left) | Item::Text(left), Item::Untyped(right) | Item::Text(right)) => {
                self.spend(left.len().min(right.len()) / 32)?;
                Some(left.cmp(right))
            }
            (Item::Boolean(left), Item::Boolean(right)) => Some(left.cmp(right)),
            (Item::Date(left, _), Item::Date(right, _)) => Some(left.cmp(right)),
            (Item::Integer(left) | Item::Decimal(left), Item::Integer(right) | Item::Decimal(right)) => {
                Some(left.cmp(right))
            }
            _ => match (double(left), double(right)) {
                (Some(left), Some(right)) => left.partial_cmp(&right),
                _ => return Err(Failure::Types(left.kind(), right.kind())),
            },
        };
        Ok(holds(comparison, order))
    }

    pub(super) fn compute(&self, operation: Arithmetic, left: Value, right: Value) -> Outcome<Value> {
        let (Some(left), Some(right)) = (self.single(&left)?, self.single(&right)?) else { return Ok(Value::new()) };
        let (left, right) = (self.number_of(left)?, self.number_of(right)?);
        let whole = matches!((&left, &right), (Item::Integer(_), Item::Integer(_)));
        let result = match (&left, &right) {
            (Item::Integer(first) | Item::Decimal(first), Item::Integer(second) | Item::Decimal(second)) => {
                let result = exact(operation, first, second)?;
                if operation == Arithmetic::DividedWhole || (whole && operation != Arithmetic::Divided) {
                    Item::Integer(result)
                } else {
                    Item::Decimal(result)
                }
            }
            _ => match (double(&left), double(&right)) {
                (Some(first), Some(second)) => floating(operation, first, second)?,
                _ => return Err(Failure::Types(left.kind(), right.kind())),
            },
        };
        Ok(smallvec![result])
    }

    fn number_of(&self, item: Item) -> Outcome<Item> {
        match item {
            Item::Untyped(_) => self.cast_item(&item, Atomic::Double),
            Item::Integer(_) | Item::Decimal(_) | Item::Double(_) => Ok(item),
            Item::Node(_) | Item::Text(_) | Item::Boolean(_) | Item::Date(..) => {
                Err(Failure::Types(item.kind(), "a number"))
            }
        }
    }

    pub(super) fn range(&self, from: Value, to: Value) -> Outcome<Value> {
        let (Some(from), Some(to)) = (self.single(&from)?, self.single(&to)?) else { return Ok(Value::new()) };
        let bound = |item: &Item| {
            let Item::Integer(value) = self.cast_item(item, Atomic::Integer)? else {
                return Err(Failure::Types(item.kind(), "a whole number"));
            };
            value.to_i64().ok_or(Failure::TooLong)
        };
        let (from, to) = (bound(&from)?, bound(&to)?);
        if to.saturating_sub(from) > RANGE {
            return Err(Failure::TooLong);
        }
        Ok((from..=to).map(|value| Item::Integer(Decimal::from(value))).collect())
    }
}

fn holds(comparison: Comparison, order: Option<Ordering>) -> bool {
    match comparison {
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::NotEqual => order != Some(Ordering::Equal),
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// What the text of a node becomes beside this item; `None` if it stays text.
fn other_type(item: &Item) -> Option<Atomic> {
    match item {
        Item::Integer(_) | Item::Decimal(_) | Item::Double(_) => Some(Atomic::Double),
        Item::Boolean(_) => Some(Atomic::Boolean),
        Item::Date(..) => Some(Atomic::Date),
        Item::Node(_) | Item::Untyped(_) | Item::Text(_) => None,
    }
}

fn exact(operation: Arithmetic, left: &Decimal, right: &Decimal) -> Outcome<Decimal> {
    match operation {
        Arithmetic::Plus => Ok(left.plus(right)),
        Arithmetic::Minus => Ok(left.minus(right)),
        Arithmetic::Times => Ok(left.times(right)),
        Arithmetic::Divided => left.divided_by(right).ok_or(Failure::ZeroDivision),
        Arithmetic::DividedWhole => left.divided_whole(right).ok_or(Failure::ZeroDivision),
        Arithmetic::Remainder => left.remainder(right).ok_or(Failure::ZeroDivision),
    }
}

fn floating(operation: Arithmetic, left: f64, right: f64) -> Outcome<Item> {
    Ok(Item::Double(match operation {
        Arithmetic::Plus => left + right,
        Arithmetic::Minus => left - right,
        Arithmetic::Times => left * right,
        Arithmetic::Divided => left / right,
        Arithmetic::Remainder => left % right,
        Arithmetic::DividedWhole => {
            let quotient = Decimal::from_double((left / right).trunc()).ok_or(Failure::ZeroDivision)?;
            return Ok(Item::Integer(quotient));
        }
    }))
}

pub(super) fn double(item: &Item) -> Option<f64> {
    match item {
        Item::Integer(value) | Item::Decimal(value) => Some(value.to_double()),
        Item::Double(value) => Some(*value),
        Item::Node(_) | Item::Untyped(_) | Item::Text(_) | Item::Boolean(_) | Item::Date(..) => None,
    }
}

/// A place or a count as a double.
pub(super) fn from_count(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}
