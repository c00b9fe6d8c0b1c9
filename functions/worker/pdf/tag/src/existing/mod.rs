//! Mends the tags that a document has, and leaves what they say as it is: the structure that its author or the program that printed it gave.

mod lines;
mod loose;
mod nesting;
mod tables;
mod tree;

use std::collections::{BTreeMap, HashMap, HashSet};

use docmill_pdf_accessibility::attribute;
use docmill_pdf_core::headings::HeadingLevels;
use docmill_pdf_core::language::is_tag;
use docmill_pdf_core::objects::{self, Lookup, decode, string, text};
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_extract::model::Place;
use lopdf::{Document, Object, ObjectId, dictionary};

use super::annotations::Annotations;
use super::nodes::Tag;
use super::plan::{AlternativeText, is_of};
use tree::{Index, Kid, Tree};

/// What is left to do, and what there is.
#[derive(Debug, Default)]
pub(super) struct Mended {
    /// Figures without an alternative text.
    pub(super) undescribed: Vec<Place>,
    /// How many elements there are, by their standard type.
    pub(super) elements: BTreeMap<&'static str, usize>,
}

/// Mends the structure tree, and marks content that has no mark. Annotations have lost the numbers of their elements, and get new ones.
pub(super) fn mend(
    document: &mut Document,
    pages: &[ObjectId],
    annotations: &Annotations,
    texts: &[AlternativeText],
) -> Mended {
    let Some(mut tree) = Tree::read(document) else { return Mended::default() };
    tree.keep_pages(pages);
    lines::release(document, &mut tree);
    nesting::mend(document, &mut tree);
    for table in tree.in_order().into_iter().filter(|index| tree.kind(*index) == "Table").collect::<Vec<_>>() {
        tables::mend(document, &mut tree, table);
    }
    tag_annotations(document, pages, &mut tree, annotations);
    headings(&mut tree);
    notes(document, &mut tree);
    let languages = tree.in_order();
    languages.into_iter().for_each(|index| language(document, &mut tree, index));
    let undescribed = describe(document, pages, &mut tree, texts);
    loose::mark(document, pages, &mut tree);
    tree.write(document);
    Mended { undescribed, elements: count(&tree) }
}

fn count(tree: &Tree) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for element in tree.in_order().into_iter().filter_map(|index| tree.get(index)) {
        let kind = if element.kind == "Hn" { Tag::Heading(heading_level(element.level)).name() } else { element.kind };
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

fn heading_level(level: u32) -> u8 {
    u8::try_from(level).unwrap_or(6)
}

/// Gives headings levels without gaps, and numbers all of them if one is numbered.
fn headings(tree: &mut Tree) {
    let order = tree.in_order();
    let is_numbered = order.iter().any(|index| tree.kind(*index) == "Hn");
    let mut levels = HeadingLevels::default();
    for index in order {
        let level = match tree.kind(index) {
            "Hn" => tree.get(index).map_or(1, |heading| heading.level),
            "H" if is_numbered => levels.last().unwrap_or(1),
            _ => continue,
        };
        let new = levels.next(level);
        if tree.kind(index) == "H" || new != level {
            tree.level(index, new);
        }
    }
}

/// Gives each note an ID of its own.
fn notes(document: &mut Document, tree: &mut Tree) {
    let id = |tree: &Tree, index: Index| -> Option<Vec<u8>> {
        let id = document.value(&tree.get(index)?.entries, b"ID")?;
        objects::bytes(id).filter(|id| !id.is_empty()).map(<[u8]>::to_vec)
    };
    let order = tree.in_order();
    let mut taken: HashSet<Vec<u8>> = order.iter().filter_map(|index| id(tree, *index)).collect();
    let (mut seen, mut next) = (HashSet::new(), 1_usize);
    let mut new = Vec::new();
    for note in order {
        if tree.kind(note) != "Note" || id(tree, note).is_some_and(|own| seen.insert(own)) {
            continue;
        }
        let name = loop {
            let name = format!("note-{next}").into_bytes();
            next += 1;
            if taken.insert(name.clone()) {
                break name;
            }
        };
        tree.edit(note, |note| note.entries.set("ID", string(name.clone())));
        new.push((name, note));
    }
    if !new.is_empty() {
        list_ids(document, tree, new);
    }
}

/// Adds IDs to the tree by which elements are found.
fn list_ids(document: &mut Document, tree: &mut Tree, new: Vec<(Vec<u8>, Index)>) {
    let root = tree.get(Tree::ROOT).map(|root| &root.entries);
    let known = root.and_then(|root| document.child(root, b"IDTree"));
    let known = known.map(|known| objects::tree(document, known, b"Names")).unwrap_or_default();
    let known = known.into_iter().filter_map(|(name, of)| Some((objects::bytes(&name)?.to_vec(), of)));
    let mut all: BTreeMap<Vec<u8>, Object> = known.collect();
    all.extend(new.into_iter().filter_map(|(name, index)| Some((name, tree.get(index)?.reference()))));
    let limits: Vec<Object> =
        all.keys().next().into_iter().chain(all.keys().next_back()).map(|name| string(name.clone())).collect();
    let names: Vec<Object> = all.into_iter().flat_map(|(name, of)| [string(name), of]).collect();
    let leaf = document.add_object(dictionary! { "Limits" => limits, "Names" => names });
    tree.edit(Tree::ROOT, |root| root.entries.set("IDTree", dictionary! { "Kids" => vec![leaf.into()] }));
}

/// Removes a language whose tag is not valid.
fn language(document: &Document, tree: &mut Tree, index: Index) {
    let said = tree.get(index).and_then(|element| document.value(&element.entries, b"Lang"));
    if said.is_some_and(|said| decode(said).is_none_or(|said| !is_tag(&said))) {
        tree.edit(index, |element| drop(element.entries.remove(b"Lang")));
    }
}

/// Gives figures and formulas the texts of the caller, and returns the figures that have none.
fn describe(document: &Document, pages: &[ObjectId], tree: &mut Tree, texts: &[AlternativeText]) -> Vec<Place> {
    let mut missing = Vec::new();
    for index in tree.in_order() {
        let kind = tree.kind(index);
        if !matches!(kind, "Figure" | "Formula") {
            continue;
        }
        let place = place(document, pages, tree, index);
        let given = place.as_ref().and_then(|place| texts.iter().find(|text| is_of(text, place)));
        if let Some(given) = given {
            tree.edit(index, |element| element.entries.set("Alt", text(given.text.trim())));
            continue;
        }
        let Some(element) = tree.get(index) else { continue };
        let said = |key: &[u8]| document.value(&element.entries, key).and_then(decode);
        let is_described = said(b"Alt").is_some_and(|text| !text.is_empty()) || said(b"ActualText").is_some();
        if kind == "Figure" && !is_described {
            missing.extend(place);
        }
    }
    missing
}

/// Where an element is: its box, or else its page.
fn place(document: &Document, pages: &[ObjectId], tree: &Tree, index: Index) -> Option<Place> {
    let element = tree.get(index)?;
    let page = element.page.or_else(|| first_page(tree, index))?;
    let number = u32::try_from(pages.iter().position(|id| *id == page)? + 1).ok()?;
    let space = PageSpace::of(document, document.get_dictionary(page).ok()?);
    let (width, height) = space.size();
    let bounds = attribute(document, &element.entries, b"Layout", b"BBox");
    let bounds = bounds.and_then(|bounds| Rectangle::parse(document, bounds));
    let shown = bounds.map_or(Rectangle::of_size(width, height), |bounds| space.to_shown().apply_to(bounds));
    let corners = [shown.left, height - shown.top, shown.right, height - shown.bottom];
    Some(Place { page: number, corners: corners.map(|number| (f64::from(number) * 100.0).round() / 100.0) })
}

fn first_page(tree: &Tree, index: Index) -> Option<ObjectId> {
    let mut waiting = vec![index];
    while let Some(element) = waiting.pop().and_then(|index| tree.get(index)) {
        for kid in element.kids.iter().rev() {
            match kid {
                Kid::Content(content) => return Some(content.page),
                Kid::Object { page: Some(page), .. } => return Some(*page),
                Kid::Object { page: None, .. } => {}
                Kid::Element(index) => waiting.push(*index),
            }
        }
    }
    None
}

/// Puts each annotation into an element of its type.
fn tag_annotations(document: &mut Document, pages: &[ObjectId], tree: &mut Tree, annotations: &Annotations) {
    let mut holders: HashMap<ObjectId, Index> = HashMap::new();
    for index in tree.in_order() {
        for kid in tree.get(index).into_iter().flat_map(|element| &element.kids) {
            if let Kid::Object { object, .. } = kid {
                holders.insert(*object, index);
            }
        }
    }
    let last = last_of_pages(pages, tree);
    for (placed, tag) in annotations.all() {
        let kind = tag.name();
        let Some(page) = pages.get(placed.page) else { continue };
        let own = Kid::Object { object: placed.id, page: Some(*page) };
        if let Some(holder) = holders.get(&placed.id) {
            if tree.kind(*holder) != kind {
                let new = tree.add(document, kind, vec![own]);
                let is_it = |kid: &Kid| matches!(kid, Kid::Object { object, .. } if *object == placed.id);
                tree.edit(*holder, |element| {
                    element.kids.iter_mut().filter(|kid| is_it(kid)).for_each(|kid| *kid = Kid::Element(new));
                });
            }
            continue;
        }
        let mut new = tree.add(document, kind, vec![own]);
        if tag != Tag::Annotation {
            new = tree.add(document, "P", vec![Kid::Element(new)]);
        }
        let after = last.get(placed.page).copied().flatten();
        insert(tree, after, new);
    }
}

/// Puts an element behind another one, or at the end of the document.
fn insert(tree: &mut Tree, after: Option<(Index, Index)>, new: Index) {
    let top = tree.elements_in(Tree::ROOT).into_iter().next().unwrap_or(Tree::ROOT);
    let (parent, before) = after.map_or((top, None), |(parent, before)| (parent, Some(before)));
    tree.edit(parent, |element| {
        let at = element.kids.iter().position(|kid| Some(*kid) == before.map(Kid::Element));
        element.kids.insert(at.map_or(element.kids.len(), |at| at + 1), Kid::Element(new));
    });
}

/// For each page: the last element of the document with content on it, or on a page before, and what that is in.
fn last_of_pages(pages: &[ObjectId], tree: &Tree) -> Vec<Option<(Index, Index)>> {
    let numbers: HashMap<ObjectId, usize> = pages.iter().enumerate().map(|(number, id)| (*id, number)).collect();
    let top = tree.elements_in(Tree::ROOT).into_iter().next().unwrap_or(Tree::ROOT);
    let mut last = vec![None; pages.len()];
    for part in tree.elements_in(top) {
        let mut waiting = vec![part];
        while let Some(element) = waiting.pop().and_then(|index| tree.get(index)) {
            for kid in &element.kids {
                match kid {
                    Kid::Element(index) => waiting.push(*index),
                    Kid::Content(content) => {
                        let of_page = numbers.get(&content.page).and_then(|number| last.get_mut(*number));
                        of_page.into_iter().for_each(|last| *last = Some((top, part)));
                    }
                    Kid::Object { .. } => {}
                }
            }
        }
    }
    let mut before = None;
    for of_page in &mut last {
        before = of_page.or(before);
        *of_page = before;
    }
    last
}

#[cfg(test)]
mod tests;
