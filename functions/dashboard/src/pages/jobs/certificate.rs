//! The certificate of a redaction: what was removed from which file, and how that was checked. A page to print, and JSON.

use axum::extract::{Path, State};
use axum::response::Response;
use docmill_config::clock;
use docmill_domain::job::{Job, Output};
use docmill_site::delivery::attachment;
use docmill_site::error::PageError;
use docmill_site::layout::Page;
use docmill_site::parts::{bytes, moment, moment_or};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::own_job;

/// The path of a job's certificate, if it has one.
pub(in crate::pages) fn path_of(job: &Job) -> Option<String> {
    facts(job).map(|_| format!("/app/jobs/{}/certificate", job.id))
}

/// A redaction's result and its report.
struct Facts<'a> {
    job: &'a Job,
    output: &'a Output,
    report: &'a Value,
}

/// `None` if the job was no redaction, has no result, or its documents were deleted.
fn facts(job: &Job) -> Option<Facts<'_>> {
    let output = job.result.output.as_ref().filter(|output| !output.sha256.is_empty())?;
    Some(Facts { job, output, report: docmill_findings::redaction(job)? })
}

async fn certified(state: &AppState, user: &SignedIn, id: &str) -> Result<Job, PageError> {
    let now = clock::now();
    let job = own_job(state, user, id, now).await?;
    let job = state.context.files.with_results(job, now).await;
    job.map_err(|error| PageError::Unavailable(error.to_string()))
}

pub(super) async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let job = certified(&state, &user, &id).await?;
    let facts = facts(&job).ok_or(PageError::NotFound)?;
    Ok(Page::new("Certificate of redaction", page(&state, &facts)).respond(&state, &viewer))
}

pub(super) async fn download(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let job = certified(&state, &user, &id).await?;
    let facts = facts(&job).ok_or(PageError::NotFound)?;
    Ok(attachment(&format!("redaction-{}.json", job.id), "application/json", format!("{:#}", of(&facts))))
}

/// The certificate as JSON. What was removed is never named, only counted.
fn of(facts: &Facts<'_>) -> Value {
    let Facts { job, output, report } = *facts;
    json!({
        "certificate": "redaction",
        "jobId": job.id,
        "requestId": job.request.request_id,
        "createdAt": job.times.created_at.to_string(),
        "finishedAt": job.times.finished_at.map(|at| at.to_string()),
        "engine": job.result.engine,
        "result": {"filename": output.filename, "bytes": output.bytes, "pages": output.pages, "sha256": output.sha256},
        "redaction": report,
    })
}

fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_default()
}

fn page(state: &AppState, facts: &Facts<'_>) -> Markup {
    let Facts { job, output, report } = *facts;
    let path = format!("/app/jobs/{}", job.id);
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/app/jobs")) { "Jobs" } } li { a href=(state.link(&path)) { "Job" } } } }
        header.page-head {
            h1 { "Certificate of redaction" }
            p.lead { (output.filename) }
            p.actions { a.button href=(state.link(&format!("{path}/certificate.json"))) { "Download as JSON" } }
        }
        section.card aria-labelledby="file" {
            h2 #file { "The file" }
            dl.details {
                div { dt { "SHA-256" } dd { code { (output.sha256) } } }
                div { dt { "Size" } dd { (bytes(output.bytes)) @if let Some(pages) = output.pages { ", " (pages) @if pages == 1 { " page" } @else { " pages" } } } }
                div { dt { "Redacted" } dd { (moment_or(job.times.finished_at, "")) } }
                div { dt { "Requested" } dd { (moment(job.times.created_at)) } }
                div { dt { "Job" } dd { code { (job.id) } } }
                @if let Some(engine) = &job.result.engine { div { dt { "Engine" } dd { (engine.name) " " (engine.version) } } }
            }
            p.muted { "This certificate is about the file with this digest, and about no other. " code { "sha256sum FILE" } " prints the digest of a file." }
        }
        (removed(report))
        (proof(&report["proof"]))
    }
}

fn removed(report: &Value) -> Markup {
    let entries = report["text"].as_array().map(Vec::as_slice).unwrap_or_default();
    let pages = report["pages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let others = [
        ("Annotations", "annotations"),
        ("Attachments", "attachments"),
        ("Scripts", "scripts"),
        ("Names, titles and other hidden texts", "strings"),
    ];
    html! {
        section.card aria-labelledby="removed" {
            h2 #removed { "What was removed" }
            @if !entries.is_empty() {
                dl.details { @for (index, entry) in entries.iter().enumerate() {
                    div { dt { "Entry " (index + 1) } dd { (number(entry, "matches")) @if number(entry, "matches") == 1 { " occurrence" } @else { " occurrences" } } }
                } }
            }
            @if !pages.is_empty() {
                div.table-frame tabindex="0" role="region" aria-label="Pages" {
                    table {
                        thead { tr {
                            th scope="col" { "Page" } th.number scope="col" { "Occurrences" } th.number scope="col" { "Regions" } th scope="col" { "How" }
                        } }
                        tbody { @for page in pages {
                            tr {
                                th scope="row" { (number(page, "page")) }
                                td.number { (number(page, "matches")) }
                                td.number { (number(page, "regions")) }
                                td { @if page["method"] == "rasterized" { "The page became a picture" } @else { "Removed from the page" } }
                            }
                        } }
                    }
                }
            }
            dl.details {
                @for (name, member) in others { div { dt { (name) } dd { (number(&report["removed"], member)) } } }
                div { dt { "Metadata" } dd { @if report["removed"]["metadata"] == true { "removed" } @else { "kept" } } }
            }
            p.muted { "The removed words are not part of this certificate." }
        }
    }
}

fn proof(proof: &Value) -> Markup {
    html! {
        section.card aria-labelledby="proof" {
            h2 #proof { "How it was checked" }
            p { "After the redaction, the finished file was opened again and searched. A file in which anything is left is never delivered: its job fails." }
            dl.details {
                div { dt { "Pages whose text was read" } dd { (number(proof, "pagesExtracted")) } }
                div { dt { "Pages drawn and read by OCR" } dd { (number(proof, "pagesReadByOcr")) } }
                div { dt { "Pages whose removed places were compared" } dd { (number(proof, "pagesCompared")) } }
                div { dt { "Objects searched" } dd { (number(proof, "objectsSearched")) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(tool: &str, report: &Value) -> Job {
        let output = json!({"format": "pdf", "contentType": "application/pdf", "bytes": 5, "pages": 1, "sha256": "ab12", "filename": "a.pdf"});
        serde_json::from_value(json!({
            "id": "01920000-0000-7000-8000-000000000000", "account": "acc", "key_id": "key", "mode": "live", "tool": tool,
            "status": "completed", "created_at": 0, "attempts": 1, "period": "2026-11",
            "charge": {"included": 1, "granted": 0}, "refunded": 0, "ttl": 0, "input": {}, "options": {"text": ["[redacted]"]},
            "output": output, "results": {"inline": {"outputs": [], "report": report}},
        }))
        .unwrap()
    }

    #[test]
    fn only_a_redaction_with_its_proof_has_a_certificate() {
        let report = json!({"pages": [{"page": 1, "matches": 2, "regions": 0, "method": "removed"}], "text": [{"matches": 2}],
            "removed": {"annotations": 0, "attachments": 0, "scripts": 0, "strings": 1, "metadata": true},
            "proof": {"pagesExtracted": 1, "pagesReadByOcr": 1, "pagesCompared": 1, "objectsSearched": 9}});
        let redacted = job("redact-pdf", &report);
        let certificate = of(&facts(&redacted).unwrap());
        assert_eq!((&certificate["result"]["sha256"], &certificate["redaction"]), (&json!("ab12"), &report));
        assert_eq!(path_of(&redacted).unwrap(), "/app/jobs/01920000-0000-7000-8000-000000000000/certificate");
        assert_eq!(path_of(&job("compress-pdf", &report)), None);
        assert_eq!(path_of(&job("redact-pdf", &json!({"pages": []}))), None);
        let mut deleted = redacted;
        deleted.result.output = deleted.result.output.map(|output| output.size_alone());
        assert_eq!(path_of(&deleted), None);
    }
}
