//! HTML to PDF or pictures in a browser: Chromium, started before its job, controlled over a pipe.
//!
//! Each job has its own browser and its own proxy session. The browser is killed after the job, so a compromised one never sees
//! another job's page. The next one is started in advance.

#![warn(missing_docs, clippy::missing_errors_doc)]

mod browser;
mod client;
mod edge;
mod frames;
mod letters;
mod paused;
mod picture;
mod process;
mod proxy;
mod tab;
mod verdict;
mod visit;
mod watch;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use docmill_confine::Launcher;
use docmill_domain::job::{EngineInfo, JobErrorCode, Warning};
use docmill_domain::tool::{EngineKind, Slug};
use docmill_egress::EgressPolicy;
use docmill_engine::page::{Media, PageOptions};
use docmill_engine::{Conversion, Engine, Failure, Limits, Operation, Source, Task, list_fonts};
use docmill_fonts::{InstalledFonts, NO_FONTS, OwnFonts};
use docmill_formats::Format;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::timeout_at;
use url::Url;

use self::browser::{Browser, Stop};
use self::edge::edge;
use self::letters::Letters;
use self::picture::PictureOptions;
use self::tab::{Blank, LISTEN, PageError, Tab};
use self::verdict::Observed;
use self::visit::{OwnHeaders, Visit};
use self::watch::{Access, INLINE_URL};

pub use self::process::{BrowserSettings, wait_for_dropped_browsers};

/// A browser or page that does not answer in this time is not used.
const HEALTH: Duration = Duration::from_millis(1500);
/// Preparing a page takes about 40 ms.
const PREPARATION: Duration = Duration::from_secs(5);
/// Time reserved for ending a job properly.
const RESERVE: Duration = Duration::from_millis(500);

/// The engine. It runs one job at a time; others wait.
#[derive(Debug)]
pub struct HtmlBrowser {
    settings: BrowserSettings,
    launcher: Launcher,
    policy: EgressPolicy,
    /// `None` while a job uses the browser, which is killed with it.
    idle: Mutex<Option<Ready>>,
    fonts: InstalledFonts,
}

/// A browser, and possibly the page for the next job.
#[derive(Debug)]
struct Ready {
    // Dropped before the browser, whose connections go through it.
    blank: Option<Blank>,
    browser: Browser,
}

impl HtmlBrowser {
    /// An engine without a browser yet: the first job, or a preparation, starts one.
    pub fn new(settings: BrowserSettings, launcher: Launcher, policy: EgressPolicy) -> Self {
        Self { settings, launcher, policy, idle: Mutex::new(None), fonts: InstalledFonts::default() }
    }

    /// An unused browser: the prepared one, or a new one.
    async fn fit_browser(&self, prepared: Option<Ready>) -> Result<Ready, Stop> {
        if let Some(mut ready) = prepared
            && ready.is_healthy().await
        {
            return Ok(ready);
        }
        self.start(&NO_FONTS).await
    }

    async fn start(&self, fonts: &OwnFonts) -> Result<Ready, Stop> {
        Ok(Ready { blank: None, browser: Browser::start(&self.settings, &self.launcher, fonts).await? })
    }

    async fn prepare(&self, prepared: Option<Ready>) -> Result<Ready, Stop> {
        let mut ready = self.fit_browser(prepared).await?;
        if ready.blank.is_none() {
            let until = Instant::now() + PREPARATION;
            ready.blank = Some(Blank::open(&mut ready.browser, &self.policy, until).await?);
        }
        Ok(ready)
    }

    async fn serve(&self, job: &Job<'_>) -> Result<(EngineInfo, Vec<Warning>, Letters), Failure> {
        let mut idle = self.idle.lock().await;
        // A browser reads fonts when it starts. The prepared one does not know the account's fonts, so it is kept for another
        // job.
        let ready = match job.fonts.directory() {
            None => self.fit_browser(idle.take()).await,
            Some(_) => self.start(job.fonts).await,
        };
        let mut ready = ready.map_err(verdict::not_started)?;
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
    /// Whether browser and page still answer. They may have been frozen or have died since the last job.
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
        let job = Job::new(&task)?;
        let in_time = timeout_at(task.deadline.into(), self.serve(&job)).await;
        let (engine, mut warnings, letters) = in_time.map_err(|_| verdict::timed_out("the deadline, all in all"))??;
        let (fonts, own) = (self.fonts.clone(), task.fonts.clone());
        let missing = tokio::task::spawn_blocking(move || letters.warnings(&fonts, &own)).await;
        warnings.extend(missing.map_err(Failure::internal)?);
        Ok(Conversion::of_file(job.result, job.product.media(), engine, warnings))
    }

    /// Starts a browser if there is none, and opens the next job's page. This saves the job 40 ms.
    async fn get_ready(&self) {
        let mut idle = self.idle.lock().await;
        match self.prepare(idle.take()).await {
            Ok(ready) => *idle = Some(ready),
            // The job tries again, and fails if that fails too.
            Err(stop) => tracing::warn!(?stop, "the browser could not be made ready for the next job"),
        }
        list_fonts(&self.fonts).await;
    }
}

/// The kind of result.
enum Product {
    Pdf(PageOptions),
    Picture(PictureOptions),
}

impl Product {
    fn read(task: &Task<'_>) -> Result<Self, Failure> {
        if task.operation == Operation::Tool(Slug::HTML_TO_IMAGE) {
            return PictureOptions::read(task.options).map(Self::Picture);
        }
        let options = PageOptions::read(task.options)?;
        options.check_room()?;
        Ok(Self::Pdf(options))
    }

    const fn media(&self) -> Format {
        match self {
            Self::Pdf(_) => Format::Pdf,
            Self::Picture(options) => options.format.media(),
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        match self {
            Self::Pdf(_) => Vec::new(),
            Self::Picture(options) => options.warnings(),
        }
    }
}

/// A conversion, translated for the browser.
struct Job<'t> {
    visit: Visit,
    product: Product,
    /// Whether the page's own scripts run.
    scripts: bool,
    url: Url,
    inline: Option<String>,
    result: PathBuf,
    until: Instant,
    limits: &'t Limits,
    fonts: &'t OwnFonts,
}

impl<'t> Job<'t> {
    fn new(task: &Task<'t>) -> Result<Self, Failure> {
        let (visit, product) = (Visit::read(task.options)?, Product::read(task)?);
        let (url, inline) = match task.source()? {
            Source::Page(url) => (url.clone(), None),
            Source::Html { html, .. } => (Url::parse(INLINE_URL).map_err(Failure::internal)?, Some(html.clone())),
            Source::Document { .. } | Source::File(_) => {
                let message = "This tool renders pages, not documents.";
                return Err(Failure::new(JobErrorCode::UnsupportedFormat, message, "a document for the browser"));
            }
        };
        let until = task.deadline.checked_sub(RESERVE).unwrap_or(task.deadline);
        let result = task.scratch.join("page").with_extension(product.media().extension());
        let scripts = task.operation != Operation::PrintMessage;
        let (limits, fonts) = (task.limits, task.fonts);
        Ok(Self { visit, product, scripts, url, inline, result, until, limits, fonts })
    }

    /// The job's warnings and the text's font needs, or its failure.
    async fn run(&self, ready: &mut Ready, policy: &EgressPolicy) -> Result<(Vec<Warning>, Letters), Failure> {
        let left = self.until.saturating_duration_since(Instant::now());
        let opened = match ready.blank.take() {
            Some(blank) => Ok(blank),
            None => Blank::open(&mut ready.browser, policy, self.until).await,
        };
        let blank = opened.map_err(|stop| verdict::not_opened(stop, left < PREPARATION))?;
        let headers = match self.inline {
            None => OwnHeaders::new(&self.url, &self.visit.headers),
            Some(_) => OwnHeaders::default(),
        };
        let access = Access { inline: self.inline.clone(), redirects: self.limits.redirects, headers };
        let mut tab = Tab::new(&mut ready.browser, blank, access);
        let made = self.make(&mut tab).await;
        let (watch, report) = tab.into_observed().await;
        let sight = Observed { watch: &watch, report: &report, visit: &self.visit };
        let letters = made.map_err(|error| sight.explain(error))?;
        if let Some(failure) = sight.objection() {
            return Err(failure);
        }
        let mut warnings = sight.warnings();
        warnings.extend(self.product.warnings());
        if self.inline.is_some() {
            warnings.extend(self.visit.warnings_without_address());
        }
        Ok((warnings, letters))
    }

    /// Loads and checks the page, then prints it or takes a picture.
    async fn make(&self, tab: &mut Tab<'_>) -> Result<Letters, PageError> {
        let arrival = self.until.min(Instant::now() + self.limits.fetch);
        tab.dress(&self.dress(), arrival).await?;
        tab.navigate(self.url.as_str(), arrival).await?;
        tab.settle(self.until).await?;
        for wait in self.visit.waits() {
            tab.wait_for(wait, self.until).await?;
        }
        verdict::check_document(tab.watch(), &self.visit)?;
        let letters = tab.look(letters::LOOK, self.until).await?.map(Letters::read).unwrap_or_default();
        let most = self.limits.output_bytes;
        match &self.product {
            Product::Pdf(options) => tab.print(print_parameters(options), &self.result, most, self.until).await?,
            Product::Picture(options) => {
                let area = tab.area(options, self.until).await?;
                let call = options.capture(area).map_err(PageError::Refused)?;
                tab.capture(call, &self.result, most, self.until).await?;
            }
        }
        Ok(letters)
    }

    /// Settings of the browser that are sent before it loads the page.
    fn dress(&self) -> Vec<(&'static str, Value)> {
        let usual = match self.product {
            Product::Pdf(_) => Media::Print,
            Product::Picture(_) => Media::Screen,
        };
        let features: Vec<_> = self.visit.emulate.iter().map(|emulation| emulation.feature()).collect();
        let media = json!({"media": self.visit.media.unwrap_or(usual).as_str(), "features": features});
        let mut dress = vec![("Emulation.setEmulatedMedia", media)];
        if let Product::Picture(options) = &self.product {
            dress.push(("Emulation.setDeviceMetricsOverride", options.window()));
            // A JPEG would be black there.
            if options.omit_background && options.format.has_alpha() {
                let transparent = json!({"color": {"r": 0, "g": 0, "b": 0, "a": 0}});
                dress.push(("Emulation.setDefaultBackgroundColorOverride", transparent));
            }
        }
        if let Some(name) = &self.visit.user_agent {
            dress.push(("Emulation.setUserAgentOverride", json!({"userAgent": name})));
        }
        if !self.scripts {
            dress.push(("Emulation.setScriptExecutionDisabled", json!({"value": true})));
        }
        if self.visit.fail_on_console {
            dress.push((LISTEN, json!({})));
        }
        if let Some(cookies) = self.visit.cookies_for(&self.url).filter(|_| self.inline.is_none()) {
            dress.push(("Network.setCookies", cookies));
        }
        dress
    }
}

/// The options for `Page.printToPDF`: inches, and templates for both edges or none.
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
        "pageRanges": options.page_range.as_ref().map_or_else(String::new, ToString::to_string),
        "displayHeaderFooter": options.header_html.is_some() || options.footer_html.is_some(),
        "headerTemplate": edge(options.header_html.as_deref()),
        "footerTemplate": edge(options.footer_html.as_deref()),
        "generateTaggedPDF": options.tagged || options.accessible,
        "generateDocumentOutline": options.outline,
        "transferMode": "ReturnAsStream",
    })
}
