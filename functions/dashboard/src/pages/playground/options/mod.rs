//! A tool's options as a form: made from its published schema, and read back into the schema's form.
//!
//! Nothing is validated here. Values that don't have their type are passed on as text, and the schema reports the error.

mod schema;

use std::collections::BTreeSet;

use docmill_domain::source::SourceKind;
use docmill_site::form::FormData;
use serde_json::{Map, Number, Value, json};

use self::schema::{as_object, control};
pub use self::schema::{control_of, controls, sources};

/// An option in a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    pub name: String,
    /// Its name in the object that it belongs to.
    pub own_name: String,
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
    /// A number or a text, which may be a length such as `20mm`.
    Measure {
        is_length: bool,
    },
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
    /// A fixed number of values, such as the edges of a box. Their names begin with the list's: `box.0`.
    Tuple(Vec<Control>),
    /// Entries of this schema: see [`Control::row`]. A single entry that is one of these words stands for the whole.
    List {
        entry: Value,
        words: Vec<Value>,
    },
    /// Names with values.
    Map {
        /// Whether values can be other than text.
        is_mixed: bool,
    },
    /// Any other schema, as JSON, such as the data of a template.
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
    /// The result of an earlier job.
    Job,
    /// A template that the account has stored: its name, or `NAME@VERSION`.
    Stored,
}

impl Source {
    /// Its name in the form: the property's, except for files, which a script uploads.
    pub fn as_str(&self) -> &str {
        match self {
            Self::File => "file",
            Self::Files => "files",
            Self::Url(name) | Self::Inline(name) => name,
            Self::Job => SourceKind::JobId.as_str(),
            Self::Stored => SourceKind::Template.as_str(),
        }
    }
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

    /// The control of a list's entry at this place. The list has the hint for all of them.
    pub fn row(&self, entry: &Value, index: impl std::fmt::Display) -> Self {
        control(format!("{}.{index}", self.name), &self.own_name, as_object(entry), false).without_hints()
    }

    fn without_hints(mut self) -> Self {
        self.hint = None;
        if let Kind::Group(members) | Kind::Tuple(members) = &mut self.kind {
            *members = std::mem::take(members).into_iter().map(Self::without_hints).collect();
        }
        self
    }

    /// The places of the list's entries in a form, in order.
    fn places(&self, data: &FormData) -> Vec<usize> {
        let start = format!("{}.", self.field());
        let place = |name: &str| name.strip_prefix(&start)?.split('.').next()?.parse().ok();
        data.pairs().filter_map(|(name, _)| place(name)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The field for an error at this place below the control: of the innermost control that it names.
    pub fn field_at(&self, below: &[&str]) -> String {
        let Some((next, rest)) = below.split_first() else { return self.field() };
        match &self.kind {
            Kind::Group(members) | Kind::Tuple(members) => {
                let member = members.iter().find(|member| member.own_name == *next);
                member.map_or_else(|| self.field(), |member| member.field_at(rest))
            }
            Kind::List { entry, .. } if next.parse::<usize>().is_ok() => self.row(entry, next).field_at(rest),
            Kind::Choice(_)
            | Kind::Switch
            | Kind::Number { .. }
            | Kind::Measure { .. }
            | Kind::Text { .. }
            | Kind::Variant { .. }
            | Kind::List { .. }
            | Kind::Map { .. }
            | Kind::Json => self.field(),
        }
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

    /// The value in the form, also if it is the default. `None` if there is none.
    pub fn given(&self, data: &FormData) -> Option<Value> {
        let field = self.field();
        if self.is_box() {
            // A new form has no boxes at all, which differs from boxes that are not ticked.
            return data.has("tool").then(|| json!(data.is_on(&field)));
        }
        let text = data.get(&field);
        match &self.kind {
            Kind::Group(members) => {
                let given: Map<_, _> = members.iter().filter_map(|member| member.as_member(data)).collect();
                (!given.is_empty()).then(|| Value::Object(given))
            }
            Kind::Tuple(members) => {
                let given: Vec<_> = members.iter().filter_map(|member| member.given(data)).collect();
                (!given.is_empty()).then(|| Value::Array(given))
            }
            Kind::List { entry, words } => self.given_list(data, entry, words),
            Kind::Map { is_mixed } => self.given_map(data, *is_mixed),
            _ if text.is_empty() => None,
            Kind::Text { secret: false, lines: false, .. } => Some(json!(text)),
            Kind::Text { .. } => Some(json!(data.raw(&field))),
            Kind::Choice(values) => Some(chosen(values, text)),
            Kind::Switch => Some(chosen(&[json!(true), json!(false)], text)),
            Kind::Number { .. } | Kind::Measure { .. } => Some(number(text)),
            Kind::Variant { words, members } => Some(match members.iter().find(|(name, _)| name == text) {
                Some((name, kind)) => json!({name: member(kind, data.get(&self.value_field()))}),
                None => chosen(words, text),
            }),
            Kind::Json => Some(serde_json::from_str(text).unwrap_or_else(|_| json!(text))),
        }
    }

    /// What is wrong with text that is meant as JSON, and where. A schema may take other text as it is.
    pub fn json_mistake(&self, data: &FormData) -> Option<String> {
        let text = data.raw(&self.field());
        if self.kind != Kind::Json || !text.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let error = serde_json::from_str::<Value>(text).err()?;
        Some(format!("This is not valid JSON: {error}."))
    }

    /// Empty rows don't count.
    fn given_list(&self, data: &FormData, entry: &Value, words: &[Value]) -> Option<Value> {
        let given: Vec<_> =
            self.places(data).into_iter().filter_map(|place| self.row(entry, place).given(data)).collect();
        match given.as_slice() {
            [] => None,
            [only] if words.contains(only) => Some(only.clone()),
            _ => Some(Value::Array(given)),
        }
    }

    fn given_map(&self, data: &FormData, is_mixed: bool) -> Option<Value> {
        let pair = |place: usize| {
            let [name, value] = self.pair_fields(place);
            let (name, value) = (data.get(&name).to_owned(), data.raw(&value));
            let value = if is_mixed { mixed(value) } else { json!(value) };
            (!name.is_empty()).then_some((name, value))
        };
        let given: Map<_, _> = self.places(data).into_iter().filter_map(pair).collect();
        (!given.is_empty()).then(|| Value::Object(given))
    }

    /// The fields for a name and its value.
    pub fn pair_fields(&self, place: impl std::fmt::Display) -> [String; 2] {
        ["name", "value"].map(|part| format!("{}.{place}.{part}", self.field()))
    }

    /// A member of a group with its own name. It may have its default value, so that the group has a member.
    fn as_member(&self, data: &FormData) -> Option<(String, Value)> {
        let value = if self.is_box() { self.read(data) } else { self.given(data) }?;
        Some((self.own_name.clone(), value))
    }

    /// The fields and their texts for a value. Without one, a box has its default: it would read as not ticked.
    pub fn fields(&self, value: Option<&Value>) -> Vec<(String, String)> {
        let value = value.or(self.default.as_ref().filter(|_| self.is_box()));
        match &self.kind {
            Kind::Group(members) => {
                // A plain text stands for the first member.
                let is_text = value.is_some_and(Value::is_string);
                let of = |(index, member): (usize, &Self)| {
                    let own = value.and_then(|value| value.get(&member.own_name));
                    member.fields(own.or(value.filter(|_| is_text && index == 0)))
                };
                members.iter().enumerate().flat_map(of).collect()
            }
            Kind::Tuple(members) => {
                let of = |(index, member): (usize, &Self)| member.fields(value.and_then(|value| value.get(index)));
                members.iter().enumerate().flat_map(of).collect()
            }
            Kind::List { entry, .. } => {
                let entries = entries(value);
                let of = |(index, each): (usize, &Value)| self.row(entry, index).fields(Some(each));
                entries.iter().enumerate().flat_map(of).collect()
            }
            Kind::Map { .. } => {
                let pairs = value.and_then(Value::as_object).into_iter().flatten().enumerate();
                let of = |(index, (name, value)): (usize, (&String, &Value))| {
                    let [named, valued] = self.pair_fields(index);
                    [(named, name.clone()), (valued, plain(value))]
                };
                pairs.flat_map(of).collect()
            }
            Kind::Choice(_)
            | Kind::Switch
            | Kind::Number { .. }
            | Kind::Measure { .. }
            | Kind::Text { .. }
            | Kind::Variant { .. }
            | Kind::Json => {
                let (text, beside) = self.write(value);
                vec![(self.field(), text), (self.value_field(), beside)]
            }
        }
    }

    /// The form of one row or of one option only, to show it again.
    pub fn form(&self, value: Option<&Value>) -> FormData {
        let fields = self.fields(value);
        let fields = fields.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        FormData::of(&[("tool", "")].into_iter().chain(fields).collect::<Vec<_>>())
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

/// The entries of a list's value. A word stands for the whole.
pub fn entries(value: Option<&Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(entries)) => entries.clone(),
        Some(word @ Value::String(_)) => vec![word.clone()],
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    }
}

/// A value that can be other than text: yes and no, and lists.
fn mixed(text: &str) -> Value {
    match text.trim() {
        "true" => json!(true),
        "false" => json!(false),
        list if list.starts_with('[') => serde_json::from_str(list).unwrap_or_else(|_| json!(text)),
        _ => json!(text),
    }
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
mod tests;
