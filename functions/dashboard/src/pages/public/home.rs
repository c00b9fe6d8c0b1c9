//! The homepage: what one request gives, what sets the tools apart, and all tools.

use axum::extract::State;
use axum::response::Response;
use docmill_look::example::Example;
use docmill_site::layout::Page;
use docmill_site::listing::{Listing, by_category, category_title};
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};
use serde_json::json;

use super::{cards, prices, sample, usual_price};

/// The document of the example, and how its result looks.
const TITLE: &str = "Invoice 4711";
const LINE: &str = "Two tickets, row 5";
const SUM: &str = "Total: €24.00";

pub(super) async fn show(State(state): State<AppState>, viewer: Viewer) -> Response {
    let tools = Listing::shown(&state, &viewer, |visibility| visibility.homepage);
    let by_api = |slug: &str| {
        Listing::all(&state, &viewer)
            .find(|listing| listing.definition.slug == slug && listing.settings.page_visibility.api)
    };
    let content = html! {
        section.hero {
            h1 { "One API for every document" }
            p.lead {
                "Turn Office files, web pages, email and Markdown into PDF. Merge, split, fill, redact, compare and archive PDFs. "
                "Each job tells you what it cost and how its result differs from the source. A failed job is refunded."
            }
            p.actions {
                a.button.primary href=(state.link("/app")) { "Get an API key" }
                a.button href=(state.link("/docs/first-conversion")) { "Convert your first document" }
            }
        }
        @if let Some(listing) = by_api("html-to-pdf") { (one_request(&state, &listing)) }
        @if by_api("redact-pdf").is_some() || by_api("compare-documents").is_some() {
            div.proofs {
                @if let Some(listing) = by_api("redact-pdf") { (redaction(&state, &listing)) }
                @if let Some(listing) = by_api("compare-documents") { (comparison(&state, &listing)) }
            }
        }
        @if !tools.is_empty() { (all(&state, &tools)) }
        (expectations())
    };
    Page::new("One API for every document", content)
        .summary("Convert office documents, web pages and email to PDF by API; merge, fill, redact, compare and archive PDFs.")
        .respond(&state, &viewer)
}

/// A request, and the page that it makes beside it.
fn one_request(state: &AppState, listing: &Listing<'_>) -> Markup {
    let html = format!("<h1>{TITLE}</h1><p>{LINE}</p><p><b>{SUM}</b></p>");
    let example = Example::with(listing.tool, json!({"html": html}));
    html! {
        section.example aria-labelledby="one-request" {
            h2 #one-request { "One request, one document" }
            div.request-and-result {
                div { (sample(state, &example)) }
                figure.result {
                    div.paper role="img" aria-label={ "A page that says: " (TITLE) ", " (LINE) ", " (SUM) } {
                        p.paper-title { (TITLE) } p { (LINE) } p { strong { (SUM) } }
                    }
                    figcaption { code { "result.pdf" } }
                }
            }
        }
    }
}

fn redaction(state: &AppState, listing: &Listing<'_>) -> Markup {
    html! {
        section.card aria-labelledby="redaction" {
            h2 #redaction { "Redaction that proves itself" }
            div.paper aria-hidden="true" {
                p { "Patient: " span.bar-of-ink {} }
                p { "Born " span.bar-of-ink {} " in Graz" }
            }
            p { "Text, pictures, hidden layers, metadata and earlier revisions are removed for good. Then every page is read again, by OCR too. "
                "If anything is left, the job fails and you get no file. With " code { "nothingFound: fail" } ", it also fails if nothing is found." }
            p { a href=(state.link(&listing.path())) { (listing.name) } }
        }
    }
}

fn comparison(state: &AppState, listing: &Listing<'_>) -> Markup {
    html! {
        section.card aria-labelledby="comparison" {
            h2 #comparison { "Two versions side by side" }
            div.paper {
                p { "Payment is due within " del { "30" } " " ins { "14" } " days." }
                p { "Delivery " ins { "and installation " } "in May." }
            }
            p { "Compare contracts in any format. You get a PDF with every change marked, or the list of changes as JSON." }
            p { a href=(state.link(&listing.path())) { (listing.name) } }
        }
    }
}

fn all(state: &AppState, tools: &[Listing<'_>]) -> Markup {
    let usual = usual_price(tools);
    html! {
        section aria-labelledby="tools" {
            h2 #tools { (tools.len()) " tools" }
            (prices(state, usual))
            @for (category, members) in by_category(tools) {
                h3.group { (category_title(category)) }
                (cards(state, &members, usual))
            }
        }
    }
}

fn expectations() -> Markup {
    html! {
        section.facts aria-label="What to expect" {
            div { h3 { "Honest results" } p {
                "Missing fonts, dropped pictures, blocked requests: the job's warnings list every difference from the source." } }
            div { h3 { "Isolated by design" } p {
                "Every conversion runs in its own process, without network or credentials, and with a deadline." } }
            div { h3 { "Safe to repeat" } p {
                "Repeat a request with the same " code { "Idempotency-Key" } ": you get one job and pay once." } }
        }
    }
}
