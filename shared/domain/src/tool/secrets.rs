//! Which options a job shows again, and which it hides.
//!
//! Each option that can hold text is declared: a form that the schema limits (a color, a range of pages, a file's name) is public,
//! and free text is a secret. A test compares the declarations with the schemas.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::job::source;

/// A tool's declarations. Entries are names of options, or paths of their members, such as `stamps.barcode.value`; lists have no
/// segment of their own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Secrets {
    /// Credentials: hidden entirely, and never stored in a table. Names of options only.
    pub values: Vec<String>,
    /// Document content: a text is shown as its size and digest, anything else is hidden entirely.
    pub content: Vec<String>,
    /// Words of people and documents. Names of members and lengths of lists are shown. Such words have no digest, because a
    /// short text can be guessed from it.
    pub words: Vec<String>,
    /// Shown as they are.
    pub public: Vec<String>,
}

impl Secrets {
    /// Whether nothing of this option is shown.
    pub fn hides_all_of(&self, option: &str) -> bool {
        self.values.iter().chain(&self.content).any(|hidden| hidden == option)
    }

    /// The options as their job shows them.
    pub fn redact(&self, options: &Map<String, Value>) -> Map<String, Value> {
        options.iter().map(|(name, value)| (name.clone(), self.shown(name, value))).collect()
    }

    fn shown(&self, path: &str, value: &Value) -> Value {
        let declared = |list: &[String]| list.iter().any(|declared| declared == path);
        if declared(&self.values) {
            return json!(source::REDACTED);
        }
        if declared(&self.content) {
            return value.as_str().map_or_else(|| json!(source::REDACTED), source::digest);
        }
        if declared(&self.words) {
            return masked(value);
        }
        match value {
            Value::Array(entries) => entries.iter().map(|entry| self.shown(path, entry)).collect(),
            Value::Object(members) => {
                let member =
                    |(name, value): (&String, &Value)| (name.clone(), self.shown(&format!("{path}.{name}"), value));
                Value::Object(members.iter().map(member).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }
}

/// The value's outline.
fn masked(value: &Value) -> Value {
    match value {
        Value::Array(entries) => entries.iter().map(masked).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), masked(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => json!(source::REDACTED),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::tool::Definition;
    use crate::tool::catalogue::Catalogue;

    /// The places in a tool's options that can hold a text of the caller's own, each with whether the schema limits its form.
    fn texts(definition: &Definition) -> BTreeMap<String, bool> {
        let options = &definition.parameters["properties"]["options"];
        let mut found = BTreeMap::new();
        for (name, schema) in options["properties"].as_object().unwrap() {
            walk(name, schema, &mut found);
        }
        found
    }

    fn walk(path: &str, schema: &Value, found: &mut BTreeMap<String, bool>) {
        assert!(schema["$ref"].is_null(), "{path}: this test does not follow references");
        let parts = ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|name| schema[name].as_array()).flatten();
        let parts: Vec<_> = parts.collect();
        for part in &parts {
            walk(path, part, found);
        }
        let is_type = |name: &str| match &schema["type"] {
            Value::String(own) => own == name,
            Value::Array(several) => several.iter().any(|own| own == name),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                parts.is_empty() && schema["enum"].is_null() && schema["const"].is_null()
            }
        };
        // A schema without a type that only has rules for members narrows what is declared elsewhere.
        let rules = ["required", "not", "properties", "if"];
        let is_rule = schema["type"].is_null() && rules.iter().any(|rule| !schema[rule].is_null());
        if is_type("string") && schema["enum"].is_null() && schema["const"].is_null() && !is_rule {
            let is_limited = ["page-range", "filename"].iter().any(|format| schema["format"] == *format)
                || schema["pattern"].as_str().is_some_and(|pattern| pattern.starts_with('^') && pattern.ends_with('$'));
            found.entry(path.to_owned()).and_modify(|limited| *limited &= is_limited).or_insert(is_limited);
        }
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            walk(&format!("{path}.{name}"), member, found);
        }
        for name in ["items", "additionalProperties"] {
            if schema[name].is_object() {
                let path = if name == "items" { path.to_owned() } else { format!("{path}.*") };
                walk(&path, &schema[name], found);
            }
        }
        if schema["additionalProperties"] == true {
            found.insert(format!("{path}.*"), false);
        }
    }

    fn covers(declared: &[String], path: &str) -> bool {
        declared
            .iter()
            .any(|entry| path == entry || path.strip_prefix(entry.as_str()).is_some_and(|rest| rest.starts_with('.')))
    }

    /// A new option with text fails here until its tool's file says whether it is public.
    #[test]
    fn each_option_that_can_hold_text_is_declared_public_or_secret() {
        for tool in Catalogue::load().unwrap().tools() {
            let definition = &tool.definition;
            let Secrets { values, content, words, public } = &definition.secrets;
            let texts = texts(definition);
            for (path, is_limited) in &texts {
                let hidden = [values, content, words].iter().any(|declared| covers(declared, path));
                let shown = covers(public, path);
                assert!(hidden != shown, "{}: declare `{path}` in `secrets`, once", definition.slug);
                assert!(
                    !shown || *is_limited,
                    "{}: `{path}` takes any text, so it is no public option",
                    definition.slug
                );
            }
            for declared in [content, words, public].into_iter().flatten() {
                let exists = texts.keys().any(|path| covers(std::slice::from_ref(declared), path));
                assert!(exists, "{}: `{declared}` is no option with text", definition.slug);
            }
            for name in values {
                assert!(!name.contains('.'), "{}: `{name}` is no option", definition.slug);
            }
        }
    }

    #[test]
    fn words_are_hidden_and_their_outline_is_shown() {
        let catalogue = Catalogue::load().unwrap();
        let shown = |slug: &str, options: Value| {
            Value::Object(catalogue.find(slug).unwrap().definition.secrets.redact(options.as_object().unwrap()))
        };
        let options = json!({"text": ["canary", {"literal": "canary"}], "label": "canary", "color": "#ffffff"});
        let hidden =
            json!({"text": ["[redacted]", {"literal": "[redacted]"}], "label": "[redacted]", "color": "#ffffff"});
        assert_eq!(shown("redact-pdf", options), hidden);
        let options = json!({"fields": {"ssn": "123-45-6789", "agreed": true, "choices": ["a", "b"]}});
        let hidden = json!({"ssn": "[redacted]", "agreed": "[redacted]", "choices": ["[redacted]", "[redacted]"]});
        assert_eq!(shown("fill-form", options), json!({"fields": hidden}));
        let options = json!({"stamps": [{"barcode": {"type": "qr", "value": "canary"}, "pages": "1-2"}]});
        let hidden = json!({"stamps": [{"barcode": {"type": "qr", "value": "[redacted]"}, "pages": "1-2"}]});
        assert_eq!(shown("watermark-pdf", options), hidden);
    }
}
