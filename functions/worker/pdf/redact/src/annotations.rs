//! Annotations and form fields in areas.

use std::collections::HashSet;

use docmill_pdf_core::objects::{Lookup, reference};
use docmill_pdf_core::rectangle::Rectangle;
use lopdf::{Document, Object, ObjectId};

use super::shapes::meets;

/// Field entries that must be removed with the last widget that shows them.
const VALUES: [&[u8]; 6] = [b"V", b"DV", b"RV", b"I", b"TU", b"MK"];

/// Removes a page's annotations that overlap the areas, with their pop-ups. Returns their number.
pub(super) fn remove(document: &mut Document, page: ObjectId, areas: &[Rectangle]) -> usize {
    let Ok(dictionary) = document.get_dictionary(page) else { return 0 };
    let entries = document.array(dictionary, b"Annots").to_vec();
    let hit = |entry: &Object| {
        let annotation = document.dictionary(entry);
        let area = annotation.and_then(|annotation| Rectangle::parse(document, annotation.get(b"Rect").ok()?));
        annotation.is_none() || area.is_some_and(|area| areas.iter().any(|other| meets(area, *other)))
    };
    let (gone, stay): (Vec<Object>, Vec<Object>) = entries.into_iter().partition(hit);
    if gone.is_empty() {
        return 0;
    }
    for entry in &gone {
        if let Ok(id) = entry.as_reference() {
            delete(document, id);
        }
    }
    if let Ok(page) = document.get_dictionary_mut(page) {
        page.set("Annots", stay);
    }
    gone.len()
}

/// Removes an annotation with its pop-up and replies, and its field's value if no widget is left to show it.
pub(super) fn delete(document: &mut Document, id: ObjectId) {
    let mut wanted = vec![id];
    let mut gone = HashSet::new();
    while let Some(id) = wanted.pop() {
        if !gone.insert(id) {
            continue;
        }
        let Some(Object::Dictionary(annotation)) = document.objects.remove(&id) else { continue };
        wanted.extend(reference(&annotation, b"Popup"));
        if !annotation.has(b"FT") && !annotation.has(b"Parent") {
            wanted.extend(document.objects.iter().filter_map(|(other, object)| {
                let reply = object.as_dict().ok().and_then(|reply| reference(reply, b"IRT"));
                (reply == Some(id)).then_some(*other)
            }));
        }
        if let Some(parent) =
            reference(&annotation, b"Parent").filter(|_| annotation.has_type(b"Annot") || annotation.has(b"Rect"))
        {
            leave_field(document, parent, id);
        }
    }
}

/// Removes a widget from its field.
fn leave_field(document: &mut Document, field: ObjectId, widget: ObjectId) {
    let Ok(dictionary) = document.get_dictionary(field) else { return };
    if !dictionary.has(b"Kids") {
        return;
    }
    let kids: Vec<Object> = document
        .array(dictionary, b"Kids")
        .iter()
        .filter(|kid| kid.as_reference().ok() != Some(widget))
        .cloned()
        .collect();
    let Ok(dictionary) = document.get_dictionary_mut(field) else { return };
    if kids.is_empty() {
        for key in VALUES {
            dictionary.remove(key);
        }
    }
    dictionary.set("Kids", kids);
}
