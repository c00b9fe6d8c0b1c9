//! The pages that a damaged document has.

use std::collections::HashSet;

use docmill_pdf_core::objects::{self, Lookup};
use docmill_pdf_core::pages;
use docmill_pdf_request::{ErrorCode, Failure};
use lopdf::xref::XrefEntry;
use lopdf::{Document, Object, ObjectId, dictionary};

use crate::direct_pages::lift;

/// The most pages that a warning names.
const NAMED: usize = 10;

/// What was found.
#[derive(Debug, PartialEq)]
pub(super) struct Pages {
    found: usize,
    /// How many pages the document says that it has, if that is believable.
    said: Option<usize>,
    /// Pages without what they draw, counted from 1.
    empty: Vec<usize>,
}

impl Pages {
    /// The end of a sentence that says that the document was repaired.
    pub(super) fn missing(&self, is_cut: bool) -> String {
        let mut facts = Vec::new();
        if is_cut {
            facts.push("the end of the file is missing".to_owned());
        }
        match self.said {
            Some(said) if said > self.found => facts.push(format!("{} of {said} pages were found", self.found)),
            Some(said) if said < self.found => facts.push(format!("it has {} pages, not {said}", self.found)),
            Some(_) | None => {}
        }
        if !self.empty.is_empty() {
            let named: Vec<String> = self.empty.iter().take(NAMED).map(usize::to_string).collect();
            let more = if self.empty.len() > NAMED { ", …" } else { "" };
            facts.push(format!("what these pages show is missing: {}{more}", named.join(", ")));
        }
        if facts.is_empty() { String::new() } else { format!(": {}", facts.join("; ")) }
    }
}

/// Gives the document a page tree of all its pages. Pages that no tree names are taken if a part of the tree is lost.
pub(super) fn set_right(document: &mut Document, limit: u32) -> Result<Pages, Failure> {
    lift(document);
    let root = document.catalog().ok().and_then(|catalog| document.child(catalog, b"Pages"));
    let said = root.and_then(|root| document.integer(root, b"Count")).and_then(|count| usize::try_from(count).ok());
    let is_lossy = loses_kids(document);
    let mut ids = match pages::read(document, limit) {
        Ok(tree) => tree.pages,
        Err(failure) if failure.code == ErrorCode::CorruptDocument => Vec::new(),
        Err(failure) => return Err(failure),
    };
    if is_lossy || ids.is_empty() {
        ids.extend(strays(document, &ids));
    }
    if ids.is_empty() {
        return Err(Failure::new(
            ErrorCode::CorruptDocument,
            "This PDF is damaged, and has no pages.",
            "rebuilding: no pages",
        ));
    }
    if u64::try_from(ids.len()).unwrap_or(u64::MAX) > u64::from(limit) {
        return Err(pages::too_many(limit));
    }
    let empty = (1..).zip(&ids).filter(|(_, id)| is_emptied(document, **id)).map(|(number, _)| number).collect();
    plant(document, &ids);
    let believable = said.filter(|said| *said > 0 && *said <= document.objects.len().saturating_mul(2));
    Ok(Pages { found: ids.len(), said: believable, empty })
}

/// Whether the page tree names parts that are not there.
fn loses_kids(document: &Document) -> bool {
    let there = |kid: &Object| document.resolve(kid).is_some_and(|kid| kid.as_dict().is_ok());
    let has_root = document.catalog().is_ok_and(|catalog| document.child(catalog, b"Pages").is_some());
    let nodes = document.objects.values().filter_map(|object| object.as_dict().ok());
    !has_root
        || nodes.filter(|node| node.has_type(b"Pages")).any(|node| !document.array(node, b"Kids").iter().all(there))
}

/// Pages beside those that are known, in the order of the file.
fn strays(document: &Document, known: &[ObjectId]) -> Vec<ObjectId> {
    let known: HashSet<ObjectId> = known.iter().copied().collect();
    let is_page =
        |id: &ObjectId| document.get_dictionary(*id).is_ok_and(|page| page.has_type(b"Page")) && !known.contains(id);
    let mut strays: Vec<ObjectId> = document.objects.keys().copied().filter(is_page).collect();
    let position = |number: u32| match document.reference_table.get(number) {
        Some(XrefEntry::Normal { offset, .. }) => Some(*offset),
        Some(XrefEntry::Compressed { .. } | XrefEntry::Free | XrefEntry::UnusableFree) | None => None,
    };
    // Those of object streams stay in the order of their numbers, after the others.
    strays.sort_by_key(|id| (position(id.0).unwrap_or(u32::MAX), id.0));
    strays
}

/// Whether a page names content, none of which is there.
fn is_emptied(document: &Document, id: ObjectId) -> bool {
    let Ok(contents) = document.get_dictionary(id).and_then(|page| page.get(b"Contents")) else { return false };
    let there = |part: &Object| document.resolve(part).is_some_and(|part| part.as_stream().is_ok());
    match document.resolve(contents) {
        Some(Object::Array(parts)) => !parts.is_empty() && !parts.iter().any(there),
        Some(content) => content.as_stream().is_err(),
        None => true,
    }
}

/// One node with these pages, which have what they inherit.
fn plant(document: &mut Document, ids: &[ObjectId]) {
    let kids: Vec<Object> = ids.iter().map(|id| Object::Reference(*id)).collect();
    let count = objects::count(ids.len());
    let root = document.add_object(dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count });
    for id in ids {
        if let Ok(page) = document.get_dictionary_mut(*id) {
            page.set("Parent", root);
            page.set("Type", "Page");
        }
    }
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("Pages", root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_says_what_is_missing() {
        let missing =
            |found, said, empty: &[usize], is_cut| Pages { found, said, empty: empty.to_vec() }.missing(is_cut);
        assert_eq!(missing(3, Some(3), &[], false), "");
        assert_eq!(
            missing(3, Some(5), &[2], true),
            ": the end of the file is missing; 3 of 5 pages were found; what these pages show is missing: 2"
        );
        assert_eq!(missing(3, Some(1), &[], false), ": it has 3 pages, not 1");
    }
}
