//! Names of a result: of destinations, attached files and scripts.

use std::collections::{BTreeMap, HashSet};

use docmill_pdf_core::objects::{Lookup, bytes, string, tree};
use docmill_pdf_core::writer::{PdfWriter, WriteError};
use lopdf::{Dictionary, Object, ObjectId, dictionary};

use super::copy::Copier;
use super::links::{self, Destinations};
use super::unique::unique;

/// What the names of a result stand for.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) destinations: BTreeMap<Vec<u8>, Object>,
    files: BTreeMap<Vec<u8>, Object>,
    scripts: BTreeMap<Vec<u8>, Object>,
}

impl Names {
    /// Takes the destinations on pages that stay.
    pub(super) fn take_destinations(
        &mut self,
        copier: &mut Copier<'_>,
        writer: &mut PdfWriter,
        destinations: &Destinations,
        stay: &HashSet<ObjectId>,
    ) {
        for (name, target) in destinations {
            let page = links::page_of(copier.document(), destinations, target);
            if page.is_some_and(|page| stay.contains(&page)) {
                let new = copier.names.get(name).unwrap_or(name).clone();
                let target = copier.mapped(writer, target);
                self.destinations.insert(new, target);
            }
        }
    }

    /// Takes attached files and scripts.
    pub(super) fn take_attached(&mut self, copier: &mut Copier<'_>, writer: &mut PdfWriter, catalog: &Dictionary) {
        let Some(names) = copier.document().child(catalog, b"Names").cloned() else { return };
        for (kind, all) in [(b"EmbeddedFiles".as_slice(), &mut self.files), (b"JavaScript", &mut self.scripts)] {
            let own = copier.document().child(&names, kind).map(|root| tree(copier.document(), root, b"Names"));
            for (name, value) in own.unwrap_or_default() {
                if let Some(name) = bytes(&name) {
                    let value = copier.mapped(writer, &value);
                    all.insert(unique(name, |name| all.contains_key(name)), value);
                }
            }
        }
    }

    /// Writes the trees of names. Empty if there are none.
    pub(super) fn write(self, writer: &mut PdfWriter) -> Result<Dictionary, WriteError> {
        let mut names = Dictionary::new();
        for (key, all) in [("Dests", self.destinations), ("EmbeddedFiles", self.files), ("JavaScript", self.scripts)] {
            if !all.is_empty() {
                let pairs: Vec<Object> = all.into_iter().flat_map(|(name, value)| [string(name), value]).collect();
                names.set(key, writer.add(dictionary! { "Names" => pairs })?);
            }
        }
        Ok(names)
    }
}
