//! Filters of lists.

use serde_json::Value;

use crate::problem::Fault;
use crate::value::{compared, finite, kind_of, number, text_of};

fn elements(value: &Value) -> Result<&Vec<Value>, Fault> {
    value.as_array().ok_or_else(|| Fault::unusable(format!("A list is needed, but the value is {}.", kind_of(value))))
}

pub(super) fn chosen(filter: &str, value: &Value, argument: Option<&Value>) -> Result<Value, Fault> {
    let elements = elements(value)?;
    Ok(match filter {
        "first" => elements.first().cloned().unwrap_or_default(),
        "last" => elements.last().cloned().unwrap_or_default(),
        "reverse" => Value::Array(elements.iter().rev().cloned().collect()),
        _ => Value::Array(sorted(elements, argument)?),
    })
}

fn sorted(elements: &[Value], argument: Option<&Value>) -> Result<Vec<Value>, Fault> {
    let mut keyed: Vec<_> = elements.iter().map(|element| (key(element, argument), element)).collect();
    let mut fault = None;
    keyed.sort_by(|(one, _), (other, _)| match compared(one, other) {
        Ok(order) => order.unwrap_or_else(|| one.is_null().cmp(&other.is_null())),
        Err(found) => {
            fault.get_or_insert(found);
            std::cmp::Ordering::Equal
        }
    });
    match fault {
        Some(fault) => Err(fault),
        None => Ok(keyed.into_iter().map(|(_, element)| element.clone()).collect()),
    }
}

/// The member to sort or sum by; without a name the element.
fn key<'v>(element: &'v Value, argument: Option<&Value>) -> &'v Value {
    match argument.and_then(Value::as_str) {
        Some(name) => element.get(name).unwrap_or(&Value::Null),
        None => element,
    }
}

pub(super) fn size(value: &Value) -> Result<Value, Fault> {
    match value {
        Value::Array(elements) => Ok(elements.len().into()),
        Value::Object(members) => Ok(members.len().into()),
        Value::String(text) => Ok(text.chars().count().into()),
        Value::Null => Ok(0.into()),
        Value::Bool(_) | Value::Number(_) => {
            Err(Fault::unusable(format!("A list or a text is needed, but the value is {}.", kind_of(value))))
        }
    }
}

pub(super) fn sum(value: &Value, argument: Option<&Value>) -> Result<Value, Fault> {
    if value.is_null() {
        return Ok(0.into());
    }
    let mut sum = 0.0;
    for element in elements(value)? {
        let value = key(element, argument);
        sum += if value.is_null() { 0.0 } else { number(value)? };
    }
    finite(sum)
}

pub(super) fn join(value: &Value, argument: Option<&Value>) -> Result<Value, Fault> {
    let separator = argument.map_or(Ok(", ".into()), text_of)?;
    let texts: Vec<_> = elements(value)?.iter().map(text_of).collect::<Result<_, _>>()?;
    Ok(Value::String(texts.join(&separator)))
}
