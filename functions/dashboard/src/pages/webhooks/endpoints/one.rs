//! An endpoint: its settings, what was sent to it, and what can be done with it.

use axum::extract::{Path, State};
use axum::response::Response;
use docmill_domain::webhook::destination::external_id;
use docmill_domain::webhook::{Endpoint, EndpointStatus, Signatures};
use docmill_http::error::ApiError;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{FormData, button_form, confirm};
use docmill_site::layout::{self, Page};
use docmill_site::parts::{moment, query_of, value_of};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_webhooks::{Replayed, Replays, Rotation};
use maud::{Markup, html};
use serde_json::{Map, json};

use super::{PATH, as_user, badge, crumbs, deliveries, edit, name, own, service, why};

pub(super) async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let endpoint = own(&state, &user, &id).await?;
    let query = query_of(&viewer.path);
    let shown = deliveries::read(&state, &endpoint, value_of(&query, "status"), value_of(&query, "before")).await?;
    let content = html! {
        (crumbs(&state))
        header.page-head {
            h1 { (name(&endpoint)) " " (badge(&endpoint)) }
            p.lead.long { code { (endpoint.destination.address()) } }
        }
        @if endpoint.disabled.is_some() { p.note.warn role="status" { "No events are sent. " (why(&endpoint)) } }
        @if let (Some(_), Some(last)) = (endpoint.health.failing_since, &shown.last_failure) {
            p.note.warn role="status" { "The last request failed: " (deliveries::answer(last)) ", " (moment(last.sent.at)) "." }
        }
        (actions(&state, &viewer, &endpoint))
        (settings(&endpoint))
        (deliveries::section(&state, &viewer, &endpoint, &shown))
    };
    Ok(layout::page(&state, &viewer, &name(&endpoint), content))
}

fn actions(state: &AppState, viewer: &Viewer, endpoint: &Endpoint) -> Markup {
    let path = |action: &str| format!("{PATH}/{}/{action}", endpoint.id);
    html! {
        div.actions {
            @if endpoint.disabled.is_some() {
                (button_form(state, viewer, &path("status"), "Enable and resend failed events", "primary", &[("status", "active"), ("replay", "on")]))
                " " (button_form(state, viewer, &path("status"), "Enable", "", &[("status", "active")]))
            } @else {
                (button_form(state, viewer, &path("replay"), "Resend failed events", "", &[]))
                " " (button_form(state, viewer, &path("status"), "Disable", "", &[("status", "disabled")]))
            }
            " " a.button href=(state.link(&path("edit"))) { "Change" }
            " " (button_form(state, viewer, &path("rotate"), "New secret", "", &[]))
            " " a.button.danger href=(state.link(&path("delete"))) { "Delete" }
        }
    }
}

fn settings(endpoint: &Endpoint) -> Markup {
    let kinds: Vec<_> = endpoint.kinds.iter().map(String::as_str).collect();
    html! {
        section.card aria-labelledby="settings" {
            h2 #settings { "Settings" }
            dl.details {
                div { dt { "Id" } dd { code { (endpoint.id) } } }
                @if let Some(role) = endpoint.destination.role() {
                    div { dt { "Role" } dd { code { (role) } } }
                    div { dt { "External id" } dd { code { (external_id(&endpoint.account)) } } }
                }
                div { dt { "Events" } dd { @if kinds.is_empty() { "All" } @else { (kinds.join(", ")) } } }
                div { dt { "Signatures" } dd { (signatures(endpoint.signatures)) } }
                div { dt { "Requests per second" } dd { @match endpoint.rate_limit { Some(rate) => (rate), None => "No limit" } } }
                div { dt { "Added" } dd { (moment(endpoint.created_at)) } }
                @if let Some(since) = endpoint.health.failing_since {
                    div { dt { "Failing" } dd { (failures(endpoint.health.failures)) ", since " (moment(since)) } }
                }
            }
        }
    }
}

fn signatures(signatures: Signatures) -> &'static str {
    match signatures {
        Signatures::Both => "v1 and v1a",
        Signatures::V1 => "v1",
        Signatures::V1a => "v1a",
    }
}

fn failures(count: u32) -> String {
    if count == 1 { "1 request".to_owned() } else { format!("{count} requests in a row") }
}

pub(super) async fn change_status(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    data: FormData,
) -> Result<Response, PageError> {
    let service = service(&state)?;
    let body = Map::from_iter([("status".to_owned(), json!(data.get("status")))]);
    let changed = as_user(&state, &user, async |caller| service.change(&caller, &id, &body).await).await;
    let told = match changed {
        Ok(_) if data.is_on("replay") => return replay(State(state), user, Path(id), data).await,
        Ok(changed) if changed.status == EndpointStatus::Active => Flash::success("The endpoint is active."),
        Ok(_) => Flash::success("The endpoint is disabled. No events are sent to it."),
        Err(error) => Flash::error(error.message),
    };
    Ok(told.on(&state, &format!("{PATH}/{id}")))
}

/// Sends one event again, or all that failed.
pub(super) async fn replay(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    data: FormData,
) -> Result<Response, PageError> {
    let replays = Replays { context: state.context.clone(), queue: state.context.queue() };
    let wanted = match data.get("event") {
        "" => ("failed".to_owned(), json!(true)),
        event => ("eventId".to_owned(), json!(event)),
    };
    let body = Map::from_iter([wanted]);
    let replayed = as_user(&state, &user, async |caller| replays.replay(&caller, &id, &body).await).await;
    Ok(told(replayed).on(&state, &format!("{PATH}/{id}")))
}

fn told(replayed: Result<Replayed, ApiError>) -> Flash {
    match replayed {
        Ok(replayed) => match (replayed.events, replayed.next.is_some()) {
            (0, _) => Flash::info("Nothing has failed, or it is being sent again already."),
            (1, false) => Flash::success("1 event is sent again."),
            (events, false) => Flash::success(format!("{events} events are sent again.")),
            (events, true) => {
                Flash::success(format!("{events} events are sent again. There are more: press it again."))
            }
        },
        Err(error) => Flash::error(error.message),
    }
}

pub(super) async fn rotate(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let rotation = Rotation::of_function(state.context.clone());
    let rotation = rotation.map_err(|error| PageError::Internal(error.to_string()))?;
    match as_user(&state, &user, async |caller| rotation.rotate(&caller, &id, &Map::new()).await).await {
        Ok(webhook) => {
            let content = html! {
                (edit::shown_once(&state, "The new signing secret", &webhook))
                p.muted { "For 24 hours, requests are signed with both secrets." }
            };
            Ok(Page::new("The new signing secret", content).respond(&state, &viewer))
        }
        Err(error) => Ok(Flash::error(error.message).on(&state, &format!("{PATH}/{id}"))),
    }
}

/// Asks for confirmation on its own page.
pub(super) async fn ask_to_delete(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let endpoint = own(&state, &user, &id).await?;
    let content = html! {
        (crumbs(&state))
        header.page-head { h1 { "Delete " (name(&endpoint)) "?" } }
        p { "Nothing is sent to it any more, and its list of deliveries is gone. Events are still recorded." }
        (confirm(&state, &viewer, (&format!("{PATH}/{id}/delete"), "Delete the endpoint"), (&format!("{PATH}/{id}"), "Keep it")))
    };
    Ok(Page::new("Delete an endpoint", content).respond(&state, &viewer))
}

pub(super) async fn delete(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let endpoint = own(&state, &user, &id).await?;
    state.context.webhooks.delete(&user.account, &endpoint.id).await?;
    Ok(Flash::success(format!("{} was deleted.", name(&endpoint))).on(&state, "/app/webhooks"))
}
