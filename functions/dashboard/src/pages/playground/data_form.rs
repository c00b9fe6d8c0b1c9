//! The data of a template, or the values of a PDF's form, as a form. Its fields are made from the schema that a check of the
//! document reports, which the form carries in a hidden field.

use docmill_aws::files::{Files, FilesError};
use docmill_domain::job::{Job, JobStatus, Output};
use docmill_domain::tool::Definition;
use docmill_site::form::FormData;
use serde_json::{Map, Value, json};

use super::options::{self, Control};

/// The option that only checks a template.
const CHECK_ONLY: &str = "validateOnly";
/// The field with the schema.
pub const SCHEMA: &str = "data-schema";
/// A larger report has more names than a form can show.
const MOST_REPORT_BYTES: usize = 256 * 1024;

/// What is filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Template,
    PdfForm,
}

impl Subject {
    /// `None` if the tool fills in nothing.
    pub fn of(definition: &Definition) -> Option<Self> {
        match definition.slug.as_str() {
            "render-template" => Some(Self::Template),
            "fill-form" => Some(Self::PdfForm),
            _ => None,
        }
    }

    /// The option with the values.
    const fn option(self) -> &'static str {
        match self {
            Self::Template => "data",
            Self::PdfForm => "fields",
        }
    }

    fn field(self) -> String {
        format!("option.{}", self.option())
    }

    /// The tool that reports what can be filled in, and its options. It needs no further ones.
    pub fn check(self, definition: &Definition, data: &FormData) -> (&'static str, Map<String, Value>) {
        match self {
            Self::PdfForm => ("inspect-document", Map::new()),
            Self::Template => {
                let mut options = options(definition, data);
                options.remove(self.option());
                options.insert(CHECK_ONLY.to_owned(), json!(true));
                ("render-template", options)
            }
        }
    }

    /// What the buttons say: to check the document, to check it again, and to do without.
    pub const fn buttons(self) -> [&'static str; 3] {
        match self {
            Self::Template => ["Make a form of the template", "Read the template again", "Write JSON instead"],
            Self::PdfForm => ["List the form's fields", "Read the form again", "Write names and values instead"],
        }
    }

    pub const fn too_large(self) -> &'static str {
        match self {
            Self::Template => "This template is too large for a form. Write its data as JSON.",
            Self::PdfForm => "This form has too many fields to list. Write them yourself.",
        }
    }

    /// The control whose fields are the schema's.
    fn control(self, schema: &Value) -> Control {
        match self {
            Self::Template => options::control_of(self.option(), &in_fields(schema)),
            Self::PdfForm => options::control_of(self.option(), schema),
        }
    }
}

/// The schema that the form has, if its data is a form.
pub fn schema(data: &FormData) -> Option<Value> {
    serde_json::from_str(data.raw(SCHEMA)).ok()
}

/// The controls of a tool's options in this form.
pub fn controls(definition: &Definition, data: &FormData) -> Vec<Control> {
    let mut controls = options::controls(definition);
    if let Some(schema) = schema(data)
        && let Some(subject) = Subject::of(definition)
        && let Some(control) = controls.iter_mut().find(|control| control.name == subject.option())
    {
        *control = subject.control(&schema);
    }
    controls
}

/// The options in a form. A template's values that were left empty are empty, not missing; fields of a PDF stay as they are.
pub fn options(definition: &Definition, data: &FormData) -> Map<String, Value> {
    let schema = schema(data).filter(|_| Subject::of(definition) == Some(Subject::Template));
    let value = |control: Control| {
        let given = control.read(data);
        let value = match &schema {
            Some(schema) if control.name == Subject::Template.option() => complete(schema, given),
            Some(_) | None => given,
        };
        Some((control.name, value?))
    };
    controls(definition, data).into_iter().filter_map(value).collect()
}

/// What a check reports.
#[derive(Debug)]
pub struct Report {
    subject: Subject,
    schema: Value,
    example: Value,
    /// What is wrong with the document, for people.
    pub fault: Option<String>,
}

impl Report {
    /// `None` if the job has no such report, or one that is too large for a form.
    pub async fn of(subject: Subject, files: &Files, job: &Job) -> Result<Option<Self>, FilesError> {
        let (Some(key), Some(Output { bytes, .. }), JobStatus::Completed) =
            (&job.result.output_key, &job.result.output, job.status)
        else {
            return Ok(None);
        };
        if usize::try_from(*bytes).map_or(true, |bytes| bytes > MOST_REPORT_BYTES) {
            return Ok(None);
        }
        let report = files.get_bytes(key, MOST_REPORT_BYTES).await?;
        Ok(report.and_then(|report| Self::parse(subject, &report)))
    }

    /// What a stored template expects; `None` if that is too large for a form.
    pub fn of_stored(expected: &Value) -> Option<Self> {
        let is_small = expected["schema"].to_string().len() <= MOST_REPORT_BYTES;
        Self::of_template(expected.clone()).filter(|_| is_small)
    }

    fn parse(subject: Subject, report: &[u8]) -> Option<Self> {
        let report = serde_json::from_slice(report).ok()?;
        match subject {
            Subject::Template => Self::of_template(report),
            Subject::PdfForm => Some(Self::of_pdf(&report)),
        }
    }

    fn of_template(mut report: Value) -> Option<Self> {
        let schema = report.get_mut("schema").map(Value::take).filter(Value::is_object)?;
        let mistakes = report["mistakes"].as_array().map(Vec::as_slice).unwrap_or_default();
        let first = mistakes.first().and_then(|mistake| mistake["message"].as_str());
        let fault = first.map(|first| match mistakes.len() {
            1 => format!("The template has a mistake. {first}"),
            count => format!("The template has {count} mistakes. The first: {first}"),
        });
        Some(Self { subject: Subject::Template, schema, example: report["example"].take(), fault })
    }

    /// What `inspect-document` found.
    fn of_pdf(report: &Value) -> Self {
        let listed = report["form"]["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
        let (mut fields, mut example) = (Map::new(), Map::new());
        for field in listed.iter().filter(|field| field["readOnly"] != true) {
            let (Some(name), Some(schema)) = (field["name"].as_str(), schema_of(field)) else { continue };
            fields.insert(name.to_owned(), schema);
            if let Some(value) = field["value"].as_str().filter(|value| !value.is_empty() && field["type"] == "text") {
                example.insert(name.to_owned(), json!(value));
            }
        }
        let fault = fields.is_empty().then(|| "This PDF has no form fields that can be filled in.".to_owned());
        let schema = json!({"type": "object", "properties": fields, "additionalProperties": false});
        Self { subject: Subject::PdfForm, schema, example: Value::Object(example), fault }
    }

    /// The form with fields for the data. They have what was written before; without that, an example.
    pub fn form(&self, definition: &Definition, data: &FormData) -> FormData {
        let written = options(definition, data).remove(self.subject.option());
        let written = written.filter(|value| value.as_object().is_some_and(|members| !members.is_empty()));
        let control = self.subject.control(&self.schema);
        let fields = control.fields(Some(&written.unwrap_or_else(|| self.example.clone())));
        let fields = fields.into_iter().chain([(SCHEMA.to_owned(), self.schema.to_string())]);
        FormData::from_pairs(others(self.subject, data).chain(fields.filter(|(_, text)| !text.is_empty())))
    }
}

/// The schema of a field of a PDF, if it can be filled in.
fn schema_of(field: &Value) -> Option<Value> {
    let mut schema = match field["type"].as_str()? {
        "text" => json!({"type": "string"}),
        "checkbox" => json!({"type": "boolean"}),
        "radio" | "dropdown" | "list" => match field["choices"].as_array().filter(|choices| !choices.is_empty()) {
            Some(choices) => json!({"type": "string", "enum": choices}),
            None => json!({"type": "string"}),
        },
        _ => return None,
    };
    schema["description"] = json!(format!("The field {}", field["name"].as_str()?));
    Some(schema)
}

/// The form without fields for the data: as the option is without a check of the document.
pub fn as_option(subject: Subject, definition: &Definition, data: &FormData) -> FormData {
    let value = options(definition, data).remove(subject.option());
    let control = options::controls(definition).into_iter().find(|control| control.name == subject.option());
    let fields = control.map(|control| control.fields(value.as_ref())).unwrap_or_default();
    FormData::from_pairs(others(subject, data).chain(fields))
}

/// The fields that have nothing to do with the data.
fn others(subject: Subject, data: &FormData) -> impl Iterator<Item = (String, String)> {
    let field = subject.field();
    let is_below =
        move |name: &str| name.strip_prefix(&field).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let is_of_data = move |name: &str| name == SCHEMA || is_below(name);
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
        Report::parse(Subject::Template, report.to_string().as_bytes()).unwrap()
    }

    fn definition() -> Definition {
        Catalogue::load().unwrap().find("render-template").unwrap().definition.clone()
    }

    #[test]
    fn a_form_begins_with_the_example() {
        let form = report().form(&definition(), &FormData::of(&[("tool", "render-template"), ("option.locale", "de")]));
        assert_eq!(form.get("option.data.customer.name"), "name");
        assert_eq!(form.get("option.data.items.0.price"), "1");
        let options = options(&definition(), &form);
        assert_eq!(options["data"], report().example);
        assert_eq!(options["locale"], "de");
    }

    #[test]
    fn a_form_takes_over_what_was_written() {
        let written = json!({"customer": {"name": "Ada"}, "items": []}).to_string();
        let form =
            report().form(&definition(), &FormData::of(&[("tool", "render-template"), ("option.data", &written)]));
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
        let written = as_option(Subject::Template, &definition(), &form);
        assert_eq!(serde_json::from_str::<Value>(written.raw("option.data")).unwrap(), expected);
        assert!(!written.has(SCHEMA));
        assert_eq!(options(&definition(), &written)["data"], expected);
    }

    #[test]
    fn a_check_has_no_data() {
        let form = report().form(&definition(), &FormData::of(&[("tool", "render-template"), ("option.locale", "de")]));
        let (tool, options) = Subject::Template.check(&definition(), &form);
        assert_eq!((tool, Value::Object(options)), ("render-template", json!({"locale": "de", "validateOnly": true})));
    }

    #[test]
    fn the_fields_of_a_pdf_become_a_form_and_those_left_empty_stay_as_they_are() {
        let fields = [("order.name", "text"), ("note", "text"), ("terms", "checkbox"), ("size", "dropdown")];
        let fields = fields.into_iter().chain([("number", "text"), ("submit", "button")]).map(|(name, kind)| {
            let value = if name == "order.name" { "Ada" } else { "" };
            json!({"name": name, "type": kind, "value": value, "readOnly": name == "number", "choices": ["S", "L"]})
        });
        let fields: Vec<_> = fields.collect();
        let report = json!({"format": "pdf", "form": {"xfa": false, "fields": fields}});
        let report = Report::parse(Subject::PdfForm, report.to_string().as_bytes()).unwrap();
        assert_eq!(report.fault, None);
        let tool = Catalogue::load().unwrap().find("fill-form").unwrap().definition.clone();
        let form = report.form(&tool, &FormData::of(&[("tool", "fill-form")]));
        assert_eq!(form.get("option.fields.order.name"), "Ada");
        let schema = form.raw(SCHEMA);
        let filled = [("option.fields.terms", "true"), ("option.fields.size", "L"), ("option.fields.note", "")];
        let filled = FormData::of(&[&[(SCHEMA, schema), ("option.fields.order.name", "Ada")][..], &filled].concat());
        let expected = json!({"order.name": "Ada", "terms": true, "size": "L"});
        assert_eq!(options(&tool, &filled)["fields"], expected);
        let without = as_option(Subject::PdfForm, &tool, &filled);
        assert_eq!(options(&tool, &without)["fields"], expected);
        let none = Report::parse(Subject::PdfForm, br#"{"format": "pdf", "form": null}"#).unwrap();
        assert!(none.fault.unwrap().contains("no form fields"));
    }
}
