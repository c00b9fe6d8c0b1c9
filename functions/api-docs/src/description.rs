//! Composes the OpenAPI 3.1 description: texts are written by hand, and everything that the code knows (tools, codes, states)
//! comes from the code, so that they can't differ.
//!
//! `make description` writes the result to `openapi.json`, and `openapi30` makes `openapi-3.0.json` of it. Both are served.

use docmill_domain::breach::Breach;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::event::EventKind;
use docmill_domain::job::{JobErrorCode, JobStatus, Reason};
use docmill_http::envelope::respond;
use docmill_http::error::{ApiError, ErrorCode};
use docmill_http::request::RequestId;
use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};

use crate::{guide, sharing};

const DOCUMENT: &str = include_str!("../description/openapi.json");
const COMPONENTS: &str = include_str!("../description/components.json");
const SCHEMAS: &str = include_str!("../description/schemas.json");
const EXAMPLES: &str = include_str!("../description/examples.json");

#[derive(Debug, thiserror::Error)]
pub enum DescriptionError {
    #[error("a part of the description is not readable: {0}")]
    Part(#[from] serde_json::Error),
    #[error("the description has no {0}")]
    Missing(&'static str),
}

/// The whole OpenAPI document.
pub fn openapi(catalogue: &Catalogue) -> Result<Value, DescriptionError> {
    let mut document: Value = serde_json::from_str(DOCUMENT)?;
    let mut components: Value = serde_json::from_str(COMPONENTS)?;
    put(&mut components, "", "schemas", schemas(catalogue)?)?;
    put(&mut components, "", "examples", examples()?)?;
    put(&mut document, "/info", "description", json!(guide::for_description()))?;
    put(&mut document, "", "components", components)?;
    Ok(document)
}

/// The document as it is served, with little indentation: it is large.
pub fn text(document: &Value) -> Result<String, DescriptionError> {
    let mut written = Vec::new();
    let format = PrettyFormatter::with_indent(b"");
    document.serialize(&mut Serializer::with_formatter(&mut written, format))?;
    let mut text = String::from_utf8_lossy(&written).into_owned();
    text.push('\n');
    Ok(text)
}

fn schemas(catalogue: &Catalogue) -> Result<Value, DescriptionError> {
    let mut schemas: Value = serde_json::from_str(SCHEMAS)?;
    let mut bodies = Vec::new();
    for tool in catalogue.tools() {
        bodies.push(json!({"$ref": format!("#/components/schemas/{}", schema_name(&tool.definition.slug))}));
    }
    let components = schemas.as_object_mut().ok_or(DescriptionError::Missing("schemas"))?;
    sharing::add_tools(components, catalogue, schema_name);
    put(&mut schemas, "/ToolJobRequest", "anyOf", bodies.into())?;
    put(&mut schemas, "/Error/properties/code", "enum", json!(ErrorCode::ALL.map(ErrorCode::as_str).to_vec()))?;
    put(&mut schemas, "/JobError/properties/code", "enum", json!(JobErrorCode::ALL.map(JobErrorCode::as_str)))?;
    put(&mut schemas, "/TemplateMistake/properties/reason", "enum", json!(Reason::ALL))?;
    put(&mut schemas, "/JobStatus", "enum", json!(JobStatus::ALL.map(JobStatus::as_str)))?;
    put(&mut schemas, "/EventType", "enum", json!(EventKind::ALL.map(EventKind::as_str)))?;
    Ok(schemas)
}

/// `office-to-pdf` becomes `OfficeToPdfJob`.
pub fn schema_name(slug: &str) -> String {
    let words = slug.split('-').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.chain(["Job".to_owned()]).collect()
}

/// The hand-written examples, and the actual response for each error code.
fn examples() -> Result<Value, DescriptionError> {
    let mut examples: Value = serde_json::from_str(EXAMPLES)?;
    for code in ErrorCode::ALL {
        let response = respond(&RequestId::from("QZ1sTh2uoAMEPTQ="), Err(example_error(code, &examples)), &[]);
        let body: Value = serde_json::from_slice(response.body())?;
        put(&mut examples, "", code.as_str(), json!({"summary": code.as_str(), "value": body}))?;
    }
    Ok(examples)
}

/// An error with everything that its code requires.
fn example_error(code: ErrorCode, examples: &Value) -> ApiError {
    let job = |name: &str| examples[name]["value"]["job"].clone();
    if code == ErrorCode::ValidationFailed {
        let breach = Breach::new("/options/pageRange", "must be a list of pages such as 1-3,5");
        ApiError::validation(vec![breach])
    } else if code == ErrorCode::InsufficientCredits {
        ApiError::insufficient_credits(1, 0, None)
    } else if code == ErrorCode::RateLimited {
        ApiError::rate_limited(2)
    } else if code == ErrorCode::JobFailed {
        ApiError::from(code).with_job(job("JobFailed"))
    } else if code == ErrorCode::JobCanceled {
        ApiError::from(code).with_job(job("JobCanceled"))
    } else if code == ErrorCode::JobEnded {
        ApiError::from(code).with_job(job("JobCompleted"))
    } else if code == ErrorCode::OutputExpired {
        ApiError::from(code).with_job(job("JobExpired"))
    } else {
        code.into()
    }
}

/// Sets the member `name` of the object at `pointer`.
pub fn put(document: &mut Value, pointer: &'static str, name: &str, value: Value) -> Result<(), DescriptionError> {
    let object: Option<&mut Map<_, _>> = document.pointer_mut(pointer).and_then(Value::as_object_mut);
    object.ok_or(DescriptionError::Missing(pointer))?.insert(name.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi30::openapi30;

    #[test]
    fn the_served_description_matches_the_code() {
        let composed = text(&openapi(&Catalogue::load().unwrap()).unwrap()).unwrap();
        assert!(composed == include_str!("../openapi.json"), "openapi.json is not up to date: run `make description`");
        let in_30 = text(&openapi30(&Catalogue::load().unwrap()).unwrap()).unwrap();
        assert!(
            in_30 == include_str!("../openapi-3.0.json"),
            "openapi-3.0.json is not up to date: run `make description`"
        );
    }
}
