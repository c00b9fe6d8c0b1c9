//! Turns a message into a page with its headers, body and attachments. Reads MIME (`eml`) and Outlook's files (`msg`).
//!
//! The page can't run scripts, and the body can't affect the rest of the page: its HTML is cleaned, put into a shadow tree, and
//! restricted by a policy that loads nothing remote unless allowed.

#![warn(missing_docs, clippy::missing_errors_doc)]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod clean;
mod eml;
mod msg;
mod names;
mod page;
mod pictures;
mod rtf;
mod words;

use std::sync::Arc;

pub use names::Names;
pub use page::{Page, render};

/// The format of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageFormat {
    /// MIME, as in RFC 5322.
    Eml,
    /// Outlook's, a compound file.
    Msg,
}

/// The file is not a message, or is damaged.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(&'static str);

/// A message of any format.
#[derive(Debug, Default)]
pub struct Email {
    /// Who wrote to whom, when and about what.
    pub headers: Headers,
    /// In order. Most messages have one.
    pub bodies: Vec<Body>,
    /// Attachments, and pictures that bodies refer to.
    pub files: Arc<Vec<File>>,
    /// The text is in an encrypted or signed envelope.
    pub is_enclosed: bool,
    /// Parts of it could not be read.
    pub is_damaged: bool,
}

/// Headers that are printed above a message. People are `Name <address>`.
#[derive(Debug, Default)]
pub struct Headers {
    /// The authors.
    pub from: Vec<String>,
    /// The recipients.
    pub to: Vec<String>,
    /// Who gets a copy.
    pub cc: Vec<String>,
    /// Who gets a copy that the others do not see.
    pub bcc: Vec<String>,
    /// When it was sent, as RFC 5322 writes it.
    pub date: Option<String>,
    /// The subject, decoded.
    pub subject: Option<String>,
}

/// A part of what a message says.
#[derive(Debug)]
pub enum Body {
    /// A page or a piece of one, not cleaned yet.
    Html(String),
    /// Plain text.
    Text(String),
    /// A picture between texts, by its index in the files.
    Picture(usize),
}

/// A file in a message.
#[derive(Debug, Default)]
pub struct File {
    /// As in the message.
    pub name: Option<String>,
    /// For example `image/png`, in lower case.
    pub media_type: Option<String>,
    /// The target of `cid:` references, without angle brackets.
    pub content_id: Option<String>,
    /// The address that bodies use to refer to it.
    pub location: Option<String>,
    /// Decoded.
    pub bytes: Vec<u8>,
}

impl Email {
    /// Reads a message.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are no message of this format. What is damaged in one is left out.
    pub fn read(bytes: &[u8], format: MessageFormat) -> Result<Self, Unreadable> {
        match format {
            MessageFormat::Eml => eml::read(bytes),
            MessageFormat::Msg => msg::read(bytes),
        }
    }

    /// The file that a body refers to by `cid:` or by its address, by its index.
    pub fn referred(&self, reference: &str) -> Option<usize> {
        let is_referred = |file: &File| match reference.get(..4).filter(|start| start.eq_ignore_ascii_case("cid:")) {
            Some(_) => {
                let id = reference.get(4..).unwrap_or_default();
                file.content_id.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(id))
            }
            None => file.location.as_deref() == Some(reference),
        };
        self.files.iter().position(is_referred)
    }

    /// A page or text without headers, for attachments that are printed.
    pub fn of_body(body: Body) -> Self {
        Self { bodies: vec![body], ..Self::default() }
    }
}

/// Longest displayed header in characters.
const LONGEST_LINE: usize = 1_000;

/// Bytes decoded with the most likely encoding.
fn guess(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Deny).decode(bytes).0.into_owned()
}

/// A header's text on one line, without control characters and changes of text direction.
fn one_line(text: &str) -> String {
    let words = text.split(|character: char| character.is_whitespace() || character.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let line = words.join(" ").replace(names::is_direction, "");
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}\u{2026}", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// `Name <address>`, or the part that exists.
fn person(name: Option<&str>, address: Option<&str>) -> Option<String> {
    let (name, address) = (one_line(name.unwrap_or_default()), one_line(address.unwrap_or_default()));
    match (name.is_empty(), address.is_empty()) {
        (true, true) => None,
        (true, false) => Some(address),
        (false, true) => Some(name),
        (false, false) if name == address => Some(address),
        (false, false) => Some(format!("{name} <{address}>")),
    }
}

#[cfg(test)]
mod tests;
