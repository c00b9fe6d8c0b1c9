//! Regenerating and revoking a key. Both ask for confirmation on their own page.

use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use docmill_config::clock;
use docmill_domain::account::StoredKey;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{self, FormData, FormErrors, select};
use docmill_site::layout::Page;
use docmill_site::parts::{moment, moment_or};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::{Proved, Viewer};
use docmill_store::accounts::keys::{AccountKey, Regenerated, Revoked};
use maud::{Markup, html};

use super::shown_once;

/// How long the old secret keeps working, in hours.
const OVERLAPS: [(&str, &str); 4] = [
    ("0", "Immediately, for example after a leak"),
    ("1", "In one hour"),
    ("24", "In one day"),
    ("168", "In seven days"),
];

pub(super) async fn ask_to_regenerate(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    _proved: Proved,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let key = alive(&state, &user, &id).await?.key;
    let content = regeneration(&state, &viewer, &key, &FormErrors::default());
    Ok(Page::new("Regenerate a key", content).respond(&state, &viewer))
}

pub(super) async fn regenerate(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    _proved: Proved,
    Path(id): Path<String>,
    data: FormData,
) -> Result<Response, PageError> {
    let key = alive(&state, &user, &id).await?.key;
    let hours = OVERLAPS.into_iter().find(|(hours, _)| *hours == data.get("overlap"));
    let Some(hours) = hours.and_then(|(hours, _)| hours.parse::<u64>().ok()) else {
        let mut errors = FormErrors::default();
        errors.add("overlap", "Choose when the old secret expires.");
        let content = regeneration(&state, &viewer, &key, &errors);
        let page = Page::new("Regenerate a key", content).status(StatusCode::UNPROCESSABLE_ENTITY);
        return Ok(page.respond(&state, &viewer));
    };
    let superseded = || {
        let message = "This key was regenerated since you opened the form. Check it before you change it again.";
        Ok(Flash::error(message).on(&state, "/app/keys"))
    };
    // The form refers to the secret that it showed. Sent again, it changes nothing.
    if data.get("last4") != key.last4 {
        return superseded();
    }
    let overlap = Duration::from_secs(hours * 3600);
    let accounts = &state.context.accounts;
    match accounts.regenerate_key(&user.account, &id, Some(&key.key_hash), overlap, clock::now()).await? {
        Regenerated::Yes { key, secret } => {
            let until = clock::now().plus(overlap);
            let note = html! {
                @if hours == 0 { p.muted { "The old secret no longer works." } }
                @else { p.muted { "The old secret works until " (moment(until)) ", or until the key expires." } }
            };
            let content = shown_once(&state, "New secret", &key, &secret, &note);
            Ok(Page::new("New secret", content).respond(&state, &viewer))
        }
        Regenerated::Superseded => superseded(),
        Regenerated::NoSuchKey => Err(PageError::NotFound),
    }
}

pub(super) async fn ask_to_revoke(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let key = alive(&state, &user, &id).await?.key;
    let content = html! {
        (head(&state, &key, "Revoke this key?"))
        p { "All requests with this key will be refused at once. You cannot undo this." }
        (form::form(&state, &viewer, &format!("/app/keys/{}/revoke", key.key_id), html! {
            div.actions {
                button.button.danger type="submit" { "Revoke the key" } " "
                a.button href=(state.link("/app/keys")) { "Cancel" }
            }
        }))
    };
    Ok(Page::new("Revoke a key", content).respond(&state, &viewer))
}

pub(super) async fn revoke(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let flash = match state.context.accounts.revoke_key(&user.account, &id, clock::now()).await? {
        Revoked::Yes => Flash::success("The key was revoked. It no longer works."),
        Revoked::Already => Flash::info("The key was already revoked or expired."),
        Revoked::NoSuchKey => return Err(PageError::NotFound),
    };
    Ok(flash.on(&state, "/app/keys"))
}

/// A key of the user's account that is neither revoked nor expired.
pub(super) async fn alive(state: &AppState, user: &SignedIn, id: &str) -> Result<AccountKey, PageError> {
    let now = clock::now();
    let keys = state.context.accounts.keys_of(&user.account, now).await?;
    let found = keys.into_iter().find(|key| key.key.key_id == id && !key.key.is_dead_at(now));
    found.ok_or(PageError::NotFound)
}

pub(super) fn head(state: &AppState, key: &StoredKey, title: &str) -> Markup {
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/app/keys")) { "API keys" } } } }
        header.page-head {
            h1 { (title) }
            p.lead {
                strong { (key.name) } " " code { (key.mode.key_prefix()) "…" (key.last4) }
                ", last used: " (moment_or(key.last_used_at, "never"))
            }
        }
    }
}

fn regeneration(state: &AppState, viewer: &Viewer, key: &StoredKey, errors: &FormErrors) -> Markup {
    html! {
        (head(state, key, "Regenerate this key"))
        p { "The key keeps its name, limits and expiry date. Its new secret is shown once." }
        (form::form(state, viewer, &format!("/app/keys/{}/regenerate", key.key_id), html! {
            input type="hidden" name="last4" value=(key.last4);
            (select("overlap", "Old secret expires", OVERLAPS.to_vec()).error(errors.of("overlap"))
                .hint("Any earlier secret stops immediately.").required())
            div.actions {
                button.button.primary type="submit" { "Regenerate" } " "
                a.button href=(state.link("/app/keys")) { "Cancel" }
            }
        }))
    }
}
