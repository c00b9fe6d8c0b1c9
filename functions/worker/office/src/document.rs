//! What the worker asks of the helper, and what the helper answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::export::{Changes, Export};
use super::fonts_log::Matches;
use super::import::Model;
use super::table::Table;
use super::writing::Written;
use docmill_office_rewrite as rewrite;

/// A document. Its paths are absolute and not checked by the helper.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Document {
    pub(super) source: PathBuf,
    /// Name and options of the import filter, for formats that need one.
    pub(super) import: Option<(String, String)>,
    /// The kind of document and its filter, if it can be loaded without a window.
    pub(super) model: Option<(Model, String)>,
    /// Its kind, if it may be changed before it is read, and the directory for the changed copy.
    pub(super) rewrite: Option<(rewrite::Kind, PathBuf)>,
    /// Separated values whose columns are fitted.
    pub(super) table: Option<Table>,
    /// Whether rows without a height get the one that their cells need, as in Excel.
    pub(super) fits_rows: bool,
    /// Whether the result shows the text of all of a workbook's cells.
    pub(super) shows_cells: bool,
    /// Whether to set all pages to landscape or portrait.
    pub(super) landscape: Option<bool>,
    pub(super) changes: Changes,
    pub(super) encrypted: bool,
    pub(super) password: Option<String>,
    pub(super) output: PathBuf,
    pub(super) export: Export,
    /// The path of fontconfig's log.
    pub(super) fonts_log: PathBuf,
    /// Font files besides the system's.
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

/// Facts about a result, for warnings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Notes {
    pub(super) losses: rewrite::Losses,
    /// The document has tracked changes.
    pub(super) changes: bool,
    /// Cells whose text should be on the pages.
    pub(super) cells: Vec<rewrite::Cell>,
    /// Where Word broke the document's pages.
    pub(super) word: Option<rewrite::WordPages>,
    /// Fonts that were requested.
    pub(super) fonts: Matches,
    pub(super) written: Written,
}
