//! A page for each tool, made from the schema that validates requests.

use docmill_domain::catalogue::Tool;
use docmill_domain::intake::Sources;
use docmill_domain::limits::Limits;
use docmill_domain::tool::Definition;
use docmill_look::example::{Example, clients};
use docmill_look::{code, schema};
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::article::{Article, Links, Section};
use crate::guide::in_fences;
use crate::result_schema;

pub fn article(tool: &Tool, links: &Links) -> Article {
    let definition = &tool.definition;
    let example = Example::of(tool);
    let properties = &definition.parameters["properties"];
    let has_options = properties["options"]["properties"].as_object().is_some_and(|options| !options.is_empty());
    let body = html! {
        p.lead { (schema::prose(&definition.description)) }
        (facts(definition, links))
        h2 #example { "Example" }
        (code::tabs("example-code", "Language", &example.tabs()))
        (clients(|path| links.to(path)))
        p { "Set " code { "DOCMILL_URL" } " and " code { "DOCMILL_KEY" } " first: see "
            a href=(links.to("/docs/first-conversion")) { "First conversion" } ". Or "
            a href=(links.to(&format!("/app/playground?tool={}", definition.slug))) { "try it in the playground" } "." }
        h2 #input { "Input" }
        @if let Some(text) = properties["input"]["description"].as_str() { p { (schema::prose(text)) } }
        (schema::table("Input", &properties["input"]))
        h2 #options { "Options" }
        @if has_options { (schema::table("Options", &properties["options"])) } @else { p { "This tool has no options." } }
        h2 #further-properties { "Further properties" }
        p { "Every tool accepts these beside " code { "input" } " and " code { "options" } ":" }
        (schema::table("Body", &further(properties)))
        h2 #endpoints { "Endpoints" }
        ul { @for path in definition.endpoints() { li { code { "POST " (path) } } } }
        p { "These names also work at the top level of the body: " (names(definition)) "." }
        h2 #limits { "Limits" }
        ul { @for limit in limits() { li { (schema::prose(&limit)) } } }
    };
    let titles = ["Example", "Input", "Options", "Further properties", "Endpoints", "Limits"];
    let article = Article::new(&definition.name, (body, titles.map(Section::new).into()));
    Article { summary: definition.description.replace('`', ""), ..article }
}

/// What the page says, as Markdown.
pub fn markdown(tool: &Tool) -> String {
    let definition = &tool.definition;
    let properties = &definition.parameters["properties"];
    let endpoints = definition.endpoints().iter().map(|path| format!("- `POST {path}`\n")).collect::<String>();
    let schemas =
        result_schema::of(definition).into_iter().map(|(format, path)| format!(" JSON Schema of `{format}`: {path}."));
    let limits = limits().map(|limit| format!("- {limit}\n")).concat();
    let names = definition.flat_names().keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    format!(
        "# {}\n\n{}\n\n{endpoints}\nSources: {}. Result: {}.{}\n\n{}\n\n## Input\n\n{}\n\n{}\n## Options\n\n{}\n\
         ## Further properties\n\n{}\nThese names also work at the top level of the body: {names}.\n\n## Limits\n\n{limits}",
        definition.name,
        definition.description,
        definition.sources.extensions().join(", "),
        results(definition),
        schemas.collect::<String>(),
        in_fences(&Example::of(tool).tabs()),
        properties["input"]["description"].as_str().unwrap_or_default(),
        schema::markdown(&properties["input"]),
        schema::markdown(&properties["options"]),
        schema::markdown(&further(properties)),
    )
}

/// What every tool accepts beside its input and options.
fn further(properties: &Value) -> Value {
    let further = ["then", "output", "metadata", "webhook"].map(|name| (name.to_owned(), properties[name].clone()));
    json!({"properties": further.into_iter().filter(|(_, schema)| schema.is_object()).collect::<serde_json::Map<_, _>>()})
}

fn facts(definition: &Definition, links: &Links) -> Markup {
    let schemas = result_schema::of(definition);
    html! {
        dl.figures {
            div { dt { "Source formats" } dd { (definition.sources.extensions().join(", ")) } }
            div { dt { "Sources" } dd { (source_count(definition)) } }
            div { dt { "Result" } dd { (results(definition)) } }
            @if !schemas.is_empty() {
                div { dt { "JSON Schemas of results" } dd {
                    @for (index, (format, path)) in schemas.iter().enumerate() {
                        @if index > 0 { ", " } a href=(links.to(path)) { code { (format) } }
                    }
                } }
            }
            div { dt { "Name in the API" } dd { code { (definition.slug) } } }
        }
    }
}

/// `1`, or `1–100`.
fn source_count(definition: &Definition) -> String {
    let Sources { least, most, .. } = definition.sources;
    if least == most { most.to_string() } else { format!("{least}–{most}") }
}

/// All formats that the tool can produce.
fn results(definition: &Definition) -> String {
    let mut formats: Vec<_> = definition.all_outputs().map(|output| output.name().to_uppercase()).collect();
    formats.sort();
    formats.dedup();
    formats.join(", ")
}

fn names(definition: &Definition) -> Markup {
    html! { @for (index, name) in definition.flat_names().keys().enumerate() { @if index > 0 { ", " } code { (name) } } }
}

fn limits() -> [String; 5] {
    let limits = Limits::default();
    [
        format!("Source: at most {} MiB", limits.source_bytes >> 20),
        format!("Unpacked archives (docx, xlsx, …): at most {} GiB", limits.unpacked_bytes >> 30),
        format!("Result: at most {} pages and {} MiB", limits.pages, limits.output_bytes >> 20),
        format!(
            "Time: at most {} seconds, and {} to fetch the source",
            limits.conversion.as_secs(),
            limits.fetch.as_secs()
        ),
        "Your plan or key may have lower limits: see `metadata.limits` of the tool's schema".to_owned(),
    ]
}
