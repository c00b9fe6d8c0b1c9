//! The form for a new key.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use docmill_config::clock;
use docmill_domain::account::NewKey;
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::limits::Ceilings;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{self, FormData, FormErrors, select};
use docmill_site::layout::Page;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::{Proved, Viewer};

use docmill_domain::time::Timestamp;
use docmill_store::accounts::KeyAdded;
use maud::{Markup, html};

use super::{fields, shown_once};

const MODES: [Mode; 2] = [Mode::Live, Mode::Test];

pub(super) async fn show(State(state): State<AppState>, viewer: Viewer, _user: SignedIn, _proved: Proved) -> Response {
    // The id is part of the form, so that sending it twice creates one key.
    let id = NewKey::id();
    let data = FormData::of(&[("id", id.as_str()), ("mode", Mode::Test.as_str()), ("access", fields::ALL_TOOLS)]);
    Page::new("Create a key", page(&state, &viewer, &data, &FormErrors::default())).respond(&state, &viewer)
}

pub(super) async fn create(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    _proved: Proved,
    data: FormData,
) -> Result<Response, PageError> {
    let now = clock::now();
    let wanted = match read(&state, &viewer, &user, &data, now) {
        Ok(wanted) => wanted,
        Err(errors) => return Ok(again(&state, &viewer, &data, &errors)),
    };
    let exists = || {
        let message = "This key already exists. If you have lost its secret, regenerate it.";
        Ok(Flash::info(message).on(&state, "/app/keys"))
    };
    let keys = state.context.accounts.keys_of(&user.account, now).await?;
    if keys.iter().any(|key| key.key.key_id == wanted.key_id) {
        return exists();
    }
    let secret = ApiKey::generate(wanted.mode);
    match state.context.accounts.add_key(&wanted.with_secret(&secret, now), now).await? {
        KeyAdded::Yes(key) => {
            let note =
                html! { p.muted { "If the key leaks, regenerate or revoke it here. It stops working at once." } };
            let content = shown_once(&state, "Your new key", &key, &secret, &note);
            Ok(Page::new("Your new key", content).status(StatusCode::CREATED).respond(&state, &viewer))
        }
        KeyAdded::Exists => exists(),
        KeyAdded::TooMany => {
            let mut errors = FormErrors::default();
            errors.add("name", "You have reached the limit of keys. Revoke one that you no longer need.");
            Ok(again(&state, &viewer, &data, &errors))
        }
        KeyAdded::NoAccount => Err(PageError::NotFound),
    }
}

fn again(state: &AppState, viewer: &Viewer, data: &FormData, errors: &FormErrors) -> Response {
    let content = page(state, viewer, data, errors);
    Page::new("Create a key", content).status(StatusCode::UNPROCESSABLE_ENTITY).respond(state, viewer)
}

fn read(
    state: &AppState,
    viewer: &Viewer,
    user: &SignedIn,
    data: &FormData,
    now: Timestamp,
) -> Result<NewKey, FormErrors> {
    let mut errors = FormErrors::default();
    let mode = MODES.into_iter().find(|mode| mode.as_str() == data.get("mode"));
    if mode.is_none() {
        errors.add("mode", "Choose live or test.");
    }
    let plan = viewer.settings.plan(&user.profile.plan);
    match (mode, fields::read(state, viewer, data, now, &mut errors)) {
        (Some(mode), Some(details)) => Ok(NewKey {
            key_id: Some(data.get("id")).filter(|id| NewKey::is_id(id)).map_or_else(NewKey::id, str::to_owned),
            account: user.account.clone(),
            name: details.name,
            mode,
            allowed_tools: details.allowed_tools,
            allowed_origins: details.allowed_origins,
            expires_at: details.expires_at,
            create_limit: plan.create_limit,
            read_limit: plan.read_limit,
            limits: Ceilings::default(),
        }),
        (Some(_) | None, _) => Err(errors),
    }
}

fn page(state: &AppState, viewer: &Viewer, data: &FormData, errors: &FormErrors) -> Markup {
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/app/keys")) { "API keys" } } } }
        header.page-head { h1 { "Create a key" } }
        (form::form(state, viewer, "/app/keys", html! {
            input type="hidden" name="id" value=(data.get("id"));
            (fields::name_field(data, errors))
            (select("mode", "Mode", vec![("test", "Test: free, marks every page with TEST"), ("live", "Live: uses credits")])
                .value(data.get("mode")).error(errors.of("mode")).required())
            (fields::limit_fields(state, viewer, data, errors))
            div.actions {
                button.button.primary type="submit" { "Create key" } " "
                a.button href=(state.link("/app/keys")) { "Cancel" }
            }
        }))
    }
}
