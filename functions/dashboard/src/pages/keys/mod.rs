//! API keys: the list, and creating, editing, regenerating and revoking keys. A secret is only shown in the response that created
//! it.

mod change;
mod create;
mod edit;
mod fields;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use docmill_config::clock;
use docmill_domain::account::{MAX_KEYS, StoredKey};
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::quota::RatePolicy;
use docmill_domain::time::Timestamp;
use docmill_look::code::{copyable, copyable_code};
use docmill_look::highlight::Syntax;
use docmill_site::error::PageError;
use docmill_site::layout;
use docmill_site::parts::{ago, moment};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::accounts::keys::AccountKey;
use maud::{Markup, html};

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/app/keys", get(list).post(create::create))
        .route("/app/keys/new", get(create::show))
        .route("/app/keys/{id}/edit", get(edit::show).post(edit::save))
        .route("/app/keys/{id}/regenerate", get(change::ask_to_regenerate).post(change::regenerate))
        .route("/app/keys/{id}/revoke", get(change::ask_to_revoke).post(change::revoke))
}

/// The account's keys.
pub(super) async fn read(state: &AppState, account: &str, now: Timestamp) -> Result<Vec<AccountKey>, PageError> {
    Ok(state.context.accounts.keys_of(account, now).await?)
}

async fn list(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let now = clock::now();
    let keys = viewer.read_or(&user, read(&state, &user.account, now)).await?;
    let (alive, dead): (Vec<_>, Vec<_>) = keys.iter().partition(|key| !key.key.is_dead_at(now));
    let content = html! {
        header.page-head {
            h1 { "API keys" }
            p.lead { "Use API keys to authenticate requests. Keep them out of browsers, apps, repositories and logs." }
            p.actions {
                @if alive.len() < MAX_KEYS { a.button.primary href=(state.link("/app/keys/new")) { "Create a key" } }
                @else { span.muted { "You have reached the limit of " (MAX_KEYS) " keys. Revoke one that you no longer need." } }
            }
        }
        @if alive.is_empty() { p.empty { "You have no API keys yet." } } @else { (table(&state, &alive, now)) }
        @if !dead.is_empty() {
            details {
                summary { "Revoked and expired keys (" (dead.len()) ")" }
                (table(&state, &dead, now))
            }
        }
    };
    Ok(layout::page(&state, &viewer, "API keys", content))
}

fn table(state: &AppState, keys: &[&AccountKey], now: Timestamp) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="API keys" {
            table {
                thead { tr {
                    th scope="col" { "Name" }
                    th scope="col" { "Key" }
                    th scope="col" { "State" }
                    th scope="col" { "Created and last used" }
                    th scope="col" { "Limits" }
                    th scope="col" { span.quiet { "Actions" } }
                } }
                tbody { @for key in keys { (row(state, key, now)) } }
            }
        }
    }
}

fn row(state: &AppState, account_key: &AccountKey, now: Timestamp) -> Markup {
    let AccountKey { key, created_at, last_used_at, old_secret_until } = account_key;
    html! {
        tr {
            th.long scope="row" { (key.name) br; code.id { (key.key_id) } }
            td { code { (key.mode.key_prefix()) "…" (key.last4) } }
            td { (status_of(key, now)) @if let Some(until) = old_secret_until { br; span.muted { "old secret until " (moment(*until)) } } }
            td { "created " (ago(*created_at, now)) br; span.muted {
                @match last_used_at { Some(at) => { "last used " (ago(*at, now)) } None => "never used" }
            } }
            td { (limits(key)) }
            td { @if !key.is_dead_at(now) {
                div.stack {
                    a.button.small href=(state.link(&format!("/app/keys/{}/edit", key.key_id))) { "Edit" span.quiet { " " (key.name) } }
                    a.button.small href=(state.link(&format!("/app/keys/{}/regenerate", key.key_id))) { "Regenerate" span.quiet { " " (key.name) } }
                    a.button.small.danger href=(state.link(&format!("/app/keys/{}/revoke", key.key_id))) { "Revoke" span.quiet { " " (key.name) } }
                }
            } }
        }
    }
}

fn status_of(key: &StoredKey, now: Timestamp) -> Markup {
    html! {
        @if key.mode == Mode::Test { span.badge { "test" } " " }
        @if let Some(revoked) = key.revoked_at { span.badge.danger { "revoked" } br; span.muted { (moment(revoked)) } }
        @else if let Some(expires) = key.expires_at {
            @if key.is_dead_at(now) { span.badge.danger { "expired" } br; span.muted { (moment(expires)) } }
            @else { span.badge.success { "active" } br; span.muted { "until " (moment(expires)) } }
        }
        @else { span.badge.success { "active" } }
    }
}

fn limits(key: &StoredKey) -> Markup {
    html! {
        ul.plain {
            @match &key.allowed_tools {
                Some(tools) if tools.is_empty() => { li { "no tools" } }
                Some(tools) => { @for tool in tools { li { code { (tool) } } } }
                None => { li.muted { "all tools" } }
            }
            @if key.allowed_origins.is_empty() { li.muted { "any origin" } }
            @for origin in &key.allowed_origins { li { code { (origin) } } }
            li.muted { (key.limiter.limit(RatePolicy::Create).per_minute) " jobs, "
                (key.limiter.limit(RatePolicy::Read).per_minute) " reads per minute" }
        }
    }
}

/// The only page that shows a secret.
fn shown_once(state: &AppState, title: &str, key: &StoredKey, secret: &ApiKey, note: &Markup) -> Markup {
    // A key that is restricted to origins needs one of them.
    let origin = key.allowed_origins.first().map(|origin| format!(" -H 'Origin: {origin}'")).unwrap_or_default();
    let curl =
        format!("curl -H 'Authorization: Bearer {}'{origin} \\\n  {}", secret.reveal(), state.absolute("/v1/tools"));
    html! {
        header.page-head {
            h1 { (title) }
            p.lead { "Copy this key now. We store only a hash of it and cannot show it again." }
        }
        section.card aria-labelledby="secret-name" {
            h2 #secret-name { (key.name) }
            (copyable("secret", secret.reveal()))
            (note)
            p.actions { a.button.primary href=(state.link("/app/keys")) { "I have copied it" } }
        }
        section.card aria-labelledby="try-it" {
            h2 #try-it { "Try it" }
            (copyable_code("curl", Syntax::Shell, &curl))
            p { "This lists the tools that the key can use. In the " a href=(state.link("/app/playground")) { "playground" }
                " you can convert a document and copy the request that does the same." }
        }
    }
}
