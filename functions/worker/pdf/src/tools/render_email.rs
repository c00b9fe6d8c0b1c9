//! The page that email-to-pdf prints, and the attachments. Not in the catalogue, since another engine prints the page.

use std::fs;

use docmill_formats::Format;
use docmill_mail::{Body, Email, MessageFormat, Page, render};
use docmill_pdf_extract::message;
use docmill_pdf_request::{Artifact, Failure, Outcome, Request, Warning};
use serde::Deserialize;
use serde_json::json;

use super::{only_source, options, stem};

const RESULT: &str = "page.html";

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    attachments: Attachments,
    allow_remote: bool,
}

/// How attachments are handled besides being listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Attachments {
    #[default]
    List,
    /// Both are written to files.
    Embed,
    Convert,
}

/// The first result is the page, the others are the attachments. The report has the PDF's metadata.
pub(super) fn run(request: &Request) -> Result<Outcome, Failure> {
    let Options { attachments, allow_remote } = options(request)?;
    let source = only_source(request)?;
    let bytes = fs::read(&source.path).map_err(|error| Failure::io(&error))?;
    let email = read(source.media, &bytes)?;
    drop(bytes);
    let name = stem(source.name.as_deref());
    let page = render(&email, allow_remote);
    fs::write(request.directory.join(RESULT), &page.html).map_err(|error| Failure::io(&error))?;
    let warnings = warnings(&email, &page);
    let mut artifacts = vec![artifact(RESULT.to_owned(), Format::Html, None)];
    let mut listed = Vec::with_capacity(page.attachments.len());
    for (number, (index, name)) in page.attachments.into_iter().enumerate() {
        let Some(attached) = email.files.get(index) else { continue };
        listed.push(json!({"name": name, "bytes": attached.bytes.len()}));
        if attachments != Attachments::List {
            let file = format!("attachment-{number}");
            fs::write(request.directory.join(&file), &attached.bytes).map_err(|error| Failure::io(&error))?;
            artifacts.push(artifact(file, Format::Other, Some(name)));
        }
    }
    let headers = email.headers;
    let report = json!({
        "title": headers.subject.or(name),
        "author": (!headers.from.is_empty()).then(|| headers.from.join(", ")),
        "attachments": listed,
    });
    Ok(Outcome { artifacts, report: Some(report), warnings })
}

fn artifact(file: String, media: Format, filename: Option<String>) -> Artifact {
    Artifact { filename, ..Artifact::new(file, media) }
}

fn read(format: Format, bytes: &[u8]) -> Result<Email, Failure> {
    let text = || String::from_utf8_lossy(bytes).into_owned();
    if format == Format::Eml {
        Email::read(bytes, MessageFormat::Eml).map_err(|error| message::unreadable(&error))
    } else if format == Format::Msg {
        Email::read(bytes, MessageFormat::Msg).map_err(|error| message::unreadable(&error))
    } else if format == Format::Html {
        // Attachments that are printed like a message's body.
        Ok(Email::of_body(Body::Html(text())))
    } else if matches!(format, Format::Txt | Format::Markdown) {
        Ok(Email::of_body(Body::Text(text())))
    } else {
        Err(Failure::internal(format!("{format:?} as a message")))
    }
}

fn warnings(email: &Email, page: &Page) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if page.blocked > 0 {
        warnings.push(Warning {
            detail: Some(page.blocked.to_string()),
            ..Warning::new(
                "remote_content_blocked",
                format!(
                    "{} not loaded. Set `allowRemote` to load them.",
                    counted(page.blocked, "remote picture or font was", "remote pictures or fonts were")
                ),
            )
        });
    }
    if page.omitted > 0 {
        let listed = page.attachments.len();
        let message = format!("The message has more than {listed} attachments. Only the first {listed} are listed.");
        warnings.push(Warning::new("attachments_omitted", message));
    }
    if page.missing > 0 {
        let message = format!(
            "{} that the message refers to could not be found in it.",
            counted(page.missing as usize, "picture", "pictures")
        );
        warnings.push(Warning::new("picture_missing", message));
    }
    if page.too_large > 0 {
        let pictures = counted(page.too_large as usize, "picture", "pictures");
        let message = format!("The page has no room for {pictures}. Look for what is left out among the attachments.");
        warnings.push(Warning::new("picture_too_large", message));
    }
    warnings.extend(message::warnings(email));
    warnings
}

fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
