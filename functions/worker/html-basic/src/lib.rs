//! HTML to PDF without a browser or scripts: the fast lane.
//!
//! A page size in the page's CSS takes precedence over the requested one.
//!
//! This process fetches the page's resources through the guard and embeds them; a confined child lays out the page. Resources of
//! inline HTML are fetched in the same way, if their URLs are absolute.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod child;
mod copyable;
mod css;
mod features;
mod fonts;
mod html;
mod overflow;
mod parts;
pub mod render;
mod resources;
mod stderr;
mod web_fonts;
pub mod zygote;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use docmill_confine::usage::Excess;
use docmill_confine::{End, Launcher};
use docmill_domain::job::{EngineInfo, JobErrorCode, Warning};
use docmill_domain::time::millis;
use docmill_domain::tool::EngineKind;
use docmill_engine::page::{MOST_PAGE_BYTES, PageOptions};
use docmill_engine::{Conversion, Engine, ExpectedText, Failure, Source, Task, Unfinished};
use docmill_fetch::{Caps, Fetcher};
use docmill_sniff::charset;
use serde_json::Value;
use tokio::task::spawn_blocking;
use url::Url;

use self::child::{Children, Ended};
use self::css::Findings;
use self::features::Feature;
use self::fonts::FontNeeds;
use self::html::Dissection;
use self::parts::Base;
use self::render::{Order, Outcome};
use self::resources::Resources;

/// The child gives up this long before it would be killed.
const RESERVE: Duration = Duration::from_millis(250);
const VERSION: &str = "0.7.0";

/// The engine. Jobs share nothing and are laid out one after the other.
#[derive(Debug)]
pub struct HtmlBasic {
    children: Children,
    fetcher: Fetcher,
}

impl HtmlBasic {
    /// `launcher` starts the children, `fetcher` loads what pages refer to.
    pub fn new(launcher: Launcher, fetcher: Fetcher) -> Self {
        Self { children: Children::new(launcher), fetcher }
    }
}

#[async_trait]
impl Engine for HtmlBasic {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let options = PageOptions::read(task.options)?;
        options.check_room()?;
        let page = self.obtain(&task).await?;
        let (page, base) = (page.html, page.url);
        let dissection = dissect(page, base.clone(), task.deadline).await?;
        let arrival = task.deadline.min(Instant::now() + task.limits.fetch);
        let mut resources =
            Resources::fetch(&self.fetcher, &dissection.parts, task.limits.redirects, arrival.into()).await;
        let filled = resources.fill(&dissection.parts);

        let Findings { mut features, mut fonts, hides } = dissection.findings;
        fonts.append(std::mem::take(&mut resources.findings.fonts));
        let words = copyable::words(&dissection.visible);
        let printed = self.render(&task, &options, filled, (base, fonts, words)).await?;
        features.append(&mut resources.findings.features);
        if !names_paper(task.options) {
            features.remove(&Feature::PageSize);
        }
        let mut warnings = features::warnings(&features).collect::<Vec<_>>();
        warnings.extend(resources.warnings());
        warnings.extend(relative_references(dissection.relative));
        warnings.extend(stderr::warnings(&printed.said));
        let engine = EngineInfo { name: EngineKind::Sghtmltopdf.as_str().to_owned(), version: VERSION.to_owned() };
        let is_whole = options.page_range.is_none() && !hides && !resources.findings.hides;
        let draws_all = !warnings.iter().any(|warning| warning.code == "missing_glyph");
        let texts = if is_whole && draws_all { expected_words(&dissection.visible) } else { Vec::new() };
        let unfinished = Unfinished { texts, ..Unfinished::default() };
        Ok(Conversion { unfinished, ..Conversion::of_pdf(printed.pdf, engine, warnings) })
    }

    async fn get_ready(&self) {
        if let Err(error) = self.children.get_ready().await {
            tracing::warn!(%error, "the layout engine is not ready for the next job: a fresh one will serve it");
        }
    }
}

/// Words of the page that should be on the pages of the PDF.
fn expected_words(visible: &str) -> Vec<ExpectedText> {
    const MOST_WORDS: usize = 5_000;
    let mut seen = HashSet::new();
    let new = visible.split_whitespace().filter(|word| seen.insert(*word));
    new.take(MOST_WORDS).map(|word| ExpectedText { place: None, text: word.to_owned() }).collect()
}

struct Page {
    html: String,
    url: Option<Url>,
}

struct Printed {
    pdf: PathBuf,
    /// The end of the child's standard error.
    said: String,
}

impl HtmlBasic {
    async fn obtain(&self, task: &Task<'_>) -> Result<Page, Failure> {
        let url = match task.source()? {
            Source::Html { html, .. } => return Ok(Page { html: html.clone(), url: None }),
            Source::Page(url) => url,
            Source::Document { .. } | Source::File(_) => {
                let message = "This tool renders pages, not documents.";
                return Err(Failure::new(JobErrorCode::UnsupportedFormat, message, "a document for HTML basic"));
            }
        };
        let caps = Caps::of(task.limits);
        let caps =
            Caps { bytes: caps.bytes.min(MOST_PAGE_BYTES), deadline: caps.deadline.min(task.deadline.into()), ..caps };
        let fetched = self.fetcher.fetch_bytes(url, caps).await?;
        check_type(fetched.content_type.as_deref())?;
        let html = charset::decode(&fetched.bytes, fetched.content_type.as_deref());
        Ok(Page { html, url: Some(fetched.url) })
    }

    async fn render(
        &self,
        task: &Task<'_>,
        options: &PageOptions,
        page: String,
        (base, fonts, words): (Option<Url>, FontNeeds, Vec<String>),
    ) -> Result<Printed, Failure> {
        let left = task.deadline.saturating_duration_since(Instant::now()).saturating_sub(RESERVE);
        let own_fonts = task.fonts.directory().map(Path::to_owned);
        let order = Order { own_fonts, words, ..order(options, base, left, fonts) };
        let scratch = task.scratch.to_owned();
        let written = spawn_blocking(move || render::write(&scratch, &page, &order));
        written.await.map_err(Failure::internal)?.map_err(Failure::internal)?;
        let Ended { how, said } = self.children.print(task).await.map_err(Failure::internal)?;
        match how {
            Ok(Ok(())) => Ok(Printed { pdf: task.scratch.join(render::RESULT), said }),
            Ok(Err(outcome)) => Err(explain(outcome)),
            Err(End::TimedOut) => Err(timed_out()),
            Err(End::Exceeded(Excess::Disk) | End::Signaled(libc::SIGXFSZ)) => Err(too_large()),
            Err(End::Exceeded(Excess::Memory)) => {
                Err(Failure::of_memory(self.children.memory_bytes(), "layout: out of memory"))
            }
            Err(End::Signaled(_)) if docmill_confine::tells_of_memory(&said) => {
                Err(Failure::of_memory(self.children.memory_bytes(), "layout: an allocation failed"))
            }
            Err(end @ (End::Exceeded(Excess::Processes) | End::Exited(_) | End::Signaled(_))) => {
                Err(crashed(format!("layout: {end:?}")))
            }
        }
    }
}

fn order(options: &PageOptions, base: Option<Url>, left: Duration, fonts: FontNeeds) -> Order {
    let (width, height) = options.paper();
    Order {
        width: width.css_pixels(),
        height: height.css_pixels(),
        margin_top: options.margin_top.css_pixels(),
        margin_right: options.margin_right.css_pixels(),
        margin_bottom: options.margin_bottom.css_pixels(),
        margin_left: options.margin_left.css_pixels(),
        base: base.map(String::from),
        time_left_ms: millis(left),
        fonts,
        own_fonts: None,
        words: Vec::new(),
        page_range: options.page_range.clone(),
        tagged: options.accessible,
    }
}

async fn dissect(page: String, base: Option<Url>, deadline: Instant) -> Result<Dissection, Failure> {
    let dissected = spawn_blocking(move || html::dissect(&page, Base::new(base), deadline)).await;
    dissected.map_err(Failure::internal)?.map_err(|html::TimeUp| timed_out())
}

/// A page must be HTML, or text that can be read as HTML.
fn check_type(content_type: Option<&str>) -> Result<(), Failure> {
    let given = content_type.unwrap_or("text/html").split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if matches!(given.as_str(), "text/html" | "application/xhtml+xml" | "text/plain" | "") {
        return Ok(());
    }
    let message = format!("The URL returned {given}, which is not a page. Give the URL of an HTML page.");
    Err(Failure::new(JobErrorCode::UnsupportedFormat, message, "media type of the page"))
}

/// Whether the request itself chooses the paper.
fn names_paper(options: &Value) -> bool {
    ["pageSize", "width", "landscape"].iter().any(|option| options.get(option).is_some())
}

fn relative_references(count: u32) -> Option<Warning> {
    let message = "Inline HTML has no address of its own: relative references lead nowhere. Use absolute URLs or data: \
                   URLs.";
    (count > 0).then(|| Warning::new("relative_reference", message).with_detail(count.to_string()))
}

fn explain(outcome: Outcome) -> Failure {
    let cause = format!("layout: {outcome:?}");
    match outcome {
        Outcome::TooComplex => Failure::new(
            JobErrorCode::RenderFailed,
            "The page has too many elements, or nests them too deeply, for `renderMode: basic`. Use `renderMode: browser`.",
            cause,
        ),
        Outcome::TimedOut => timed_out(),
        Outcome::NoSuchPages => {
            let message = "`pageRange` names only pages that the result does not have.";
            Failure::new(JobErrorCode::RenderFailed, message, cause)
        }
        Outcome::NoFonts | Outcome::Io => Failure::internal(cause),
        Outcome::Other => crashed(cause),
    }
}

fn timed_out() -> Failure {
    let message = "The page could not be laid out in time. Make it smaller, or split it.";
    Failure::new(JobErrorCode::ConversionTimeout, message, "layout deadline")
}

fn too_large() -> Failure {
    let message = "The resulting PDF is larger than the limit. Split the page, or reduce its pictures.";
    Failure::new(JobErrorCode::RenderFailed, message, "output limit")
}

fn crashed(cause: impl Into<String>) -> Failure {
    let message = "The layout engine crashed on this page. Use `renderMode: browser`.";
    Failure::new(JobErrorCode::EngineCrashed, message, cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_name_the_version_that_is_built_in() {
        let locked = include_str!("../../../../Cargo.lock")
            .split("[[package]]")
            .find(|package| package.contains("name = \"sghtmltopdf\"\n"));
        assert!(locked.unwrap().contains(&format!("version = \"{VERSION}\"\n")));
    }
}
