//! The steps of a job's chain: each tool with its options, duration and warnings.

use docmill_domain::job::{Job, StepRun};
use docmill_site::label;
use docmill_site::parts::{millis, prose};
use docmill_site::state::AppState;
use maud::{Markup, html};
use serde_json::Value;

use super::table::tool_names;
use crate::pages::playground::options::plain;

/// Nothing for a job of one tool.
pub(super) fn show(state: &AppState, job: &Job) -> Markup {
    if job.request.then.is_empty() {
        return html! {};
    }
    let names = tool_names(state, job);
    let options = std::iter::once(&job.request.options).chain(job.request.then.iter().map(|step| &step["options"]));
    html! {
        section.card aria-labelledby="steps" {
            h2 #steps { "Steps" }
            ol.chain { @for (number, (name, options)) in names.iter().zip(options).enumerate() {
                li { (step(name, options, job.result.steps.get(number))) }
            } }
        }
    }
}

fn step(name: &str, options: &Value, run: Option<&StepRun>) -> Markup {
    html! {
        p {
            strong { (name) }
            @if let Some(run) = run { " " span.muted { (millis(run.duration_ms)) ", " (run.engine.name) " " (run.engine.version) } }
        }
        @if let Some(options) = options.as_object().filter(|options| !options.is_empty()) {
            p.muted { @for (index, (option, value)) in options.iter().enumerate() {
                @if index > 0 { ", " }
                (label::of(option)) ": " (brief(value))
            } }
        }
        @if let Some(run) = run.filter(|run| !run.warnings.is_empty()) {
            ul { @for warning in &run.warnings { li { (prose(&warning.message)) } } }
        }
    }
}

/// Long values are shortened: the request below has them in full.
fn brief(value: &Value) -> String {
    match value {
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            format!("{} {}", items.len(), if items.len() == 1 { "entry" } else { "entries" })
        }
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Object(members) if members.values().all(|member| !member.is_object() && !member.is_array()) => {
            let members =
                members.iter().map(|(name, member)| format!("{} {}", label::of(name).to_lowercase(), brief(member)));
            members.collect::<Vec<_>>().join(", ")
        }
        Value::Object(_) => "set".to_owned(),
        Value::Null | Value::Number(_) | Value::String(_) => plain(value),
    }
}
