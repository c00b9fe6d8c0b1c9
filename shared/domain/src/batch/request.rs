//! A request for a batch, and the request for a job that each of its items stands for.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::OnError;
use crate::breach::Breach;
use crate::request::JobRequest;
use crate::sha256_hex;
use crate::tool::catalogue::{Catalogue, Tool};

/// Most items in a request.
pub const MOST_INLINE_ITEMS: usize = 1000;
/// Further mistakes are not told.
const MOST_BREACHES: usize = 50;

const MEMBERS: [&str; 7] = ["toolSlug", "items", "options", "then", "output", "webhook", "onError"];
/// What the batch says for all its items.
const OF_BATCH: [&str; 4] = ["toolSlug", "then", "output", "webhook"];
/// All items would store to the same address.
const OF_ONE_JOB: [&str; 2] = ["putUrl", "putHeaders"];

/// What a batch says for all its items.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defaults {
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Value>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub output: Map<String, Value>,
}

/// Options and addresses may be secret.
impl std::fmt::Debug for Defaults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Defaults(..)")
    }
}

/// A valid request.
#[derive(Debug)]
pub struct NewBatch {
    pub defaults: Defaults,
    pub items: Vec<Map<String, Value>>,
    pub on_error: OnError,
    /// The first item as the request for a job, with the batch's webhook.
    pub first: JobRequest,
    /// SHA-256 of the request, equal for equal requests.
    pub fingerprint: String,
}

/// An item that can't become a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<RefusedPart>,
}

/// A mistake of an item as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedPart {
    pub path: String,
    pub message: String,
}

impl From<Breach> for RefusedPart {
    fn from(Breach { path, message }: Breach) -> Self {
        Self { path, message }
    }
}

impl NewBatch {
    /// Reads a request's body, and checks every item as the request for a job that it stands for. Fails with all breaches.
    pub fn read(catalogue: &Catalogue, tool: &Tool, body: &Map<String, Value>) -> Result<Self, Vec<Breach>> {
        let mut reader = Reader::default();
        let defaults = reader.defaults(body);
        let items = reader.items(body);
        let on_error = reader.on_error(body.get("onError"));
        reader.unknown(body);
        if !reader.breaches.is_empty() {
            return Err(reader.breaches);
        }
        let (mut told, mut first) = (HashSet::new(), None);
        for (index, item) in items.iter().enumerate() {
            let mut job = item_body(&defaults, item);
            if index == 0
                && let Some(wanted) = body.get("webhook")
            {
                job.insert("webhook".to_owned(), wanted.clone());
            }
            match JobRequest::parse(catalogue, tool, &job) {
                Ok((request, _)) if index == 0 => first = Some(request),
                Ok(_) => {}
                Err(breaches) => {
                    let placed = breaches.into_iter().map(|breach| placed(breach, index, item));
                    reader.breaches.extend(placed.filter(|breach| told.insert(breach.path.clone())));
                }
            }
            if reader.breaches.len() >= MOST_BREACHES {
                break;
            }
        }
        reader.breaches.truncate(MOST_BREACHES);
        let Some(first) = first.filter(|_| reader.breaches.is_empty()) else { return Err(reader.breaches) };
        Ok(Self { defaults, items, on_error, first, fingerprint: fingerprint(body) })
    }

    /// The items as JSON lines.
    pub fn lines(&self) -> String {
        self.items.iter().map(|item| format!("{}\n", json!(item))).collect()
    }
}

#[derive(Default)]
struct Reader {
    breaches: Vec<Breach>,
}

impl Reader {
    fn refuse(&mut self, path: &str, message: impl Into<String>) {
        self.breaches.push(Breach::new(path, message));
    }

    fn object(&mut self, body: &Map<String, Value>, name: &str) -> Map<String, Value> {
        match body.get(name) {
            None => Map::new(),
            Some(Value::Object(object)) => object.clone(),
            Some(_) => {
                self.refuse(&format!("/{name}"), "must be an object");
                Map::new()
            }
        }
    }

    fn defaults(&mut self, body: &Map<String, Value>) -> Defaults {
        let (options, output) = (self.object(body, "options"), self.object(body, "output"));
        for name in OF_ONE_JOB.iter().filter(|name| output.contains_key(**name)) {
            self.refuse(&format!("/output/{name}"), "is not possible in a batch: all results would go to one address");
        }
        Defaults { options, then: body.get("then").cloned(), output }
    }

    fn items(&mut self, body: &Map<String, Value>) -> Vec<Map<String, Value>> {
        let Some(Value::Array(items)) = body.get("items") else {
            self.refuse("/items", format!("must be a list of 1 to {MOST_INLINE_ITEMS} items"));
            return Vec::new();
        };
        if items.is_empty() || items.len() > MOST_INLINE_ITEMS {
            self.refuse("/items", format!("must have 1 to {MOST_INLINE_ITEMS} items"));
            return Vec::new();
        }
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item {
                Value::Object(item) => {
                    for name in OF_BATCH.iter().filter(|name| item.contains_key(**name)) {
                        self.refuse(&format!("/items/{index}/{name}"), "belongs to the batch, beside `items`");
                    }
                    read.push(item.clone());
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                    self.refuse(&format!("/items/{index}"), "must be an object");
                }
            }
        }
        self.breaches.truncate(MOST_BREACHES);
        read
    }

    fn on_error(&mut self, value: Option<&Value>) -> OnError {
        let read = value.map(OnError::deserialize).transpose();
        read.map(Option::unwrap_or_default).unwrap_or_else(|_| {
            self.refuse("/onError", "must be `continue` or `stop`");
            OnError::default()
        })
    }

    /// A misspelt member would change every job, so it is refused.
    fn unknown(&mut self, body: &Map<String, Value>) {
        for name in body.keys().filter(|name| !MEMBERS.contains(&name.as_str())) {
            let shown: String = name.chars().take(60).collect();
            self.refuse(&format!("/{shown}"), format!("is not known. A batch has {}", MEMBERS.join(", ")));
        }
    }
}

/// The request for the job of an item: what the item says, and else what the batch says.
pub fn item_body(defaults: &Defaults, item: &Map<String, Value>) -> Map<String, Value> {
    let mut body = item.clone();
    let filename = body.shift_remove("filename");
    if !defaults.options.is_empty() {
        let mut options = defaults.options.clone();
        match body.shift_remove("options") {
            None => {}
            Some(Value::Object(own)) => options.extend(own),
            // Refused with the path of the item.
            Some(other) => drop(body.insert("options".to_owned(), other)),
        }
        body.entry("options").or_insert(Value::Object(options));
    }
    if let Some(then) = &defaults.then {
        body.insert("then".to_owned(), then.clone());
    }
    let mut output = defaults.output.clone();
    output.extend(filename.map(|filename| ("filename".to_owned(), filename)));
    if !output.is_empty() {
        body.insert("output".to_owned(), Value::Object(output));
    }
    body
}

/// The breach at its place in the request for the batch.
fn placed(breach: Breach, index: usize, item: &Map<String, Value>) -> Breach {
    let mut parts = breach.path.split('/').skip(1);
    let (first, second) = (parts.next().unwrap_or_default(), parts.next());
    let is_own = match (first, second) {
        ("options", Some(name)) => {
            item.get("options").is_some_and(|options| options.as_object().is_none_or(|own| own.contains_key(name)))
        }
        ("output", Some("filename")) if item.contains_key("filename") => {
            return Breach { path: format!("/items/{index}/filename"), ..breach };
        }
        ("then" | "output" | "webhook", _) => false,
        _ => true,
    };
    if is_own { breach.below(&format!("/items/{index}")) } else { breach }
}

fn fingerprint(body: &Map<String, Value>) -> String {
    let mut sorted = Value::Object(body.clone());
    sorted.sort_all_objects();
    sha256_hex(sorted.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: Value) -> Result<NewBatch, Vec<Breach>> {
        let catalogue = Catalogue::load().unwrap();
        NewBatch::read(&catalogue, catalogue.find("html-to-pdf").unwrap(), body.as_object().unwrap())
    }

    fn paths(body: Value) -> Vec<String> {
        read(body).unwrap_err().into_iter().map(|breach| breach.path).collect()
    }

    #[test]
    fn an_item_says_what_is_different_from_the_batch() {
        let batch = read(json!({
            "items": [
                {"input": {"html": "<p>1"}, "filename": "one.pdf", "metadata": {"row": "1"}},
                {"html": "<p>2", "options": {"landscape": false}},
            ],
            "options": {"landscape": true, "scale": 1},
            "then": [{"toolSlug": "compress-pdf"}],
            "output": {"retentionSeconds": 600, "filename": "all.pdf"},
            "onError": "stop",
            "webhook": {"url": "https://a.example/hook"},
        }));
        let batch = batch.unwrap();
        assert_eq!(batch.on_error, OnError::Stop);
        assert_eq!(batch.first.webhook.as_ref().unwrap().url, "https://a.example/hook");
        let bodies: Vec<_> = batch.items.iter().map(|item| item_body(&batch.defaults, item)).collect();
        assert_eq!(
            json!(bodies[0]),
            json!({"input": {"html": "<p>1"}, "metadata": {"row": "1"}, "options": {"landscape": true, "scale": 1},
                "then": [{"toolSlug": "compress-pdf"}], "output": {"retentionSeconds": 600, "filename": "one.pdf"}})
        );
        assert_eq!(bodies[1]["options"], json!({"landscape": false, "scale": 1}));
        assert_eq!(bodies[1]["output"]["filename"], "all.pdf");
        let lines = batch.lines();
        let again: Vec<Map<String, Value>> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(again, batch.items);
    }

    #[test]
    fn all_mistakes_are_told_at_their_places() {
        let good = json!({"html": "<p>"});
        assert_eq!(paths(json!({})), ["/items"]);
        assert_eq!(paths(json!({"items": []})), ["/items"]);
        assert_eq!(paths(json!({"items": vec![good.clone(); MOST_INLINE_ITEMS + 1]})), ["/items"]);
        assert_eq!(
            paths(json!({"items": [good, 1], "onError": "halt", "itms": []})),
            ["/items/1", "/onError", "/itms"]
        );
        assert_eq!(
            paths(json!({"items": [{"html": "x", "then": []}], "output": {"putUrl": "https://a.example"}})),
            ["/output/putUrl", "/items/0/then"]
        );
        let several = json!({
            "items": [{"html": "x"}, {}, {"html": "x", "options": {"scale": 900}}, {"html": "x", "filename": "a/b"}],
            "options": {"landscape": "yes"},
        });
        let several = paths(several);
        for path in ["/options/landscape", "/items/2/options/scale", "/items/3/filename"] {
            assert!(several.contains(&path.to_owned()), "{path}: {several:?}");
        }
        assert!(several.iter().any(|path| path.starts_with("/items/1")), "{several:?}");
        assert_eq!(several.len(), 4, "what the batch says is told once: {several:?}");
        let webhook = json!({"items": [{"html": "x"}], "webhook": {"url": 1}});
        assert_eq!(paths(webhook), ["/webhook/url"]);
    }

    #[test]
    fn no_more_mistakes_are_told_than_can_be_read() {
        let items = vec![json!({"html": 1}); 500];
        assert_eq!(paths(json!({ "items": items })).len(), MOST_BREACHES);
    }

    #[test]
    fn equal_requests_have_equal_fingerprints() {
        let print = |text: &str| read(serde_json::from_str(text).unwrap()).unwrap().fingerprint;
        let one = print(r#"{"items": [{"html": "x"}], "onError": "stop"}"#);
        assert_eq!(print(r#"{"onError": "stop", "items": [{"html": "x"}]}"#), one);
        assert_ne!(print(r#"{"items": [{"html": "y"}], "onError": "stop"}"#), one);
    }
}
