//! A message's attachments: what becomes of each.

use docmill_domain::job::{JobErrorCode, Warning};
use docmill_domain::tool::Slug;
use docmill_engine::page::read_options;
use docmill_engine::{Artifact, Conversion, Failure, Operation, Source};
use docmill_formats::Format;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use super::attachment::attachment;
use super::run::Runner;
use super::{Recipe, with_margins};

/// Most attachments of a message that are converted.
const MOST_CONVERTED: usize = 100;
/// Most messages within each other whose attachments are converted.
const MOST_WITHIN: usize = 5;
const MARGIN: &str = "15mm";

/// How attachments are handled besides being listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Attachments {
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

impl Attachments {
    pub(super) fn read(options: &Value) -> Result<Self, Failure> {
        Ok(read_options::<Options>(options)?.attachments)
    }
}

/// Options of the page: those of html-to-pdf, with defaults for messages.
pub(super) fn page_options(options: &Value) -> Value {
    with_margins(options, MARGIN, [])
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

impl Described {
    fn of(rendered: &Conversion) -> Self {
        rendered.report.as_ref().and_then(|report| Self::deserialize(report).ok()).unwrap_or_default()
    }
}

/// The attachments of a rendered message, if its options ask for them.
pub(super) fn files(rendered: &Conversion) -> &[Artifact] {
    rendered.artifacts.get(1..).unwrap_or_default()
}

/// The options that write a message's headers into its PDF, and describe the attachments in it.
pub(super) fn metadata(rendered: &Conversion, embeds: bool) -> Value {
    let Described { title, author, .. } = Described::of(rendered);
    let given = [("title", title), ("author", author)];
    let set: Map<_, _> = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?)))).collect();
    let files = if embeds { files(rendered) } else { &[] };
    let attachments = files
        .iter()
        .enumerate()
        .map(|(index, file)| json!({"source": index + 1, "filename": file.filename, "relationship": "supplement"}));
    json!({"set": set, "attachments": attachments.collect::<Vec<_>>()})
}

/// What became of each attachment. `converted`: the numbers of those that are pages of the result.
pub(super) fn report(rendered: &Conversion, handling: Attachments, converted: &[usize]) -> Value {
    let attachments = Described::of(rendered).attachments;
    let each = attachments.iter().enumerate().map(|(index, Attached { name, bytes })| {
        let result = match handling {
            Attachments::Embed => "embedded",
            Attachments::Convert if converted.contains(&index) => "converted",
            Attachments::Convert | Attachments::List => "listed",
        };
        json!({"name": name, "bytes": bytes, "result": result})
    });
    json!({"attachments": each.collect::<Vec<_>>()})
}

/// Attachments as PDFs, in order, after their message.
pub(super) struct Converted {
    pub(super) parts: Vec<Source>,
    /// The numbers of the attachments that are among them.
    pub(super) numbers: Vec<usize>,
    pub(super) warnings: Vec<Warning>,
}

impl Runner<'_> {
    /// Converts each attachment that can be. `options` are those of the message, which is attached `within` so many others.
    pub(super) async fn convert_attachments(
        &self,
        pdf: &Conversion,
        rendered: &Conversion,
        options: &Value,
        within: usize,
    ) -> Result<Converted, Failure> {
        let title = Described::of(rendered).title;
        let first = titled(pdf, title.as_deref());
        let mut all = Converted { parts: vec![first], numbers: Vec::new(), warnings: Vec::new() };
        for (number, file) in files(rendered).iter().enumerate() {
            let name = file.filename.clone().unwrap_or_default();
            if number >= MOST_CONVERTED || within >= MOST_WITHIN {
                all.warnings.push(not_converted(&name, &limit(within)));
                continue;
            }
            match self.convert_attachment(file, &name, options, within).await {
                Ok(converted) => {
                    all.parts.push(titled(&converted, Some(&name)));
                    all.warnings.extend(converted.warnings);
                    all.numbers.push(number);
                }
                Err(failure) if is_of_document(failure.code) => {
                    tracing::info!(cause = %failure.cause, "an attachment can't be converted");
                    let is_unknown = failure.code == JobErrorCode::UnsupportedFormat;
                    // A list of accepted formats does not help those who can't choose the attachment.
                    let why = if is_unknown { "Its format is not supported." } else { &failure.message };
                    all.warnings.push(not_converted(&name, why));
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(all)
    }

    async fn convert_attachment(
        &self,
        file: &Artifact,
        name: &str,
        options: &Value,
        within: usize,
    ) -> Result<Conversion, Failure> {
        let (path, named, limits) = (file.path.clone(), name.to_owned(), self.limits.clone());
        let checked = spawn_blocking(move || attachment(path, &named, &limits)).await;
        let source = checked.map_err(|_panicked| Failure::internal("the check of an attachment panicked"))??;
        let mut made = self.once(&Recipe::of_attachment(&source, options, within), vec![source.clone()]).await?;
        match source {
            // The check makes its pictures smaller.
            Source::Document { .. } => self.checked(made).await,
            // It was only checked.
            Source::File(pdf) if pdf.media == Format::Pdf => {
                made.artifacts = Conversion::of_pdf(pdf.path, made.engine.clone(), Vec::new()).artifacts;
                Ok(made)
            }
            Source::File(_) | Source::Page(_) | Source::Html { .. } => Ok(made),
        }
    }
}

impl Recipe {
    /// The steps that make a PDF of an attachment.
    fn of_attachment(source: &Source, message: &Value, within: usize) -> Self {
        match source {
            Source::Document { .. } => Self::single(Operation::Tool(Slug::OFFICE_TO_PDF), json!({})),
            Source::File(file) if file.media == Format::Pdf => Self::single(Operation::Verify, Value::Null),
            Source::File(file) if is_message(file.media) => Self::message_and_attachments(message, within + 1),
            Source::File(file) if is_for_page(file.media) => {
                let mut options = page_options(message);
                options["attachments"] = json!("list");
                Self::message_alone(&options)
            }
            Source::File(_) | Source::Page(_) | Source::Html { .. } => {
                Self::single(Operation::Tool(Slug::IMAGES_TO_PDF), json!({"pageSize": "A4", "margin": MARGIN}))
            }
        }
    }
}

fn titled(pdf: &Conversion, title: Option<&str>) -> Source {
    let title = Some(title.filter(|title| !title.is_empty()).unwrap_or("Message").to_owned());
    Source::File(docmill_pdf_request::Source {
        title,
        ..docmill_pdf_request::Source::new(pdf.path().to_owned(), Format::Pdf)
    })
}

const fn is_message(format: Format) -> bool {
    matches!(format, Format::Eml | Format::Msg)
}

/// Whether a file is printed like a message: without scripts or remote content.
const fn is_for_page(format: Format) -> bool {
    matches!(format, Format::Html | Format::Markdown | Format::Txt)
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
        | JobErrorCode::DocumentSigned
        | JobErrorCode::SigningFailed
        | JobErrorCode::InvalidSignatureKey
        | JobErrorCode::SourceJobFailed
        | JobErrorCode::DeliveryFailed
        | JobErrorCode::Internal => false,
    }
}

/// Why an attachment that could be converted is not.
fn limit(within: usize) -> String {
    if within >= MOST_WITHIN {
        format!("Attachments are converted in up to {MOST_WITHIN} messages within each other.")
    } else {
        format!("Only the first {MOST_CONVERTED} are converted.")
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
