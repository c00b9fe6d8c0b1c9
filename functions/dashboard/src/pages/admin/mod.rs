//! What administrators see and decide.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use maud::html;

use crate::layout;
use crate::session::AdminUser;
use crate::state::AppState;
use crate::visit::Viewer;

pub fn routes() -> Router<AppState> {
    Router::new().route("/admin", get(show))
}

async fn show(State(state): State<AppState>, viewer: Viewer, _admin: AdminUser) -> Response {
    layout::page(&state, &viewer, "Administration", html! { h1 { "Administration" } })
}
