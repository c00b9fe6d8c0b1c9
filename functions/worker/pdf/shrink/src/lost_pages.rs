//! Pages that were deleted from the page tree only: tags, links and fields still refer to them, and keep what they drew.

use std::collections::HashSet;

use docmill_pdf_core::objects::{Lookup, reference, tree};
use lopdf::{Document, Object, ObjectId};

/// Removes pages that no reader shows, and the elements of the structure that have nothing on any other page. What refers to
/// them refers to nothing then. Hidden pages that a name makes templates stay. Returns how many pages were removed.
pub(super) fn remove(document: &mut Document) -> usize {
    let Some(shown) = shown(document) else { return 0 };
    let templates = templates(document);
    let is_lost = |id: &ObjectId, object: &Object| {
        object.as_dict().is_ok_and(|page| page.has_type(b"Page")) && !shown.contains(id) && !templates.contains(id)
    };
    let lost: HashSet<ObjectId> =
        document.objects.iter().filter(|(id, object)| is_lost(id, object)).map(|(id, _)| *id).collect();
    if !lost.is_empty() {
        remove_elements(document, &lost);
        document.objects.retain(|id, _| !lost.contains(id));
    }
    lost.len()
}

/// Everything in the page tree, however deep. `None` without a tree.
fn shown(document: &Document) -> Option<HashSet<ObjectId>> {
    let root = reference(document.catalog().ok()?, b"Pages")?;
    let mut shown = HashSet::new();
    let mut left = vec![root];
    while let Some(id) = left.pop() {
        if shown.insert(id)
            && let Ok(node) = document.get_dictionary(id)
        {
            left.extend(document.array(node, b"Kids").iter().filter_map(|kid| kid.as_reference().ok()));
        }
    }
    Some(shown)
}

/// Pages with names.
fn templates(document: &Document) -> HashSet<ObjectId> {
    let Some(names) = document.catalog().ok().and_then(|catalog| document.child(catalog, b"Names")) else {
        return HashSet::new();
    };
    let lists = [b"Pages".as_slice(), b"Templates"].into_iter().filter_map(|list| document.child(names, list));
    lists.flat_map(|list| tree(document, list, b"Names")).filter_map(|(_, page)| page.as_reference().ok()).collect()
}

/// Removes elements that have content on these pages only.
fn remove_elements(document: &mut Document, lost: &HashSet<ObjectId>) {
    let Some(root) = document.catalog().ok().and_then(|catalog| reference(catalog, b"StructTreeRoot")) else { return };
    let mut gone = HashSet::new();
    // Elements come after those that they are in.
    for id in elements(document, root).into_iter().rev() {
        let Ok(element) = document.get_dictionary(id) else { continue };
        let page = reference(element, b"Pg");
        let on_lost = |page: Option<ObjectId>| page.is_some_and(|page| lost.contains(&page));
        let kids = document.listed(element, b"K");
        let stays = |kid: &Object| match document.resolve(kid) {
            Some(Object::Integer(_)) => !on_lost(page),
            Some(Object::Dictionary(part)) if part.has(b"MCID") || part.has(b"Obj") => {
                !on_lost(reference(part, b"Pg").or(page))
            }
            _ => !kid.as_reference().is_ok_and(|kid| gone.contains(&kid)),
        };
        let left: Vec<Object> = kids.iter().filter(|kid| stays(kid)).cloned().collect();
        let is_empty = if kids.is_empty() { on_lost(page) } else { left.is_empty() };
        if is_empty && id != root {
            gone.insert(id);
        } else if left.len() < kids.len()
            && let Ok(element) = document.get_dictionary_mut(id)
        {
            element.set("K", left);
        }
    }
    document.objects.retain(|id, _| !gone.contains(id));
}

/// The root of the structure and its elements, each after the one that it is first found in.
fn elements(document: &Document, root: ObjectId) -> Vec<ObjectId> {
    let mut seen = HashSet::from([root]);
    let mut found = vec![root];
    let mut next = 0;
    while let Some(id) = found.get(next).copied() {
        next += 1;
        let Ok(element) = document.get_dictionary(id) else { continue };
        for kid in document.listed(element, b"K").iter().filter_map(|kid| kid.as_reference().ok()) {
            let is_element = document.get_dictionary(kid).is_ok_and(|kid| !kid.has(b"MCID") && !kid.has(b"Obj"));
            if is_element && seen.insert(kid) {
                found.push(kid);
            }
        }
    }
    found
}
