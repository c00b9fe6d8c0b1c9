//! The pages, one module each: routes, handlers, and markup as functions of data.

pub mod admin;
pub mod batches;
pub mod connect;
pub mod fonts;
pub mod jobs;
pub mod keys;
pub mod overview;
pub mod plans;
pub mod playground;
pub mod public;
pub mod requests;
pub mod templates;
pub mod tools;
pub mod upload;
pub mod webhooks;

use docmill_config::clock;
use docmill_site::error::PageError;
use docmill_site::prefetched::Prefetched;
use docmill_site::state::AppState;

/// Reads the data for the page at this path for this account. If `None`, the page reads its data itself, including after errors.
pub async fn read_ahead(state: &AppState, path: &str, account: &str) -> Option<Prefetched> {
    fn kept<T: Send + Sync + 'static>(account: &str, read: Result<T, PageError>) -> Option<Prefetched> {
        read.ok().map(|read| Prefetched::new(account, read))
    }
    let now = clock::now();
    match path.split('?').next()? {
        "/app" => kept(account, overview::read(state, account, path, now).await),
        "/app/fonts" | "/app/fonts/rows" => kept(account, fonts::read(state, account).await),
        "/app/templates" | "/app/templates/-rows" => kept(account, templates::read(state, account).await),
        "/app/jobs" | "/app/jobs/rows" => kept(account, jobs::read(state, account, path, now).await),
        "/app/keys" => kept(account, keys::read(state, account, now).await),
        "/admin/health" => kept(account, admin::health::read(state).await),
        path => match path.strip_prefix("/app/jobs/") {
            Some(id) if !id.contains('/') => kept(account, jobs::read_one(state, account, id, now).await),
            Some(_) | None => None,
        },
    }
}
