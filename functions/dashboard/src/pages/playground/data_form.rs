//! The data of a template as a form. Its fields are made from the schema that a check of the template reports, which the form
//! carries in a hidden field.

use docmill_aws::files::{Files, FilesError};
use docmill_domain::job::{Job, JobStatus, Output};
use docmill_domain::tool::Definition;
use docmill_site::form::FormData;
use serde_json::{Map, Value, json};

use super::options::{self, Control};

/// The option with the data, and the one that only checks the template.
const DATA: &str = "data";
const CHECK_ONLY: &str = "validateOnly";
/// Fields: the schema, and the check whose report has it.
pub const SCHEMA: &str = "data-schema";
const FIELD: &str = "option.data";
/// A larger report has more names than a form can show.
const MOST_REPORT_BYTES: usize = 256 * 1024;

/// Whether the tool's data can be a form.
pub fn is_offered(definition: &Definition) -> bool {
    let has = |name| options::controls(definition).iter().any(|control| control.name == name);
    has(DATA) && has(CHECK_ONLY)
}

/// The schema that the form has, if its data is a form.
pub fn schema(data: &FormData) -> Option<Value> {
    serde_json::from_str(data.raw(SCHEMA)).ok()
}

/// The controls of a tool's options in this form.
pub fn controls(definition: &Definition, data: &FormData) -> Vec<Control> {
    let mut controls = options::controls(definition);
    if let Some(schema) = schema(data)
        && let Some(control) = controls.iter_mut().find(|control| control.name == DATA)
    {
        *control = options::control_of(DATA, &in_fields(&schema));
    }
    controls
}

/// The options in a form. Values of a data form that were left empty are empty, not missing.
pub fn options(definition: &Definition, data: &FormData) -> Map<String, Value> {
    let schema = schema(data);
    let value = |control: Control| {
        let given = control.read(data);
        let value = match &schema {
            Some(schema) if control.name == DATA => complete(schema, given),
            Some(_) | None => given,
        };
        Some((control.name, value?))
    };
    controls(definition, data).into_iter().filter_map(value).collect()
}

/// The options of a job that checks the form's template.
pub fn check_options(definition: &Definition, data: &FormData) -> Map<String, Value> {
    let mut options = options(definition, data);
    options.remove(DATA);
    options.insert(CHECK_ONLY.to_owned(), json!(true));
    options
}

/// What a check reports.
#[derive(Debug)]
pub struct Report {
    schema: Value,
    example: Value,
    mistakes: Vec<Value>,
}

impl Report {
    /// `None` if the job has no such report, or one that is too large for a form.
    pub async fn of(files: &Files, job: &Job) -> Result<Option<Self>, FilesError> {
        let (Some(key), Some(Output { bytes, .. }), JobStatus::Completed) =
            (&job.result.output_key, &job.result.output, job.status)
        else {
            return Ok(None);
        };
        if usize::try_from(*bytes).map_or(true, |bytes| bytes > MOST_REPORT_BYTES) {
            return Ok(None);
        }
        let report = files.get_bytes(key, MOST_REPORT_BYTES).await?;
        Ok(report.and_then(|report| Self::parse(&report)))
    }

    /// What a stored template expects; `None` if that is too large for a form.
    pub fn of_stored(expected: &Value) -> Option<Self> {
        let is_small = expected["schema"].to_string().len() <= MOST_REPORT_BYTES;
        Self::of_value(expected.clone()).filter(|_| is_small)
    }

    fn parse(report: &[u8]) -> Option<Self> {
        Self::of_value(serde_json::from_slice(report).ok()?)
    }

    fn of_value(mut report: Value) -> Option<Self> {
        let schema = report.get_mut("schema").map(Value::take).filter(Value::is_object)?;
        let mistakes = report["mistakes"].as_array().cloned().unwrap_or_default();
        Some(Self { schema, example: report["example"].take(), mistakes })
    }

    /// What is wrong with the template, for people.
    pub fn mistakes(&self) -> Option<String> {
        let first = self.mistakes.first()?["message"].as_str()?;
        Some(match self.mistakes.len() {
            1 => format!("The template has a mistake. {first}"),
            count => format!("The template has {count} mistakes. The first: {first}"),
        })
    }

    /// The form with fields for the data. They have what was written as JSON; without that, an example.
    pub fn form(&self, data: &FormData) -> FormData {
        let written = serde_json::from_str(data.raw(FIELD)).ok().filter(Value::is_object);
        let control = options::control_of(DATA, &in_fields(&self.schema));
        let fields = control.fields(Some(&written.unwrap_or_else(|| self.example.clone())));
        let fields = fields.into_iter().chain([(SCHEMA.to_owned(), self.schema.to_string())]);
        FormData::from_pairs(others(data).chain(fields.filter(|(_, text)| !text.is_empty())))
    }
}

/// The form with its data as JSON.
pub fn as_json(definition: &Definition, data: &FormData) -> FormData {
    let written = options(definition, data).remove(DATA).map(|value| (FIELD.to_owned(), format!("{value:#}")));
    FormData::from_pairs(others(data).chain(written))
}

/// The fields that have nothing to do with the data.
fn others(data: &FormData) -> impl Iterator<Item = (String, String)> {
    let is_of_data = |name: &str| name == SCHEMA || name == FIELD || name.starts_with("option.data.");
    data.pairs().filter(move |(name, _)| !is_of_data(name)).map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// The schema of data in the terms of forms: objects have only the members that the template names, and a text can be
/// anything that is written in a field.
fn in_fields(schema: &Value) -> Value {
    let types = schema["type"].as_array().map_or_else(|| vec![&schema["type"]], |types| types.iter().collect());
    let is = |name: &str| types.iter().any(|known| *known == name);
    let mut field = if let Some(members) = schema["properties"].as_object() {
        let members: Map<_, _> = members.iter().map(|(name, member)| (name.clone(), in_fields(member))).collect();
        json!({"type": "object", "properties": members, "additionalProperties": false})
    } else if is("array") {
        json!({"type": "array", "items": in_fields(&schema["items"])})
    } else if is("object") {
        json!({"type": "object"})
    } else if is("number") && types.len() == 1 {
        json!({"type": "number"})
    } else if is("boolean") && types.len() == 1 {
        json!({"type": "boolean", "default": false})
    } else {
        json!({"type": "string"})
    };
    if let Some(description) = schema.get("description") {
        field["description"] = description.clone();
    }
    field
}

/// The data with empty texts and lists, and "no" for boxes that are not ticked. Numbers that are missing stay missing.
fn complete(schema: &Value, given: Option<Value>) -> Option<Value> {
    if let Some(members) = schema["properties"].as_object() {
        let mut given = match given {
            Some(Value::Object(given)) => given,
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) | None => {
                Map::new()
            }
        };
        let value = |(name, member): (&String, &Value)| Some((name.clone(), complete(member, given.remove(name))?));
        return Some(Value::Object(members.iter().filter_map(value).collect()));
    }
    match (given, in_fields(schema)["type"].as_str()) {
        (Some(Value::Array(elements)), _) => {
            Some(elements.into_iter().filter_map(|element| complete(&schema["items"], Some(element))).collect())
        }
        (Some(given), _) => Some(given),
        (None, Some("array")) => Some(json!([])),
        (None, Some("boolean")) => Some(json!(false)),
        (None, Some("string")) if schema["format"].is_null() => Some(json!("")),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::catalogue::Catalogue;

    fn report() -> Report {
        let text = json!({"type": ["string", "number", "boolean", "null"]});
        let item =
            json!({"type": "object", "properties": {"name": text, "price": {"type": "number"}}, "required": ["name"]});
        let schema = json!({"type": "object", "properties": {
            "customer": {"type": "object", "properties": {"name": text}},
            "due": {"type": "string", "format": "date"},
            "paid": {"type": "boolean"},
            "tags": {"type": "array", "items": text},
            "items": {"type": "array", "items": item},
        }});
        let example = json!({"customer": {"name": "name"}, "due": "2026-01-31", "paid": true, "tags": ["tags"],
            "items": [{"name": "name", "price": 1}]});
        let report = json!({"valid": true, "mistakes": [], "schema": schema, "example": example});
        Report::parse(report.to_string().as_bytes()).unwrap()
    }

    fn definition() -> Definition {
        Catalogue::load().unwrap().find("render-template").unwrap().definition.clone()
    }

    #[test]
    fn a_form_begins_with_the_example() {
        let form = report().form(&FormData::of(&[("tool", "render-template"), ("option.locale", "de")]));
        assert_eq!(form.get("option.data.customer.name"), "name");
        assert_eq!(form.get("option.data.items.0.price"), "1");
        let options = options(&definition(), &form);
        assert_eq!(options["data"], report().example);
        assert_eq!(options["locale"], "de");
    }

    #[test]
    fn a_form_takes_over_what_was_written() {
        let written = json!({"customer": {"name": "Ada"}, "items": []}).to_string();
        let form = report().form(&FormData::of(&[("tool", "render-template"), ("option.data", &written)]));
        let expected = json!({"customer": {"name": "Ada"}, "paid": false, "tags": [], "items": []});
        assert_eq!(options(&definition(), &form)["data"], expected);
    }

    #[test]
    fn empty_fields_are_empty_values() {
        let schema = report().schema.to_string();
        let form = FormData::of(&[
            ("tool", "render-template"),
            (SCHEMA, &schema),
            ("option.data.customer.name", ""),
            ("option.data.items.7.price", "2.5"),
            ("option.data.items.9.name", ""),
        ]);
        let expected =
            json!({"customer": {"name": ""}, "paid": false, "tags": [], "items": [{"name": "", "price": 2.5}]});
        assert_eq!(options(&definition(), &form)["data"], expected);
        let written = as_json(&definition(), &form);
        assert_eq!(serde_json::from_str::<Value>(written.raw("option.data")).unwrap(), expected);
        assert!(!written.has(SCHEMA));
        assert_eq!(options(&definition(), &written)["data"], expected);
    }

    #[test]
    fn a_check_has_no_data() {
        let form = report().form(&FormData::of(&[("tool", "render-template"), ("option.locale", "de")]));
        assert_eq!(Value::Object(check_options(&definition(), &form)), json!({"locale": "de", "validateOnly": true}));
    }

    #[test]
    fn only_templates_have_a_form() {
        let catalogue = Catalogue::load().unwrap();
        let offered: Vec<_> = catalogue.tools().iter().filter(|tool| is_offered(&tool.definition)).collect();
        assert_eq!(offered.len(), 1);
        assert_eq!(offered[0].definition.slug, "render-template");
    }
}
