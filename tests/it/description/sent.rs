//! Which optional properties of the description's schemas answers have: what nothing sends is a promise that nobody keeps.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Description;

/// Optional properties that other tests send.
pub const ELSEWHERE: [&str; 0] = [];

impl Description {
    /// Notes the properties that a value of this JSON content has.
    pub fn note(&self, content: &Value, value: &Value) {
        let mut seen = BTreeSet::new();
        self.walk(&content["application/json"]["schema"], None, value, &mut seen);
        self.1.lock().unwrap().extend(seen);
    }

    /// The optional properties of the schemas of responses that no noted value had.
    pub fn unsent(&self) -> Vec<String> {
        let mut optional = BTreeSet::new();
        for (_, operation) in self.operations() {
            for (_, response) in operation["responses"].as_object().unwrap() {
                let content = &self.resolve(response)["content"];
                self.optional_of(&content["application/json"]["schema"], None, &mut optional, &mut BTreeSet::new());
            }
        }
        let seen = self.1.lock().unwrap();
        optional.difference(&seen).cloned().collect()
    }

    /// The schema that a reference leads to, with its name.
    fn named<'a>(&'a self, schema: &'a Value, name: Option<&'a str>) -> (&'a Value, Option<&'a str>) {
        match schema["$ref"].as_str() {
            Some(reference) => (self.resolve(schema), reference.rsplit('/').next()),
            None => (schema, name),
        }
    }

    fn walk(&self, schema: &Value, name: Option<&str>, value: &Value, seen: &mut BTreeSet<String>) {
        let (schema, name) = self.named(schema, name);
        for part in parts(schema) {
            self.walk(part, name, value, seen);
        }
        for (property, inner) in properties(schema) {
            if let Some(value) = value.get(property) {
                seen.insert(format!("{}.{property}", name.unwrap_or_default()));
                self.walk(inner, Some(&format!("{}.{property}", name.unwrap_or_default())), value, seen);
            }
        }
        for value in value.as_array().into_iter().flatten() {
            self.walk(&schema["items"], name, value, seen);
        }
    }

    fn optional_of(
        &self,
        schema: &Value,
        name: Option<&str>,
        optional: &mut BTreeSet<String>,
        known: &mut BTreeSet<String>,
    ) {
        let (target, name) = self.named(schema, name);
        if schema["$ref"].is_string() && !known.insert(name.unwrap_or_default().to_owned()) {
            return;
        }
        for part in parts(target).chain([&target["items"]]) {
            self.optional_of(part, name, optional, known);
        }
        let required: Vec<_> = target["required"].as_array().into_iter().flatten().collect();
        for (property, inner) in properties(target) {
            let path = format!("{}.{property}", name.unwrap_or_default());
            if !required.iter().any(|required| *required == property) {
                optional.insert(path.clone());
            }
            self.optional_of(inner, Some(&path), optional, known);
        }
    }
}

fn parts(schema: &Value) -> impl Iterator<Item = &Value> {
    ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|name| schema[name].as_array().into_iter().flatten())
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}
