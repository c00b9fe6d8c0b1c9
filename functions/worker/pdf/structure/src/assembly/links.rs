//! Destinations, and annotations that point to them.

use std::collections::{BTreeMap, HashSet};

use docmill_pdf_core::objects::{Lookup, bytes, tree};
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

use super::copy::Copier;
use super::unique::unique;
use crate::fields::inherited;

/// Names may lead to other names. Deeper chains are circular.
const HOPS: usize = 8;

/// All named destinations of a document, of both kinds.
pub(super) type Destinations = BTreeMap<Vec<u8>, Object>;

pub(super) fn read(document: &Document, catalog: &Dictionary) -> Destinations {
    let mut found = Destinations::new();
    if let Some(old) = document.child(catalog, b"Dests") {
        found.extend(old.iter().map(|(name, target)| (name.clone(), target.clone())));
    }
    if let Some(root) = document.child(catalog, b"Names").and_then(|names| document.child(names, b"Dests")) {
        for (name, target) in tree(document, root, b"Names") {
            if let Some(name) = bytes(&name) {
                found.insert(name.to_vec(), target);
            }
        }
    }
    found
}

/// Where links and bookmarks of a document may lead.
#[derive(Debug)]
pub struct Targets(Destinations);

impl Targets {
    /// Reads the names of destinations.
    pub fn of(document: &Document) -> Self {
        Self(document.catalog().map_or_else(|_| Destinations::new(), |catalog| read(document, catalog)))
    }

    /// The page that a target leads to, and how it is shown. `None` if it leads nowhere.
    pub fn explicit(&self, document: &Document, target: &Object) -> Option<Vec<Object>> {
        explicit(document, &self.0, target).map(<[Object]>::to_vec)
    }
}

/// The page that a destination shows.
pub(super) fn page_of(document: &Document, destinations: &Destinations, target: &Object) -> Option<ObjectId> {
    explicit(document, destinations, target)?.first()?.as_reference().ok()
}

/// A destination with its name resolved: the page, and how it is shown.
fn explicit<'d>(document: &'d Document, destinations: &'d Destinations, target: &'d Object) -> Option<&'d [Object]> {
    let mut target = target;
    for _ in 0..HOPS {
        target = match document.resolve(target)? {
            Object::Array(parts) => return Some(parts),
            Object::Dictionary(holder) => holder.get(b"D").ok()?,
            Object::String(name, _) | Object::Name(name) => destinations.get(name)?,
            _ => return None,
        };
    }
    None
}

/// The named destinations of a document, and the page that each shows.
pub fn named_pages(document: &Document) -> Vec<(Vec<u8>, ObjectId)> {
    let Ok(catalog) = document.catalog() else { return Vec::new() };
    let destinations = read(document, catalog);
    let page = |(name, target): (&Vec<u8>, &Object)| Some((name.clone(), page_of(document, &destinations, target)?));
    destinations.iter().filter_map(page).collect()
}

/// The page in this document that an annotation or an outline item leads to.
pub(super) fn target(document: &Document, destinations: &Destinations, from: &Dictionary) -> Option<ObjectId> {
    if let Ok(target) = from.get(b"Dest") {
        return page_of(document, destinations, target);
    }
    let action = document.child(from, b"A")?;
    (document.name(action, b"S")? == b"GoTo").then(|| page_of(document, destinations, action.get(b"D").ok()?))?
}

/// Renames destinations whose names another source uses.
pub(super) fn rename(destinations: &Destinations, taken: &BTreeMap<Vec<u8>, Object>) -> BTreeMap<Vec<u8>, Vec<u8>> {
    destinations
        .keys()
        .map(|name| {
            let new = if taken.contains_key(name) {
                unique(name, |name| taken.contains_key(name) || destinations.contains_key(name))
            } else {
                name.clone()
            };
            (name.clone(), new)
        })
        .collect()
}

/// The annotations of a page, without links to pages that are not in the result.
pub(super) fn keep(
    copier: &mut Copier<'_>,
    destinations: &Destinations,
    page: &Dictionary,
    pages: &HashSet<ObjectId>,
) -> Vec<Object> {
    let document = copier.document();
    let (kept, gone): (Vec<Object>, Vec<Object>) =
        document.array(page, b"Annots").iter().cloned().partition(|annotation| {
            let Some(annotation) = document.dictionary(annotation) else { return false };
            let is_link = document.name(annotation, b"Subtype") == Some(b"Link");
            !is_link || target(document, destinations, annotation).is_none_or(|page| pages.contains(&page))
        });
    for id in gone.iter().filter_map(|annotation| annotation.as_reference().ok()) {
        copier.drop_object(id);
    }
    kept
}

/// An annotation of a repeated page: a separate copy. Fields, which exist only once, are pictures.
pub(super) fn repeat(document: &Document, annotation: &Object) -> Option<Dictionary> {
    let annotation = document.dictionary(annotation)?;
    let mut new = if document.name(annotation, b"Subtype") == Some(b"Widget") {
        picture(document, annotation)?
    } else {
        annotation.clone()
    };
    for key in [b"StructParent".as_slice(), b"Popup", b"IRT", b"Parent", b"NM", b"P"] {
        new.remove(key);
    }
    (document.name(annotation, b"Subtype") != Some(b"Popup")).then_some(new)
}

/// The appearance of a field, as a stamp.
fn picture(document: &Document, widget: &Dictionary) -> Option<Dictionary> {
    let appearance = widget_appearance(document, widget)?;
    let flags = document.integer(widget, b"F").unwrap_or(4) | 64;
    let mut stamp = dictionary! {
        "Type" => "Annot", "Subtype" => "Stamp", "F" => flags, "Rect" => widget.get(b"Rect").ok()?.clone(),
        "AP" => dictionary! { "N" => appearance },
    };
    if let Some(words) = inherited(document, widget, b"TU") {
        stamp.set("Contents", words.clone());
    }
    Some(stamp)
}

/// The normal appearance in the annotation's present state.
pub fn widget_appearance(document: &Document, annotation: &Dictionary) -> Option<ObjectId> {
    let normal = document.child(annotation, b"AP")?.get(b"N").ok()?;
    match document.resolve(normal)? {
        Object::Stream(_) => normal.as_reference().ok(),
        Object::Dictionary(states) => {
            let state = document.name(annotation, b"AS")?;
            states.get(state).ok()?.as_reference().ok()
        }
        _ => None,
    }
}
