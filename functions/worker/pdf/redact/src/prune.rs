//! Removes resources and objects that no page draws any more.

use std::collections::HashSet;

use docmill_pdf_core::objects::{Lookup, references, unpacked};
use docmill_pdf_core::operations;
use lopdf::{Dictionary, Document, Object, ObjectId};

/// Kinds of resources that can put something on a page.
const KINDS: [&[u8]; 7] = [b"XObject", b"ExtGState", b"Pattern", b"Shading", b"Properties", b"ColorSpace", b"Font"];
/// The largest unpacked content stream, in bytes.
const CONTENT_BYTES: usize = 64 << 20;
/// Dictionary entries that lead to other pages or to the structure tree, and not to what a page draws.
const AWAY: [&[u8]; 8] = [b"Parent", b"P", b"Pg", b"Dest", b"A", b"StructParent", b"IRT", b"Next"];

/// Joins the content streams of a page. `None` if one can't be unpacked.
pub(super) fn page_content(document: &Document, page: ObjectId) -> Option<Vec<u8>> {
    let page = document.get_dictionary(page).ok()?;
    let streams = match page.get(b"Contents").ok().and_then(|contents| document.resolve(contents)) {
        Some(Object::Array(streams)) => streams.iter().filter_map(|stream| document.resolve(stream)).collect(),
        Some(stream) => vec![stream],
        None => Vec::new(),
    };
    let mut content = Vec::new();
    for stream in streams.into_iter().filter_map(|stream| stream.as_stream().ok()) {
        content.extend(unpacked(stream, CONTENT_BYTES.saturating_sub(content.len()))?);
        content.push(b'\n');
    }
    Some(content)
}

/// Removes from pages and forms the resources that their content does not name. Returns the pages whose content can't be read.
pub(super) fn resources(document: &mut Document, pages: &[ObjectId]) -> Vec<ObjectId> {
    let mut unread = Vec::new();
    for id in pages {
        let names = page_content(document, *id).and_then(|content| names(&content));
        let Ok(page) = document.get_dictionary(*id) else { continue };
        let Some(all) = document.child(page, b"Resources").cloned() else { continue };
        let names = names.and_then(|names| with_inherited(document, &all, names));
        let Some(names) = names else {
            unread.push(*id);
            continue;
        };
        let left = kept(document, &all, &names);
        if let Ok(page) = document.get_dictionary_mut(*id) {
            page.set("Resources", left);
        }
    }
    let forms: Vec<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| {
            object.as_stream().is_ok_and(|form| form.dict.has(b"BBox") && form.dict.has(b"Resources"))
        })
        .map(|(id, _)| *id)
        .collect();
    for id in forms {
        let Ok(form) = document.get_object(id).and_then(Object::as_stream) else { continue };
        let Some(all) = document.child(&form.dict, b"Resources").cloned() else { continue };
        let names = unpacked(form, CONTENT_BYTES).and_then(|content| names(&content));
        let Some(names) = names.and_then(|names| with_inherited(document, &all, names)) else { continue };
        let left = kept(document, &all, &names);
        if let Ok(form) = document.get_object_mut(id).and_then(Object::as_stream_mut) {
            form.dict.set("Resources", left);
        }
    }
    unread
}

fn kept(document: &Document, all: &Dictionary, names: &HashSet<Vec<u8>>) -> Dictionary {
    let mut left = all.clone();
    for kind in KINDS {
        if let Some(entries) = document.child(all, kind) {
            let is_used = |name: &[u8]| names.contains(name) || kind == b"ColorSpace" && name.starts_with(b"Default");
            let used: Dictionary = entries
                .iter()
                .filter(|(name, _)| is_used(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            left.set(kind, used);
        }
    }
    left
}

/// Collects all names in the operands of content. `None` if the content can't be read.
fn names(content: &[u8]) -> Option<HashSet<Vec<u8>>> {
    let content = operations::decode(content)?;
    let mut found = HashSet::new();
    for operation in &content.operations {
        operation.operands.iter().for_each(|operand| add_names(operand, &mut found));
    }
    Some(found)
}

fn add_names(object: &Object, found: &mut HashSet<Vec<u8>>) {
    match object {
        Object::Name(name) => drop(found.insert(name.clone())),
        Object::Array(parts) => parts.iter().for_each(|part| add_names(part, found)),
        Object::Dictionary(dictionary) => dictionary.iter().for_each(|(_, value)| add_names(value, found)),
        Object::Stream(stream) => stream.dict.iter().for_each(|(_, value)| add_names(value, found)),
        _ => {}
    }
}

/// Includes names in forms without their own resources.
fn with_inherited(
    document: &Document,
    resources: &Dictionary,
    mut found: HashSet<Vec<u8>>,
) -> Option<HashSet<Vec<u8>>> {
    let mut seen = HashSet::new();
    loop {
        let before = found.len();
        let objects = document.child(resources, b"XObject");
        for (name, object) in objects.into_iter().flat_map(Dictionary::iter) {
            let form = document.resolve(object).and_then(|object| object.as_stream().ok());
            let form = form.filter(|form| form.dict.has(b"BBox") && !form.dict.has(b"Resources"));
            if let Some(form) = form
                && found.contains(name)
                && seen.insert(name.clone())
            {
                found.extend(names(&unpacked(form, CONTENT_BYTES)?)?);
            }
        }
        if found.len() == before {
            return Some(found);
        }
    }
}

/// All objects that can be reached from these objects by drawing them.
pub(super) fn reachable(document: &Document, from: impl IntoIterator<Item = ObjectId>) -> HashSet<ObjectId> {
    let mut seen = HashSet::new();
    let mut wanted: Vec<ObjectId> = from.into_iter().collect();
    while let Some(id) = wanted.pop() {
        if !seen.insert(id) {
            continue;
        }
        match document.objects.get(&id) {
            Some(Object::Dictionary(dictionary)) => follow(dictionary, &mut wanted),
            Some(Object::Stream(stream)) => follow(&stream.dict, &mut wanted),
            Some(other) => references(other, &mut wanted),
            None => {}
        }
    }
    seen
}

fn follow(dictionary: &Dictionary, wanted: &mut Vec<ObjectId>) {
    for (_, value) in dictionary.iter().filter(|(key, _)| !AWAY.contains(&key.as_slice())) {
        references(value, wanted);
    }
}

/// Removes these objects and those that they refer to, unless a page draws them. Other references don't count.
pub(super) fn unused(document: &mut Document, pages: &[ObjectId], objects: HashSet<ObjectId>) {
    let candidates = reachable(document, objects);
    let form = document.catalog().ok().and_then(|catalog| catalog.get(b"AcroForm").and_then(Object::as_reference).ok());
    let drawn = reachable(document, pages.iter().copied().chain(form));
    for id in candidates {
        let is_seen = |object: &Object| {
            let is_part = |dictionary: &Dictionary| {
                dictionary.has_type(b"Page") || dictionary.has_type(b"Pages") || dictionary.has_type(b"Catalog")
            };
            object.as_dict().is_ok_and(is_part)
        };
        if !drawn.contains(&id) && !document.objects.get(&id).is_some_and(is_seen) {
            document.objects.remove(&id);
        }
    }
}
