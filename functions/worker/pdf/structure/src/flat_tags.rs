//! Tags of annotations that become part of their page: what shows them is the content of their elements from then on.

use std::collections::BTreeMap;

use docmill_pdf_core::objects::{Lookup, reference, tree};
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

use super::fields::inherited;

/// Bits of a button field's flags (ISO 32000-1, table 226).
const RADIO: i64 = 1 << 15;
const PUSH: i64 = 1 << 16;

/// The tree of parents of a tagged document.
pub(super) struct FlatTags {
    /// Elements, or lists of them, by key.
    parents: BTreeMap<i64, Object>,
}

impl FlatTags {
    /// `None` if the document has no tags.
    pub(super) fn read(document: &Document) -> Option<Self> {
        let root = document.child(document.catalog().ok()?, b"StructTreeRoot")?;
        let entries = tree(document, document.child(root, b"ParentTree")?, b"Nums");
        let parents = entries.into_iter().filter_map(|(key, value)| Some((key.as_i64().ok()?, value)));
        Some(Self { parents: parents.collect() })
    }

    /// Makes content of the page the child of the annotation's element. Returns the content's mark, or `None` if the annotation
    /// has no element.
    pub(super) fn mark(&mut self, document: &mut Document, page: ObjectId, annotation: ObjectId) -> Option<i64> {
        let entries = document.get_dictionary(annotation).ok()?;
        let field = (document.name(entries, b"Subtype") == Some(b"Widget")).then(|| printed_field(document, entries));
        let element = self.parents.remove(&document.integer(entries, b"StructParent")?)?.as_reference().ok()?;
        let mark = self.next_mark(document, page, element)?;
        let content = dictionary! { "Type" => "MCR", "Pg" => page, "MCID" => mark };
        let kids = kids(document, element, annotation, Some(content.into()))?;
        let element = document.get_dictionary_mut(element).ok()?;
        element.set("K", kids);
        match field {
            Some(field) => element.set("A", field),
            // Nothing is annotated any more.
            None => element.set("S", "Span"),
        }
        Some(mark)
    }

    /// Removes the element of an annotation that nothing shows.
    pub(super) fn remove(&mut self, document: &mut Document, annotation: ObjectId) {
        let key =
            document.get_dictionary(annotation).ok().and_then(|entries| document.integer(entries, b"StructParent"));
        let element = key.and_then(|key| self.parents.remove(&key)).and_then(|element| element.as_reference().ok());
        let Some((element, kids)) = element.and_then(|id| Some((id, kids(document, id, annotation, None)?))) else {
            return;
        };
        if !kids.is_empty() {
            if let Ok(element) = document.get_dictionary_mut(element) {
                element.set("K", kids);
            }
            return;
        }
        let parent = document.get_dictionary(element).ok().and_then(|entries| reference(entries, b"P"));
        let Some((parent, rest)) = parent.and_then(|id| Some((id, without(document, id, element)?))) else { return };
        if let Ok(parent) = document.get_dictionary_mut(parent) {
            parent.set("K", rest);
        }
    }

    /// Writes the tree of parents.
    pub(super) fn write(self, document: &mut Document) {
        let root = document.catalog().ok().and_then(|catalog| reference(catalog, b"StructTreeRoot"));
        let next = self.next_key();
        let entries: Vec<Object> = self.parents.into_iter().flat_map(|(key, value)| [key.into(), value]).collect();
        let parents = document.add_object(dictionary! { "Nums" => entries });
        if let Some(root) = root.and_then(|root| document.get_dictionary_mut(root).ok()) {
            root.set("ParentTree", parents);
            root.set("ParentTreeNextKey", next);
        }
    }

    fn next_key(&self) -> i64 {
        self.parents.keys().next_back().map_or(0, |last| last + 1)
    }

    /// The next mark of the page's content, which belongs to this element.
    fn next_mark(&mut self, document: &mut Document, page: ObjectId, element: ObjectId) -> Option<i64> {
        let known = document.integer(document.get_dictionary(page).ok()?, b"StructParents");
        let key = known.unwrap_or_else(|| self.next_key());
        let mut elements = match self.parents.get(&key).and_then(|list| document.resolve(list)) {
            Some(Object::Array(elements)) => elements.clone(),
            Some(_) | None => Vec::new(),
        };
        let mark = i64::try_from(elements.len()).ok()?;
        elements.push(element.into());
        self.parents.insert(key, elements.into());
        document.get_dictionary_mut(page).ok()?.set("StructParents", key);
        Some(mark)
    }
}

/// The children of an element, with `instead` for the annotation. `None` if the element can't be read.
fn kids(document: &Document, element: ObjectId, annotation: ObjectId, instead: Option<Object>) -> Option<Vec<Object>> {
    let all = document.listed(document.get_dictionary(element).ok()?, b"K");
    let is_annotation =
        |kid: &Object| document.dictionary(kid).is_some_and(|kid| reference(kid, b"Obj") == Some(annotation));
    let mut rest: Vec<Object> = all.iter().filter(|kid| !is_annotation(kid)).cloned().collect();
    rest.extend(instead);
    Some(rest)
}

fn without(document: &Document, parent: ObjectId, element: ObjectId) -> Option<Vec<Object>> {
    let all = document.listed(document.get_dictionary(parent).ok()?, b"K");
    Some(all.iter().filter(|kid| !kid.as_reference().is_ok_and(|id| id == element)).cloned().collect())
}

/// What a field was, for readers of the page (ISO 32000-1, table 348).
fn printed_field(document: &Document, widget: &Dictionary) -> Dictionary {
    let flags = inherited(document, widget, b"Ff").and_then(|flags| flags.as_i64().ok()).unwrap_or(0);
    let is_button =
        inherited(document, widget, b"FT").is_some_and(|kind| kind.as_name().is_ok_and(|name| name == b"Btn"));
    let role = match is_button {
        true if flags & PUSH != 0 => "pb",
        true if flags & RADIO != 0 => "rb",
        true => "cb",
        false => "tv",
    };
    let mut field = dictionary! { "O" => "PrintField", "Role" => role };
    if matches!(role, "rb" | "cb") {
        let is_on = document.name(widget, b"AS").is_some_and(|state| state != b"Off");
        field.set("checked", if is_on { "on" } else { "off" });
    }
    if let Some(words) = inherited(document, widget, b"TU") {
        field.set("Desc", words.clone());
    }
    field
}
