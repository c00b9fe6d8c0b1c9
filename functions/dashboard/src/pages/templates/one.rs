//! A template: its versions, the data that it expects, and deletion.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use docmill_app::templates::TemplateError;
use docmill_aws::files::{ObjectKey, TemplatePart};
use docmill_domain::template::{MOST_VERSIONS, TemplateName, TemplateView, Version, chosen};
use docmill_look::code::{copyable_code, tabs};
use docmill_look::highlight::Syntax;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{FormData, confirm};
use docmill_site::layout::Page;
use docmill_site::parts::{bytes, moment};
use docmill_site::session::SignedIn;
use docmill_site::state::{AppState, redirect_to};
use docmill_site::viewer::Viewer;
use docmill_store::templates::Versions;
use maud::{Markup, html};
use serde_json::{Map, json};

use super::PATH;
use crate::pages::playground;

/// The tool that fills in templates.
const TOOL: &str = "render-template";

/// The user's own template. Other accounts' templates, unknown ones and invalid names get the same page.
async fn own_template(state: &AppState, user: &SignedIn, name: &str) -> Result<(TemplateName, Versions), PageError> {
    let name = TemplateName::parse(name).ok_or(PageError::NotFound)?;
    let versions = state.context.templates.named(&user.account, &name).await?;
    if versions.each().is_empty() { Err(PageError::NotFound) } else { Ok((name, versions)) }
}

fn unreadable(error: TemplateError) -> PageError {
    match error {
        TemplateError::NotFound => PageError::NotFound,
        TemplateError::Invalid(_)
        | TemplateError::Unusable(_)
        | TemplateError::TooMany(_)
        | TemplateError::Fault(_) => PageError::Unavailable(error.to_string()),
    }
}

/// The user's own template, with the data that its newest version expects.
pub(crate) async fn expected(
    state: &AppState,
    user: &SignedIn,
    name: &str,
) -> Result<(TemplateName, Versions, TemplateView), PageError> {
    let (name, versions) = own_template(state, user, name).await?;
    let newest = state.templates.show_of(&user.account, &name, &versions, None).await.map_err(unreadable)?;
    Ok((name, versions, newest))
}

pub(super) async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(name): Path<String>,
) -> Result<Response, PageError> {
    let (name, versions, newest) = expected(&state, &user, &name).await?;
    Ok(Page::new(name.as_str(), page(&state, &name, versions.each(), &newest)).respond(&state, &viewer))
}

/// Redirects to a newly signed link to the file of a version.
pub(super) async fn download(
    State(state): State<AppState>,
    user: SignedIn,
    Path((name, version)): Path<(String, u32)>,
) -> Result<Response, PageError> {
    let (name, versions) = own_template(&state, &user, &name).await?;
    let version = chosen(versions.each(), Some(version)).ok_or(PageError::NotFound)?;
    let key = ObjectKey::of_template(&user.account, &name, version, TemplatePart::File);
    let filename = format!("{name}-{}.{}", version.version, version.format.extension());
    let link = state.context.files.template_link(&key, version.format.content_type(), &filename).await;
    let link = link.map_err(|error| PageError::Unavailable(error.to_string()))?;
    Ok(redirect_to(link.reveal()).into_response())
}

/// A job with an example of the data in each language.
fn code(state: &AppState, name: &TemplateName, newest: &TemplateView) -> Markup {
    let catalogue = &state.context.catalogue;
    let body = [
        ("input".to_owned(), json!({"template": {"name": name.as_str()}})),
        ("options".to_owned(), json!({"data": newest.example})),
    ];
    html! {
        @if let Some(tool) = catalogue.find(TOOL) {
            (tabs("template-code", "Language", &playground::code::code(catalogue, tool, &Map::from_iter(body), &[])))
        }
    }
}

fn page(state: &AppState, name: &TemplateName, versions: &[Version], newest: &TemplateView) -> Markup {
    html! {
        (crumbs(state))
        header.page-head {
            h1 { (name) }
            @if let Some(version) = chosen(versions, None) {
                p.lead { "Version " (version.version) ", " (version.format.extension().to_uppercase()) ", added " (moment(version.created_at)) }
            }
            p.actions {
                a.button.primary href=(state.link(&format!("/app/playground?tool={TOOL}&template={name}"))) { "Fill it in" }
                a.button.danger href=(state.link(&format!("{PATH}/{name}/delete"))) { "Delete" }
            }
        }
        section.card aria-labelledby="use" {
            h2 #use { "Use it" }
            p { "This fills in the newest version, with an example of the data that it expects:" }
            (code(state, name, newest))
            details { summary { "The schema of its data" } (copyable_code("template-schema", Syntax::Json, &format!("{:#}", json!(newest.schema)))) }
        }
        section aria-labelledby="versions" {
            h2 #versions { "Versions" }
            p.muted { (versions.len()) " of " (MOST_VERSIONS) "."
                @if versions.len() >= MOST_VERSIONS { " Delete some that you no longer use before you add another." }
            }
            div.table-frame tabindex="0" role="region" aria-label="Versions" {
                table {
                    thead { tr {
                        th scope="col" { "Version" }
                        th scope="col" { "Format" }
                        th scope="col" { "Size" }
                        th scope="col" { "Added" }
                        th scope="col" { span.quiet { "Actions" } }
                    } }
                    tbody { @for version in versions.iter().rev() { (row(state, name, version)) } }
                }
            }
        }
    }
}

fn row(state: &AppState, name: &TemplateName, version: &Version) -> Markup {
    let number = version.version;
    html! {
        tr {
            th scope="row" { "Version " (number) }
            td { (version.format.extension().to_uppercase()) }
            td { (bytes(version.bytes)) }
            td { (moment(version.created_at)) }
            td.actions {
                a.button.small href=(state.link(&format!("{PATH}/{name}/{number}/file"))) {
                    "Download" span.quiet { " version " (number) }
                }
                a.button.small.danger href=(state.link(&format!("{PATH}/{name}/{number}/delete"))) {
                    "Delete" span.quiet { " version " (number) }
                }
            }
        }
    }
}

fn crumbs(state: &AppState) -> Markup {
    html! { nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link(PATH)) { "Templates" } } } } }
}

/// Asks for confirmation on its own page.
pub(super) async fn ask_to_delete_all(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(name): Path<String>,
) -> Result<Response, PageError> {
    let (name, versions) = own_template(&state, &user, &name).await?;
    let what = match versions.each() {
        [_] => format!("Delete {name}?"),
        all => format!("Delete {name} and its {} versions?", all.len()),
    };
    let path = format!("{PATH}/{name}/delete");
    Ok(confirmation(&state, &viewer, &what, &path, &format!("{PATH}/{name}")))
}

pub(super) async fn ask_to_delete(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path((name, version)): Path<(String, u32)>,
) -> Result<Response, PageError> {
    let (name, versions) = own_template(&state, &user, &name).await?;
    chosen(versions.each(), Some(version)).ok_or(PageError::NotFound)?;
    let path = format!("{PATH}/{name}/{version}/delete");
    let what = format!("Delete version {version} of {name}?");
    Ok(confirmation(&state, &viewer, &what, &path, &format!("{PATH}/{name}")))
}

fn confirmation(state: &AppState, viewer: &Viewer, what: &str, path: &str, back: &str) -> Response {
    let content = html! {
        (crumbs(state))
        header.page-head { h1 { (what) } }
        p { "Jobs that name it and have not read it yet fail, and cost nothing. Its file is deleted at once." }
        (confirm(state, viewer, (path, "Delete the template"), (back, "Keep it")))
    };
    Page::new("Delete a template", content).respond(state, viewer)
}

pub(super) async fn delete_all(
    State(state): State<AppState>,
    user: SignedIn,
    Path(name): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let (name, _) = own_template(&state, &user, &name).await?;
    Ok(deleted(&state, &user, &name, None).await.on(&state, PATH))
}

pub(super) async fn delete(
    State(state): State<AppState>,
    user: SignedIn,
    Path((name, version)): Path<(String, u32)>,
    _data: FormData,
) -> Result<Response, PageError> {
    let (name, versions) = own_template(&state, &user, &name).await?;
    let told = deleted(&state, &user, &name, Some(version)).await;
    let others_remain = versions.each().iter().any(|known| known.version != version);
    let next = if others_remain { format!("{PATH}/{name}") } else { PATH.to_owned() };
    Ok(told.on(&state, &next))
}

async fn deleted(state: &AppState, user: &SignedIn, name: &TemplateName, version: Option<u32>) -> Flash {
    match (state.delete_template(&user.account, name, version).await, version) {
        (Ok(_), Some(version)) => Flash::success(format!("Version {version} of {name} was deleted.")),
        (Ok(_), None) => Flash::success(format!("{name} was deleted.")),
        (Err(error), _) => Flash::error(error.message),
    }
}
