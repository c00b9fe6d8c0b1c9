//! Whether a tagged document is PDF/UA-1. What this crate makes is so by construction; the rest is looked at here. What is not known
//! counts as broken: a document only says that it is PDF/UA if nothing was found.

use std::collections::BTreeMap;

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_pdfa::Verdict;
use lopdf::{Document, Object};
use serde::Serialize;

use super::Tagged;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The clause of ISO 14289-1, and the number of the test in veraPDF's profile.
    pub rule: String,
    /// What is wrong, and what to do.
    pub message: String,
    /// From 1. Empty: it is about the whole document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<u32>,
}

impl Finding {
    fn new(rule: &str, message: &str) -> Self {
        Self { rule: rule.to_owned(), message: message.to_owned(), pages: Vec::new() }
    }

    fn on(self, pages: impl IntoIterator<Item = u32>) -> Self {
        let mut pages: Vec<u32> = pages.into_iter().collect();
        pages.dedup();
        Self { pages, ..self }
    }
}

/// What is known of a document's fonts.
pub(super) struct Fonts {
    pub(super) verdict: Verdict,
    /// All characters that are shown are known.
    pub(super) have_characters: bool,
}

/// What is broken in a document that was tagged here.
pub(super) fn check(document: &Document, tagged: &Tagged, undescribed: &[u32], fonts: &Fonts) -> Vec<Finding> {
    let mut found = Vec::new();
    if !tagged.undescribed.is_empty() {
        let message = "Figures have no alternative text. Send one for each in `alternativeTexts`.";
        found.push(Finding::new("7.3-1", message).on(tagged.undescribed.iter().map(|place| place.page)));
    }
    if tagged.language.is_none() {
        found.push(Finding::new("7.2-34", "The language is not known. Send it in `language`."));
    }
    if tagged.title.is_none() {
        found.push(Finding::new("7.1-9", "The document has no title. Send it in `title`."));
    }
    if !tagged.unread.is_empty() {
        let message = "The content of pages can't be read, and is not tagged.";
        found.push(Finding::new("7.1-3", message).on(tagged.unread.iter().copied()));
    }
    if !undescribed.is_empty() {
        let message =
            "Links, notes or fields have no description. Give them one in the program that made the document.";
        found.push(Finding::new("7.18.1-2", message).on(undescribed.iter().copied()));
    }
    found.extend(fonts.verdict.broken().map(|(clause, message)| {
        // Both standards say the same of fonts.
        Finding::new(&clause.replace("6.2.11", "7.21"), message)
    }));
    if !fonts.have_characters {
        let message = "A font does not say which characters it shows, so they can't be read out or copied.";
        found.push(Finding::new("7.21.7-1", message));
    }
    found.extend(objects(document));
    found
}

/// What objects are not allowed.
fn objects(document: &Document) -> Vec<Finding> {
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    for object in document.objects.values() {
        let entries = match object {
            Object::Dictionary(entries) => entries,
            Object::Stream(stream) => &stream.dict,
            Object::Null
            | Object::Boolean(_)
            | Object::Integer(_)
            | Object::Real(_)
            | Object::Name(_)
            | Object::String(..)
            | Object::Array(_)
            | Object::Reference(_) => continue,
        };
        if document.name(entries, b"Subtype") == Some(b"Form") && entries.has(b"Ref") {
            found.insert("7.20-1", "A part of a page is in another file.");
        }
        if document.name(entries, b"Subtype") == Some(b"TrapNet") {
            found.insert("7.18.2-1", "A page has trapping for printers as an annotation.");
        }
        if document.name(entries, b"S") == Some(b"MCD") && !(entries.has(b"CT") && entries.has(b"Alt")) {
            found.insert("7.18.6.2-1", "Media have no type or no alternative text.");
        }
        if entries.has(b"XFA") {
            found.insert("7.15-1", "The form is an XFA form.");
        }
    }
    found.into_iter().map(|(rule, message)| Finding::new(rule, message)).collect()
}
