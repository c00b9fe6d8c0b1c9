//! Previews of results: PDF pages and images as pictures, and text. `viewer.js` fills in pages and texts.

use docmill::clock;
use docmill::domain::job::{Job, JobStatus, Output, StoredResults};
use docmill::domain::source::SourceKind;
use docmill::domain::upload::UploadId;
use docmill::files::{FilesError, ObjectKey, OutputPart, SignedLink, part_key};
use maud::{Markup, html};
use serde_json::Value;

use crate::pages::parts::bytes;
use crate::state::AppState;

/// Further files are only in the ZIP.
const MOST_PARTS: usize = 24;

/// The files to preview, by signed links.
#[derive(Debug)]
pub struct Preview {
    pub result: SignedLink,
    /// The original PDF to compare with, if the tool made it smaller and it was uploaded.
    before: Option<SignedLink>,
    parts: Vec<Part>,
}

/// One of several files.
#[derive(Debug)]
struct Part {
    name: String,
    link: SignedLink,
    is_image: bool,
}

impl Preview {
    /// `None` before the job has a result, and after it has expired.
    pub async fn of(state: &AppState, job: &Job) -> Result<Option<Self>, FilesError> {
        let (JobStatus::Completed, Some(output), Some(key)) =
            (job.status_at(clock::now()), &job.output, &job.output_key)
        else {
            return Ok(None);
        };
        Ok(Some(Self {
            result: state.context.files.preview_link(key, output).await?,
            before: before(state, job).await?,
            parts: parts(state, job).await?,
        }))
    }

    /// Whether several files have pictures to show, beyond their names.
    pub fn has_pictures(&self) -> bool {
        self.parts.iter().any(|part| part.is_image)
    }
}

async fn before(state: &AppState, job: &Job) -> Result<Option<SignedLink>, FilesError> {
    // After further steps, the pages are no longer the same.
    let source = sizes(job).filter(|_| job.then.is_empty()).and_then(|_| job.input.get(SourceKind::UploadId.as_str()));
    let Some(upload) = source.and_then(Value::as_str).and_then(UploadId::parse) else { return Ok(None) };
    let key = ObjectKey::Upload { account: &job.account, upload };
    state.context.files.upload_preview_link(&key, "application/pdf").await.map(Some)
}

async fn parts(state: &AppState, job: &Job) -> Result<Vec<Part>, FilesError> {
    let mut parts = Vec::new();
    let Some(StoredResults::Inline(results)) = job.results.as_ref().filter(|results| results.files() > 1) else {
        return Ok(parts);
    };
    for (index, output) in results.outputs.iter().enumerate().take(MOST_PARTS) {
        if let Some(key) = part_key(job, OutputPart::File(index)) {
            let link = state.context.files.preview_link(&key, output).await?;
            parts.push(Part { name: output.filename.clone(), link, is_image: Kind::of(output) == Kind::Image });
        }
    }
    Ok(parts)
}

/// The sizes before and after, if the tool made a file smaller and reports both.
pub fn sizes(job: &Job) -> Option<(u64, u64)> {
    let Some(StoredResults::Inline(results)) = &job.results else { return None };
    let report = results.report.as_ref()?;
    Some((report.get("bytesBefore")?.as_u64()?, report.get("bytesAfter")?.as_u64()?))
}

/// How a file is previewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pages,
    Image,
    Text,
    /// Not at all, for example an archive.
    Download,
}

impl Kind {
    pub fn of(output: &Output) -> Self {
        match essence(output) {
            "application/pdf" => Self::Pages,
            "application/json" => Self::Text,
            essence if essence.starts_with("text/") => Self::Text,
            essence if essence.starts_with("image/") => Self::Image,
            _ => Self::Download,
        }
    }
}

fn essence(output: &Output) -> &str {
    output.content_type.split(';').next().unwrap_or_default()
}

pub fn show(preview: &Preview, output: &Output, job: &Job) -> Markup {
    let Preview { result, before, parts } = preview;
    html! {
        @match Kind::of(output) {
            Kind::Pages => (pages(result, before.as_ref(), output, sizes(job))),
            Kind::Image => figure.picture { img src=(result.reveal()) alt={ "Preview of " (output.filename) }; },
            Kind::Text => {
                div.viewer.text {
                    div data-text=(result.reveal()) data-kind=(essence(output)) data-name=(output.filename) {}
                    (without_scripts(result, output))
                }
            }
            Kind::Download => {}
        }
        @if preview.has_pictures() {
            ol.pictures aria-label="Files" { @for Part { name, link, is_image } in parts { li {
                a href=(link.reveal()) target="_blank" rel="noopener noreferrer" {
                    @if *is_image { img src=(link.reveal()) alt="" loading="lazy"; }
                    (name)
                }
            } } }
        }
    }
}

/// One PDF, or two side by side that show the same page.
fn pages(result: &SignedLink, before: Option<&SignedLink>, output: &Output, sizes: Option<(u64, u64)>) -> Markup {
    html! {
        div.viewer {
            div.viewer-bar hidden {
                button.button.small type="button" data-do="previous" { "Previous" span.quiet { " page" } }
                output {}
                button.button.small type="button" data-do="next" { "Next" span.quiet { " page" } }
                button.button.small type="button" data-do="zoom" aria-pressed="false" { "Zoom in" }
            }
            div.sheets {
                @match before.zip(sizes) {
                    Some((before, (bytes_before, bytes_after))) => {
                        (sheet(before, "Before", bytes_before, true))
                        (sheet(result, "After", bytes_after, true))
                    }
                    None => (sheet(result, &output.filename, output.bytes, false)),
                }
            }
            (without_scripts(result, output))
        }
    }
}

/// A place for the pages of a PDF. Captions distinguish two of them.
fn sheet(link: &SignedLink, name: &str, size: u64, has_caption: bool) -> Markup {
    html! {
        figure data-pdf=(link.reveal()) data-name=(name) data-bytes=(size) {
            @if has_caption { figcaption { strong { (name) } " " span.muted { (bytes(size)) } } }
            div.frame role="group" aria-label=(name) {}
        }
    }
}

fn without_scripts(result: &SignedLink, output: &Output) -> Markup {
    html! { noscript { iframe.preview src=(result.reveal()) title={ "Preview of " (output.filename) } {} } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(content_type: &str) -> Output {
        serde_json::from_value(serde_json::json!({
            "filename": "x", "contentType": content_type, "bytes": 1, "format": "x", "sha256": "",
        }))
        .unwrap()
    }

    #[test]
    fn the_content_type_decides_the_preview() {
        let kinds =
            ["application/pdf", "text/plain; charset=utf-8", "application/json", "image/webp", "application/zip"]
                .map(|content_type| Kind::of(&output(content_type)));
        assert_eq!(kinds, [Kind::Pages, Kind::Text, Kind::Text, Kind::Image, Kind::Download]);
    }
}
