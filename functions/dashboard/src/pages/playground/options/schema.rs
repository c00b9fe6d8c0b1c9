//! Controls from a tool's published schema.

use docmill_domain::intake::Section;
use docmill_domain::source::SourceKind;
use docmill_domain::tool::Definition;
use serde_json::Value;

use super::{Control, Kind, Source};
use docmill_site::label;

pub(super) fn properties(definition: &Definition, section: Section) -> impl Iterator<Item = (&String, &Value)> {
    let pointer = format!("/properties/{}/properties", section.as_str());
    definition.parameters.pointer(&pointer).and_then(Value::as_object).into_iter().flatten()
}

pub fn sources(definition: &Definition) -> Vec<Source> {
    if definition.sources.are_several() {
        return vec![Source::Files];
    }
    let file = if definition.sources.may_be_listed() { Source::Files } else { Source::File };
    let source = |(name, schema): (&String, &Value)| match schema["format"].as_str() {
        Some("source-url") => Some(Source::Url(name.clone())),
        Some("inline") => Some(Source::Inline(name.clone())),
        _ if name == SourceKind::JobId.as_str() => Some(Source::Job),
        _ if name == SourceKind::Template.as_str() => Some(Source::Stored),
        _ => (name == SourceKind::UploadId.as_str()).then(|| file.clone()),
    };
    let mut sources: Vec<_> = properties(definition, Section::Input).filter_map(source).collect();
    sources.sort_by_key(|source| (*source != file, *source == Source::Job));
    sources
}

/// The controls in the schema's order, except that the choice of the tool's mode comes first.
pub fn controls(definition: &Definition) -> Vec<Control> {
    let mode = definition.metadata.get("modeOption").and_then(Value::as_str);
    let mut controls: Vec<_> = properties(definition, Section::Options)
        .map(|(name, schema)| control(name.clone(), name, schema, definition.secrets.values.contains(name)))
        .collect();
    controls.sort_by_key(|control| Some(control.name.as_str()) != mode);
    controls
}

/// The control for a schema that is not an option's own.
pub fn control_of(name: &str, schema: &Value) -> Control {
    control(name.to_owned(), name, schema, false)
}

pub(super) fn control(name: String, own_name: &str, schema: &Value, secret: bool) -> Control {
    Control {
        label: label::of(own_name),
        hint: schema["description"].as_str().map(|text| text.replace('`', "")),
        kind: group(&name, schema, secret)
            .or_else(|| tuple(&name, schema))
            .or_else(|| list(schema))
            .or_else(|| map(schema))
            .unwrap_or_else(|| kind(schema, secret)),
        default: schema.get("default").cloned(),
        own_name: name.rsplit('.').next().unwrap_or_default().to_owned(),
        name,
    }
}

/// The members of an object whose schema names them all. Those of a secret are secret.
fn group(name: &str, schema: &Value, secret: bool) -> Option<Kind> {
    let members = schema["properties"].as_object().filter(|_| schema["additionalProperties"] == false)?;
    // A field of a PDF can have dots in its name.
    let member = |(own, schema): (&String, &Value)| Control {
        own_name: own.clone(),
        ..control(format!("{name}.{own}"), own, schema, secret)
    };
    Some(Kind::Group(members.iter().map(member).collect()))
}

/// The names of the values of a box.
const EDGES: [&str; 4] = ["left", "top", "right", "bottom"];

/// A list with a fixed number of entries.
fn tuple(name: &str, schema: &Value) -> Option<Kind> {
    let (entry, count) = (schema.get("items")?, schema["minItems"].as_u64()?);
    if schema["maxItems"].as_u64() != Some(count) || count < 2 {
        return None;
    }
    let member = |index: usize| {
        let label = EDGES
            .get(index)
            .filter(|_| name.ends_with(".box"))
            .map_or_else(|| (index + 1).to_string(), |edge| (*edge).to_owned());
        control(format!("{name}.{index}"), &label, entry, false)
    };
    Some(Kind::Tuple((0..usize::try_from(count).ok()?).map(member).collect()))
}

/// A list of any length, also if a word can stand for all of it.
fn list(schema: &Value) -> Option<Kind> {
    let forms = schema["anyOf"].as_array().map_or_else(|| vec![schema], |forms| forms.iter().collect());
    let entry = forms.iter().find(|form| form["type"] == "array")?.get("items")?.clone();
    let words = forms.iter().filter_map(|form| form.get("const").cloned()).collect::<Vec<_>>();
    (forms.len() == words.len() + 1).then_some(Kind::List { entry, words })
}

/// An object with names of the client's choice.
fn map(schema: &Value) -> Option<Kind> {
    let values = schema.get("additionalProperties").filter(|values| values.is_object())?;
    Some(Kind::Map { is_mixed: values["type"] != "string" })
}

/// The form of an entry that has members, if it can also be a plain text.
pub(super) fn as_object(entry: &Value) -> &Value {
    let forms = entry["anyOf"].as_array().or(entry["oneOf"].as_array());
    let has_text = |forms: &&Vec<Value>| forms.iter().any(|form| form["type"] == "string" && form["enum"].is_null());
    let object = forms.filter(has_text).and_then(|forms| forms.iter().find(|form| form["properties"].is_object()));
    object.unwrap_or(entry)
}

pub(super) fn kind(schema: &Value, secret: bool) -> Kind {
    if let Some(values) = schema["enum"].as_array() {
        return Kind::Choice(values.clone());
    }
    match schema["type"].as_str() {
        Some("boolean") => Kind::Switch,
        Some(number @ ("integer" | "number")) => Kind::Number {
            whole: number == "integer",
            least: schema["minimum"].as_f64().or(schema["exclusiveMinimum"].as_f64()),
            most: schema["maximum"].as_f64().or(schema["exclusiveMaximum"].as_f64()),
        },
        Some("string") => {
            Kind::Text { longest: schema["maxLength"].as_u64(), secret, lines: schema["format"] == "inline" }
        }
        Some(_) => Kind::Json,
        None => schema["anyOf"].as_array().or(schema["oneOf"].as_array()).map_or(Kind::Json, |forms| union(forms)),
    }
}

/// The control for a choice between schemas, if forms support it.
fn union(forms: &[Value]) -> Kind {
    let (mut words, mut members, mut scalars) = (Vec::new(), Vec::new(), Vec::new());
    for form in forms {
        match (kind(form, false), sole_member(form)) {
            (Kind::Choice(values), _) => words.extend(values),
            (_, Some((name, schema))) => members.push((name.to_owned(), kind(schema, false))),
            (scalar @ (Kind::Number { .. } | Kind::Text { .. }), None) => scalars.push(scalar),
            (
                Kind::Switch
                | Kind::Measure { .. }
                | Kind::Variant { .. }
                | Kind::Group(_)
                | Kind::Tuple(_)
                | Kind::List { .. }
                | Kind::Map { .. }
                | Kind::Json,
                None,
            ) => return Kind::Json,
        }
    }
    match (words.is_empty() && members.is_empty(), scalars.as_slice()) {
        (true, [Kind::Number { .. }, Kind::Text { .. }] | [Kind::Text { .. }, Kind::Number { .. }]) => {
            Kind::Measure { is_length: forms.iter().any(|form| form["pattern"].is_string()) }
        }
        (false, []) => Kind::Variant { words, members },
        _ => Kind::Json,
    }
}

/// The member of an object with exactly one.
fn sole_member(schema: &Value) -> Option<(&str, &Value)> {
    let required = schema["required"].as_array().filter(|required| required.len() == 1)?.first()?.as_str()?;
    Some((required, schema["properties"].get(required)?))
}
