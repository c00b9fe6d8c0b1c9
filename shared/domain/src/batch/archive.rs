//! The archive of a batch's results: a ZIP, or several.

use serde::{Deserialize, Serialize};

/// Results that more files would be needed for are left out.
pub const MOST_ARCHIVES: usize = 1000;

/// How far the archive has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archive {
    /// The results of the items before this one are in the files, or left out.
    pub next: u32,
    /// In the order of the items.
    pub files: Vec<ArchiveFile>,
    /// Completed items whose results had been deleted or had expired.
    pub left_out: u32,
}

/// One ZIP of the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveFile {
    /// The run that has made it, which its key contains.
    pub run: u64,
    /// Size of the ZIP.
    pub bytes: u64,
    /// How many results it has.
    pub results: u32,
}

impl Archive {
    /// Whether no more files are made.
    pub fn is_full(&self) -> bool {
        self.files.len() >= MOST_ARCHIVES
    }
}
