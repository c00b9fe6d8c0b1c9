//! The JSON Schema of a tool's requests: shared properties and the tool's own options.
//!
//! It is composed when first needed. The same schema is published and compiled into the validator.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};

use crate::job::source::{SOURCES, SourceKind, SourceProperty};
use crate::template::NAME_PATTERN;
use crate::tool::intake::{JOB_OUTPUT, Section, Sources};

/// A JSON Schema that is composed when first needed: most functions start without it.
#[derive(Clone)]
pub struct Schema(Arc<LazyLock<Value, Compose>>);

type Compose = Box<dyn FnOnce() -> Value + Send>;

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Schema(..)")
    }
}

impl Default for Schema {
    fn default() -> Self {
        Self::lazily(|| json!({}))
    }
}

impl Deref for Schema {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl Schema {
    fn lazily(compose: impl FnOnce() -> Value + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(compose))))
    }

    /// The schema of a whole request.
    pub(super) fn of_body(slug: &str, sources: &Sources, flat_options: &[String], options: OptionsSchema) -> Self {
        let (slug, sources, flat_options) = (slug.to_owned(), sources.clone(), flat_options.to_vec());
        Self::lazily(move || body(&slug, &sources, &flat_options, options))
    }

    /// The schema of a whole request, with a caller's limit on sources.
    pub fn for_sources(&self, most: u64) -> Value {
        let mut schema = (**self).clone();
        for place in ["/properties/input/properties/sources/maxItems", "/properties/sources/maxItems"] {
            if let Some(max_items) = schema.pointer_mut(place) {
                *max_items = json!(most);
            }
        }
        schema
    }

    /// The schema of the options.
    pub(super) fn of_options(options: OptionsSchema) -> Self {
        Self::lazily(move || options.read().0)
    }
}

/// A tool's `options.json`: an object schema without its `type`. Its `rules` apply to the whole body.
#[derive(Clone, Copy, Debug)]
pub(super) struct OptionsSchema(&'static str);

impl OptionsSchema {
    pub(super) const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// Reads the schema of `options` and the rules of the body. A test reads every file.
    fn read(self) -> (Value, Vec<Value>) {
        let mut schema = json!({"type": "object"});
        let read: Map<String, Value> = serde_json::from_str(self.0).unwrap_or_default();
        let mut rules = Vec::new();
        for (name, value) in read {
            match (name.as_str(), value) {
                ("rules", Value::Array(listed)) => rules = listed,
                (_, value) => schema[&name] = value,
            }
        }
        (schema, rules)
    }
}

fn body(slug: &str, sources: &Sources, flat_options: &[String], options: OptionsSchema) -> Value {
    let (options, rules) = options.read();
    let input = input_properties(sources);
    let mut properties = Map::new();
    properties.insert("toolSlug".into(), tool_slug());
    properties.insert(
        Section::Input.as_str().into(),
        json!({"type": "object", "description": sources.description, "properties": input}),
    );
    let flat_inputs = sources.names().filter_map(|name| Some((name, input.get(name)?, Section::Input)));
    let flat_options = flat_options.iter().map(|name| (name.as_str(), &options["properties"][name], Section::Options));
    let flat: Vec<_> =
        flat_inputs.chain(flat_options).map(|(name, schema, section)| flat(name, schema, section)).collect();
    let works_without = jsonschema::validator_for(&options).is_ok_and(|options| options.is_valid(&json!({})));
    properties.insert(Section::Options.as_str().into(), options);
    properties.extend(shared_properties());
    properties.extend(flat);
    let mut all_of = vec![needs_source(sources)];
    all_of.extend(rules);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{slug} job"),
        "type": "object",
        "properties": properties,
        "allOf": all_of,
    });
    if !works_without {
        schema["required"] = json!([Section::Options.as_str()]);
    }
    schema
}

/// The same property at the top level.
fn flat(name: &str, schema: &Value, section: Section) -> (String, Value) {
    let mut schema = schema.clone();
    match section {
        // All tools have these, so the description of the API says once what they are.
        Section::Input => {}
        Section::Options => schema["description"] = json!(format!("Or in `{}`.", section.as_str())),
    }
    (name.to_owned(), schema)
}

fn tool_slug() -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "description": "Optional here. If given, it must be this tool's slug.",
    })
}

fn input_properties(sources: &Sources) -> Map<String, Value> {
    let one = source_properties(sources);
    if !sources.may_be_listed() {
        return one;
    }
    let kinds = sources.kinds.iter().map(|kind| json!({"required": [kind.as_str()]})).collect::<Vec<_>>();
    let description = match sources.attachments {
        0 => format!("{}, in the order given.", sources.description.trim_end_matches('.')),
        most if sources.opens_attachments => {
            format!("{} Then at most {most} more, for its tags to name.", sources.description)
        }
        most => format!("{} Then at most {most} files of any kind, for options to name.", sources.description),
    };
    let list = json!({
        "type": "array",
        "minItems": sources.least,
        "maxItems": sources.most_files(),
        "description": description,
        "items": {
            "type": "object",
            "properties": one.clone(),
            "oneOf": kinds,
            "description": format!("give each source exactly one of {}", listed(&sources.kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>())),
        },
    });
    let alone = if sources.may_be_one() { one } else { Map::new() };
    alone.into_iter().chain([(SOURCES.to_owned(), list)]).collect()
}

fn source_properties(sources: &Sources) -> Map<String, Value> {
    let kinds = sources.kinds.iter().map(|kind| (kind.as_str().to_owned(), kind_schema(*kind)));
    let output = sources.kinds.contains(&SourceKind::JobId).then(|| (JOB_OUTPUT.to_owned(), job_output()));
    let properties = sources.properties.iter().map(|name| (name.as_str().to_owned(), property_schema(*name)));
    kinds.chain(output).chain(properties).collect()
}

/// Requires exactly one kind of source, at the top level or in `input`.
fn needs_source(sources: &Sources) -> Value {
    let given = |name: &str| json!({"anyOf": [{"required": [name]}, {"required": ["input"], "properties": {"input": {"required": [name]}}}]});
    if !sources.may_be_one() {
        let mut rule = given(SOURCES);
        rule["description"] = json!("give the documents in `sources`");
        return rule;
    }
    let names: Vec<_> = sources.kinds.iter().map(|kind| kind.as_str()).collect();
    let names: Vec<_> = names.into_iter().chain(sources.may_be_listed().then_some(SOURCES)).collect();
    let given = names.iter().map(|name| given(name)).collect::<Vec<_>>();
    json!({"oneOf": given, "description": format!("give exactly one of {}", listed(&names))})
}

/// "`url`, `html` and `uploadId`".
fn listed(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn kind_schema(kind: SourceKind) -> Value {
    let address = |description| json!({"type": "string", "format": "source-url", "minLength": 1, "maxLength": 8192, "description": description});
    let inline =
        |description| json!({"type": "string", "minLength": 1, "format": "inline", "description": description});
    match kind {
        SourceKind::SourceUrl => address("Full http(s) URL of the file, without a user name or password."),
        SourceKind::Url => address("Full http(s) URL of the page, without a user name or password."),
        SourceKind::UploadId => json!({
            "type": "string",
            "pattern": "^upl_[0-9a-f]{32}$",
            "description": "A file that you uploaded, by the id that `POST /v1/uploads` gave it.",
        }),
        SourceKind::JobId => json!({
            "type": "string",
            "format": "job-id",
            "description": "The result of another job of yours. If that job has not ended, this one waits for it.",
        }),
        SourceKind::Template => json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["name"],
            "description": "One of your stored templates (`POST /v1/templates`).",
            "properties": {
                "name": {"type": "string", "pattern": NAME_PATTERN, "description": "The template's name."},
                "version": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": u32::MAX,
                    "description": "The number of a version. By default, the newest one when the job is created.",
                },
            },
        }),
        SourceKind::Html => inline("The page itself, at most 512 KiB."),
        SourceKind::Markdown => inline("The Markdown itself, at most 512 KiB."),
        SourceKind::Text => inline("The text itself, at most 512 KiB."),
    }
}

fn job_output() -> Value {
    json!({
        "type": "integer",
        "minimum": 0,
        "maximum": 9_999,
        "default": 0,
        "description": "Which result of `jobId` to take, by its `index`.",
    })
}

fn property_schema(property: SourceProperty) -> Value {
    match property {
        SourceProperty::Filename => json!({
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "format": "filename",
            "description": "The file's name. Its extension tells the format if the content does not (txt or csv).",
        }),
        SourceProperty::Password => json!({
            "type": "string",
            "minLength": 1,
            "maxLength": 1024,
            "description": "Password of an encrypted file. It is deleted with the job's request and never shown.",
        }),
        SourceProperty::PageRange => json!({
            "type": "string",
            "format": "page-range",
            "minLength": 1,
            "maxLength": 1024,
            "description": "Pages to take, such as `1-3,8,z`; `z` is the last page, `r2` the one before it.",
        }),
        SourceProperty::Title => json!({
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "description": "What the file is called in the bookmarks of the result.",
        }),
        SourceProperty::Headers => json!({
            "type": "object",
            "maxProperties": 10,
            "propertyNames": {"format": "header-name", "maxLength": 100},
            "additionalProperties": {"type": "string", "maxLength": 4096, "format": "header-value"},
            "description": "Headers to send when `sourceUrl` is fetched, such as `Authorization`. Never logged, never shown, and dropped on a redirect to another host.",
        }),
    }
}

/// Properties of every request.
fn shared_properties() -> Map<String, Value> {
    let Value::Object(properties) = json!({
        "then": {
            "type": "array",
            "maxItems": 5,
            "description": "Further tools to run. Each gets the whole result of the one before. The job costs the sum of all tools.",
            "items": {
                "type": "object",
                "required": ["toolSlug"],
                "properties": {
                    "toolSlug": {"type": "string", "minLength": 1, "description": "The tool of this step."},
                    "options": {"type": "object", "description": "That tool's options, as its own schema describes them."},
                },
            },
        },
        "output": output_property(),
        "webhook": webhook_property(),
        "metadata": {
            "type": "object",
            "description": "Your own labels, echoed back on the job: at most 20 pairs.",
            "maxProperties": 20,
            "propertyNames": {"maxLength": 40},
            "additionalProperties": {"type": "string", "maxLength": 500},
        },
    }) else {
        return Map::new();
    };
    properties
}

fn webhook_property() -> Value {
    json!({
        "type": "object",
        "required": ["url"],
        "description": "Where this job's events are sent, besides your webhook endpoints.",
        "properties": {
            "url": {
                "type": "string",
                "format": "source-url",
                "minLength": 1,
                "maxLength": 2048,
                "description": "Where events are sent: https, without user name and password.",
            },
            "secret": {
                "type": "string",
                "pattern": "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$",
                "description": "Signs the requests (`v1`): `whsec_` and the base64 of 24 to 64 random bytes. Never logged, never shown. Without it, they only have the service's signature (`v1a`).",
            },
        },
    })
}

fn output_property() -> Value {
    json!({
        "type": "object",
        "description": "How the result is named, kept and delivered.",
        "properties": {
            "filename": {
                "type": "string",
                "minLength": 1,
                "maxLength": 255,
                "format": "filename",
                "description": "Name of the resulting file.",
            },
            "retentionSeconds": {
                "type": "integer",
                "minimum": 60,
                "maximum": 604_800,
                "default": 86_400,
                "description": "How long the result is kept after completion, in seconds.",
            },
            "keepSignatures": {
                "type": "boolean",
                "default": false,
                "description": "Fails the job instead of rewriting a signed document.",
            },
            "putUrl": {
                "type": "string",
                "format": "source-url",
                "minLength": 1,
                "maxLength": 8192,
                "description": "URL to which the result is also sent with `PUT`, such as a presigned URL of your own storage. If three tries fail, the job fails.",
            },
            "putHeaders": {
                "type": "object",
                "maxProperties": 10,
                "propertyNames": {"format": "header-name", "maxLength": 100},
                "additionalProperties": {"type": "string", "maxLength": 4096, "format": "header-value"},
                "description": "Headers to send with the `PUT`. Never logged, never shown.",
            },
        },
    })
}
