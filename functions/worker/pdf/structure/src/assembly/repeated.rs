//! Pages that a result has more than once: in a tagged document, each copy is a page of its own, with elements of its own.

use std::collections::{BTreeMap, HashMap, HashSet};

use docmill_pdf_core::objects::{Lookup, bytes, reference, string, tree};
use lopdf::{Dictionary, Document, Object, ObjectId};

use super::links;
use super::source::{PageUse, Source};
use super::tags::{add_cells, with_ancestors};
use super::unique::unique;

/// Most elements of all copies.
const MOST_ELEMENTS: usize = 200_000;

impl Source {
    /// Uses in which no page of a tagged document comes twice: further uses get copies of their page, behind all pages. A page whose
    /// elements can't be copied still comes twice. Other documents stay as they are.
    pub fn with_copies(&mut self, uses: &[PageUse]) -> Vec<PageUse> {
        let copies = if has_repeated(uses) { Copies::new(&self.document, &self.catalog) } else { None };
        let Some(mut copies) = copies else { return uses.to_vec() };
        let mut seen = HashSet::new();
        let mut before = None;
        let mut separate = uses.to_vec();
        for used in &mut separate {
            let Some(page) = self.pages.get(used.index).copied() else { continue };
            let again = !seen.insert(page);
            let copy = if again { copies.add(&mut self.document, page, before) } else { None };
            if let Some(copy) = copy {
                used.index = self.pages.len();
                self.pages.push(copy);
                self.cut = true;
            }
            before = Some(copy.unwrap_or(page));
        }
        copies.write(&mut self.document);
        separate
    }
}

/// Whether a page comes more than once.
pub fn has_repeated(uses: &[PageUse]) -> bool {
    let mut seen = HashSet::new();
    !uses.iter().all(|used| seen.insert(used.index))
}

/// The tree of a document's structure, while copies of pages are added.
struct Copies {
    root: ObjectId,
    /// The element that has all others, or the root.
    top: ObjectId,
    /// The children of the top element.
    kids: Vec<Object>,
    /// Elements, or lists of them, by key.
    parents: BTreeMap<i64, Object>,
    next_key: i64,
    ids: BTreeMap<Vec<u8>, Object>,
    /// How many copies of pages there are.
    count: usize,
    /// How many elements may still be added.
    room: usize,
}

/// What takes the place of what, on a copy of a page.
struct Replaced {
    page: (ObjectId, ObjectId),
    /// Annotations, and forms with content that elements have.
    objects: HashMap<ObjectId, ObjectId>,
    elements: HashMap<ObjectId, ObjectId>,
    ids: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Fields, which exist only once: their copies are pictures.
    fields: HashSet<ObjectId>,
}

impl Copies {
    fn new(document: &Document, catalog: &Dictionary) -> Option<Self> {
        let root = reference(catalog, b"StructTreeRoot")?;
        let entries = document.get_dictionary(root).ok()?;
        let only = match document.listed(entries, b"K") {
            [only] => only.as_reference().ok(),
            _ => None,
        };
        let is_document = |id: &ObjectId| {
            document.get_dictionary(*id).is_ok_and(|element| document.name(element, b"S") == Some(b"Document"))
        };
        let top = only.filter(is_document).unwrap_or(root);
        let kids = document.listed(document.get_dictionary(top).ok()?, b"K").to_vec();
        let parents = tree(document, document.child(entries, b"ParentTree")?, b"Nums");
        let parents: BTreeMap<i64, Object> =
            parents.into_iter().filter_map(|(key, value)| Some((key.as_i64().ok()?, value))).collect();
        let after = parents.keys().next_back().map_or(0, |last| last.saturating_add(1));
        let next_key = document.integer(entries, b"ParentTreeNextKey").map_or(after, |next| next.max(after));
        let ids = document.child(entries, b"IDTree").map_or_else(Vec::new, |names| tree(document, names, b"Names"));
        let ids = ids.into_iter().filter_map(|(id, element)| Some((bytes(&id)?.to_vec(), element))).collect();
        Some(Self { root, top, kids, parents, next_key, ids, count: 1, room: MOST_ELEMENTS })
    }

    /// Adds a copy of a page. `before`: the page that comes before it, whose elements those of the copy follow. `None` if its
    /// elements can't be copied.
    fn add(&mut self, document: &mut Document, page: ObjectId, before: Option<ObjectId>) -> Option<ObjectId> {
        let mut entries = document.get_dictionary(page).ok()?.clone();
        let annotations = document.array(&entries, b"Annots").to_vec();
        let forms = marked_forms(document, &entries);
        let tagged: Vec<ObjectId> =
            annotations.iter().filter_map(|entry| entry.as_reference().ok()).chain(forms.values().copied()).collect();
        let kept = self.elements(document, page, &tagged);
        let forms_of_page: HashSet<ObjectId> = forms.values().copied().collect();
        if kept.len() > self.room || has_other_forms(document, &kept, page, &forms_of_page) {
            return None;
        }
        self.room -= kept.len();
        self.count += 1;
        let new = document.new_object_id();
        let mut replaced = Replaced {
            page: (page, new),
            objects: HashMap::new(),
            elements: kept.iter().map(|id| (*id, document.new_object_id())).collect(),
            ids: BTreeMap::new(),
            fields: HashSet::new(),
        };
        self.name_elements(document, &kept, &mut replaced);
        let annotations = self.copy_annotations(document, &annotations, &mut replaced);
        self.copy_forms(document, &forms, &mut entries, &mut replaced);
        self.copy_elements(document, &kept, &replaced);
        self.place(document, before, &kept, &replaced);
        if let Some(key) = document.integer(&entries, b"StructParents") {
            entries.set("StructParents", self.copy_key(document, key, &replaced));
        }
        entries.set("Annots", annotations);
        document.objects.insert(new, entries.into());
        Some(new)
    }

    /// The elements with content of a page, and those that they are in, without the top one.
    fn elements(&self, document: &Document, page: ObjectId, tagged: &[ObjectId]) -> HashSet<ObjectId> {
        let keys = [page].into_iter().chain(tagged.iter().copied()).filter_map(|id| key_of(document, id));
        let entries = keys.filter_map(|key| self.parents.get(&key));
        let mut kept = with_ancestors(document, entries, &[self.top, self.root]);
        add_cells(document, &mut kept);
        kept
    }

    /// Elements are told apart by their names.
    fn name_elements(&mut self, document: &Document, kept: &HashSet<ObjectId>, replaced: &mut Replaced) {
        for id in kept {
            let name = document.get_dictionary(*id).ok().and_then(|element| document.value(element, b"ID"));
            let Some(name) = name.and_then(bytes) else { continue };
            let wanted = [name, format!(".{}", self.count).as_bytes()].concat();
            let new = unique(&wanted, |name| self.ids.contains_key(name));
            if let Some(element) = replaced.elements.get(id) {
                self.ids.insert(new.clone(), (*element).into());
            }
            replaced.ids.insert(name.to_vec(), new);
        }
    }

    fn copy_annotations(&mut self, document: &mut Document, all: &[Object], replaced: &mut Replaced) -> Vec<Object> {
        let mut copies = Vec::new();
        for annotation in all {
            let Some(mut copy) = links::repeat(document, annotation) else { continue };
            let id = document.new_object_id();
            copy.set("P", replaced.page.1);
            if let Ok(old) = annotation.as_reference() {
                replaced.objects.insert(old, id);
                let entries = document.dictionary(annotation);
                if entries.is_some_and(|entries| document.name(entries, b"Subtype") == Some(b"Widget")) {
                    replaced.fields.insert(old);
                }
                if let Some(key) = key_of(document, old) {
                    copy.set("StructParent", self.copy_key(document, key, replaced));
                }
            }
            document.objects.insert(id, copy.into());
            copies.push(id.into());
        }
        copies
    }

    fn copy_forms(
        &mut self,
        document: &mut Document,
        forms: &BTreeMap<Vec<u8>, ObjectId>,
        page: &mut Dictionary,
        replaced: &mut Replaced,
    ) {
        if forms.is_empty() {
            return;
        }
        let mut resources = document.child(page, b"Resources").cloned().unwrap_or_default();
        let mut objects = document.child(&resources, b"XObject").cloned().unwrap_or_default();
        for (name, form) in forms {
            let new = match replaced.objects.get(form) {
                Some(new) => *new,
                None => {
                    let Some(mut copy) = document.get_object(*form).and_then(Object::as_stream).ok().cloned() else {
                        continue;
                    };
                    if let Some(key) = document.integer(&copy.dict, b"StructParents") {
                        copy.dict.set("StructParents", self.copy_key(document, key, replaced));
                    }
                    document.add_object(copy)
                }
            };
            replaced.objects.insert(*form, new);
            objects.set(name.clone(), new);
        }
        resources.set("XObject", objects);
        page.set("Resources", resources);
    }

    /// A new key, for the copies of the elements of this one.
    fn copy_key(&mut self, document: &Document, key: i64, replaced: &Replaced) -> i64 {
        let copy = |owner: &Object| {
            let new = owner.as_reference().ok().and_then(|id| replaced.elements.get(&id));
            new.map_or(Object::Null, |id| Object::Reference(*id))
        };
        let value = self.parents.get(&key).map(|value| match document.resolve(value) {
            Some(Object::Array(owners)) => Object::Array(owners.iter().map(copy).collect()),
            Some(_) | None => copy(value),
        });
        let new = self.next_key;
        self.next_key = new.saturating_add(1);
        if let Some(value) = value {
            self.parents.insert(new, value);
        }
        new
    }

    fn copy_elements(&self, document: &mut Document, kept: &HashSet<ObjectId>, replaced: &Replaced) {
        for id in kept {
            let Some(new) = replaced.elements.get(id) else { continue };
            let Some(copy) = document.get_dictionary(*id).ok().map(|element| self.copy(document, element, replaced))
            else {
                continue;
            };
            document.objects.insert(*new, copy.into());
        }
    }

    /// An element with nothing but what is on the copy of the page.
    fn copy(&self, document: &Document, element: &Dictionary, replaced: &Replaced) -> Dictionary {
        let mut copy = element.clone();
        let page = reference(element, b"Pg");
        let all = document.listed(element, b"K");
        let kids: Vec<Object> = all.iter().filter_map(|kid| replaced.kid(document, kid, page)).collect();
        let has_field = |kid: &Object| {
            document
                .dictionary(kid)
                .and_then(|kid| reference(kid, b"Obj"))
                .is_some_and(|id| replaced.fields.contains(&id))
        };
        if all.iter().any(has_field) {
            copy.set("S", Object::Name(b"Annot".to_vec()));
        }
        copy.set("K", kids);
        copy.remove(b"Ref");
        copy.remove(b"Pg");
        if page == Some(replaced.page.0) {
            copy.set("Pg", replaced.page.1);
        }
        let parent = reference(element, b"P").and_then(|parent| replaced.elements.get(&parent)).copied();
        copy.set("P", parent.unwrap_or(self.top));
        if let Some(id) = document.value(element, b"ID").and_then(bytes).and_then(|id| replaced.ids.get(id)) {
            copy.set("ID", string(id.clone()));
        }
        if let Ok(attributes) = element.get(b"A") {
            copy.set("A", replaced.attributes(document, attributes));
        }
        copy
    }

    /// Puts the copies of elements after those of the page before.
    fn place(&mut self, document: &Document, before: Option<ObjectId>, kept: &HashSet<ObjectId>, replaced: &Replaced) {
        let is_in =
            |elements: &HashSet<ObjectId>, kid: &Object| kid.as_reference().is_ok_and(|id| elements.contains(&id));
        let own: Vec<Object> = self.kids.iter().filter(|kid| is_in(kept, kid)).cloned().collect();
        let new = own.iter().filter_map(|kid| replaced.elements.get(&kid.as_reference().ok()?));
        let new: Vec<Object> = new.map(|id| Object::Reference(*id)).collect();
        let earlier = before.map_or_else(HashSet::new, |page| self.elements(document, page, &[]));
        let last = self.kids.iter().rposition(|kid| is_in(&earlier, kid));
        let at = last.map_or(self.kids.len(), |last| last + 1);
        self.kids.splice(at..at, new);
    }

    fn write(self, document: &mut Document) {
        if let Ok(top) = document.get_dictionary_mut(self.top) {
            top.set("K", self.kids);
        }
        let parents: Vec<Object> = self.parents.into_iter().flat_map(|(key, value)| [key.into(), value]).collect();
        let parents = document.add_object(lopdf::dictionary! { "Nums" => parents });
        let ids: Vec<Object> = self.ids.into_iter().flat_map(|(id, element)| [string(id), element]).collect();
        if let Ok(root) = document.get_dictionary_mut(self.root) {
            root.set("ParentTree", parents);
            root.set("ParentTreeNextKey", self.next_key);
            if !ids.is_empty() {
                root.set("IDTree", lopdf::dictionary! { "Names" => ids });
            }
        }
    }
}

impl Replaced {
    /// The copy of an element's child. `None` if it is not on the page.
    fn kid(&self, document: &Document, kid: &Object, page: Option<ObjectId>) -> Option<Object> {
        let entries = match document.resolve(kid)? {
            Object::Integer(_) => return (page == Some(self.page.0)).then(|| kid.clone()),
            Object::Dictionary(entries) => entries,
            _ => return None,
        };
        if let Some(object) = reference(entries, b"Obj") {
            let mut copy = entries.clone();
            copy.set("Obj", *self.objects.get(&object)?);
            copy.set("Pg", self.page.1);
            return Some(copy.into());
        }
        if entries.has(b"MCID") {
            let mut copy = entries.clone();
            (reference(entries, b"Pg").or(page) == Some(self.page.0)).then(|| copy.set("Pg", self.page.1))?;
            if let Some(form) = reference(entries, b"Stm") {
                copy.set("Stm", *self.objects.get(&form)?);
            }
            return Some(copy.into());
        }
        self.elements.get(&kid.as_reference().ok()?).map(|id| Object::Reference(*id))
    }

    /// Attributes, with the names of copied cells in place of those that head a cell.
    fn attributes(&self, document: &Document, attributes: &Object) -> Object {
        match document.resolve(attributes) {
            Some(Object::Array(all)) => Object::Array(all.iter().map(|one| self.headed(document, one)).collect()),
            Some(_) | None => self.headed(document, attributes),
        }
    }

    fn headed(&self, document: &Document, attributes: &Object) -> Object {
        let entries = document.dictionary(attributes).filter(|entries| entries.has(b"Headers"));
        let Some(entries) = entries else { return attributes.clone() };
        let new = |head: &Object| self.ids.get(bytes(document.resolve(head)?)?).map(|id| string(id.clone()));
        let heads: Vec<Object> = document.array(entries, b"Headers").iter().filter_map(new).collect();
        let mut copy = entries.clone();
        copy.set("Headers", heads);
        copy.into()
    }
}

/// The key of the elements of a page, a form or an annotation.
fn key_of(document: &Document, id: ObjectId) -> Option<i64> {
    let entries = match document.get_object(id).ok()? {
        Object::Dictionary(entries) => entries,
        Object::Stream(stream) => &stream.dict,
        _ => return None,
    };
    document.integer(entries, b"StructParents").or_else(|| document.integer(entries, b"StructParent"))
}

/// Forms of a page with content that elements have, by name.
fn marked_forms(document: &Document, page: &Dictionary) -> BTreeMap<Vec<u8>, ObjectId> {
    let resources = document.child(page, b"Resources");
    let objects = resources.and_then(|resources| document.child(resources, b"XObject"));
    let named = objects.into_iter().flat_map(Dictionary::iter);
    let is_marked = |id: &ObjectId| {
        let stream = document.get_object(*id).and_then(Object::as_stream);
        stream.is_ok_and(|stream| stream.dict.has(b"StructParents"))
    };
    let forms = named.filter_map(|(name, object)| Some((name.clone(), object.as_reference().ok().filter(is_marked)?)));
    forms.collect()
}

/// Whether elements have content of this page in forms that other forms draw.
fn has_other_forms(
    document: &Document,
    elements: &HashSet<ObjectId>,
    page: ObjectId,
    forms: &HashSet<ObjectId>,
) -> bool {
    let entries = elements.iter().filter_map(|id| document.get_dictionary(*id).ok());
    let mut kids = entries.flat_map(|element| document.listed(element, b"K"));
    kids.any(|kid| {
        let content = document.dictionary(kid).filter(|content| reference(content, b"Pg") == Some(page));
        content.and_then(|content| reference(content, b"Stm")).is_some_and(|form| !forms.contains(&form))
    })
}
