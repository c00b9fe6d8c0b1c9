//! Fonts of the job's account: files in the job's directory, which children can read but not change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::Glyphs;

/// A job's fonts besides the system's.
#[derive(Clone, Debug, Default)]
pub struct OwnFonts {
    directory: Option<PathBuf>,
    files: Vec<PathBuf>,
    /// In lower case.
    families: BTreeSet<String>,
}

/// Used by most jobs.
pub static NO_FONTS: OwnFonts = OwnFonts { directory: None, files: Vec::new(), families: BTreeSet::new() };

/// What to do about a missing font.
pub const UPLOAD_HINT: &str = "To have it used, upload the font (`POST /v1/fonts`).";

impl OwnFonts {
    /// `directory` contains only these files. `families`: all their family names in lower case.
    pub fn new(directory: PathBuf, files: Vec<PathBuf>, families: BTreeSet<String>) -> Self {
        Self { directory: Some(directory).filter(|_| !files.is_empty()), files, families }
    }

    /// Their directory, if there are any.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Their files.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Paths that children must be able to read.
    pub fn reads(&self) -> Vec<PathBuf> {
        self.directory.iter().cloned().collect()
    }

    /// Whether this family (in lower case) is among them.
    pub fn has(&self, family: &str) -> bool {
        self.families.contains(family)
    }

    /// The characters that none of the fonts has a glyph for. Blocks.
    pub fn do_not_draw(&self, letters: String) -> String {
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
