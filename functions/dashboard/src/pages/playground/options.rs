//! A tool's options as a form: made from its published schema, and read back into the schema's form.
//!
//! Nothing is validated here. Values that don't have their type are passed on as text, and the schema reports the error.

use docmill::domain::intake::Section;
use docmill::domain::tool::Definition;
use serde_json::{Map, Number, Value, json};

use super::label;
use crate::form::FormData;

/// An option in a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    pub name: String,
    pub label: String,
    pub hint: Option<String>,
    pub kind: Kind,
    pub default: Option<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// One of these values.
    Choice(Vec<Value>),
    Switch,
    Number {
        whole: bool,
        least: Option<f64>,
        most: Option<f64>,
    },
    /// A number, or a text such as `20mm`.
    Measure,
    Text {
        longest: Option<u64>,
        secret: bool,
        lines: bool,
    },
    /// One of these words, or an object with one of these members.
    Variant {
        words: Vec<Value>,
        members: Vec<(String, Kind)>,
    },
    /// An object with these members. Their names begin with the object's: `facturX.level`.
    Group(Vec<Control>),
    /// Any other schema, as JSON.
    Json,
}

/// A kind of source that a tool accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    File,
    /// Several files in order.
    Files,
    /// The property for an address.
    Url(String),
    /// The property for inline content.
    Inline(String),
}

impl Source {
    /// Its name in the form: the property's, except for files, which a script uploads.
    pub fn as_str(&self) -> &str {
        match self {
            Self::File => "file",
            Self::Files => "files",
            Self::Url(name) | Self::Inline(name) => name,
        }
    }
}

fn properties(definition: &Definition, section: Section) -> impl Iterator<Item = (&String, &Value)> {
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
        _ => (name == "uploadId").then(|| file.clone()),
    };
    let mut sources: Vec<_> = properties(definition, Section::Input).filter_map(source).collect();
    sources.sort_by_key(|source| *source != file);
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

fn control(name: String, own_name: &str, schema: &Value, secret: bool) -> Control {
    Control {
        label: label::of(own_name),
        hint: schema["description"].as_str().map(|text| text.replace('`', "")),
        kind: group(&name, schema).unwrap_or_else(|| kind(schema, secret)),
        default: schema.get("default").cloned(),
        name,
    }
}

/// The members of an object whose schema names them all.
fn group(name: &str, schema: &Value) -> Option<Kind> {
    let members = schema["properties"].as_object().filter(|_| schema["additionalProperties"] == false)?;
    let member = |(own, schema): (&String, &Value)| control(format!("{name}.{own}"), own, schema, false);
    Some(Kind::Group(members.iter().map(member).collect()))
}

fn kind(schema: &Value, secret: bool) -> Kind {
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
            (Kind::Switch | Kind::Measure | Kind::Variant { .. } | Kind::Group(_) | Kind::Json, None) => {
                return Kind::Json;
            }
        }
    }
    match (words.is_empty() && members.is_empty(), scalars.as_slice()) {
        (true, [Kind::Number { .. }, Kind::Text { .. }] | [Kind::Text { .. }, Kind::Number { .. }]) => Kind::Measure,
        (false, []) => Kind::Variant { words, members },
        _ => Kind::Json,
    }
}

/// The member of an object with exactly one.
fn sole_member(schema: &Value) -> Option<(&str, &Value)> {
    let required = schema["required"].as_array().filter(|required| required.len() == 1)?.first()?.as_str()?;
    Some((required, schema["properties"].get(required)?))
}

impl Control {
    /// The field's name in the form.
    pub fn field(&self) -> String {
        format!("option.{}", self.name)
    }

    /// The field for a variant's value.
    pub fn value_field(&self) -> String {
        format!("option.{}.value", self.name)
    }

    /// Whether a box can express every value. Without a default, absence has its own meaning.
    pub fn is_box(&self) -> bool {
        self.kind == Kind::Switch && self.default.is_some()
    }

    /// The option's value; `None` if nothing or only the default was chosen.
    pub fn read(&self, data: &FormData) -> Option<Value> {
        let value = self.given(data)?;
        (Some(&value) != self.default.as_ref()).then_some(value)
    }

    fn given(&self, data: &FormData) -> Option<Value> {
        let field = self.field();
        if self.is_box() {
            // A new form has no boxes at all, which differs from boxes that are not ticked.
            return data.has("tool").then(|| json!(data.is_on(&field)));
        }
        if let Kind::Group(members) = &self.kind {
            let given: Map<_, _> = members.iter().filter_map(|member| member.as_member(data)).collect();
            return (!given.is_empty()).then(|| Value::Object(given));
        }
        let text = data.get(&field);
        match &self.kind {
            _ if text.is_empty() => None,
            Kind::Text { secret: false, lines: false, .. } => Some(json!(text)),
            Kind::Text { .. } => Some(json!(data.raw(&field))),
            Kind::Choice(values) => Some(chosen(values, text)),
            Kind::Switch => Some(chosen(&[json!(true), json!(false)], text)),
            Kind::Number { .. } | Kind::Measure => Some(number(text)),
            Kind::Variant { words, members } => Some(match members.iter().find(|(name, _)| name == text) {
                Some((name, kind)) => json!({name: member(kind, data.get(&self.value_field()))}),
                None => chosen(words, text),
            }),
            Kind::Group(_) | Kind::Json => Some(serde_json::from_str(text).unwrap_or_else(|_| json!(text))),
        }
    }

    /// A member of a group with its own name. It may have its default value, so that the group has a member.
    fn as_member(&self, data: &FormData) -> Option<(String, Value)> {
        let value = if self.is_box() { self.read(data) } else { self.given(data) }?;
        Some((self.own_name().to_owned(), value))
    }

    fn own_name(&self) -> &str {
        self.name.rsplit_once('.').map_or(&self.name, |(_, own)| own)
    }

    /// The fields and their texts for a value. Without one, a box has its default: it would read as not ticked.
    pub fn fields(&self, value: Option<&Value>) -> Vec<(String, String)> {
        let value = value.or(self.default.as_ref().filter(|_| self.is_box()));
        if let Kind::Group(members) = &self.kind {
            let of = |member: &Self| value.and_then(|value| value.get(member.own_name())).cloned();
            return members.iter().flat_map(|member| member.fields(of(member).as_ref())).collect();
        }
        let (text, beside) = self.write(value);
        vec![(self.field(), text), (self.value_field(), beside)]
    }

    /// The field texts for a value: the field's own, and that of its value field.
    fn write(&self, value: Option<&Value>) -> (String, String) {
        let Some(value) = value else { return Default::default() };
        match (&self.kind, value.as_object().and_then(|object| object.iter().next())) {
            (Kind::Variant { .. }, Some((name, inner))) => (name.clone(), plain(inner)),
            (Kind::Switch, _) if self.is_box() => {
                (if *value == json!(true) { "on" } else { "" }.to_owned(), String::new())
            }
            _ => (plain(value), String::new()),
        }
    }
}

fn member(kind: &Kind, text: &str) -> Value {
    if matches!(kind, Kind::Number { .. }) { number(text) } else { json!(text) }
}

fn chosen(values: &[Value], text: &str) -> Value {
    values.iter().find(|value| plain(value) == text).cloned().unwrap_or_else(|| json!(text))
}

fn number(text: &str) -> Value {
    text.parse::<Number>().map_or_else(|_| json!(text), Value::Number)
}

/// A value in a field: strings unchanged, everything else as JSON.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::body::body;
    use super::*;
    use docmill::domain::catalogue::{Catalogue, Tool};

    fn with_tool<T>(slug: &str, check: impl FnOnce(&Tool) -> T) -> T {
        check(Catalogue::load().unwrap().find(slug).unwrap())
    }

    fn control(slug: &str, name: &str) -> Control {
        with_tool(slug, |tool| controls(&tool.definition).into_iter().find(|control| control.name == name).unwrap())
    }

    #[test]
    fn every_option_of_every_tool_has_a_control() {
        for tool in Catalogue::load().unwrap().tools() {
            let controls = controls(&tool.definition);
            assert_eq!(controls.len(), properties(&tool.definition, Section::Options).count());
            if let Some(mode) = tool.definition.metadata.get("modeOption").and_then(Value::as_str) {
                assert_eq!(controls[0].name, mode);
            }
        }
    }

    #[test]
    fn kinds_follow_the_schema() {
        let number = Kind::Number { whole: true, least: Some(1.0), most: Some(100.0) };
        assert_eq!(control("office-to-pdf", "imageQuality").kind, number);
        assert!(
            matches!(control("office-to-pdf", "maxImageDpi").kind, Kind::Choice(values) if values.contains(&json!(300)))
        );
        assert!(matches!(control("office-to-pdf", "password").kind, Kind::Text { secret: true, .. }));
        assert!(matches!(control("html-to-pdf", "headerHtml").kind, Kind::Text { lines: true, .. }));
        assert_eq!(control("html-to-pdf", "marginTop").kind, Kind::Measure);
        let Kind::Variant { words, members } = control("html-to-pdf", "waitFor").kind else { panic!("variants") };
        assert_eq!(words, [json!("load"), json!("networkIdle")]);
        assert_eq!(
            members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["selector", "expression", "delayMs"]
        );
        assert!(control("html-to-pdf", "landscape").is_box());
        assert!(!control("office-to-pdf", "landscape").is_box(), "the document decides unless this is set");
    }

    #[test]
    fn other_schemas_get_a_json_field() {
        for schema in [json!({"type": "array"}), json!({}), json!({"anyOf": [{"type": "boolean"}, {"type": "string"}]})]
        {
            assert_eq!(kind(&schema, false), Kind::Json, "{schema}");
        }
        assert_eq!(kind(&json!({"oneOf": [{"type": "string"}, {"type": "number"}]}), false), Kind::Measure);
    }

    #[test]
    fn members_of_an_object_have_their_own_fields() {
        let control = control("edit-metadata", "facturX");
        let Kind::Group(members) = &control.kind else { panic!("a group") };
        let fields: Vec<_> = members.iter().map(Control::field).collect();
        assert_eq!(fields[..3], ["option.facturX.source", "option.facturX.xml", "option.facturX.level"]);
        assert_eq!((control.label.as_str(), members[1].label.as_str()), ("Factur-X", "XML"));
        assert_eq!(control.read(&FormData::of(&[("tool", "edit-metadata")])), None);
    }

    #[test]
    fn sources_come_from_the_schema_too() {
        let names = |slug| with_tool(slug, |tool| sources(&tool.definition));
        assert!(names("thumbnail").starts_with(&[
            Source::File,
            Source::Url("sourceUrl".into()),
            Source::Url("url".into())
        ]));
        assert_eq!(names("office-to-pdf"), [Source::File, Source::Url("sourceUrl".into())]);
        assert_eq!(names("html-to-pdf"), [Source::File, Source::Url("url".into()), Source::Inline("html".into())]);
    }

    #[test]
    fn unchanged_options_are_not_sent() {
        let bare = FormData::of(&[
            ("tool", "office-to-pdf"),
            ("source", "sourceUrl"),
            ("sourceUrl", "https://a.example/x.docx"),
        ]);
        with_tool("office-to-pdf", |tool| {
            assert_eq!(
                json!(body(&tool.definition, &bare)),
                json!({"input": {"sourceUrl": "https://a.example/x.docx"}})
            );
        });
        // A box that is not ticked means false if the default is true.
        assert_eq!(control("html-to-pdf", "tagged").read(&bare), Some(json!(false)));
        assert_eq!(control("html-to-pdf", "landscape").read(&bare), None);
        assert_eq!(control("html-to-pdf", "tagged").read(&FormData::default()), None, "a form that was not sent yet");
    }

    #[test]
    fn values_are_shown_as_they_were_given() {
        for (slug, name, value) in [
            ("html-to-pdf", "waitFor", json!({"selector": "#ready"})),
            ("html-to-pdf", "waitFor", json!("networkIdle")),
            ("html-to-pdf", "marginTop", json!(12)),
            ("html-to-pdf", "landscape", json!(true)),
            ("office-to-pdf", "landscape", json!(false)),
            ("office-to-pdf", "maxImageDpi", json!(150)),
            ("office-to-pdf", "pageRange", json!("1-3")),
            ("edit-metadata", "facturX", json!({"source": 1, "level": "basic"})),
            ("edit-metadata", "set", json!({"title": "A", "custom": {"b": "c"}})),
            ("organize-pdf", "crop", json!({"top": 12.5})),
            ("protect-pdf", "permissions", json!({"print": false})),
        ] {
            let control = control(slug, name);
            let fields = control.fields(Some(&value));
            let sent = fields.iter().map(|(name, text)| (name.as_str(), text.as_str()));
            let data = FormData::of(&[("tool", slug)].into_iter().chain(sent).collect::<Vec<_>>());
            assert_eq!(control.read(&data), Some(value), "{name}");
        }
    }
}
