//! The structure tree that a document has, to be changed and written again.

use std::collections::{BTreeMap, HashSet};

use docmill_pdf_accessibility::roles::Roles;
use docmill_pdf_core::objects::{self, Lookup, count};
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

/// Most elements of a tree.
const ELEMENTS: usize = 1_000_000;
/// Most marks of a page or a form.
const MARKS: usize = 1_000_000;

/// An element, by its place in the list.
pub(super) type Index = usize;

/// A part of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kid {
    Element(Index),
    Content(Content),
    /// An annotation or a picture.
    Object {
        object: ObjectId,
        page: Option<ObjectId>,
    },
}

/// Marked content. `stream`: the form that it is in, unless it is in the page's own content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Content {
    pub(super) page: ObjectId,
    pub(super) stream: Option<ObjectId>,
    pub(super) number: usize,
}

#[derive(Debug)]
pub(super) struct Element {
    id: ObjectId,
    /// What it has besides its type, its parent and its parts.
    pub(super) entries: Dictionary,
    /// As it is written.
    name: Vec<u8>,
    /// The standard type that it stands for; `Hn` for a numbered heading.
    pub(super) kind: &'static str,
    /// Of a numbered heading.
    pub(super) level: u32,
    pub(super) kids: Vec<Kid>,
    /// Its own page, or that of an ancestor.
    pub(super) page: Option<ObjectId>,
}

/// The tree. The first element stands for its root.
#[derive(Debug)]
pub(super) struct Tree {
    elements: Vec<Element>,
    /// Types that no role leads to a standard one, and what they are from now on.
    mapped: BTreeMap<Vec<u8>, &'static str>,
}

/// What an element of a type is that nothing explains: of PDF 2.0, or of its program.
const STAND_FOR: [(&str, &str); 9] = [
    ("Aside", "Sect"),
    ("DocumentFragment", "Sect"),
    ("Em", "Span"),
    ("FENote", "Note"),
    ("Strong", "Span"),
    ("Sub", "Span"),
    ("Title", "P"),
    ("math", "Formula"),
    ("Artifact", "NonStruct"),
];

impl Element {
    pub(super) fn reference(&self) -> Object {
        self.id.into()
    }
}

impl Tree {
    pub(super) const ROOT: Index = 0;

    /// `None` if the document has none.
    pub(super) fn read(document: &mut Document) -> Option<Self> {
        let id = objects::reference(document.catalog().ok()?, b"StructTreeRoot")?;
        let root = document.get_dictionary(id).ok()?.clone();
        let roles = Roles::read(document, &root);
        let (name, kids) = (b"StructTreeRoot".to_vec(), Vec::new());
        let top = Element { id, entries: root, name, kind: "StructTreeRoot", level: 0, kids, page: None };
        let mut tree = Self { elements: vec![top], mapped: BTreeMap::new() };
        let mut seen = HashSet::from([id]);
        let mut at = Self::ROOT;
        // Elements are added behind those that they are in.
        while let Some(element) = tree.elements.get_mut(at) {
            let kids = document.listed(&element.entries, b"K").to_vec();
            element.entries.remove(b"K");
            element.entries.remove(b"P");
            let page = element.page;
            for kid in kids {
                if let Some(kid) = tree.kid(document, &roles, &mut seen, &kid, page) {
                    tree.elements.get_mut(at).into_iter().for_each(|element| element.kids.push(kid));
                }
            }
            at += 1;
        }
        Some(tree)
    }

    fn kid(
        &mut self,
        document: &mut Document,
        roles: &Roles,
        seen: &mut HashSet<ObjectId>,
        kid: &Object,
        page: Option<ObjectId>,
    ) -> Option<Kid> {
        let content = |page: Option<ObjectId>, stream, number: i64| {
            let number = usize::try_from(number).ok().filter(|number| *number < MARKS)?;
            Some(Kid::Content(Content { page: page?, stream, number }))
        };
        if let Ok(number) = document.resolve(kid)?.as_i64() {
            return content(page, None, number);
        }
        let entries = document.dictionary(kid)?;
        let own = objects::reference(entries, b"Pg").or(page);
        match document.name(entries, b"Type") {
            Some(b"MCR") => {
                return content(own, objects::reference(entries, b"Stm"), document.integer(entries, b"MCID")?);
            }
            Some(b"OBJR") => return Some(Kid::Object { object: objects::reference(entries, b"Obj")?, page: own }),
            _ => {}
        }
        let (mut entries, name) = (entries.clone(), document.name(entries, b"S")?.to_vec());
        let id = kid.as_reference().unwrap_or_else(|_| document.new_object_id());
        if !seen.insert(id) || self.elements.len() >= ELEMENTS {
            return None;
        }
        entries.remove(b"S");
        let text = String::from_utf8_lossy(&name).into_owned();
        let role = roles.of(&text);
        let (kind, level) = (role.standard(), role.level().unwrap_or(0));
        let kind = kind.unwrap_or_else(|| {
            let known = STAND_FOR.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind);
            let kind = known.unwrap_or(if has_elements(document, &entries) { "NonStruct" } else { "Span" });
            self.mapped.entry(name.clone()).or_insert(kind)
        });
        let index = self.elements.len();
        self.elements.push(Element { id, entries, name, kind, level, kids: Vec::new(), page: own });
        Some(Kid::Element(index))
    }

    /// Drops content of pages that the document no longer has, and what is left without content for it.
    pub(super) fn keep_pages(&mut self, pages: &[ObjectId]) {
        let pages: HashSet<ObjectId> = pages.iter().copied().collect();
        let is_here = |page: &ObjectId| pages.contains(page);
        let mut emptied = HashSet::new();
        // Elements are behind those that they are in.
        for index in (0..self.elements.len()).rev() {
            let Some(element) = self.elements.get_mut(index) else { continue };
            let before = element.kids.len();
            element.kids.retain(|kid| match kid {
                Kid::Element(index) => !emptied.contains(index),
                Kid::Content(content) => is_here(&content.page),
                Kid::Object { page, .. } => page.as_ref().is_none_or(is_here),
            });
            if element.page.is_some_and(|page| !is_here(&page)) {
                element.entries.remove(b"Pg");
                element.page = None;
            }
            if element.kids.is_empty() && before > 0 {
                emptied.insert(index);
            }
        }
    }

    pub(super) fn get(&self, index: Index) -> Option<&Element> {
        self.elements.get(index)
    }

    pub(super) fn edit(&mut self, index: Index, edit: impl FnOnce(&mut Element)) {
        if let Some(element) = self.elements.get_mut(index) {
            edit(element);
        }
    }

    pub(super) fn kind(&self, index: Index) -> &'static str {
        self.get(index).map_or("NonStruct", |element| element.kind)
    }

    /// The type of a part. `None`: it is no element.
    pub(super) fn kind_of(&self, kid: &Kid) -> Option<&'static str> {
        match kid {
            Kid::Element(index) => Some(self.kind(*index)),
            Kid::Content(_) | Kid::Object { .. } => None,
        }
    }

    /// The elements that are directly in an element.
    pub(super) fn elements_in(&self, index: Index) -> Vec<Index> {
        let kids = self.get(index).into_iter().flat_map(|element| &element.kids);
        kids.filter_map(|kid| match kid {
            Kid::Element(index) => Some(*index),
            Kid::Content(_) | Kid::Object { .. } => None,
        })
        .collect()
    }

    /// Those of this type.
    pub(super) fn elements_of(&self, index: Index, kind: &str) -> Vec<Index> {
        let mut found = self.elements_in(index);
        found.retain(|kid| self.kind(*kid) == kind);
        found
    }

    /// All elements below the root, each before those in it, in the order of reading.
    pub(super) fn in_order(&self) -> Vec<Index> {
        let mut found = Vec::new();
        let mut stack = self.elements_in(Self::ROOT);
        stack.reverse();
        while let Some(index) = stack.pop() {
            found.push(index);
            stack.extend(self.elements_in(index).into_iter().rev());
        }
        found
    }

    /// An element that is in none yet.
    pub(super) fn add(&mut self, document: &mut Document, kind: &'static str, kids: Vec<Kid>) -> Index {
        let page = kids.iter().find_map(|kid| match kid {
            Kid::Element(index) => self.get(*index)?.page,
            Kid::Content(content) => Some(content.page),
            Kid::Object { page, .. } => *page,
        });
        let mut entries = dictionary! { "Type" => "StructElem" };
        if let Some(page) = page {
            entries.set("Pg", page);
        }
        let id = document.new_object_id();
        self.elements.push(Element { id, entries, name: kind.into(), kind, level: 0, kids, page });
        self.elements.len() - 1
    }

    /// Gives an element a standard type.
    pub(super) fn retag(&mut self, index: Index, kind: &'static str) {
        self.edit(index, |element| (element.kind, element.name) = (kind, kind.into()));
    }

    /// Gives a heading a level, from 1 to 6.
    pub(super) fn level(&mut self, index: Index, level: u32) {
        self.edit(index, |element| {
            (element.kind, element.level) = ("Hn", level);
            element.name = format!("H{level}").into_bytes();
        });
    }

    /// Writes the tree, and by which numbers pages, forms and annotations find their elements.
    pub(super) fn write(&self, document: &mut Document) {
        let Some(root) = self.get(Self::ROOT) else { return };
        let mut entries = root.entries.clone();
        self.write_roles(document, &mut entries);
        let mut parents = Parents::read(document, &entries);
        let mut waiting = vec![(Self::ROOT, None)];
        while let Some((index, parent)) = waiting.pop() {
            let Some(element) = self.get(index) else { continue };
            let kids: Vec<Object> =
                element.kids.iter().filter_map(|kid| self.written(document, &mut parents, element, kid)).collect();
            waiting.extend(self.elements_in(index).into_iter().map(|kid| (kid, Some(element.id))));
            let Some(parent) = parent else {
                entries.set("K", kids);
                continue;
            };
            let mut own = element.entries.clone();
            own.set("S", Object::Name(element.name.clone()));
            own.set("P", Object::Reference(parent));
            if !kids.is_empty() {
                own.set("K", kids);
            }
            document.objects.insert(element.id, own.into());
        }
        parents.write(document, &mut entries);
        document.objects.insert(root.id, entries.into());
        if let Ok(catalog) = document.catalog_mut() {
            catalog.set("MarkInfo", dictionary! { "Marked" => true });
        }
    }

    fn written(&self, document: &mut Document, parents: &mut Parents, of: &Element, kid: &Kid) -> Option<Object> {
        match *kid {
            Kid::Element(index) => Some(self.get(index)?.id.into()),
            Kid::Content(content) => {
                parents.add_content(document, content, of.id);
                if content.stream.is_none() && objects::reference(&of.entries, b"Pg") == Some(content.page) {
                    return Some(count(content.number).into());
                }
                let mut entries = dictionary! { "Type" => "MCR", "Pg" => content.page };
                entries.set("MCID", count(content.number));
                if let Some(stream) = content.stream {
                    entries.set("Stm", stream);
                }
                Some(entries.into())
            }
            Kid::Object { object, page } => {
                parents.add_object(document, object, of.id);
                let mut entries = dictionary! { "Type" => "OBJR", "Obj" => object };
                if let Some(page) = page {
                    entries.set("Pg", page);
                }
                Some(entries.into())
            }
        }
    }

    /// Standard types keep their meaning, and all others lead to one.
    fn write_roles(&self, document: &Document, root: &mut Dictionary) {
        let own = document.child(root, b"RoleMap").cloned().unwrap_or_default();
        let roles = Roles::default();
        let mut map = Dictionary::new();
        for (name, role) in &own {
            if roles.of(&String::from_utf8_lossy(name)).standard().is_none() {
                map.set(name.clone(), role.clone());
            }
        }
        for (name, kind) in &self.mapped {
            map.set(name.clone(), *kind);
        }
        if map.is_empty() {
            root.remove(b"RoleMap");
        } else {
            root.set("RoleMap", map);
        }
    }
}

/// Which elements pages, forms and annotations belong to, by their numbers.
struct Parents {
    /// Of pages and forms: by the numbers of their marks.
    content: BTreeMap<i64, Vec<Object>>,
    objects: BTreeMap<i64, Object>,
    next: i64,
}

impl Parents {
    /// Reads which numbers are taken. What they stand for is told by the tree.
    fn read(document: &Document, root: &Dictionary) -> Self {
        let of = |object: &Object| match object {
            Object::Dictionary(entries) => Some(entries.clone()),
            Object::Stream(stream) => Some(stream.dict.clone()),
            _ => None,
        };
        let own = document.objects.values().filter_map(of).flat_map(|entries| {
            [b"StructParents".as_slice(), b"StructParent"].map(|key| document.integer(&entries, key))
        });
        let last = own.flatten().max().unwrap_or(-1).max(document.integer(root, b"ParentTreeNextKey").unwrap_or(0) - 1);
        Self { content: BTreeMap::new(), objects: BTreeMap::new(), next: last.clamp(-1, i64::from(i32::MAX)) + 1 }
    }

    /// The number of an object, which gets one if it has none.
    fn number(&mut self, document: &mut Document, object: ObjectId, key: &str) -> Option<i64> {
        let entries = match document.objects.get_mut(&object)? {
            Object::Dictionary(entries) => entries,
            Object::Stream(stream) => &mut stream.dict,
            _ => return None,
        };
        if let Ok(number) = entries.get(key.as_bytes()).and_then(Object::as_i64) {
            return Some(number);
        }
        let number = self.next;
        self.next += 1;
        entries.set(key, number);
        Some(number)
    }

    fn add_content(&mut self, document: &mut Document, content: Content, element: ObjectId) {
        let holder = content.stream.unwrap_or(content.page);
        let Some(number) = self.number(document, holder, "StructParents") else { return };
        let marks = self.content.entry(number).or_default();
        if marks.len() <= content.number {
            marks.resize(content.number + 1, Object::Null);
        }
        marks.get_mut(content.number).into_iter().for_each(|mark| *mark = element.into());
    }

    fn add_object(&mut self, document: &mut Document, object: ObjectId, element: ObjectId) {
        if let Some(number) = self.number(document, object, "StructParent") {
            self.objects.insert(number, element.into());
        }
    }

    fn write(self, document: &mut Document, root: &mut Dictionary) {
        let mut numbers = self.objects;
        numbers.extend(
            self.content
                .into_iter()
                .map(|(number, marks)| (number, Object::Reference(document.add_object(Object::Array(marks))))),
        );
        let pairs: Vec<Object> = numbers.into_iter().flat_map(|(number, of)| [number.into(), of]).collect();
        root.set("ParentTree", document.add_object(dictionary! { "Nums" => pairs }));
        root.set("ParentTreeNextKey", self.next);
    }
}

fn has_elements(document: &Document, entries: &Dictionary) -> bool {
    document.listed(entries, b"K").iter().any(|kid| document.dictionary(kid).is_some_and(|kid| kid.has(b"S")))
}
