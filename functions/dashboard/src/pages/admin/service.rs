//! Test mode, limits and the contact for credits.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use docmill_domain::offer::Contact;
use docmill_domain::tool::ServiceSettings;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{FormData, FormErrors, checkbox, form, text};
use docmill_site::layout::{Page, page};
use docmill_site::state::AppState;
use docmill_site::viewer::AdminUser;
use docmill_site::viewer::Viewer;
use docmill_store::settings::Change;
use maud::{Markup, html};

use super::choices::{limit_fields, limit_pairs, read_limits};
use super::{author, check_reason, reason_field, shown_version, stale_notice, version_field};

const PATH: &str = "/admin/service";
const CONTACT: &str = "credits_contact";

pub(super) fn routes() -> Router<AppState> {
    Router::new().route(PATH, get(edit).post(save))
}

async fn edit(State(state): State<AppState>, viewer: Viewer, _admin: AdminUser) -> Result<Response, PageError> {
    let current = state.context.settings.fresh().await?.versioned_service();
    let values = as_form(&current.value);
    let content = editor(&state, &viewer, current.version, &values, &FormErrors::default(), None);
    Ok(page(&state, &viewer, "Service", content))
}

async fn save(
    State(state): State<AppState>,
    viewer: Viewer,
    admin: AdminUser,
    sent: FormData,
) -> Result<Response, PageError> {
    let before = state.context.settings.fresh().await?.versioned_service();
    let again = |status, version, errors: &FormErrors, notice| {
        let content = editor(&state, &viewer, version, &sent, errors, notice);
        Page::new("Service", content).status(status).respond(&state, &viewer)
    };
    let mut errors = FormErrors::default();
    let wanted = read(&sent, &mut errors);
    check_reason(&sent, &mut errors);
    if !errors.is_empty() {
        return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, shown_version(&sent), &errors, None));
    }
    let change = if before.version == shown_version(&sent) {
        state.context.settings.change_service(&before, &wanted, &author(&admin, &sent)).await?
    } else {
        Change::Stale(before)
    };
    match change {
        Change::Written(_) => Ok(Flash::success("The settings were saved.").on(&state, PATH)),
        Change::Stale(current) => {
            let notice = Some(stale_notice(&current.value, &wanted)?);
            Ok(again(StatusCode::CONFLICT, current.version, &FormErrors::default(), notice))
        }
    }
}

fn as_form(settings: &ServiceSettings) -> FormData {
    let mut pairs = limit_pairs(&settings.limits);
    for (name, on) in [
        ("test_mode", settings.test_mode),
        ("webhook_delivery", settings.webhook_delivery),
        ("webhook_challenge", settings.webhook_challenge),
    ] {
        pairs.extend(on.then(|| (name.to_owned(), "on".to_owned())));
    }
    pairs.extend(settings.credits_contact.as_ref().map(|contact| (CONTACT.to_owned(), contact.as_url().to_owned())));
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    FormData::of(&pairs)
}

fn read(sent: &FormData, errors: &mut FormErrors) -> ServiceSettings {
    ServiceSettings {
        test_mode: sent.is_on("test_mode"),
        webhook_delivery: sent.is_on("webhook_delivery"),
        webhook_challenge: sent.is_on("webhook_challenge"),
        limits: read_limits(sent, errors),
        credits_contact: read_contact(sent, errors),
    }
}

fn read_contact(sent: &FormData, errors: &mut FormErrors) -> Option<Contact> {
    let text = Some(sent.get(CONTACT)).filter(|text| !text.is_empty())?;
    let contact = Contact::parse(text).ok();
    if contact.is_none() {
        errors.add(CONTACT, "Enter an email address or an https:// URL.");
    }
    contact
}

fn editor(
    state: &AppState,
    viewer: &Viewer,
    version: u64,
    values: &FormData,
    errors: &FormErrors,
    notice: Option<Markup>,
) -> Markup {
    let fields = html! {
        (version_field(version))
        (checkbox("test_mode", "Test mode").checked(values.is_on("test_mode"))
            .hint("If off, all requests with test keys get 403 test_mode_disabled."))
        (checkbox("webhook_delivery", "Webhook delivery").checked(values.is_on("webhook_delivery"))
            .hint("If off, nothing is sent. Events are still recorded, and those of the last 72 hours are sent once it is on again."))
        (checkbox("webhook_challenge", "Challenge webhook endpoints").checked(values.is_on("webhook_challenge"))
            .hint("If on, each new URL of an endpoint must answer a challenge before it gets events."))
        (text(CONTACT, "Credit contact").value(values.get(CONTACT)).error(errors.of(CONTACT))
            .hint("An email address or an https:// URL. Shown to everyone who is low on credits, and on the plans page.")
            .with("maxlength", Contact::LENGTH).with("autocomplete", "off").with("spellcheck", "false"))
        (limit_fields(values, errors, &state.context.config.limits))
        (reason_field(values, errors))
        div.actions { button.button.primary type="submit" { "Save" } }
    };
    html! {
        header.page-head { h1 { "Service" } p.lead { "Switches and limits for the whole service. Limits apply to new jobs within seconds." } }
        @if let Some(notice) = notice { (notice) }
        (form(state, viewer, PATH, fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::limits::Limit;

    #[test]
    fn what_is_read_is_what_was_shown() {
        for on in [true, false] {
            let mut settings = ServiceSettings {
                test_mode: on,
                webhook_delivery: !on,
                webhook_challenge: on,
                ..ServiceSettings::default()
            };
            settings.limits.set(Limit::Pages, on.then_some(50));
            settings.credits_contact = on.then(|| Contact::parse("https://docmill.example/buy").unwrap());
            assert_eq!(read(&as_form(&settings), &mut FormErrors::default()), settings);
        }
        let wrong = FormData::of(&[(CONTACT, "javascript:alert(1)")]);
        let mut errors = FormErrors::default();
        read(&wrong, &mut errors);
        assert!(errors.of(CONTACT).is_some());
    }
}
