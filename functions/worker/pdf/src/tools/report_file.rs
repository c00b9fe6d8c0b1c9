//! Results of tools that report on their source: data, or a page for people.

use docmill_formats::Format;
use docmill_pdf_request::{Artifact, Failure, Request};
use serde::{Deserialize, Serialize};

/// What is made. A PDF is printed of the page by another engine.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Shape {
    #[default]
    Json,
    Html,
}

/// Writes a result as JSON.
pub(super) fn json(name: &'static str, result: &impl Serialize, request: &Request) -> Result<Artifact, Failure> {
    let text = serde_json::to_vec_pretty(result).map_err(|_| Failure::internal("json"))?;
    saved(name, Format::Json, &text, request)
}

/// Writes a result as a page.
pub(super) fn page(name: &'static str, page: &str, request: &Request) -> Result<Artifact, Failure> {
    saved(name, Format::Html, page.as_bytes(), request)
}

fn saved(name: &'static str, format: Format, content: &[u8], request: &Request) -> Result<Artifact, Failure> {
    super::within_output(content.len() as u64, &request.limits)?;
    std::fs::write(request.directory.join(name), content).map_err(|error| Failure::io(&error))?;
    Ok(Artifact::new(name, format))
}
