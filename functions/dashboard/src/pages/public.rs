//! Public pages: the homepage, tools and their pages, according to each tool's settings.

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use docmill::domain::tool::{Definition, OutputFormat, ToolState};
use docmill_look::schema;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::error::PageError;
use crate::layout::{Page, state_badge};
use crate::listing::{Listing, by_category, category_slug, category_title, tier_name};
use crate::state::AppState;
use crate::viewer::Viewer;
use docmill_look::code::copyable;
use docmill_look::icons;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/", get(homepage))
        .route("/tools", get(all_tools))
        .route("/tools/category/{category}", get(category))
        .route("/tools/{slug}", get(tool))
}

async fn homepage(State(state): State<AppState>, viewer: Viewer) -> Response {
    let tools = Listing::shown(&state, &viewer, |visibility| visibility.homepage);
    let by_api: Vec<_> = Listing::all(&state, &viewer).filter(|listing| listing.settings.page_visibility.api).collect();
    // An example that can be run as it is, with inline content.
    let example = by_api.iter().find(|listing| takes(listing.definition, "html")).or(by_api.first());
    let content = html! {
        section.hero {
            h1 { "Documents in," br; " PDF out." }
            p.lead {
                "An HTTP API that converts documents. Every job tells you what it cost, how long each step took, and how the result \
                 differs from the source. A failed job costs nothing."
            }
            p.actions {
                a.button.primary href=(state.link("/app")) { "Get an API key" }
                a.button href=(state.link("/docs")) { "Read the docs" }
            }
        }
        @if let Some(listing) = example {
            section.example aria-labelledby="one-request" {
                h2 #one-request { "One request" }
                (copyable("example", &curl(&state, listing.definition)))
                p.muted { "Set " code { "DOCMILL_KEY" } " to one of your API keys. The request waits for the result and saves it." }
            }
        }
        @if !tools.is_empty() {
            section aria-labelledby="tools" {
                h2 #tools { "Tools" }
                @for (category, members) in by_category(&tools) {
                    h3.group { (category_title(category)) }
                    (cards(&state, &members))
                }
            }
        }
        section.facts aria-label="What to expect" {
            div { h3 { "Honest results" } p {
                "Missing fonts, dropped pictures, blocked requests: the job's warnings list every difference from the source." } }
            div { h3 { "Isolated by design" } p {
                "Every conversion runs in its own process, without network or credentials, and with a deadline." } }
            div { h3 { "Safe to repeat" } p {
                "Repeat a request with the same " code { "Idempotency-Key" } ": you get one job and pay once." } }
        }
    };
    Page::new("Convert documents by API", content)
        .summary("An HTTP API that converts office documents, web pages and PDF files, and tells you how each result differs from its source.")
        .respond(&state, &viewer)
}

fn cards(state: &AppState, tools: &[Listing<'_>]) -> Markup {
    html! {
        ul.cards {
            @for listing in tools {
                li.card {
                    h3 { a href=(state.link(&listing.path())) { (listing.name) } (state_badge(listing.settings.state)) }
                    p { (listing.description()) }
                    p.muted { (listing.price()) }
                }
            }
        }
    }
}

async fn all_tools(State(state): State<AppState>, viewer: Viewer) -> Response {
    let tools = Listing::shown(&state, &viewer, |visibility| visibility.category);
    let content = html! {
        h1 { "Tools" }
        @if tools.is_empty() { p.empty { "No tools are listed at the moment." } }
        @for (category, members) in by_category(&tools) {
            section {
                h2 {
                    a href=(state.link(&format!("/tools/category/{}", category_slug(category)))) { (category_title(category)) }
                }
                (cards(&state, &members))
            }
        }
    };
    Page::new("Tools", content)
        .summary("All document tools of Docmill, with their options and prices.")
        .respond(&state, &viewer)
}

async fn category(
    State(state): State<AppState>,
    viewer: Viewer,
    Path(wanted): Path<String>,
) -> Result<Response, PageError> {
    let mut tools = Listing::shown(&state, &viewer, |visibility| visibility.category);
    tools.retain(|listing| category_slug(listing.category()) == wanted);
    let Some(first) = tools.first() else { return Err(PageError::NotFound) };
    let title = format!("{} tools", category_title(first.category()));
    let content = html! {
        (crumbs(&state, &[("/tools", "Tools")]))
        h1 { (title) }
        h2.quiet { "List of tools" }
        (cards(&state, &tools))
    };
    Ok(Page::new(&title, content).summary(&format!("{title} of the Docmill API.")).respond(&state, &viewer))
}

async fn tool(State(state): State<AppState>, viewer: Viewer, Path(slug): Path<String>) -> Result<Response, PageError> {
    let listing = Listing::all(&state, &viewer).find(|listing| listing.definition.slug == slug);
    let Some(listing) = listing.filter(|listing| listing.settings.page_visibility.public) else {
        return Err(PageError::NotFound);
    };
    let by_category = listing.settings.page_visibility.category;
    let category_path = format!("/tools/category/{}", category_slug(listing.category()));
    let category_name = category_title(listing.category());
    let mut way = vec![("/tools", "Tools")];
    if by_category {
        way.push((&category_path, &category_name));
    }
    let content = html! {
        (crumbs(&state, &way))
        header.page-head {
            h1 { (listing.name) (state_badge(listing.settings.state)) }
            p.lead { (listing.description()) }
        }
        @if listing.settings.state == ToolState::Maintenance {
            p.flash role="status" { "This tool is in maintenance. New jobs are refused until it is back." }
        }
        (facts(&listing))
        @if listing.settings.page_visibility.api { (usage(&state, listing.definition)) }
        @else { section { h2 { "By API" } p { "This tool is not available in the API at the moment." } } }
        section aria-labelledby="options" {
            h2 #options { "Options" }
            p.muted {
                "The docs have " a href=(state.link(&format!("/docs/tools/{}", listing.definition.slug))) { "examples in four languages" } "."
            }
            (schema::table("Options", &listing.definition.parameters["properties"]["options"]))
        }
    };
    Ok(Page::new(listing.name, content).summary(listing.description()).respond(&state, &viewer))
}

fn crumbs(state: &AppState, way: &[(&str, &str)]) -> Markup {
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol {
            @for (path, label) in way { li { a href=(state.link(path)) { (label) } } }
        } }
    }
}

fn facts(listing: &Listing<'_>) -> Markup {
    let definition = listing.definition;
    html! {
        dl.figures {
            div { dt { "Takes" } dd { (definition.sources.formats.join(", ")) } }
            div { dt { "Makes" } dd { (makes(definition)) } }
            div { dt { "Price" } dd { (listing.price()) } }
            @if definition.supported_modes.len() > 1 {
                div { dt { "Modes" } dd { @for (index, mode) in definition.supported_modes.iter().enumerate() {
                    @if index > 0 { ", " } code { (mode) }
                } } }
            }
            div { dt { "Access" } dd { (tier_name(listing.settings.access_tier)) } }
        }
    }
}

fn makes(definition: &Definition) -> String {
    let mut formats = vec![definition.output_format.format.to_uppercase()];
    for choice in definition.output_choice.iter().flat_map(|choice| choice.formats.values()) {
        let format = choice.format.to_uppercase();
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    let several = if definition.several_outputs.ever() { "; several files as a ZIP" } else { "" };
    format!("{}{several}", formats.join(", "))
}

fn usage(state: &AppState, definition: &Definition) -> Markup {
    html! {
        section aria-labelledby="by-api" {
            h2 #by-api { "By API" }
            (copyable("curl", &curl(state, definition)))
            p.actions {
                a.button href=(state.link(&format!("/app/playground?tool={}", definition.slug))) { "Try it in the playground " (icons::arrow()) }
            }
            h3 { "Input" }
            (schema::table("Input", &definition.parameters["properties"]["input"]))
        }
    }
}

fn takes(definition: &Definition, kind: &str) -> bool {
    definition.parameters["properties"]["input"]["properties"].get(kind).is_some()
}

/// Required options, each with the first example of its schema.
fn needed_options(definition: &Definition) -> Map<String, Value> {
    let options = &definition.parameters["properties"]["options"];
    let needed = options["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let example = |name: &str| options["properties"][name]["examples"].get(0).cloned();
    needed.filter_map(|name| Some((name.to_owned(), example(name)?))).collect()
}

/// A request to copy, with the first of the tool's own sources. It saves the result, unless that may be several files, or JSON
/// like the job itself.
fn curl(state: &AppState, definition: &Definition) -> String {
    let extension = definition.sources.formats.first().map_or("pdf", String::as_str);
    let address = |name: &str| json!({"sourceUrl": format!("https://example.com/{name}.{extension}")});
    let options = needed_options(definition);
    let mut body = if definition.sources.are_several() {
        json!({"sources": [address("first"), address("second")]})
    } else if takes(definition, "html") {
        json!({"html": "<h1>Hello</h1>"})
    } else {
        address("report")
    };
    if !options.is_empty() {
        body["options"] = json!(options);
    }
    let endpoints = definition.endpoints();
    let endpoint = definition.short_endpoint.as_ref().or(endpoints.first());
    let url = state.absolute(endpoint.map_or("/v1/jobs", String::as_str));
    let OutputFormat { format, content_type, extension } = definition.output(&options);
    let (save, accept) = if definition.several_outputs.with(&options) || format == "json" {
        (String::new(), String::new())
    } else {
        (format!("-L -o result.{extension} "), format!(" -H 'Accept: {content_type}'"))
    };
    format!(
        "curl {save}{url} \\\n  -H \"Authorization: Bearer $DOCMILL_KEY\" -H 'Content-Type: application/json' \\\n  \
         -H 'Prefer: wait=25'{accept} \\\n  -d '{body}'"
    )
}
