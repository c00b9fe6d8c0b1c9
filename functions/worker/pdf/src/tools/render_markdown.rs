//! Makes the HTML page of markdown-to-pdf, which another engine prints.

use docmill_formats::Format;
use docmill_markdown::{Look, Theme};
use docmill_pdf_request::{Artifact, Failure, Outcome, Request, Warning};
use serde::Deserialize;
use serde_json::json;

use super::{only_source, options, stem};

const RESULT: &str = "page.html";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Options {
    theme: Theme,
    css: Option<String>,
    toc: bool,
}

/// The report has the front matter.
pub(super) fn run(request: &Request) -> Result<Outcome, Failure> {
    let Options { theme, css, toc } = options(request)?;
    let source = only_source(request)?;
    let text = std::fs::read_to_string(&source.path).map_err(|error| Failure::io(&error))?;
    let name = stem(source.name.as_deref());
    let look = Look { theme, css: css.as_deref(), contents: toc, base: source.base.as_deref(), name: name.as_deref() };
    let page = docmill_markdown::render(&text, look)
        .map_err(|_| Failure::internal("Markdown could not be written as HTML"))?;
    std::fs::write(request.directory.join(RESULT), &page.html).map_err(|error| Failure::io(&error))?;
    let warning = page.unreadable_front_matter.then(|| {
        Warning::new(
            "front_matter_unreadable",
            "The front matter is not YAML, so it is printed as text. Check its quotation marks and indentation.",
        )
    });
    let html = Artifact::new(RESULT, Format::Html);
    Ok(Outcome {
        artifacts: vec![html],
        report: Some(json!(page.front_matter)),
        warnings: warning.into_iter().collect(),
    })
}
