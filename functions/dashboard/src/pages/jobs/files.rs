//! The files of a job with several results, each with its own download.

use docmill_domain::job::{Job, Output, StoredResults};
use docmill_site::parts::bytes;
use docmill_site::state::AppState;
use maud::{Markup, html};

/// Further files are only in the ZIP.
const MOST_SHOWN: usize = 200;

pub(super) fn of(job: &Job) -> &[Output] {
    match &job.result.results {
        Some(StoredResults::Inline(results)) => &results.outputs,
        Some(StoredResults::Manifest { .. }) | None => &[],
    }
}

pub(super) fn list(state: &AppState, job: &Job) -> Markup {
    let files = of(job);
    html! {
        ol.files.downloads { @for (index, file) in files.iter().enumerate().take(MOST_SHOWN) {
            li {
                span.name { (file.filename) " " span.muted {
                    @if let Some(pages) = file.pages { (pages) @if pages == 1 { " page, " } @else { " pages, " } }
                    (bytes(file.bytes))
                } }
                a.button.small href=(state.link(&format!("/app/jobs/{}/download?output={index}", job.id)))
                    aria-label={ "Download " (file.filename) } { "Download" }
            }
        } }
        @if files.len() > MOST_SHOWN { p.muted { "The ZIP has " (files.len() - MOST_SHOWN) " more." } }
    }
}
