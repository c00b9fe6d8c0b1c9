//! Previews of results: PDF pages and images as pictures, text, and blocks of documents. `viewer.js` fills in pages and texts.

use std::collections::BTreeMap;

use docmill_aws::files::{FilesError, ObjectKey, OutputPart, SignedLink, part_key};
use docmill_config::clock;
use docmill_domain::job::{Job, JobStatus, Output, StoredResults};
use docmill_domain::source::SourceKind;
use docmill_domain::upload::UploadId;
use docmill_site::parts::bytes;
use docmill_site::state::AppState;
use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Value, json};

const EXTRACT: &str = "extract-document";
const OCR: &str = "ocr-pdf";
const TAG: &str = "tag-pdf";
const CHECK: &str = "check-accessibility";
/// Further files are only in the ZIP.
const MOST_PARTS: usize = 24;

/// The files to preview, by signed links.
#[derive(Debug)]
pub struct Preview {
    pub result: SignedLink,
    /// The original PDF to compare with, if the tool made it smaller and it was uploaded.
    before: Option<SignedLink>,
    /// Whether the result is a document's blocks, and the file that they were read from: pages are shown if it is a PDF.
    blocks: Option<Blocks>,
    tags: Option<Tags>,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Blocks {
    read_from: Option<SignedLink>,
}

/// Whose tags are shown beside its pages.
#[derive(Debug)]
enum Tags {
    /// The result's, which were made.
    Made,
    /// Those of the PDF that was checked.
    Checked(SignedLink),
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
            (job.status_at(clock::now()), &job.result.output, &job.result.output_key)
        else {
            return Ok(None);
        };
        Ok(Some(Self {
            result: state.context.files.preview_link(key, output).await?,
            before: before(state, job).await?,
            blocks: blocks(state, job, output).await?,
            tags: tags(state, job, output).await?,
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
    let source = sizes(job)
        .filter(|_| job.request.then.is_empty())
        .and_then(|_| job.request.input.get(SourceKind::UploadId.as_str()));
    let Some(upload) = source.and_then(Value::as_str).and_then(UploadId::parse) else { return Ok(None) };
    let key = ObjectKey::Upload { account: &job.account, upload };
    state.context.files.upload_preview_link(&key, "application/pdf").await.map(Some)
}

/// The blocks of a result that `extract-document` made as JSON.
async fn blocks(state: &AppState, job: &Job, output: &Output) -> Result<Option<Blocks>, FilesError> {
    let tools = tools(job);
    if tools.last() != Some(&EXTRACT) || essence(output) != "application/json" {
        return Ok(None);
    }
    // After other tools, the pages are no longer the same.
    let are_same = matches!(tools.as_slice(), [EXTRACT] | [OCR, EXTRACT]);
    let read_from = if are_same { read_from(state, job).await? } else { None };
    Ok(Some(Blocks { read_from }))
}

/// The tools of the job, in order.
fn tools(job: &Job) -> Vec<&str> {
    let steps = job.request.then.iter().map(|step| step["toolSlug"].as_str().unwrap_or_default());
    std::iter::once(job.tool.as_str()).chain(steps).collect()
}

async fn tags(state: &AppState, job: &Job, output: &Output) -> Result<Option<Tags>, FilesError> {
    match tools(job).as_slice() {
        [.., TAG] if Kind::of(output) == Kind::Pages => Ok(Some(Tags::Made)),
        // What a step checks is not stored.
        [CHECK] => Ok(read_from(state, job).await?.map(Tags::Checked)),
        _ => Ok(None),
    }
}

/// The only source, if it was uploaded or is another job's PDF.
async fn read_from(state: &AppState, job: &Job) -> Result<Option<SignedLink>, FilesError> {
    let source = match job.request.input.get("sources").and_then(Value::as_array).map(Vec::as_slice) {
        Some([source]) => source,
        Some(_) => return Ok(None),
        None => &job.request.input,
    };
    let text = |kind: SourceKind| source.get(kind.as_str()).and_then(Value::as_str);
    if let Some(upload) = text(SourceKind::UploadId).and_then(UploadId::parse) {
        let key = ObjectKey::Upload { account: &job.account, upload };
        return state.context.files.upload_preview_link(&key, "application/pdf").await.map(Some);
    }
    let Some(id) = text(SourceKind::JobId) else { return Ok(None) };
    let now = clock::now();
    let made = state.context.jobs.get_own(&job.account, id, now).await;
    let made = made.map_err(|error| FilesError::Unavailable(error.to_string()))?;
    let made = made.filter(|made| made.status_at(now) == JobStatus::Completed);
    match made.as_ref().and_then(|made| made.result.output.as_ref().zip(made.result.output_key.as_ref())) {
        Some((output, key)) if Kind::of(output) == Kind::Pages => {
            state.context.files.preview_link(key, output).await.map(Some)
        }
        Some(_) | None => Ok(None),
    }
}

async fn parts(state: &AppState, job: &Job) -> Result<Vec<Part>, FilesError> {
    let mut parts = Vec::new();
    let Some(StoredResults::Inline(results)) = job.result.results.as_ref().filter(|results| results.files() > 1) else {
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
    let Some(StoredResults::Inline(results)) = &job.result.results else { return None };
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
    let Preview { result, before, blocks, tags, parts } = preview;
    html! {
        @if let Some(Tags::Checked(source)) = tags { (tree(source, None)) }
        @match Kind::of(output) {
            Kind::Pages if matches!(tags, Some(Tags::Made)) => (tree(result, Some(output))),
            Kind::Pages => (pages(result, before.as_ref(), output, sizes(job), &substituted(job))),
            Kind::Image => figure.picture { img src=(result.reveal()) alt={ "Preview of " (output.filename) }; },
            Kind::Text => {
                div.viewer.text {
                    @match blocks {
                        Some(Blocks { read_from }) => {
                            div data-blocks=(result.reveal()) data-pages=[read_from.as_ref().map(SignedLink::reveal)] {}
                            details { summary { "JSON" } (text(result, output)) }
                        }
                        None => (text(result, output)),
                    }
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

/// A place for the tags of a PDF beside its pages. `output`: the PDF, if it is the result.
fn tree(link: &SignedLink, output: Option<&Output>) -> Markup {
    html! {
        section.viewer aria-labelledby="tags" {
            h3 #tags { @if output.is_some() { "Tags" } @else { "Tags of the checked PDF" } }
            div data-tags=(link.reveal()) data-bytes=[output.map(|output| output.bytes)] {}
            @if let Some(output) = output { (without_scripts(link, output)) }
        }
    }
}

/// A place for a text.
fn text(result: &SignedLink, output: &Output) -> Markup {
    html! { div data-text=(result.reveal()) data-kind=(essence(output)) data-name=(output.filename) {} }
}

/// A font that is substituted in the result.
#[derive(Serialize)]
struct Substituted<'a> {
    pages: String,
    #[serde(rename = "standIn")]
    stand_in: Option<&'a str>,
}

/// The fonts that are substituted in the result, by name. After further steps, the pages are no longer the same.
fn substituted(job: &Job) -> BTreeMap<&str, Substituted<'_>> {
    let warnings =
        job.result.warnings.iter().filter(|warning| warning.code == "font_substituted" && job.request.then.is_empty());
    let named = warnings.filter_map(|warning| {
        let pages = warning.pages.as_ref()?.to_string();
        Some((warning.detail.as_deref()?, Substituted { pages, stand_in: warning.stand_in() }))
    });
    named.collect()
}

/// One PDF, or two side by side that show the same page. `fonts`: those that are substituted.
fn pages(
    result: &SignedLink,
    before: Option<&SignedLink>,
    output: &Output,
    sizes: Option<(u64, u64)>,
    fonts: &BTreeMap<&str, Substituted<'_>>,
) -> Markup {
    html! {
        div.viewer data-fonts=[(!fonts.is_empty()).then(|| json!(fonts))] {
            div.viewer-bar hidden {
                button.button.small type="button" data-do="previous" { "Previous" span.quiet { " page" } }
                output {}
                button.button.small type="button" data-do="next" { "Next" span.quiet { " page" } }
                button.button.small type="button" data-do="zoom" aria-pressed="false" { "Zoom in" }
                @if !fonts.is_empty() {
                    p.substitutes {
                        span role="status" {} " "
                        button.link type="button" data-do="substitute" { "Next page with a substitute" } " "
                        button.link type="button" data-do="mark" aria-pressed="false" { "Mark its words" }
                    }
                }
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
