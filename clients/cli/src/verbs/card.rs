//! Things of the API for people to read: a line for each member. Programs ask for `--json`.

use std::fmt::Write;

use serde_json::Value;

/// Columns from a level's names to their values.
const NAME_WIDTH: usize = 16;

/// The members of an object, each on its line, and objects within it indented below their name. What is empty is left out.
pub(super) fn of(thing: &Value) -> String {
    let mut card = String::new();
    members(&mut card, thing, 0);
    card.truncate(card.trim_end().len());
    card
}

fn members(card: &mut String, thing: &Value, indent: usize) {
    for (name, value) in thing.as_object().into_iter().flatten() {
        member(card, &words(name), value, indent);
    }
}

fn member(card: &mut String, name: &str, value: &Value, indent: usize) {
    let start = " ".repeat(indent);
    if let Some(text) = line(value) {
        let width = NAME_WIDTH.max(name.len() + 1);
        // Writing to a String can't fail.
        _ = writeln!(card, "{start}{name:width$}{text}");
    } else if has_content(value) {
        _ = writeln!(card, "{start}{name}");
        match value {
            Value::Array(entries) => (1..).zip(entries).for_each(|(number, entry)| match line(entry) {
                Some(text) => _ = writeln!(card, "{start}  {number}. {text}"),
                None => {
                    _ = writeln!(card, "{start}  {number}.");
                    members(card, entry, indent + 4);
                }
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                members(card, value, indent + 2);
            }
        }
    }
}

/// A value that fits a line.
fn line(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.replace('\n', " ")).filter(|text| !text.is_empty()),
        Value::Bool(true) => Some("yes".to_owned()),
        Value::Bool(false) => Some("no".to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(entries) if !entries.is_empty() => {
            let texts: Option<Vec<&str>> = entries.iter().map(Value::as_str).collect();
            texts.map(|texts| texts.join(", "))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn has_content(value: &Value) -> bool {
    value.as_object().is_some_and(|members| !members.is_empty())
        || value.as_array().is_some_and(|list| !list.is_empty())
}

/// `createdAt` becomes `Created at`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        match letter {
            letter if words.is_empty() => words.extend(letter.to_uppercase()),
            letter if letter.is_uppercase() => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            letter => words.push(letter),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_have_lines_and_what_is_empty_has_none() {
        // In the order of the alphabet, which is that of JSON here.
        let job = json!({
            "credits": {"charged": 1, "refunded": 1},
            "error": {"details": [{"message": "a", "place": {"line": 3}}], "message": "Two\nlines"},
            "events": ["a", "b"], "id": "01a", "metadata": {}, "pages": null, "testMode": false,
        });
        let expected = "\
Credits
  Charged         1
  Refunded        1
Error
  Details
    1.
      Message         a
      Place
        Line            3
  Message         Two lines
Events          a, b
Id              01a
Test mode       no";
        assert_eq!(of(&job), expected);
    }
}
