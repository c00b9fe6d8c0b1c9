//! The form of a job that exists: to look at it again, or to repeat it with other options.

use docmill::domain::job::Job;
use docmill::domain::source::{REDACTED, SourceKind};
use docmill::domain::tool::Definition;
use serde_json::{Map, Value, json};

use super::options::{Source, controls, sources};
use crate::form::FormData;

/// What the user entered to create this job, as far as the job tells: it keeps neither secrets nor content.
pub fn form_of(definition: &Definition, job: &Job) -> FormData {
    let mut fields = Fields::default();
    fields.add("tool", &job.tool);
    fields.add("mode", job.mode.as_str());
    for source in sources(definition) {
        fields.add_source(&source, &job.input);
    }
    for control in controls(definition) {
        let value = job.options.get(&control.name).or(control.default.as_ref().filter(|_| control.is_box()));
        let secrets = &definition.secrets;
        let is_kept = !secrets.values.contains(&control.name) && !secrets.content.contains(&control.name);
        if let Some(value) = value.filter(|_| is_kept) {
            let (text, beside) = control.write(Some(value));
            fields.add(&control.field(), &text);
            fields.add(&control.value_field(), &beside);
        }
    }
    for (number, step) in job.then.iter().enumerate() {
        fields.add_step(number, step);
    }
    fields.into_form()
}

/// Names and values, in the order in which a browser would send them.
#[derive(Debug, Default)]
struct Fields(Vec<(String, String)>);

impl Fields {
    fn add(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    fn add_source(&mut self, source: &Source, input: &Value) {
        let property = match source {
            Source::Files => return self.add_files(source, input),
            Source::File => SourceKind::UploadId.as_str(),
            Source::Url(name) | Source::Inline(name) => name.as_str(),
        };
        let Some(value) = input.get(property) else { return };
        self.add("source", source.as_str());
        if let Some(text) = value.as_str().filter(|text| !text.contains(REDACTED)) {
            self.add(property, text);
        }
        if *source == Source::File {
            self.add("fileName", filename(input));
        }
    }

    /// Of several files, those that were uploaded. An upload is kept for 48 hours.
    fn add_files(&mut self, source: &Source, input: &Value) {
        let Some(files) = input.get("sources").and_then(Value::as_array) else { return };
        self.add("source", source.as_str());
        for file in files {
            if let Some(id) = file.get(SourceKind::UploadId.as_str()).and_then(Value::as_str) {
                self.add("uploadId", id);
                self.add("fileName", filename(file));
                self.add("fileType", "");
            }
        }
    }

    fn add_step(&mut self, number: usize, step: &Value) {
        self.add(&format!("step.{number}"), step["toolSlug"].as_str().unwrap_or_default());
        let Some(options) = step["options"].as_object() else { return };
        let kept: Map<_, _> =
            options.iter().filter(|(_, value)| **value != REDACTED).map(|(n, v)| (n.clone(), v.clone())).collect();
        if !kept.is_empty() {
            self.add(&format!("step.{number}.options"), &json!(kept).to_string());
        }
    }

    fn into_form(self) -> FormData {
        FormData::of(&self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>())
    }
}

fn filename(source: &Value) -> &str {
    source.get("filename").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::options::body;
    use super::*;
    use docmill::domain::catalogue::Catalogue;

    /// What the form of a job with this request asks for.
    fn repeated(tool: &str, input: &Value, options: &Value, then: &Value) -> Value {
        let job: Job = serde_json::from_value(json!({
            "id": "01920000-0000-7000-8000-000000000000", "account": "acc", "key_id": "key", "mode": "live", "tool": tool,
            "status": "completed", "created_at": 0, "attempts": 1, "period": "2026-11",
            "charge": {"included": 1, "granted": 0}, "refunded": 0, "ttl": 0,
            "input": input, "options": options, "then": then,
        }))
        .unwrap();
        let catalogue = Catalogue::load().unwrap();
        let definition = &catalogue.find(tool).unwrap().definition;
        Value::Object(body(definition, &form_of(definition, &job)))
    }

    #[test]
    fn a_job_is_asked_for_again_with_its_sources_options_and_steps() {
        let input = json!({"sources": [{"uploadId": "upl_2", "filename": "b.pdf"}, {"uploadId": "upl_1"}]});
        let then = json!([{"toolSlug": "compress-pdf", "options": {"preset": "small"}}, {"toolSlug": "flatten-pdf"}]);
        let asked = repeated("merge-pdf", &input, &json!({"bookmarks": "titles"}), &then);
        assert_eq!(asked["input"], json!({"sources": [{"uploadId": "upl_2"}, {"uploadId": "upl_1"}]}));
        assert_eq!(asked["options"]["bookmarks"], "titles");
        assert_eq!(asked["then"], then);
    }

    #[test]
    fn what_was_redacted_is_not_asked_for() {
        let options = json!({"password": REDACTED, "pageRange": "1-2"});
        let then = json!([{"toolSlug": "protect-pdf", "options": {"userPassword": REDACTED, "permissions": {}}}]);
        let asked = repeated("office-to-pdf", &json!({"sourceUrl": "https://a.example/x?[redacted]"}), &options, &then);
        assert_eq!(asked["input"], json!({}));
        assert_eq!((&asked["options"]["password"], &asked["options"]["pageRange"]), (&Value::Null, &json!("1-2")));
        assert_eq!(asked["then"], json!([{"toolSlug": "protect-pdf", "options": {"permissions": {}}}]));
    }
}
