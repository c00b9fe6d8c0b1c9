//! How a page is visited: what is sent, awaited, and treated as a failure. Shared by PDFs and pictures.

use std::collections::BTreeMap;

use docmill_domain::job::Warning;
use docmill_engine::Failure;
use docmill_engine::page::{Media, WaitFor, read_options};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

/// A job's options, already validated against the tool's schema.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Visit {
    wait_for: WaitFor,
    /// Several conditions instead of `wait_for`.
    wait_for_all: Vec<WaitFor>,
    /// `None`: the default for the kind of result.
    pub(super) media: Option<Media>,
    pub(super) emulate: Vec<Emulation>,
    pub(super) cookies: Vec<Cookie>,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) user_agent: Option<String>,
    /// Whether an HTTP error of the page fails the job.
    pub(super) fail_on_status: bool,
    pub(super) fail_on_resource_errors: bool,
    pub(super) fail_on_console: bool,
}

impl Default for Visit {
    fn default() -> Self {
        Self {
            wait_for: WaitFor::Load,
            wait_for_all: Vec::new(),
            media: None,
            emulate: Vec::new(),
            cookies: Vec::new(),
            headers: BTreeMap::new(),
            user_agent: None,
            fail_on_status: true,
            fail_on_resource_errors: false,
            fail_on_console: false,
        }
    }
}

/// Cookies and headers are secrets.
impl std::fmt::Debug for Visit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Visit")
            .field("wait_for", &self.wait_for)
            .field("emulate", &self.emulate)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Emulation {
    Dark,
    ReducedMotion,
}

impl Emulation {
    pub(super) fn feature(self) -> Value {
        let (name, value) = match self {
            Self::Dark => ("prefers-color-scheme", "dark"),
            Self::ReducedMotion => ("prefers-reduced-motion", "reduce"),
        };
        json!({"name": name, "value": value})
    }
}

/// Only for the page's own host.
#[derive(Clone, Deserialize)]
pub(super) struct Cookie {
    name: String,
    value: String,
    #[serde(default)]
    path: Option<String>,
}

impl Visit {
    pub(super) fn read(options: &Value) -> Result<Self, Failure> {
        read_options(options)
    }

    /// The job's conditions in order.
    pub(super) fn waits(&self) -> impl Iterator<Item = &WaitFor> {
        let alone = self.wait_for_all.is_empty().then_some(&self.wait_for);
        self.wait_for_all.iter().chain(alone)
    }

    /// The cookies for `Network.setCookies`, for the host of `url`.
    pub(super) fn cookies_for(&self, url: &Url) -> Option<Value> {
        let cookie = |cookie: &Cookie| {
            let mut set =
                json!({"name": cookie.name, "value": cookie.value, "url": url.origin().ascii_serialization()});
            if let Some(path) = &cookie.path {
                set["path"] = json!(path);
            }
            set
        };
        (!self.cookies.is_empty()).then(|| json!({"cookies": self.cookies.iter().map(cookie).collect::<Vec<_>>()}))
    }

    /// Options that need an address, for pages without one.
    pub(super) fn warnings_without_address(&self) -> Vec<Warning> {
        let given = [("cookies", self.cookies.is_empty()), ("headers", self.headers.is_empty())];
        let without_effect = |(name, _)| {
            let message = format!("`{name}` has no effect here: it needs a page that is loaded from a `url`.");
            Warning::new("option_without_effect", message).with_detail(name)
        };
        given.into_iter().filter(|(_, absent)| !absent).map(without_effect).collect()
    }
}

/// Headers for a single origin.
#[derive(Default)]
pub(super) struct OwnHeaders {
    /// For example `https://a.example:8443`.
    origin: String,
    headers: BTreeMap<String, String>,
}

impl OwnHeaders {
    pub(super) fn new(url: &Url, headers: &BTreeMap<String, String>) -> Self {
        let headers = headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect();
        Self { origin: url.origin().ascii_serialization(), headers }
    }

    /// All headers of a paused request, if they differ from the browser's own.
    pub(super) fn of_request(&self, request: &Value) -> Option<Value> {
        if self.headers.is_empty() {
            return None;
        }
        let given: Map<String, Value> = request["headers"].as_object().cloned().unwrap_or_default();
        let is_ours = |name: &str| self.headers.contains_key(&name.to_ascii_lowercase());
        let own = self.is_own(request, &given);
        // A redirect keeps the headers of the request before.
        if !own && !given.keys().any(|name| is_ours(name)) {
            return None;
        }
        let others =
            given.iter().filter(|(name, _)| !is_ours(name)).map(|(name, value)| json!({"name": name, "value": value}));
        let ours = self.headers.iter().filter(|_| own).map(|(name, value)| json!({"name": name, "value": value}));
        Some(others.chain(ours).collect())
    }

    /// Whether a request goes to the origin and was not made by another origin.
    fn is_own(&self, request: &Value, headers: &Map<String, Value>) -> bool {
        let made_by = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("origin"));
        let goes_to = request["url"].as_str().and_then(|url| Url::parse(url).ok());
        goes_to.is_some_and(|url| url.origin().ascii_serialization() == self.origin)
            && made_by.is_none_or(|(_, origin)| *origin == self.origin.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_options_have_the_defaults_of_the_schemas() {
        for schema in [
            include_str!("../../../../shared/tools/html-to-pdf.options.json"),
            include_str!("../../../../shared/tools/html-to-image.options.json"),
        ] {
            let schema: Value = serde_json::from_str(schema).unwrap();
            let properties = schema["properties"].as_object().unwrap();
            for (name, default) in [
                ("waitFor", json!("load")),
                ("failOnStatus", json!(true)),
                ("failOnResourceErrors", json!(false)),
                ("failOnConsole", json!(false)),
            ] {
                assert_eq!(properties[name]["default"], default, "{name}");
            }
        }
        let absent = Visit::read(&Value::Null).unwrap();
        assert!(absent.fail_on_status && !absent.fail_on_resource_errors && !absent.fail_on_console);
        assert_eq!(absent.waits().collect::<Vec<_>>(), [&WaitFor::Load]);
        let several = Visit::read(&json!({"waitForAll": [{"selector": "a"}, "networkIdle"]})).unwrap();
        assert_eq!(several.waits().collect::<Vec<_>>(), [&WaitFor::Selector("a".into()), &WaitFor::NetworkIdle]);
    }

    #[test]
    fn headers_only_go_to_one_origin() {
        let own = OwnHeaders::new(
            &"https://a.example/page".parse().unwrap(),
            &BTreeMap::from([("Authorization".to_owned(), "secret".to_owned())]),
        );
        let request = |url: &str, headers: Value| own.of_request(&json!({"url": url, "headers": headers}));
        let accept = json!({"Accept": "*/*"});
        let sent = request("https://a.example/x", accept.clone()).unwrap();
        assert_eq!(sent, json!([{"name": "Accept", "value": "*/*"}, {"name": "authorization", "value": "secret"}]));
        for elsewhere in
            ["https://b.example/", "http://a.example/", "https://a.example:8443/", "https://a.example.b.example/"]
        {
            assert_eq!(request(elsewhere, accept.clone()), None, "{elsewhere}");
            let carried = json!({"Accept": "*/*", "AUTHORIZATION": "secret"});
            assert_eq!(request(elsewhere, carried), Some(json!([{"name": "Accept", "value": "*/*"}])), "{elsewhere}");
        }
        // A frame of another origin makes the request: with the headers, it would get private content.
        assert_eq!(request("https://a.example/x", json!({"Origin": "https://b.example"})), None);
        assert!(request("https://a.example/x", json!({"Origin": "https://a.example"})).is_some());
        let none = OwnHeaders::new(&"https://a.example".parse().unwrap(), &BTreeMap::new());
        assert_eq!(none.of_request(&json!({"url": "https://a.example/", "headers": {}})), None);
    }

    #[test]
    fn nothing_secret_is_printed() {
        let visit = json!({"cookies": [{"name": "s", "value": "canary"}], "headers": {"Authorization": "canary"}});
        assert!(!format!("{:?}", Visit::read(&visit).unwrap()).contains("canary"));
    }
}
