//! Canonical JSON (RFC 8785) of values without fractions. RFC 8785 writes numbers as JavaScript does, which is hard to do right; receipts
//! have whole numbers only, so that ten lines of any language check one. The crates for all of RFC 8785 would also make serde_json read
//! every fraction in the service more slowly (`float_roundtrip`).

use serde_json::Value;

/// Larger whole numbers are not exact in JavaScript.
const LARGEST: u64 = (1 << 53) - 1;

/// A value that has no form here: a fraction, or a number that not every language reads exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a number is no whole number of at most 2^53 - 1")]
pub struct NotCanonical;

/// The text that is signed.
///
/// # Errors
/// If the value has a number that is no whole one of at most 2^53 - 1.
pub fn canonical(value: &Value) -> Result<String, NotCanonical> {
    let mut text = String::new();
    write(value, &mut text)?;
    Ok(text)
}

fn write(value: &Value, text: &mut String) -> Result<(), NotCanonical> {
    match value {
        // serde_json escapes what RFC 8785 does, in the same way.
        Value::Null | Value::Bool(_) | Value::String(_) => text.push_str(&value.to_string()),
        Value::Number(number) => {
            let whole = number.as_i64().filter(|whole| whole.unsigned_abs() <= LARGEST).ok_or(NotCanonical)?;
            text.push_str(&whole.to_string());
        }
        Value::Array(values) => {
            let mut mark = '[';
            for value in values {
                text.push(std::mem::replace(&mut mark, ','));
                write(value, text)?;
            }
            text.push_str(if values.is_empty() { "[]" } else { "]" });
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            // By code units of UTF-16, as the standard says.
            sorted.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            let mut mark = '{';
            for (name, value) in sorted {
                text.push(std::mem::replace(&mut mark, ','));
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(value, text)?;
            }
            text.push_str(if members.is_empty() { "{}" } else { "}" });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The examples of RFC 8785, sections 3.2.2 and 3.2.3, without fractions.
    #[test]
    fn the_examples_of_the_standard_have_their_form() {
        let literals =
            json!({"string": "€$\u{f}\nA'\u{42}\u{22}\u{5c}\\\"/", "literals": [null, true, false], "e": [{}, []]});
        let expected = r#"{"e":[{},[]],"literals":[null,true,false],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
        assert_eq!(canonical(&literals).unwrap(), expected);
        let names = json!({"\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew Letter Dalet With Dagesh", "1": "One",
            "\u{1f600}": "Emoji", "\u{80}": "Control", "\u{f6}": "o"});
        let text = canonical(&names).unwrap();
        let order =
            ["Carriage", "One", "Control", "\"o\"", "Euro", "Emoji", "Hebrew"].map(|name| text.find(name).unwrap());
        assert!(order.is_sorted(), "{text}");
    }

    #[test]
    fn only_whole_numbers_that_every_language_reads_have_a_form() {
        assert_eq!(canonical(&json!([0, -1, LARGEST])).unwrap(), "[0,-1,9007199254740991]");
        for number in [json!(0.5), json!(1.0), json!(LARGEST + 1), json!(u64::MAX), json!(1e30)] {
            assert_eq!(canonical(&number), Err(NotCanonical), "{number}");
        }
    }
}
