//! The dashboard: pages for the public, users and administrators, rendered on the server and readable without scripts.
//!
//! `visit` is the middleware of every request, `pages` contains the pages. What all of them stand on is in the crate `docmill-site`
//! beside this one. A page is a function from data to markup; only its handler reads or writes.

pub mod pages;
pub mod visit;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use docmill_site::error::PageError;
use docmill_site::state::AppState;

/// All pages of the dashboard. Paths are relative to the gateway's base path, so links need [`AppState::link`].
pub fn router(state: AppState) -> Router {
    Router::new()
        .merge(pages::public::routes())
        .merge(pages::plans::routes())
        .merge(pages::tools::routes())
        .merge(pages::overview::routes())
        .merge(pages::keys::routes())
        .merge(pages::connect::routes())
        .merge(pages::jobs::routes())
        .merge(pages::batches::routes())
        .merge(pages::requests::routes())
        .merge(pages::fonts::routes())
        .merge(pages::templates::routes())
        .merge(pages::webhooks::routes())
        .merge(pages::playground::routes())
        .merge(pages::admin::routes())
        .merge(docmill_site::sign_in::routes())
        .fallback(async || PageError::NotFound)
        .method_not_allowed_fallback(async || PageError::MethodNotAllowed)
        .layer(from_fn_with_state(state.clone(), visit::visit))
        .merge(docmill_site::assets::routes())
        .layer(from_fn_with_state(state.clone(), docmill_site::security::headers))
        .layer(from_fn(visit::contained))
        .with_state(state)
}
