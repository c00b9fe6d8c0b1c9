//! A page for each `error.code` of responses and failed jobs.

use docmill_domain::catalogue::Catalogue;
use docmill_look::code::copyable_code;
use docmill_look::highlight::Syntax;
use maud::{Markup, html};
use serde_json::Value;

use crate::article::{Article, Links};
use crate::error_code::{self, Code};
use crate::guide;

/// What to do about each code: Markdown with the codes as headings.
const HELP: &str = include_str!("../guides/error-help.md");

pub fn help(name: &str) -> Option<&'static str> {
    let (_, rest) = HELP.split_once(&format!("## {name}\n"))?;
    Some(rest.split("\n## ").next().unwrap_or(rest).trim())
}

/// The meaning of a code in the guide's tables.
pub fn meaning(name: &str) -> Option<&'static str> {
    let errors = guide::GUIDES.iter().find(|guide| guide.slug == "errors")?;
    let row = errors.text().lines().find(|line| line.contains(&format!("| `{name}` |")))?;
    row.split_once(&format!("`{name}` | "))?.1.split(" | ").next().map(|cell| cell.trim_end_matches(" |"))
}

pub fn article(name: &str, catalogue: &Catalogue, description: &Value, links: &Links) -> Option<Article> {
    let code = error_code::find(name)?;
    let meaning = meaning(name).unwrap_or_default();
    let body = html! {
        p.lead { (sentence(meaning)) }
        (facts(code))
        h2 { "What to do" }
        (guide::render(help(name).unwrap_or(meaning), catalogue, links).0)
        @if code.response.is_some() { (response(name, description)) }
    };
    Some(Article {
        summary: sentence(&meaning.replace('`', "")).into_string(),
        ..Article::new(name, (body, Vec::new()))
    })
}

fn facts(code: Code) -> Markup {
    html! {
        dl.figures {
            @if let Some(response) = code.response { div { dt { "HTTP status" } dd { (response.status().as_u16()) } } }
            @if let Some(job) = code.job { div { dt { "Retry a failed job?" } dd { @if job.is_retryable() { "yes" } @else { "no" } } } }
            div { dt { "Where" } dd { @match (code.response, code.job) {
                (Some(_), Some(_)) => "responses and failed jobs",
                (None, Some(_)) => "failed jobs",
                (Some(_), None) | (None, None) => "responses",
            } } }
        }
    }
}

fn response(name: &str, description: &Value) -> Markup {
    let example = &description["components"]["examples"][name]["value"];
    html! { @if !example.is_null() { h2 { "Response" } (copyable_code("response", Syntax::Json, &format!("{example:#}"))) } }
}

/// A clause of a table as a sentence.
fn sentence(text: &str) -> Markup {
    let mut letters = text.chars();
    let text: String = letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect());
    docmill_look::schema::prose(&format!("{}.", text.trim_end_matches('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_meaning_and_help() {
        for name in error_code::all() {
            assert!(
                meaning(name).is_some_and(|text| text.len() > 10),
                "{name} is not in the tables of guides/errors.md"
            );
            assert!(help(name).is_some_and(|text| text.len() > 20), "{name} has no section in guides/error-help.md");
        }
        for heading in HELP.lines().filter_map(|line| line.strip_prefix("## ")) {
            assert!(error_code::find(heading).is_some(), "{heading} is not an error code");
        }
    }
}
