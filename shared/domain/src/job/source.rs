//! The sources of a job's documents.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use url::Url;

use crate::job::JobId;
use crate::sha256_hex;
use crate::template::TemplateName;

/// The property that names a source. A source has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SourceKind {
    /// A file to fetch.
    SourceUrl,
    /// A page to render.
    Url,
    /// A file that the client uploaded before.
    UploadId,
    /// A result of another job of the same account.
    JobId,
    /// A stored template of the same account.
    Template,
    /// HTML in the request itself.
    Html,
    /// Markdown in the request itself.
    Markdown,
    /// Plain text in the request itself.
    Text,
}

/// How a property is shown to the job's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    AsItIs,
    /// Without query and fragment.
    Address,
    /// As its size and digest.
    Digest,
}

impl SourceKind {
    /// A source is read as the first kind that it names.
    pub const ALL: [Self; 8] = [
        Self::SourceUrl,
        Self::Url,
        Self::UploadId,
        Self::JobId,
        Self::Template,
        Self::Html,
        Self::Markdown,
        Self::Text,
    ];

    /// The property's name in requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SourceUrl => "sourceUrl",
            Self::Url => "url",
            Self::UploadId => "uploadId",
            Self::JobId => "jobId",
            Self::Template => "template",
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Text => "text",
        }
    }

    /// Whether the property holds the document itself.
    pub const fn is_inline(self) -> bool {
        matches!(self.shown(), Shown::Digest)
    }

    /// Whether the property holds an address.
    pub const fn is_address(self) -> bool {
        matches!(self.shown(), Shown::Address)
    }

    const fn shown(self) -> Shown {
        match self {
            Self::SourceUrl | Self::Url => Shown::Address,
            Self::UploadId | Self::JobId | Self::Template => Shown::AsItIs,
            Self::Html | Self::Markdown | Self::Text => Shown::Digest,
        }
    }

    fn redact(self, value: &Value) -> Value {
        match (self.shown(), value.as_str()) {
            (Shown::Address, Some(url)) => json!(redact_url(url)),
            (Shown::Digest, Some(content)) => digest(content),
            (Shown::Address | Shown::Digest, None) => json!(REDACTED),
            (Shown::AsItIs, _) => value.clone(),
        }
    }
}

/// Further properties of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SourceProperty {
    /// The file's name. Some formats are told by its extension.
    Filename,
    /// Opens an encrypted document.
    Password,
    /// The pages that are taken.
    PageRange,
    /// Names the source in the result, such as in its outline.
    Title,
    /// Sent when fetching `sourceUrl`.
    Headers,
}

impl SourceProperty {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Filename, Self::Password, Self::PageRange, Self::Title, Self::Headers];

    /// The property with this name in requests.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|property| property.as_str() == name)
    }

    /// The property's name in requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Filename => "filename",
            Self::Password => "password",
            Self::PageRange => "pageRange",
            Self::Title => "title",
            Self::Headers => "headers",
        }
    }

    fn redact(self, value: &Value) -> Value {
        match self {
            Self::Filename | Self::PageRange | Self::Title => value.clone(),
            Self::Password => json!(REDACTED),
            Self::Headers => redact_values(value),
        }
    }
}

/// One source of a valid request.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it comes from.
    pub origin: Origin,
    /// What the client calls it.
    pub filename: Option<String>,
    /// A secret.
    pub password: Option<String>,
    /// Pages as [`PageRange`](crate::page_range::PageRange) reads them.
    pub page_range: Option<String>,
    /// Names the source in the result.
    pub title: Option<String>,
    /// Sent when fetching a file. They may be secrets.
    pub headers: BTreeMap<String, String>,
}

/// Where a source comes from.
#[derive(Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file to fetch from this address.
    File(String),
    /// A page to load in a browser.
    Page(String),
    /// The id of an upload of the account.
    Upload(String),
    /// The result of another job of the account, by index.
    Job {
        /// The other job.
        id: JobId,
        /// Which file of its result, from 0.
        output: usize,
    },
    /// A stored template: the version with this number, or the newest one.
    Template {
        /// The template's name in the account.
        name: TemplateName,
        /// `None`: the newest when the job is created.
        version: Option<u32>,
    },
    /// The document itself.
    Html(String),
    /// The document itself.
    Markdown(String),
    /// The document itself.
    Text(String),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(_) => f.write_str("File(..)"),
            Self::Page(_) => f.write_str("Page(..)"),
            Self::Upload(_) => f.write_str("Upload(..)"),
            Self::Job { id, output } => write!(f, "Job({id}, {output})"),
            Self::Template { .. } => f.write_str("Template(..)"),
            Self::Html(_) => f.write_str("Html(..)"),
            Self::Markdown(_) => f.write_str("Markdown(..)"),
            Self::Text(_) => f.write_str("Text(..)"),
        }
    }
}

impl Source {
    /// Reads a source that passed its tool's schema. `None` if it has no origin.
    pub fn read(source: &Map<String, Value>) -> Option<Self> {
        let text = |name: SourceProperty| source.get(name.as_str()).and_then(Value::as_str).map(str::to_owned);
        let headers = source.get(SourceProperty::Headers.as_str()).and_then(Value::as_object);
        let headers = headers.into_iter().flatten();
        Some(Self {
            origin: Origin::read(source)?,
            filename: text(SourceProperty::Filename),
            password: text(SourceProperty::Password),
            page_range: text(SourceProperty::PageRange),
            title: text(SourceProperty::Title),
            headers: headers.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect(),
        })
    }

    /// Whether it has a password, headers, or an address with a part that may be secret.
    pub fn carries_credentials(&self) -> bool {
        let address = match &self.origin {
            Origin::File(url) | Origin::Page(url) => Some(url),
            Origin::Upload(_)
            | Origin::Job { .. }
            | Origin::Template { .. }
            | Origin::Html(_)
            | Origin::Markdown(_)
            | Origin::Text(_) => None,
        };
        self.password.is_some() || !self.headers.is_empty() || address.is_some_and(|url| hides_part(url))
    }
}

impl Origin {
    /// The property that names such a source.
    pub const fn kind(&self) -> SourceKind {
        match self {
            Self::File(_) => SourceKind::SourceUrl,
            Self::Page(_) => SourceKind::Url,
            Self::Upload(_) => SourceKind::UploadId,
            Self::Job { .. } => SourceKind::JobId,
            Self::Template { .. } => SourceKind::Template,
            Self::Html(_) => SourceKind::Html,
            Self::Markdown(_) => SourceKind::Markdown,
            Self::Text(_) => SourceKind::Text,
        }
    }

    fn read(source: &Map<String, Value>) -> Option<Self> {
        let (kind, value) = SourceKind::ALL.iter().find_map(|kind| Some((kind, source.get(kind.as_str())?)))?;
        let text = || value.as_str().map(str::to_owned);
        Some(match kind {
            SourceKind::SourceUrl => Self::File(text()?),
            SourceKind::Url => Self::Page(text()?),
            SourceKind::UploadId => Self::Upload(text()?),
            SourceKind::JobId => {
                let output = source.get("output").and_then(Value::as_u64).unwrap_or(0);
                Self::Job { id: JobId::parse(value.as_str()?)?, output: usize::try_from(output).ok()? }
            }
            SourceKind::Template => {
                let version = value.get("version").and_then(Value::as_u64);
                let name = TemplateName::parse(value.get("name")?.as_str()?)?;
                Self::Template { name, version: version.map(u32::try_from).transpose().ok()? }
            }
            SourceKind::Html => Self::Html(text()?),
            SourceKind::Markdown => Self::Markdown(text()?),
            SourceKind::Text => Self::Text(text()?),
        })
    }
}

/// The sources in a request's `input`: a single one, or the list `sources`.
pub fn sources(input: &Map<String, Value>) -> Vec<Source> {
    entries(input).filter_map(Source::read).collect()
}

fn entries(input: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let listed = input.get(SOURCES).and_then(Value::as_array);
    let alone = listed.is_none().then_some(input);
    listed.into_iter().flatten().filter_map(Value::as_object).chain(alone)
}

/// The property with the list of sources.
pub const SOURCES: &str = "sources";

/// A request's `input` for its owner: without passwords, queries, header values and inline documents.
pub fn redact(input: &Map<String, Value>) -> Value {
    let shown = input.iter().map(|(name, value)| {
        let shown = if name == SOURCES {
            let sources = value.as_array().into_iter().flatten();
            sources.map(|source| source.as_object().map_or(json!(REDACTED), redact)).collect()
        } else if let Some(kind) = SourceKind::ALL.into_iter().find(|kind| kind.as_str() == name) {
            kind.redact(value)
        } else if let Some(property) = SourceProperty::ALL.into_iter().find(|property| property.as_str() == name) {
            property.redact(value)
        } else {
            value.clone()
        };
        (name.clone(), shown)
    });
    Value::Object(shown.collect())
}

/// Size of the inline content in a request's `input`.
pub fn inline_bytes(input: &Map<String, Value>) -> usize {
    let inline = |source: &Map<String, Value>| -> usize {
        let kinds = SourceKind::ALL.into_iter().filter(|kind| kind.is_inline());
        kinds.filter_map(|kind| source.get(kind.as_str())?.as_str()).map(str::len).sum()
    };
    entries(input).map(inline).sum()
}

/// Stands for everything that is hidden.
pub const REDACTED: &str = "[redacted]";

/// Inline content, reduced to its size and digest.
pub fn digest(content: &str) -> Value {
    json!({"bytes": content.len(), "sha256": sha256_hex(content.as_bytes())})
}

/// An object's names without the values.
pub fn redact_values(value: &Value) -> Value {
    let names = value.as_object().into_iter().flatten().map(|(name, _)| (name.clone(), json!(REDACTED)));
    Value::Object(names.collect())
}

/// The address without query and fragment, which may be secret.
pub fn redact_url(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return REDACTED.to_owned() };
    url.set_query(None);
    url.set_fragment(None);
    if hides_part(text) { format!("{url}?{REDACTED}") } else { url.to_string() }
}

/// Whether [`redact_url`] hides a part of this address.
pub fn hides_part(text: &str) -> bool {
    Url::parse(text).map_or(true, |url| url.query().is_some() || url.fragment().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn names_are_written_as_they_serialise() {
        for kind in SourceKind::ALL {
            assert_eq!(json!(kind), json!(kind.as_str()));
        }
        for property in SourceProperty::ALL {
            assert_eq!(json!(property), json!(property.as_str()));
        }
    }

    #[test]
    fn one_source_stands_alone_and_several_in_a_list() {
        let alone = sources(&object(json!({"uploadId": "upl_1", "filename": "a.pdf"})));
        assert_eq!(alone.len(), 1);
        assert!(alone[0].origin == Origin::Upload("upl_1".into()) && alone[0].filename.as_deref() == Some("a.pdf"));
        let job = JobId::new();
        let several = object(json!({"sources": [
            {"sourceUrl": "https://a.example/1", "headers": {"Authorization": "Bearer x"}, "pageRange": "1-2"},
            {"jobId": job.to_string(), "output": 3, "title": "Three"},
        ]}));
        let several = sources(&several);
        assert_eq!(several[0].headers.get("Authorization").map(String::as_str), Some("Bearer x"));
        assert_eq!(several[0].page_range.as_deref(), Some("1-2"));
        assert_eq!(several[1].origin, Origin::Job { id: job, output: 3 });
        assert_eq!(several[1].title.as_deref(), Some("Three"));
    }

    #[test]
    fn a_template_is_named_with_or_without_a_version() {
        let read =
            |template: Value| sources(&object(json!({ "template": template }))).pop().map(|source| source.origin);
        let name = TemplateName::parse("invoice").unwrap();
        let newest = Origin::Template { name: name.clone(), version: None };
        assert_eq!(read(json!({"name": "invoice"})), Some(newest));
        assert_eq!(read(json!({"name": "invoice", "version": 3})), Some(Origin::Template { name, version: Some(3) }));
        assert_eq!(read(json!({"name": "../x"})), None);
    }

    #[test]
    fn secrets_are_hidden_in_every_kind_of_source() {
        let source = json!({"sourceUrl": "https://a.example/x?canary=1#canary", "password": "canary",
            "headers": {"Authorization": "canary"}, "filename": "x.pdf"});
        let shown = json!({"sourceUrl": "https://a.example/x?[redacted]", "password": "[redacted]",
            "headers": {"Authorization": "[redacted]"}, "filename": "x.pdf"});
        assert_eq!(redact(&object(source.clone())), shown);
        let list = object(json!({"sources": [{"html": "canary"}, {"markdown": "canary"}, source]}));
        let redacted = redact(&list);
        assert_eq!(redacted["sources"][2], shown);
        assert_eq!(redacted["sources"][0]["html"]["bytes"], 6);
        assert!(!redacted.to_string().contains("canary"));
        assert!(!format!("{:?}", sources(&list)).contains("canary"));
    }

    #[test]
    fn inline_content_is_counted_over_all_sources() {
        let list = object(json!({"sources": [{"html": "12"}, {"text": "345"}, {"uploadId": "6789"}]}));
        assert_eq!(inline_bytes(&list), 5);
    }
}
