//! From a request to a finished PDF, without AWS: fetch, check, convert, mark, measure.
//!
//! The Lambda pipeline and the `convert` command both go through here, so that both have the same checks and limits.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use docmill::domain::api_key::Mode;
use docmill::domain::hex;
use docmill::domain::job::{EngineInfo, JobErrorCode, Output, Warning};
use docmill::domain::request::JobRequest;
use docmill::domain::tool::EngineKind;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;
use url::Url;

use crate::engine::{Conversion, Engine, Failure, Limits, Source, Task};
use crate::pdf;
use crate::sniff::{self, Hints};
use crate::source::{Fetched, Fetcher};

const HTML_TO_PDF: &str = "html-to-pdf";

/// A longer name would not fit into the link that downloads it.
const MAX_NAME_CHARACTERS: usize = 150;

/// The engines that this environment runs.
#[derive(Clone, Default)]
pub struct Engines {
    pub office: Option<Arc<dyn Engine>>,
    pub html_basic: Option<Arc<dyn Engine>>,
    pub html_browser: Option<Arc<dyn Engine>>,
}

impl std::fmt::Debug for Engines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engines")
            .field("office", &self.office.is_some())
            .field("html_basic", &self.html_basic.is_some())
            .field("html_browser", &self.html_browser.is_some())
            .finish()
    }
}

impl Engines {
    fn of(&self, request: &JobRequest) -> Result<(EngineKind, &dyn Engine), Failure> {
        let missing = || ours(format!("no engine here for {}", request.tool));
        let kind = EngineKind::of(&request.tool, request.option_str("renderMode")).ok_or_else(missing)?;
        let engine = match kind {
            EngineKind::LibreOffice => &self.office,
            EngineKind::Sghtmltopdf => &self.html_basic,
            EngineKind::Chromium => &self.html_browser,
        };
        Ok((kind, engine.as_deref().ok_or_else(missing)?))
    }

    /// Prepares every engine for its next job.
    pub async fn get_ready(&self) {
        for engine in [&self.office, &self.html_basic, &self.html_browser].into_iter().flatten() {
            engine.get_ready().await;
        }
    }
}

#[derive(Debug)]
pub struct Converter {
    pub fetcher: Fetcher,
    pub engines: Engines,
    pub limits: Limits,
}

/// A PDF that is ready to be stored.
#[derive(Debug)]
pub struct Converted {
    pub pdf: std::path::PathBuf,
    pub output: Output,
    pub engine: EngineInfo,
    pub warnings: Vec<Warning>,
    pub fetch: Duration,
    pub convert: Duration,
}

impl Converter {
    /// Converts in `scratch`, which belongs to this job alone, until `deadline` at the latest. `uploaded`: the source, if
    /// it is one that the request only names.
    pub async fn run(
        &self,
        request: &JobRequest,
        uploaded: Option<Fetched>,
        mode: Mode,
        scratch: &Path,
        deadline: Instant,
    ) -> Result<Converted, Failure> {
        self.engines.of(request)?;
        let started = Instant::now();
        let (source, name) = self.obtain(request, uploaded, scratch).await?;
        let fetch = started.elapsed();
        let converted = self.convert(source, name.as_deref(), request, mode, scratch, deadline).await?;
        Ok(Converted { fetch, ..converted })
    }

    /// The same for a source that is here already. `name`: what it came with.
    pub async fn convert(
        &self,
        source: Source,
        name: Option<&str>,
        request: &JobRequest,
        mode: Mode,
        scratch: &Path,
        deadline: Instant,
    ) -> Result<Converted, Failure> {
        let (kind, engine) = self.engines.of(request)?;
        let started = Instant::now();
        let deadline = deadline.min(started + self.limits.conversion);
        let options = Value::Object(request.options.clone());
        let task = |source| Task { source, options: &options, scratch, deadline, limits: &self.limits };
        let conversion = match engine.convert(task(source.clone())).await {
            // Not every crash is the document's fault: once more, in a fresh engine.
            Err(failure) if failure.code == JobErrorCode::EngineCrashed && Instant::now() < deadline => {
                tracing::warn!(cause = %failure.cause, "an engine crashed; the conversion is repeated once");
                engine.convert(task(source)).await
            }
            result => result,
        };
        let conversion = conversion.map_err(|failure| failure.of(kind))?;
        let Conversion { pdf, pages, engine, warnings } = conversion;
        if mode == Mode::Test {
            mark_as_test(&pdf).await?;
        }
        let convert = started.elapsed();

        let (bytes, sha256) = measure(&pdf).await?;
        let filename = output_name(request.option_str("filename").or(request.input_str("filename")).or(name));
        let (format, content_type) = ("pdf".to_owned(), "application/pdf".to_owned());
        let output = Output { format, content_type, bytes, pages, sha256, filename };
        Ok(Converted { pdf, output, engine, warnings, fetch: Duration::ZERO, convert })
    }

    /// The source of a request, checked, and the name it came with.
    async fn obtain(
        &self,
        request: &JobRequest,
        uploaded: Option<Fetched>,
        scratch: &Path,
    ) -> Result<(Source, Option<String>), Failure> {
        if let Some(html) = request.input_str("html") {
            return Ok((Source::Html(html.to_owned()), None));
        }
        if let Some(url) = request.input_str("url") {
            let url = parse(url)?;
            let name = page_name(&url);
            return Ok((Source::Page(url), name));
        }
        let fetched = match uploaded {
            Some(uploaded) => uploaded,
            None => {
                let url = parse(request.input_str("sourceUrl").unwrap_or_default())?;
                self.fetcher.fetch(&url, scratch, &self.limits).await?
            }
        };
        let name = request.input_str("filename").map(str::to_owned).or_else(|| fetched.filename.clone());
        let (named, limits) = (name.clone(), self.limits.clone());
        let is_page = request.tool == HTML_TO_PDF;
        let source = spawn_blocking(move || {
            let content_type = fetched.content_type.as_deref();
            if is_page {
                return sniff::page(&fetched.path, content_type).map(Source::Html);
            }
            let hints = Hints { filename: named.as_deref(), content_type, url: fetched.url.as_ref() };
            checked_document(fetched.path.clone(), hints, &limits)
        })
        .await
        .map_err(|_panicked| check_panicked())??;
        Ok((source, name))
    }
}

/// A document that an engine may open: identified, and safe as far as can be seen from outside. Blocks.
pub fn checked_document(path: PathBuf, hints: Hints<'_>, limits: &Limits) -> Result<Source, Failure> {
    let format = sniff::identify(&path, hints)?;
    let inspection = sniff::check(&path, format, limits)?;
    let name = hints.filename.map(str::to_owned);
    Ok(Source::Document { path, name, format, inspection })
}

/// It is the document that made it panic: trying again would only repeat that.
fn check_panicked() -> Failure {
    let message = "The document could not be read: it seems to be damaged.";
    Failure::new(JobErrorCode::CorruptDocument, message, "the check of a document panicked")
}

/// A source's address was checked when the job was accepted: one that is none is a fault of ours.
fn parse(url: &str) -> Result<Url, Failure> {
    Url::parse(url).map_err(|_| ours("a stored address is none"))
}

async fn mark_as_test(pdf: &Path) -> Result<(), Failure> {
    let path = pdf.to_owned();
    let marked = spawn_blocking(move || pdf::watermark_test(&path)).await;
    marked.map_err(|_panicked| ours("marking panicked"))?.map_err(|error| ours(format!("marking failed: {error}")))
}

/// Size and digest of the finished file.
async fn measure(pdf: &Path) -> Result<(u64, String), Failure> {
    let path = pdf.to_owned();
    let measured = spawn_blocking(move || -> io::Result<(u64, String)> {
        let mut digest = Sha256::new();
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            digest.update(&buffer[..read]);
            bytes += read as u64;
        }
        Ok((bytes, hex(&digest.finalize())))
    });
    let measured = measured.await.map_err(|_panicked| ours("measuring panicked"))?;
    measured.map_err(|error| ours(format!("the result could not be read: {error}")))
}

/// A page is called like the last part of its path, or like its host.
fn page_name(url: &Url) -> Option<String> {
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).filter(|part| !part.is_empty());
    let decoded = last.map(|part| percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned());
    let plain = decoded.filter(|name| !name.contains(['/', '\\']) && !name.chars().any(char::is_control));
    // A host's name has dots too, which are no extension's.
    plain.or_else(|| url.host_str().map(|host| format!("{host}.html")))
}

/// `report.docx` becomes `report.pdf`; what has no name becomes `document.pdf`.
fn output_name(name: Option<&str>) -> String {
    let stem = name.map_or("document", |name| match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && extension.len() <= 5 => stem,
        Some(_) | None => name,
    });
    let stem: String = stem.chars().filter(|character| !character.is_control()).take(MAX_NAME_CHARACTERS).collect();
    let stem = if stem.trim().is_empty() { "document" } else { &stem };
    format!("{stem}.pdf")
}

/// A fault of our own infrastructure: the only kind that is tried again.
pub fn ours(cause: impl Into<String>) -> Failure {
    Failure::new(
        JobErrorCode::Internal,
        "Something went wrong on our side. The credits were given back; try again.",
        cause,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_after_their_address() {
        let name = |url: &str| output_name(page_name(&Url::parse(url).unwrap()).as_deref());
        assert_eq!(name("https://a.example/x/invoice.html?id=secret"), "invoice.pdf");
        assert_eq!(name("https://a.example/M%C3%A4rz"), "März.pdf");
        assert_eq!(name("https://www.a.example/"), "www.a.example.pdf");
        assert_eq!(name("https://a.example/..%2f..%2fetc"), "a.example.pdf");
    }

    #[test]
    fn results_are_named_after_their_source() {
        assert_eq!(output_name(Some("Report 2026.docx")), "Report 2026.pdf");
        assert_eq!(output_name(Some("out.pdf")), "out.pdf");
        assert_eq!(output_name(Some("v1.2 notes of meeting")), "v1.2 notes of meeting.pdf");
        assert_eq!(output_name(Some(".docx")), ".docx.pdf");
        assert_eq!(output_name(None), "document.pdf");
        assert_eq!(output_name(Some(&"n".repeat(60_000))).len(), MAX_NAME_CHARACTERS + ".pdf".len());
    }
}
