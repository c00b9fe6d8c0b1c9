//! Outlines: read as a tree, reduced to the remaining pages, and written.

use std::collections::HashSet;

use docmill_pdf_core::objects::{DEPTH, Lookup, decode, reference, text};
use docmill_pdf_core::writer::{PdfWriter, WriteError};
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

use super::copy::Copier;
use super::links::{self, Destinations};

/// Far more than documents have.
const ITEMS: usize = 100_000;

/// An item of an outline.
#[derive(Clone, Debug)]
pub struct Item {
    title: Object,
    /// `Dest` or `A`, and the style of the title.
    entries: Vec<(&'static str, Object)>,
    open: bool,
    /// The page of the source that it leads to.
    pub page: Option<ObjectId>,
    /// The items below it.
    pub kids: Vec<Item>,
}

impl Item {
    /// An item that points to the top of a page in the result.
    pub(super) fn to_page(title: &str, page: ObjectId, kids: Vec<Self>) -> Self {
        let target = vec![page.into(), "Fit".into()];
        Self { title: text(title), entries: vec![("Dest", target.into())], open: true, page: None, kids }
    }

    /// As a viewer shows it. `None` if it is no text.
    pub fn title(&self) -> Option<String> {
        decode(&self.title)
    }

    /// The number of items that are visible with this one.
    fn visible(&self) -> i64 {
        self.kids.iter().map(|kid| 1 + if kid.open { kid.visible() } else { 0 }).sum()
    }
}

pub(super) fn read(document: &Document, catalog: &Dictionary, destinations: &Destinations) -> Vec<Item> {
    let Some(root) = document.child(catalog, b"Outlines") else { return Vec::new() };
    Reader { document, destinations, seen: HashSet::new() }.chain(root, 0)
}

struct Reader<'a> {
    document: &'a Document,
    destinations: &'a Destinations,
    /// Siblings may form a circle, and an item may be its own child.
    seen: HashSet<ObjectId>,
}

impl Reader<'_> {
    fn chain(&mut self, parent: &Dictionary, depth: usize) -> Vec<Item> {
        let mut items = Vec::new();
        let mut next = reference(parent, b"First");
        while let Some(id) = next.filter(|id| self.seen.len() < ITEMS && self.seen.insert(*id)) {
            let document = self.document;
            let Ok(item) = document.get_dictionary(id) else { break };
            let kids = if depth < DEPTH { self.chain(item, depth + 1) } else { Vec::new() };
            items.push(self.item(item, kids));
            next = reference(item, b"Next");
        }
        items
    }

    fn item(&self, item: &Dictionary, kids: Vec<Item>) -> Item {
        let entries = ["Dest", "A", "C", "F"];
        Item {
            title: self.document.value(item, b"Title").cloned().unwrap_or_else(|| text("")),
            entries: entries
                .into_iter()
                .filter_map(|key| Some((key, item.get(key.as_bytes()).ok()?.clone())))
                .collect(),
            open: self.document.integer(item, b"Count").is_some_and(|count| count > 0),
            page: links::target(self.document, self.destinations, item),
            kids,
        }
    }
}

/// The part of an outline that points to these pages.
pub(super) fn prune(items: Vec<Item>, pages: &HashSet<ObjectId>) -> Vec<Item> {
    items
        .into_iter()
        .filter_map(|mut item| {
            item.kids = prune(std::mem::take(&mut item.kids), pages);
            if item.page.is_some_and(|page| pages.contains(&page)) {
                return Some(item);
            }
            item.entries.retain(|(key, _)| !matches!(*key, "Dest" | "A"));
            (!item.kids.is_empty()).then_some(item)
        })
        .collect()
}

/// The same items, with the object numbers of the result.
pub(super) fn mapped(copier: &mut Copier<'_>, writer: &mut PdfWriter, items: Vec<Item>) -> Vec<Item> {
    items
        .into_iter()
        .map(|item| {
            let mut entries = Dictionary::new();
            for (key, value) in item.entries {
                entries.set(key, value);
            }
            copier.rewrite_dictionary(writer, &mut entries);
            Item {
                entries: ["Dest", "A", "C", "F"]
                    .into_iter()
                    .filter_map(|key| Some((key, entries.remove(key.as_bytes())?)))
                    .collect(),
                title: copier.mapped(writer, &item.title),
                open: item.open,
                page: None,
                kids: mapped(copier, writer, item.kids),
            }
        })
        .collect()
}

/// Writes an outline. Returns its root, if there is one.
pub(super) fn write(writer: &mut PdfWriter, items: Vec<Item>) -> Result<Option<ObjectId>, WriteError> {
    if items.is_empty() {
        return Ok(None);
    }
    let root = writer.reserve();
    let count: i64 = items.iter().map(|item| 1 + if item.open { item.visible() } else { 0 }).sum();
    let mut node = dictionary! { "Type" => "Outlines", "Count" => count };
    write_chain(writer, items, root, &mut node)?;
    writer.put(root, node.into())?;
    Ok(Some(root))
}

fn write_chain(
    writer: &mut PdfWriter,
    items: Vec<Item>,
    parent: ObjectId,
    parent_node: &mut Dictionary,
) -> Result<(), WriteError> {
    let ids: Vec<ObjectId> = items.iter().map(|_| writer.reserve()).collect();
    if let (Some(first), Some(last)) = (ids.first(), ids.last()) {
        parent_node.set("First", *first);
        parent_node.set("Last", *last);
    }
    let mut previous = None;
    let next = ids.iter().skip(1).map(Some).chain([None]);
    for ((item, id), next) in items.into_iter().zip(&ids).zip(next) {
        let visible = item.visible();
        let mut node = dictionary! { "Title" => item.title, "Parent" => parent };
        if let Some(previous) = previous.replace(*id) {
            node.set("Prev", previous);
        }
        if let Some(next) = next {
            node.set("Next", *next);
        }
        if !item.kids.is_empty() {
            node.set("Count", if item.open { visible } else { -visible.max(1) });
        }
        for (key, value) in item.entries {
            node.set(key, value);
        }
        write_chain(writer, item.kids, *id, &mut node)?;
        writer.put(*id, node.into())?;
    }
    Ok(())
}
