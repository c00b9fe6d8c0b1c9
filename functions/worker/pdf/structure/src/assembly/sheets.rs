//! The pages of a result.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::objects::{self, Lookup};
use docmill_pdf_core::pages;
use docmill_pdf_core::space;
use docmill_pdf_core::writer::{PdfWriter, WriteError};
use docmill_pdf_request::Failure;
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

use super::copy::Copier;
use super::links::{self, Destinations};
use super::source::PageUse;

/// The pages of a result, in their order.
#[derive(Debug)]
pub(super) struct Pages {
    root: ObjectId,
    pages: Vec<Object>,
    limit: u32,
}

/// Pages that are taken from a source.
pub(super) struct Taken<'s> {
    pub(super) uses: &'s [PageUse],
    pub(super) chosen: &'s [ObjectId],
    /// Their object numbers in the result.
    pub(super) ids: &'s [ObjectId],
    pub(super) stay: &'s HashSet<ObjectId>,
    /// All pages of the source stay.
    pub(super) whole: bool,
    pub(super) destinations: &'s Destinations,
}

impl Pages {
    /// No pages yet, below this object, and at most `limit`.
    pub(super) fn new(root: ObjectId, limit: u32) -> Self {
        Self { root, pages: Vec::new(), limit }
    }

    pub(super) fn len(&self) -> usize {
        self.pages.len()
    }

    pub(super) fn root(&self) -> ObjectId {
        self.root
    }

    /// Adds a page that is or will be written.
    pub(super) fn push(&mut self, id: ObjectId) -> Result<(), Failure> {
        if self.pages.len() as u64 >= u64::from(self.limit) {
            return Err(pages::too_many(self.limit));
        }
        self.pages.push(id.into());
        Ok(())
    }

    /// Copies the pages, without writing them.
    pub(super) fn copy(
        &mut self,
        copier: &mut Copier<'_>,
        writer: &mut PdfWriter,
        taken: &Taken<'_>,
    ) -> Result<Vec<(ObjectId, Dictionary)>, Failure> {
        let Taken { uses, chosen, ids, stay, whole, destinations } = *taken;
        let mut seen = HashSet::new();
        let mut copied = Vec::with_capacity(chosen.len());
        for ((source, id), change) in chosen.iter().zip(ids).zip(uses) {
            let Ok(mut page) = copier.document().get_dictionary(*source).cloned() else { continue };
            let annotations: Vec<Object> = if seen.insert(*source) {
                links::keep(copier, destinations, &page, stay)
            } else {
                page.remove(b"StructParents");
                let document = copier.document();
                let all = document.array(&page, b"Annots").iter();
                all.filter_map(|annotation| links::repeat(document, annotation)).map(Object::Dictionary).collect()
            };
            page.remove(b"Annots");
            page.remove(b"Parent");
            if !whole {
                page.remove(b"B");
            }
            change_page(copier.document(), &mut page, change);
            copier.rewrite_dictionary(writer, &mut page);
            page.set("Parent", self.root);
            let annotations = place_annotations(copier, writer, annotations, *id)?;
            if !annotations.is_empty() {
                page.set("Annots", annotations);
            }
            self.push(*id)?;
            copied.push((*id, page));
        }
        Ok(copied)
    }

    /// Writes the root of the pages.
    pub(super) fn write(self, writer: &mut PdfWriter) -> Result<(), WriteError> {
        let count = objects::count(self.pages.len());
        writer.put(self.root, dictionary! { "Type" => "Pages", "Kids" => self.pages, "Count" => count }.into())
    }
}

/// Object numbers for the result's pages. References to a page that is used several times point to its first copy.
pub(super) fn place(
    copier: &mut Copier<'_>,
    writer: &mut PdfWriter,
    chosen: &[ObjectId],
    moved: &HashMap<ObjectId, ObjectId>,
) -> Vec<ObjectId> {
    let mut placed = HashMap::new();
    let mut ids = Vec::with_capacity(chosen.len());
    for page in chosen {
        let id = writer.reserve();
        placed.entry(*page).or_insert_with(|| {
            copier.place(*page, id);
            id
        });
        ids.push(id);
    }
    for (from, to) in moved {
        if let Some(id) = placed.get(to) {
            copier.place(*from, *id);
        }
    }
    ids
}

/// Makes direct annotations separate objects, so that others can refer to them.
fn place_annotations(
    copier: &mut Copier<'_>,
    writer: &mut PdfWriter,
    annotations: Vec<Object>,
    page: ObjectId,
) -> Result<Vec<Object>, WriteError> {
    let mut placed = Vec::with_capacity(annotations.len());
    for mut annotation in annotations {
        copier.rewrite(writer, &mut annotation);
        match annotation {
            Object::Dictionary(mut annotation) => {
                annotation.set("P", page);
                placed.push(writer.add(annotation)?.into());
            }
            Object::Null => {}
            other => placed.push(other),
        }
    }
    Ok(placed)
}

fn change_page(document: &Document, page: &mut Dictionary, change: &PageUse) {
    if change.turn != 0 {
        let turned = (space::rotation(document, page) + change.turn).rem_euclid(360);
        page.set("Rotate", turned);
    }
    if let Some(crop) = change.crop {
        page.set("CropBox", crop.to_object());
    }
}
