//! Checks a webhook that somebody pasted. It is judged and forgotten: nothing is stored or logged.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use docmill::clock;
use docmill::domain::signature::{Received, TOLERANCE_SECONDS, Verdict};
use maud::{Markup, html};
use std::time::Duration;

use crate::form::{self, FormData, FormErrors, input, textarea};
use crate::layout::Page;
use crate::pages::parts::rough;
use crate::session::SignedIn;
use crate::state::AppState;
use crate::visit::Viewer;

pub(super) async fn show(State(state): State<AppState>, viewer: Viewer, _user: SignedIn) -> Response {
    let content = page(&state, &viewer, &FormData::default(), &FormErrors::default(), None);
    Page::new("Verify a webhook", content).respond(&state, &viewer)
}

pub(super) async fn check(State(state): State<AppState>, viewer: Viewer, _user: SignedIn, data: FormData) -> Response {
    let mut errors = FormErrors::default();
    for (field, message) in [
        ("secret", "Paste the secret that your receiver verifies with."),
        ("headers", "Paste the request's headers, one on each line."),
        ("body", "Paste the request's body, exactly as it came."),
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
            p.lead { "Paste what your receiver got. It is checked here as your receiver should check it, and then forgotten: nothing of it is stored or logged." }
        }
        @if let Some(verdict) = verdict { (said(verdict)) }
        (form::form(state, viewer, "/app/webhooks/verify", html! {
            (input("password", "secret", "Secret").value(data.get("secret")).error(errors.of("secret"))
                .hint("It begins with whsec_.").with("autocomplete", "off").required())
            (textarea("headers", "Headers", 5).value(data.raw("headers")).error(errors.of("headers"))
                .hint("One on each line: webhook-id, webhook-timestamp, webhook-signature.").required())
            (textarea("body", "Body", 8).value(data.raw("body")).error(errors.of("body"))
                .hint("The exact text, not reformatted.").required())
            div.actions { button.button.primary type="submit" { "Verify" } }
        }))
    }
}

fn said(verdict: Verdict) -> Markup {
    let is_valid = verdict == Verdict::Valid;
    html! {
        div class={ "note " (if is_valid { "success" } else { "danger" }) } role=(if is_valid { "status" } else { "alert" }) {
            p { strong { @if is_valid { "Valid" } @else { "Not valid" } } }
            p { (reason(verdict)) }
        }
    }
}

fn reason(verdict: Verdict) -> String {
    let seconds = |seconds: i64| rough(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)));
    match verdict {
        Verdict::Valid => "It was signed with this secret, just now, and nothing of it was changed.".to_owned(),
        Verdict::Old { seconds: age } => format!(
            "The signature is right, but it is {} old: a receiver must refuse what is older than {}, since it may be a \
             repetition by somebody else.",
            seconds(age),
            seconds(TOLERANCE_SECONDS)
        ),
        Verdict::Ahead { seconds: age } => format!(
            "The signature is right, but of a time that lies {} ahead. Is a clock wrong?",
            seconds(age)
        ),
        Verdict::MalformedSecret => {
            "The secret is none: after whsec_ it must be base64. Was it copied whole?".to_owned()
        }
        Verdict::MissingHeader(name) => format!("The header {name} is missing, or has no value."),
        Verdict::MalformedTimestamp => {
            "The header webhook-timestamp must be a whole number: seconds since 1970.".to_owned()
        }
        Verdict::NoSignature => {
            "The header webhook-signature has no signature of the form v1,… that this check knows.".to_owned()
        }
        Verdict::TrailingLineBreak => {
            "The signature is of the body without the line break at its end. Read the body as bytes, and change nothing."
                .to_owned()
        }
        Verdict::Mismatch => {
            "The signature does not fit. Either the secret is another one, or the id, the time or the body was changed: a \
             body that was parsed and written again is another body."
                .to_owned()
        }
    }
}
