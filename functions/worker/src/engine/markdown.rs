//! Markdown to PDF: a confined child turns it into a page, the browser prints the page, and the front matter becomes the PDF's
//! metadata.

use std::sync::Arc;

use async_trait::async_trait;
use docmill_pdf::Media;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::{call, room};
use super::page::read_page;
use super::{Artifact, Conversion, Engine, Failure, Source, Task};
use crate::checker;

/// Slugs of calls to other engines.
const RENDER: &str = "render-markdown";
const PRINT: &str = "html-to-pdf";
const DESCRIBE: &str = "edit-metadata";

/// Defaults that differ from html-to-pdf.
const MARGIN: &str = "20mm";
const MARGINS: [&str; 4] = ["marginTop", "marginRight", "marginBottom", "marginLeft"];

pub struct MarkdownToPdf {
    tools: Arc<dyn Engine>,
    browser: Arc<dyn Engine>,
}

impl std::fmt::Debug for MarkdownToPdf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MarkdownToPdf").finish_non_exhaustive()
    }
}

impl MarkdownToPdf {
    /// `tools`: the PDF tools; `browser`: prints pages.
    pub fn new(tools: Arc<dyn Engine>, browser: Arc<dyn Engine>) -> Self {
        Self { tools, browser }
    }
}

#[async_trait]
impl Engine for MarkdownToPdf {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let source = task.source()?.clone();
        let rendered = call(&*self.tools, RENDER, vec![source], task.options, &room(&task, "page")?, &task).await?;
        let page = Source::html(read_page(rendered.path())?);
        let options = page_options(task.options);
        let printed = call(&*self.browser, PRINT, vec![page], &options, &room(&task, "print")?, &task).await?;
        let described = Described::read(rendered.report.as_ref());
        let pdf = Source::File(checker::file(printed.path().to_owned(), Media::Pdf, None));
        let mut warnings = rendered.warnings;
        warnings.extend(printed.warnings);
        let printed = Conversion { warnings, ..printed };
        let Some(entries) = described.entries() else { return Ok(printed) };
        let set = json!({"set": entries});
        let described = call(&*self.tools, DESCRIBE, vec![pdf], &set, &room(&task, "metadata")?, &task).await?;
        let artifacts = described.artifacts.into_iter().map(|artifact| Artifact { filename: None, ..artifact });
        Ok(Conversion { artifacts: artifacts.collect(), ..printed })
    }

    async fn get_ready(&self) {
        self.browser.get_ready().await;
    }
}

/// Options of the page: those of html-to-pdf, with defaults for documents.
fn page_options(options: &Value) -> Value {
    let mut page = Map::new();
    page.insert("outline".into(), json!(options["tagged"] != false));
    page.extend(MARGINS.map(|margin| (margin.to_owned(), json!(MARGIN))));
    page.extend(options.as_object().cloned().unwrap_or_default());
    Value::Object(page)
}

/// The front matter's metadata.
#[derive(Debug, Default, Deserialize)]
struct Described {
    title: Option<String>,
    author: Option<String>,
    subject: Option<String>,
    keywords: Option<String>,
    date: Option<String>,
}

impl Described {
    fn read(report: Option<&Value>) -> Self {
        report.and_then(|report| Self::deserialize(report).ok()).unwrap_or_default()
    }

    /// The metadata to set. `None` if there is only the page's title, which the browser sets.
    fn entries(&self) -> Option<Value> {
        let Self { title, author, subject, keywords, date } = self;
        let others = [("author", author), ("subject", subject), ("keywords", keywords)];
        if others.iter().all(|(_, value)| value.is_none()) && date.is_none() {
            return None;
        }
        let mut entries: Map<String, Value> = others
            .into_iter()
            .chain([("title", title)])
            .filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))))
            .collect();
        if let Some(date) = date {
            entries.insert("custom".into(), json!({"Date": date}));
        }
        Some(Value::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_document_margins_and_bookmarks_by_default() {
        let page = page_options(&json!({"marginLeft": 12, "css": "x"}));
        assert_eq!(
            (&page["marginTop"], &page["marginLeft"], &page["outline"]),
            (&json!("20mm"), &json!(12), &json!(true))
        );
        assert_eq!(page_options(&json!({"tagged": false}))["outline"], json!(false));
        assert_eq!(page_options(&Value::Null)["marginRight"], json!("20mm"));
    }

    #[test]
    fn the_browser_sets_the_title_if_there_is_nothing_else() {
        let read = |report: Value| Described::read(Some(&report)).entries();
        assert_eq!(read(json!({"title": "T"})), None);
        assert_eq!(
            read(json!({"title": "T", "author": "A", "date": "2026"})),
            Some(json!({"author": "A", "title": "T", "custom": {"Date": "2026"}}))
        );
    }
}
