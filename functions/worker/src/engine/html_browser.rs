//! HTML to PDF in a browser: Chromium, kept warm between jobs, spoken to over a pipe.
//!
//! Each job has a browser context of its own, which reaches the internet through a guarding proxy session of its own
//! and is disposed of after the job. A browser that hangs, dies or has served enough is replaced.

mod browser;
mod client;
mod frames;
mod process;
mod tab;
mod verdict;
mod watch;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use docmill::domain::job::{EngineInfo, JobErrorCode, Warning};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::timeout_at;

use self::browser::Browser;
use self::tab::{Tab, Trouble, Way};
use self::verdict::Sight;
use self::watch::{Access, INLINE_URL};
use super::page::{PageOptions, PageRange};
use super::{Conversion, Engine, Failure, Limits, Source, Task};
use crate::confine::Launcher;
use crate::egress::{Caps, EgressPolicy, EgressProxy};

pub use self::process::BrowserSettings;

/// Disposing of a context takes some milliseconds; a browser that needs longer is replaced.
const DISPOSAL: Duration = Duration::from_secs(1);
/// What is kept of the deadline to end a job in good order.
const RESERVE: Duration = Duration::from_millis(500);

/// The engine. One job at a time has the browser; others wait for it.
#[derive(Debug)]
pub struct HtmlBrowser {
    settings: BrowserSettings,
    launcher: Launcher,
    policy: EgressPolicy,
    /// Away while a job has it: a job that is dropped takes its browser along.
    idle: Mutex<Option<Browser>>,
}

impl HtmlBrowser {
    pub fn new(settings: BrowserSettings, launcher: Launcher, policy: EgressPolicy) -> Self {
        Self { settings, launcher, policy, idle: Mutex::new(None) }
    }

    /// Starts the browser ahead of the first job. That it fails is no reason not to start: the job will say so.
    pub async fn warm_up(&self) -> Result<(), Failure> {
        let mut idle = self.idle.lock().await;
        if idle.is_none() {
            *idle = Some(self.start().await?);
        }
        Ok(())
    }

    async fn start(&self) -> Result<Browser, Failure> {
        Browser::start(&self.settings, &self.launcher).await.map_err(|stop| {
            let message = "The browser could not be started. Try again.";
            Failure::new(JobErrorCode::EngineCrashed, message, format!("browser start: {stop:?}"))
        })
    }

    /// The browser that served the last job, if it is fit for one more, or else a new one.
    async fn fit_browser(&self, last: Option<Browser>) -> Result<Browser, Failure> {
        if let Some(mut browser) = last
            && browser.jobs < self.settings.jobs_per_browser
            && browser.is_healthy().await
        {
            return Ok(browser);
        }
        self.start().await
    }

    async fn print(&self, job: &Job<'_>) -> Result<(EngineInfo, Vec<Warning>), Failure> {
        let mut idle = self.idle.lock().await;
        let mut browser = self.fit_browser(idle.take()).await?;
        let (result, fit) = job.run(&mut browser, &self.policy).await;
        let engine = EngineInfo { name: "chromium".to_owned(), version: browser.version.clone() };
        browser.jobs += 1;
        if fit {
            *idle = Some(browser);
        }
        Ok((engine, result?))
    }
}

#[async_trait]
impl Engine for HtmlBrowser {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let options = PageOptions::read(task.options)?;
        options.check_room()?;
        let job = Job::new(&task, &options)?;
        let in_time = timeout_at(task.deadline.into(), self.print(&job)).await;
        let (engine, warnings) = in_time.map_err(|_| verdict::timed_out("the deadline, all in all"))??;
        let pdf = job.pdf;
        let pages = inspect(&pdf, task.limits).await?;
        Ok(Conversion { pdf, pages, engine, warnings })
    }
}

async fn inspect(pdf: &Path, limits: &Limits) -> Result<u32, Failure> {
    let (pdf, limits) = (pdf.to_owned(), limits.clone());
    let inspected = tokio::task::spawn_blocking(move || crate::pdf::inspect(&pdf, &limits)).await;
    Ok(inspected.map_err(verdict::internal)??.pages)
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
        let (url, inline) = match &task.source {
            Source::Page(url) => (url.to_string(), None),
            Source::Html(html) => (INLINE_URL.to_owned(), Some(html.clone())),
            Source::Document { .. } => {
                let message = "This tool renders pages, not documents.";
                return Err(Failure::new(JobErrorCode::UnsupportedFormat, message, "a document for the browser"));
            }
        };
        let until = task.deadline.checked_sub(RESERVE).unwrap_or(task.deadline);
        Ok(Self { options, url, inline, pdf: task.scratch.join("page.pdf"), until, limits: task.limits })
    }

    /// The job's warnings or its failure, and whether the browser is fit for the next job.
    async fn run(&self, browser: &mut Browser, policy: &EgressPolicy) -> (Result<Vec<Warning>, Failure>, bool) {
        let session = match EgressProxy::open(policy.clone(), Caps::default(), self.until.into()).await {
            Ok(session) => session,
            Err(error) => return (Err(verdict::internal(&error)), true),
        };
        let tab = Tab::open(browser, self.way(&session), self.options.media, self.until).await;
        let (printed, watch, fit) = match tab {
            Err(stop) => (Err(Trouble::Stop(stop)), None, false),
            Ok(mut tab) => {
                let printed = self.print(&mut tab).await;
                let spoilt = printed.as_ref().is_err_and(verdict::spoils_browser);
                // A spoilt browser ends with all its contexts, and there may be no time left to ask it for anything.
                let fit = !spoilt && tab.dispose(Instant::now() + DISPOSAL).await.is_ok();
                (printed, Some(tab.into_watch()), fit)
            }
        };
        let report = session.close().await;
        let sight = Sight { watch: watch.as_ref(), report: &report, options: self.options };
        let result = match printed {
            Ok(()) => Ok(sight.warnings()),
            Err(trouble) => Err(sight.explain(trouble)),
        };
        (result, fit)
    }

    fn way(&self, session: &EgressProxy) -> Way {
        let (user, password) = session.credentials();
        let access = Access {
            inline: self.inline.clone(),
            proxy_user: user.to_owned(),
            proxy_password: password.to_owned(),
            redirects: self.limits.redirects,
        };
        Way { proxy: session.address(), access }
    }

    /// The story of a page: it comes, it settles, it is what was asked for, it is printed.
    async fn print(&self, tab: &mut Tab<'_>) -> Result<(), Trouble> {
        let arrival = self.until.min(Instant::now() + self.limits.fetch);
        tab.navigate(&self.url, arrival).await?;
        tab.settle(self.until).await?;
        tab.wait_for(&self.options.wait_for, self.until).await?;
        verdict::check_document(tab.watch())?;
        tab.print(print_parameters(self.options), &self.pdf, self.limits.output_bytes, self.until).await
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
