//! HTML to PDF in a browser: Chromium, started ahead of its job, spoken to over a pipe.
//!
//! Each job has a browser of its own, which reaches the internet through a guarding proxy session of its own and is killed
//! after the job: what has taken a browser over meets nobody else's page. The next one is made ready off the path.

mod browser;
mod client;
mod frames;
mod letters;
mod process;
mod tab;
mod verdict;
mod watch;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use docmill::domain::job::{EngineInfo, JobErrorCode, Warning};
use docmill::domain::tool::EngineKind;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::timeout_at;

use self::browser::{Browser, Stop};
use self::letters::Letters;
use self::tab::{Blank, Tab, Trouble};
use self::verdict::Sight;
use self::watch::{Access, INLINE_URL};
use super::fonts::InstalledFonts;
use super::page::{PageOptions, PageRange};
use super::{Conversion, Engine, Failure, Limits, Source, Task};
use crate::confine::Launcher;
use crate::egress::EgressPolicy;

pub use self::process::BrowserSettings;

/// A browser or page that does not answer in this time is not fit for work.
const HEALTH: Duration = Duration::from_millis(1500);
/// A page made ahead takes some 40 ms.
const PREPARATION: Duration = Duration::from_secs(5);
/// What is kept of the deadline to end a job in good order.
const RESERVE: Duration = Duration::from_millis(500);

/// The engine. One job at a time has the browser; others wait for it.
#[derive(Debug)]
pub struct HtmlBrowser {
    settings: BrowserSettings,
    launcher: Launcher,
    policy: EgressPolicy,
    /// Away once a job has it, which takes it along.
    idle: Mutex<Option<Ready>>,
    fonts: InstalledFonts,
}

/// A browser, and perhaps the page of the next job in it.
#[derive(Debug)]
struct Ready {
    // Dropped before the browser, whose connections go through it.
    blank: Option<Blank>,
    browser: Browser,
}

impl HtmlBrowser {
    pub fn new(settings: BrowserSettings, launcher: Launcher, policy: EgressPolicy) -> Self {
        Self { settings, launcher, policy, idle: Mutex::new(None), fonts: InstalledFonts::default() }
    }

    /// A browser that no job has had: the one made ready, or else a new one.
    async fn fit_browser(&self, prepared: Option<Ready>) -> Result<Ready, Stop> {
        if let Some(mut ready) = prepared
            && ready.is_healthy().await
        {
            return Ok(ready);
        }
        Ok(Ready { blank: None, browser: Browser::start(&self.settings, &self.launcher).await? })
    }

    async fn prepare(&self, prepared: Option<Ready>) -> Result<Ready, Stop> {
        let mut ready = self.fit_browser(prepared).await?;
        if ready.blank.is_none() {
            let until = Instant::now() + PREPARATION;
            ready.blank = Some(Blank::open(&mut ready.browser, &self.policy, until).await?);
        }
        Ok(ready)
    }

    async fn print(&self, job: &Job<'_>) -> Result<(EngineInfo, Vec<Warning>, Letters), Failure> {
        let mut idle = self.idle.lock().await;
        let mut ready = self.fit_browser(idle.take()).await.map_err(verdict::not_started)?;
        let result = job.run(&mut ready, &self.policy).await;
        let result = result.map_err(|failure| match ready.browser.lacked_memory() {
            Some(bytes) if failure.code == JobErrorCode::EngineCrashed => Failure::of_memory(bytes, failure.cause),
            Some(_) | None => failure,
        });
        let engine =
            EngineInfo { name: EngineKind::Chromium.as_str().to_owned(), version: ready.browser.version.clone() };
        let (warnings, letters) = result?;
        Ok((engine, warnings, letters))
    }
}

impl Ready {
    /// Whether browser and page still answer: they may have been frozen, or died, since the last job.
    async fn is_healthy(&mut self) -> bool {
        let until = Instant::now() + HEALTH;
        match &mut self.blank {
            Some(blank) => blank.is_fit(&mut self.browser, until).await,
            None => self.browser.answers(until).await,
        }
    }
}

#[async_trait]
impl Engine for HtmlBrowser {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let options = PageOptions::read(task.options)?;
        options.check_room()?;
        let job = Job::new(&task, &options)?;
        let in_time = timeout_at(task.deadline.into(), self.print(&job)).await;
        let (engine, mut warnings, letters) = in_time.map_err(|_| verdict::timed_out("the deadline, all in all"))??;
        let fonts = self.fonts.clone();
        let missing = tokio::task::spawn_blocking(move || letters.warnings(&fonts)).await;
        warnings.extend(missing.map_err(verdict::internal)?);
        Ok(Conversion::of_pdf(job.pdf, engine, warnings))
    }

    /// Starts the browser if there is none, and opens the next job's page in it: 40 ms that the job then saves.
    async fn get_ready(&self) {
        let mut idle = self.idle.lock().await;
        match self.prepare(idle.take()).await {
            Ok(ready) => *idle = Some(ready),
            // The job will try again, and tell its owner if that fails too.
            Err(stop) => tracing::warn!(?stop, "the browser could not be made ready for the next job"),
        }
        self.fonts.get_ready().await;
    }
}

/// One conversion, made out for the browser.
struct Job<'t> {
    options: &'t PageOptions,
    url: String,
    inline: Option<String>,
    pdf: PathBuf,
    until: Instant,
    limits: &'t Limits,
}

impl<'t> Job<'t> {
    fn new(task: &Task<'t>, options: &'t PageOptions) -> Result<Self, Failure> {
        let (url, inline) = match task.source()? {
            Source::Page(url) => (url.to_string(), None),
            Source::Html(html) => (INLINE_URL.to_owned(), Some(html.clone())),
            Source::Document { .. } | Source::File(_) => {
                let message = "This tool renders pages, not documents.";
                return Err(Failure::new(JobErrorCode::UnsupportedFormat, message, "a document for the browser"));
            }
        };
        let until = task.deadline.checked_sub(RESERVE).unwrap_or(task.deadline);
        Ok(Self { options, url, inline, pdf: task.scratch.join("page.pdf"), until, limits: task.limits })
    }

    /// The job's warnings, and what its text asks for; or its failure.
    async fn run(&self, ready: &mut Ready, policy: &EgressPolicy) -> Result<(Vec<Warning>, Letters), Failure> {
        let opened = match ready.blank.take() {
            Some(blank) => Ok(blank),
            None => Blank::open(&mut ready.browser, policy, self.until).await,
        };
        let blank = opened.map_err(verdict::not_started)?;
        let access = Access { inline: self.inline.clone(), redirects: self.limits.redirects };
        let mut tab = Tab::new(&mut ready.browser, blank, access);
        let printed = self.print(&mut tab).await;
        let (watch, report) = tab.into_sight().await;
        let sight = Sight { watch: &watch, report: &report, options: self.options };
        printed.map(|letters| (sight.warnings(), letters)).map_err(|trouble| sight.explain(trouble))
    }

    /// Navigates, settles, checks, prints.
    async fn print(&self, tab: &mut Tab<'_>) -> Result<Letters, Trouble> {
        let arrival = self.until.min(Instant::now() + self.limits.fetch);
        tab.set_media(self.options.media, arrival).await?;
        tab.navigate(&self.url, arrival).await?;
        tab.settle(self.until).await?;
        tab.wait_for(&self.options.wait_for, self.until).await?;
        verdict::check_document(tab.watch())?;
        let letters = tab.look(letters::LOOK, self.until).await?.map(Letters::read).unwrap_or_default();
        tab.print(print_parameters(self.options), &self.pdf, self.limits.output_bytes, self.until).await?;
        Ok(letters)
    }
}

/// The job's options as `Page.printToPDF` takes them: inches, and templates for both edges or none.
fn print_parameters(options: &PageOptions) -> Value {
    let (width, height) = options.paper();
    json!({
        "paperWidth": width.inches(),
        "paperHeight": height.inches(),
        "marginTop": options.margin_top.inches(),
        "marginRight": options.margin_right.inches(),
        "marginBottom": options.margin_bottom.inches(),
        "marginLeft": options.margin_left.inches(),
        "scale": options.scale,
        "printBackground": options.print_background,
        "preferCSSPageSize": options.prefer_css_page_size,
        "pageRanges": options.page_range.as_ref().map_or("", PageRange::as_str),
        "displayHeaderFooter": options.header_html.is_some() || options.footer_html.is_some(),
        "headerTemplate": edge(options.header_html.as_deref()),
        "footerTemplate": edge(options.footer_html.as_deref()),
        "generateTaggedPDF": options.tagged,
        "generateDocumentOutline": options.outline,
        "transferMode": "ReturnAsStream",
    })
}

/// A template for header or footer. An empty one would mean the browser's own, and letters have no size of their own.
fn edge(html: Option<&str>) -> String {
    format!("<style>#header,#footer{{font-size:10px}}</style><span></span>{}", html.unwrap_or_default())
}
