//! Composes the OpenAPI 3.1 description: texts are written by hand, and everything that the code knows (tools, codes, states)
//! comes from the code, so that they can't differ.
//!
//! `make description` writes the result to `openapi.json`, and `openapi30` makes `openapi-3.0.json` of it. Both are served.

use docmill_domain::breach::Breach;
use docmill_domain::catalogue::Catalogue;
use docmill_http::envelope::respond;
use docmill_http::error::{ApiError, ErrorCode};
use docmill_http::request::RequestId;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{guide, sharing};

const DOCUMENT: &str = include_str!("../description/document.json");
const COMPONENTS: &str = include_str!("../description/components.json");
/// The operations of each area, and the schemas and examples that they use, in the order of the documentation.
const AREAS: [&str; 10] = [
    include_str!("../description/areas/tools.json"),
    include_str!("../description/areas/jobs.json"),
    include_str!("../description/areas/convert.json"),
    include_str!("../description/areas/uploads.json"),
    include_str!("../description/areas/fonts.json"),
    include_str!("../description/areas/templates.json"),
    include_str!("../description/areas/batches.json"),
    include_str!("../description/areas/account.json"),
    include_str!("../description/areas/events.json"),
    include_str!("../description/areas/webhooks.json"),
];
/// Written by `make description` from the types that are sent.
const SENT: &str = include_str!("../description/sent.json");

#[derive(Debug, thiserror::Error)]
pub enum DescriptionError {
    #[error("a part of the description is not readable: {0}")]
    Part(#[from] serde_json::Error),
    #[error("the description has no {0}")]
    Missing(&'static str),
}

/// The whole OpenAPI document.
///
/// # Errors
/// If a part of it can't be read, or lacks what another one needs.
pub fn openapi(catalogue: &Catalogue) -> Result<Value, DescriptionError> {
    openapi_of(catalogue, &serde_json::from_str(SENT)?)
}

/// The same with these schemas of what is sent, instead of those that were written last.
///
/// # Errors
/// If a part of it can't be read, or lacks what another one needs.
pub fn openapi_of(catalogue: &Catalogue, sent: &Map<String, Value>) -> Result<Value, DescriptionError> {
    let mut document: Value = serde_json::from_str(DOCUMENT)?;
    let mut components: Value = serde_json::from_str(COMPONENTS)?;
    let areas = Area::all()?;
    put(&mut components, "", "schemas", schemas(areas.schemas, sent, catalogue)?)?;
    put(&mut components, "", "examples", examples(areas.examples)?)?;
    put(&mut document, "", "paths", areas.paths.into())?;
    put(&mut document, "/info", "description", json!(guide::for_description()))?;
    name_formats(&mut document, catalogue)?;
    put(&mut document, "", "components", components)?;
    Ok(document)
}

/// What is written by hand of an area.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Area {
    paths: Map<String, Value>,
    schemas: Map<String, Value>,
    examples: Map<String, Value>,
}

impl Area {
    /// All areas as one.
    fn all() -> Result<Self, serde_json::Error> {
        let mut all = Self::default();
        for text in AREAS {
            let area: Self = serde_json::from_str(text)?;
            all.paths.extend(area.paths);
            all.schemas.extend(area.schemas);
            all.examples.extend(area.examples);
        }
        Ok(all)
    }
}

const OFFICE_TO_PDF: &str = "/paths/~1v1~1convert~1office-to-pdf/post";

/// The formats that the endpoint takes, in place of `{formats}`.
fn name_formats(document: &mut Value, catalogue: &Catalogue) -> Result<(), DescriptionError> {
    let tool = catalogue.find("office-to-pdf").ok_or(DescriptionError::Missing("tool office-to-pdf"))?;
    let extensions = tool.definition.sources.extensions();
    let (last, others) = extensions.split_last().ok_or(DescriptionError::Missing("formats of office-to-pdf"))?;
    let text = document.pointer(OFFICE_TO_PDF).and_then(|operation| operation["description"].as_str());
    let text = text.ok_or(DescriptionError::Missing(OFFICE_TO_PDF))?;
    let text = text.replace("{formats}", &format!("{} and {last}", others.join(", ")));
    put(document, OFFICE_TO_PDF, "description", json!(text))
}

/// A longer value, in bytes, has a line for each of its members.
const LINE: usize = 1000;

/// The document as it is served: in lines, so that changes can be read, and without indentation, since it is large.
///
/// # Errors
/// If a value can't be written as JSON.
pub fn text(document: &Value) -> Result<String, DescriptionError> {
    let mut text = String::new();
    write(document, &mut text)?;
    text.push('\n');
    Ok(text)
}

fn write(value: &Value, text: &mut String) -> Result<(), DescriptionError> {
    let line = serde_json::to_string(value)?;
    match value {
        Value::Object(members) if line.len() > LINE => {
            for (index, (name, member)) in members.iter().enumerate() {
                text.push_str(if index == 0 { "{\n" } else { ",\n" });
                text.push_str(&serde_json::to_string(name)?);
                text.push(':');
                write(member, text)?;
            }
            text.push_str("\n}");
        }
        Value::Array(items) if line.len() > LINE => {
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index == 0 { "[\n" } else { ",\n" });
                write(item, text)?;
            }
            text.push_str("\n]");
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            text.push_str(&line);
        }
    }
    Ok(())
}

/// What requests are is written by hand, what is sent comes from its types, and what tools take from the catalogue.
fn schemas(
    mut schemas: Map<String, Value>,
    sent: &Map<String, Value>,
    catalogue: &Catalogue,
) -> Result<Value, DescriptionError> {
    schemas.extend(sent.clone());
    sharing::add_tools(&mut schemas, catalogue, schema_name);
    let tools = catalogue.tools().iter().map(|tool| schema_name(&tool.definition.slug));
    let bodies = tools.map(|name| json!({"$ref": format!("#/components/schemas/{name}")})).collect();
    let mut schemas = Value::Object(schemas);
    put(&mut schemas, "/ToolJobRequest", "anyOf", bodies)?;
    Ok(schemas)
}

/// `office-to-pdf` becomes `OfficeToPdfJob`.
pub fn schema_name(slug: &str) -> String {
    let words = slug.split('-').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.chain(["Job".to_owned()]).collect()
}

/// The hand-written examples, and the actual response for each error code.
fn examples(by_hand: Map<String, Value>) -> Result<Value, DescriptionError> {
    let mut examples = Value::Object(by_hand);
    for code in ErrorCode::ALL {
        let response = respond(&RequestId::from("QZ1sTh2uoAMEPTQ="), Err(example_error(code, &examples)), &[]);
        let body: Value = serde_json::from_slice(response.body())?;
        put(&mut examples, "", code.as_str(), json!({"value": body}))?;
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
    } else if code == ErrorCode::JobCanceled || code == ErrorCode::JobEnded {
        ApiError::from(code).with_job(job("JobCanceled"))
    } else if code == ErrorCode::JobNotEnded {
        ApiError::from(code).with_job(job("JobQueued"))
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
    fn what_is_sent_is_described_by_its_types() {
        let (written, sent): (Value, _) = (serde_json::from_str(SENT).unwrap(), docmill_http::body::schemas());
        assert!(written == json!(sent), "sent.json is not up to date: run `make description`");
    }

    /// A part that two areas have would be taken from the last.
    #[test]
    fn each_part_is_in_one_place() {
        let sent = docmill_http::body::schemas();
        let areas: Vec<Area> = AREAS.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        let all = Area::all().unwrap();
        assert_eq!(areas.iter().map(|area| area.paths.len()).sum::<usize>(), all.paths.len());
        assert_eq!(areas.iter().map(|area| area.schemas.len()).sum::<usize>(), all.schemas.len());
        assert_eq!(areas.iter().map(|area| area.examples.len()).sum::<usize>(), all.examples.len());
        assert!(all.schemas.keys().all(|name| !sent.contains_key(name)));
    }

    #[test]
    fn the_served_description_matches_the_code() {
        let composed = text(&openapi(&Catalogue::load().unwrap()).unwrap()).unwrap();
        assert!(composed == include_str!("../openapi.json"), "openapi.json is not up to date: run `make description`");
        let catalogue = Catalogue::load().unwrap();
        let in_30 = text(&openapi30(openapi(&catalogue).unwrap(), &catalogue).unwrap()).unwrap();
        assert!(
            in_30 == include_str!("../openapi-3.0.json"),
            "openapi-3.0.json is not up to date: run `make description`"
        );
    }
}
