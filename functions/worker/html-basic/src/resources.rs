//! Fetches a page's resources through the guard and embeds them as data URLs, so that rendering needs neither network nor files.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use docmill_domain::job::{JobErrorCode, Warning};
use docmill_engine::Failure;
use docmill_fetch::{Caps, Fetcher, Resource};
use docmill_sniff::charset;
use futures_util::StreamExt as _;
use futures_util::stream;
use tokio::time::Instant;
use url::Url;

use super::css::{self, Findings};
use super::parts::{Base, Kind, Part};

const MOST_RESOURCES: usize = 100;
const MOST_BYTES: u64 = 20 << 20;
const AT_ONCE: usize = 8;
/// Most levels of stylesheets that import stylesheets.
const DEEPEST_IMPORT: u32 = 4;
/// Largest page. A resource is repeated for every reference to it.
const MOST_OUTPUT_BYTES: usize = 64 << 20;
const MOST_HOSTS: usize = 50;

/// Fetched and failed resources of a page.
#[derive(Debug, Default)]
pub(super) struct Resources {
    fetched: HashMap<(Url, Kind), Fetched>,
    pub(super) findings: Findings,
    /// The reason for each host.
    failed: BTreeMap<String, String>,
    blocked: BTreeSet<String>,
    over_limit: bool,
    bytes: u64,
}

#[derive(Debug)]
enum Fetched {
    Stylesheet(Vec<Part>),
    DataUrl(String),
    Missing,
}

impl Resources {
    /// Fetches everything that `page` refers to, and what its stylesheets refer to.
    pub(super) async fn fetch(fetcher: &Fetcher, page: &[Part], redirects: u32, deadline: Instant) -> Self {
        let mut resources = Self::default();
        let mut wanted = resources.unknown(page);
        for _ in 0..=DEEPEST_IMPORT {
            if wanted.is_empty() {
                break;
            }
            let caps = Caps { bytes: MOST_BYTES - resources.bytes, redirects, deadline };
            let mut answers = stream::iter(wanted)
                .map(|(url, kind)| async move {
                    let answer = fetcher.fetch_bytes(&url, caps).await;
                    (url, kind, answer)
                })
                .buffered(AT_ONCE);
            let mut next = Vec::new();
            while let Some((url, kind, answer)) = answers.next().await {
                let fetched = resources.take_in(&url, kind, answer);
                if let Fetched::Stylesheet(parts) = &fetched {
                    next.extend_from_slice(parts);
                }
                resources.fetched.insert((url, kind), fetched);
            }
            wanted = resources.unknown(&next);
        }
        resources
    }

    /// References in `parts` that were not requested yet, up to the limit.
    fn unknown(&mut self, parts: &[Part]) -> Vec<(Url, Kind)> {
        let mut wanted: Vec<(Url, Kind)> = Vec::new();
        for part in parts {
            let Part::Reference { url, kind, .. } = part else { continue };
            let key = (url.clone(), *kind);
            if self.fetched.contains_key(&key) || wanted.contains(&key) {
                continue;
            }
            if self.fetched.len() + wanted.len() >= MOST_RESOURCES {
                self.over_limit = true;
                break;
            }
            wanted.push(key);
        }
        wanted
    }

    fn take_in(&mut self, url: &Url, kind: Kind, answer: Result<Resource, Failure>) -> Fetched {
        let resource = match answer {
            Ok(resource) => resource,
            Err(failure) => {
                self.note_failure(url, &failure);
                return Fetched::Missing;
            }
        };
        self.bytes += resource.bytes.len() as u64;
        if self.bytes > MOST_BYTES {
            self.bytes = MOST_BYTES;
            self.over_limit = true;
            return Fetched::Missing;
        }
        match kind {
            Kind::Stylesheet => {
                let text = charset::decode(&resource.bytes, resource.content_type.as_deref());
                let mut base = Base::new(Some(resource.url));
                Fetched::Stylesheet(css::dissect(&text, &mut base, &mut self.findings))
            }
            Kind::Asset => Fetched::DataUrl(data_url(media_type(&resource), &resource.bytes)),
        }
    }

    fn note_failure(&mut self, url: &Url, failure: &Failure) {
        let host = url.host_str().unwrap_or_default().to_owned();
        if self.blocked.len() + self.failed.len() >= MOST_HOSTS {
            return;
        }
        match failure.code {
            JobErrorCode::SourceForbidden => {
                self.blocked.insert(host);
            }
            JobErrorCode::SourceTooLarge => self.over_limit = true,
            JobErrorCode::SourceUnreachable
            | JobErrorCode::SourceTimeout
            | JobErrorCode::UnsupportedFormat
            | JobErrorCode::CorruptDocument
            | JobErrorCode::PasswordRequired
            | JobErrorCode::WrongPassword
            | JobErrorCode::PageLimitExceeded
            | JobErrorCode::RenderFailed
            | JobErrorCode::RedactionIncomplete
            | JobErrorCode::DocumentSigned
            | JobErrorCode::SigningFailed
            | JobErrorCode::InvalidSignatureKey
            | JobErrorCode::TemplateError
            | JobErrorCode::ConversionTimeout
            | JobErrorCode::EngineCrashed
            | JobErrorCode::SourceJobFailed
            | JobErrorCode::DeliveryFailed
            | JobErrorCode::Internal => {
                self.failed.entry(host).or_insert_with(|| failure.code.as_str().to_owned());
            }
        }
    }

    /// The page with all fetched resources.
    pub(super) fn fill(&mut self, page: &[Part]) -> String {
        let mut filled = String::new();
        let complete = self.write(page, 0, &mut filled);
        self.over_limit |= !complete;
        filled
    }

    /// Returns whether everything fitted.
    fn write(&self, parts: &[Part], depth: u32, into: &mut String) -> bool {
        let mut complete = true;
        for part in parts {
            let (url, kind, written, form) = match part {
                Part::Text(text) => {
                    into.push_str(text);
                    continue;
                }
                Part::Reference { url, kind, written, form } => (url, *kind, written, form),
            };
            let data_url = if into.len() < MOST_OUTPUT_BYTES { self.data_url(url, kind, depth) } else { None };
            complete &= into.len() < MOST_OUTPUT_BYTES;
            match data_url {
                Some(data_url) => form.write(&data_url, into),
                None => into.push_str(written),
            }
        }
        complete
    }

    fn data_url(&self, url: &Url, kind: Kind, depth: u32) -> Option<String> {
        match self.fetched.get(&(url.clone(), kind))? {
            Fetched::DataUrl(data_url) => Some(data_url.clone()),
            // Stylesheets may import each other in a circle.
            Fetched::Stylesheet(_) if depth > DEEPEST_IMPORT => None,
            Fetched::Stylesheet(parts) => {
                let mut css = String::new();
                self.write(parts, depth + 1, &mut css);
                Some(data_url("text/css", css.as_bytes()))
            }
            Fetched::Missing => None,
        }
    }

    pub(super) fn warnings(&self) -> Vec<Warning> {
        let blocked = self.blocked.iter().map(|host| {
            Warning::new("resource_blocked", "The page requested an address that the service does not fetch from.")
                .with_detail(host)
        });
        let failed = self.failed.iter().map(|(host, reason)| {
            Warning::new("resource_failed", "The page requested something that could not be loaded.")
                .with_detail(format!("{host}: {reason}"))
        });
        let limit = self.over_limit.then(|| {
            let message = format!(
                "The page asked for more than {MOST_RESOURCES} resources or {} MiB. Everything after that is missing.",
                MOST_BYTES >> 20
            );
            Warning::new("resource_limit", message)
        });
        blocked.chain(failed).chain(limit).collect()
    }
}

fn data_url(media_type: &str, bytes: &[u8]) -> String {
    format!("data:{media_type};base64,{}", BASE64.encode(bytes))
}

/// The server's media type, if a data URL can contain it unchanged.
fn media_type(resource: &Resource) -> &str {
    let given = resource.content_type.as_deref().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/+-.".contains(letter);
    if !given.is_empty() && given.chars().all(plain) { given } else { "application/octet-stream" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Form;

    fn reference(url: &str, kind: Kind, form: Form) -> Part {
        Part::Reference { url: url.parse().unwrap(), kind, written: format!("[{url}]"), form }
    }

    fn resources(fetched: Vec<(&str, Kind, Fetched)>) -> Resources {
        let fetched = fetched.into_iter().map(|(url, kind, fetched)| ((url.parse().unwrap(), kind), fetched)).collect();
        Resources { fetched, ..Resources::default() }
    }

    #[test]
    fn fetched_resources_are_embedded_and_missing_ones_stay_references() {
        let image = Fetched::DataUrl(data_url("image/png", b"png"));
        let inner = Part::Text("b{}".to_owned());
        let outer = vec![
            reference("http://a.test/2.css", Kind::Stylesheet, Form::CssUrl),
            reference("http://a.test/i.png", Kind::Asset, Form::CssUrl),
        ];
        let mut resources = resources(vec![
            ("http://a.test/i.png", Kind::Asset, image),
            ("http://a.test/1.css", Kind::Stylesheet, Fetched::Stylesheet(outer)),
            ("http://a.test/2.css", Kind::Stylesheet, Fetched::Stylesheet(vec![inner])),
            ("http://a.test/gone.png", Kind::Asset, Fetched::Missing),
        ]);
        let page = [
            Part::Text("<".to_owned()),
            reference("http://a.test/1.css", Kind::Stylesheet, Form::Value),
            reference("http://a.test/gone.png", Kind::Asset, Form::Value),
        ];
        let css = format!("url(data:text/css;base64,{})url(data:image/png;base64,cG5n)", BASE64.encode("b{}"));
        let expected = format!("<data:text/css;base64,{}[http://a.test/gone.png]", BASE64.encode(css));
        assert_eq!(resources.fill(&page), expected);
        assert!(!resources.over_limit);
    }

    #[test]
    fn stylesheets_that_import_each_other_end() {
        let itself = vec![
            reference("http://a.test/1.css", Kind::Stylesheet, Form::CssUrl),
            reference("http://a.test/1.css", Kind::Stylesheet, Form::CssUrl),
        ];
        let mut resources = resources(vec![("http://a.test/1.css", Kind::Stylesheet, Fetched::Stylesheet(itself))]);
        let page = [reference("http://a.test/1.css", Kind::Stylesheet, Form::Value)];
        assert!(resources.fill(&page).starts_with("data:text/css;base64,"));
    }

    #[test]
    fn only_plain_media_types_reach_the_page() {
        let resource = |content_type: &str| Resource {
            bytes: Vec::new(),
            content_type: Some(content_type.to_owned()),
            url: "http://a.test/".parse().unwrap(),
        };
        assert_eq!(media_type(&resource("image/svg+xml; charset=utf-8")), "image/svg+xml");
        assert_eq!(media_type(&resource("image/png\"><script>")), "application/octet-stream");
    }

    #[test]
    fn no_more_than_the_limit_is_asked_for() {
        let page: Vec<Part> =
            (0..150).map(|n| reference(&format!("http://a.test/{n}"), Kind::Asset, Form::Value)).collect();
        let mut resources = Resources::default();
        assert_eq!(resources.unknown(&page).len(), MOST_RESOURCES);
        assert_eq!(resources.warnings()[0].code, "resource_limit");
    }
}
