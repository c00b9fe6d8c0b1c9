//! The playground's form: source, options, steps, mode and price, with messages next to fields.

use docmill_domain::catalogue::Tool;
use docmill_domain::source::{SOURCES, SourceKind};
use docmill_domain::tool::ToolState;
use docmill_formats::Format;
use docmill_site::assets;
use docmill_site::form::{FormData, radio, token_field};
use docmill_site::layout::{state_badge, tool_groups};
use docmill_site::listing::Listing;
use docmill_site::state::AppState;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::PATH;
use super::body::{Entry, FILE_NAME, FILE_TYPE, access, body, entries};
use super::code::{File, code};
use super::controls::{Place, option_fields};
use super::documents::source_choice;
use super::options::{Source, sources};
use super::shown::Shown;
use super::steps::{price, step_fields};
use crate::pages::upload::progress;
use docmill_look::code::{copyable_code, tabs};
use docmill_look::example::call::UPLOAD;
use docmill_look::example::{clients, environment};
use docmill_look::highlight::Syntax;

pub fn without_tools() -> Markup {
    html! {
        header.page-head { h1 { "Playground" } }
        p.empty { "Your plan includes no tools at the moment. Contact the operator of this service." }
    }
}

pub fn page(shown: &Shown<'_>, result: Option<Markup>) -> Markup {
    let account = shown.viewer.user.as_ref().map(|user| user.account.as_str());
    html! {
        header.page-head {
            h1 { "Playground" }
            p.lead { "Convert a document, then copy the code." }
        }
        div.playground {
            div {
                form.form #playground method="post" action=(shown.state.link(PATH)) novalidate
                    data-account=[account]
                    data-page=(shown.state.link(PATH))
                    data-form=(shown.state.link(&format!("{PATH}/form")))
                    data-uploads=(shown.state.link(&format!("{PATH}/uploads")))
                    data-check=(shown.state.link(&format!("{PATH}/check")))
                    data-fields=(shown.state.link(&format!("{PATH}/data")))
                    data-code=(shown.state.link(&format!("{PATH}/code")))
                    data-viewer=(assets::link(shown.state, "viewer.js"))
                    data-blocks=(assets::link(shown.state, "blocks.js"))
                    data-blocks-style=(assets::link(shown.state, "blocks.css"))
                    data-tree=(assets::link(shown.state, "tree.js"))
                    data-areas=(assets::link(shown.state, "areas.js"))
                    data-pdf=(assets::link(shown.state, assets::PDF))
                    data-pdf-worker=(assets::link(shown.state, assets::PDF_WORKER)) {
                    (fields(shown))
                }
            }
            div.outcome {
                p.note.warn #connection role="status" hidden {}
                div #result aria-live="polite" {
                    @if let Some(result) = result { (result) }
                    @else { p.empty { "The result appears here." } }
                }
            }
        }
        section.code-block aria-labelledby="code-title" {
            h2 #code-title { "Code" }
            p.muted { "This converts the document and saves the result. First set the address of the API and one of your "
                a href=(shown.state.link("/app/keys")) { "API keys" } ":" }
            (copyable_code("environment", Syntax::Shell, &environment(&shown.state.absolute(""))))
            div #code { (code_tabs(shown.state, shown.tool, shown.data)) }
            (clients(|path| shown.state.link(path)))
        }
    }
}

/// The fields. The script replaces them after an error, and some of them after a change.
pub fn fields(shown: &Shown<'_>) -> Markup {
    let Shown { data, messages, tool, .. } = shown;
    let definition = &tool.definition;
    html! {
        (token_field(shown.viewer))
        // Identifies the request, so that repeating it returns the same job.
        input type="hidden" name="attempt" value=(attempt(data));
        @if let Some(message) = messages.of("") { div.note.danger role="alert" { p { (message) } } }
        @if messages.asks() { p.note.again #again {
            "This is an earlier job. To convert again, enter what is marked below: secrets and contents of a job are not stored."
        } }
        (tool_choice(shown))
        (source_choice(shown))
        (option_fields(definition, &Place { scope: "", data, messages }))
        (step_fields(shown))
        (maintenance(shown))
        div.submit-bar {
            (mode_switch(data))
            button.button.primary type="submit" { span { "Convert" (price(shown)) } }
        }
        (progress())
    }
}

fn mode_switch(data: &FormData) -> Markup {
    let is_test = data.get("mode") == "test";
    html! {
        fieldset.segments {
            legend.quiet { "Mode" }
            (radio("mode", "live", &html! { "Live" span.quiet { ": failed jobs are free" } }, !is_test))
            (radio("mode", "test", &html! { "Test" span.quiet { ": free, marks every page with TEST" } }, is_test))
        }
    }
}

fn attempt(data: &FormData) -> String {
    match data.get("attempt") {
        "" => docmill_domain::job::JobId::new().to_string(),
        given => given.to_owned(),
    }
}

fn tool_choice(shown: &Shown<'_>) -> Markup {
    let current = &shown.tool.definition;
    let user = shown.viewer.user.as_ref();
    let tools = user.map(|user| Listing::usable(shown.state, shown.viewer, user)).unwrap_or_default();
    html! {
        input type="hidden" name="tool" value=(current.slug);
        nav.picker aria-label="Tool" {
            details {
                summary { span { "Tool" } " " strong { (current.name) } (state_badge(shown.viewer.settings.tool(shown.tool).state)) }
                (tool_groups(&tools, |listing| html! {
                    a href=(shown.state.link(&format!("{PATH}?tool={}", listing.definition.slug)))
                        aria-current=[(listing.definition.slug == current.slug).then_some("page")] { (listing.name) }
                    (state_badge(listing.settings.state))
                }))
            }
        }
    }
}

fn maintenance(shown: &Shown<'_>) -> Markup {
    let state = shown.viewer.settings.tool(shown.tool).state;
    html! {
        @if state == ToolState::Maintenance {
            p.note.warn { "This tool is in maintenance. New jobs are refused until it is back." }
        }
    }
}

const UPLOAD_ID: &str = SourceKind::UploadId.as_str();

/// The sources for the code if not all are files: those have placeholders for the ids of their uploads.
fn mixed_sources(listed: &[Entry<'_>], data: &FormData) -> Vec<Value> {
    let mut uploads = 0;
    let source = |entry: &Entry<'_>| {
        let mut source = access(data);
        let value = if entry.kind == UPLOAD_ID {
            uploads += 1;
            format!("{UPLOAD}{}", uploads - 1)
        } else {
            entry.value.to_owned()
        };
        source.insert(entry.kind.to_owned(), json!(value));
        Value::Object(source)
    };
    listed.iter().map(source).collect()
}

pub fn code_tabs(state: &AppState, tool: &Tool, data: &FormData) -> Markup {
    let definition = &tool.definition;
    let sources = sources(definition);
    let first = sources.first().map_or("file", Source::as_str);
    let source = if data.has("source") { data.get("source") } else { first };
    let or = |given: &str, otherwise: &str| if given.is_empty() { otherwise.to_owned() } else { given.to_owned() };
    let extension = definition.sources.formats.first().copied().unwrap_or(Format::Html);
    let (names, kinds) = (data.all(FILE_NAME), data.all(FILE_TYPE));
    let fallback = |index: usize| match index {
        0 => format!("document.{extension}"),
        index => format!("document-{}.{extension}", index + 1),
    };
    let count = match source {
        "file" => 1,
        "files" if !names.is_empty() => names.len(),
        "files" if definition.sources.are_several() => 2,
        "files" => 1,
        _ => 0,
    };
    let given =
        |list: &[&str], index: usize, otherwise: &str| or(list.get(index).copied().unwrap_or_default(), otherwise);
    let listed = entries(data);
    let is_upload = |index: &usize| listed.get(*index).is_none_or(|entry| entry.kind == UPLOAD_ID);
    let chosen: Vec<_> = (0..count)
        .filter(is_upload)
        .map(|index| (given(&names, index, &fallback(index)), given(&kinds, index, "application/octet-stream")))
        .collect();
    let files: Vec<_> = chosen.iter().map(|(name, content_type)| File { name, content_type }).collect();
    let mut body = body(&state.context.catalogue, definition, data);
    if let Some(input) = body.get_mut("input").and_then(Value::as_object_mut) {
        // The code's upload has the name.
        input.remove("filename");
        if source == "files" && listed.len() > files.len() {
            input.insert(SOURCES.to_owned(), json!(mixed_sources(&listed, data)));
        }
    }
    if let Some(input) = body.get_mut("input").and_then(Value::as_object_mut).filter(|input| input.is_empty()) {
        // Nothing was entered yet, or the job does not tell: the code shows a placeholder.
        match sources.iter().find(|known| known.as_str() == source) {
            Some(Source::Url(name)) => drop(input.insert(name.clone(), json!("https://…"))),
            Some(Source::Inline(name)) => drop(input.insert(name.clone(), json!("…"))),
            Some(Source::File) => input.extend(access(data)),
            Some(Source::Job) => drop(input.insert("jobId".to_owned(), json!("…"))),
            Some(Source::Stored) => drop(input.insert("template".to_owned(), json!({"name": "…"}))),
            Some(Source::Files) => drop(input.insert(SOURCES.to_owned(), json!([access(data)]))),
            None => {}
        }
    }
    tabs("code-tab", "Language", &code(&state.context.catalogue, tool, &body, &files))
}
