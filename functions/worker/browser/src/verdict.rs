//! Failures and warnings for a job's owner, from reports of the page, the browser and the proxy.

use docmill_confine::environment;
use docmill_domain::job::{JobErrorCode, Warning};
use docmill_engine::Failure;

use super::browser::Stop;
use super::tab::PageError;
use super::visit::Visit;
use super::watch::{Broken, Watch};
use crate::proxy::EgressReport;

/// Media types that the browser displays as a page, besides all of `text/` and `image/`.
const PAGE_TYPES: [&str; 4] =
    ["application/xhtml+xml", "application/xml", "application/json", "application/javascript"];

/// All observations of a job.
pub(super) struct Observed<'a> {
    pub(super) watch: &'a Watch,
    pub(super) report: &'a EgressReport,
    pub(super) visit: &'a Visit,
}

/// Whether the document in the main frame is the requested one.
pub(super) fn check_document(watch: &Watch, visit: &Visit) -> Result<(), PageError> {
    let document = watch.document();
    if !watch.shows_document() {
        return Ok(());
    }
    if document.status >= 400 && visit.fail_on_status {
        return Err(PageError::Status(document.status));
    }
    if !is_page_type(&document.media_type) {
        return Err(PageError::MediaType(document.media_type.clone()));
    }
    Ok(())
}

fn is_page_type(media_type: &str) -> bool {
    let family = media_type.split('/').next().unwrap_or_default();
    matches!(family, "text" | "image") || media_type.ends_with("+xml") || PAGE_TYPES.contains(&media_type)
}

/// There is no browser or empty page: our fault, so the job is tried again.
pub(super) fn not_started(stop: Stop) -> Failure {
    Failure::internal(format!("browser start: {stop:?}"))
}

/// The same, unless the sources before this one left `too_little_time`: then the job as a whole takes too long.
pub(super) fn not_opened(stop: Stop, too_little_time: bool) -> Failure {
    if too_little_time && matches!(stop, Stop::TimeUp) {
        let message = "The job's pages were not ready in time. Use fewer or lighter pages in one job.";
        return Failure::new(JobErrorCode::ConversionTimeout, message, "no time was left to open a page");
    }
    not_started(stop)
}

pub(super) fn timed_out(cause: impl Into<String>) -> Failure {
    let message = "The page was not ready to print in time. Make it lighter, and check for scripts that never stop.";
    Failure::new(JobErrorCode::ConversionTimeout, message, cause)
}

impl Observed<'_> {
    pub(super) fn explain(&self, error: PageError) -> Failure {
        match error {
            PageError::Stop(stop) => self.explain_stop(stop),
            PageError::NoPage(error) => self.explain_absence(&error),
            PageError::NoPageInTime => Failure::new(
                JobErrorCode::SourceTimeout,
                "The page did not answer in time. Try again, or serve it from a faster host.",
                "navigation timed out",
            ),
            PageError::Status(status) => self.explain_status(status),
            PageError::MediaType(media_type) => unsupported(&media_type),
            PageError::BadCondition(what) => {
                Failure::new(JobErrorCode::RenderFailed, format!("`waitFor` is invalid: {what}."), what)
            }
            PageError::NotMet(what) => {
                let message = format!("`waitFor` was not met in time: {what}.");
                Failure::new(JobErrorCode::RenderFailed, message, what)
            }
            PageError::TooLarge => Failure::new(
                JobErrorCode::RenderFailed,
                "The result is larger than the limit. Print fewer pages or a smaller part of the page, or reduce its pictures.",
                "output limit",
            ),
            PageError::BadSelector(what) => {
                Failure::new(JobErrorCode::RenderFailed, format!("`selector` is invalid: {what}."), what)
            }
            PageError::Refused(failure) => failure,
            PageError::File(error) => Failure::internal(error),
        }
    }

    fn explain_stop(&self, stop: Stop) -> Failure {
        match stop {
            Stop::Lost(error) => crashed(format!("browser lost: {error}")),
            Stop::TimeUp => timed_out("browser deadline"),
            Stop::Broken(Broken::Crashed) => crashed("page crashed"),
            Stop::Broken(Broken::TooManyNavigations) => Failure::new(
                JobErrorCode::RenderFailed,
                "The page keeps reloading or redirecting. Give the URL of the final page.",
                "too many navigations",
            ),
            Stop::Broken(Broken::TooManyRedirects) => Failure::new(
                JobErrorCode::SourceUnreachable,
                "The URL redirects too often. Give the final URL.",
                "too many redirects",
            ),
            Stop::Refused { method, message } => refused(method, &message),
        }
    }

    /// The main document could not be loaded. The proxy knows the reason; the browser only sees the proxy.
    fn explain_absence(&self, error: &str) -> Failure {
        if let Some(failure) = self.proxy_failure() {
            return failure;
        }
        let document = self.watch.document();
        if error == "ERR_ABORTED" && document.status < 400 {
            if document.status != 204 && document.status != 205 {
                return unsupported(&document.media_type);
            }
            let message = "The URL answered without any content.";
            return Failure::new(JobErrorCode::SourceUnreachable, message, format!("status {}", document.status));
        }
        if document.status >= 400 {
            return self.explain_status(document.status);
        }
        if error == "ERR_UNSAFE_PORT" {
            let message = "The service does not fetch pages from this port.";
            return Failure::new(JobErrorCode::SourceForbidden, message, error);
        }
        let message = match error {
            "ERR_TOO_MANY_REDIRECTS" => "The URL redirects in a circle.".to_owned(),
            _ if error.starts_with("ERR_CERT") || error.starts_with("ERR_SSL") => {
                format!(
                    "No secure connection to {} is possible: its certificate or TLS settings are invalid.",
                    self.host()
                )
            }
            _ => format!("{} could not be reached. Check the URL.", self.host()),
        };
        Failure::new(JobErrorCode::SourceUnreachable, message, error)
    }

    fn explain_status(&self, status: u16) -> Failure {
        self.proxy_failure().unwrap_or_else(|| {
            Failure::new(
                JobErrorCode::SourceUnreachable,
                format!(
                    "{} answered with HTTP status {status}. Give a URL that answers 200 without a login.",
                    self.host()
                ),
                format!("status {status}"),
            )
        })
    }

    /// What the proxy reports about the main document's host.
    fn proxy_failure(&self) -> Option<Failure> {
        let host = self.watch.main_host()?;
        if self.report.blocked.contains(host) {
            let message = format!("{host} is not a public address, or its port is not allowed.");
            return Some(Failure::new(JobErrorCode::SourceForbidden, message, "blocked by the proxy"));
        }
        self.report.failed.contains(host).then(|| {
            let message = format!("{host} does not resolve, or did not answer. Check the URL.");
            Failure::new(JobErrorCode::SourceUnreachable, message, "failed at the proxy")
        })
    }

    /// A reason to refuse a finished result, by the job's own options.
    pub(super) fn objection(&self) -> Option<Failure> {
        // An error of our own proxy fails the job, even if the job accepts error pages.
        if self.watch.document().status >= 400
            && let Some(failure) = self.proxy_failure()
        {
            return Some(failure);
        }
        let errors = self.watch.console_errors();
        if self.visit.fail_on_console && errors > 0 {
            let message = format!("`failOnConsole`: the page's scripts reported {errors} errors.");
            return Some(Failure::new(JobErrorCode::RenderFailed, message, "console errors"));
        }
        let lost = self.warnings();
        let first = lost.first().filter(|_| self.visit.fail_on_resource_errors)?;
        let detail = first.detail.as_deref().unwrap_or_default();
        let message = format!("`failOnResourceErrors`: {} ({detail})", first.message);
        Some(Failure::new(JobErrorCode::RenderFailed, message, "resource errors"))
    }

    fn host(&self) -> &str {
        self.watch.main_host().unwrap_or("The host")
    }

    /// Differences from the intended page, one warning per host.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.report.warnings();
        let watch = self.watch;
        let told = |host: &String| self.report.blocked.contains(host) || self.report.failed.contains(host);
        warnings.extend(watch.failed().iter().filter(|(host, _)| !told(host)).map(|(host, reason)| {
            Warning::new("resource_failed", "The page requested something that could not be loaded.")
                .with_detail(format!("{host}: {reason}"))
        }));
        if watch.relative_references() > 0 {
            let message = "Inline HTML has no address of its own: relative references lead nowhere. Use absolute URLs \
                           or data: URLs.";
            warnings
                .push(Warning::new("relative_reference", message).with_detail(watch.relative_references().to_string()));
        }
        warnings
    }
}

fn crashed(cause: impl Into<String>) -> Failure {
    environment::suspect("the browser crashed");
    let message = "The browser crashed while it rendered the page. The page may need too much memory.";
    Failure::new(JobErrorCode::EngineCrashed, message, cause)
}

fn unsupported(media_type: &str) -> Failure {
    let shown = if media_type.is_empty() { "a download" } else { media_type };
    let message = format!("The URL returned {shown}, which is not a page. Give the URL of an HTML page.");
    Failure::new(JobErrorCode::UnsupportedFormat, message, "media type of the main document")
}

/// A command that the browser refused. If it is about printing, the request caused it.
fn refused(method: &'static str, message: &str) -> Failure {
    let cause = format!("{method}: {message}");
    let told = match message {
        _ if method == "Network.setCookies" => "The browser refused one of the `cookies`.",
        _ if method != "Page.printToPDF" => return crashed(cause),
        _ if message.contains("age range") => "`pageRange` names pages that the result does not have.",
        _ if message.contains("content area") => "The margins leave no space on the page.",
        _ => "The browser could not print the page.",
    };
    Failure::new(JobErrorCode::RenderFailed, told, cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Event;
    use serde_json::json;

    #[test]
    fn a_page_with_too_little_time_left_is_not_our_fault() {
        assert_eq!(not_opened(Stop::TimeUp, true).code, JobErrorCode::ConversionTimeout);
        assert_eq!(not_opened(Stop::TimeUp, false).code, JobErrorCode::Internal);
        let lost = Stop::Lost(std::io::Error::other("gone"));
        assert_eq!(not_opened(lost, true).code, JobErrorCode::Internal);
    }

    fn watch_of(url: &str, status: u16, media_type: &str) -> Watch {
        let mut watch = Watch::new(("", ""), "main".to_owned());
        let mut tell = |method: &str, params| {
            watch.on_event(&Event { session: None, method: method.to_owned(), params });
        };
        let document = |rest: serde_json::Value| {
            let mut all = json!({"type": "Document", "frameId": "main", "requestId": "1", "loaderId": "1"});
            all.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            all
        };
        tell("Network.requestWillBeSent", document(json!({"request": {"url": url}})));
        if status > 0 {
            let response = json!({"response": {"status": status, "mimeType": media_type, "url": url}});
            tell("Network.responseReceived", document(response));
        }
        watch
    }

    fn explain(watch: &Watch, report: EgressReport, error: PageError) -> Failure {
        Observed { watch, report: &report, visit: &Visit::default() }.explain(error)
    }

    fn report(blocked: &[&str], failed: &[&str]) -> EgressReport {
        let set = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect();
        EgressReport { blocked: set(blocked), failed: set(failed), ..EgressReport::default() }
    }

    #[test]
    fn the_proxys_refusal_explains_a_missing_page() {
        let page = watch_of("http://10.0.0.1/x?secret", 403, "");
        for error in [PageError::Status(403), PageError::NoPage("ERR_TUNNEL_CONNECTION_FAILED".into())] {
            let failure = explain(&page, report(&["10.0.0.1"], &[]), error);
            assert_eq!(failure.code, JobErrorCode::SourceForbidden);
            assert!(!failure.to_string().contains("secret") && !failure.message.contains("secret"));
        }
        let failure = explain(&page, report(&["10.0.0.2"], &[]), PageError::Status(403));
        assert_eq!(failure.code, JobErrorCode::SourceUnreachable);
        assert!(failure.message.contains("HTTP status 403"), "{}", failure.message);
        let failure = explain(&page, report(&[], &["10.0.0.1"]), PageError::NoPage("ERR_FAILED".into()));
        assert!(failure.message.contains("does not resolve"), "{}", failure.message);
    }

    #[test]
    fn downloads_and_documents_are_not_pages() {
        let aborted = || PageError::NoPage("ERR_ABORTED".into());
        let failure = explain(&watch_of("http://a.test/", 200, "application/pdf"), report(&[], &[]), aborted());
        assert_eq!(failure.code, JobErrorCode::UnsupportedFormat);
        assert!(failure.message.contains("application/pdf"));
        let failure = explain(&watch_of("http://a.test/", 204, ""), report(&[], &[]), aborted());
        assert_eq!(failure.code, JobErrorCode::SourceUnreachable);
        for shown in ["text/html", "image/png", "image/svg+xml", "application/xhtml+xml", "text/plain"] {
            assert!(is_page_type(shown), "{shown}");
        }
        for other in ["application/pdf", "video/mp4", "application/zip", ""] {
            assert!(!is_page_type(other), "{other}");
        }
    }

    #[test]
    fn only_refusals_to_print_are_the_requests_fault() {
        let page = watch_of("http://a.test/", 200, "text/html");
        let stop = |method, message: &str| PageError::Stop(Stop::Refused { method, message: message.to_owned() });
        let failure = explain(&page, report(&[], &[]), stop("Page.printToPDF", "Page range exceeds page count"));
        assert_eq!(failure.code, JobErrorCode::RenderFailed);
        assert!(failure.message.contains("pageRange"));
        let failure = explain(&page, report(&[], &[]), stop("Target.createTarget", "no"));
        assert_eq!(failure.code, JobErrorCode::EngineCrashed);
    }
}
