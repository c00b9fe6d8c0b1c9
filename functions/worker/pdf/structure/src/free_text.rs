//! FreeText annotations without an appearance: viewers show their text all the same.

use docmill_pdf_core::objects::Lookup;
use lopdf::{Document, Object, ObjectId};

use super::assembly::links::widget_appearance;
use super::fields::MULTILINE;

/// Makes them fields of several lines, whose appearance can be written. Returns them.
pub(super) fn as_fields(document: &mut Document, pages: &[ObjectId]) -> Vec<ObjectId> {
    let dictionaries = pages.iter().filter_map(|page| document.get_dictionary(*page).ok());
    let without: Vec<(ObjectId, Object)> = dictionaries
        .flat_map(|page| document.array(page, b"Annots"))
        .filter_map(|entry| {
            let annotation = document.dictionary(entry)?;
            let is_text = document.name(annotation, b"Subtype") == Some(b"FreeText");
            let is_bare = is_text && widget_appearance(document, annotation).is_none();
            let text = document.value(annotation, b"Contents").filter(|_| is_bare)?;
            Some((entry.as_reference().ok()?, text.clone()))
        })
        .collect();
    for (id, text) in &without {
        if let Ok(annotation) = document.get_dictionary_mut(*id) {
            annotation.set("FT", Object::Name(b"Tx".to_vec()));
            annotation.set("Ff", MULTILINE);
            annotation.set("V", text.clone());
        }
    }
    without.into_iter().map(|(id, _)| id).collect()
}
