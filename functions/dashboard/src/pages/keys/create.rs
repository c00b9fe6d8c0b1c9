//! The form for a new key.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use docmill::clock;
use docmill::domain::account::{NewKey, parse_origin};
use docmill::domain::api_key::{ApiKey, Mode};
use docmill::domain::limits::Ceilings;

use docmill::domain::time::Timestamp;
use docmill::store::accounts::KeyAdded;
use maud::{Markup, html};

use super::shown_once;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{self, FormData, FormErrors, input, select, text, textarea};
use crate::layout::Page;
use crate::listing::Listing;
use crate::session::SignedIn;
use crate::state::AppState;
use crate::viewer::{Proved, Viewer};

const MAX_NAME: usize = 80;
const MAX_ORIGINS: usize = 20;
const MODES: [Mode; 2] = [Mode::Live, Mode::Test];

pub(super) async fn show(State(state): State<AppState>, viewer: Viewer, _user: SignedIn, _proved: Proved) -> Response {
    // The id comes with the form, so that sending it twice creates one key.
    let id = NewKey::id();
    let data = FormData::of(&[("id", id.as_str()), ("mode", Mode::Live.as_str())]);
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
    let keys = state.context.accounts.keys_of(&user.account, now).await?;
    if keys.iter().any(|key| key.key.key_id == wanted.key_id) {
        let message = "This key already exists. If you have lost its secret, regenerate it.";
        return Ok(Flash::info(message).on(&state, "/app/keys"));
    }
    let secret = ApiKey::generate(wanted.mode);
    match state.context.accounts.add_key(&wanted.with_secret(&secret, now), now).await? {
        KeyAdded::Yes(key) => {
            let note =
                html! { p.muted { "If the key leaks, regenerate or revoke it here. It stops working at once." } };
            let content = shown_once(&state, "Your new key", &key, &secret, &note);
            Ok(Page::new("Your new key", content).status(StatusCode::CREATED).respond(&state, &viewer))
        }
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
    let name = data.get("name");
    if name.is_empty() {
        errors.add("name", "Enter a name for the key.");
    } else if name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        errors.add("name", format!("Use at most {MAX_NAME} characters on one line."));
    }
    let mode = MODES.into_iter().find(|mode| mode.as_str() == data.get("mode"));
    if mode.is_none() {
        errors.add("mode", "Choose live or test.");
    }
    let tools = chosen_tools(state, viewer, data);
    let origins: Option<Vec<_>> = data.lines("origins").into_iter().map(parse_origin).collect();
    match &origins {
        None => errors.add("origins", "Enter one origin per line, such as https://app.example, without a path."),
        Some(origins) if origins.len() > MAX_ORIGINS => {
            errors.add("origins", format!("Enter at most {MAX_ORIGINS} origins."));
        }
        Some(_) => {}
    }
    let expires = match data.get("expires") {
        "" => Ok(None),
        date => Timestamp::end_of_day(date).filter(|end| *end > now).map(Some).ok_or(()),
    };
    if expires.is_err() {
        errors.add("expires", "Choose today or a later day.");
    }
    let plan = viewer.settings.plan(&user.profile.plan);
    match (mode, origins, expires) {
        (Some(mode), Some(origins), Ok(expires_at)) if errors.is_empty() => Ok(NewKey {
            key_id: Some(data.get("id")).filter(|id| NewKey::is_id(id)).map_or_else(NewKey::id, str::to_owned),
            account: user.account.clone(),
            name: name.to_owned(),
            mode,
            allowed_tools: (!tools.is_empty()).then_some(tools),
            allowed_origins: origins,
            expires_at,
            create_limit: plan.create_limit,
            read_limit: plan.read_limit,
            limits: Ceilings::default(),
        }),
        _ => Err(errors),
    }
}

/// The tools that may be chosen.
fn tools<'a>(state: &'a AppState, viewer: &'a Viewer) -> Vec<Listing<'a>> {
    viewer.user.as_ref().map(|user| Listing::usable(state, viewer, user)).unwrap_or_default()
}

fn chosen_tools(state: &AppState, viewer: &Viewer, data: &FormData) -> Vec<String> {
    let chosen = data.all("tool");
    let slugs = tools(state, viewer).into_iter().map(|listing| listing.definition.slug.clone());
    slugs.filter(|slug| chosen.contains(&slug.as_str())).collect()
}

fn page(state: &AppState, viewer: &Viewer, data: &FormData, errors: &FormErrors) -> Markup {
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/app/keys")) { "API keys" } } } }
        header.page-head { h1 { "Create a key" } }
        (form::form(state, viewer, "/app/keys", html! {
            input type="hidden" name="id" value=(data.get("id"));
            (text("name", "Name").value(data.get("name")).error(errors.of("name"))
                .hint("Only you see it, for example the name of the program that uses the key.").with("maxlength", MAX_NAME)
                .with("autocomplete", "off").required())
            (select("mode", "Mode", vec![("live", "Live: uses credits"), ("test", "Test: free, marks every page with TEST")])
                .value(data.get("mode")).error(errors.of("mode")).required())
            fieldset.field aria-describedby="tools-hint" {
                legend { "Tools " span.optional { "optional" } }
                @for listing in tools(state, viewer) {
                    @let slug = listing.definition.slug.as_str();
                    div.field.check {
                        input type="checkbox" id={ "tool-" (slug) } name="tool" value=(slug) checked[data.all("tool").contains(&slug)];
                        label for={ "tool-" (slug) } { (listing.name) }
                    }
                }
                p.hint #tools-hint { "If you choose none, the key can use all tools of the account, including future ones." }
            }
            (textarea("origins", "Origins", 3).value(data.raw("origins")).error(errors.of("origins"))
                .hint("One per line, such as https://app.example. Leave empty to allow requests from anywhere."))
            (input("date", "expires", "Last day").value(data.get("expires")).error(errors.of("expires"))
                .hint("In UTC. Leave empty for a key that does not expire."))
            div.actions {
                button.button.primary type="submit" { "Create key" } " "
                a.button href=(state.link("/app/keys")) { "Cancel" }
            }
        }))
    }
}
