//! The administration. Every page reads current settings, and every change is recorded in the audit trail.

mod account;
mod account_forms;
mod accounts;
mod activity;
mod audit;
mod choices;
pub(super) mod health;
mod plans;
mod service;
mod tools;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use axum::routing::get;
use docmill_config::clock;
use docmill_domain::audit::{Author, FieldChange, diff};
use docmill_site::error::PageError;
use docmill_site::form::{Field, FormData, FormErrors, text};
use docmill_site::layout;
use docmill_site::state::AppState;
use docmill_site::viewer::AdminUser;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};
use serde::Serialize;
use serde_json::Value;
use url::form_urlencoded;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/admin", get(show))
        .merge(tools::routes())
        .merge(plans::routes())
        .merge(accounts::routes())
        .merge(account::routes())
        .merge(service::routes())
        .merge(health::routes())
        .merge(audit::routes())
}

const PLACES: [(&str, &str, &str); 6] = [
    ("/admin/tools", "Tools", "Where tools are listed, their state and their price."),
    ("/admin/plans", "Plans", "Included credits, tools, origins and rate limits."),
    ("/admin/accounts", "Accounts", "Plan, credits, test mode, suspension; keys and usage."),
    ("/admin/service", "Service", "Test mode, limits and the contact for credits."),
    ("/admin/health", "Health", "Queues, dead letters, the sweeper and failures by tool."),
    ("/admin/audit", "Audit trail", "Who changed or viewed what, when and why."),
];

async fn show(State(state): State<AppState>, viewer: Viewer, _admin: AdminUser) -> Response {
    let content = html! {
        header.page-head {
            h1 { "Administration" }
            p.lead { "Changes here affect all users within seconds." }
        }
        h2.quiet { "Areas" }
        ul.cards {
            @for (path, name, what) in PLACES {
                li.card { h3 { a href=(state.link(path)) { (name) } } p { (what) } }
            }
        }
    };
    layout::page(&state, &viewer, "Administration", content)
}

/// Longest reason in the audit trail.
const REASON_LENGTH: usize = 500;

/// The author of a change, for the audit trail.
fn author(admin: &AdminUser, form: &FormData) -> Author {
    let reason = Some(form.get("reason").to_owned()).filter(|reason| !reason.is_empty());
    Author { actor: admin.0.email.as_str().to_owned(), reason, at: clock::now() }
}

fn reason_field<'a>(form: &FormData, errors: &'a FormErrors) -> Field<'a> {
    text("reason", "Reason")
        .value(form.get("reason"))
        .hint("For the audit trail.")
        .error(errors.of("reason"))
        .with("maxlength", REASON_LENGTH)
        .with("autocomplete", "off")
}

fn check_reason(form: &FormData, errors: &mut FormErrors) {
    if form.get("reason").chars().count() > REASON_LENGTH {
        errors.add("reason", format!("Use at most {REASON_LENGTH} characters."));
    }
}

/// The query string of an address.
fn query(RawQuery(query): RawQuery) -> FormData {
    let pairs: Vec<_> = form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    FormData::of(&pairs)
}

/// The version of the form's values.
fn shown_version(form: &FormData) -> u64 {
    // A form without a version is stale.
    form.get("version").parse().unwrap_or(u64::MAX)
}

fn version_field(version: u64) -> Markup {
    html! { input type="hidden" name="version" value=(version); }
}

/// Says that somebody else has saved in the meantime, and shows the differences. The form keeps its values.
fn stale_notice(current: &impl Serialize, wanted: &impl Serialize) -> Result<Markup, PageError> {
    let differences = diff(current, wanted).map_err(|error| PageError::Internal(error.to_string()))?;
    Ok(html! {
        div.note.danger role="alert" {
            p {
                strong { "Somebody else changed this while you were editing. " }
                "Your changes are not saved yet. Your entries are still in the form. If you save again, they replace the current values."
            }
            @if !differences.is_empty() { (changes("Current values and your entries", ("Current", "Yours"), &differences)) }
        }
    })
}

/// Changed fields with both values.
fn changes(caption: &str, (before, after): (&str, &str), changes: &[FieldChange]) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label=(caption) {
            table {
                thead { tr { th scope="col" { "Field" } th scope="col" { (before) } th scope="col" { (after) } } }
                tbody { @for change in changes {
                    tr {
                        th scope="row" { (change.field) }
                        td { (shown_value(change.before.as_ref())) }
                        td { (shown_value(change.after.as_ref())) }
                    }
                } }
            }
        }
    }
}

/// A setting's value in words.
fn shown_value(value: Option<&Value>) -> Markup {
    match value {
        None | Some(Value::Null) => html! { span.muted { "not set" } },
        Some(Value::Bool(true)) => html! { "on" },
        Some(Value::Bool(false)) => html! { "off" },
        Some(Value::String(text)) => html! { (text) },
        Some(Value::Array(values)) if values.is_empty() => html! { span.muted { "none" } },
        Some(Value::Array(values)) => html! {
            @for (index, value) in values.iter().enumerate() { @if index > 0 { ", " } (shown_value(Some(value))) }
        },
        Some(number @ Value::Number(_)) => html! { (number) },
        Some(object @ Value::Object(_)) => html! { code { (object) } },
    }
}

/// A required number between two limits.
fn number<N>(form: &FormData, errors: &mut FormErrors, field: &'static str, least: N, most: N) -> N
where
    N: std::str::FromStr + PartialOrd + std::fmt::Display + Copy,
{
    match form.get(field).parse::<N>() {
        Ok(number) if (least..=most).contains(&number) => number,
        Ok(_) | Err(_) => {
            errors.add(field, format!("Enter a whole number from {least} to {most}."));
            least
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_must_be_whole_and_within_bounds() {
        for (text, expected) in
            [("5", Some(5)), ("10", Some(10)), ("11", None), ("-1", None), ("1.5", None), ("", None)]
        {
            let mut errors = FormErrors::default();
            let number = number(&FormData::of(&[("cost", text)]), &mut errors, "cost", 0u64, 10);
            assert_eq!(errors.is_empty().then_some(number), expected, "{text}");
            assert_eq!(errors.of("cost").is_some(), expected.is_none(), "{text}");
        }
    }

    #[test]
    fn a_form_without_a_version_is_stale() {
        assert_eq!(shown_version(&FormData::of(&[("version", "3")])), 3);
        for text in ["", "x", "-1"] {
            assert_eq!(shown_version(&FormData::of(&[("version", text)])), u64::MAX);
        }
    }

    #[test]
    fn values_are_escaped() {
        let shown = |value: Value| shown_value(Some(&value)).into_string();
        assert_eq!(shown(json!("<b>")), "&lt;b&gt;");
        assert_eq!(shown(json!(["a", true])), "a, on");
        assert_eq!(shown(json!([])), "<span class=\"muted\">none</span>");
    }
}
