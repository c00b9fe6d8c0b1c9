//! Details of a job that can safely be sent to support.

use docmill::domain::job::Job;
use docmill::domain::time::Timestamp;
use serde_json::{Map, Value, json};
use url::Url;

/// Details of the request and its job. The API already returns them without secrets. Here, URLs are also cut to their host, since
/// paths can be secret, and names, texts and metadata are left out.
pub fn facts(job: &Job, now: Timestamp) -> Value {
    let mut facts = json!({
        "jobId": job.id,
        "requestId": job.request_id,
        "status": job.status_at(now),
        "tool": job.tool,
        "mode": job.mode,
        "createdAt": job.created_at.to_string(),
        "startedAt": job.started_at.map(|at| at.to_string()),
        "finishedAt": job.finished_at.map(|at| at.to_string()),
        "attempts": job.attempts,
        "input": trimmed(&job.input),
        "options": trimmed(&job.options),
        "engine": job.engine,
        "timings": job.timings,
        "error": job.error.as_ref().map(|error| json!({"code": error.code, "retryable": error.retryable})),
        "warnings": job.warnings.iter().map(|warning| &warning.code).collect::<Vec<_>>(),
        "output": job.output.as_ref().map(|output| {
            json!({"contentType": output.content_type, "bytes": output.bytes, "pages": output.pages})
        }),
    });
    if let Some(facts) = facts.as_object_mut() {
        facts.retain(|_, value| !value.is_null());
    }
    facts
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
        Value::Object(_) | Value::Array(_) | Value::Number(_) | Value::Bool(_) | Value::Null => value.clone(),
    }
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
