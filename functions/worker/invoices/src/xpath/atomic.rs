//! Nodes as values, and values of other types.

use std::rc::Rc;

use smallvec::smallvec;

use super::ast::{Atomic, Type};
use super::evaluation::Evaluation;
use super::number::Decimal;
use super::value::{Failure, Item, Outcome, Value, double_text};

/// Characters of a value in a message.
const SHOWN: usize = 40;

impl Evaluation<'_> {
    pub(super) fn atom(&self, item: &Item) -> Outcome<Item> {
        let Some(id) = item.node() else { return Ok(item.clone()) };
        let text = self.document.text(id);
        self.spend(self.document.within(id).len() + text.len() / 32)?;
        Ok(Item::Untyped(text))
    }

    pub(super) fn atoms(&self, value: &[Item]) -> Outcome<Value> {
        value.iter().map(|item| self.atom(item)).collect()
    }

    /// The one item, or none.
    pub(super) fn single(&self, value: &[Item]) -> Outcome<Option<Item>> {
        match value {
            [] => Ok(None),
            [item] => self.atom(item).map(Some),
            _ => Err(Failure::Count("several values", "one")),
        }
    }

    pub(super) fn item_text(&self, item: &Item) -> Outcome<Rc<str>> {
        Ok(match self.atom(item)? {
            Item::Untyped(text) | Item::Text(text) | Item::Date(_, text) => text,
            Item::Boolean(value) => Rc::from(if value { "true" } else { "false" }),
            Item::Integer(value) | Item::Decimal(value) => Rc::from(value.to_text()),
            Item::Double(value) => Rc::from(double_text(value)),
            Item::Node(_) => Rc::from(""),
        })
    }

    /// The text of a value of one item at most; none is an empty text.
    pub(super) fn optional_text(&self, value: Value) -> Outcome<Rc<str>> {
        match value.as_slice() {
            [] => Ok(Rc::from("")),
            [item] => self.item_text(item),
            _ => Err(Failure::Count("several values", "one")),
        }
    }

    /// The texts of all items, with spaces between them.
    pub(crate) fn joined(&self, value: Value) -> Outcome<String> {
        let texts: Outcome<Vec<Rc<str>>> = value.iter().map(|item| self.item_text(item)).collect();
        Ok(texts?.join(" "))
    }

    pub(super) fn effective(value: &[Item]) -> Outcome<bool> {
        match value {
            [] => Ok(false),
            [Item::Node(_), ..] => Ok(true),
            [Item::Boolean(value)] => Ok(*value),
            [Item::Untyped(text) | Item::Text(text)] => Ok(!text.is_empty()),
            [Item::Integer(value) | Item::Decimal(value)] => Ok(!value.is_zero()),
            [Item::Double(value)] => Ok(*value != 0.0 && !value.is_nan()),
            [Item::Date(..)] => Err(Failure::Types("a date", "a truth value")),
            _ => Err(Failure::Count("several values", "one")),
        }
    }

    pub(super) fn cast(&self, value: Value, target: Type) -> Outcome<Value> {
        match self.single(&value)? {
            Some(item) => Ok(smallvec![self.cast_item(&item, target.atomic)?]),
            None if target.optional => Ok(Value::new()),
            None => Err(Failure::Count("no value", "one")),
        }
    }

    /// An argument or a result as its declaration wants it: the text of a node is cast, other types must fit.
    pub(super) fn converted(&self, value: Value, target: Type) -> Outcome<Value> {
        let Some(item) = self.single(&value)? else { return self.cast(value, target) };
        let fits = match (&item, target.atomic) {
            (Item::Untyped(_), _)
            | (Item::Text(_), Atomic::String)
            | (Item::Boolean(_), Atomic::Boolean)
            | (Item::Integer(_), Atomic::Integer | Atomic::Decimal | Atomic::Double)
            | (Item::Decimal(_), Atomic::Decimal | Atomic::Double)
            | (Item::Double(_), Atomic::Double)
            | (Item::Date(..), Atomic::Date) => true,
            (
                Item::Node(_)
                | Item::Text(_)
                | Item::Boolean(_)
                | Item::Integer(_)
                | Item::Decimal(_)
                | Item::Double(_)
                | Item::Date(..),
                _,
            ) => false,
        };
        if !fits {
            return Err(Failure::Types(item.kind(), atomic_name(target.atomic)));
        }
        // A whole number is a decimal one as it is.
        if matches!((&item, target.atomic), (Item::Integer(_), Atomic::Decimal)) {
            return Ok(smallvec![item]);
        }
        Ok(smallvec![self.cast_item(&item, target.atomic)?])
    }

    pub(super) fn cast_item(&self, item: &Item, target: Atomic) -> Outcome<Item> {
        let item = self.atom(item)?;
        let refused = |text: &str| Failure::NotA(text.chars().take(SHOWN).collect(), atomic_name(target));
        match target {
            Atomic::String => self.item_text(&item).map(Item::Text),
            Atomic::Boolean => match &item {
                Item::Boolean(_) => Ok(item),
                Item::Untyped(text) | Item::Text(text) => match text.trim() {
                    "true" | "1" => Ok(Item::Boolean(true)),
                    "false" | "0" => Ok(Item::Boolean(false)),
                    other => Err(refused(other)),
                },
                Item::Node(_) | Item::Integer(_) | Item::Decimal(_) | Item::Double(_) | Item::Date(..) => {
                    Self::effective(std::slice::from_ref(&item)).map(Item::Boolean)
                }
            },
            Atomic::Decimal | Atomic::Integer => {
                let value = match &item {
                    Item::Integer(value) | Item::Decimal(value) => Some(value.clone()),
                    Item::Boolean(value) => Some(Decimal::from(i64::from(*value))),
                    Item::Double(value) => Decimal::from_double(*value),
                    Item::Untyped(text) | Item::Text(text) if target == Atomic::Integer => Decimal::parse_integer(text),
                    Item::Untyped(text) | Item::Text(text) => Decimal::parse(text),
                    Item::Node(_) | Item::Date(..) => None,
                };
                let Some(value) = value else { return Err(refused(&self.item_text(&item)?)) };
                Ok(if target == Atomic::Integer { Item::Integer(value.truncated()) } else { Item::Decimal(value) })
            }
            Atomic::Double => match &item {
                Item::Integer(value) | Item::Decimal(value) => Ok(Item::Double(value.to_double())),
                Item::Double(_) => Ok(item),
                Item::Boolean(value) => Ok(Item::Double(f64::from(u8::from(*value)))),
                Item::Untyped(text) | Item::Text(text) => {
                    read_double(text).map(Item::Double).ok_or_else(|| refused(text))
                }
                Item::Node(_) | Item::Date(..) => Err(Failure::Types(item.kind(), "a number")),
            },
            Atomic::Date => match &item {
                Item::Date(..) => Ok(item),
                Item::Untyped(text) | Item::Text(text) => read_date(text.trim()).ok_or_else(|| refused(text)),
                Item::Node(_) | Item::Boolean(_) | Item::Integer(_) | Item::Decimal(_) | Item::Double(_) => {
                    Err(Failure::Types(item.kind(), "a date"))
                }
            },
        }
    }
}

fn atomic_name(atomic: Atomic) -> &'static str {
    match atomic {
        Atomic::String => "text",
        Atomic::Boolean => "truth value",
        Atomic::Decimal => "number",
        Atomic::Integer => "whole number",
        Atomic::Double => "number",
        Atomic::Date => "date",
    }
}

/// As `xs:double` is written: not all that Rust reads.
pub(super) fn read_double(text: &str) -> Option<f64> {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    match text {
        "INF" => return Some(f64::INFINITY),
        "-INF" => return Some(f64::NEG_INFINITY),
        "NaN" => return Some(f64::NAN),
        _ => {}
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    if is_number { text.parse().ok() } else { None }
}

/// A date with or without a time zone.
fn read_date(text: &str) -> Option<Item> {
    let (date, zone) = text.split_at_checked(10)?;
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let number = |text: &str, length: usize| -> Option<i64> {
        if text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
    };
    let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
    let leap = i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + leap,
        1..=12 => 31,
        _ => return None,
    };
    if parts.next().is_some() || !(1..=days).contains(&day) || year == 0 {
        return None;
    }
    let offset = match zone.as_bytes() {
        [] | b"Z" => 0,
        [sign @ (b'+' | b'-'), hours @ .., b':', _, _] if hours.len() == 2 => {
            let minutes = number(zone.get(1..3)?, 2)? * 60 + number(zone.get(4..6)?, 2)?;
            if minutes > 14 * 60 {
                return None;
            }
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    // Months from March on make leap days come last.
    let (shifted, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + (153 * month + 2) / 5 + day;
    Some(Item::Date(days * 1_440 - offset, Rc::from(text)))
}
