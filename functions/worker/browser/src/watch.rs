//! The browser's reports about a page, and the immediate answers that they need: a pure state machine, driven by events.

use std::collections::{BTreeMap, HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use url::Url;

use super::client::{Command, Event};
use super::paused;
use super::visit::OwnHeaders;

/// Inline HTML is served under this name, which no resolver knows (RFC 6761).
pub(super) const INLINE_URL: &str = "http://job.invalid/";
const INLINE_HOST: &str = "job.invalid";

/// Most times that a page may navigate; more is a loop.
const MOST_NAVIGATIONS: u32 = 10;
/// Most tracked requests, and most hosts in a job's report.
const MOST_REQUESTS: usize = 10_000;
const MOST_HOSTS: usize = 50;

/// The content and access of a job's page.
#[derive(Default)]
pub(super) struct Access {
    /// The page itself, if it is not fetched.
    pub(super) inline: Option<String>,
    pub(super) redirects: u32,
    /// The job's headers for the origin of its page.
    pub(super) headers: OwnHeaders,
}

/// The document in the main frame, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MainDocument {
    pub(super) loader: String,
    pub(super) status: u16,
    pub(super) media_type: String,
}

/// Why a page can no longer be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    Crashed,
    TooManyNavigations,
    TooManyRedirects,
}

pub(super) struct Watch {
    access: Access,
    /// User name and password for the proxy.
    credentials: (String, String),
    main_frame: String,
    /// The document that the main frame shows or is loading.
    loader: String,
    /// The loaders of the last `load` and `networkIdle` events.
    loaded: String,
    idle: String,
    document: MainDocument,
    /// Host of the last request for a main document.
    main_host: Option<String>,
    navigations: u32,
    redirects: u32,
    broken: Option<Broken>,
    /// Hosts of unfinished requests.
    requests: HashMap<String, String>,
    failed: BTreeMap<String, String>,
    relative: u32,
    console_errors: u32,
    answered_challenges: HashSet<String>,
}

/// Page and credentials must not be logged.
impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("loader", &self.loader).field("broken", &self.broken).finish_non_exhaustive()
    }
}

impl Watch {
    pub(super) fn new((user, password): (&str, &str), main_frame: String) -> Self {
        Self {
            access: Access::default(),
            credentials: (user.to_owned(), password.to_owned()),
            main_frame,
            loader: String::new(),
            loaded: String::new(),
            idle: String::new(),
            document: MainDocument::default(),
            main_host: None,
            navigations: 0,
            redirects: 0,
            broken: None,
            requests: HashMap::new(),
            failed: BTreeMap::new(),
            relative: 0,
            console_errors: 0,
            answered_challenges: HashSet::new(),
        }
    }

    /// Starts a job's page and forgets what was observed before.
    pub(super) fn begin(&mut self, access: Access) {
        let (user, password) = (&self.credentials.0, &self.credentials.1);
        *self = Self { access, ..Self::new((user, password), self.main_frame.clone()) };
    }

    /// Sets the document that the reply to a navigation names.
    pub(super) fn expect(&mut self, loader: &str) {
        loader.clone_into(&mut self.loader);
    }

    pub(super) fn is_loaded(&self) -> bool {
        !self.loader.is_empty() && self.loaded == self.loader
    }

    pub(super) fn is_idle(&self) -> bool {
        !self.loader.is_empty() && self.idle == self.loader
    }

    pub(super) fn broken(&self) -> Option<Broken> {
        self.broken
    }

    /// The last response for the main frame, whether it is displayed or not.
    pub(super) fn document(&self) -> &MainDocument {
        &self.document
    }

    pub(super) fn main_frame(&self) -> &str {
        &self.main_frame
    }

    pub(super) fn main_host(&self) -> Option<&str> {
        self.main_host.as_deref()
    }

    /// Whether the main frame shows that response (it does not if a script wrote the page).
    pub(super) fn shows_document(&self) -> bool {
        self.document.loader == self.loader
    }

    /// Hosts with resources that could not be loaded, each with one reason.
    pub(super) fn failed(&self) -> &BTreeMap<String, String> {
        &self.failed
    }

    /// The number of relative references in the inline page that could not be resolved.
    pub(super) fn relative_references(&self) -> u32 {
        self.relative
    }

    /// The number of errors that scripts threw or wrote to the console, if that is reported.
    pub(super) fn console_errors(&self) -> u32 {
        self.console_errors
    }

    /// Handles an event of the page. The returned command must be sent at once, without waiting for other replies.
    pub(super) fn on_event(&mut self, event: &Event) -> Option<Command> {
        let params = &event.params;
        match event.method.as_str() {
            "Fetch.requestPaused" => Some(self.answer_request(params)),
            "Fetch.authRequired" => Some(self.answer_challenge(params)),
            // Leaving a page is allowed. Other dialogs are dismissed, since nobody can answer them.
            "Page.javascriptDialogOpening" => Some(Command {
                method: "Page.handleJavaScriptDialog",
                params: json!({"accept": params["type"] == "beforeunload"}),
            }),
            "Page.frameNavigated" => {
                self.note_navigation(&params["frame"]);
                None
            }
            "Page.lifecycleEvent" => {
                self.note_lifecycle(params);
                None
            }
            "Network.requestWillBeSent" => {
                self.note_request(params);
                None
            }
            "Network.responseReceived" => {
                self.note_response(params);
                None
            }
            "Network.loadingFailed" => {
                self.note_failure(params);
                None
            }
            "Network.loadingFinished" => {
                self.requests.remove(text(&params["requestId"]));
                None
            }
            "Runtime.exceptionThrown" => {
                self.console_errors = self.console_errors.saturating_add(1);
                None
            }
            "Runtime.consoleAPICalled" => {
                let is_error = matches!(text(&params["type"]), "error" | "assert");
                self.console_errors = self.console_errors.saturating_add(u32::from(is_error));
                None
            }
            "Inspector.targetCrashed" => {
                self.broken = Some(Broken::Crashed);
                None
            }
            _ => None,
        }
    }

    /// Serves the inline page under its reserved name. The proxy checks all other requests.
    fn answer_request(&mut self, params: &Value) -> Command {
        let id = &params["requestId"];
        let url = text(&params["request"]["url"]);
        if !url.starts_with(INLINE_URL) {
            if let Some(answer) = paused::answer_response(params) {
                return answer;
            }
            let mut answer = json!({"requestId": id});
            if self.is_next_page(params) {
                answer["interceptResponse"] = json!(true);
            }
            if let Some(headers) = self.access.headers.of_request(&params["request"]) {
                answer["headers"] = headers;
            }
            return Command { method: "Fetch.continueRequest", params: answer };
        }
        match &self.access.inline {
            Some(html) if url == INLINE_URL && params["resourceType"] == "Document" => Command {
                method: "Fetch.fulfillRequest",
                params: json!({
                    "requestId": id,
                    "responseCode": 200,
                    "responseHeaders": [{"name": "content-type", "value": "text/html; charset=utf-8"}],
                    "body": BASE64.encode(html),
                }),
            },
            Some(_) | None => {
                self.relative = self.relative.saturating_add(1);
                Command {
                    method: "Fetch.failRequest",
                    params: json!({"requestId": id, "errorReason": "AddressUnreachable"}),
                }
            }
        }
    }

    /// Whether the page, which has been loaded, leads on to another one.
    fn is_next_page(&self, params: &Value) -> bool {
        self.is_loaded() && params["resourceType"] == "Document" && params["frameId"] == *self.main_frame
    }

    /// The proxy's challenge is answered once per request. A site's own is declined, since a job has no passwords.
    fn answer_challenge(&mut self, params: &Value) -> Command {
        let id = text(&params["requestId"]).to_owned();
        let from_proxy = params["authChallenge"]["source"] == "Proxy";
        let answer = if from_proxy
            && self.answered_challenges.len() < MOST_REQUESTS
            && self.answered_challenges.insert(id.clone())
        {
            json!({
                "response": "ProvideCredentials",
                "username": self.credentials.0,
                "password": self.credentials.1,
            })
        } else {
            json!({"response": "CancelAuth"})
        };
        Command { method: "Fetch.continueWithAuth", params: json!({"requestId": id, "authChallengeResponse": answer}) }
    }

    fn note_navigation(&mut self, frame: &Value) {
        if frame["id"] != *self.main_frame {
            return;
        }
        text(&frame["loaderId"]).clone_into(&mut self.loader);
        self.navigations += 1;
        if self.navigations > MOST_NAVIGATIONS {
            self.broken.get_or_insert(Broken::TooManyNavigations);
        }
    }

    fn note_lifecycle(&mut self, params: &Value) {
        if params["frameId"] != *self.main_frame {
            return;
        }
        let loader = text(&params["loaderId"]);
        match text(&params["name"]) {
            "load" => loader.clone_into(&mut self.loaded),
            "networkIdle" => loader.clone_into(&mut self.idle),
            _ => {}
        }
    }

    fn is_main_document(&self, params: &Value) -> bool {
        params["type"] == "Document" && params["frameId"] == *self.main_frame
    }

    fn note_request(&mut self, params: &Value) {
        if self.is_main_document(params) {
            self.redirects = if params.get("redirectResponse").is_some() { self.redirects + 1 } else { 0 };
            if self.redirects > self.access.redirects {
                self.broken.get_or_insert(Broken::TooManyRedirects);
            }
        }
        let host = remote_host(&params["request"]["url"]);
        if self.is_main_document(params) {
            self.main_host.clone_from(&host);
        }
        if let Some(host) = host
            && self.requests.len() < MOST_REQUESTS
        {
            self.requests.insert(text(&params["requestId"]).to_owned(), host);
        }
    }

    fn note_response(&mut self, params: &Value) {
        let response = &params["response"];
        let status = response["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or_default();
        if self.is_main_document(params) {
            self.document = MainDocument {
                loader: text(&params["loaderId"]).to_owned(),
                status,
                media_type: text(&response["mimeType"]).to_ascii_lowercase(),
            };
        } else if status >= 400
            && let Some(host) = remote_host(&response["url"])
        {
            self.note_failed(host, format!("HTTP {status}"));
        }
    }

    fn note_failure(&mut self, params: &Value) {
        let host = self.requests.remove(text(&params["requestId"]));
        // Requests that the page canceled are not failures. The navigation reports failures of the main document.
        if params["canceled"] == true || params["type"] == "Document" {
            return;
        }
        if let Some(host) = host {
            let reason = text(&params["errorText"]).trim_start_matches("net::").to_owned();
            self.note_failed(host, reason);
        }
    }

    fn note_failed(&mut self, host: String, reason: String) {
        if self.failed.len() < MOST_HOSTS {
            self.failed.entry(host).or_insert(reason);
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The host of an http or https URL; `None` for the inline page and URLs that need no network.
fn remote_host(url: &Value) -> Option<String> {
    let url = text(url);
    if !url.starts_with("http") {
        return None;
    }
    let host = Url::parse(url).ok()?.host_str()?.to_owned();
    (host != INLINE_HOST).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(inline: Option<&str>) -> Watch {
        let mut watch = Watch::new(("job", "pass"), "main".to_owned());
        watch.begin(Access { inline: inline.map(str::to_owned), redirects: 2, ..Access::default() });
        watch
    }

    fn tell(watch: &mut Watch, method: &str, params: Value) -> Option<Command> {
        watch.on_event(&Event { session: None, method: method.to_owned(), params })
    }

    fn request(url: &str, kind: &str) -> Value {
        json!({"requestId": "r", "request": {"url": url}, "resourceType": kind})
    }

    #[test]
    fn only_the_inline_page_itself_is_served() {
        let mut page = watch(Some("<p>ü"));
        let served = tell(&mut page, "Fetch.requestPaused", request(INLINE_URL, "Document")).unwrap();
        assert_eq!(served.method, "Fetch.fulfillRequest");
        assert_eq!(served.params["body"], BASE64.encode("<p>ü"));
        let other = tell(&mut page, "Fetch.requestPaused", request("http://job.invalid/logo.png", "Image")).unwrap();
        assert_eq!(other.method, "Fetch.failRequest");
        assert_eq!(page.relative_references(), 1);
        let elsewhere = tell(&mut page, "Fetch.requestPaused", request("http://a.test/", "Document")).unwrap();
        assert_eq!(elsewhere, Command { method: "Fetch.continueRequest", params: json!({"requestId": "r"}) });
        let nothing = tell(&mut watch(None), "Fetch.requestPaused", request(INLINE_URL, "Document")).unwrap();
        assert_eq!(nothing.method, "Fetch.failRequest");
    }

    #[test]
    fn the_response_to_a_further_page_is_awaited() {
        let mut page = watch(None);
        let mut paused = request("https://a.test/", "Document");
        paused["frameId"] = json!("main");
        let asked = |page: &mut Watch| tell(page, "Fetch.requestPaused", paused.clone()).unwrap().params;
        assert_eq!(asked(&mut page).get("interceptResponse"), None, "the page itself");
        page.expect("one");
        assert_eq!(asked(&mut page).get("interceptResponse"), None, "a page that is still loading");
        tell(&mut page, "Page.lifecycleEvent", json!({"frameId": "main", "loaderId": "one", "name": "load"}));
        assert_eq!(asked(&mut page)["interceptResponse"], true);
    }

    #[test]
    fn the_proxy_gets_its_credentials_once_and_sites_get_none() {
        let mut page = watch(None);
        let challenge = |source, id| json!({"requestId": id, "authChallenge": {"source": source}});
        let first = tell(&mut page, "Fetch.authRequired", challenge("Proxy", "1")).unwrap();
        assert_eq!(first.params["authChallengeResponse"]["password"], "pass");
        for refused in [challenge("Proxy", "1"), challenge("Server", "2")] {
            let answer = tell(&mut page, "Fetch.authRequired", refused).unwrap();
            assert_eq!(answer.params["authChallengeResponse"], json!({"response": "CancelAuth"}));
        }
    }

    #[test]
    fn load_counts_for_the_document_that_the_main_frame_shows() {
        let mut page = watch(None);
        let load = |frame, loader| json!({"frameId": frame, "loaderId": loader, "name": "load"});
        tell(&mut page, "Page.lifecycleEvent", load("main", "blank"));
        page.expect("one");
        assert!(!page.is_loaded());
        tell(&mut page, "Page.lifecycleEvent", load("child", "one"));
        assert!(!page.is_loaded());
        tell(&mut page, "Page.lifecycleEvent", load("main", "one"));
        assert!(page.is_loaded());
        // The page navigates, and its new document must load too.
        tell(&mut page, "Page.frameNavigated", json!({"frame": {"id": "main", "loaderId": "two"}}));
        assert!(!page.is_loaded());
        tell(&mut page, "Page.lifecycleEvent", load("main", "two"));
        assert!(page.is_loaded());
    }

    #[test]
    fn loops_and_crashes_break_the_page() {
        let mut page = watch(None);
        for _ in 0..=MOST_NAVIGATIONS {
            assert_eq!(page.broken(), None);
            tell(&mut page, "Page.frameNavigated", json!({"frame": {"id": "main", "loaderId": "x"}}));
        }
        assert_eq!(page.broken(), Some(Broken::TooManyNavigations));

        let mut page = watch(None);
        let hop = json!({"type": "Document", "frameId": "main", "requestId": "1", "redirectResponse": {},
            "request": {"url": "http://a.test/"}});
        for broken in [None, None, Some(Broken::TooManyRedirects)] {
            tell(&mut page, "Network.requestWillBeSent", hop.clone());
            assert_eq!(page.broken(), broken);
        }

        let mut page = watch(None);
        tell(&mut page, "Inspector.targetCrashed", json!({}));
        assert_eq!(page.broken(), Some(Broken::Crashed));
    }

    #[test]
    fn failures_name_the_host_and_never_the_url() {
        let mut page = watch(None);
        for (id, url) in [("1", "http://a.test/x?secret"), ("2", "https://a.test/y"), ("3", "data:text/css,x")] {
            tell(&mut page, "Network.requestWillBeSent", json!({"requestId": id, "request": {"url": url}}));
            let failure = json!({"requestId": id, "type": "Image", "errorText": "net::ERR_FAILED"});
            tell(&mut page, "Network.loadingFailed", failure);
        }
        let missing =
            json!({"type": "Image", "frameId": "main", "response": {"status": 404, "url": "http://b.test/z"}});
        tell(&mut page, "Network.responseReceived", missing);
        tell(&mut page, "Network.requestWillBeSent", json!({"requestId": "4", "request": {"url": "http://c.test/"}}));
        let canceled = json!({"requestId": "4", "type": "Fetch", "errorText": "net::ERR_ABORTED", "canceled": true});
        tell(&mut page, "Network.loadingFailed", canceled);
        let told: Vec<_> = page.failed().iter().map(|(host, reason)| (host.as_str(), reason.as_str())).collect();
        assert_eq!(told, [("a.test", "ERR_FAILED"), ("b.test", "HTTP 404")]);
    }

    #[test]
    fn the_main_document_is_distinguished_from_frames() {
        let mut page = watch(None);
        let response = |frame, status| {
            json!({"type": "Document", "frameId": frame, "loaderId": "one",
            "response": {"status": status, "mimeType": "Text/HTML", "url": "http://a.test/"}})
        };
        tell(&mut page, "Network.responseReceived", response("main", 404));
        tell(&mut page, "Network.responseReceived", response("child", 200));
        page.expect("one");
        assert!(page.shows_document());
        assert_eq!((page.document().status, page.document().media_type.as_str()), (404, "text/html"));
    }
}
