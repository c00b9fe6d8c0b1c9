//! What each object of the signed revision is for.

use std::collections::HashMap;

use lopdf::{Dictionary, Object};

use super::each_reference;
use crate::fields::{Field, fields, numbers};
use crate::file::{View, dict_of};

/// The most pages, and the deepest page tree.
const MOST_PAGES: usize = 200_000;
const DEEPEST: usize = 64;
/// The most objects of the document's security store.
const MOST_STORED: usize = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Catalog,
    Information,
    Metadata,
    /// The form, the list of its fields, and the resources of their appearances.
    Form,
    Fields,
    Resources,
    /// A field or its annotation, by its place in the list of fields.
    Field(usize),
    /// The look of a field.
    Appearance(usize),
    /// A signature that was there already.
    Signature,
    /// The document's security store, with certificates and revocations.
    Validation,
    PageTree,
    Page(usize),
    /// The list of a page's annotations, and one of them.
    Annotations(usize),
    Annotation(usize),
    Content(usize),
    Other,
}

#[derive(Debug)]
pub(super) struct Roles {
    roles: HashMap<u32, Role>,
    pub(super) fields: Vec<Field>,
}

impl Roles {
    /// The roles in a revision. The first one that is found counts.
    pub(super) fn of(view: &View<'_>) -> Self {
        let mut found = Self { roles: HashMap::new(), fields: fields(view) };
        let information = view.revision.trailer().and_then(|trailer| reference(trailer, b"Info"));
        found.put(view.revision.root().map(|id| id.0), Role::Catalog);
        found.put(information, Role::Information);
        let catalog = view.catalog().unwrap_or_default();
        found.put(reference(&catalog, b"AcroForm"), Role::Form);
        let form = view.dictionary(&catalog, b"AcroForm").unwrap_or_default();
        found.put(reference(&form, b"Fields"), Role::Fields);
        found.put(reference(&form, b"DR"), Role::Resources);
        found.form_fields(view);
        found.pages(view, &catalog);
        found.put(reference(&catalog, b"Metadata"), Role::Metadata);
        if let Ok(store) = catalog.get(b"DSS") {
            found.validation(view, store);
        }
        found
    }

    pub(super) fn of_object(&self, number: u32) -> Role {
        self.roles.get(&number).copied().unwrap_or(Role::Other)
    }

    pub(super) fn is_known(&self, number: u32) -> bool {
        self.roles.contains_key(&number)
    }

    /// Whether what an object names may be part of the security store.
    pub(super) fn validates(&self, number: u32) -> bool {
        matches!(self.of_object(number), Role::Validation | Role::Catalog)
    }

    fn put(&mut self, number: Option<u32>, role: Role) {
        if let Some(number) = number {
            self.roles.entry(number).or_insert(role);
        }
    }

    fn form_fields(&mut self, view: &View<'_>) {
        let mut found = Vec::new();
        for (index, field) in self.fields.iter().enumerate() {
            found.push((field.number, Role::Field(index)));
            if field.is_signature() {
                found.extend(reference(&field.dict, b"V").map(|number| (number, Role::Signature)));
            }
            for widget in &field.widgets {
                found.push((*widget, Role::Field(index)));
                let Some(dict) = view.object(*widget).and_then(dict_of) else { continue };
                found.extend(appearances(view, &dict).into_iter().map(|number| (number, Role::Appearance(index))));
            }
        }
        for (number, role) in found {
            self.put(Some(number), role);
        }
    }

    fn pages(&mut self, view: &View<'_>, catalog: &Dictionary) {
        let mut waiting: Vec<(u32, usize)> = reference(catalog, b"Pages").map(|root| (root, 0)).into_iter().collect();
        let mut pages = 0;
        while let Some((number, depth)) = waiting.pop() {
            if depth > DEEPEST || pages >= MOST_PAGES || self.is_known(number) {
                continue;
            }
            let Some(dict) = view.object(number).and_then(dict_of) else { continue };
            if dict.has(b"Kids") {
                self.put(Some(number), Role::PageTree);
                self.put(reference(&dict, b"Kids"), Role::PageTree);
                // The first one is taken next.
                let kids = numbers(&view.array(&dict, b"Kids"));
                waiting.extend(kids.into_iter().rev().map(|kid| (kid, depth + 1)));
                continue;
            }
            self.page(view, number, &dict, pages);
            pages += 1;
        }
    }

    fn page(&mut self, view: &View<'_>, number: u32, dict: &Dictionary, page: usize) {
        self.put(Some(number), Role::Page(page));
        self.put(reference(dict, b"Annots"), Role::Annotations(page));
        for annotation in numbers(&view.array(dict, b"Annots")) {
            self.put(Some(annotation), Role::Annotation(page));
        }
        self.put(reference(dict, b"Contents"), Role::Content(page));
        for content in numbers(&view.array(dict, b"Contents")) {
            self.put(Some(content), Role::Content(page));
        }
    }

    fn validation(&mut self, view: &View<'_>, store: &Object) {
        let mut waiting = Vec::new();
        each_reference(store, &mut |number| waiting.push(number));
        let mut found = 0;
        while let Some(number) = waiting.pop() {
            if self.is_known(number) || found >= MOST_STORED {
                continue;
            }
            found += 1;
            self.put(Some(number), Role::Validation);
            if let Some(object) = view.object(number) {
                each_reference(&object, &mut |number| waiting.push(number));
            }
        }
    }
}

pub(super) fn reference(dict: &Dictionary, key: &[u8]) -> Option<u32> {
    dict.get(key).and_then(Object::as_reference).ok().map(|id| id.0)
}

/// The objects that make an annotation's look: the dictionaries of looks, and the looks.
fn appearances(view: &View<'_>, widget: &Dictionary) -> Vec<u32> {
    let mut found: Vec<u32> = reference(widget, b"AP").into_iter().collect();
    let Some(looks) = view.dictionary(widget, b"AP") else { return found };
    for (_, look) in looks.iter() {
        found.extend(look.as_reference().ok().map(|id| id.0));
        if let Some(Object::Dictionary(states)) = view.resolve(look) {
            found.extend(states.iter().filter_map(|(_, state)| state.as_reference().ok()).map(|id| id.0));
        }
    }
    found
}
