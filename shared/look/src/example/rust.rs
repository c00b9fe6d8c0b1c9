//! A call with the crate for Rust.

use docmill_domain::source::SourceKind;
use serde_json::{Map, Value};

use super::call::{Call, Place, Source};
use super::literal::{Style, invocation};

const STYLE: Style = Style::Rust;
const TAB: &str = "    ";
/// Longer lines are broken.
const MOST: usize = 100;

/// `None` if the crate can't express the call.
pub(super) fn code(call: &Call<'_>) -> Option<String> {
    let sources = call.sources.iter().map(|each| source(each, call)).collect::<Option<Vec<_>>>()?;
    let slug = STYLE.string(&call.tool.definition.slug);
    let head = match (call.only_source(), sources.as_slice()) {
        (Some(_), [only]) => invocation("Request::tool", &[slug, only.clone()], MOST, TAB, TAB),
        _ => invocation("Request::several", &[slug, STYLE.list(&sources, MOST - 2 * TAB.len(), TAB)], MOST, TAB, TAB),
    };
    let mut links = Vec::new();
    links.extend(options(&call.options));
    links.extend(call.steps.iter().map(|step| {
        let options = options(&step.options).unwrap_or_default();
        format!(".then(Step::new({}){options})", STYLE.string(step.slug()))
    }));
    let line = format!("{TAB}let request = {head}{};", links.concat());
    let is_short = line.len() <= MOST || links.is_empty();
    let request = if is_short {
        line
    } else {
        // The links of a head with several lines begin where it ends.
        let indent = if head.contains('\n') { TAB.to_owned() } else { TAB.repeat(2) };
        let links: String = links.iter().map(|link| format!("\n{indent}{link}")).collect();
        format!("{TAB}let request = {head}{links};")
    };
    let step = if call.steps.is_empty() { "" } else { ", Step" };
    let json = if request.contains("json!(") { "use serde_json::json;\n" } else { "" };
    let (time, save) = match &call.file {
        Some(file) => ("", format!("{TAB}client.convert(request, {}).await?;", STYLE.string(file))),
        None => ("use std::time::Duration;\n\n", BY_LINK.to_owned()),
    };
    Some(format!(
        "{time}use docmill_client::{{Client, Request, Source{step}}};\n{json}\n#[tokio::main]\n\
         async fn main() -> docmill_client::Result<()> {{\n{TAB}let client = Client::from_env()?;\n\
         {request}\n{save}\n{TAB}Ok(())\n}}"
    ))
}

/// Saves the result under its name, which only the result tells if it may be several files.
const BY_LINK: &str = "    let job = client.start(request).await?;
    client.wait(&job.id, Duration::from_secs(180)).await?;
    let result = client.download(&job.id, None).await?;
    client.save(&job.id, result.download.filename).await?;";

fn options(options: &Map<String, Value>) -> Option<String> {
    (!options.is_empty()).then(|| format!(".options(json!({}))", STYLE.object(options, "        ")))
}

fn source(source: &Source, call: &Call<'_>) -> Option<String> {
    let (function, value) = match &source.place {
        Place::File(name) => ("file", name),
        Place::Given(kind, value) => (function_of(*kind, call)?, value),
        Place::Stored { name, version } => {
            return Some(format!("Source::template({}, {version:?})", STYLE.string(name)));
        }
    };
    let properties = source.properties.iter().map(|(name, value)| property(name, value)).collect::<Option<String>>()?;
    Some(format!("Source::{function}({}){properties}", STYLE.string(value)))
}

fn function_of(kind: SourceKind, call: &Call<'_>) -> Option<&'static str> {
    Some(match kind {
        SourceKind::Url | SourceKind::SourceUrl if kind == call.kind_of_address() => "url",
        SourceKind::Url => "page",
        SourceKind::SourceUrl => "source_url",
        SourceKind::UploadId => "upload",
        SourceKind::JobId => "result_of",
        SourceKind::Html => "html",
        SourceKind::Markdown => "markdown",
        SourceKind::Template | SourceKind::Text => return None,
    })
}

fn property(name: &str, value: &Value) -> Option<String> {
    let value_of = |value: &Value| STYLE.line(value);
    Some(match (name, value) {
        ("headers", Value::Object(headers)) => {
            let header =
                |(name, value): (&String, &Value)| format!(".header({}, {})", STYLE.string(name), value_of(value));
            headers.iter().map(header).collect()
        }
        ("output" | "filename" | "password" | "title", value) => format!(".{name}({})", value_of(value)),
        ("pageRange", value) => format!(".page_range({})", value_of(value)),
        _ => return None,
    })
}
