//! The account's fonts: a list, and adding fonts. `fonts.js` uploads the files and adds each with its own request.

mod one;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use docmill_domain::font::{FontFace, FontId, MOST_FONTS, StoredFont};
use docmill_fonts::MOST_BYTES;
use docmill_http::error::ErrorCode;
use docmill_site::error::PageError;
use docmill_site::form::{FormData, token_field};
use docmill_site::layout::{Page, fragment};
use docmill_site::parts::{bytes, moment};
use docmill_site::security::Policy;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::upload::{self, Accepted, progress, refusal};

pub const PATH: &str = "/app/fonts";
const SCRIPTS: [&str; 2] = ["requests.js", "fonts.js"];
const FONT: Accepted = Accepted { what: "font", most_bytes: MOST_BYTES, refused: ErrorCode::InvalidFont };
const ACCEPTED: &str = ".ttf,.otf,.ttc,.woff2";
/// Most faces of a collection that a row lists.
const MOST_NAMED: usize = 4;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route(PATH, get(list).post(add))
        .route("/app/fonts/rows", get(rows))
        .route("/app/fonts/uploads", post(announce))
        .route("/app/fonts/{id}", get(one::show))
        .route("/app/fonts/{id}/delete", get(one::ask_to_delete).post(one::delete))
}

/// The account's fonts, oldest first.
pub(super) async fn read(state: &AppState, account: &str) -> Result<Vec<(FontId, StoredFont)>, PageError> {
    Ok(state.fonts.of_account(account).await?)
}

async fn list(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let fonts = viewer.read_or(&user, read(&state, &user.account)).await?;
    let content = html! {
        header.page-head {
            h1 { "Fonts" }
            p.lead { "Your office, HTML and Markdown jobs use these fonts by their family names. Jobs of other accounts do not." }
        }
        div #fonts { (table(&state, &fonts)) }
        (form(&state, &viewer))
    };
    let bucket = state.context.files.origin().await.map_err(|error| PageError::Unavailable(error.to_string()))?;
    let page = Page::new("Fonts", content).policy(Policy::default().connect(bucket).html_by("docmill"));
    Ok(with_scripts(page).respond(&state, &viewer))
}

fn with_scripts(page: Page<'_>) -> Page<'_> {
    SCRIPTS.into_iter().fold(page, Page::script)
}

/// The list after a font was added.
async fn rows(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let fonts = viewer.read_or(&user, read(&state, &user.account)).await?;
    Ok(fragment(table(&state, &fonts)))
}

fn table(state: &AppState, fonts: &[(FontId, StoredFont)]) -> Markup {
    html! {
        p.muted { (fonts.len()) " of " (MOST_FONTS) " fonts."
            @if fonts.len() >= MOST_FONTS { " Delete one that you no longer need before you add another." }
        }
        @if fonts.is_empty() { p.empty { "You have no fonts yet. Jobs use the fonts of the service." } }
        @else {
            div.table-frame tabindex="0" role="region" aria-label="Fonts" {
                table {
                    thead { tr {
                        th scope="col" { "Family" }
                        th scope="col" { "Styles" }
                        th scope="col" { "Format" }
                        th scope="col" { "Size" }
                        th scope="col" { "Added" }
                        th scope="col" { span.quiet { "Actions" } }
                    } }
                    tbody { @for (id, font) in fonts { (row(state, id, font)) } }
                }
            }
        }
    }
}

fn row(state: &AppState, id: &FontId, font: &StoredFont) -> Markup {
    let path = state.link(&format!("{PATH}/{id}"));
    let styles = || font.faces.iter().map(|face| face.style.as_str());
    html! {
        tr {
            th.long scope="row" { a href=(path) { (family(font)) } }
            td { (styles().take(MOST_NAMED).collect::<Vec<_>>().join(", "))
                @if let Some(more) = font.faces.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) { " and " (more) " more" } }
            td { (font.format.to_uppercase()) }
            td { (bytes(font.bytes)) }
            td { (moment(font.created_at)) }
            td { a.button.small.danger href=(format!("{path}/delete")) { "Delete" span.quiet { " " (name(font)) } } }
        }
    }
}

fn family(font: &StoredFont) -> &str {
    font.faces.first().map_or("", |face| &face.family)
}

/// `Acme Bold`, or only the family if there are several faces.
fn name(font: &StoredFont) -> String {
    match font.faces.as_slice() {
        [FontFace { family, style, .. }] => format!("{family} {style}"),
        _ => family(font).to_owned(),
    }
}

fn form(state: &AppState, viewer: &Viewer) -> Markup {
    html! {
        section.card aria-labelledby="add" {
            h2 #add { "Add fonts" }
            form.form #add-fonts method="post" action=(state.link(PATH)) novalidate
                data-uploads=(state.link(&format!("{PATH}/uploads"))) data-rows=(state.link(&format!("{PATH}/rows"))) {
                (token_field(viewer))
                div.field.drop {
                    label for="file" { "Drop fonts here, or choose some" }
                    input type="file" id="file" multiple accept=(ACCEPTED) aria-describedby="file-hint file-error file-chosen";
                    ol.files #file-chosen {}
                    p.error #file-error {}
                    p.hint #file-hint {
                        "TTF, OTF, TTC or WOFF2. Up to " (bytes(MOST_BYTES as u64)) " each, WOFF2 also when unpacked. Add each style that your "
                        "documents use. You are responsible for having a license."
                    }
                    noscript { p.error { "Uploading a font needs JavaScript. You can add it by the API: see the guide " a href=(state.link("/docs/fonts")) { "Fonts" } "." } }
                }
                p.actions { button.button.primary type="submit" { "Add" } }
                (progress())
                p.note.warn #connection role="status" hidden {}
            }
            div role="status" { ul.plain #outcomes {} }
        }
    }
}

/// A signed link for a font file.
async fn announce(State(state): State<AppState>, user: SignedIn, Json(body): Json<Map<String, Value>>) -> Response {
    upload::announce(&state, &user.account, &body, &FONT).await
}

/// Adds the font of an upload. For the script.
async fn add(State(state): State<AppState>, user: SignedIn, data: FormData) -> Response {
    let body = Map::from_iter([("uploadId".to_owned(), json!(data.get("uploadId")))]);
    match state.add_font(&user.account, &body).await {
        Ok(kept) => Json(json!({"font": kept.view})).into_response(),
        Err(error) if error.details.is_empty() => refusal(&error),
        Err(error) => refusal(&error.with_message("The upload has expired. Choose the file again.")),
    }
}
