//! JSON Schemas of the tools' arguments and results.

use serde_json::{Value, json};

use crate::arguments::{LONGEST_WAIT_SECONDS, USUAL_WAIT_SECONDS};
use crate::files::PATH;
use crate::tool_name::ToolName;

pub(crate) fn input(tool: ToolName, has_files: bool) -> Value {
    match tool {
        ToolName::ListTools => object(json!({}), &[]),
        ToolName::DescribeTool => object(json!({"tool": slug()}), &["tool"]),
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

/// Only of tools that answer with links.
pub(crate) fn output(tool: ToolName) -> Option<Value> {
    match tool {
        ToolName::RunTool | ToolName::GetJob => Some(json!({
            "type": "object",
            "properties": {
                "job": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}, "status": {"type": "string"}, "toolSlug": {"type": "string"}},
                    "required": ["id", "status", "toolSlug"],
                },
                "files": {
                    "type": "array",
                    "description": "The files of a completed job. The first is the result; several are in it as a ZIP, too.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "filename": {"type": "string"},
                            "contentType": {"type": "string"},
                            "bytes": {"type": "integer"},
                            "url": {"type": "string", "description": "A signed link. Whoever has it can read the file."},
                            "expiresAt": {"type": "string"},
                            "savedTo": {"type": "string"},
                        },
                        "required": ["filename", "contentType", "bytes", "url", "expiresAt"],
                    },
                },
                "next": {"type": "string", "description": "What to do next, if the job has not ended."},
                "requestId": {"type": "string"},
            },
            "required": ["job", "files", "requestId"],
        })),
        ToolName::ListTools | ToolName::DescribeTool | ToolName::CancelJob | ToolName::CreateUpload => None,
    }
}

fn run_tool(has_files: bool) -> Value {
    let mut properties = json!({
        "tool": slug(),
        "input": source_or_sources(has_files),
        "options": {
            "type": "object",
            "description": "The tool's options, as describe_tool returns them.",
        },
        "then": {
            "type": "array",
            "maxItems": 5,
            "description": "Further tools, each of which takes the result of the one before. One job, without waiting in between.",
            "items": object(json!({"toolSlug": slug(), "options": {"type": "object"}}), &["toolSlug"]),
        },
        "output": object(
            json!({
                "filename": {"type": "string", "description": "The name of the resulting file."},
                "retentionSeconds": {
                    "type": "integer",
                    "minimum": 60,
                    "maximum": 604_800,
                    "description": "How long the result is kept. A day if absent.",
                },
            }),
            &[],
        ),
        "waitSeconds": wait(),
        "idempotencyKey": {
            "type": "string",
            "description": "Repeat a call with the same key and it returns the same job instead of a new one.",
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
    let listed = json!({"type": "object", "properties": members});
    members.insert(
        "sources".into(),
        json!({
            "type": "array",
            "minItems": 1,
            "maxItems": 100,
            "items": listed,
            "description": "Instead of one document: several in order, for tools that take several, such as merge-pdf.",
        }),
    );
    let description = "The document: exactly one of the members that name one. describe_tool tells which a tool takes.";
    json!({"type": "object", "description": description, "properties": members})
}

fn source(has_files: bool) -> Value {
    let mut members = json!({
        "sourceUrl": {"type": "string", "description": "The public address of a file to fetch."},
        "url": {"type": "string", "description": "The public address of a web page."},
        "uploadId": {"type": "string", "description": "A file that was uploaded."},
        "jobId": {"type": "string", "description": "The result of another job, which need not have ended."},
        "html": {"type": "string", "description": "HTML text."},
        "markdown": {"type": "string", "description": "Markdown text."},
        "text": {"type": "string", "description": "Plain text."},
        "filename": {"type": "string", "description": "The document's name, if its address does not end in it."},
        "password": {"type": "string", "description": "Opens an encrypted document."},
        "pageRange": {"type": "string", "description": "Only these pages, e.g. 1-3,7."},
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
    json!({"type": "string", "description": "A tool's slug from list_tools, e.g. office-to-pdf."})
}

fn job_id() -> Value {
    json!({"type": "string", "description": "The job's id."})
}

fn wait() -> Value {
    json!({
        "type": "integer",
        "minimum": 0,
        "maximum": LONGEST_WAIT_SECONDS,
        "default": USUAL_WAIT_SECONDS,
        "description": "How long to wait for the job to end. 0 answers at once.",
    })
}

fn save_to() -> Value {
    json!({
        "type": "string",
        "description": "Where to save the result on this machine: a new file, or a folder that exists.",
    })
}
