//! Plans engine calls for a request and its sources' formats. Pure: no files are opened.

use docmill::domain::catalogue::Catalogue;
use docmill::domain::request::JobRequest;
use docmill::domain::tool::EngineKind;
use serde_json::{Map, Value};

use crate::engine::Failure;

/// The plan for a job's sources.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    /// For each source, the call that converts it to PDF, if the tool does not read it directly.
    pub prepare: Vec<Option<Call>>,
    /// In order. The first call has the sources, and each later one the whole result of the one before.
    pub calls: Vec<Call>,
}

/// A call of an engine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// Slug of the tool.
    pub tool: String,
    pub engine: EngineKind,
    pub options: Value,
}

impl Call {
    fn new(tool: &str, options: Map<String, Value>) -> Self {
        let engine = EngineKind::of(tool, options.get("renderMode").and_then(Value::as_str));
        Self { tool: tool.to_owned(), engine, options: Value::Object(options) }
    }
}

impl Plan {
    /// Plans a request whose sources have these formats, in order. Formats are lower-case extensions.
    pub(crate) fn of(request: &JobRequest, formats: &[&str], catalogue: &Catalogue) -> Result<Self, Failure> {
        let tool = catalogue.find(&request.tool);
        let tool = tool.ok_or_else(|| Failure::internal(format!("no tool {} in this build", request.tool)))?;
        let takes = &tool.definition.sources;
        let prepare = formats.iter().map(|format| (!takes.takes_directly(format)).then(|| to_pdf(format)));
        let first = Call::new(&request.tool, request.options.clone());
        let then = request.then.iter().map(|step| Call::new(&step.tool, step.options.clone()));
        Ok(Self { prepare: prepare.collect(), calls: [first].into_iter().chain(then).collect() })
    }

    /// The engines of all calls.
    pub(crate) fn engines(&self) -> impl Iterator<Item = EngineKind> {
        self.prepare.iter().flatten().chain(&self.calls).map(|call| call.engine)
    }
}

/// The call that converts a source to PDF.
fn to_pdf(format: &str) -> Call {
    let tool = match format {
        "html" | "page" => "html-to-pdf",
        "md" => "markdown-to-pdf",
        "jpg" | "png" | "webp" | "tiff" | "gif" | "bmp" | "svg" => "images-to-pdf",
        _ => "office-to-pdf",
    };
    Call::new(tool, Map::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plan(body: Value, formats: &[&str]) -> Plan {
        let catalogue = Catalogue::load().unwrap();
        let tool = catalogue.find(body["toolSlug"].as_str().unwrap()).unwrap();
        let (request, _) = JobRequest::parse(&catalogue, tool, body.as_object().unwrap()).unwrap();
        Plan::of(&request, formats, &catalogue).unwrap()
    }

    fn engines(calls: &[Call]) -> Vec<(&str, EngineKind)> {
        calls.iter().map(|call| (call.tool.as_str(), call.engine)).collect()
    }

    #[test]
    fn one_document_is_one_call() {
        let office = plan(json!({"toolSlug": "office-to-pdf", "sourceUrl": "https://a.example/x"}), &["docx"]);
        assert_eq!(office.prepare, [None]);
        assert_eq!(engines(&office.calls), [("office-to-pdf", EngineKind::LibreOffice)]);
        let page = json!({"toolSlug": "html-to-pdf", "html": "x", "renderMode": "basic"});
        assert_eq!(engines(&plan(page, &["html"]).calls), [("html-to-pdf", EngineKind::Sghtmltopdf)]);
    }
}
