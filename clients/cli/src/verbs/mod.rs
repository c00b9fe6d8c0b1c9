//! What a command does besides converting.

pub mod batches;
mod card;
pub mod events;
pub mod fonts;
pub mod jobs;
pub mod listen;
pub mod login;
pub mod manual;
pub mod mcp;
pub mod pipeline;
pub mod receipts;
pub mod templates;
pub mod tools;
pub mod usage;
pub mod watch;
pub mod webhooks;

use docmill_domain::template::TemplateName;
use serde_json::Value;

use crate::api::Api;
use crate::args::Globals;
use crate::config;
use crate::failure::{Failure, Outcome};
use crate::report;

/// The API with the key of this command.
fn api(globals: &Globals) -> Outcome<Api> {
    if globals.local {
        return Err(Failure::usage("--local is only for converting: this needs a service."));
    }
    Api::new(config::access(globals.url.as_deref())?)
}

/// Prints an object of the API as a line of JSON.
fn print_json(kind: &str, value: &Value) {
    let mut line = serde_json::Map::new();
    line.insert("type".to_owned(), kind.into());
    line.insert(kind.to_owned(), value.clone());
    report::to_stdout(&Value::Object(line).to_string());
}

/// A text member of an object, or nothing.
fn text(value: &Value, name: &str) -> String {
    let member = &value[name];
    if member.is_null() { String::new() } else { crate::args::value::plain(member) }
}

/// An id as part of a path. Anything else could address another resource.
fn id(text: &str) -> Outcome<&str> {
    let is_id = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_id { Ok(text) } else { Err(Failure::usage(format!("{text:?} is not an id."))) }
}

/// A template's name as part of a path. Anything else could address another resource.
fn template(text: &str) -> Outcome<TemplateName> {
    TemplateName::parse(text).ok_or_else(|| Failure::usage(format!("{text:?} is not a template's name.")))
}

/// Header and rows.
fn with_header(header: &[&str], rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    std::iter::once(header.iter().map(|name| (*name).to_owned()).collect()).chain(rows).collect()
}
