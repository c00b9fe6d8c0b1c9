//! Endpoints of webhooks: the list, and a page for each.

mod deliveries;
mod edit;
mod one;

use axum::Router;
use axum::routing::{get, post};
use docmill_app::caller::{Caller, as_account};
use docmill_app::webhooks::WebhookError;
use docmill_config::clock;
use docmill_domain::api_key::Mode;
use docmill_domain::quota::RatePolicy;
use docmill_domain::webhook::endpoint::MOST_ENDPOINTS;
use docmill_domain::webhook::{Destination, DisabledReason, Endpoint, EndpointId};
use docmill_http::error::ApiError;
use docmill_site::error::PageError;
use docmill_site::parts::ago;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_webhooks::WebhookService;
use maud::{Markup, html};

const PATH: &str = "/app/webhooks/endpoints";

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/app/webhooks/endpoints/new", get(edit::ask_to_create))
        .route(PATH, post(edit::create))
        .route("/app/webhooks/endpoints/{id}", get(one::show))
        .route("/app/webhooks/endpoints/{id}/edit", get(edit::ask_to_change).post(edit::change))
        .route("/app/webhooks/endpoints/{id}/status", post(one::change_status))
        .route("/app/webhooks/endpoints/{id}/rotate", post(one::rotate))
        .route("/app/webhooks/endpoints/{id}/replay", post(one::replay))
        .route("/app/webhooks/endpoints/{id}/delete", get(one::ask_to_delete).post(one::delete))
}

/// The user's own endpoint. Other accounts' endpoints, unknown ones and invalid ids get the same page.
async fn own(state: &AppState, user: &SignedIn, id: &str) -> Result<Endpoint, PageError> {
    let id = EndpointId::parse(id).ok_or(PageError::NotFound)?;
    state.context.webhooks.endpoint(&user.account, &id).await?.ok_or(PageError::NotFound)
}

/// Creates and changes endpoints like the API. The keys are only read when they are needed.
fn service(state: &AppState) -> Result<WebhookService, PageError> {
    WebhookService::of_function(state.context.clone()).map_err(|error| PageError::Internal(error.to_string()))
}

/// The value that `work` returns for the user's account, under the limits of its keys.
async fn as_user<T>(
    state: &AppState,
    user: &SignedIn,
    work: impl AsyncFnOnce(Caller) -> Result<T, WebhookError>,
) -> Result<T, ApiError> {
    let work = async |caller| Ok(work(caller).await?);
    as_account(&state.context, &user.account, Mode::Live, RatePolicy::Create, work).await
}

/// The way back to the list.
fn crumbs(state: &AppState) -> Markup {
    html! { nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/app/webhooks")) { "Webhooks" } } } } }
}

/// The section with the account's endpoints.
pub(super) fn section(state: &AppState, endpoints: &[Endpoint]) -> Markup {
    html! {
        section aria-labelledby="endpoints" {
            h2 #endpoints { "Endpoints" }
            (banner(state, endpoints))
            @if endpoints.is_empty() { p.empty { "No endpoints yet. Add the address of your receiver, and events are sent to it." } }
            @else { (table(state, endpoints)) }
            @if endpoints.len() < MOST_ENDPOINTS {
                p.actions { a.button.primary href=(state.link("/app/webhooks/endpoints/new")) { "Add an endpoint" } }
            }
        }
    }
}

/// Says which endpoints get no events although nobody of the account disabled them.
pub(in crate::pages) fn banner(state: &AppState, endpoints: &[Endpoint]) -> Markup {
    let given_up =
        |endpoint: &&Endpoint| endpoint.disabled.is_some_and(|disabled| disabled.reason != DisabledReason::Account);
    html! {
        @for endpoint in endpoints.iter().filter(given_up) {
            p.note.warn role="status" {
                "The webhook endpoint " a href=(state.link(&format!("{PATH}/{}", endpoint.id))) { (name(endpoint)) }
                " is disabled: " (why(endpoint)) " Enable it, and send again what it has missed."
            }
        }
    }
}

fn table(state: &AppState, endpoints: &[Endpoint]) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Your endpoints" {
            table {
                thead { tr { th scope="col" { "Endpoint" } th scope="col" { "Events" } th scope="col" { "Status" } th scope="col" { "Added" } } }
                tbody { @for endpoint in endpoints { tr {
                    th.long scope="row" { a href=(state.link(&format!("{PATH}/{}", endpoint.id))) { (name(endpoint)) } }
                    td { @if endpoint.kinds.is_empty() { "All" } @else { (endpoint.kinds.iter().map(String::as_str).collect::<Vec<_>>().join(", ")) } }
                    td { (badge(endpoint)) }
                    td { (ago(endpoint.created_at, clock::now())) }
                } } }
            }
        }
    }
}

/// What people call it: its description, or else its host. The path may be secret, so that it is only on the endpoint's page.
fn name(endpoint: &Endpoint) -> String {
    let host = |url: &str| url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let address = || match &endpoint.destination {
        Destination::Url { url } => host(url),
        Destination::Sqs { queue: arn, .. } | Destination::EventBridge { bus: arn, .. } => {
            Some(arn.resource().to_owned())
        }
    };
    match endpoint.description.as_str() {
        "" => address().unwrap_or_else(|| endpoint.id.to_string()),
        description => description.to_owned(),
    }
}

fn badge(endpoint: &Endpoint) -> Markup {
    html! {
        @if endpoint.disabled.is_some() { span.badge.danger { "Disabled" } }
        @else if endpoint.health.failures > 0 { span.badge.warn { "Failing" } }
        @else { span.badge.success { "Active" } }
    }
}

fn why(endpoint: &Endpoint) -> &'static str {
    match endpoint.disabled.map(|disabled| disabled.reason) {
        Some(DisabledReason::Account) => "You disabled it.",
        Some(DisabledReason::Gone) => "It answered 410 Gone.",
        Some(DisabledReason::Failing) => "All requests have failed for five days.",
        None => "",
    }
}
