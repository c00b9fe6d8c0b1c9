//! Editing a key: name, tools, origins and last day. The secret does not change.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use docmill_config::clock;
use docmill_domain::account::StoredKey;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{self, FormData, FormErrors};
use docmill_site::layout::Page;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::{Proved, Viewer};
use docmill_store::accounts::keys::KeyChanged;
use maud::Markup;
use maud::html;

use super::change::{alive, head};
use super::fields;

pub(super) async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    _proved: Proved,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let key = alive(&state, &user, &id).await?.key;
    let content = page(&state, &viewer, &key, &fields::of_key(&key), &FormErrors::default());
    Ok(Page::new("Edit a key", content).respond(&state, &viewer))
}

pub(super) async fn save(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    _proved: Proved,
    Path(id): Path<String>,
    data: FormData,
) -> Result<Response, PageError> {
    let now = clock::now();
    let key = alive(&state, &user, &id).await?.key;
    let mut errors = FormErrors::default();
    let Some(mut details) = fields::read(&state, &viewer, &data, now, &mut errors) else {
        let content = page(&state, &viewer, &key, &data, &errors);
        return Ok(Page::new("Edit a key", content).status(StatusCode::UNPROCESSABLE_ENTITY).respond(&state, &viewer));
    };
    // The form does not list tools that are currently disabled. The key keeps them.
    if let (Some(chosen), Some(own)) = (&mut details.allowed_tools, &key.allowed_tools) {
        let offered = fields::tools(&state, &viewer);
        let is_offered = |slug: &String| offered.iter().any(|listing| listing.definition.slug == *slug);
        chosen.extend(own.iter().filter(|slug| !is_offered(slug)).cloned());
    }
    let flash = match state.context.accounts.edit_key(&user.account, &id, &details, now).await? {
        KeyChanged::Yes => Flash::success("The key was saved. Requests with it follow the new settings at once."),
        KeyChanged::NoSuchKey => return Err(PageError::NotFound),
    };
    Ok(flash.on(&state, "/app/keys"))
}

fn page(state: &AppState, viewer: &Viewer, key: &StoredKey, data: &FormData, errors: &FormErrors) -> Markup {
    html! {
        (head(state, key, "Edit this key"))
        p { "The secret stays the same." }
        (form::form(state, viewer, &format!("/app/keys/{}/edit", key.key_id), html! {
            (fields::name_field(data, errors))
            (fields::limit_fields(state, viewer, data, errors))
            div.actions {
                button.button.primary type="submit" { "Save" } " "
                a.button href=(state.link("/app/keys")) { "Cancel" }
            }
        }))
    }
}
