//! The files of a redaction, in its directory.

use std::path::{Path, PathBuf};

use docmill_pdf_core::pages;
use docmill_pdf_fonts::widths;
use docmill_pdf_request::{ErrorCode, Failure, Request, Warning};
use docmill_pdf_structure::flatten;
use docmill_pdf_structure::open::{kind, open};
use lopdf::Document;

use super::hidden::{self, Removed};
use super::needle::Needles;
use docmill_pdf_core::Libraries;

/// The copies of the source for the other steps.
#[derive(Debug)]
pub struct Files {
    /// The source without hidden content.
    pub(super) prepared: PathBuf,
    /// The same with annotations and fields as content, for reading and drawing.
    pub(super) flat: PathBuf,
    /// Where the finished file lies.
    pub result: PathBuf,
    /// Hidden content that was removed before anything else.
    pub removed: Removed,
    /// What was noticed when the source was opened.
    pub warnings: Vec<Warning>,
}

impl Files {
    /// Opens the source, removes hidden content, and writes the copies.
    pub(super) fn prepare(
        libraries: &Libraries,
        request: &Request,
        needles: &Needles,
        all_metadata: bool,
        result: &str,
    ) -> Result<Self, Failure> {
        let opened = open(libraries, request, 0)?.with_sound_streams().without_claim();
        let mut document = opened.document;
        let tree = pages::read(&mut document, request.limits.pages)?;
        let removed = hidden::remove(&mut document, &tree.pages, needles, all_metadata)?;
        widths::separate(&mut document);
        document.prune_objects();
        let [prepared, flat, result] = ["prepared.pdf", "flat.pdf", result].map(|name| request.directory.join(name));
        save(&mut document, &prepared)?;
        drop(document);
        flatten_copy(libraries, request, &prepared, &flat)?;
        Ok(Self { prepared, flat, result, removed, warnings: opened.warnings })
    }

    /// Deletes the copies.
    ///
    /// # Errors
    /// If a copy can't be deleted.
    pub fn clean_up(&self) -> Result<(), Failure> {
        [&self.prepared, &self.flat].into_iter().try_for_each(|file| delete(file))
    }

    /// Deletes the result, so that nothing is delivered.
    ///
    /// # Errors
    /// If it can't be deleted.
    pub fn withdraw(&self) -> Result<(), Failure> {
        delete(&self.result)
    }
}

pub(super) fn delete(file: &Path) -> Result<(), Failure> {
    std::fs::remove_file(file).map_err(|error| Failure::io(&error))
}

fn save(document: &mut Document, path: &Path) -> Result<(), Failure> {
    document.save(path).map(drop).map_err(|error| Failure::io(&error))
}

pub(super) fn load(path: &Path) -> Result<Document, Failure> {
    Document::load(path).map_err(|error| {
        let cause = format!("a file of our own: {}", kind(&error));
        Failure::new(ErrorCode::CorruptDocument, "This PDF is damaged and could not be repaired.", cause)
    })
}

/// Writes a copy in which annotations and fields are content of the pages.
pub(super) fn flatten_copy(libraries: &Libraries, request: &Request, from: &Path, to: &Path) -> Result<(), Failure> {
    let mut document = load(from)?;
    let tree = pages::read(&mut document, request.limits.pages)?;
    let what = flatten::What { annotations: flatten::Annotations::All, forms: true };
    flatten::flatten(&mut document, &tree.pages, what, libraries.fonts())?;
    save(&mut document, to)
}
