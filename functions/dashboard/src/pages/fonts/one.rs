//! A font: its faces, a sample, and deletion.

use axum::extract::{Path, State};
use axum::response::Response;
use docmill_aws::files::{ObjectKey, SignedLink};
use docmill_domain::font::{FontId, StoredFont};
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{FormData, confirm, text};
use docmill_site::layout::Page;
use docmill_site::parts::{bytes, moment};
use docmill_site::security::Policy;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};

use super::{PATH, family, name, with_scripts};

const SAMPLE: &str = "The quick brown fox jumps over the lazy dog. 0123456789";

/// The user's own font. Other accounts' fonts, unknown fonts and invalid ids get the same page.
async fn own_font(state: &AppState, user: &SignedIn, id: &str) -> Result<(FontId, StoredFont), PageError> {
    let fonts = state.fonts.of_account(&user.account).await?;
    fonts.into_iter().find(|(known, _)| known.as_str() == id).ok_or(PageError::NotFound)
}

pub(super) async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let (id, font) = own_font(&state, &user, &id).await?;
    let unavailable = |error: docmill_aws::files::FilesError| PageError::Unavailable(error.to_string());
    let key = ObjectKey::Font { account: &user.account, upload: &font.upload };
    let link = state.context.files.upload_preview_link(&key, "font/sfnt").await.map_err(unavailable)?;
    let bucket = state.context.files.origin().await.map_err(unavailable)?;
    let page = Page::new(family(&font), page(&state, &id, &font, &link));
    let page = page.policy(Policy::default().connect(bucket).html_by("docmill"));
    Ok(with_scripts(page).respond(&state, &viewer))
}

fn page(state: &AppState, id: &FontId, font: &StoredFont, link: &SignedLink) -> Markup {
    html! {
        (crumbs(state))
        header.page-head {
            h1 { (family(font)) }
            p.lead { (font.format.to_uppercase()) ", " (bytes(font.bytes)) ", added " (moment(font.created_at)) }
            p.actions { a.button.danger href=(state.link(&format!("{PATH}/{id}/delete"))) { "Delete" } }
        }
        (sample(font, link))
        section aria-labelledby="faces" {
            h2 #faces { "Styles" }
            div.table-frame tabindex="0" role="region" aria-label="Faces" {
                table {
                    thead { tr {
                        th scope="col" { "Style" }
                        th scope="col" { "Weight" }
                        th scope="col" { "Slope" }
                        th scope="col" { "PostScript name" }
                    } }
                    tbody { @for face in &font.faces { tr {
                        th scope="row" { (face.style) }
                        td { (face.weight) }
                        td { @if face.italic { "italic" } @else { "upright" } }
                        td { @match &face.postscript_name { Some(name) => code { (name) }, None => span.muted { "none" } } }
                    } } }
                }
            }
        }
        section.card aria-labelledby="use" {
            h2 #use { "Use it" }
            p { "In documents, choose the font " strong { (family(font)) } ". On pages, name it in CSS: " code { "font-family: \"" (family(font)) "\"" } "." }
            @let aliases: Vec<_> = font.faces.iter().flat_map(|face| &face.aliases).map(String::as_str).collect();
            @if !aliases.is_empty() { p.muted { "Other names of the family: " (distinct(aliases).join(", ")) "." } }
        }
    }
}

fn distinct(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names.dedup();
    names
}

/// The script only fetches the font on request, since it may be large.
fn sample(font: &StoredFont, link: &SignedLink) -> Markup {
    html! {
        section.card aria-labelledby="sample" {
            h2 #sample { "Sample" }
            @if font.faces.len() > 1 { p.muted { "Browsers can't show collections. Jobs can use all of their styles." } }
            @else {
                div #font-sample data-font=(link.reveal()) {
                    p #sample-line lang="zxx" { (SAMPLE) }
                    (text("sample-text", "Text").value(SAMPLE).unmarked().with("maxlength", 200))
                    p.actions { button.button #show-sample type="button" { "Show it in this font" } }
                    p.error #sample-error role="status" {}
                    noscript { p.muted { "The sample needs JavaScript." } }
                }
            }
        }
    }
}

fn crumbs(state: &AppState) -> Markup {
    html! { nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link(PATH)) { "Fonts" } } } } }
}

/// Asks for confirmation on its own page.
pub(super) async fn ask_to_delete(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let (id, font) = own_font(&state, &user, &id).await?;
    let content = html! {
        (crumbs(&state))
        header.page-head { h1 { "Delete " (name(&font)) "?" } }
        p { "Jobs that start later use another font in its place, and say so in a warning. You can add the font again." }
        (confirm(&state, &viewer, (&format!("{PATH}/{id}/delete"), "Delete the font"), (PATH, "Keep it")))
    };
    Ok(Page::new("Delete a font", content).respond(&state, &viewer))
}

pub(super) async fn delete(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let (id, font) = own_font(&state, &user, &id).await?;
    let deleted = state.delete_font(&user.account, &id).await;
    Ok(Flash::of(deleted, format!("{} was deleted.", name(&font))).on(&state, PATH))
}
