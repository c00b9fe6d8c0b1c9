//! Pages that are no objects of their own.

use std::collections::HashSet;

use docmill_pdf_core::objects::{Lookup, reference};
use lopdf::{Document, Object, ObjectId};

/// Makes objects of its own of what is written into the trailer, the catalog or the page tree directly: the catalog, nodes and pages.
/// Returns whether there was any.
pub(crate) fn lift(document: &mut Document) -> bool {
    let before = document.max_id;
    if let Some(catalog) = document.trailer.get(b"Root").and_then(Object::as_dict).ok().cloned() {
        let catalog = document.add_object(catalog);
        document.trailer.set("Root", catalog);
    }
    let Ok(catalog) = document.catalog() else { return document.max_id > before };
    let root = match catalog.get(b"Pages").and_then(Object::as_dict).ok().cloned() {
        Some(node) => {
            let root = document.add_object(node);
            if let Ok(catalog) = document.catalog_mut() {
                catalog.set("Pages", root);
            }
            Some(root)
        }
        None => reference(catalog, b"Pages"),
    };
    let (mut stack, mut seen): (Vec<ObjectId>, HashSet<ObjectId>) = (root.into_iter().collect(), HashSet::new());
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Ok(node) = document.get_dictionary(id) else { continue };
        let mut kids = document.array(node, b"Kids").to_vec();
        let is_written = |kid: &Object| kid.as_dict().is_ok();
        if kids.iter().any(is_written) {
            for kid in kids.iter_mut().filter(|kid| is_written(kid)) {
                *kid = document.add_object(kid.clone()).into();
            }
            if let Ok(node) = document.get_dictionary_mut(id) {
                node.set("Kids", kids.clone());
            }
        }
        stack.extend(kids.iter().filter_map(|kid| kid.as_reference().ok()));
    }
    document.max_id > before
}
