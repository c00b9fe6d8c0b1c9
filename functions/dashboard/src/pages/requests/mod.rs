//! The log of requests: a list, and a page for each. Everything in it was collected from the functions' lines (functions/request-log).

mod list;
mod one;

use axum::Router;
use axum::routing::get;
use docmill_domain::account::StoredKey;
use docmill_domain::request_log::{LoggedRequest, kept_for};
use docmill_site::parts::rough;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_store::accounts::keys::AccountKey;
use maud::{Markup, html};

pub(super) use self::one::path_near;

const PATH: &str = "/app/requests";

pub fn routes() -> Router<AppState> {
    Router::new().route(PATH, get(list::show)).route("/app/requests/{id}", get(one::show))
}

/// How long the account's requests are kept: `30 days`.
fn kept(user: &SignedIn) -> String {
    rough(kept_for(&user.profile.plan))
}

/// The name of the request's key, or its id if that is all that is left of it.
fn key_name<'a>(request: &'a LoggedRequest, keys: &'a [AccountKey]) -> &'a str {
    let key = keys.iter().map(|key| &key.key).find(|key| key.key_id == request.key_id);
    key.map_or(request.key_id.as_str(), |key: &StoredKey| key.name.as_str())
}

fn status_badge(request: &LoggedRequest) -> Markup {
    let class = match request.status {
        ..300 => "badge success",
        300..400 => "badge info",
        400..500 => "badge warn",
        500.. => "badge danger",
    };
    html! { span class=(class) { (request.status) } }
}
