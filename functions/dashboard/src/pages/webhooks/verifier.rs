//! Checks a pasted webhook. Nothing of it is stored or logged.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use docmill_config::clock;
use docmill_signing::signature::{Received, TOLERANCE_SECONDS, Verdict};
use docmill_site::form::{self, FormData, FormErrors, input, textarea};
use docmill_site::layout::Page;
use docmill_site::parts::rough;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};
use std::time::Duration;

pub(super) async fn show(State(state): State<AppState>, viewer: Viewer, _user: SignedIn) -> Response {
    let content = page(&state, &viewer, &FormData::default(), &FormErrors::default(), None);
    Page::new("Verify a webhook", content).respond(&state, &viewer)
}

pub(super) async fn check(State(state): State<AppState>, viewer: Viewer, _user: SignedIn, data: FormData) -> Response {
    let mut errors = FormErrors::default();
    for (field, message) in [
        ("secret", "Paste the signing secret of your receiver."),
        ("headers", "Paste the headers of the request, one per line."),
        ("body", "Paste the body of the request, exactly as received."),
    ] {
        if data.get(field).is_empty() {
            errors.add(field, message);
        }
    }
    if !errors.is_empty() {
        let content = page(&state, &viewer, &data, &errors, None);
        return Page::new("Verify a webhook", content)
            .status(StatusCode::UNPROCESSABLE_ENTITY)
            .respond(&state, &viewer);
    }
    let received = Received { secret: data.get("secret"), headers: data.raw("headers"), body: data.raw("body") };
    let verdict = received.verify(clock::now());
    let content = page(&state, &viewer, &data, &errors, Some(verdict));
    Page::new("Verify a webhook", content).respond(&state, &viewer)
}

fn page(state: &AppState, viewer: &Viewer, data: &FormData, errors: &FormErrors, verdict: Option<Verdict>) -> Markup {
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/app/webhooks")) { "Webhooks" } } } }
        header.page-head {
            h1 { "Verify a webhook" }
            p.lead { "Paste the request that your receiver got. It is checked as your receiver should check it, and neither stored nor logged." }
        }
        @if let Some(verdict) = verdict { (said(verdict)) }
        (form::form(state, viewer, "/app/webhooks/verify", html! {
            (input("password", "secret", "Secret").value(data.get("secret")).error(errors.of("secret"))
                .hint("Begins with whsec_.").with("autocomplete", "off").required())
            (textarea("headers", "Headers", 5).value(data.raw("headers")).error(errors.of("headers"))
                .hint("One per line: webhook-id, webhook-timestamp, webhook-signature.").required())
            (textarea("body", "Body", 8).value(data.raw("body")).error(errors.of("body"))
                .hint("The exact text, without reformatting.").required())
            div.actions { button.button.primary type="submit" { "Verify" } }
        }))
    }
}

fn said(verdict: Verdict) -> Markup {
    let is_valid = verdict == Verdict::Valid;
    html! {
        div class={ "note " (if is_valid { "success" } else { "danger" }) } role=(if is_valid { "status" } else { "alert" }) {
            p { strong { @if is_valid { "Valid" } @else { "Invalid" } } }
            p { (reason(verdict)) }
        }
    }
}

fn reason(verdict: Verdict) -> String {
    let seconds = |seconds: i64| rough(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)));
    match verdict {
        Verdict::Valid => "The signature matches the secret, and the timestamp is recent.".to_owned(),
        Verdict::Old { seconds: age } => format!(
            "The signature is correct, but {} old. Receivers must refuse events older than {}, because an attacker could \
             have recorded and resent them.",
            seconds(age),
            seconds(TOLERANCE_SECONDS)
        ),
        Verdict::Ahead { seconds: age } => format!(
            "The signature is correct, but its time is {} in the future. Check the clocks.",
            seconds(age)
        ),
        Verdict::MalformedSecret => {
            "Invalid secret: expected whsec_ followed by base64.".to_owned()
        }
        Verdict::MissingHeader(name) => format!("The header {name} is missing or empty."),
        Verdict::MalformedTimestamp => {
            "The header webhook-timestamp must be a whole number of seconds since 1970.".to_owned()
        }
        Verdict::NoSignature => {
            "The header webhook-signature has no signature that begins with v1,.".to_owned()
        }
        Verdict::TrailingLineBreak => {
            "The signature matches the body without the line break at its end. Read the body as bytes and do not change it."
                .to_owned()
        }
        Verdict::Mismatch => {
            "The signature does not match. Check the secret, and that the id, the timestamp and the body are unchanged. Do not \
             parse and rewrite the body before you verify it."
                .to_owned()
        }
    }
}
