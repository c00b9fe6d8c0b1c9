//! Plans engine calls for a request and its sources' formats. Pure: no files are opened.

use docmill_domain::catalogue::{Catalogue, Tool};
use docmill_domain::intake::Sources;
use docmill_domain::request::JobRequest;
use docmill_domain::source::Source;
use docmill_domain::tool::{EngineKind, Slug};
use docmill_engine::Failure;
use docmill_formats::{Family, Format};
use serde_json::{Map, Value};

use crate::recipe::Recipe;

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A page that an engine loads itself.
    Page,
    /// A file of this format.
    File(Format),
}

impl Given {
    /// The format of a file.
    pub const fn format(self) -> Option<Format> {
        match self {
            Self::Page => None,
            Self::File(format) => Some(format),
        }
    }

    /// Whether a tool reads it rather than a PDF of it. Only tools that read everything themselves load pages.
    fn is_taken_by(self, takes: &Sources) -> bool {
        self.format().map_or(takes.direct.is_empty(), |format| takes.takes_directly(format))
    }
}

/// The plan for a job's sources.
#[derive(Debug, PartialEq)]
pub struct Plan {
    /// For each source, the call that converts it to PDF, if the tool does not read it directly.
    pub prepare: Vec<Option<Call>>,
    /// In order. The first call has the sources, and each later one the whole result of the one before.
    pub calls: Vec<Call>,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Which tool.
    pub tool: Slug,
    /// The engine that does its main work.
    pub engine: EngineKind,
    /// The tool's options, an object.
    pub options: Value,
    /// The steps of all engines.
    pub recipe: Recipe,
    /// Whether it runs for each of the files that the call before makes, and not once for all.
    pub for_each: bool,
}

impl Call {
    fn new(tool: Slug, options: Map<String, Value>) -> Result<Self, Failure> {
        let engine = EngineKind::of(tool.as_str(), options.get("renderMode").and_then(Value::as_str));
        let options = Value::Object(options);
        Ok(Self { tool, engine, recipe: Recipe::of(tool, &options)?, options, for_each: false })
    }
}

impl Plan {
    /// Plans a request with these sources, in order.
    ///
    /// # Errors
    /// If the tool, or one of its steps, can't take what it would get.
    pub fn of(request: &JobRequest, given: &[Given], catalogue: &Catalogue) -> Result<Self, Failure> {
        let tool = find(catalogue, &request.tool)?;
        let takes = &tool.definition.sources;
        let sources = request.sources();
        let mut calls = vec![Call::new(tool.slug, request.options.clone())?];
        for step in &request.then {
            calls.push(Call::new(find(catalogue, &step.tool)?.slug, step.options.clone())?);
        }
        if let Some(first) = given.first() {
            accepted(&calls, first.format(), catalogue)?;
            keep_documents(&mut calls, first.format(), catalogue)?;
            join_rows(&mut calls, *first)?;
        }
        repeat_for_rows(&mut calls, catalogue);
        let prepare = given.iter().zip(&sources).map(|(given, source)| {
            let is_direct = given.is_taken_by(takes) && !needs_pages(takes, *given, source, &request.options);
            (!is_direct).then(|| to_pdf(*given, source.password.as_deref())).transpose()
        });
        Ok(Self { prepare: prepare.collect::<Result<_, _>>()?, calls })
    }

    /// The engines of all calls.
    pub fn engines(&self) -> impl Iterator<Item = EngineKind> {
        self.prepare.iter().flatten().chain(&self.calls).map(|call| call.engine)
    }
}

/// The options that ask for the pages of a document which could be read by its own structure.
const OF_PAGES: [&str; 2] = ["layout", "pages"];

/// Whether a source that the tool could read directly becomes a PDF all the same: for its pages, or because only LibreOffice opens
/// protected documents.
fn needs_pages(takes: &Sources, given: Given, source: &Source, options: &Map<String, Value>) -> bool {
    let has_choice = !takes.direct.is_empty() && given != Given::File(Format::Pdf);
    let asks = OF_PAGES.iter().any(|option| options.get(*option).is_some_and(|value| *value != false));
    has_choice && (asks || source.password.is_some())
}

/// A Word document whose fields are brought up to date stays as it is otherwise: LibreOffice only writes those of other formats, and
/// protected ones.
fn keep_documents(calls: &mut [Call], source: Option<Format>, catalogue: &Catalogue) -> Result<(), Failure> {
    let mut format = source;
    for call in calls {
        let is_kept = call.tool == Slug::CONVERT_OFFICE
            && format == Some(Format::Docx)
            && call.options["updateFields"] == true
            && call.options["format"] == Format::Docx.extension()
            && call.options["password"].is_null();
        if is_kept {
            call.recipe = Recipe::of_fields();
        }
        let tool = find(catalogue, call.tool.as_str())?;
        format = call.options.as_object().map(|options| tool.definition.output_from(options, format));
    }
    Ok(())
}

/// The option with which a template makes a document of each row of its data.
const MERGE: &str = "merge";
/// The option with which a template is checked instead.
const CHECK: &str = "validateOnly";

/// One file of all rows is made of a PDF of each. A check makes no documents.
fn join_rows(calls: &mut Vec<Call>, template: Given) -> Result<(), Failure> {
    let joins = calls.first().is_some_and(|first| {
        first.tool == Slug::RENDER_TEMPLATE && first.options[MERGE] == "one" && first.options[CHECK] != true
    });
    if joins {
        let bookmarks = Map::from_iter([("bookmarks".to_owned(), "names".into())]);
        calls.splice(1..1, [to_pdf(template, None)?, Call::new(Slug::MERGE_PDF, bookmarks)?]);
    }
    Ok(())
}

/// After a template with rows, tools that take one file run for each, up to one that takes all.
fn repeat_for_rows(calls: &mut [Call], catalogue: &Catalogue) {
    let Some((first, then)) = calls.split_first_mut() else { return };
    if first.tool != Slug::RENDER_TEMPLATE || first.options[MERGE].is_null() {
        return;
    }
    let takes_one =
        |call: &&mut Call| catalogue.find(call.tool.as_str()).is_some_and(|tool| !tool.definition.sources.are_alike());
    then.iter_mut().take_while(takes_one).for_each(|call| call.for_each = true);
}

/// Fails if a call makes what the next one does not accept. The API knows this too, unless it depends on the source's format.
fn accepted(calls: &[Call], source: Option<Format>, catalogue: &Catalogue) -> Result<(), Failure> {
    let mut format = source;
    for (index, call) in calls.iter().enumerate() {
        let tool = &find(catalogue, call.tool.as_str())?.definition;
        if let (1.., Some(format)) = (index, format)
            && !(tool.sources.accepts(format) && tool.sources.takes_directly(format))
        {
            return Err(docmill_sniff::not_accepted(format, &tool.slug, &tool.sources.formats));
        }
        format = call.options.as_object().map(|options| tool.output_from(options, format));
    }
    Ok(())
}

/// The call that converts a source to PDF.
fn to_pdf(given: Given, password: Option<&str>) -> Result<Call, Failure> {
    let tool = match given {
        Given::Page | Given::File(Format::Html) => Slug::HTML_TO_PDF,
        Given::File(format) => match format.family() {
            Family::Web => Slug::MARKDOWN_TO_PDF,
            Family::Mail => Slug::EMAIL_TO_PDF,
            Family::Picture | Family::Vector => Slug::IMAGES_TO_PDF,
            Family::Word
            | Family::Sheet
            | Family::Slides
            | Family::Drawing
            | Family::Pdf
            | Family::Data
            | Family::Archive
            | Family::Other => Slug::OFFICE_TO_PDF,
        },
    };
    let password = password.filter(|_| tool == Slug::OFFICE_TO_PDF);
    Call::new(tool, password.map(|password| ("password".to_owned(), password.into())).into_iter().collect())
}

fn find<'c>(catalogue: &'c Catalogue, slug: &str) -> Result<&'c Tool, Failure> {
    catalogue.find(slug).ok_or_else(|| Failure::internal(format!("no tool {slug} in this build")))
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
        Plan::of(&request, &files(formats), &catalogue).unwrap()
    }

    fn files(extensions: &[&str]) -> Vec<Given> {
        let given = |extension: &&str| match *extension {
            "page" => Given::Page,
            extension => Given::File(extension.parse().unwrap()),
        };
        extensions.iter().map(given).collect()
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
    fn a_step_must_accept_the_format_of_a_template() {
        let catalogue = Catalogue::load().unwrap();
        let plan = |format: &str, next: &str| {
            let body =
                json!({"sourceUrl": "https://a.example/x", "options": {"data": {}}, "then": [{"toolSlug": next}]});
            let tool = catalogue.find("render-template").unwrap();
            let (request, _) = JobRequest::parse(&catalogue, tool, body.as_object().unwrap()).unwrap();
            Plan::of(&request, &files(&[format]), &catalogue).map(|plan| plan.calls.len())
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
            calls.map(|call| (call.tool.as_str(), call.for_each)).collect::<Vec<_>>()
        };
        let as_planned = |calls: &[(&'static str, bool)]| calls.to_vec();
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
            prepare.map(|call| call.tool.as_str())
        };
        for format in ["docx", "html", "md", "eml", "pdf"] {
            assert_eq!(prepared(json!({}), None, format), None, "{format}");
        }
        for options in [json!({"layout": true}), json!({"pages": "1"})] {
            assert_eq!(prepared(options.clone(), None, "docx"), Some("office-to-pdf"));
            assert_eq!(prepared(options.clone(), None, "html"), Some("html-to-pdf"));
            assert_eq!(prepared(options, None, "pdf"), None);
        }
        assert_eq!(prepared(json!({"layout": false}), None, "docx"), None);
        assert_eq!(prepared(json!({}), Some("secret"), "docx"), Some("office-to-pdf"));
        assert_eq!(prepared(json!({}), Some("secret"), "pdf"), None);
        assert_eq!(prepared(json!({}), None, "doc"), Some("office-to-pdf"));
        assert_eq!(prepared(json!({}), None, "page"), Some("html-to-pdf"));
        assert_eq!(prepared(json!({}), None, "png"), Some("images-to-pdf"));
    }

    #[test]
    fn a_word_document_whose_fields_are_updated_is_not_saved_by_libreoffice() {
        let steps = |format: &str, options: Value| {
            let body = json!({"toolSlug": "convert-office", "sourceUrl": "https://a.example/x", "options": options});
            plan(body, &[format]).calls.remove(0).recipe.engines().collect::<Vec<_>>()
        };
        let update = json!({"format": "docx", "updateFields": true});
        assert_eq!(steps("docx", update.clone()), [EngineKind::PdfTools]);
        assert_eq!(steps("odt", update), [EngineKind::LibreOffice, EngineKind::PdfTools]);
        assert_eq!(steps("docx", json!({"format": "docx"})), [EngineKind::LibreOffice]);
        let protected = json!({"format": "docx", "updateFields": true, "password": "secret"});
        assert_eq!(steps("docx", protected), [EngineKind::LibreOffice, EngineKind::PdfTools]);
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
