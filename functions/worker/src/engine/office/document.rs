//! What the worker asks of the helper, and what the helper answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::export::{Changes, Export};
use super::fonts_log::Matches;
use super::import::Model;
use super::rewrite;
use super::writing::Written;

/// One document. Paths are absolute; the helper does not look at what it is given any further.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Document {
    pub(super) source: PathBuf,
    /// Name and options of the import filter, for documents that don't say themselves how they are to be read.
    pub(super) import: Option<(String, String)>,
    /// What the document becomes, and the filter that reads it, if it takes no window.
    pub(super) model: Option<(Model, String)>,
    /// What it is, if it may take changes before it is read; they go into this directory.
    pub(super) rewrite: Option<(rewrite::Kind, PathBuf)>,
    /// Whether all pages are turned to landscape, or else to portrait.
    pub(super) landscape: Option<bool>,
    pub(super) changes: Changes,
    pub(super) encrypted: bool,
    pub(super) password: Option<String>,
    pub(super) output: PathBuf,
    pub(super) export: Export,
    /// Where fontconfig's log goes.
    pub(super) fonts_log: PathBuf,
    /// Files of fonts beside those of the system.
    pub(super) fonts: Vec<PathBuf>,
}

/// The outcome of a conversion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Answer {
    Written(Notes),
    NotLoaded,
    NeedsPassword,
    WrongPassword,
    NotSaved,
    /// The names of the sheets that there are.
    NoSuchSheet(Vec<String>),
    /// Only UNO supports this conversion, and it is not available.
    Unable,
}

/// Findings about a result, for its warnings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Notes {
    pub(super) losses: rewrite::Losses,
    /// The document has tracked changes.
    pub(super) changes: bool,
    /// Fonts that were looked for.
    pub(super) fonts: Matches,
    pub(super) written: Written,
}
