//! A form's messages, each next to its field.

use std::collections::BTreeMap;

use docmill::domain::intake::Sources;
use docmill::domain::tool::Definition;
use docmill::http::error::ApiError;

use super::body::field_of;

pub const EXPIRED_UPLOAD: &str = "This upload has expired. Choose the file again.";

/// The message about the repeated request. No field has this name.
const REQUEST: &str = "request";
const NOT_STORED: &str =
    "Secrets and contents of a job are not stored. Enter those that are marked below again before you convert.";

/// Errors of a form by field; an empty name for the whole form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told(BTreeMap<String, String>);

impl Told {
    pub fn by_form(message: &str) -> Self {
        Self(BTreeMap::from([(String::new(), message.to_owned())]))
    }

    /// No value was given for the chosen kind of source.
    pub fn no_source(source: &str) -> Self {
        let (field, message) = match source {
            "sourceUrl" => ("sourceUrl", "Enter the URL of the document."),
            "url" => ("url", "Enter the URL of the page."),
            "html" => ("html", "Enter some HTML."),
            "markdown" => ("markdown", "Enter some Markdown."),
            "text" => ("text", "Enter some text."),
            _ => ("file", "Choose a file."),
        };
        Self(BTreeMap::from([(field.to_owned(), message.to_owned())]))
    }

    /// The API's errors, each at its field.
    pub fn by_error(error: &ApiError, definition: &Definition) -> Self {
        if error.details.is_empty() {
            return Self::by_form(&error.message);
        }
        let mut told = Self::default();
        for breach in &error.details {
            let field = field_of(&breach.path, definition);
            let message = if breach.path.ends_with("/sources") {
                how_many_files(&definition.sources)
            } else if field == "file" {
                EXPIRED_UPLOAD.to_owned()
            } else {
                sentence(&breach.message)
            };
            told.0.entry(field).or_insert(message);
        }
        told
    }

    /// Asks for a value that the repeated job does not store.
    pub fn ask(&mut self, field: String, message: &str) {
        self.0.entry(field).or_insert_with(|| message.to_owned());
        self.0.entry(REQUEST.to_owned()).or_insert_with(|| NOT_STORED.to_owned());
    }

    /// The form's message about a repeated job.
    pub fn request(&self) -> Option<&str> {
        self.of(REQUEST)
    }

    pub fn of(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(String::as_str)
    }

    pub fn has_options(&self) -> bool {
        self.0.keys().any(|field| field.starts_with("option."))
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
