//! The dashboard: pages for the public, users and administrators, rendered on the server and readable without scripts.
//!
//! `visit` is the middleware of every request, `pages` contains the pages, `layout` and `form` their parts. A page is a function
//! from data to markup; only its handler reads or writes. Files depend on each other in one direction: config, issuer, state,
//! cookies, session, viewer, form, layout, pages.

mod actions;
pub mod assets;
pub mod config;
pub mod cookies;
pub mod csrf;
pub mod delivery;
pub mod error;
pub mod error_page;
pub mod flash;
pub mod form;
pub mod issuer;
pub mod layout;
pub mod listing;
pub mod pages;
pub mod prefetched;
pub mod return_to;
pub mod security;
pub mod session;
pub mod sign_in;
pub mod state;
pub mod viewer;
pub mod visit;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};

use crate::error::PageError;
use crate::state::AppState;

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
        .merge(sign_in::routes())
        .fallback(async || PageError::NotFound)
        .method_not_allowed_fallback(async || PageError::MethodNotAllowed)
        .layer(from_fn_with_state(state.clone(), visit::visit))
        .merge(assets::routes())
        .layer(from_fn_with_state(state.clone(), security::headers))
        .layer(from_fn(visit::contained))
        .with_state(state)
}
