//! The form of an existing job, to view it or to repeat it with other options. It asks for what the job does not store.

use docmill_domain::catalogue::Catalogue;
use docmill_domain::job::Job;
use docmill_domain::request::echo;
use docmill_domain::source::{REDACTED, SOURCES, SourceKind, SourceProperty};
use docmill_domain::tool::Definition;
use docmill_site::form::FormData;
use serde_json::Value;

use super::body::{ENTRY_KIND, ENTRY_VALUE, FILE_NAME, FILE_TYPE, HEADERS, PASSWORD, step_scope};
use super::messages::Messages;
use super::options::{Source, controls, sources};

const AGAIN: &str = "Not stored with the job. Enter it again.";
const URL_AGAIN: &str = "What follows the ? in this URL is not stored with the job. Enter the URL again.";

/// The values that created this job, as far as it stores them, and messages at fields that are not stored: secrets and content.
pub fn form_of(catalogue: &Catalogue, definition: &Definition, job: &Job) -> (FormData, Messages) {
    let mut fields = Fields::default();
    fields.add("tool", &job.tool);
    fields.add("mode", job.mode.as_str());
    for source in sources(definition) {
        fields.add_source(&source, &job.request.input);
    }
    fields.add_access(&job.request.input);
    fields.add_options(definition, &job.request.options, "");
    for (number, step) in job.request.then.iter().enumerate() {
        let tool = step["toolSlug"].as_str().and_then(|slug| catalogue.find(slug));
        fields.add_step(number, step, tool.map(|tool| &tool.definition));
    }
    fields.into_form()
}

/// Whether words in it are hidden.
fn has_hidden(value: &Value) -> bool {
    match value {
        Value::String(text) => text == REDACTED,
        Value::Array(entries) => entries.iter().any(has_hidden),
        Value::Object(members) => members.values().any(has_hidden),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The value of a source, unless the job keeps only a part of it.
fn kept_text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.contains(REDACTED) && !text.contains(echo::SHORTENED))
}

/// Names and values in a browser's order, and what is missing.
#[derive(Debug, Default)]
struct Fields {
    values: Vec<(String, String)>,
    messages: Messages,
}

impl Fields {
    fn add(&mut self, name: &str, value: &str) {
        self.values.push((name.to_owned(), value.to_owned()));
    }

    fn add_source(&mut self, source: &Source, input: &Value) {
        let property = match source {
            Source::Files => return self.add_files(source, input),
            Source::File => SourceKind::UploadId.as_str(),
            Source::Job => SourceKind::JobId.as_str(),
            Source::Stored => return self.add_stored(source, input),
            Source::Url(name) | Source::Inline(name) => name.as_str(),
        };
        let Some(value) = input.get(property) else { return };
        self.add("source", source.as_str());
        match (kept_text(value), source) {
            (Some(text), _) => self.add(property, text),
            (None, Source::Url(_)) => self.messages.ask(property.to_owned(), URL_AGAIN),
            (None, Source::File | Source::Files | Source::Inline(_) | Source::Job | Source::Stored) => {
                self.messages.ask(property.to_owned(), AGAIN)
            }
        }
        if *source == Source::File {
            self.add(FILE_NAME, filename(input));
        }
    }

    fn add_stored(&mut self, source: &Source, input: &Value) {
        let property = source.as_str();
        let Some(name) = input[property]["name"].as_str() else { return };
        self.add("source", property);
        match input[property]["version"].as_u64() {
            Some(version) => self.add(property, &format!("{name}@{version}")),
            None => self.add(property, name),
        }
    }

    /// The sources of a list that are stored. Uploads are kept for 48 hours.
    fn add_files(&mut self, source: &Source, input: &Value) {
        let Some(files) = input.get(SOURCES).and_then(Value::as_array) else { return };
        self.add("source", source.as_str());
        if echo::length(files) > files.len() {
            self.messages
                .ask("file".to_owned(), "Not all sources are stored with the job. Add the missing ones again.");
        }
        for file in files {
            let given = SourceKind::ALL.into_iter().find_map(|kind| Some((kind, file.get(kind.as_str())?)));
            let Some((kind, value)) = given else { continue };
            let text = kept_text(value);
            if text.is_none() {
                self.messages
                    .ask("file".to_owned(), "Not all sources are stored with the job. Enter the empty ones again.");
            }
            self.add(ENTRY_KIND, kind.as_str());
            self.add(ENTRY_VALUE, text.unwrap_or_default());
            self.add(FILE_NAME, filename(file));
            self.add(FILE_TYPE, "");
        }
    }

    /// Passwords and headers of the sources.
    fn add_access(&mut self, input: &Value) {
        let files = input.get(SOURCES).and_then(Value::as_array);
        let sources = || files.into_iter().flatten().chain([input]);
        if sources().any(|source| source.get(SourceProperty::Password.as_str()).is_some()) {
            self.messages.ask(PASSWORD.to_owned(), AGAIN);
        }
        if let Some(headers) = sources().find_map(|source| source.get(SourceProperty::Headers.as_str())?.as_object()) {
            let lines: Vec<_> = headers.keys().map(|name| format!("{name}: ")).collect();
            self.add(HEADERS, &lines.join("\n"));
            self.messages.ask(HEADERS.to_owned(), "The values are not stored with the job. Enter them again.");
        }
    }

    /// The options of one tool, whose fields begin with this scope.
    fn add_options(&mut self, definition: &Definition, options: &Value, scope: &str) {
        for control in controls(definition) {
            let value = options.get(&control.name);
            let is_whole = value.is_none_or(|value| !echo::is_shortened(value) && !has_hidden(value));
            if value.is_none() || is_whole && !definition.secrets.hides_all_of(&control.name) {
                for (name, text) in control.fields(value).iter().filter(|(_, text)| !text.is_empty()) {
                    self.add(&format!("{scope}{name}"), text);
                }
            } else {
                self.messages.ask(format!("{scope}{}", control.field()), AGAIN);
            }
        }
    }

    fn add_step(&mut self, number: usize, step: &Value, definition: Option<&Definition>) {
        let slug = step["toolSlug"].as_str().unwrap_or_default();
        self.add(&format!("step.{number}"), slug);
        if let Some(definition) = definition {
            let scope = step_scope(number);
            self.add(&format!("{scope}tool"), slug);
            self.add_options(definition, &step["options"], &scope);
        }
    }

    fn into_form(self) -> (FormData, Messages) {
        let values: Vec<_> = self.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        (FormData::of(&values), self.messages)
    }
}

fn filename(source: &Value) -> &str {
    source.get("filename").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::body::body;
    use super::*;
    use serde_json::json;

    /// The form of a job with this request: its body without changes, and its messages.
    fn repeated(tool: &str, input: &Value, options: &Value, then: &Value) -> (Value, Messages) {
        let job: Job = serde_json::from_value(json!({
            "id": "01920000-0000-7000-8000-000000000000", "account": "acc", "key_id": "key", "mode": "live", "tool": tool,
            "status": "completed", "created_at": 0, "attempts": 1, "period": "2026-11",
            "charge": {"included": 1, "granted": 0}, "refunded": 0, "ttl": 0,
            "input": input, "options": options, "then": then,
        }))
        .unwrap();
        let catalogue = Catalogue::load().unwrap();
        let definition = &catalogue.find(tool).unwrap().definition;
        let (data, messages) = form_of(&catalogue, definition, &job);
        (Value::Object(body(&catalogue, definition, &data)), messages)
    }

    #[test]
    fn a_job_is_repeated_with_its_sources_options_and_steps() {
        let input = json!({"sources": [{"uploadId": "upl_2", "filename": "b.pdf"}, {"uploadId": "upl_1"}]});
        let then = json!([{"toolSlug": "compress-pdf", "options": {"preset": "small"}}, {"toolSlug": "flatten-pdf"}]);
        let (asked, messages) = repeated("merge-pdf", &input, &json!({"bookmarks": "titles"}), &then);
        assert_eq!(asked["input"], input);
        assert_eq!(asked["options"]["bookmarks"], "titles");
        assert_eq!((&asked["then"], messages), (&then, Messages::default()));
    }

    #[test]
    fn a_stored_template_keeps_its_version() {
        let input = json!({"template": {"name": "invoice", "version": 2}});
        let (asked, messages) = repeated("render-template", &input, &json!({}), &json!([]));
        assert_eq!((&asked["input"], messages), (&input, Messages::default()));
    }

    #[test]
    fn members_of_objects_keep_their_values_and_defaults() {
        let input = json!({"uploadId": "upl_1"});
        let (asked, _) = repeated("protect-pdf", &input, &json!({"ownerPassword": REDACTED}), &json!([]));
        assert_eq!(asked["options"], Value::Null, "all boxes are ticked");
        let (asked, _) = repeated("protect-pdf", &input, &json!({"permissions": {"copy": false}}), &json!([]));
        assert_eq!(asked["options"], json!({"permissions": {"copy": false}}));
        let (asked, messages) = repeated("edit-metadata", &input, &json!({"facturX": {"level": "basic"}}), &json!([]));
        assert_eq!(asked["options"], Value::Null);
        assert!(messages.note("option.facturX").is_some(), "an invoice is not stored");
    }

    #[test]
    fn the_form_says_what_is_not_stored_and_leaves_it_empty() {
        let options = json!({"password": REDACTED, "pageRange": "1-2"});
        let then = json!([
            {"toolSlug": "protect-pdf", "options": {"userPassword": REDACTED, "permissions": {}}},
            {"toolSlug": "html-to-pdf", "options": {"headerHtml": {"bytes": 3, "sha256": "ab"}}},
        ]);
        let input = json!({"sourceUrl": "https://a.example/x?[redacted]", "headers": {"Authorization": REDACTED}});
        let (asked, messages) = repeated("office-to-pdf", &input, &options, &then);
        assert_eq!(asked["input"], json!({}));
        assert_eq!((&asked["options"]["password"], &asked["options"]["pageRange"]), (&Value::Null, &json!("1-2")));
        assert_eq!(asked["then"][0], json!({"toolSlug": "protect-pdf"}));
        assert_eq!(asked["then"][1], json!({"toolSlug": "html-to-pdf"}));
        assert!(messages.asks());
        for (field, part) in [
            ("sourceUrl", "URL again"),
            (HEADERS, "not stored"),
            ("option.password", "again"),
            ("step.0.option.userPassword", "again"),
            ("step.1.option.headerHtml", "again"),
        ] {
            assert!(messages.note(field).is_some_and(|said| said.contains(part)), "{field}: {messages:?}");
        }
    }

    #[test]
    fn what_a_job_keeps_only_in_part_is_asked_for() {
        let input = json!({"sources": [{"sourceUrl": "https://a.example/x… [shortened]"}, "[shortened] 98 more"]});
        let (asked, messages) = repeated("merge-pdf", &input, &json!({}), &json!([]));
        assert_eq!(asked["input"]["sources"].as_array().map_or(0, Vec::len), 0, "{asked}");
        assert!(messages.asks() && messages.note("file").is_some());
        let options = json!({"text": ["Smith", "[shortened] 400 more"]});
        let (asked, messages) = repeated("redact-pdf", &json!({"uploadId": "upl_1"}), &options, &json!([]));
        assert_eq!(asked["options"], Value::Null);
        assert_eq!(messages.note("option.text"), Some(AGAIN));
    }

    #[test]
    fn hidden_words_are_asked_for_and_what_is_beside_them_is_kept() {
        let input = json!({"uploadId": "upl_1"});
        let options = json!({"text": [REDACTED, REDACTED], "label": REDACTED, "color": "#ff0000"});
        let (asked, messages) = repeated("redact-pdf", &input, &options, &json!([]));
        assert_eq!(asked["options"], json!({"color": "#ff0000"}));
        assert_eq!((messages.note("option.text"), messages.note("option.label")), (Some(AGAIN), Some(AGAIN)));
        let waiting = json!({"waitFor": {"delayMs": 100}});
        let (asked, messages) = repeated("html-to-pdf", &json!({"url": "https://a.example/"}), &waiting, &json!([]));
        assert_eq!((&asked["options"], messages.note("option.waitFor")), (&waiting, None), "it has no words");
        let selector = json!({"waitFor": {"selector": REDACTED}});
        let (_, messages) = repeated("html-to-pdf", &json!({"url": "https://a.example/"}), &selector, &json!([]));
        assert_eq!(messages.note("option.waitFor"), Some(AGAIN));
    }

    #[test]
    fn passwords_of_sources_are_asked_for() {
        let upload = "upl_0197e1a2b3c47d5e8f90a1b2c3d4e5f6";
        let one = json!({"uploadId": upload, "password": REDACTED});
        let (asked, messages) = repeated("compress-pdf", &one, &json!({}), &json!([]));
        assert_eq!((&asked["input"], messages.note(PASSWORD)), (&json!({"uploadId": upload}), Some(AGAIN)));
        let several = json!({"sources": [{"uploadId": upload}, one]});
        let (_, messages) = repeated("merge-pdf", &several, &json!({}), &json!([]));
        assert_eq!(messages.note(PASSWORD), Some(AGAIN));
    }
}
