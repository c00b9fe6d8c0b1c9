//! PDF/A: mends what a document may not have, and says which rules of the standard remain broken.
//!
//! The conversion never redraws a page. What cannot be mended without changing how a page looks is a broken rule, and so is
//! everything that is not understood: a document only counts as conforming if nothing was found.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

mod annotations;
mod catalog;
mod color;
mod content;
mod files;
mod fonts;
pub(crate) mod invoice;
mod outline;
mod streams;
mod transparency;
mod verdict;
mod walk;

use lopdf::{Document, ObjectId};

use crate::label::Fonts;
use crate::structure::held::Held;
use crate::structure::visible;
use crate::{Failure, Warning};

pub(crate) use catalog::claim;
pub(crate) use verdict::{Level, Verdict};

/// Mends a document in place; `held` has its large pictures. The claim to be PDF/A is made by [`claim`].
pub(crate) fn mend(
    document: &mut Document,
    held: &Held,
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
    // What is no longer in use is not looked at.
    document.prune_objects();
    streams::mend(document, held, &mut verdict)?;
    content::mend(document, pages, &mut verdict);
    color::mend(document, &mut verdict);
    fonts::mend(document, fonts, &mut verdict);
    document.prune_objects();
    transparency::mend(document, &mut verdict);
    Ok(verdict)
}

/// What the client is told of a result.
pub(crate) fn warnings(verdict: &Verdict) -> Vec<Warning> {
    verdict.warnings()
}
