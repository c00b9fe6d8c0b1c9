//! Details of a job that can safely be sent to support.

use docmill_domain::job::Job;
use docmill_domain::source::SOURCES;
use docmill_domain::time::Timestamp;
use serde_json::{Map, Value, json};
use url::Url;

/// Details of the request and its job. The API already returns them without secrets. Here, URLs are also cut to their host, since
/// paths can be secret, and names, texts and metadata are left out.
pub fn facts(job: &Job, now: Timestamp) -> Value {
    let mut facts = json!({
        "jobId": job.id,
        "requestId": job.request.request_id,
        "status": job.status_at(now),
        "tool": job.tool,
        "mode": job.mode,
        "createdAt": job.times.created_at.to_string(),
        "startedAt": job.times.started_at.map(|at| at.to_string()),
        "finishedAt": job.times.finished_at.map(|at| at.to_string()),
        "attempts": job.attempts,
        "input": trimmed(&job.request.input),
        "options": trimmed(&job.request.options),
        "then": steps(job),
        "steps": job.result.steps.iter().map(|step| json!({
            "tool": step.tool_slug, "engine": step.engine, "durationMs": step.duration_ms,
            "warnings": step.warnings.iter().map(|warning| &warning.code).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "engine": job.result.engine,
        "timings": job.result.timings,
        "error": job.result.error.as_ref().map(|error| json!({"code": error.code, "retryable": error.retryable})),
        "warnings": job.result.warnings.iter().map(|warning| &warning.code).collect::<Vec<_>>(),
        "output": job.result.output.as_ref().map(|output| {
            json!({"contentType": output.content_type, "bytes": output.bytes, "pages": output.pages})
        }),
        "files": job.result.results.as_ref().map(|results| results.files()),
    });
    if let Some(facts) = facts.as_object_mut() {
        facts.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()));
    }
    facts
}

fn steps(job: &Job) -> Vec<Value> {
    job.request
        .then
        .iter()
        .map(|step| json!({"tool": step["toolSlug"], "options": trimmed(&step["options"])}))
        .collect()
}

/// Keeps settings and removes texts that people wrote.
fn trimmed(values: &Value) -> Value {
    let Some(values) = values.as_object() else { return json!({}) };
    Value::Object(values.iter().map(|(name, value)| (name.clone(), trimmed_value(name, value))).collect::<Map<_, _>>())
}

fn trimmed_value(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if name == "filename" => json!(extension(text)),
        Value::String(text) => match Url::parse(text) {
            Ok(url) if url.has_host() => json!(format!("{}/…", url.origin().ascii_serialization())),
            Ok(_) | Err(_) if text.chars().count() > 40 => json!("…"),
            Ok(_) | Err(_) => value.clone(),
        },
        Value::Object(_) if name == "waitFor" => json!("…"),
        Value::Array(sources) if name == SOURCES => sources.iter().map(trimmed).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), without_words(name, value))).collect()
        }
        // People's own words, such as what is to be redacted, can stand in any list.
        Value::Array(values) => json!({"items": values.len()}),
        Value::Number(_) | Value::Bool(_) | Value::Null => value.clone(),
    }
}

fn without_words(name: &str, value: &Value) -> Value {
    if name == "sha256" || value.is_boolean() || value.is_number() { value.clone() } else { json!("…") }
}

fn extension(filename: &str) -> String {
    match filename.rsplit_once('.') {
        Some((_, extension)) if extension.len() <= 8 && extension.chars().all(char::is_alphanumeric) => {
            format!("….{extension}")
        }
        Some(_) | None => "…".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_in_a_list_and_words_in_options_are_trimmed_too() {
        let input = json!({"sources": [{"filename": "canary.pdf", "sourceUrl": "https://a.example/canary"}]});
        assert_eq!(trimmed(&input), json!({"sources": [{"filename": "….pdf", "sourceUrl": "https://a.example/…"}]}));
        let options = json!({"set": {"title": "canary"}, "permissions": {"copy": false}, "ranges": ["1-2", "3"]});
        assert_eq!(
            trimmed(&options),
            json!({"set": {"title": "…"}, "permissions": {"copy": false}, "ranges": {"items": 2}})
        );
    }

    #[test]
    fn addresses_are_cut_to_their_host_and_texts_are_left_out() {
        let input = json!({
            "sourceUrl": "https://files.example/s/canary-token/x.docx?[redacted]",
            "filename": "canary name.docx",
            "html": {"bytes": 6, "sha256": "abc"},
        });
        let options = json!({
            "password": "[redacted]",
            "pageRange": "1-3",
            "landscape": true,
            "waitFor": {"expression": "canary"},
            "userAgent": "canary ".repeat(10),
            "text": [{"literal": "canary"}],
        });
        assert_eq!(
            trimmed(&input),
            json!({"sourceUrl": "https://files.example/…", "filename": "….docx", "html": {"bytes": 6, "sha256": "abc"}})
        );
        let options = trimmed(&options);
        assert_eq!((&options["pageRange"], &options["landscape"]), (&json!("1-3"), &json!(true)));
        assert!(!options.to_string().contains("canary"), "{options}");
    }
}
