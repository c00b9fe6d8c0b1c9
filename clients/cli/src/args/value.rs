//! Values of options: from text on the command line to JSON, as the option's schema describes it.

use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Switch,
    Whole,
    Number,
    Text,
    /// Names with values.
    Object,
    List,
    /// Several of these, such as a number or a length with its unit.
    Any,
}

impl Shape {
    pub fn of(schema: &Value) -> Self {
        match schema["type"].as_str() {
            Some("boolean") => Self::Switch,
            Some("integer") => Self::Whole,
            Some("number") => Self::Number,
            Some("string") => Self::Text,
            Some("object") => Self::Object,
            Some("array") => Self::List,
            _ => Self::Any,
        }
    }
}

/// The choices of a schema or of its list's entries.
pub fn choices(schema: &Value) -> Vec<String> {
    let listed = schema["enum"].as_array().or_else(|| schema["items"]["enum"].as_array());
    listed.into_iter().flatten().map(plain).collect()
}

/// A value without quotation marks.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Reads all values that an option was given. `@FILE` stands for the file's content, and `@-` for standard input.
pub fn read(schema: &Value, given: &[String]) -> Result<Value, String> {
    let texts = given.iter().map(|text| resolve(text)).collect::<Result<Vec<_>, _>>()?;
    match Shape::of(schema) {
        Shape::Object => object(schema, &texts),
        Shape::List => list(&schema["items"], &texts),
        Shape::Any if takes(schema, "object") && !is_list(&texts) => object(schema, &texts),
        Shape::Any if takes(schema, "array") && texts.len() > 1 => Ok(json!(texts)),
        Shape::Switch | Shape::Whole | Shape::Number | Shape::Text | Shape::Any => {
            texts.last().map_or(Err("needs a value".to_owned()), |text| one(schema, text))
        }
    }
}

fn takes(schema: &Value, kind: &str) -> bool {
    schema["anyOf"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|each| each["type"] == kind && each.get("properties").is_none())
}

/// A whole list as JSON.
fn is_list(texts: &[String]) -> bool {
    matches!(texts, [text] if text.trim_start().starts_with('['))
}

/// The content of `@FILE`, without its last line break. `@@` is a plain `@`.
pub(super) fn resolve(text: &str) -> Result<String, String> {
    let Some(rest) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    if rest.is_empty() || rest.starts_with('@') {
        return Ok(rest.to_owned());
    }
    let mut content = String::new();
    let read = match rest {
        "-" => std::io::stdin().lock().read_to_string(&mut content).map(drop),
        path => std::fs::read_to_string(path).map(|text| content = text),
    };
    read.map_err(|error| format!("could not be read from {rest}: {error}"))?;
    if let Some(shorter) = content.strip_suffix('\n') {
        content.truncate(shorter.strip_suffix('\r').unwrap_or(shorter).len());
    }
    Ok(content)
}

/// The same of a member of an option, which may be a file that is no text, such as a key: that is given in base64.
fn resolve_member(text: &str) -> Result<String, String> {
    let path = text.strip_prefix('@').filter(|path| !path.is_empty() && !path.starts_with('@') && *path != "-");
    let bytes = path.and_then(|path| std::fs::read(path).ok()).filter(|bytes| std::str::from_utf8(bytes).is_err());
    bytes.map_or_else(|| resolve(text), |bytes| Ok(STANDARD.encode(bytes)))
}

/// One value. What the schema does not allow is passed on as text, for the schema's own message.
fn one(schema: &Value, text: &str) -> Result<Value, String> {
    let number = || serde_json::from_str::<Value>(text).ok().filter(Value::is_number);
    let number_or_text = || number().filter(|number| takes_numbers(schema) && is_written_so(number, text));
    Ok(match Shape::of(schema) {
        Shape::Text => json!(text),
        Shape::Switch => match text {
            "true" | "yes" | "on" => json!(true),
            "false" | "no" | "off" => json!(false),
            _ => return Err("must be true or false".to_owned()),
        },
        Shape::Whole | Shape::Number => number().ok_or("must be a number")?,
        Shape::Object | Shape::List | Shape::Any => match text.trim_start().chars().next() {
            Some('{' | '[') => serde_json::from_str(text).map_err(|error| format!("is not valid JSON: {error}"))?,
            _ => number_or_text().unwrap_or_else(|| json!(text)),
        },
    })
}

/// Whether JSON writes a number as it was typed: `10.00` would become `10.0`.
fn is_written_so(number: &Value, text: &str) -> bool {
    let written = number.to_string();
    written == text
}

/// Whether a schema that allows several types allows numbers, or says nothing about types.
fn takes_numbers(schema: &Value) -> bool {
    let is_number = |kind: &Value| matches!(kind.as_str(), Some("number" | "integer"));
    match (schema["type"].as_array(), schema["anyOf"].as_array()) {
        (Some(types), _) => types.iter().any(is_number),
        (None, Some(each)) if !each.is_empty() => each.iter().any(|each| is_number(&each["type"])),
        (None, _) => true,
    }
}

/// The value of a pair: as its schema says, or JSON. A number that would be written differently stays text, as in `price=10.00`.
fn of_pair(schema: &Value, text: &str) -> Value {
    if Shape::of(schema) == Shape::Text {
        return json!(text);
    }
    match serde_json::from_str::<Value>(text) {
        Ok(number) if number.is_number() && !is_written_so(&number, text) => json!(text),
        Ok(value) => value,
        Err(_) => json!(text),
    }
}

/// JSON objects and `name=value` pairs, all together.
fn object(schema: &Value, texts: &[String]) -> Result<Value, String> {
    let mut all = Map::new();
    for text in texts {
        if text.trim_start().starts_with('{') {
            let read: Map<String, Value> =
                serde_json::from_str(text).map_err(|error| format!("is not valid JSON: {error}"))?;
            all.extend(read);
        } else {
            let (name, value) = text.split_once('=').ok_or("must be name=value, or a JSON object")?;
            let own = &schema["properties"][name];
            // Values under names of the user's own may begin with an @.
            let value = if own.is_null() {
                of_pair(&schema["additionalProperties"], value)
            } else {
                of_pair(own, &resolve_member(value)?)
            };
            all.insert(name.to_owned(), value);
        }
    }
    Ok(Value::Object(all))
}

/// Entries one by one, or a whole list as JSON.
fn list(item: &Value, texts: &[String]) -> Result<Value, String> {
    if let [text] = texts
        && is_list(texts)
    {
        return serde_json::from_str(text).map_err(|error| format!("is not valid JSON: {error}"));
    }
    texts.iter().map(|text| one(item, text)).collect::<Result<Vec<_>, _>>().map(Value::Array)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_texts(schema: Value, given: &[&str]) -> Result<Value, String> {
        read(&schema, &given.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn texts_become_what_the_schema_describes() {
        for (schema, given, expected) in [
            (json!({"type": "boolean"}), vec!["true"], json!(true)),
            (json!({"type": "integer"}), vec!["150"], json!(150)),
            (json!({"type": "string"}), vec!["150"], json!("150")),
            (json!({"anyOf": [{"type": "number"}, {"type": "string"}]}), vec!["20"], json!(20)),
            (json!({"anyOf": [{"type": "number"}, {"type": "string"}]}), vec!["20mm"], json!("20mm")),
            (json!({"anyOf": []}), vec!["{\"selector\": \"#x\"}"], json!({"selector": "#x"})),
            (json!({"type": "array", "items": {"type": "string"}}), vec!["1-3", "7"], json!(["1-3", "7"])),
            (json!({"type": "array", "items": {"type": ["object", "string"]}}), vec!["Smith"], json!(["Smith"])),
            (json!({"type": "array"}), vec!["[1, 2]"], json!([1, 2])),
            (json!({"type": "object"}), vec!["print=false", "{\"copy\": true}"], json!({"print": false, "copy": true})),
            (json!({"type": "object"}), vec!["name=Zoë Müller"], json!({"name": "Zoë Müller"})),
            (
                json!({"type": "object"}),
                vec!["price=10.00", "version=2026.10", "id=1e5", "zip=0815", "count=3"],
                json!({"price": "10.00", "version": "2026.10", "id": "1e5", "zip": "0815", "count": 3}),
            ),
            (
                json!({"type": "object", "properties": {"title": {"type": "string"}}}),
                vec!["title=2026"],
                json!({"title": "2026"}),
            ),
            (json!({"type": "array", "items": {"type": ["object", "string"]}}), vec!["4711"], json!(["4711"])),
            (
                json!({"anyOf": [{"type": "object"}, {"type": "array"}]}),
                vec!["a=1", "{\"b\": 2}"],
                json!({"a": 1, "b": 2}),
            ),
            (json!({"anyOf": [{"type": "object"}, {"type": "array"}]}), vec!["[{\"a\": 1}]"], json!([{"a": 1}])),
            (
                json!({"anyOf": [{"const": "all"}, {"type": "array"}]}),
                vec!["Author", "Title"],
                json!(["Author", "Title"]),
            ),
            (json!({"type": "string"}), vec!["@@home"], json!("@home")),
        ] {
            assert_eq!(read_texts(schema, &given), Ok(expected), "{given:?}");
        }
        assert!(read_texts(json!({"type": "integer"}), &["many"]).is_err());
        assert!(read_texts(json!({"type": "object"}), &["name"]).is_err());
    }

    #[test]
    fn a_value_can_come_from_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "secret\n").unwrap();
        let given = format!("@{}", file.path().display());
        assert_eq!(read_texts(json!({"type": "string"}), &[&given]), Ok(json!("secret")));
        let schema = json!({"type": "object", "properties": {"own": {"type": "string"}}});
        let pairs = [format!("own={given}"), "handle=@ada".to_owned()];
        let pairs: Vec<&str> = pairs.iter().map(String::as_str).collect();
        assert_eq!(read_texts(schema.clone(), &pairs), Ok(json!({"own": "secret", "handle": "@ada"})));
        std::fs::write(file.path(), [0x30, 0x82, 0xff]).unwrap();
        assert_eq!(read_texts(schema.clone(), &pairs[..1]), Ok(json!({"own": "MIL/"})));
        assert!(read_texts(schema, &["own=@/no/such/file"]).unwrap_err().contains("/no/such/file"));
        assert!(read_texts(json!({"type": "string"}), &["@/no/such/file"]).unwrap_err().contains("/no/such/file"));
    }
}
