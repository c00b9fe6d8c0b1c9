//! Plans engine calls for a request and its sources' formats. Pure: no files are opened.

use docmill_domain::catalogue::Catalogue;
use docmill_domain::intake::Sources;
use docmill_domain::page_range::PageRange;
use docmill_domain::request::JobRequest;
use docmill_domain::source::Source;
use docmill_domain::tool::EngineKind;
use serde_json::{Map, Value};

use crate::engine::Failure;
use crate::sniff;

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
    /// Whether it runs for each of the files that the call before makes, and not once for all.
    pub for_each: bool,
}

impl Call {
    fn new(tool: &str, options: Map<String, Value>) -> Self {
        let engine = EngineKind::of(tool, options.get("renderMode").and_then(Value::as_str));
        Self { tool: tool.to_owned(), engine, options: Value::Object(options), for_each: false }
    }
}

/// A call that prints all pages, and the one that then selects some.
#[derive(Debug, PartialEq)]
pub(crate) struct Selection {
    pub print: Call,
    pub select: Call,
}

impl Call {
    /// Engines that print know ascending page numbers only. Any other `pageRange` is selected from the whole document.
    pub(crate) fn selection(&self) -> Option<Selection> {
        let written = self.options.get(PAGE_RANGE).filter(|_| self.engine != EngineKind::PdfTools)?;
        let range: PageRange = written.as_str()?.parse().ok()?;
        let mut print = self.clone();
        print.options.as_object_mut().filter(|_| !range.is_plain())?.remove(PAGE_RANGE);
        let pages = Map::from_iter([("pages".to_owned(), written.clone())]);
        Some(Selection { print, select: Self::new("organize-pdf", pages) })
    }
}

const PAGE_RANGE: &str = "pageRange";
const TEMPLATES: &str = "render-template";

impl Plan {
    /// Plans a request whose sources have these formats, in order. Formats are lower-case extensions.
    pub(crate) fn of(request: &JobRequest, formats: &[&str], catalogue: &Catalogue) -> Result<Self, Failure> {
        let tool = catalogue.find(&request.tool);
        let tool = tool.ok_or_else(|| Failure::internal(format!("no tool {} in this build", request.tool)))?;
        let takes = &tool.definition.sources;
        let sources = request.sources();
        let mut calls = vec![Call::new(&request.tool, request.options.clone())];
        calls.extend(request.then.iter().map(|step| Call::new(&step.tool, step.options.clone())));
        if let Some(format) = formats.first() {
            accepted(&calls, format, catalogue)?;
            join_rows(&mut calls, format);
        }
        repeat_for_rows(&mut calls, catalogue);
        let prepare = formats.iter().zip(&sources).map(|(format, source)| {
            let is_direct = takes.takes_directly(format) && !needs_pages(takes, format, source, &request.options);
            (!is_direct).then(|| to_pdf(format, source.password.as_deref()))
        });
        Ok(Self { prepare: prepare.collect(), calls })
    }

    /// The engines of all calls.
    pub(crate) fn engines(&self) -> impl Iterator<Item = EngineKind> {
        self.prepare.iter().flatten().chain(&self.calls).map(|call| call.engine)
    }
}

/// The options that ask for the pages of a document which could be read by its own structure.
const OF_PAGES: [&str; 2] = ["layout", "pages"];

/// Whether a source that the tool could read directly becomes a PDF all the same: for its pages, or because only LibreOffice opens
/// protected documents.
fn needs_pages(takes: &Sources, format: &str, source: &Source, options: &Map<String, Value>) -> bool {
    let has_choice = !takes.direct.is_empty() && format != "pdf";
    let asks = OF_PAGES.iter().any(|option| options.get(*option).is_some_and(|value| *value != false));
    has_choice && (asks || source.password.is_some())
}

/// The option with which a template makes a document of each row of its data.
const MERGE: &str = "merge";
/// The option with which a template is checked instead.
const CHECK: &str = "validateOnly";

/// One file of all rows is made of a PDF of each. A check makes no documents.
fn join_rows(calls: &mut Vec<Call>, template: &str) {
    let joins = calls
        .first()
        .is_some_and(|first| first.tool == TEMPLATES && first.options[MERGE] == "one" && first.options[CHECK] != true);
    if joins {
        let bookmarks = Map::from_iter([("bookmarks".to_owned(), "names".into())]);
        calls.splice(1..1, [to_pdf(template, None), Call::new("merge-pdf", bookmarks)]);
    }
}

/// After a template with rows, tools that take one file run for each, up to one that takes all.
fn repeat_for_rows(calls: &mut [Call], catalogue: &Catalogue) {
    let Some((first, then)) = calls.split_first_mut() else { return };
    if first.tool != TEMPLATES || first.options[MERGE].is_null() {
        return;
    }
    let takes_one =
        |call: &&mut Call| catalogue.find(&call.tool).is_some_and(|tool| !tool.definition.sources.are_alike());
    then.iter_mut().take_while(takes_one).for_each(|call| call.for_each = true);
}

/// Fails if a call makes what the next one does not accept. The API knows this too, unless it depends on the source's format.
fn accepted(calls: &[Call], source: &str, catalogue: &Catalogue) -> Result<(), Failure> {
    let mut format = source;
    for (index, call) in calls.iter().enumerate() {
        let unknown = || Failure::internal(format!("no tool {} in this build", call.tool));
        let tool = &catalogue.find(&call.tool).ok_or_else(unknown)?.definition;
        if index > 0 && !(tool.sources.accepts(format) && tool.sources.takes_directly(format)) {
            return Err(sniff::not_accepted(format, &tool.slug, &tool.sources.formats));
        }
        format = call.options.as_object().map_or("", |options| &tool.output_from(options, format).extension);
    }
    Ok(())
}

/// The call that converts a source to PDF.
fn to_pdf(format: &str, password: Option<&str>) -> Call {
    let tool = match format {
        "html" | "page" => "html-to-pdf",
        "md" => "markdown-to-pdf",
        "eml" | "msg" => "email-to-pdf",
        "jpg" | "png" | "webp" | "tiff" | "gif" | "bmp" | "svg" => "images-to-pdf",
        _ => "office-to-pdf",
    };
    let password = password.filter(|_| tool == "office-to-pdf");
    Call::new(tool, password.map(|password| ("password".to_owned(), password.into())).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::job::JobErrorCode;
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
    fn a_protected_office_document_among_sources_is_opened_with_its_password() {
        let source = |name: &str| json!({"sourceUrl": format!("https://a.example/{name}"), "password": "secret"});
        let body = json!({"toolSlug": "merge-pdf", "sources": [source("a.docx"), source("b.png")]});
        let options: Vec<_> =
            plan(body, &["docx", "png"]).prepare.into_iter().flatten().map(|call| call.options).collect();
        assert_eq!(options, [json!({"password": "secret"}), json!({})]);
    }

    #[test]
    fn sources_of_any_kind_become_pdfs_for_their_layout() {
        let source = |name: &str| json!({"sourceUrl": format!("https://a.example/{name}")});
        let names = ["a.pdf", "b.docx", "c.html", "d.md", "e.png", "f.eml", "g.msg"];
        let body = json!({"toolSlug": "extract-document", "options": {"layout": true}, "sources": names.map(source)});
        let plan = plan(body, &["pdf", "docx", "html", "md", "png", "eml", "msg"]);
        let tools: Vec<_> = plan.prepare.iter().map(|call| call.as_ref().map(|call| call.tool.as_str())).collect();
        let expected =
            ["office-to-pdf", "html-to-pdf", "markdown-to-pdf", "images-to-pdf", "email-to-pdf", "email-to-pdf"];
        assert_eq!(tools, [None].into_iter().chain(expected.map(Some)).collect::<Vec<_>>());
        assert_eq!(engines(&plan.calls), [("extract-document", EngineKind::PdfTools)]);
    }

    #[test]
    fn engines_that_print_get_ascending_page_numbers_only() {
        let call = |range: &str| {
            let body = json!({"toolSlug": "office-to-pdf", "sourceUrl": "https://a.example/x", "options": {"pageRange": range}});
            plan(body, &["docx"]).calls.remove(0)
        };
        assert_eq!(call("1-3,5").selection(), None);
        let Selection { print, select } = call("z,1").selection().unwrap();
        assert_eq!((print.tool.as_str(), &print.options), ("office-to-pdf", &json!({})));
        assert_eq!((select.engine, &select.options), (EngineKind::PdfTools, &json!({"pages": "z,1"})));
    }

    #[test]
    fn a_step_must_accept_the_format_of_a_template() {
        let catalogue = Catalogue::load().unwrap();
        let plan = |format: &str, next: &str| {
            let body =
                json!({"sourceUrl": "https://a.example/x", "options": {"data": {}}, "then": [{"toolSlug": next}]});
            let tool = catalogue.find("render-template").unwrap();
            let (request, _) = JobRequest::parse(&catalogue, tool, body.as_object().unwrap()).unwrap();
            Plan::of(&request, &[format], &catalogue).map(|plan| plan.calls.len())
        };
        assert_eq!(plan("docx", "office-to-pdf").unwrap(), 2);
        assert_eq!(plan("html", "html-to-pdf").unwrap(), 2);
        assert_eq!(plan("md", "markdown-to-pdf").unwrap(), 2);
        let refused = plan("html", "office-to-pdf").unwrap_err();
        assert_eq!(refused.code, JobErrorCode::UnsupportedFormat);
        assert!(refused.message.starts_with("office-to-pdf does not accept html files."), "{}", refused.message);
    }

    #[test]
    fn steps_run_for_each_row_up_to_one_that_takes_all() {
        let calls = |options: Value, then: &[&str]| {
            let then: Vec<_> = then.iter().map(|slug| json!({"toolSlug": slug})).collect();
            let body = json!({"toolSlug": "render-template", "sourceUrl": "https://a.example/x", "options": options, "then": then});
            let calls = plan(body, &["docx"]).calls.into_iter();
            calls.map(|call| (call.tool, call.for_each)).collect::<Vec<_>>()
        };
        let as_planned =
            |calls: &[(&str, bool)]| calls.iter().map(|(tool, each)| ((*tool).to_owned(), *each)).collect::<Vec<_>>();
        let data = json!([{"a": 1}, {"a": 2}]);
        assert_eq!(
            calls(json!({"data": data, "merge": "one"}), &["compress-pdf"]),
            as_planned(&[
                ("render-template", false),
                ("office-to-pdf", true),
                ("merge-pdf", false),
                ("compress-pdf", false)
            ])
        );
        assert_eq!(
            calls(json!({"data": data, "merge": "files"}), &["office-to-pdf", "compress-pdf"]),
            as_planned(&[("render-template", false), ("office-to-pdf", true), ("compress-pdf", true)])
        );
        assert_eq!(
            calls(json!({"data": data, "merge": "files"}), &["office-to-pdf", "merge-pdf", "compress-pdf"]),
            as_planned(&[
                ("render-template", false),
                ("office-to-pdf", true),
                ("merge-pdf", false),
                ("compress-pdf", false)
            ])
        );
        assert_eq!(
            calls(json!({"data": data, "merge": "one", "validateOnly": true}), &[]),
            as_planned(&[("render-template", false)])
        );
        assert_eq!(
            calls(json!({"data": {"a": 1}}), &["office-to-pdf"]),
            as_planned(&[("render-template", false), ("office-to-pdf", false)])
        );
    }

    #[test]
    fn documents_are_read_by_their_own_structure_unless_pages_are_asked_for() {
        let prepared = |options: Value, password: Option<&str>, format: &str| {
            let source = json!({"sourceUrl": "https://a.example/x", "password": password});
            let source = source.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
            let source: Map<_, _> = source.map(|(name, value)| (name.clone(), value.clone())).collect();
            let body = json!({"toolSlug": "extract-document", "input": {"sources": [source]}, "options": options});
            let prepare = plan(body, &[format]).prepare.remove(0);
            prepare.map(|call| call.tool)
        };
        for format in ["docx", "html", "md", "eml", "pdf"] {
            assert_eq!(prepared(json!({}), None, format), None, "{format}");
        }
        for options in [json!({"layout": true}), json!({"pages": "1"})] {
            assert_eq!(prepared(options.clone(), None, "docx").as_deref(), Some("office-to-pdf"));
            assert_eq!(prepared(options.clone(), None, "html").as_deref(), Some("html-to-pdf"));
            assert_eq!(prepared(options, None, "pdf"), None);
        }
        assert_eq!(prepared(json!({"layout": false}), None, "docx"), None);
        assert_eq!(prepared(json!({}), Some("secret"), "docx").as_deref(), Some("office-to-pdf"));
        assert_eq!(prepared(json!({}), Some("secret"), "pdf"), None);
        assert_eq!(prepared(json!({}), None, "doc").as_deref(), Some("office-to-pdf"));
        assert_eq!(prepared(json!({}), None, "page").as_deref(), Some("html-to-pdf"));
        assert_eq!(prepared(json!({}), None, "png").as_deref(), Some("images-to-pdf"));
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
