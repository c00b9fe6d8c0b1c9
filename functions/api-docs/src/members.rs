//! The properties of a body as a list. Nested objects are folded, and the job, which many bodies contain, has a page of its own.

use docmill_look::schema;
use maud::{Markup, html};
use serde_json::Value;

use crate::article::Links;

/// The job object's page, below that of the reference.
pub const JOB_OBJECT: &str = "/docs/api/job-object";
const JOB: &str = "#/components/schemas/Job";
/// Nested objects are shown down to this depth.
const MAX_DEPTH: usize = 6;

/// How properties are shown.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    pub description: &'a Value,
    pub links: &'a Links,
    /// Whether required properties are marked: in requests, since responses have nothing to require.
    pub marks_required: bool,
}

impl Members<'_> {
    /// The properties of an object schema, or of the items of a list.
    pub fn of(&self, schema: &Value) -> Markup {
        self.list(schema, 0)
    }

    fn list(&self, schema: &Value, depth: usize) -> Markup {
        let schema = self.resolve(schema);
        let required = schema["required"].as_array();
        let is_required =
            |name: &str| self.marks_required && required.is_some_and(|all| all.iter().any(|each| each == name));
        html! {
            ul.members {
                @for (name, member) in schema["properties"].as_object().into_iter().flatten() {
                    li {
                        p.member {
                            code { (name) } " " span.muted { (schema::kind(&self.plain(member))) }
                            @if is_required(name) { " " span.badge.info { "required" } }
                        }
                        @if let Some(text) = self.text(member) { p { (schema::prose(text)) } }
                        (self.nested(member, depth + 1))
                    }
                }
            }
        }
    }

    fn nested(&self, member: &Value, depth: usize) -> Markup {
        if member["$ref"] == JOB || member["items"]["$ref"] == JOB {
            return html! { p { a href=(self.links.to(JOB_OBJECT)) { "The job object" } } };
        }
        let resolved = self.resolve(member);
        let inner = if resolved["items"].is_object() { self.resolve(&resolved["items"]) } else { resolved };
        let ways = inner["anyOf"].as_array().or(inner["oneOf"].as_array()).into_iter().flatten();
        let objects = std::iter::once(inner).chain(ways.map(|way| self.resolve(way)));
        html! {
            @for object in objects.filter(|_| depth < MAX_DEPTH) {
                @let count = object["properties"].as_object().map_or(0, serde_json::Map::len);
                @if count > 0 {
                    details.nested {
                        summary { @if count == 1 { "1 property" } @else { (count) " properties" } }
                        (self.list(object, depth))
                    }
                }
            }
        }
    }

    /// A reference's own description comes before that of its target.
    fn text<'v>(&'v self, member: &'v Value) -> Option<&'v str> {
        member["description"].as_str().or_else(|| self.resolve(member)["description"].as_str())
    }

    /// The schema as [`schema::kind`] reads it: without references in its first two levels.
    fn plain(&self, member: &Value) -> Value {
        let mut plain = self.resolve(member).clone();
        if let Some(items) = plain.get_mut("items") {
            *items = self.resolve(items).clone();
        }
        for union in ["anyOf", "oneOf"] {
            for way in plain.get_mut(union).and_then(Value::as_array_mut).into_iter().flatten() {
                *way = self.resolve(way).clone();
            }
        }
        plain
    }

    fn resolve<'v>(&'v self, schema: &'v Value) -> &'v Value {
        resolve(schema, self.description)
    }
}

/// The target of a reference, or the value itself.
pub fn resolve<'v>(value: &'v Value, description: &'v Value) -> &'v Value {
    let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| description.pointer(pointer)).unwrap_or(value)
}
