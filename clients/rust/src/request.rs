use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use url::Url;

use crate::error::{Error, Result};
use crate::models::{JobOutput, JobWebhookRequest, Secret};

/// The tools of [`Source::tool`].
const MAKE_PDF: [&str; 5] = ["office-to-pdf", "html-to-pdf", "markdown-to-pdf", "email-to-pdf", "images-to-pdf"];

/// Describes a job.
#[must_use]
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) tool: Option<String>,
    pub(crate) input: Input,
    pub(crate) options: Option<Options>,
    pub(crate) then: Vec<Step>,
    pub(crate) output: Option<JobOutput>,
    pub(crate) webhook: Option<JobWebhookRequest>,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) idempotency_key: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum Input {
    One(Source),
    Several(Vec<Source>),
}

/// Options may contain passwords. If they are no JSON, creating the job is an error.
#[derive(Clone)]
pub(crate) struct Options(std::result::Result<Value, String>);

impl Options {
    pub(crate) fn new(options: impl Serialize) -> Self {
        Self(serde_json::to_value(options).map_err(|error| error.to_string()))
    }

    pub(crate) fn into_json(self) -> Result<Value> {
        self.0.map_err(|error| Error::Usage(format!("the options are not JSON: {error}")))
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("…")
    }
}

impl Request {
    /// Makes a PDF of a source: its name decides with which tool, as [`Source::tool`] says.
    pub fn new(source: Source) -> Self {
        Self::with(None, Input::One(source))
    }

    /// Uses a tool that takes one source.
    pub fn tool(slug: impl Into<String>, source: Source) -> Self {
        Self::with(Some(slug.into()), Input::One(source))
    }

    /// Uses a tool that takes several sources, such as `merge-pdf`, in their order.
    pub fn several(slug: impl Into<String>, sources: impl IntoIterator<Item = Source>) -> Self {
        Self::with(Some(slug.into()), Input::Several(sources.into_iter().collect()))
    }

    /// Whether the result is certainly a PDF.
    pub(crate) fn makes_pdf(&self) -> Result<bool> {
        let tool = match (&self.tool, &self.input) {
            (Some(tool), _) => tool.as_str(),
            (None, Input::One(source)) => source.tool()?,
            (None, Input::Several(_)) => return Ok(false),
        };
        Ok(self.then.is_empty() && MAKE_PDF.contains(&tool))
    }

    fn with(tool: Option<String>, input: Input) -> Self {
        Self {
            tool,
            input,
            options: None,
            then: Vec::new(),
            output: None,
            webhook: None,
            metadata: BTreeMap::new(),
            idempotency_key: None,
        }
    }

    /// The tool's options: for `html-to-pdf` [`crate::models::HtmlToPdfOptions`], or any JSON object.
    pub fn options(mut self, given: impl Serialize) -> Self {
        self.options = Some(Options::new(given));
        self
    }

    /// A further step, which gets the whole result of the one before.
    pub fn then(mut self, step: Step) -> Self {
        self.then.push(step);
        self
    }

    /// How the result is named, kept and delivered.
    pub fn output(mut self, output: JobOutput) -> Self {
        self.output = Some(output);
        self
    }

    /// Where this job's events are sent.
    pub fn webhook(mut self, webhook: JobWebhookRequest) -> Self {
        self.webhook = Some(webhook);
        self
    }

    /// A label of your own.
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }

    /// Makes a repeated request the same job: your order number, for example. By default a new UUID, so that what the client repeats
    /// by itself is one job.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }
}

/// A further tool of a job.
#[must_use]
#[derive(Clone, Debug)]
pub struct Step {
    pub(crate) slug: String,
    pub(crate) options: Option<Options>,
}

impl Step {
    /// A tool as a step.
    pub fn new(slug: impl Into<String>) -> Self {
        Self { slug: slug.into(), options: None }
    }

    /// That tool's options.
    pub fn options(mut self, given: impl Serialize) -> Self {
        self.options = Some(Options::new(given));
        self
    }
}

/// A document.
#[must_use]
#[derive(Clone)]
pub struct Source {
    pub(crate) place: Place,
    pub(crate) details: Details,
}

/// Where a document is.
#[derive(Clone)]
pub(crate) enum Place {
    File(PathBuf),
    Bytes(Bytes, String),
    Opened(Arc<File>, String),
    Address(String),
    SourceUrl(String),
    Page(String),
    Upload(String),
    Job(String),
    /// A name, and a version unless it is the newest.
    Template(String, Option<u32>),
    Html(String),
    Markdown(String),
}

/// What else the service is told about a source.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Details {
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<Secret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_range: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
}

impl Source {
    /// A file of this machine. It is uploaded, in parts, when the job is created.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Place::File(path.into()).into()
    }

    /// A file in memory. The filename's extension tells what it is.
    pub fn bytes(content: impl Into<Bytes>, filename: impl Into<String>) -> Self {
        Place::Bytes(content.into(), filename.into()).into()
    }

    /// A file that is open for reading, from its beginning. The filename's extension tells what it is.
    pub fn opened(file: File, filename: impl Into<String>) -> Self {
        Place::Opened(Arc::new(file), filename.into()).into()
    }

    /// The address of a file or of a page, which the service fetches: the tool decides which.
    pub fn url(address: impl Into<String>) -> Self {
        Place::Address(address.into()).into()
    }

    /// The address of a file.
    pub fn source_url(address: impl Into<String>) -> Self {
        Place::SourceUrl(address.into()).into()
    }

    /// The address of a page.
    pub fn page(address: impl Into<String>) -> Self {
        Place::Page(address.into()).into()
    }

    /// A file that was uploaded before.
    pub fn upload(id: impl Into<String>) -> Self {
        Place::Upload(id.into()).into()
    }

    /// The result of another job, which need not have ended.
    pub fn result_of(job_id: impl Into<String>) -> Self {
        Place::Job(job_id.into()).into()
    }

    /// A stored template: this version, or the newest.
    pub fn template(name: impl Into<String>, version: Option<u32>) -> Self {
        Place::Template(name.into(), version).into()
    }

    /// A page.
    pub fn html(text: impl Into<String>) -> Self {
        Place::Html(text.into()).into()
    }

    /// A text in Markdown.
    pub fn markdown(text: impl Into<String>) -> Self {
        Place::Markdown(text.into()).into()
    }

    /// Which of several files of another job's result, by its index.
    pub fn output(mut self, index: u64) -> Self {
        self.details.output = Some(index);
        self
    }

    /// The file's name, whose extension tells the format if the content does not.
    pub fn filename(mut self, filename: impl Into<String>) -> Self {
        self.details.filename = Some(filename.into());
        self
    }

    /// The password of an encrypted file.
    pub fn password(mut self, password: impl Into<Secret>) -> Self {
        self.details.password = Some(password.into());
        self
    }

    /// Pages to take, such as `1-3,8,z`.
    pub fn page_range(mut self, pages: impl Into<String>) -> Self {
        self.details.page_range = Some(pages.into());
        self
    }

    /// What the file is called in the bookmarks of the result.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.details.title = Some(title.into());
        self
    }

    /// A header to send when the address is fetched. Only for addresses of files.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.details.headers.insert(name.into(), value.into());
        self
    }

    /// The tool that makes a PDF of this source: by the extension of a file's name or of a URL's path. Other URLs are pages.
    pub fn tool(&self) -> Result<&'static str> {
        match &self.place {
            Place::File(path) => by_name(&path.to_string_lossy()).ok_or_else(|| no_tool(path)),
            Place::Bytes(_, name) | Place::Opened(_, name) => by_name(name).ok_or_else(|| no_tool(Path::new(name))),
            Place::Address(address) => {
                let path = Url::parse(address).map(|url| url.path().to_owned()).unwrap_or_default();
                Ok(by_name(&path).unwrap_or("html-to-pdf"))
            }
            Place::Html(_) | Place::Page(_) => Ok("html-to-pdf"),
            Place::Markdown(_) => Ok("markdown-to-pdf"),
            Place::SourceUrl(_) | Place::Upload(_) | Place::Job(_) | Place::Template(..) => {
                Err(Error::Usage("this kind of source does not tell the tool: name one".to_owned()))
            }
        }
    }
}

impl From<Place> for Source {
    fn from(place: Place) -> Self {
        Self { place, details: Details::default() }
    }
}

/// Without secrets and content.
impl fmt::Debug for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File(path) => write!(formatter, "file {}", path.display()),
            Place::Bytes(_, name) | Place::Opened(_, name) => write!(formatter, "content {name}"),
            Place::Address(_) | Place::SourceUrl(_) | Place::Page(_) => formatter.write_str("URL"),
            Place::Upload(id) => write!(formatter, "upload {id}"),
            Place::Job(id) => write!(formatter, "result of job {id}"),
            Place::Template(name, _) => write!(formatter, "template {name}"),
            Place::Html(_) => formatter.write_str("inline HTML"),
            Place::Markdown(_) => formatter.write_str("inline Markdown"),
        }
    }
}

fn no_tool(path: &Path) -> Error {
    Error::Usage(format!("no tool makes a PDF of {}: name one", path.display()))
}

/// The extension of a name, in lower case.
pub(crate) fn extension(name: &str) -> Option<String> {
    Path::new(name).extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

fn by_name(name: &str) -> Option<&'static str> {
    match extension(name)?.as_str() {
        "docx" | "doc" | "dotx" | "odt" | "rtf" | "txt" | "xlsx" | "xls" | "xlsm" | "ods" | "csv" | "tsv" | "pptx"
        | "ppt" | "odp" | "odg" | "fodt" | "fods" | "fodp" => Some("office-to-pdf"),
        "html" | "htm" => Some("html-to-pdf"),
        "md" | "markdown" => Some("markdown-to-pdf"),
        "eml" | "msg" => Some("email-to-pdf"),
        "jpg" | "jpeg" | "png" | "webp" | "tiff" | "tif" | "gif" | "bmp" | "svg" => Some("images-to-pdf"),
        _ => None,
    }
}
