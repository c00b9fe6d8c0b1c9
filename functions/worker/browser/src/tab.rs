//! A job in the browser: its context and page, loaded, awaited and printed.

use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use docmill_egress::EgressPolicy;
use docmill_engine::Failure;
use docmill_engine::page::WaitFor;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use super::browser::{Browser, Page, Stop};
use super::client::Command;
use super::picture::{self, Area, PictureOptions};
use super::watch::{Access, Watch};
use crate::proxy::{Caps, EgressProxy, EgressReport};

/// Longest time for a condition or delay in `waitFor`.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Longest time for inspections that only serve warnings.
const LONGEST_LOOK: Duration = Duration::from_secs(2);

/// Interval for checking a page's condition.
const POLL: Duration = Duration::from_millis(50);
/// Most times that a page may navigate while it is awaited.
const MOST_RESTARTS: u32 = 10;
/// Longest time that a prepared page waits for a job. Its proxy session lasts a job longer.
const BLANK_LIFE: Duration = Duration::from_secs(12 * 3600);
const PROXY_LIFE: Duration = Duration::from_secs(13 * 3600);
const PRINT_CHUNK_BYTES: u32 = 1 << 20;

/// Makes the browser report the page's console.
pub(super) const LISTEN: &str = "Runtime.enable";

/// Resolves when all requested fonts have loaded or failed.
const FONTS: &str = "document.fonts ? document.fonts.ready.then(() => true) : true";

/// Why there is nothing to print, or printing failed.
#[derive(Debug)]
pub(super) enum PageError {
    Stop(Stop),
    /// The page could not be loaded. The text is the browser's error, e.g. `ERR_CONNECTION_REFUSED`.
    NoPage(String),
    /// It did not load in time.
    NoPageInTime,
    /// The response has an error status.
    Status(u16),
    /// The response is not a page.
    MediaType(String),
    /// An invalid condition.
    BadCondition(&'static str),
    /// A condition that was not met in time.
    NotMet(&'static str),
    TooLarge,
    /// An element for the picture that was not found.
    BadSelector(&'static str),
    /// The result is refused for this reason.
    Refused(Failure),
    File(std::io::Error),
}

impl From<Stop> for PageError {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<std::io::Error> for PageError {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}

/// A context with an unused empty page. Preparing it saves a job the renderer's start.
#[derive(Debug)]
pub(super) struct Blank {
    page: Page,
    proxy: EgressProxy,
    made: Instant,
}

impl Blank {
    pub(super) async fn open(browser: &mut Browser, policy: &EgressPolicy, until: Instant) -> Result<Self, Stop> {
        let made = Instant::now();
        let ends = made.checked_add(PROXY_LIFE).unwrap_or(until);
        let proxy = EgressProxy::open(policy.clone(), Caps::default(), ends.into()).await.map_err(Stop::Lost)?;
        let context = command(
            "Target.createBrowserContext",
            json!({
                "disposeOnDetach": true,
                "proxyServer": format!("http://{}", proxy.address()),
                "proxyBypassList": "<-loopback>",
            }),
        );
        let context = id(&browser.call(None, context, until).await?["browserContextId"]);
        let no_downloads =
            command("Browser.setDownloadBehavior", json!({"behavior": "deny", "browserContextId": context}));
        browser.call(None, no_downloads, until).await?;
        let target = command("Target.createTarget", json!({"url": "about:blank", "browserContextId": context}));
        let target = id(&browser.call(None, target, until).await?["targetId"]);
        let attach = command("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        let session = id(&browser.call(None, attach, until).await?["sessionId"]);
        // A page's target has the id of its main frame.
        let mut page = Page { session, watch: Watch::new(proxy.credentials(), target) };
        browser.call_all(&mut page, &preparations(), until).await?;
        // A response without content leaves the page blank.
        let log_in = command("Page.navigate", json!({"url": EgressProxy::LOGIN_URL}));
        browser.call(Some(&mut page), log_in, until).await?;
        Ok(Self { page, proxy, made })
    }

    /// Whether the page still answers and its proxy session lasts long enough for a job.
    pub(super) async fn is_fit(&mut self, browser: &mut Browser, until: Instant) -> bool {
        let ask = command("Runtime.evaluate", json!({"expression": "1"}));
        self.made.elapsed() < BLANK_LIFE && browser.call(Some(&mut self.page), ask, until).await.is_ok()
    }
}

/// A job's page and its browser.
pub(super) struct Tab<'b> {
    browser: &'b mut Browser,
    blank: Blank,
    /// Whether the page's console is reported.
    listens: bool,
}

impl<'b> Tab<'b> {
    /// Turns a blank page into the page of a job.
    pub(super) fn new(browser: &'b mut Browser, mut blank: Blank, access: Access) -> Self {
        blank.page.watch.begin(access);
        Self { browser, blank, listens: false }
    }

    /// Applies the job's settings, before the page is loaded.
    pub(super) async fn dress(&mut self, dress: &[(&'static str, Value)], until: Instant) -> Result<(), Stop> {
        let commands: Vec<_> = dress.iter().map(|(method, params)| command(method, params.clone())).collect();
        self.listens |= commands.iter().any(|command| command.method == LISTEN);
        self.browser.call_all(&mut self.blank.page, &commands, until).await
    }

    pub(super) fn watch(&self) -> &Watch {
        &self.blank.page.watch
    }

    /// Closes the proxy session. Returns what the browser and the proxy observed.
    pub(super) async fn into_observed(self) -> (Watch, EgressReport) {
        let report = self.blank.proxy.close().await;
        (self.blank.page.watch, report)
    }

    /// Starts loading a page and waits until its document begins to arrive.
    pub(super) async fn navigate(&mut self, url: &str, until: Instant) -> Result<(), PageError> {
        let reply = match self.call("Page.navigate", json!({"url": url}), until).await {
            Ok(reply) => reply,
            Err(Stop::TimeUp) => return Err(PageError::NoPageInTime),
            Err(stop) => return Err(stop.into()),
        };
        if let Some(error) = reply["errorText"].as_str() {
            return Err(PageError::NoPage(error.trim_start_matches("net::").to_owned()));
        }
        self.blank.page.watch.expect(reply["loaderId"].as_str().unwrap_or_default());
        Ok(())
    }

    /// Waits for `load` and fonts, even if the page redirects itself.
    pub(super) async fn settle(&mut self, until: Instant) -> Result<(), Stop> {
        let mut restarts = 0;
        loop {
            self.wait(Watch::is_loaded, until).await?;
            match self.call("Runtime.evaluate", json!({"expression": FONTS, "awaitPromise": true}), until).await {
                // The page navigated away during the call.
                Err(Stop::Refused { .. }) if restarts < MOST_RESTARTS => restarts += 1,
                Err(stop) => return Err(stop),
                Ok(_) if self.blank.page.watch.is_loaded() => return Ok(()),
                Ok(_) => {}
            }
        }
    }

    /// Waits for the job's conditions after `load`, for only a part of its time: a condition that is never met must not hold a
    /// browser for all of it.
    pub(super) async fn wait_for(&mut self, wait: &WaitFor, until: Instant) -> Result<(), PageError> {
        let until = until.min(Instant::now() + LONGEST_WAIT);
        match wait {
            WaitFor::Load => Ok(()),
            WaitFor::NetworkIdle => {
                let idle = self.wait(Watch::is_idle, until).await;
                idle.map_err(|stop| not_met(stop, "the network never fell idle"))
            }
            WaitFor::DelayMs(delay) => {
                let over = Instant::now() + Duration::from_millis(*delay);
                Ok(self.pass_time(over, until).await?)
            }
            WaitFor::Selector(selector) => {
                let selector = Value::from(selector.as_str());
                let condition = format!("document.querySelector({selector}) !== null");
                self.poll(&condition, "no element matched the selector", until).await
            }
            WaitFor::Expression(expression) => {
                self.check_syntax(expression, until).await?;
                self.poll(expression, "the expression never became true", until).await
            }
        }
    }

    /// Evaluates an expression in an isolated world, which the page can't change. `None` if there is no value in time.
    pub(super) async fn look(&mut self, expression: &str, until: Instant) -> Result<Option<Value>, Stop> {
        let until = until.min(Instant::now() + LONGEST_LOOK);
        let world = json!({"frameId": self.watch().main_frame()});
        let seen = match self.call("Page.createIsolatedWorld", world, until).await {
            Ok(world) => {
                let id = &world["executionContextId"];
                let look = json!({"expression": expression, "contextId": id, "returnByValue": true});
                self.call("Runtime.evaluate", look, until).await
            }
            Err(stop) => Err(stop),
        };
        match seen {
            Ok(mut seen) => Ok(Some(seen["result"]["value"].take())),
            Err(Stop::TimeUp | Stop::Refused { .. }) => Ok(None),
            Err(stop @ (Stop::Lost(_) | Stop::Broken(_))) => Err(stop),
        }
    }

    /// Prints the page to `path`. `most` is the limit in bytes.
    pub(super) async fn print(
        &mut self,
        params: Value,
        path: &Path,
        most: u64,
        until: Instant,
    ) -> Result<(), PageError> {
        let printed = self.call("Page.printToPDF", params, until).await?;
        let mut file = File::create(path).await?;
        let mut written: u64 = 0;
        loop {
            let read = json!({"handle": printed["stream"], "size": PRINT_CHUNK_BYTES});
            let chunk = self.call("IO.read", read, until).await?;
            let bytes =
                decode(&chunk).ok_or_else(|| PageError::Stop(Stop::Lost(std::io::ErrorKind::InvalidData.into())))?;
            written += bytes.len() as u64;
            if written > most {
                return Err(PageError::TooLarge);
            }
            file.write_all(&bytes).await?;
            if chunk["eof"] == true {
                file.flush().await?;
                return Ok(());
            }
        }
    }

    /// The area of the page for a picture.
    pub(super) async fn area(&mut self, options: &PictureOptions, until: Instant) -> Result<Area, PageError> {
        if let Some(selector) = &options.selector {
            let found = self.look(&picture::find_element(selector), until).await?.unwrap_or_default();
            let area = match found {
                Value::Bool(_) => return Err(PageError::BadSelector("it is not valid CSS")),
                Value::Null => return Err(PageError::BadSelector("it matches no element of the page")),
                found @ (Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_)) => {
                    Area::deserialize(found).ok().map(Area::rounded)
                }
            };
            let shown = area.filter(|area| area.width >= 1.0 && area.height >= 1.0);
            return shown.ok_or(PageError::BadSelector("its element has no size on the page"));
        }
        let (mut width, mut height) = (f64::from(options.width), f64::from(options.height));
        if options.full_page {
            let layout = self.call("Page.getLayoutMetrics", json!({}), until).await?;
            let size = &layout["cssContentSize"];
            width = size["width"].as_f64().unwrap_or_default().ceil().max(width);
            height = size["height"].as_f64().unwrap_or_default().ceil().max(height);
        }
        Ok(Area { x: 0.0, y: 0.0, width, height })
    }

    /// Takes a picture of the page.
    pub(super) async fn capture(
        &mut self,
        params: Value,
        path: &Path,
        most: u64,
        until: Instant,
    ) -> Result<(), PageError> {
        let taken = match self.call("Page.captureScreenshot", params, until).await {
            // The picture arrives in one message.
            Err(Stop::Lost(error)) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(PageError::TooLarge);
            }
            taken => taken?,
        };
        let bytes = taken["data"].as_str().and_then(|data| BASE64.decode(data).ok()).unwrap_or_default();
        if bytes.len() as u64 > most {
            return Err(PageError::TooLarge);
        }
        Ok(tokio::fs::write(path, bytes).await?)
    }

    async fn call(&mut self, method: &'static str, params: Value, until: Instant) -> Result<Value, Stop> {
        self.browser.call(Some(&mut self.blank.page), command(method, params), until).await
    }

    async fn wait(&mut self, condition: impl Fn(&Watch) -> bool, until: Instant) -> Result<(), Stop> {
        while !condition(&self.blank.page.watch) {
            self.browser.step(&mut Some(&mut self.blank.page), until).await?;
        }
        Ok(())
    }

    /// Handles the page's events until the given time.
    async fn pass_time(&mut self, over: Instant, until: Instant) -> Result<(), Stop> {
        loop {
            match self.browser.step(&mut Some(&mut self.blank.page), over.min(until)).await {
                Err(Stop::TimeUp) if over <= until => return Ok(()),
                Err(stop) => return Err(stop),
                Ok(_) => {}
            }
        }
    }

    async fn check_syntax(&mut self, expression: &str, until: Instant) -> Result<(), PageError> {
        let source = json!({"expression": expression, "sourceURL": "", "persistScript": false});
        // Only enabled when needed, since the page's console is reported too.
        self.call(LISTEN, json!({}), until).await?;
        let compiled = self.call("Runtime.compileScript", source, until).await?;
        if !self.listens {
            self.call("Runtime.disable", json!({}), until).await?;
        }
        match compiled.get("exceptionDetails") {
            None => Ok(()),
            Some(_) => Err(PageError::BadCondition("the expression is not valid JavaScript")),
        }
    }

    /// Checks a condition repeatedly. If it throws, it is not true yet.
    async fn poll(&mut self, condition: &str, unmet: &'static str, until: Instant) -> Result<(), PageError> {
        loop {
            let look = json!({"expression": condition, "awaitPromise": true});
            match self.call("Runtime.evaluate", look, until).await {
                // The page navigated away during the call.
                Err(Stop::Refused { .. }) => {}
                Err(stop) => return Err(not_met(stop, unmet)),
                Ok(seen) if is_bad_selector(&seen) => {
                    return Err(PageError::BadCondition("the selector is not valid CSS"));
                }
                Ok(seen) if seen.get("exceptionDetails").is_none() && is_truthy(&seen["result"]) => return Ok(()),
                Ok(_) => {}
            }
            let next = Instant::now() + POLL;
            self.pass_time(next, until).await.map_err(|stop| not_met(stop, unmet))?;
        }
    }
}

fn not_met(stop: Stop, unmet: &'static str) -> PageError {
    match stop {
        Stop::TimeUp => PageError::NotMet(unmet),
        Stop::Lost(_) | Stop::Refused { .. } | Stop::Broken(_) => PageError::Stop(stop),
    }
}

fn command(method: &'static str, params: Value) -> Command {
    Command { method, params }
}

fn preparations() -> [Command; 6] {
    [
        command("Page.enable", json!({})),
        command("Inspector.enable", json!({})),
        command("Network.enable", json!({"maxPostDataSize": 0})),
        command("Page.setLifecycleEventsEnabled", json!({"enabled": true})),
        // Only requests that pause here can answer the proxy's challenge. The proxy decides which are allowed.
        command("Fetch.enable", json!({"patterns": [{"urlPattern": "*"}], "handleAuthRequests": true})),
        command("Page.setInterceptFileChooserDialog", json!({"enabled": true})),
    ]
}

fn id(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn decode(chunk: &Value) -> Option<Vec<u8>> {
    let data = chunk["data"].as_str()?;
    if chunk["base64Encoded"] == true { BASE64.decode(data).ok() } else { Some(data.as_bytes().to_vec()) }
}

fn is_bad_selector(seen: &Value) -> bool {
    let thrown = &seen["exceptionDetails"]["exception"];
    thrown["className"] == "DOMException"
        && thrown["description"].as_str().is_some_and(|text| text.starts_with("SyntaxError"))
}

/// Whether JavaScript treats a value as true, as described by `Runtime.evaluate`.
fn is_truthy(result: &Value) -> bool {
    match result["type"].as_str() {
        Some("undefined") => false,
        Some("object") => result["subtype"] != "null",
        Some("function" | "symbol") => true,
        Some("bigint") => result["unserializableValue"] != "0n",
        _ => match &result["value"] {
            Value::Bool(value) => *value,
            Value::String(value) => !value.is_empty(),
            Value::Number(value) => value.as_f64().is_some_and(|value| value != 0.0),
            // Numbers that JSON can't express: infinities are true.
            Value::Null | Value::Array(_) | Value::Object(_) => {
                matches!(result["unserializableValue"].as_str(), Some("Infinity" | "-Infinity"))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truthiness_follows_javascript() {
        for truthy in [
            json!({"type": "boolean", "value": true}),
            json!({"type": "number", "value": 3}),
            json!({"type": "number", "unserializableValue": "Infinity"}),
            json!({"type": "string", "value": "0"}),
            json!({"type": "object", "className": "Array"}),
            json!({"type": "function"}),
            json!({"type": "bigint", "unserializableValue": "1n"}),
        ] {
            assert!(is_truthy(&truthy), "{truthy}");
        }
        for falsy in [
            json!({"type": "boolean", "value": false}),
            json!({"type": "number", "value": 0}),
            json!({"type": "number", "unserializableValue": "NaN"}),
            json!({"type": "number", "unserializableValue": "-0"}),
            json!({"type": "string", "value": ""}),
            json!({"type": "object", "subtype": "null", "value": null}),
            json!({"type": "undefined"}),
            json!({"type": "bigint", "unserializableValue": "0n"}),
        ] {
            assert!(!is_truthy(&falsy), "{falsy}");
        }
    }
}
