//! A form's messages, each next to its field: errors, and notes about what a repeated job does not store.

use std::collections::BTreeMap;

use docmill_domain::catalogue::Tool;
use docmill_domain::intake::Sources;
use docmill_domain::tool::Definition;
use docmill_http::error::ApiError;
use docmill_site::form::{Field, FormData};

use super::body::field_of;
use super::options::{Control, controls};

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

    /// What is wrong with the JSON in the fields of these options. Their names begin with `scope`.
    pub fn of_json(&mut self, controls: &[Control], data: &FormData, scope: &str) {
        for control in controls {
            if let Some(mistake) = control.json_mistake(data) {
                self.errors.insert(format!("{scope}{}", control.field()), mistake);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.errors.is_empty() && self.notes.is_empty()
    }

    /// The API's errors, each at its field. `steps` are the tools of the further steps.
    pub fn by_error(error: &ApiError, definition: &Definition, steps: &[Option<&Tool>]) -> Self {
        if error.details.is_empty() {
            return Self::by_form(&error.message);
        }
        let mut messages = Self::default();
        for breach in &error.details {
            let controls = controls(owner(&breach.path, definition, steps));
            let field = match (field_of(&breach.path, definition, steps), named(&breach.message, &controls).next()) {
                (field, Some(option)) if field.is_empty() => option.field(),
                (field, _) => field,
            };
            let message = if breach.path.ends_with("/sources") {
                how_many_files(&definition.sources)
            } else if breach.path.ends_with("/uploadId") {
                EXPIRED_UPLOAD.to_owned()
            } else {
                sentence(&in_labels(&breach.message, &controls))
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

/// The tool whose options a breach at this path is about: the job's own, or that of a further step.
fn owner<'a>(path: &str, definition: &'a Definition, steps: &[Option<&'a Tool>]) -> &'a Definition {
    let step = path.strip_prefix("/then/").and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
    let tool = step.and_then(|number| steps.get(number).copied().flatten());
    tool.map_or(definition, |tool| &tool.definition)
}

/// The options that a message names, in its order.
fn named<'a>(message: &'a str, controls: &'a [Control]) -> impl Iterator<Item = &'a Control> {
    message.split('`').skip(1).step_by(2).filter_map(|name| controls.iter().find(|control| control.name == name))
}

/// The message with the labels of the form instead of the names of options.
fn in_labels(message: &str, controls: &[Control]) -> String {
    named(message, controls).fold(message.to_owned(), |text, control| {
        text.replace(&format!("`{}`", control.name), &format!("“{}”", control.label))
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::catalogue::Catalogue;
    use docmill_domain::request::JobRequest;
    use serde_json::json;

    #[test]
    fn json_that_is_broken_says_where() {
        let catalogue = Catalogue::load().unwrap();
        let definition = &catalogue.find("render-template").unwrap().definition;
        let data = FormData::of(&[("tool", "render-template"), ("option.data", "{\"customer\":\n\"Ada\"")]);
        let mut messages = Messages::default();
        messages.of_json(&controls(definition), &data, "");
        let expected = "This is not valid JSON: EOF while parsing an object at line 2 column 5.";
        assert_eq!(messages, Messages::error("option.data", expected));
    }

    #[test]
    fn what_is_missing_is_said_at_its_field_in_the_words_of_the_form() {
        let catalogue = Catalogue::load().unwrap();
        let rows = json!({"data": {"a": 1}, "filenamePattern": "{a}"});
        for (slug, options, field, message) in [
            ("redact-pdf", json!({}), "option.regions", "Give “Regions”, “Text” or both."),
            ("render-template", rows, "option.filenamePattern", "“Filename pattern” needs “Merge”."),
        ] {
            let tool = catalogue.find(slug).unwrap();
            let body = json!({"input": {"uploadId": "upl_1"}, "options": options});
            let breaches = JobRequest::parse(&catalogue, tool, body.as_object().unwrap()).unwrap_err();
            let about_options = breaches.into_iter().filter(|breach| breach.path.starts_with("/options")).collect();
            let error = ApiError::validation(about_options);
            assert_eq!(Messages::by_error(&error, &tool.definition, &[]), Messages::error(field, message), "{slug}");
        }
    }
}
