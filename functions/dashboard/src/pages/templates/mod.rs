//! The account's stored templates: a list, and adding versions. `templates.js` uploads the file and adds it with its own request.

mod one;

pub(super) use self::one::expected;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use docmill_domain::template::{MOST_TEMPLATE_BYTES, MOST_TEMPLATES, NAME_PATTERN, TemplateName, Version, chosen};
use docmill_http::error::{ApiError, ErrorCode};
use docmill_site::error::PageError;
use docmill_site::form::{FormData, text, token_field};
use docmill_site::layout::{Page, fragment};
use docmill_site::parts::{bytes, moment};
use docmill_site::security::Policy;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::templates::Versions;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::upload::{self, Accepted, progress};

const PATH: &str = "/app/templates";
// No name begins with a hyphen.
const ROWS: &str = "/app/templates/-rows";
const UPLOADS: &str = "/app/templates/-uploads";
const TEMPLATE: Accepted =
    Accepted { what: "template", most_bytes: MOST_TEMPLATE_BYTES, refused: ErrorCode::InvalidTemplate };
const ACCEPTED: &str = ".docx,.xlsx,.pptx,.odt,.html,.htm,.md,.markdown";

type Templates = Vec<(TemplateName, Versions)>;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route(PATH, get(list).post(add))
        .route(ROWS, get(rows))
        .route(UPLOADS, post(announce))
        .route("/app/templates/{name}", get(one::show))
        .route("/app/templates/{name}/delete", get(one::ask_to_delete_all).post(one::delete_all))
        .route("/app/templates/{name}/{version}/file", get(one::download))
        .route("/app/templates/{name}/{version}/delete", get(one::ask_to_delete).post(one::delete))
}

/// The account's templates by name.
pub(super) async fn read(state: &AppState, account: &str) -> Result<Templates, PageError> {
    Ok(state.templates.of_account(account).await?)
}

async fn list(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let templates = viewer.read_or(&user, read(&state, &user.account)).await?;
    let content = html! {
        header.page-head {
            h1 { "Templates" }
            p.lead { "Jobs fill these with your data. They name a template by its name, with or without a version." }
        }
        div #templates { (table(&state, &templates)) }
        (form(&state, &viewer))
    };
    let bucket = state.context.files.origin().await.map_err(|error| PageError::Unavailable(error.to_string()))?;
    let page = Page::new("Templates", content).policy(Policy::default().connect(bucket).html_by("docmill"));
    Ok(page.script("requests.js").script("templates.js").respond(&state, &viewer))
}

/// The list after a template was added.
async fn rows(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let templates = viewer.read_or(&user, read(&state, &user.account)).await?;
    Ok(fragment(table(&state, &templates)))
}

fn table(state: &AppState, templates: &Templates) -> Markup {
    let count: usize = templates.iter().map(|(_, versions)| versions.each().len()).sum();
    html! {
        p.muted { (count) " of " (MOST_TEMPLATES) " versions."
            @if count >= MOST_TEMPLATES { " Delete some that you no longer use before you add another." }
        }
        @if templates.is_empty() { p.empty { "You have no templates yet. Jobs can also fill a file that they upload." } }
        @else {
            div.table-frame tabindex="0" role="region" aria-label="Templates" {
                table {
                    thead { tr {
                        th scope="col" { "Name" }
                        th scope="col" { "Newest version" }
                        th scope="col" { "Format" }
                        th scope="col" { "Size" }
                        th scope="col" { "Added" }
                        th scope="col" { span.quiet { "Actions" } }
                    } }
                    tbody { @for (name, versions) in templates {
                        @if let Some(newest) = chosen(versions.each(), None) { (row(state, name, newest)) }
                    } }
                }
            }
        }
    }
}

fn row(state: &AppState, name: &TemplateName, newest: &Version) -> Markup {
    let path = state.link(&format!("{PATH}/{name}"));
    html! {
        tr {
            th.long scope="row" { a href=(path) { (name) } }
            td { (newest.version) }
            td { (newest.format.extension().to_uppercase()) }
            td { (bytes(newest.bytes)) }
            td { (moment(newest.created_at)) }
            td { a.button.small.danger href=(format!("{path}/delete")) { "Delete" span.quiet { " " (name) } } }
        }
    }
}

fn form(state: &AppState, viewer: &Viewer) -> Markup {
    let hint = "Letters, digits, dots, hyphens and underscores. A name that you have gets a new version.";
    html! {
        section.card aria-labelledby="add" {
            h2 #add { "Add a template" }
            form.form #add-template method="post" action=(state.link(PATH)) novalidate
                data-uploads=(state.link(UPLOADS)) data-rows=(state.link(ROWS)) {
                (token_field(viewer))
                div.field.drop {
                    label for="file" { "Drop a template here, or choose one" }
                    input type="file" id="file" accept=(ACCEPTED) aria-describedby="file-hint file-error file-chosen";
                    p.file #file-chosen {}
                    p.error #file-error {}
                    p.hint #file-hint {
                        "A Word, Excel, PowerPoint or OpenDocument file, an HTML page or Markdown, up to " (bytes(MOST_TEMPLATE_BYTES as u64))
                        ". The guide " a href=(state.link("/docs/templates")) { "Templates" } " lists the tags."
                    }
                    noscript { p.error { "Uploading a template needs JavaScript. You can add it by the API." } }
                }
                (text("name", "Name").required().hint(hint).with("maxlength", 64).with("pattern", NAME_PATTERN))
                p.actions { button.button.primary type="submit" { "Add" } }
                (progress())
                p.note.warn #connection role="status" hidden {}
            }
            div role="status" { p #outcome {} ul.plain #mistakes {} }
        }
    }
}

/// A signed link for a template's file.
async fn announce(State(state): State<AppState>, user: SignedIn, Json(body): Json<Map<String, Value>>) -> Response {
    upload::announce(&state, &user.account, &body, &TEMPLATE).await
}

/// Adds the template of an upload. For the script.
async fn add(State(state): State<AppState>, user: SignedIn, data: FormData) -> Response {
    let body = ["name", "uploadId"].map(|name| (name.to_owned(), json!(data.get(name))));
    let body = Map::from_iter(body);
    match state.add_template(&user.account, &body).await {
        Ok(kept) => Json(json!({"template": kept.view})).into_response(),
        Err(error) if error.code == ErrorCode::ValidationFailed => refusal(&in_words(error)),
        Err(error) => refusal(&error),
    }
}

/// Says which field is wrong.
fn in_words(error: ApiError) -> ApiError {
    let has = |path: &str| error.details.iter().any(|breach| breach.path == path);
    let words = if has("/name") {
        "This is no name for a template: use letters, digits, dots, hyphens and underscores."
    } else {
        "The upload has expired. Choose the file again."
    };
    ApiError { details: Vec::new(), ..error.with_message(words) }
}

fn refusal(error: &ApiError) -> Response {
    let mistakes: Vec<_> = error.details.iter().map(|breach| &breach.message).collect();
    (error.code.status(), Json(json!({"message": error.message, "mistakes": mistakes}))).into_response()
}
