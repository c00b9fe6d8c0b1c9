//! Tags: the tree of a document's structure for screen readers.

use std::collections::{BTreeMap, HashSet};

use docmill_pdf_core::headings::HeadingLevels;
use docmill_pdf_core::objects::{DEPTH, Lookup, bytes, reference, string, tree};
use docmill_pdf_core::writer::{PdfWriter, WriteError};
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

use super::copy::Copier;
use super::unique::unique;

/// The structure of a result, with its object numbers.
#[derive(Debug, Default)]
pub(super) struct Tags {
    root: Option<ObjectId>,
    kids: Vec<Object>,
    parents: BTreeMap<i64, Object>,
    roles: BTreeMap<Vec<u8>, Object>,
    classes: Dictionary,
    ids: BTreeMap<Vec<u8>, Object>,
    namespaces: Vec<Object>,
    sources: usize,
    pub(super) next_key: i64,
}

/// The structure of a source.
pub(super) struct Source {
    root: Dictionary,
    root_id: Option<ObjectId>,
    kids: Vec<Object>,
    parents: Vec<(i64, Object)>,
    ids: Vec<(Object, Object)>,
}

/// Reads a source's tree and decides the names of its elements. Must run before anything is copied.
pub(super) fn prepare(
    tags: &mut Tags,
    copier: &mut Copier<'_>,
    writer: &mut PdfWriter,
    catalog: &Dictionary,
) -> Option<Source> {
    let document = copier.document();
    let root = document.child(catalog, b"StructTreeRoot")?.clone();
    let root_id = reference(catalog, b"StructTreeRoot");
    let kids = match root.get(b"K") {
        Ok(kid) => match document.resolve(kid) {
            Some(Object::Array(kids)) => kids.clone(),
            Some(_) => vec![kid.clone()],
            None => Vec::new(),
        },
        Err(_) => Vec::new(),
    };
    let parents =
        document.child(&root, b"ParentTree").map_or_else(Vec::new, |numbers| tree(document, numbers, b"Nums"));
    let ids = document.child(&root, b"IDTree").map_or_else(Vec::new, |names| tree(document, names, b"Names"));
    let roles = rename_roles(tags, document, &root);
    copier.roles = roles;
    if tags.sources > 0 && !ids.is_empty() {
        copier.element_suffix = Some(format!("+{}", tags.sources + 1).into_bytes());
    }
    tags.sources += 1;
    let result = *tags.root.get_or_insert_with(|| writer.reserve());
    if let Some(id) = root_id {
        copier.place(id, result);
    }
    let parents = parents.into_iter().filter_map(|(key, value)| Some((key.as_i64().ok()?, value))).collect();
    Some(Source { root, root_id, kids, parents, ids })
}

/// A type that other sources map to a different standard type is renamed.
fn rename_roles(tags: &mut Tags, document: &Document, root: &Dictionary) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut renamed = BTreeMap::new();
    for (role, standard) in document.child(root, b"RoleMap").into_iter().flat_map(Dictionary::iter) {
        let Some(standard) = document.resolve(standard).filter(|standard| standard.as_name().is_ok()) else { continue };
        match tags.roles.get(role) {
            Some(taken) if taken != standard => {
                let new = unique(role, |name| tags.roles.contains_key(name));
                tags.roles.insert(new.clone(), standard.clone());
                renamed.insert(role.clone(), new);
            }
            Some(_) => {}
            None => drop(tags.roles.insert(role.clone(), standard.clone())),
        }
    }
    renamed
}

impl Tags {
    /// Takes the elements of copied pages: all, or those that belong to `pages`.
    pub(super) fn take(
        &mut self,
        copier: &mut Copier<'_>,
        writer: &mut PdfWriter,
        mut source: Source,
        pages: Option<&HashSet<ObjectId>>,
    ) -> Result<(), WriteError> {
        let used = copier.keys().clone();
        source.parents.retain(|(key, _)| used.contains_key(key));
        if let Some(pages) = pages {
            let entries = source.parents.iter().map(|(_, value)| value);
            let mut kept = with_ancestors(copier.document(), entries, source.root_id.as_slice());
            add_cells(copier.document(), &mut kept);
            keep_elements(copier, &kept, pages);
            level_headings(copier, &source, &kept);
            source.kids.retain(|kid| kid.as_reference().is_ok_and(|kid| kept.contains(&kid)));
        }
        for kid in std::mem::take(&mut source.kids) {
            let kid = self.top(copier, writer, kid);
            self.kids.push(kid);
        }
        for (key, value) in &source.parents {
            if let Some(new) = used.get(key) {
                let value = copier.mapped(writer, value);
                self.parents.insert(*new, value);
            }
        }
        self.take_names(copier, writer, &source.root);
        copier.drain(writer)?;
        for (id, element) in source.ids {
            if let (Some(id), Ok(reference)) = (bytes(&id), element.as_reference())
                && copier.is_copied(reference)
            {
                let id = [id, copier.element_suffix.as_deref().unwrap_or_default()].concat();
                let element = copier.mapped(writer, &element);
                self.ids.insert(id, element);
            }
        }
        Ok(())
    }

    /// A top element belongs to the result's root, even if it is a direct object.
    fn top(&self, copier: &mut Copier<'_>, writer: &mut PdfWriter, mut kid: Object) -> Object {
        if let Object::Dictionary(element) = &mut kid {
            element.remove(b"P");
        }
        let mut kid = copier.mapped(writer, &kid);
        if let (Object::Dictionary(element), Some(root)) = (&mut kid, self.root) {
            element.set("P", root);
        }
        kid
    }

    fn take_names(&mut self, copier: &mut Copier<'_>, writer: &mut PdfWriter, root: &Dictionary) {
        if let Some(classes) = copier.document().child(root, b"ClassMap").cloned() {
            for (name, class) in &classes {
                if !self.classes.has(name) {
                    let class = copier.mapped(writer, class);
                    self.classes.set(name.clone(), class);
                }
            }
        }
        for namespace in copier.document().array(root, b"Namespaces").to_vec() {
            self.namespaces.push(copier.mapped(writer, &namespace));
        }
    }

    /// Writes the tree's root. `None` if there is no structure.
    pub(super) fn write(self, writer: &mut PdfWriter) -> Result<Option<ObjectId>, WriteError> {
        let Some(id) = self.root else { return Ok(None) };
        let parents: Vec<Object> = self.parents.into_iter().flat_map(|(key, value)| [key.into(), value]).collect();
        let parents = writer.add(dictionary! { "Nums" => parents })?;
        let mut root = dictionary! {
            "Type" => "StructTreeRoot", "K" => self.kids, "ParentTree" => parents, "ParentTreeNextKey" => self.next_key,
        };
        if !self.roles.is_empty() {
            root.set("RoleMap", self.roles.into_iter().collect::<Dictionary>());
        }
        if !self.classes.is_empty() {
            root.set("ClassMap", self.classes);
        }
        if !self.ids.is_empty() {
            let names: Vec<Object> = self.ids.into_iter().flat_map(|(id, element)| [string(id), element]).collect();
            root.set("IDTree", dictionary! { "Names" => names });
        }
        if !self.namespaces.is_empty() {
            root.set("Namespaces", self.namespaces);
        }
        writer.put(id, root.into())?;
        Ok(Some(id))
    }
}

/// The elements in an entry of the tree of parents.
fn owners(document: &Document, value: &Object) -> Vec<ObjectId> {
    match document.resolve(value) {
        Some(Object::Array(owners)) => owners.iter().filter_map(|owner| owner.as_reference().ok()).collect(),
        Some(_) | None => value.as_reference().into_iter().collect(),
    }
}

/// The elements in entries of the tree of parents, and those above them, up to but without `tops`.
pub(super) fn with_ancestors<'v>(
    document: &Document,
    entries: impl IntoIterator<Item = &'v Object>,
    tops: &[ObjectId],
) -> HashSet<ObjectId> {
    let mut kept = HashSet::new();
    for owner in entries.into_iter().flat_map(|value| owners(document, value)) {
        let mut next = Some(owner);
        // Far deeper than any valid tree.
        for _ in 0..DEPTH * 16 {
            let Some(id) = next.filter(|id| !tops.contains(id) && kept.insert(*id)) else { break };
            next = document.get_dictionary(id).ok().and_then(|element| reference(element, b"P"));
        }
    }
    kept
}

/// Adds the cells of rows that stay, which may be empty: rows of a table have the same number of cells.
pub(super) fn add_cells(document: &Document, kept: &mut HashSet<ObjectId>) {
    let is_row = |entries: &&Dictionary| document.name(entries, b"S") == Some(b"TR");
    let rows = kept.iter().filter_map(|id| document.get_dictionary(*id).ok()).filter(is_row);
    let cells = rows.flat_map(|row| document.listed(row, b"K")).filter_map(|kid| kid.as_reference().ok());
    let is_cell = |id: &ObjectId| {
        let entries = document.get_dictionary(*id).ok();
        matches!(entries.and_then(|entries| document.name(entries, b"S")), Some(b"TH" | b"TD"))
    };
    let cells: Vec<ObjectId> = cells.filter(is_cell).collect();
    kept.extend(cells);
}

/// PDF/UA allows no heading more than one level below the one before: what is left of a chapter begins with a heading of the first level.
fn level_headings(copier: &mut Copier<'_>, source: &Source, kept: &HashSet<ObjectId>) {
    let document = copier.document();
    let roles = document.child(&source.root, b"RoleMap");
    let level = |name: &[u8]| match name {
        [b'H', digit @ b'1'..=b'6'] => Some(u32::from(digit - b'0')),
        _ => None,
    };
    let mut levels = HeadingLevels::default();
    let (mut changed, mut seen): (Vec<(ObjectId, u32)>, HashSet<ObjectId>) = Default::default();
    let mut waiting: Vec<Object> = source.kids.iter().rev().cloned().collect();
    while let Some(id) = waiting.pop().and_then(|kid| kid.as_reference().ok()) {
        let Some(entries) = document.get_dictionary(id).ok().filter(|_| kept.contains(&id) && seen.insert(id)) else {
            continue;
        };
        waiting.extend(document.listed(entries, b"K").iter().rev().filter(|kid| kid.as_reference().is_ok()).cloned());
        let name = document.name(entries, b"S").unwrap_or_default();
        let of_role = || level(document.name(roles?, name)?);
        let Some(own) = level(name).or_else(of_role) else { continue };
        let new = levels.next(own);
        if new != own {
            changed.push((id, new));
        }
    }
    for (id, level) in changed {
        if let Some(element) = copier.edit(id) {
            element.set("S", Object::Name(format!("H{level}").into_bytes()));
        }
    }
}

fn keep_elements(copier: &mut Copier<'_>, kept: &HashSet<ObjectId>, pages: &HashSet<ObjectId>) {
    for id in kept {
        let Ok(element) = copier.document().get_dictionary(*id) else { continue };
        let kids = copier.document().listed(element, b"K").to_vec();
        let page = reference(element, b"Pg");
        let kids: Vec<Object> = kids.into_iter().filter(|kid| stays(copier, kid, page, kept, pages)).collect();
        if let Some(element) = copier.edit(*id) {
            element.set("K", kids);
            element.remove(b"Ref");
        }
    }
}

/// Whether an element keeps this child: content of a kept page, a copied annotation, or another element.
fn stays(
    copier: &Copier<'_>,
    kid: &Object,
    page: Option<ObjectId>,
    kept: &HashSet<ObjectId>,
    pages: &HashSet<ObjectId>,
) -> bool {
    let document = copier.document();
    let on_page = |page: Option<ObjectId>| page.is_some_and(|page| pages.contains(&page));
    match document.resolve(kid) {
        Some(Object::Integer(_)) => on_page(page),
        Some(Object::Dictionary(dictionary)) => {
            if let Some(object) = reference(dictionary, b"Obj") {
                copier.is_copied(object)
            } else if dictionary.has(b"MCID") {
                on_page(reference(dictionary, b"Pg").or(page))
            } else {
                kid.as_reference().is_ok_and(|id| kept.contains(&id))
            }
        }
        Some(_) | None => false,
    }
}
