//! What PDF/UA-2 (ISO 14289-2) asks for beyond PDF/UA-1, of a document that was just tagged: a root element of PDF 2.0, footnotes of its
//! type, and destinations that are elements instead of pages.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::objects::{Lookup, decode, reference, text};
use docmill_pdf_fonts::stated::Stated;
use docmill_pdf_fonts::uses;
use docmill_pdf_structure::Targets;
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

use super::Origin;
use super::annotations::inherited;
use super::catalog::edit_files;
use super::characters::PRIVATE;
use super::check::Finding;

/// The namespace of PDF 2.0's standard types (ISO 32000-2, 14.8.6.1).
const NAMESPACE: &str = "http://iso.org/pdf2/ssn";

/// Changes a tagged document in place.
pub(super) fn upgrade(document: &mut Document, pages: &[ObjectId]) {
    let Some(root) = document.catalog().ok().and_then(|catalog| reference(catalog, b"StructTreeRoot")) else { return };
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("Version", "2.0");
    }
    let elements = elements(document, root);
    let namespace =
        document.add_object(dictionary! { "Type" => "Namespace", "NS" => Object::string_literal(NAMESPACE) });
    if let Ok(root) = document.get_dictionary_mut(root) {
        root.set("Namespaces", vec![namespace.into()]);
    }
    for (index, id) in elements.iter().enumerate() {
        let Ok(element) = document.get_dictionary_mut(*id) else { continue };
        let is_note = element.get(b"S").and_then(Object::as_name).is_ok_and(|kind| kind == b"Note");
        if is_note {
            element.set("S", "FENote");
            element.set("A", dictionary! { "O" => "FENote", "NoteType" => "Footnote" });
        }
        if is_note || index == 0 {
            element.set("NS", namespace);
        }
    }
    Destinations::new(document, pages, &elements).set(document, pages);
    describe_fields(document, pages);
    edit_files(document, &describe_file);
}

/// The elements of the tree, in their order; the first is the root element.
fn elements(document: &Document, root: ObjectId) -> Vec<ObjectId> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        let Some(entries) = document.get_dictionary(id).ok().filter(|_| seen.insert(id)) else { continue };
        if entries.has(b"S") {
            found.push(id);
        }
        let kids = document.listed(entries, b"K").iter().rev();
        waiting.extend(kids.filter_map(|kid| kid.as_reference().ok()));
    }
    found
}

/// Elements to which links and bookmarks lead.
struct Destinations {
    targets: Targets,
    /// The first element on each page.
    first: HashMap<ObjectId, ObjectId>,
}

impl Destinations {
    fn new(document: &Document, pages: &[ObjectId], elements: &[ObjectId]) -> Self {
        let mut first: HashMap<ObjectId, ObjectId> = HashMap::new();
        for id in elements {
            if let Some(page) = document.get_dictionary(*id).ok().and_then(|element| reference(element, b"Pg")) {
                first.entry(page).or_insert(*id);
            }
        }
        // A page without content is at the beginning of the next one, or else the document.
        let mut next = elements.first().copied();
        for page in pages.iter().rev() {
            next = first.get(page).copied().or(next);
            if let Some(element) = next {
                first.insert(*page, element);
            }
        }
        Self { targets: Targets::of(document), first }
    }

    /// Gives links, bookmarks and the action at the start an action with both: the page, and the element for readers that know it.
    fn set(&self, document: &mut Document, pages: &[ObjectId]) {
        let mut holders: Vec<ObjectId> = annotations(document, pages);
        holders.extend(outline(document));
        for id in holders {
            let Some(action) = document.get_dictionary(id).ok().and_then(|holder| self.action(document, holder)) else {
                continue;
            };
            if let Ok(holder) = document.get_dictionary_mut(id) {
                holder.remove(b"Dest");
                holder.set("A", action);
            }
        }
        let start = document.catalog().ok().and_then(|catalog| self.of_start(document, catalog));
        if let (Some(action), Ok(catalog)) = (start, document.catalog_mut()) {
            catalog.set("OpenAction", action);
        }
    }

    /// `None`: it leads to no place in this document.
    fn action(&self, document: &Document, holder: &Dictionary) -> Option<Dictionary> {
        if let Some(target) = document.value(holder, b"Dest") {
            return self.leading_to(document, Dictionary::new(), target);
        }
        let action = document.child(holder, b"A")?;
        let target = (document.name(action, b"S")? == b"GoTo").then(|| document.value(action, b"D"))??;
        self.leading_to(document, action.clone(), target)
    }

    fn of_start(&self, document: &Document, catalog: &Dictionary) -> Option<Dictionary> {
        match document.value(catalog, b"OpenAction")? {
            Object::Dictionary(action) if document.name(action, b"S") == Some(b"GoTo") => {
                self.leading_to(document, action.clone(), document.value(action, b"D")?)
            }
            Object::Dictionary(_) => None,
            target => self.leading_to(document, Dictionary::new(), target),
        }
    }

    fn leading_to(&self, document: &Document, mut action: Dictionary, target: &Object) -> Option<Dictionary> {
        let place = self.targets.explicit(document, target)?;
        let element = self.first.get(&place.first()?.as_reference().ok()?)?;
        let mut by_element = place.clone();
        *by_element.first_mut()? = (*element).into();
        action.set("S", "GoTo");
        action.set("D", place);
        action.set("SD", by_element);
        Some(action)
    }
}

fn annotations(document: &Document, pages: &[ObjectId]) -> Vec<ObjectId> {
    let pages = pages.iter().filter_map(|page| document.get_dictionary(*page).ok());
    pages.flat_map(|page| document.array(page, b"Annots")).filter_map(|entry| entry.as_reference().ok()).collect()
}

/// The items of the outline.
fn outline(document: &Document) -> Vec<ObjectId> {
    let mut seen = HashSet::new();
    let root = document.catalog().ok().and_then(|catalog| document.child(catalog, b"Outlines"));
    let mut waiting: Vec<ObjectId> = root.and_then(|root| reference(root, b"First")).into_iter().collect();
    while let Some(id) = waiting.pop() {
        let Some(item) = document.get_dictionary(id).ok().filter(|_| seen.insert(id)) else { continue };
        waiting.extend([b"First".as_slice(), b"Next"].into_iter().filter_map(|key| reference(item, key)));
    }
    seen.into_iter().collect()
}

/// Fields have their description as the one of their annotation too.
fn describe_fields(document: &mut Document, pages: &[ObjectId]) {
    for id in annotations(document, pages) {
        let Ok(widget) = document.get_dictionary(id) else { continue };
        if document.name(widget, b"Subtype") != Some(b"Widget") || widget.has(b"Contents") {
            continue;
        }
        let Some(description) = inherited(document, widget, b"TU") else { continue };
        if let Ok(widget) = document.get_dictionary_mut(id) {
            widget.set("Contents", text(&description));
        }
    }
}

/// Attached files have a description: their name, if nothing else is known.
fn describe_file(file: &mut Dictionary) {
    if !file.has(b"Desc") {
        let name = [b"UF".as_slice(), b"F"].iter().find_map(|key| decode(file.get(key).ok()?));
        file.set("Desc", text(name.as_deref().unwrap_or("Attachment")));
    }
}

/// What PDF/UA-2 asks for beyond PDF/UA-1 and the document does not have, as far as `upgrade` does not see to it. Rules are clauses of
/// ISO 14289-2.
pub(super) fn check(document: &Document, pages: &[ObjectId], origin: Origin) -> Vec<Finding> {
    let own_tags = match origin {
        Origin::Made => false,
        Origin::Repaired | Origin::Kept => true,
    };
    let form = document.catalog().ok().and_then(|catalog| document.child(catalog, b"AcroForm"));
    let rules = [
        (
            own_tags,
            "8.2.4",
            "The tags are the document's own, and not checked for PDF/UA-2. Set `existing` to `replace`.",
        ),
        (
            shows_private_characters(document),
            "8.4.3",
            "A font gives characters of the private use area, which have no meaning.",
        ),
        (
            plays(document, pages),
            "8.9.2.4.11",
            "Sounds and films in annotations are not allowed. Attach them as files.",
        ),
        (form.is_some_and(|form| form.has(b"XFA")), "8.10.1", "Forms in XFA are not allowed. Flatten the form."),
    ];
    let broken = rules.into_iter().filter(|(is_broken, ..)| *is_broken);
    broken
        .map(|(_, rule, message)| Finding { rule: rule.to_owned(), message: message.to_owned(), pages: Vec::new() })
        .collect()
}

fn shows_private_characters(document: &Document) -> bool {
    let Some(uses) = uses::find(document).or_else(|| uses::find_on_pages(document)) else { return true };
    uses.shown.iter().any(|(id, codes)| {
        let Ok(font) = document.get_dictionary(*id) else { return false };
        let stated = Stated::new(document, font);
        codes.iter().any(|code| stated.of(code).is_some_and(|text| text.chars().any(|c| PRIVATE.contains(&c))))
    })
}

fn plays(document: &Document, pages: &[ObjectId]) -> bool {
    let kind = |id: &ObjectId| document.name(document.get_dictionary(*id).ok()?, b"Subtype");
    annotations(document, pages).iter().any(|id| matches!(kind(id), Some(b"Sound" | b"Movie")))
}
