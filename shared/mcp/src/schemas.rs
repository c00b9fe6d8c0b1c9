//! JSON Schemas of the tools' arguments and results.

use serde_json::{Value, json};

use crate::arguments::{LONGEST_WAIT_SECONDS, USUAL_WAIT_SECONDS};
use crate::files::PATH;
use crate::tool_name::ToolName;

pub(crate) fn input(tool: ToolName, has_files: bool) -> Value {
    match tool {
        ToolName::ListTools => object(json!({}), &[]),
        ToolName::DescribeTool => object(
            json!({
                "tool": slug(),
                "option": {"type": "string", "description": "Only this option, with all about it."},
            }),
            &["tool"],
        ),
        ToolName::ReadResult => object(
            json!({
                "jobId": job_id(),
                "file": {"type": "integer", "minimum": 0, "default": 0, "description": "Which of several files."},
                "offset": {"type": "integer", "minimum": 0, "default": 0},
                "search": {"type": "string"},
            }),
            &["jobId"],
        ),
        ToolName::RunTool => run_tool(has_files),
        ToolName::GetJob => {
            let mut properties = json!({"jobId": job_id(), "waitSeconds": wait()});
            if has_files {
                properties["saveTo"] = save_to();
            }
            object(properties, &["jobId"])
        }
        ToolName::CancelJob => object(json!({"jobId": job_id()}), &["jobId"]),
        ToolName::CreateUpload => object(
            json!({
                "bytes": {"type": "integer", "minimum": 1, "description": "The exact size of the file."},
                "contentType": {"type": "string", "description": "The file's media type, e.g. application/pdf."},
                "filename": {"type": "string", "description": "The file's name."},
            }),
            &["bytes", "contentType"],
        ),
    }
}

fn run_tool(has_files: bool) -> Value {
    let mut properties = json!({
        "tool": slug(),
        "input": source_or_sources(has_files),
        "options": {
            "type": "object",
            "description": "See describe_tool.",
        },
        "then": {
            "type": "array",
            "maxItems": 5,
            "description": "Further tools, each for the result of the one before.",
            "items": object(json!({"toolSlug": slug(), "options": {"type": "object"}}), &["toolSlug"]),
        },
        "output": object(
            json!({
                "filename": {"type": "string"},
                "retentionSeconds": {
                    "type": "integer",
                    "minimum": 60,
                    "maximum": 604_800,
                    "description": "A day if absent.",
                },
                "keepSignatures": {"type": "boolean"},
            }),
            &[],
        ),
        "waitSeconds": wait(),
        "idempotencyKey": {
            "type": "string",
            "description": "The same key returns the same job.",
        },
    });
    if has_files {
        properties["saveTo"] = save_to();
    }
    object(properties, &["tool", "input"])
}

fn source_or_sources(has_files: bool) -> Value {
    let mut members = match source(has_files) {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => return json!({}),
    };
    members.insert(
        "sources".into(),
        json!({
            "type": "array",
            "minItems": 1,
            "maxItems": 100,
            "items": {"type": "object"},
            "description": "Several documents in order, each with such members, for tools that take several.",
        }),
    );
    let description = "The document: exactly one of the members that name one, as describe_tool says.";
    json!({"type": "object", "description": description, "properties": members})
}

fn source(has_files: bool) -> Value {
    let mut members = json!({
        "sourceUrl": {"type": "string", "description": "Address of a file."},
        "url": {"type": "string", "description": "Address of a web page."},
        "uploadId": {"type": "string", "description": "An uploaded file."},
        "jobId": {"type": "string", "description": "The result of another job."},
        "html": {"type": "string"},
        "markdown": {"type": "string"},
        "text": {"type": "string"},
        "filename": {"type": "string", "description": "The document's name."},
        "password": {"type": "string", "description": "Of an encrypted document."},
        "pageRange": {"type": "string", "description": "Such as 1-3,7."},
    });
    if has_files {
        members[PATH] =
            json!({"type": "string", "description": "The path of a file on this machine, which is uploaded."});
    }
    members
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn slug() -> Value {
    json!({"type": "string", "description": "Its slug, e.g. office-to-pdf."})
}

fn job_id() -> Value {
    json!({"type": "string"})
}

fn wait() -> Value {
    json!({
        "type": "integer",
        "minimum": 0,
        "maximum": LONGEST_WAIT_SECONDS,
        "default": USUAL_WAIT_SECONDS,
        "description": "0 answers at once.",
    })
}

fn save_to() -> Value {
    json!({
        "type": "string",
        "description": "Where to save the result on this machine: a new file, or a folder that exists.",
    })
}
