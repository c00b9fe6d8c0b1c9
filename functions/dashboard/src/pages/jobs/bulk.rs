//! Deletes the documents of several jobs.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{FormData, form};
use docmill_site::layout::Page;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use futures_util::{StreamExt, stream};
use maud::html;

use super::table::CHOSEN;

pub(super) const PATH: &str = "/app/jobs/delete";
/// A list has fewer rows.
const MOST: usize = 100;
/// Deletions at the same time.
const AT_ONCE: usize = 10;

/// Asks first, then deletes.
pub(super) async fn delete(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    data: FormData,
) -> Result<Response, PageError> {
    let jobs = data.all(CHOSEN);
    let flash = match jobs.len() {
        0 => Flash::error("Choose the jobs to delete first."),
        count if count > MOST => return Err(PageError::BadRequest),
        _ if !data.is_on("sure") => return Ok(ask(&state, &viewer, &jobs)),
        count => {
            let ids: Vec<String> = jobs.iter().map(|id| (*id).to_owned()).collect();
            let deletions = ids.into_iter().map(|id| {
                let (state, account) = (state.clone(), user.account.clone());
                async move { state.delete_job(&account, &id).await }
            });
            let outcomes: Vec<_> = stream::iter(deletions).buffer_unordered(AT_ONCE).collect().await;
            match outcomes.into_iter().find_map(Result::err) {
                None => Flash::success(format!("The documents of {} were deleted.", counted(count))),
                Some(error) => Flash::error(format!("Not all documents were deleted: {}", error.message)),
            }
        }
    };
    Ok(flash.on(&state, "/app/jobs"))
}

fn ask(state: &AppState, viewer: &Viewer, jobs: &[&str]) -> Response {
    let counted = counted(jobs.len());
    let fields = html! {
        input type="hidden" name="sure" value="on";
        @for id in jobs { input type="hidden" name=(CHOSEN) value=(id); }
        div.actions {
            button.button.danger type="submit" { "Delete the documents" }
            a.button href=(state.link("/app/jobs")) { "Keep them" }
        }
    };
    let content = html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/app/jobs")) { "Jobs" } } } }
        header.page-head { h1 { "Delete the documents of " (counted) "?" } }
        p { "The results, the requests and everything that describes the documents are deleted now, for good. "
            "Jobs that have not ended are canceled. Their ids, tools, times and credits remain in your list." }
        (form(state, viewer, PATH, fields))
    };
    Page::new("Delete jobs", content).respond(state, viewer).into_response()
}

fn counted(count: usize) -> String {
    if count == 1 { "1 job".to_owned() } else { format!("{count} jobs") }
}
