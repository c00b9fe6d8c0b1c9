//! Fills templates with data: documents, presentations, pages and Markdown with tags as docxtemplater has them.
//!
//! The worker calls this in a confined child: any template and any data may be hostile. Nothing in them runs code; there are no
//! panics, memory and work are limited, and all failures are typed.
//!
//! `package` opens the archive and leaves all parts without tags byte for byte. `markup/` and `plain` find the tags of a part
//! in XML or text (`tag`, `expression`) and make its `tree`. `fill` writes a tree with `data/` and `filters/`. `sheets/` lets
//! what names cells follow them. `slides/` repeats slides. `links` checks where links lead, and `addresses` finds tags in those
//! of the template. `charts` fills the workbooks of charts. `subtemplates/` brings other templates of a job into one. `codes`
//! draws QR codes and bar codes. `schema` tells what data a template expects, `filename` what its documents are called, and `check` whether
//! an upload is a template.

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

mod addresses;
mod cell;
mod check;
mod codes;
mod comments;
mod data;
mod drawing;
mod expression;
mod filename;
mod fill;
mod filters;
mod format;
mod identify;
mod links;
mod markup;
mod media;
mod notes;
mod options;
mod package;
mod pictures;
mod plain;
mod problem;
mod rich;
mod schema;
mod sheets;
mod slides;
mod subtemplates;
mod tag;
mod template;
mod tree;
mod value;

pub use check::check;
pub use filename::FilenamePattern;
pub use format::Format;
pub use notes::{Notes, Warning};
pub use options::{Delimiters, Limits, Missing, Options};
pub use problem::{Failure, Place, Problem, Reason};
pub use schema::Expected;
pub use subtemplates::SubTemplate;
pub use template::{Rendered, Template};

#[cfg(test)]
mod tests;
