//! The canonical form of a request for a job, independent of endpoint and short names.

pub mod echo;
pub mod form;
pub mod idempotency;
pub mod nesting;
pub mod new_template;
mod output;
pub mod steps;
mod stored_template;
#[cfg(test)]
mod tests;
mod unknown;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::steps::Step;
pub use self::{output::OutputRequest, unknown::UnknownNames};
use crate::account::limits::MAX_INLINE_BYTES;
use crate::breach::Breach;
use crate::job::source::{self, Source};
use crate::job::{Warning, WebhookRequest};
use crate::sha256_hex;
use crate::tool::Definition;
use crate::tool::catalogue::{Catalogue, Tool};
use crate::tool::intake::Section;

/// Larger payloads are stored in the files bucket before the job is written.
pub const MAX_INLINE_PAYLOAD_BYTES: usize = 16 << 10;

/// A valid request: known names only, each in its place.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRequest {
    /// The slug of the first tool.
    #[serde(rename = "toolSlug")]
    pub tool: String,
    /// The sources: a single one, or the list `sources`.
    pub input: Map<String, Value>,
    /// The first tool's options.
    pub options: Map<String, Value>,
    /// What follows the first tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Step>,
    /// What is said about the result.
    #[serde(default, skip_serializing_if = "OutputRequest::is_default")]
    pub output: OutputRequest,
    /// Gets the job's events, besides the account's endpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<WebhookRequest>,
    /// The owner's labels.
    pub metadata: BTreeMap<String, String>,
}

impl std::fmt::Debug for JobRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobRequest").field("tool", &self.tool).finish_non_exhaustive()
    }
}

impl JobRequest {
    /// Checks `body` against the tool's schema and makes it canonical. Warnings name unknown properties.
    ///
    /// # Errors
    /// All breaches of the tool's schema.
    pub fn parse(
        catalogue: &Catalogue,
        tool: &Tool,
        body: &Map<String, Value>,
    ) -> Result<(Self, Vec<Warning>), Vec<Breach>> {
        Self::parse_for(catalogue, tool, body, UnknownNames::default())
    }

    fn read(catalogue: &Catalogue, tool: &Tool, body: &Map<String, Value>) -> Result<Self, Vec<Breach>> {
        let definition = &tool.definition;
        let mut breaches = tool.breaches(&Value::Object(body.clone()));
        if body.get("toolSlug").is_some_and(|slug| slug.is_string() && slug != definition.slug.as_str()) {
            breaches.push(Breach::new("/toolSlug", format!("must be {:?} here, or left out", definition.slug)));
        }
        if !breaches.is_empty() {
            return Err(unknown::meant(catalogue, definition, body).into_iter().chain(breaches).collect());
        }
        let mut input = known_properties(definition, body, Section::Input);
        let mut options = known_properties(definition, body, Section::Options);
        for (name, section) in definition.flat_names() {
            let Some(value) = body.get(name) else { continue };
            let target = match section {
                Section::Input => &mut input,
                Section::Options => &mut options,
            };
            match target.get(name) {
                Some(nested) if nested != value => breaches.push(Breach::new(
                    format!("/{name}"),
                    format!("contradicts /{}/{name}: give it once", section.as_str()),
                )),
                Some(_) | None => {
                    target.insert(name.to_owned(), value.clone());
                }
            }
        }
        if source::inline_bytes(&input) > MAX_INLINE_BYTES {
            breaches
                .push(Breach::new("/input", format!("must have at most {MAX_INLINE_BYTES} bytes of inline content")));
        }
        if !breaches.is_empty() {
            return Err(breaches);
        }

        options.values_mut().for_each(round_to_storable);
        input.sort_keys();
        options.sort_keys();
        let then = steps::read(catalogue, tool, (source::sources(&input).len(), &options), body.get("then"))?;
        let output = member(body, "output")?.unwrap_or_default();
        let webhook = member(body, "webhook")?;
        let metadata = body.get("metadata").and_then(Value::as_object).map(string_pairs).unwrap_or_default();
        Ok(Self { tool: definition.slug.clone(), input, options, then, output, webhook, metadata })
    }

    /// The whole request: equivalent requests have the same fingerprint.
    pub fn canonical(&self) -> CanonicalText {
        CanonicalText(json!(self).to_string())
    }

    /// The part that the worker needs: without the webhook, whose secret is none of its business.
    pub fn for_worker(&self) -> CanonicalText {
        let mut request = json!(self);
        if let Some(members) = request.as_object_mut() {
            members.shift_remove("webhook");
        }
        CanonicalText(request.to_string())
    }

    /// The sources as the job's owner may read them back.
    pub fn redacted_input(&self) -> Value {
        source::redact(&self.input)
    }

    /// The options as the job's owner may read them back. `definition`: of the request's tool.
    pub fn redacted_options(&self, definition: &Definition) -> Value {
        definition.redact_options(&self.options)
    }

    /// The sources of the job's documents, in request order.
    pub fn sources(&self) -> Vec<Source> {
        source::sources(&self.input)
    }

    /// Whether it contains passwords or credentials, which must not outlive the job anywhere, including table backups. The query
    /// of a URL may be one: signed links have their signature there.
    pub fn carries_credentials(&self, catalogue: &Catalogue) -> bool {
        let hides = |tool: &str, options: &Map<String, Value>| {
            let secrets = catalogue.find(tool).map(|tool| &tool.definition.secrets.values);
            secrets.is_some_and(|names| names.iter().any(|name| options.contains_key(name)))
        };
        hides(&self.tool, &self.options)
            || self.then.iter().any(|step| hides(&step.tool, &step.options))
            || self.sources().iter().any(Source::carries_credentials)
            || self.output.put_url.as_deref().is_some_and(source::hides_part)
            || !self.output.put_headers.is_empty()
    }

    /// The file name that the client wants: `output.filename`, or its alias among the options.
    pub fn filename(&self) -> Option<&str> {
        self.output.filename.as_deref().or_else(|| self.option_str("filename"))
    }

    /// An option of the first tool that is a text.
    pub fn option_str(&self, name: &str) -> Option<&str> {
        self.options.get(name).and_then(Value::as_str)
    }
}

/// A request's canonical form as JSON, secrets included: only for the worker.
pub struct CanonicalText(String);

impl CanonicalText {
    /// SHA-256, equal for equivalent requests.
    pub fn fingerprint(&self) -> String {
        sha256_hex(self.0.as_bytes())
    }

    /// The JSON with its secrets: only for storing it encrypted, or out of the table.
    pub fn reveal(self) -> String {
        self.0
    }
}

impl std::fmt::Debug for CanonicalText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CanonicalText(..)")
    }
}

/// DynamoDB can't store numbers closer to zero than 1e-130. The schemas limit numbers from above, and such a small length means
/// zero.
fn round_to_storable(value: &mut Value) {
    if value.as_f64().is_some_and(|number| number.abs() < 1e-100) {
        *value = json!(0);
    }
}

/// A member of the body, which the schema has checked. What the schema admits and its type does not is refused, never left out.
fn member<T: DeserializeOwned>(body: &Map<String, Value>, name: &str) -> Result<Option<T>, Vec<Breach>> {
    let read = body.get(name).map(T::deserialize).transpose();
    read.map_err(|_: serde_json::Error| vec![Breach::new(format!("/{name}"), "has a member of the wrong type")])
}

fn string_pairs(object: &Map<String, Value>) -> BTreeMap<String, String> {
    object.iter().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn schema_of(definition: &Definition, section: Section) -> Option<&Map<String, Value>> {
    definition.parameters.pointer(&format!("/properties/{}/properties", section.as_str()))?.as_object()
}

fn known_properties(definition: &Definition, body: &Map<String, Value>, section: Section) -> Map<String, Value> {
    let (Some(schema), Some(given)) =
        (schema_of(definition, section), body.get(section.as_str()).and_then(Value::as_object))
    else {
        return Map::new();
    };
    given
        .iter()
        .filter(|(name, _)| schema.contains_key(*name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
