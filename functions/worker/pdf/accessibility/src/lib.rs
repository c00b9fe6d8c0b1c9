//! Checks whether a PDF is accessible, by the rules of PDF/UA-1 that a program can check. What only people can judge is asked.

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
#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

mod annotations;
mod cmaps;
mod content;
mod contrast;
mod document;
mod elements;
mod findings;
mod fonts;
mod glyphs;
mod language;
mod measured;
mod metadata;
mod page;
mod programs;
mod questions;
pub mod roles;
mod rules;
mod tables;
mod tree;

use std::collections::BTreeMap;

use lopdf::{Document, ObjectId};
use serde::Serialize;

pub use contrast::{Contrast, LowContrast};
use findings::Findings;
pub use findings::{Finding, Place};
pub use questions::Question;
pub use rules::Rule;
pub use tables::attribute;
use tree::Tree;

/// What is known of the file, which the opened document no longer says.
#[derive(Clone, Copy, Debug)]
pub struct File<'f> {
    /// As its first line gives it, such as `1.7`.
    pub version: &'f str,
    /// The permissions (`P`) of an encrypted file.
    pub permissions: Option<i64>,
}

/// The verdict.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// By what was checked.
    pub standard: &'static str,
    /// No rule is broken, and every page was read.
    pub passed: bool,
    /// How many rules were checked.
    pub rules: usize,
    /// The broken ones, in the order of the standard.
    pub failed: Vec<Finding>,
    /// Pages whose content can't be read, counted from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread_pages: Vec<u32>,
    /// For people.
    pub questions: Vec<Question>,
    /// Beyond PDF/UA-1: empty until pages are measured.
    pub contrast: Contrast,
}

/// A check under way.
struct Check<'d> {
    document: &'d Document,
    pages: &'d [ObjectId],
    version: &'d str,
    permissions: Option<i64>,
    /// The catalog has a language.
    has_language: bool,
    findings: Findings,
    unread: Vec<u32>,
    /// The fonts that show text, and whether some of it is visible.
    fonts: BTreeMap<ObjectId, bool>,
}

impl Check<'_> {
    /// A page's number, from 1.
    fn number_of(&self, page: ObjectId) -> Option<u32> {
        let index = self.pages.iter().position(|id| *id == page)?;
        u32::try_from(index + 1).ok()
    }
}

/// Checks a document. Its pages must have their inherited entries.
pub fn check(document: &Document, pages: &[ObjectId], file: File<'_>) -> Report {
    let mut check = Check {
        document,
        pages,
        version: file.version,
        permissions: file.permissions,
        has_language: document.catalog().is_ok_and(|catalog| catalog.has(b"Lang")),
        findings: Findings::default(),
        unread: Vec::new(),
        fonts: BTreeMap::new(),
    };
    let tree = Tree::read(document);
    metadata::check(&mut check);
    document::check(&mut check, tree.as_ref());
    if let Some(tree) = &tree {
        elements::check(&mut check, tree);
    }
    content::check(&mut check, tree.as_ref());
    annotations::check(&mut check, tree.as_ref());
    fonts::check(&mut check);
    let questions = questions::of(&check, tree.as_ref());
    let failed = check.findings.finish();
    Report {
        standard: "PDF/UA-1",
        passed: failed.is_empty() && check.unread.is_empty(),
        rules: Rule::ALL.len(),
        failed,
        unread_pages: check.unread,
        questions,
        contrast: Contrast::default(),
    }
}
