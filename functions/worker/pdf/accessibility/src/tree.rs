//! The structure tree as a list of elements, each with its parent, its type and its language.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::objects::{self, Lookup, decode};
use lopdf::{Dictionary, Document, Object, ObjectId};

use crate::roles::{Role, Roles};

/// Most elements that are looked at.
const ELEMENTS: usize = 1_000_000;

/// What an element has, besides other elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kid {
    Element(usize),
    /// Marked content of a page. `None`: of a form, or it can't be told.
    Content(Option<Marked>),
    /// An annotation or a picture.
    Object(Option<ObjectId>),
}

/// Marked content: its page, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) page: ObjectId,
    pub(crate) number: u32,
}

#[derive(Debug)]
pub(crate) struct Element<'d> {
    pub(crate) entries: &'d Dictionary,
    /// As it is written.
    pub(crate) kind: String,
    pub(crate) role: Role,
    pub(crate) parent: Option<usize>,
    pub(crate) kids: Vec<Kid>,
    /// The page that it or an ancestor names.
    pub(crate) page: Option<ObjectId>,
    /// It or an ancestor has a language.
    pub(crate) has_language: bool,
}

impl Element<'_> {
    /// Whether it only groups: its kids count as those of its parent.
    fn is_transparent(&self) -> bool {
        matches!(self.role.standard(), Some("NonStruct" | "Div"))
    }

    /// A text of the element that is not empty.
    pub(crate) fn has_text(&self, document: &Document, key: &[u8]) -> bool {
        self.text(document, key).is_some_and(|text| !text.is_empty())
    }

    pub(crate) fn text(&self, document: &Document, key: &[u8]) -> Option<String> {
        document.value(self.entries, key).and_then(decode)
    }
}

#[derive(Debug)]
pub(crate) struct Tree<'d> {
    pub(crate) elements: Vec<Element<'d>>,
    pub(crate) roles: Roles,
    ids: HashMap<ObjectId, usize>,
    /// What content and annotations belong to, by `StructParents` and `StructParent`.
    parents: HashMap<i64, Object>,
}

impl<'d> Tree<'d> {
    /// `None` if the document has no structure.
    pub(crate) fn read(document: &'d Document) -> Option<Self> {
        let root = document.child(document.catalog().ok()?, b"StructTreeRoot")?;
        let parents = document.child(root, b"ParentTree").map(|tree| objects::tree(document, tree, b"Nums"));
        let parents = parents.into_iter().flatten().filter_map(|(key, value)| Some((key.as_i64().ok()?, value)));
        let mut tree = Self {
            elements: Vec::new(),
            roles: Roles::read(document, root),
            ids: HashMap::new(),
            parents: parents.collect(),
        };
        tree.add_all(document, root);
        Some(tree)
    }

    fn add_all(&mut self, document: &'d Document, root: &'d Dictionary) {
        let mut seen = HashSet::new();
        let mut stack: Vec<(&'d Object, Option<usize>)> =
            document.listed(root, b"K").iter().rev().map(|kid| (kid, None)).collect();
        while let Some((object, parent)) = stack.pop() {
            let is_new = object.as_reference().map_or(true, |id| seen.insert(id));
            let Some(entries) = document.dictionary(object).filter(|_| is_new && self.elements.len() < ELEMENTS) else {
                continue;
            };
            let index = self.elements.len();
            if let Ok(id) = object.as_reference() {
                self.ids.insert(id, index);
            }
            let above = parent.and_then(|parent| self.elements.get(parent));
            let page = objects::reference(entries, b"Pg").or_else(|| above?.page);
            let has_language = entries.has(b"Lang") || above.is_some_and(|above| above.has_language);
            let kind = document.name(entries, b"S").map(|name| String::from_utf8_lossy(name).into_owned());
            let kind = kind.unwrap_or_default();
            let role = self.roles.of(&kind);
            self.elements.push(Element { entries, kind, role, parent, kids: Vec::new(), page, has_language });
            if let Some(above) = parent.and_then(|parent| self.elements.get_mut(parent)) {
                above.kids.push(Kid::Element(index));
            }
            let mut below = Vec::new();
            for kid in document.listed(entries, b"K") {
                match other_kid(document, kid, page) {
                    Some(kid) => self.elements.get_mut(index).into_iter().for_each(|element| element.kids.push(kid)),
                    None => below.push((kid, Some(index))),
                }
            }
            stack.extend(below.into_iter().rev());
        }
    }

    /// The types of an element's kids. What only groups is looked through.
    pub(crate) fn kid_types(&self, index: usize) -> Vec<&'static str> {
        self.kids(index).into_iter().filter_map(|kid| self.elements.get(kid)?.role.standard()).collect()
    }

    /// An element's kids that are elements. What only groups is looked through.
    pub(crate) fn kids(&self, index: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut stack = self.own_kids(index);
        stack.reverse();
        while let Some(kid) = stack.pop() {
            if self.elements.get(kid).is_some_and(Element::is_transparent) {
                stack.extend(self.own_kids(kid).into_iter().rev());
            } else {
                found.push(kid);
            }
        }
        found
    }

    fn own_kids(&self, index: usize) -> Vec<usize> {
        let kids = self.elements.get(index).into_iter().flat_map(|element| &element.kids);
        kids.filter_map(|kid| match kid {
            Kid::Element(kid) => Some(*kid),
            Kid::Content(_) | Kid::Object(_) => None,
        })
        .collect()
    }

    /// The type of an element's parent. What only groups is looked through.
    pub(crate) fn parent_type(&self, index: usize) -> Option<&'static str> {
        let mut at = self.elements.get(index)?.parent?;
        loop {
            let parent = self.elements.get(at)?;
            if !parent.is_transparent() {
                return parent.role.standard();
            }
            at = parent.parent?;
        }
    }

    /// The element that an annotation is part of, by its `StructParent`.
    pub(crate) fn of_object(&self, document: &Document, key: i64) -> Option<usize> {
        self.ids.get(&reference(document, self.parents.get(&key)?)?).copied()
    }

    /// The element of marked content, by the `StructParents` of what draws it.
    pub(crate) fn of_content(&self, document: &Document, key: i64, mark: i64) -> Option<usize> {
        let listed = document.resolve(self.parents.get(&key)?)?.as_array().ok()?;
        let entry = listed.get(usize::try_from(mark).ok()?)?;
        self.ids.get(&reference(document, entry)?).copied()
    }

    /// `Document/Table[2]/TR`, each with its place among those of its type, unless it is the first.
    pub(crate) fn path(&self, index: usize) -> String {
        let mut names = Vec::new();
        let mut at = Some(index);
        while let Some(element) = at.and_then(|at| self.elements.get(at)) {
            let before = element.parent.map(|parent| self.own_kids(parent)).unwrap_or_default();
            let before = before.iter().take_while(|kid| Some(**kid) != at);
            let same = before.filter(|kid| self.elements.get(**kid).is_some_and(|other| other.kind == element.kind));
            names.push(match same.count() {
                0 => element.kind.clone(),
                number => format!("{}[{}]", element.kind, number + 1),
            });
            at = element.parent;
        }
        names.reverse();
        names.join("/")
    }
}

/// The last reference before an object that is no reference.
fn reference(document: &Document, object: &Object) -> Option<ObjectId> {
    let mut id = object.as_reference().ok()?;
    for _ in 0..objects::DEPTH {
        match document.objects.get(&id) {
            Some(Object::Reference(next)) => id = *next,
            _ => break,
        }
    }
    Some(id)
}

/// A kid that is no element. `page`: that of the element.
fn other_kid(document: &Document, kid: &Object, page: Option<ObjectId>) -> Option<Kid> {
    let marked =
        |page: Option<ObjectId>, number: i64| Some(Marked { page: page?, number: u32::try_from(number).ok()? });
    if let Ok(number) = document.resolve(kid)?.as_i64() {
        return Some(Kid::Content(marked(page, number)));
    }
    let entries = document.dictionary(kid)?;
    match document.name(entries, b"Type") {
        Some(b"MCR") => {
            let number = document.integer(entries, b"MCID").filter(|_| !entries.has(b"Stm"));
            let page = objects::reference(entries, b"Pg").or(page);
            Some(Kid::Content(number.and_then(|number| marked(page, number))))
        }
        Some(b"OBJR") => Some(Kid::Object(objects::reference(entries, b"Obj"))),
        _ => None,
    }
}
