//! Jobs.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use maud::html;

use crate::layout;
use crate::session::SignedIn;
use crate::state::AppState;
use crate::visit::Viewer;

pub fn routes() -> Router<AppState> {
    Router::new().route("/app/jobs", get(show))
}

async fn show(State(state): State<AppState>, viewer: Viewer, _user: SignedIn) -> Response {
    layout::page(&state, &viewer, "Jobs", html! { h1 { "Jobs" } })
}
