//! Public pages: the homepage, tools and their pages, according to each tool's settings, and files for crawlers.

mod crawlers;
mod home;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use docmill_domain::catalogue::Tool;
use docmill_domain::tool::{Definition, ToolState};
use docmill_look::example::{self, Example, Language};
use docmill_look::highlight::Syntax;
use docmill_look::{code, icons, schema};
use docmill_site::error::PageError;
use docmill_site::layout::{Page, state_badge};
use docmill_site::listing::{Listing, by_category, category_slug, category_title, tier_name};
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/", get(home::show))
        .route("/robots.txt", get(crawlers::robots))
        .route("/sitemap.xml", get(crawlers::sitemap))
        .route("/favicon.ico", get(crawlers::icon))
        .route("/tools", get(all_tools))
        .route("/tools/category/{category}", get(category))
        .route("/tools/{slug}", get(tool))
}

/// Tools with what they do. Prices are shown where they differ from the usual one, which [`usual_price`] says.
fn cards(state: &AppState, tools: &[Listing<'_>], usual: u64) -> Markup {
    html! {
        ul.cards {
            @for listing in tools {
                li.card {
                    h3 { a href=(state.link(&listing.path())) { (listing.name) } (state_badge(listing.settings.state)) }
                    p { (listing.description()) }
                    @if listing.settings.credit_cost != usual { p.muted { (listing.price()) } }
                }
            }
        }
    }
}

/// The price of most tools, in credits.
fn usual_price(tools: &[Listing<'_>]) -> u64 {
    let count = |cost: u64| tools.iter().filter(|listing| listing.settings.credit_cost == cost).count();
    let costs = tools.iter().map(|listing| listing.settings.credit_cost);
    costs.max_by_key(|cost| (count(*cost), std::cmp::Reverse(*cost))).unwrap_or_default()
}

/// The usual price in words, once for all tools.
fn prices(state: &AppState, usual: u64) -> Markup {
    html! {
        p.muted {
            @match usual {
                0 => { "Tools are free unless they name a price." }
                1 => { "Each tool costs 1 credit per document, unless it names another price." }
                cost => { "Each tool costs " (cost) " credits per document, unless it names another price." }
            }
            " Failed jobs and test keys cost nothing. " a href=(state.link("/plans")) { "Plans and prices" }
        }
    }
}

async fn all_tools(State(state): State<AppState>, viewer: Viewer) -> Response {
    let tools = Listing::shown(&state, &viewer, |visibility| visibility.category);
    let usual = usual_price(&tools);
    let content = html! {
        h1 { "Tools" }
        @if !tools.is_empty() { (prices(&state, usual)) }
        @if tools.is_empty() { p.empty { "No tools are listed at the moment." } }
        @for (category, members) in by_category(&tools) {
            section {
                h2 {
                    a href=(state.link(&format!("/tools/category/{}", category_slug(category)))) { (category_title(category)) }
                }
                (cards(&state, &members, usual))
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
    let usual = usual_price(&tools);
    let content = html! {
        (crumbs(&state, &[("/tools", "Tools")]))
        h1 { (title) }
        h2.quiet { "List of tools" }
        (prices(&state, usual))
        (cards(&state, &tools, usual))
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
        @if listing.settings.page_visibility.api { (usage(&state, listing.tool)) }
        @else { section { h2 { "By API" } p { "This tool is not available in the API at the moment." } } }
        section aria-labelledby="options" {
            h2 #options { "Options" }
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
            div { dt { "Takes" } dd { (definition.sources.extensions().join(", ")) } }
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
    let mut formats = Vec::new();
    for output in definition.all_outputs() {
        let format = output.name().to_uppercase();
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    let several = if definition.several_outputs.ever() { "; several files as a ZIP" } else { "" };
    format!("{}{several}", formats.join(", "))
}

fn usage(state: &AppState, tool: &Tool) -> Markup {
    let definition = &tool.definition;
    let example = Example::of(tool);
    let code = example.code(Language::Curl).unwrap_or_default();
    let has_place = code.contains("https://files.example.com/");
    html! {
        section aria-labelledby="by-api" {
            h2 #by-api { "By API" }
            (sample(state, &example))
            @if has_place {
                p.muted { "Replace " code { "https://files.example.com/…" } " with the address of your file, or "
                    a href=(state.link("/docs/uploads")) { "upload it" } "." }
            }
            p.actions {
                a.button href=(state.link(&format!("/app/playground?tool={}", definition.slug))) { "Try it in the playground " (icons::arrow()) }
                a.button href=(state.link(&format!("/docs/tools/{}", definition.slug))) { "Read its docs" }
            }
            h3 { "Input" }
            (schema::table("Input", &definition.parameters["properties"]["input"]))
        }
    }
}

/// An example in each language, and what it needs to run.
fn sample(state: &AppState, example: &Example<'_>) -> Markup {
    html! {
        (code::copyable_code("environment", Syntax::Shell, &example::environment(&state.absolute(""))))
        (code::tabs("sample", "Language", &example.tabs()))
        (example::clients(|path| state.link(path)))
    }
}
