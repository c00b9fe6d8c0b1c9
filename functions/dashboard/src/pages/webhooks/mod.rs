//! Webhooks: endpoints, recorded events, a signed sample, and a verifier.

pub(super) mod endpoints;
mod verifier;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use docmill_config::clock;
use docmill_domain::event::{EVENT_RETENTION, EventKind};
use docmill_look::code::{copyable, copyable_code};
use docmill_look::highlight::Syntax;
use docmill_signing::signed_sample;
use docmill_site::error::PageError;
use docmill_site::form::select;
use docmill_site::layout;
use docmill_site::parts::{moment, pager, query_of, rough, value_of, with_query};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::events::{EventsPage, StoredEvent, WEBHOOK_TEST};
use maud::{Markup, html};
use serde_json::{Value, json};

const PATH: &str = "/app/webhooks";
const PAGE: usize = 10;

pub fn routes() -> Router<AppState> {
    endpoints::routes()
        .route(PATH, get(show))
        .route("/app/webhooks/verify", get(verifier::show).post(verifier::check))
        .route("/app/webhooks/sample", get(to_webhooks).post(sample))
}

async fn show(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let query = query_of(&viewer.path);
    let before = value_of(&query, "before").filter(|id| is_event_id(id));
    let kind = value_of(&query, "kind").and_then(|wanted| kinds().find(|kind| *kind == wanted));
    let (page, endpoints) = futures_util::try_join!(
        state.context.events.page(&user.account, kind, before, PAGE, clock::now()),
        state.context.webhooks.endpoints(&user.account),
    )?;
    let content = html! {
        header.page-head {
            h1 { "Webhooks" }
            p.lead { "Events tell you about your jobs and your account, in the format of "
                a href="https://www.standardwebhooks.com/" rel="noreferrer" { "Standard Webhooks" } "." }
        }
        @if !viewer.settings.service.webhook_delivery {
            p.note.warn role="status" { "Delivery is off for the whole service. Events are still recorded, so none is lost." }
        }
        (endpoints::section(&state, &endpoints))
        (events(&state, &page, kind, before.is_some()))
        (tools(&state, &viewer))
    };
    Ok(layout::page(&state, &viewer, "Webhooks", content))
}

/// What is wrong with a value, as a sentence: "Must be …".
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>() + ".").unwrap_or_default()
}

/// The kinds in the filter.
fn kinds() -> impl Iterator<Item = &'static str> {
    EventKind::ALL.into_iter().map(EventKind::as_str).chain([WEBHOOK_TEST])
}

/// Whether the text is an event id. Nothing else from the URL is used as a key of the table.
fn is_event_id(text: &str) -> bool {
    text.strip_prefix("evt_").is_some_and(|hex| hex.len() == 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn events(state: &AppState, page: &EventsPage, kind: Option<&str>, is_later: bool) -> Markup {
    let path = |before| with_query(PATH, &[("kind", kind.map(str::to_owned)), ("before", before)]);
    html! {
        section aria-labelledby="events" {
            h2 #events { "Recorded events and tests" }
            p.muted { "Events are kept for " (rough(EVENT_RETENTION)) ", tests for 7 days." }
            (filter(state, kind))
            @if !page.events.is_empty() { ul.events { @for event in &page.events { li.card { (entry(event)) } } } }
            @else if page.next.is_some() { p.empty { "No matches yet. Search older events." } }
            @else if kind.is_some() || is_later { p.empty { "No events of this kind." } }
            @else { p.empty { "No events yet. You will see one when a job ends." } }
            (pager(state, "Pages of events",
                is_later.then(|| path(None)),
                page.next.clone().map(|id| path(Some(id)))))
        }
    }
}

fn filter(state: &AppState, kind: Option<&str>) -> Markup {
    let choices = [("", "All kinds")].into_iter().chain(kinds().map(|kind| (kind, kind))).collect();
    html! {
        form.filters method="get" action=(state.link(PATH)) role="search" aria-label="Filter events" {
            (select("kind", "Kind", choices).value(kind.unwrap_or_default()).unmarked())
            button.button type="submit" { "Filter" }
        }
    }
}

fn entry(event: &StoredEvent) -> Markup {
    let body: Value = serde_json::from_str(&event.body()).unwrap_or_default();
    html! {
        details {
            summary {
                (kind_badge(&event.kind)) " "
                span { (summary(event)) } " "
                span.muted { (moment(event.recorded_at)) }
            }
            dl.details { div { dt { code { "webhook-id" } } dd { code { (event.id) } } } }
            @if event.kind == WEBHOOK_TEST { p.muted { "A test for this address was recorded." } }
            // Colors would make this page, which is not compressed, much larger.
            @else { (copyable(&event.id, &format!("{body:#}"))) }
        }
    }
}

fn kind_badge(kind: &str) -> Markup {
    let known = EventKind::ALL.into_iter().find(|known| known.as_str() == kind);
    let class = match known {
        Some(EventKind::JobCompleted | EventKind::BatchCompleted) => "badge success",
        Some(EventKind::JobFailed | EventKind::QuotaExhausted | EventKind::WebhookDisabled) => "badge danger",
        Some(EventKind::QuotaWarning | EventKind::ApiKeyRevoked | EventKind::BatchPaused) => "badge warn",
        Some(EventKind::JobCanceled | EventKind::BatchCanceled) | None => "badge",
    };
    html! { span class=(class) { (kind) } }
}

/// Sums up an event.
fn summary(event: &StoredEvent) -> String {
    let text = |pointer: &str| event.data.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |pointer: &str| event.data.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    match EventKind::ALL.into_iter().find(|known| known.as_str() == event.kind) {
        Some(EventKind::JobCompleted | EventKind::JobCanceled) => text("/job/toolSlug"),
        Some(EventKind::JobFailed) => format!("{}: {}", text("/job/toolSlug"), text("/job/error/code")),
        Some(EventKind::BatchCompleted | EventKind::BatchPaused | EventKind::BatchCanceled) => {
            let (ended, total) = (number("/batch/counts/completed"), number("/batch/counts/total"));
            format!("{}: {ended} of {total} completed", text("/batch/toolSlug"))
        }
        Some(EventKind::QuotaWarning) => {
            format!("{} of {} included credits used", number("/credits/threshold"), number("/credits/included"))
        }
        Some(EventKind::QuotaExhausted) => {
            format!("{} credits needed, {} left", number("/credits/required"), number("/credits/available"))
        }
        Some(EventKind::ApiKeyRevoked) => format!("{} …{}", text("/apiKey/name"), text("/apiKey/last4")),
        Some(EventKind::WebhookDisabled) => format!("{}: {}", text("/webhook/id"), text("/webhook/reason")),
        None => text("/host"),
    }
}

fn tools(state: &AppState, viewer: &Viewer) -> Markup {
    html! {
        section.card aria-labelledby="build" {
            h2 #build { "Build a receiver" }
            p { "Create a signed sample and send it yourself. If your receiver refuses it, the verifier tells you why." }
            div.actions {
                (docmill_site::form::button_form(state, viewer, "/app/webhooks/sample", "Create a signed sample", "primary", &[]))
                " " a.button href=(state.link("/app/webhooks/verify")) { "Verify a webhook" }
            }
        }
    }
}

/// A sample with its own secret, which is never stored and is in no URL.
async fn sample(State(state): State<AppState>, viewer: Viewer, _user: SignedIn) -> Result<Response, PageError> {
    let sample = signed_sample(clock::now()).map_err(|error| PageError::Internal(error.to_string()))?;
    let headers = json!(sample.headers);
    let headers = headers.as_object().into_iter().flatten();
    let headers: Vec<_> =
        headers.map(|(name, value)| format!("{name}: {}", value.as_str().unwrap_or_default())).collect();
    let headers = headers.join("\n");
    let content = html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/app/webhooks")) { "Webhooks" } } } }
        header.page-head {
            h1 { "Signed sample" }
            p.lead { "An event as your receiver gets it, signed with a secret for this sample only. Its timestamp is valid for five minutes." }
        }
        section.card aria-labelledby="sample-parts" {
            h2 #sample-parts { "Send it to your receiver" }
            h3 { "Secret" } (copyable("sample-secret", &sample.secret))
            h3 { "Headers" } (copyable_code("sample-headers", Syntax::Http, &headers))
            h3 { "Body" } (copyable_code("sample-body", Syntax::Json, &sample.body))
            p.muted { "The signature covers exactly these bytes, without a line break at the end." }
            form method="post" action=(state.link("/app/webhooks/verify")) {
                (docmill_site::form::token_field(&viewer))
                input type="hidden" name="secret" value=(sample.secret);
                input type="hidden" name="headers" value=(headers);
                input type="hidden" name="body" value=(sample.body);
                button.button type="submit" { "Verify it here" }
            }
        }
    };
    Ok(layout::page(&state, &viewer, "Signed sample", content))
}

/// A sample is only created on request. Reloading its address shows the button again.
async fn to_webhooks(State(state): State<AppState>, _user: SignedIn) -> Response {
    state.redirect(PATH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_event_ids_are_accepted_from_an_address() {
        assert!(is_event_id(&docmill_domain::event::new_event_id(clock::now())));
        for text in ["", "evt_", "profile", "evt_../x", &format!("evt_{}", "g".repeat(32))] {
            assert!(!is_event_id(text), "{text}");
        }
    }
}
