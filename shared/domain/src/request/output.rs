//! What a request says about its result.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::job::source;

/// The result's name, retention and delivery.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OutputRequest {
    /// Of the primary result, without a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// How long the result is kept; `None`: as long as the service keeps all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_seconds: Option<u64>,
    /// Whether a job fails rather than rewrite a signed document.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_signatures: bool,
    /// Where the primary result is also sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put_url: Option<String>,
    /// Sent with the result. They may be secrets.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub put_headers: BTreeMap<String, String>,
}

impl std::fmt::Debug for OutputRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputRequest").field("retention_seconds", &self.retention_seconds).finish_non_exhaustive()
    }
}

impl OutputRequest {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// As shown to the job's owner; `None` if the request has no `output`.
    pub fn redacted(&self) -> Option<Value> {
        let hidden = |(name, _): (&String, &String)| (name.clone(), source::REDACTED.to_owned());
        let shown = Self {
            put_url: self.put_url.as_deref().map(source::redact_url),
            put_headers: self.put_headers.iter().map(hidden).collect(),
            ..self.clone()
        };
        (!self.is_default()).then(|| json!(shown))
    }
}
