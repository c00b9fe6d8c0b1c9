//! A request for a batch, and the request for a job that each of its items stands for.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::OnError;
use crate::account::limits::MAX_BODY_BYTES;
use crate::breach::Breach;
use crate::request::{JobRequest, UnknownNames, nesting::MAX_NESTING, nesting::depth};
use crate::sha256_hex;
use crate::time::Timestamp;
use crate::tool::catalogue::{Catalogue, Tool};
use crate::upload::UploadId;

/// Most items in a request.
pub const MOST_INLINE_ITEMS: usize = 1000;
/// Most items in an upload, and its size.
pub const MOST_ITEMS: usize = 100_000;
/// Largest upload with items.
pub const MOST_ITEMS_BYTES: usize = 64 << 20;
/// What an upload with items must be.
pub const UPLOAD_RULE: &str = "must be an upload of your account that is complete and less than an hour old";
/// Further mistakes are not told.
const MOST_BREACHES: usize = 50;

const MEMBERS: [&str; 8] = ["toolSlug", "items", "itemsUploadId", "options", "then", "output", "webhook", "onError"];
/// What the batch says for all its items.
const OF_BATCH: [&str; 4] = ["toolSlug", "then", "output", "webhook"];
/// All items would store to the same address.
const OF_ONE_JOB: [&str; 2] = ["putUrl", "putHeaders"];

/// What a batch says for all its items.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defaults {
    /// An item's own options count more.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
    /// Further steps, as a job's `then`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Value>,
    /// As a job's `output`, without a file name and an address.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub output: Map<String, Value>,
}

/// Options and addresses may be secret.
impl std::fmt::Debug for Defaults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Defaults(..)")
    }
}

/// A request before its items are checked.
pub struct BatchRequest {
    defaults: Defaults,
    items: Items,
    on_error: OnError,
    archive: bool,
    webhook: Option<Value>,
    /// SHA-256 of the request, equal for equal requests.
    pub fingerprint: String,
}

enum Items {
    Inline(Vec<Value>),
    /// JSON lines.
    Upload(UploadId),
}

/// Items may be secret.
impl std::fmt::Debug for BatchRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BatchRequest(..)")
    }
}

/// A valid request.
pub struct NewBatch {
    /// What is said for all items.
    pub defaults: Defaults,
    /// The items as JSON lines.
    pub lines: String,
    /// How many items there are.
    pub total: u32,
    /// What a failed item means for the others.
    pub on_error: OnError,
    /// Whether all results are wanted in an archive.
    pub archive: bool,
    /// The first item as the request for a job, with the batch's webhook.
    pub first: JobRequest,
    /// SHA-256 of the request, equal for equal requests.
    pub fingerprint: String,
}

impl std::fmt::Debug for NewBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewBatch").field("total", &self.total).finish_non_exhaustive()
    }
}

impl BatchRequest {
    /// Reads a request's body, except its items.
    ///
    /// # Errors
    /// All breaches of the body's form.
    pub fn read(body: &Map<String, Value>, now: Timestamp) -> Result<Self, Vec<Breach>> {
        let mut reader = Reader::default();
        let (defaults, archive) = reader.defaults(body);
        let items = reader.items(body, now);
        let on_error = reader.on_error(body.get("onError"));
        reader.unknown(body);
        let Some(items) = items.filter(|_| reader.breaches.is_empty()) else { return Err(reader.breaches) };
        let webhook = body.get("webhook").cloned();
        Ok(Self { defaults, items, on_error, archive, webhook, fingerprint: fingerprint(body) })
    }

    /// The upload with the items, if they are not in the request.
    pub fn upload(&self) -> Option<UploadId> {
        match self.items {
            Items::Inline(_) => None,
            Items::Upload(id) => Some(id),
        }
    }

    /// Checks every item as the request for a job. `uploaded`: the upload. `unknown_names`: what becomes of them.
    ///
    /// # Errors
    /// The breaches of the items, each place once. Beyond fifty, no further ones are looked for.
    pub fn check(
        self,
        catalogue: &Catalogue,
        tool: &Tool,
        uploaded: &[u8],
        unknown_names: UnknownNames,
    ) -> Result<NewBatch, Vec<Breach>> {
        let Self { defaults, items, on_error, archive, webhook, fingerprint } = self;
        let mut checker =
            Checker { catalogue, tool, defaults: &defaults, webhook, unknown_names, checked: Checked::default() };
        match items {
            Items::Inline(items) => {
                items.into_iter().take_while(|item| checker.take(Some(item.clone()))).for_each(drop)
            }
            Items::Upload(_) => {
                let lines = uploaded.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
                let lines = lines.filter(|line| !line.is_empty());
                lines.take_while(|line| checker.take(parse_line(line))).for_each(drop);
            }
        }
        let Checked { lines, total, first, mut breaches, .. } = checker.checked;
        if total == 0 {
            breaches.push(Breach::new("/itemsUploadId", "has no items: give a file with a JSON object on each line"));
        }
        let Some(first) = first.filter(|_| breaches.is_empty()) else { return Err(breaches) };
        Ok(NewBatch { defaults, lines, total, on_error, archive, first, fingerprint })
    }
}

/// `None` unless the line is the JSON of an item.
fn parse_line(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok().filter(|_| line.len() <= MAX_BODY_BYTES)
}

struct Checker<'a> {
    catalogue: &'a Catalogue,
    tool: &'a Tool,
    defaults: &'a Defaults,
    webhook: Option<Value>,
    unknown_names: UnknownNames,
    checked: Checked,
}

#[derive(Default)]
struct Checked {
    lines: String,
    total: u32,
    first: Option<JobRequest>,
    breaches: Vec<Breach>,
    /// The paths of the breaches.
    told: HashSet<String>,
}

impl Checker<'_> {
    /// Checks the next item. False if no more need to be checked.
    fn take(&mut self, item: Option<Value>) -> bool {
        let index = self.checked.total;
        let path = format!("/items/{index}");
        if usize::try_from(index).is_ok_and(|index| index >= MOST_ITEMS) {
            self.refuse(Breach::new("/itemsUploadId", format!("has more than {MOST_ITEMS} items")));
            return false;
        }
        self.checked.total += 1;
        match item {
            Some(Value::Object(item)) if depth(&item) <= MAX_NESTING => {
                for name in OF_BATCH.iter().filter(|name| item.contains_key(**name)) {
                    self.refuse(Breach::new(format!("{path}/{name}"), "belongs to the batch, beside its items"));
                }
                self.check(index, &item);
                self.checked.lines.push_str(&format!("{}\n", json!(item)));
            }
            _ => self
                .refuse(Breach::new(path, format!("must be a JSON object, nested at most {MAX_NESTING} levels deep"))),
        }
        self.checked.breaches.len() < MOST_BREACHES
    }

    fn check(&mut self, index: u32, item: &Map<String, Value>) {
        let mut job = item_body(self.defaults, item);
        if let Some(webhook) = self.webhook.take() {
            job.insert("webhook".to_owned(), webhook);
        }
        match JobRequest::parse_for(self.catalogue, self.tool, &job, self.unknown_names) {
            Ok((request, _)) if index == 0 => self.checked.first = Some(request),
            Ok(_) => {}
            Err(breaches) => breaches.into_iter().for_each(|breach| self.refuse(placed(breach, index, item))),
        }
    }

    /// Each place is told once: a mistake of the batch is one of each item.
    fn refuse(&mut self, breach: Breach) {
        if self.checked.breaches.len() < MOST_BREACHES && self.checked.told.insert(breach.path.clone()) {
            self.checked.breaches.push(breach);
        }
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

    /// What the batch says for all its items, and whether it asks for an archive.
    fn defaults(&mut self, body: &Map<String, Value>) -> (Defaults, bool) {
        let (options, mut output) = (self.object(body, "options"), self.object(body, "output"));
        for name in OF_ONE_JOB.iter().filter(|name| output.contains_key(**name)) {
            self.refuse(&format!("/output/{name}"), "is not possible in a batch: all results would go to one address");
        }
        let archive = match output.shift_remove("archive") {
            None => false,
            Some(Value::Bool(archive)) => archive,
            Some(_) => {
                self.refuse("/output/archive", "must be true or false");
                false
            }
        };
        (Defaults { options, then: body.get("then").cloned(), output }, archive)
    }

    fn items(&mut self, body: &Map<String, Value>, now: Timestamp) -> Option<Items> {
        match (body.get("items"), body.get("itemsUploadId")) {
            (Some(Value::Array(items)), None) if (1..=MOST_INLINE_ITEMS).contains(&items.len()) => {
                Some(Items::Inline(items.clone()))
            }
            (Some(_), None) => {
                self.refuse(
                    "/items",
                    format!("must be a list of 1 to {MOST_INLINE_ITEMS} items. Upload a file with more"),
                );
                None
            }
            (None, Some(id)) => {
                let id = id.as_str().and_then(UploadId::parse).filter(|id| id.expires_at() > now);
                if id.is_none() {
                    self.refuse("/itemsUploadId", UPLOAD_RULE);
                }
                id.map(Items::Upload)
            }
            (Some(_), Some(_)) | (None, None) => {
                self.refuse("/items", "give either `items` or `itemsUploadId`");
                None
            }
        }
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
fn placed(breach: Breach, index: u32, item: &Map<String, Value>) -> Breach {
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

    fn read_with(body: Value, uploaded: &[u8]) -> Result<NewBatch, Vec<Breach>> {
        let catalogue = Catalogue::load().unwrap();
        let request = BatchRequest::read(body.as_object().unwrap(), Timestamp(0))?;
        request.check(&catalogue, catalogue.find("html-to-pdf").unwrap(), uploaded, UnknownNames::ByTool)
    }

    #[test]
    fn a_strict_batch_refuses_unknown_names() {
        let body = json!({"items": [{"html": "x", "options": {"marginTopp": 1}}], "options": {"landscpe": true}});
        let request = BatchRequest::read(body.as_object().unwrap(), Timestamp(0)).unwrap();
        let (catalogue, names) = (Catalogue::load().unwrap(), UnknownNames::Refused);
        let breaches = request.check(&catalogue, catalogue.find("html-to-pdf").unwrap(), b"", names).unwrap_err();
        let paths: Vec<_> = breaches.iter().map(|breach| &breach.path).collect();
        assert_eq!(paths, ["/options/landscpe", "/items/0/options/marginTopp"]);
    }

    fn read(body: Value) -> Result<NewBatch, Vec<Breach>> {
        read_with(body, b"")
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
        let items: Vec<Map<String, Value>> =
            batch.lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let bodies: Vec<_> = items.iter().map(|item| item_body(&batch.defaults, item)).collect();
        assert_eq!(batch.total, 2);
        assert_eq!(
            json!(bodies[0]),
            json!({"input": {"html": "<p>1"}, "metadata": {"row": "1"}, "options": {"landscape": true, "scale": 1},
                "then": [{"toolSlug": "compress-pdf"}], "output": {"retentionSeconds": 600, "filename": "one.pdf"}})
        );
        assert_eq!(bodies[1]["options"], json!({"landscape": false, "scale": 1}));
        assert_eq!(bodies[1]["output"]["filename"], "all.pdf");
    }

    #[test]
    fn all_mistakes_are_told_at_their_places() {
        let good = json!({"html": "<p>"});
        assert_eq!(paths(json!({})), ["/items"]);
        assert_eq!(paths(json!({"items": []})), ["/items"]);
        assert_eq!(paths(json!({"items": vec![good.clone(); MOST_INLINE_ITEMS + 1]})), ["/items"]);
        assert_eq!(paths(json!({"items": [good], "onError": "halt", "itms": []})), ["/onError", "/itms"]);
        assert_eq!(paths(json!({"items": [good, 1, {"html": "x", "then": []}]})), ["/items/1", "/items/2/then"]);
        let output = json!({"putUrl": "https://a.example"});
        assert_eq!(paths(json!({"items": [good], "output": output})), ["/output/putUrl"]);
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
    fn items_may_be_the_lines_of_an_upload() {
        let body = json!({"itemsUploadId": UploadId::new().to_string(), "options": {"landscape": true}});
        let batch = read_with(body.clone(), b"{\"html\": \"<p>1\"}\r\n\n{\"html\": \"<p>2\"}").unwrap();
        assert_eq!((batch.total, batch.lines.as_str()), (2, "{\"html\":\"<p>1\"}\n{\"html\":\"<p>2\"}\n"));
        let paths = |uploaded: &[u8]| -> Vec<_> {
            let breaches = read_with(body.clone(), uploaded).unwrap_err();
            breaches.into_iter().map(|breach| breach.path).collect()
        };
        assert_eq!(paths(b""), ["/itemsUploadId"]);
        assert_eq!(
            paths(b"{\"html\": \"<p>1\"}\n{\n[1]\n{\"html\": 1}\n\xff"),
            ["/items/1", "/items/2", "/items/3/html", "/items/4"]
        );
        let deep = format!("{{\"html\": \"x\", \"input\": {}{}}}", "[".repeat(70), "]".repeat(70));
        assert_eq!(paths(deep.as_bytes()), ["/items/0"]);
        for wrong in [json!("upl_1"), json!(1), json!(null)] {
            assert_eq!(read_with(json!({"itemsUploadId": wrong}), b"").unwrap_err()[0].path, "/itemsUploadId");
        }
        let both = json!({"itemsUploadId": UploadId::new().to_string(), "items": [{"html": "x"}]});
        assert_eq!(read_with(both, b"").unwrap_err()[0].path, "/items");
    }

    #[test]
    fn fuzz_lines_of_items() {
        let catalogue = Catalogue::load().unwrap();
        let body = json!({"itemsUploadId": UploadId::new().to_string()});
        docmill_fuzz::fuzz("batch-items", &[], |bytes| {
            let request = BatchRequest::read(body.as_object().unwrap(), Timestamp(0)).unwrap();
            if let Ok(batch) =
                request.check(&catalogue, catalogue.find("html-to-pdf").unwrap(), bytes, UnknownNames::ByTool)
            {
                assert_eq!(batch.lines.lines().count(), batch.total as usize);
            }
        });
    }

    #[test]
    fn equal_requests_have_equal_fingerprints() {
        let print = |text: &str| read(serde_json::from_str(text).unwrap()).unwrap().fingerprint;
        let one = print(r#"{"items": [{"html": "x"}], "onError": "stop"}"#);
        assert_eq!(print(r#"{"onError": "stop", "items": [{"html": "x"}]}"#), one);
        assert_ne!(print(r#"{"items": [{"html": "y"}], "onError": "stop"}"#), one);
    }
}
