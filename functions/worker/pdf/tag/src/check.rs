//! Whether a tagged document is PDF/UA-1: by the rules of `check-accessibility`, and by what was found while its fonts were mended. What is
//! not known counts as broken: a document only says that it is PDF/UA if nothing was found.

use docmill_pdf_accessibility::{File, Rule};
use docmill_pdf_pdfa::Verdict;
use lopdf::{Document, ObjectId};
use serde::Serialize;

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

/// What is broken, besides that the document does not say yet that it is PDF/UA.
pub(super) fn check(document: &Document, pages: &[ObjectId], fonts: &Verdict) -> Vec<Finding> {
    // The result is written as PDF 1.7 at least, and without protection.
    let file = File { version: "1.7", permissions: None };
    let report = docmill_pdf_accessibility::check(document, pages, file);
    let failed = report.failed.into_iter().filter(|failed| failed.rule != Rule::ClaimMissing);
    let mut found: Vec<Finding> = failed
        .map(|failed| {
            let mut pages: Vec<u32> = failed.places.iter().filter_map(|place| place.page).collect();
            pages.sort_unstable();
            pages.dedup();
            let message = format!("{} {}", failed.message, failed.remedy);
            Finding { rule: failed.rule.id().to_owned(), message, pages }
        })
        .collect();
    if !report.unread_pages.is_empty() {
        let message = "The content of pages can't be read, and is not tagged.".to_owned();
        found.push(Finding { rule: Rule::Unmarked.id().to_owned(), message, pages: report.unread_pages });
    }
    // Both standards say the same of fonts.
    let of_fonts = fonts.broken().map(|(clause, message)| (clause.replace("6.2.11", "7.21"), message));
    for (clause, message) in of_fonts {
        let is_known = found.iter().any(|known| known.rule.rsplit_once('-').is_some_and(|(known, _)| known == clause));
        if !is_known {
            found.push(Finding { rule: clause, message: message.to_owned(), pages: Vec::new() });
        }
    }
    found
}
