//! Email to PDF: a confined child turns a message into a page, the browser prints it, and attachments are appended or embedded.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use docmill_domain::job::{JobErrorCode, Warning};
use docmill_pdf::Media;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use super::call::{call, room};
use super::html_browser::EMAIL_TOOL;
use super::page::{read_options, read_page_up_to};
use super::{Artifact, Conversion, Engine, Failure, Source, Task};
use crate::checker::{self, Checker};
use crate::sources;

pub const TOOL: &str = "email-to-pdf";

/// Slugs of calls to other engines.
const RENDER: &str = "render-email";
const DESCRIBE: &str = "edit-metadata";
const MERGE: &str = "merge-pdf";
const VERIFY: &str = "verify";
const IMAGES: &str = "images-to-pdf";
const OFFICE: &str = "office-to-pdf";
/// Includes pictures.
const MOST_PAGE_BYTES: u64 = 48 << 20;
/// Most attachments of a message that are converted.
const MOST_CONVERTED: usize = 100;

/// Defaults that differ from html-to-pdf.
const MARGIN: &str = "15mm";
const MARGINS: [&str; 4] = ["marginTop", "marginRight", "marginBottom", "marginLeft"];

pub struct EmailToPdf {
    tools: Arc<dyn Engine>,
    browser: Arc<dyn Engine>,
    office: Arc<dyn Engine>,
}

impl std::fmt::Debug for EmailToPdf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmailToPdf").finish_non_exhaustive()
    }
}

/// How attachments are handled besides being listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Attachments {
    #[default]
    List,
    Embed,
    Convert,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    attachments: Attachments,
}

/// The child's description of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Described {
    title: Option<String>,
    author: Option<String>,
    attachments: Vec<Attached>,
}

#[derive(Clone, Debug, Deserialize)]
struct Attached {
    name: String,
    bytes: u64,
}

/// The result for an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Listed,
    Embedded,
    Converted,
}

impl Fate {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Listed => "listed",
            Self::Embedded => "embedded",
            Self::Converted => "converted",
        }
    }
}

impl EmailToPdf {
    /// `tools`: the PDF tools; `browser`: prints pages; `office`: converts office documents.
    pub fn new(tools: Arc<dyn Engine>, browser: Arc<dyn Engine>, office: Arc<dyn Engine>) -> Self {
        Self { tools, browser, office }
    }

    /// Prints a message or an attachment. Returns the attachments too, if the options ask for them.
    async fn print(&self, source: Source, options: &Value, task: &Task<'_>) -> Result<Printed, Failure> {
        let rendered = call(&*self.tools, RENDER, vec![source], options, &room(task, "page")?, task).await?;
        checker::are_files(&rendered)?;
        let html = read_page_up_to(rendered.path(), MOST_PAGE_BYTES)?;
        let page = Source::html(html);
        let printed =
            call(&*self.browser, EMAIL_TOOL, vec![page], &page_options(options), &room(task, "print")?, task).await?;
        let described =
            rendered.report.as_ref().and_then(|report| Described::deserialize(report).ok()).unwrap_or_default();
        let mut warnings = rendered.warnings;
        warnings.extend(printed.warnings);
        let files = rendered.artifacts.into_iter().skip(1).collect();
        Ok(Printed { pdf: Conversion { warnings, ..printed }, described, files })
    }

    /// Puts the message and its converted attachments into one PDF. Records which ones were converted.
    async fn convert_attachments(
        &self,
        printed: &mut Printed,
        options: &Value,
        task: &Task<'_>,
    ) -> Result<Vec<Fate>, Failure> {
        let mut fates = vec![Fate::Listed; printed.files.len()];
        let mut parts = vec![titled(printed.pdf.path().to_owned(), printed.described.title.as_deref())];
        for ((index, file), fate) in printed.files.iter().enumerate().zip(&mut fates) {
            let name = file.filename.clone().unwrap_or_default();
            if index >= MOST_CONVERTED {
                printed
                    .pdf
                    .warnings
                    .push(not_converted(&name, &format!("Only the first {MOST_CONVERTED} are converted.")));
                continue;
            }
            match self.convert_attachment(file, &name, options, task).await {
                Ok(converted) => {
                    parts.push(titled(converted.path().to_owned(), Some(&name)));
                    printed.pdf.warnings.extend(converted.warnings);
                    *fate = Fate::Converted;
                }
                Err(failure) if is_of_document(failure.code) => {
                    tracing::info!(cause = %failure.cause, "an attachment can't be converted");
                    let is_unknown = failure.code == JobErrorCode::UnsupportedFormat;
                    // A list of accepted formats does not help those who can't choose the attachment.
                    let why = if is_unknown { "Its format is not supported." } else { &failure.message };
                    printed.pdf.warnings.push(not_converted(&name, why));
                }
                Err(failure) => return Err(failure),
            }
        }
        if parts.len() > 1 {
            let (scratch, options) = (room(task, "merge")?, json!({"bookmarks": "titles"}));
            let merged = call(&*self.tools, MERGE, parts, &options, &scratch, task).await?;
            checker::are_files(&merged)?;
            printed.pdf.artifacts = merged.artifacts;
            printed.pdf.warnings.extend(merged.warnings);
        }
        Ok(fates)
    }

    async fn convert_attachment(
        &self,
        file: &Artifact,
        name: &str,
        options: &Value,
        task: &Task<'_>,
    ) -> Result<Conversion, Failure> {
        let (path, named, limits) = (file.path.clone(), name.to_owned(), task.limits.clone());
        let checked = spawn_blocking(move || sources::attachment(path, &named, &limits)).await;
        let source = checked.map_err(|_panicked| Failure::internal("the check of an attachment panicked"))??;
        let scratch = room(task, "attachment")?;
        let converted = match &source {
            Source::Document { .. } => {
                let printed = call(&*self.office, OFFICE, vec![source], &json!({}), &scratch, task).await?;
                // The check makes its pictures smaller.
                let checker = Checker { tools: &*self.tools, limits: task.limits, deadline: task.deadline };
                checker.check(printed, None, &room(task, "check")?).await?
            }
            Source::File(docmill_pdf::Source { media: Media::Pdf, path, .. }) => {
                let pdf = path.clone();
                let verified = call(&*self.tools, VERIFY, vec![source], &Value::Null, &scratch, task).await?;
                return Ok(Conversion::of_pdf(pdf, verified.engine, verified.warnings));
            }
            Source::File(file) if is_for_page(file.media) => {
                let mut options = page_options(options);
                options["attachments"] = json!("list");
                self.print(source, &options, task).await?.pdf
            }
            Source::File(_) | Source::Page(_) | Source::Html { .. } => {
                call(&*self.tools, IMAGES, vec![source], &json!({"pageSize": "A4", "margin": MARGIN}), &scratch, task)
                    .await?
            }
        };
        checker::are_files(&converted)?;
        Ok(converted)
    }

    /// Writes the message's metadata and attachments into the PDF.
    async fn describe(&self, printed: &mut Printed, embeds: bool, task: &Task<'_>) -> Result<(), Failure> {
        let Described { title, author, .. } = &printed.described;
        let given = [("title", title), ("author", author)];
        let set: Map<_, _> =
            given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?)))).collect();
        let files: &[Artifact] = if embeds { &printed.files } else { &[] };
        let attachments = files
            .iter()
            .enumerate()
            .map(|(index, file)| json!({"source": index + 1, "filename": file.filename, "relationship": "supplement"}));
        let options = json!({"set": set, "attachments": attachments.collect::<Vec<_>>()});
        let pdf = checker::file(printed.pdf.path().to_owned(), Media::Pdf, None);
        let files = files.iter().map(|file| checker::file(file.path.clone(), file.media, None));
        let sources = [pdf].into_iter().chain(files).map(Source::File).collect();
        let scratch = room(task, "metadata")?;
        let described = call(&*self.tools, DESCRIBE, sources, &options, &scratch, task).await?;
        let artifacts = described.artifacts.into_iter().map(|artifact| Artifact { filename: None, ..artifact });
        printed.pdf.artifacts = artifacts.collect();
        Ok(())
    }
}

/// A message as PDF with its attachments.
struct Printed {
    pdf: Conversion,
    described: Described,
    /// The attachments, if the options ask for them.
    files: Vec<Artifact>,
}

#[async_trait]
impl Engine for EmailToPdf {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let attachments = read_options::<Options>(task.options)?.attachments;
        let mut printed = self.print(task.source()?.clone(), task.options, &task).await?;
        let count = printed.described.attachments.len();
        let fates = match attachments {
            Attachments::List => vec![Fate::Listed; count],
            Attachments::Embed => vec![Fate::Embedded; count],
            Attachments::Convert => self.convert_attachments(&mut printed, task.options, &task).await?,
        };
        self.describe(&mut printed, attachments == Attachments::Embed, &task).await?;
        let Printed { pdf, described, .. } = printed;
        Ok(Conversion { report: Some(report(&described.attachments, &fates)), ..pdf })
    }
}

/// Options of the page: those of html-to-pdf, with defaults for messages.
fn page_options(options: &Value) -> Value {
    let mut page = Map::new();
    page.extend(MARGINS.map(|margin| (margin.to_owned(), json!(MARGIN))));
    page.extend(options.as_object().cloned().unwrap_or_default());
    Value::Object(page)
}

fn report(attachments: &[Attached], fates: &[Fate]) -> Value {
    let each = attachments.iter().zip(fates);
    let each =
        each.map(|(Attached { name, bytes }, fate)| json!({"name": name, "bytes": bytes, "result": fate.as_str()}));
    json!({"attachments": each.collect::<Vec<_>>()})
}

fn titled(path: PathBuf, title: Option<&str>) -> Source {
    let title = Some(title.filter(|title| !title.is_empty()).unwrap_or("Message").to_owned());
    Source::File(docmill_pdf::Source { title, ..checker::file(path, Media::Pdf, None) })
}

/// Whether a file is printed like a message: without scripts or remote content.
const fn is_for_page(media: Media) -> bool {
    matches!(media, Media::Html | Media::Markdown | Media::Text | Media::Eml | Media::Msg)
}

/// Whether a failure only concerns one attachment, so that the rest of the message can be converted.
const fn is_of_document(code: JobErrorCode) -> bool {
    match code {
        JobErrorCode::SourceTooLarge
        | JobErrorCode::UnsupportedFormat
        | JobErrorCode::CorruptDocument
        | JobErrorCode::PasswordRequired
        | JobErrorCode::WrongPassword
        | JobErrorCode::RenderFailed
        | JobErrorCode::RedactionIncomplete
        | JobErrorCode::TemplateError
        | JobErrorCode::EngineCrashed => true,
        JobErrorCode::SourceUnreachable
        | JobErrorCode::SourceForbidden
        | JobErrorCode::SourceTimeout
        | JobErrorCode::PageLimitExceeded
        | JobErrorCode::ConversionTimeout
        | JobErrorCode::SourceJobFailed
        | JobErrorCode::DeliveryFailed
        | JobErrorCode::Internal => false,
    }
}

fn not_converted(name: &str, why: &str) -> Warning {
    let message = format!("An attachment is only listed, since it could not be converted. {why}");
    Warning::new("attachment_not_converted", message).with_detail(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_their_own_default_margins() {
        let page = page_options(&json!({"marginLeft": 12, "attachments": "embed"}));
        assert_eq!((&page["marginTop"], &page["marginLeft"]), (&json!("15mm"), &json!(12)));
        assert_eq!(page_options(&Value::Null)["marginRight"], json!("15mm"));
    }
}
