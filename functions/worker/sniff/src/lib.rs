//! Identifies files and checks whether they are safe for an engine.
//!
//! Both happen before any engine sees the file, in limited memory, and in time at most proportional to the unpacked bytes.
//! Reading and parsing block.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod charset;
mod compound;
mod email;
mod identify;
mod inspect;
mod media;
mod package;
mod page;
mod text;
mod workbook;
mod xml;

use std::io;

use docmill_domain::job::JobErrorCode;
use docmill_engine::Failure;
use docmill_formats::Format;

pub use email::{attached, email};
pub use identify::{Hints, identify};
pub use inspect::check;
pub use media::{format_of, not_accepted};
pub use page::{markdown_in_place, page};

/// No tool that asks accepts the file. `what` is a noun with its article: "a PDF".
fn unsupported(what: &str) -> Failure {
    let hint = match what {
        UNKNOWN => " It may be damaged.",
        HTML => " Web pages are converted by html-to-pdf.",
        MESSAGE => " Messages are converted by email-to-pdf.",
        _ => "",
    };
    Failure::new(
        JobErrorCode::UnsupportedFormat,
        format!("The source seems to be {what}.{hint}"),
        format!("sniffed as {what}"),
    )
}

/// Adds what a tool accepts to the message that a file has another format.
pub fn with_accepted(failure: Failure, accepted: &[Format]) -> Failure {
    if failure.code != JobErrorCode::UnsupportedFormat {
        return failure;
    }
    let accepted = accepted.iter().map(|format| format.extension()).collect::<Vec<_>>().join(", ");
    Failure { message: format!("{} This tool accepts: {accepted}.", failure.message), ..failure }
}

const UNKNOWN: &str = "a binary file of an unknown kind";
const HTML: &str = "an HTML page";
const MESSAGE: &str = "an Outlook message";

fn corrupt(why: &str) -> Failure {
    Failure::new(
        JobErrorCode::CorruptDocument,
        format!("The document is damaged: {why}. Re-save it in the program that created it, and retry."),
        why,
    )
}

fn unreadable(error: io::Error) -> Failure {
    Failure::internal(format!("reading the fetched source: {error}"))
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
