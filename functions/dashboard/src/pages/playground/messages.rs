//! A form's messages, each next to its field: errors, and notes about what a repeated job does not store.

use std::collections::BTreeMap;

use docmill_domain::catalogue::Tool;
use docmill_domain::intake::Sources;
use docmill_domain::tool::Definition;
use docmill_http::error::ApiError;

use super::body::field_of;
use crate::form::Field;

pub const EXPIRED_UPLOAD: &str = "This upload has expired. Choose the file again.";

/// Messages of a form by field; an empty name for the whole form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    errors: BTreeMap<String, String>,
    notes: BTreeMap<String, String>,
}

impl Messages {
    fn error(field: &str, message: &str) -> Self {
        Self { errors: BTreeMap::from([(field.to_owned(), message.to_owned())]), ..Self::default() }
    }

    pub fn by_form(message: &str) -> Self {
        Self::error("", message)
    }

    /// No value was given for the chosen kind of source.
    pub fn no_source(source: &str) -> Self {
        let (field, message) = match source {
            "sourceUrl" => ("sourceUrl", "Enter the URL of the document."),
            "url" => ("url", "Enter the URL of the page."),
            "html" => ("html", "Enter some HTML."),
            "markdown" => ("markdown", "Enter some Markdown."),
            "text" => ("text", "Enter some text."),
            "jobId" => ("jobId", "Choose a job."),
            _ => ("file", "Choose a file."),
        };
        Self::error(field, message)
    }

    /// The API's errors, each at its field. `steps` are the tools of the further steps.
    pub fn by_error(error: &ApiError, definition: &Definition, steps: &[Option<&Tool>]) -> Self {
        if error.details.is_empty() {
            return Self::by_form(&error.message);
        }
        let mut messages = Self::default();
        for breach in &error.details {
            let field = field_of(&breach.path, definition, steps);
            let message = if breach.path.ends_with("/sources") {
                how_many_files(&definition.sources)
            } else if breach.path.ends_with("/uploadId") {
                EXPIRED_UPLOAD.to_owned()
            } else {
                sentence(&breach.message)
            };
            messages.errors.entry(field).or_insert(message);
        }
        messages
    }

    /// Asks for a value that the repeated job does not store.
    pub fn ask(&mut self, field: String, message: &str) {
        self.notes.entry(field).or_insert_with(|| message.to_owned());
    }

    /// Whether the repeated job lacks something.
    pub fn asks(&self) -> bool {
        !self.notes.is_empty()
    }

    pub fn of(&self, field: &str) -> Option<&str> {
        self.errors.get(field).map(String::as_str)
    }

    pub fn note(&self, field: &str) -> Option<&str> {
        self.notes.get(field).map(String::as_str)
    }

    /// The field with its messages.
    pub fn at<'a>(&'a self, name: &str, field: Field<'a>) -> Field<'a> {
        field.error(self.of(name)).note(self.note(name))
    }

    /// Whether a field whose name has this start has a message.
    pub fn has_below(&self, start: &str) -> bool {
        self.errors.keys().chain(self.notes.keys()).any(|field| field.starts_with(start))
    }
}

fn how_many_files(sources: &Sources) -> String {
    let (least, most) = (sources.least, sources.most_files());
    if least == most { format!("Choose {least} files.") } else { format!("Choose {least} to {most} files.") }
}

/// `must be at most 5` becomes "Must be at most 5."
fn sentence(message: &str) -> String {
    let message = message.replace('`', "");
    let mut letters = message.chars();
    let text = letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect());
    if text.ends_with('.') { text } else { text + "." }
}
