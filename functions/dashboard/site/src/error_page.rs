//! Error pages.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use maud::{Markup, html};

use crate::error::{PageError, Words};
use crate::layout::{Page, sign_out};
use crate::state::AppState;
use crate::viewer::Viewer;

/// Renders a response's error. Other responses are unchanged.
pub fn dress(state: &AppState, viewer: &Viewer, response: Response) -> Response {
    let Some(words) = response.extensions().get::<Words>().copied().or_else(|| bare(&response)) else {
        return response;
    };
    let status = response.status();
    let mut page = Page::new(words.title, content(state, viewer, status, words)).status(status).respond(state, viewer);
    carry(response.headers(), page.headers_mut());
    page
}

/// The framework's own errors are plain text, e.g. for invalid paths or bodies.
fn bare(response: &Response) -> Option<Words> {
    let has_page =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| !kind.as_bytes().starts_with(b"text/plain"));
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    // Responses to scripts are unchanged.
    let redirects = response.headers().contains_key("hx-redirect");
    (is_error && !has_page && !redirects).then(|| match response.status() {
        StatusCode::NOT_FOUND => PageError::NotFound.words(),
        status if status.is_server_error() => PageError::Internal(String::new()).words(),
        _ => PageError::BadRequest.words(),
    })
}

fn carry(from: &HeaderMap<HeaderValue>, to: &mut HeaderMap<HeaderValue>) {
    for (name, value) in from {
        if matches!(*name, header::ALLOW | header::SET_COOKIE) {
            to.append(name, value.clone());
        }
    }
}

fn content(state: &AppState, viewer: &Viewer, status: StatusCode, words: Words) -> Markup {
    html! {
        section.notice-page {
            p.eyebrow { (status.as_u16()) }
            h1 { (words.title) }
            p.lead { (words.text) }
            p.actions {
                @if viewer.suspended {
                    (sign_out(state, viewer))
                } @else if viewer.user.is_some() {
                    a.button.primary href=(state.link("/app")) { "Go to the dashboard" }
                } @else {
                    a.button.primary href=(state.link("/")) { "Go to the homepage" }
                    a.button href=(state.link("/app")) { "Sign in" }
                }
            }
        }
    }
}
