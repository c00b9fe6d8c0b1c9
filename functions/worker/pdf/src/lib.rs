//! PDF tools for local files: merge, split, compress, render, read. No network, no AWS, and no threads while idle.
//!
//! The worker loads [`Engines`] once in a helper process, forks a confined child for each [`Request`](docmill_pdf_request::Request), and calls
//! [`Engines::run`] there. Any file may be hostile: there are no panics, memory is limited, and all failures are typed.
//!
//! `tools/` has a module for each tool, which reads options and runs steps in order; `compare/` finds differences between two
//! documents. What the tools do their work with has crates of its own beside this one.

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

mod compare;
mod engines;
mod tools;

pub use engines::Engines;

#[cfg(test)]
mod tests;
