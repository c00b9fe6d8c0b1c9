//! What is noted while a template is filled, and told as warnings once all of its documents are.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::data::Uses;

/// Most names of a kind to report.
const REPORTED: usize = 20;

/// What documents of one template used and missed.
#[derive(Debug, Default)]
pub struct Notes {
    pub(crate) uses: Uses,
    /// Tags without a value.
    pub(crate) empty: BTreeSet<String>,
    pub(crate) pictures_missing: BTreeSet<String>,
    /// Formulas that could not follow rows.
    pub(crate) kept: BTreeSet<String>,
}

/// What should be looked at in a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Names in the data that the template doesn't use.
    UnusedData(Vec<String>),
    /// Tags that have no value, and wrote nothing.
    ValueEmpty(Vec<String>),
    /// Tags for pictures without a picture.
    PictureMissing(Vec<String>),
    /// Formulas that still name the cells of the template, although rows have moved.
    ReferenceNotMoved(Vec<String>),
}

/// Adds a name, if there is still room for it.
pub(crate) fn note(names: &mut BTreeSet<String>, name: &str) {
    if names.len() < REPORTED && !names.contains(name) {
        names.insert(name.to_owned());
    }
}

impl Notes {
    /// `rows`: the data of each document.
    pub fn warnings<'a>(self, rows: impl IntoIterator<Item = &'a Value>) -> Vec<Warning> {
        let Self { uses, empty, pictures_missing, kept } = self;
        let mut unused = Vec::new();
        for row in rows {
            uses.find_unused(row, &mut unused);
        }
        let list = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>();
        let all = [
            (list(kept), Warning::ReferenceNotMoved as fn(Vec<String>) -> Warning),
            (unused, Warning::UnusedData),
            (list(pictures_missing), Warning::PictureMissing),
            (list(empty), Warning::ValueEmpty),
        ];
        all.into_iter().filter(|(names, _)| !names.is_empty()).map(|(names, warning)| warning(names)).collect()
    }
}
