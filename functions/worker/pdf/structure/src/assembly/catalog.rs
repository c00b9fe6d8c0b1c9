//! What the catalogue of a result says of the whole document.

use docmill_pdf_core::objects::{Lookup, reference};
use docmill_pdf_core::writer::PdfWriter;
use lopdf::{Dictionary, Document, Object, ObjectId};

use super::copy::Copier;

/// Catalogue entries that concern the whole document.
const WHOLE: [&str; 11] = [
    "AF",
    "Collection",
    "Metadata",
    "OpenAction",
    "OutputIntents",
    "PageLayout",
    "PageMode",
    "PieceInfo",
    "Threads",
    "ViewerPreferences",
    "AA",
];
/// Those that are also valid for parts of a document, and for several documents.
const SHARED: [&str; 4] = ["Extensions", "Lang", "PageLayout", "ViewerPreferences"];
/// Those that a source may give to a part of itself.
const OWN: [&str; 3] = ["Metadata", "OutputIntents", "URI"];

/// What a result is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// One whole document.
    Whole,
    /// Parts of one document.
    Parts,
    /// Several documents.
    Several,
}

/// Entries for the whole result.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    entries: Dictionary,
    info: Option<ObjectId>,
    version: Option<String>,
}

impl Catalog {
    /// Takes the entries that the first source gives to the result.
    pub(super) fn take(&mut self, copier: &mut Copier<'_>, writer: &mut PdfWriter, catalog: &Dictionary, made: Made) {
        let entries = match made {
            Made::Several => SHARED.as_slice(),
            Made::Whole => &WHOLE,
            Made::Parts => &OWN,
        };
        let mut own = Dictionary::new();
        for key in entries.iter().chain(&SHARED) {
            if let Ok(value) = catalog.get(key.as_bytes()) {
                own.set(*key, value.clone());
            }
        }
        copier.rewrite_dictionary(writer, &mut own);
        self.entries = own;
        if let Some(info) = reference(&copier.document().trailer, b"Info") {
            self.info = copier.reference(writer, info);
        }
    }

    /// The version of the result is the latest of its sources.
    pub(super) fn take_version(&mut self, document: &Document, catalog: &Dictionary) {
        self.version = self.version.take().max(later_version(document, catalog));
    }

    /// The catalogue so far, with the root of the pages, and the document's information.
    pub(super) fn into_object(self, pages: ObjectId) -> (Dictionary, Option<ObjectId>) {
        let mut catalog = self.entries;
        catalog.set("Type", "Catalog");
        catalog.set("Pages", pages);
        if let Some(version) = self.version {
            catalog.set("Version", Object::Name(version.into_bytes()));
        }
        (catalog, self.info)
    }
}

/// A version after the 1.7 that the file's head declares.
fn later_version(document: &Document, catalog: &Dictionary) -> Option<String> {
    let own = document.name(catalog, b"Version").and_then(|version| std::str::from_utf8(version).ok());
    own.into_iter().chain([document.version.as_str()]).filter(|version| *version == "2.0").map(str::to_owned).next()
}
