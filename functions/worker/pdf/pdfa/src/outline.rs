//! Bookmarks: each list refers to its first and last item.

use std::collections::HashSet;

use docmill_pdf_core::objects::{Lookup, reference};
use lopdf::{Document, ObjectId};

use super::verdict::{Repair, Verdict};

pub(super) fn mend(document: &mut Document, verdict: &mut Verdict) {
    let Some(root) = document.catalog().ok().and_then(|catalog| reference(catalog, b"Outlines")) else { return };
    // An item may be its own child.
    let mut seen = HashSet::from([root]);
    let mut lists = vec![root];
    while let Some(list) = lists.pop() {
        let items = items(document, list, &mut seen);
        let stated = document.get_dictionary(list).ok().and_then(|list| reference(list, b"Last"));
        if let Some(last) = items.last().filter(|last| stated != Some(**last))
            && let Ok(list) = document.get_dictionary_mut(list)
        {
            list.set("Last", *last);
            verdict.mend(Repair::OutlineEntries);
        }
        lists.extend(items);
    }
    let is_empty = document.get_dictionary(root).map_or(true, |root| document.child(root, b"First").is_none());
    if is_empty && let Ok(catalog) = document.catalog_mut() {
        catalog.remove(b"Outlines");
    }
}

/// The items of a list, in order.
fn items(document: &Document, list: ObjectId, seen: &mut HashSet<ObjectId>) -> Vec<ObjectId> {
    let entry = |id: ObjectId, key: &[u8]| document.get_dictionary(id).ok().and_then(|item| reference(item, key));
    let mut items = Vec::new();
    let mut next = entry(list, b"First");
    while let Some(id) = next.filter(|id| document.get_dictionary(*id).is_ok() && seen.insert(*id)) {
        items.push(id);
        next = entry(id, b"Next");
    }
    items
}
