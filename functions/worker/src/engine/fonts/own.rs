//! Fonts of the account whose job it is: files in the job's directory, which children may read and not change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use docmill_fonts::Glyphs;

/// The fonts of one job beside those of the system.
#[derive(Clone, Debug, Default)]
pub struct OwnFonts {
    directory: Option<PathBuf>,
    files: Vec<PathBuf>,
    /// In lower case.
    families: BTreeSet<String>,
}

/// What most jobs have.
pub static NO_FONTS: OwnFonts = OwnFonts { directory: None, files: Vec::new(), families: BTreeSet::new() };

/// What one can do about a missing font.
pub(in crate::engine) const UPLOAD_HINT: &str = "To have it used, upload the font (`POST /v1/fonts`).";

impl OwnFonts {
    /// `directory`: holds these files and nothing else. `families`: all names of their families, in lower case.
    pub fn new(directory: PathBuf, files: Vec<PathBuf>, families: BTreeSet<String>) -> Self {
        Self { directory: Some(directory).filter(|_| !files.is_empty()), files, families }
    }

    /// Where they lie, if there are any.
    pub(in crate::engine) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// What children read.
    pub(in crate::engine) fn reads(&self) -> Vec<PathBuf> {
        self.directory.iter().cloned().collect()
    }

    /// Whether there is a family of this name in lower case.
    pub(in crate::engine) fn has(&self, family: &str) -> bool {
        self.families.contains(family)
    }

    /// Those of these characters that none of the fonts draws. Blocks.
    pub(in crate::engine) fn do_not_draw(&self, letters: String) -> String {
        let without = |letters: String, file: &PathBuf| {
            if letters.is_empty() {
                return letters;
            }
            let glyphs = Glyphs::of(std::fs::read(file).unwrap_or_default());
            letters.chars().filter(|letter| !glyphs.draw(*letter)).collect()
        };
        self.files.iter().fold(letters, without)
    }
}
