//! PDF/A: repairs what is not allowed, and lists the rules that remain broken.
//!
//! The conversion never redraws a page. A fault that can't be repaired without changing a page's look is a broken rule, and so
//! is everything unknown: a document only conforms if nothing was found.

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
#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

mod annotations;
mod catalog;
mod color;
mod content;
mod files;
mod fonts;
pub mod invoice;
mod outline;
mod streams;
mod transparency;
mod verdict;
mod walk;

use docmill_pdf_core::deferred_pictures::DeferredPictures;
use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_request::{Failure, Warning};
use docmill_pdf_structure::visible;
use lopdf::{Document, ObjectId};

pub use catalog::claim;
use docmill_pdf_fonts::uses::Uses;
pub use fonts::{Programs, StandIns, missing_characters};
pub use verdict::{Level, Verdict};

use verdict::Rule;

/// Repairs a document in place; `held` has its large pictures. [`claim`] adds the claim to be PDF/A.
///
/// # Errors
/// If a held picture can't be read.
pub fn mend(
    document: &mut Document,
    held: &DeferredPictures,
    pages: &[ObjectId],
    level: Level,
    fonts: &Fonts,
) -> Result<Verdict, Failure> {
    let mut verdict = Verdict::new(level);
    if level == Level::One {
        visible::flatten_layers(document, pages)?;
    }
    catalog::mend(document, &mut verdict);
    outline::mend(document, &mut verdict);
    files::mend(document, &mut verdict);
    annotations::mend(document, pages, fonts, &mut verdict)?;
    // Unused objects are not checked.
    document.prune_objects();
    streams::mend(document, held, &mut verdict)?;
    content::mend(document, pages, &mut verdict);
    color::mend(document, &mut verdict);
    fonts::mend(document, &StandIns::Installed(fonts), Programs::Rewritten, &mut verdict);
    document.prune_objects();
    transparency::mend(document, &mut verdict);
    Ok(verdict)
}

/// Repairs fonts only: the rules for them are the same in PDF/UA. `uses`: of fonts that are objects of their own, if it is known.
pub fn mend_fonts(
    document: &mut Document,
    uses: Option<&Uses>,
    stand_ins: &StandIns<'_>,
    programs: Programs,
) -> Verdict {
    let mut verdict = Verdict::new(Level::Two);
    document.prune_objects();
    fonts::prepare(document);
    match uses {
        Some(uses) => fonts::mend_shown(document, uses, stand_ins, programs, &mut verdict),
        None => verdict.fail(Rule::Content),
    }
    verdict
}

/// Warnings for the client.
pub fn warnings(verdict: &Verdict) -> Vec<Warning> {
    verdict.warnings()
}
