//! Interactive forms. Fields with equal names in several sources are renamed at their roots, so that a field on several pages,
//! such as a group of radio buttons, stays one field.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use docmill_pdf_core::objects::{DEPTH, Lookup, bytes, reference, string};
use docmill_pdf_core::writer::PdfWriter;
use lopdf::{Dictionary, Document, Object, ObjectId};

use super::copy::Copier;
use super::unique::unique;

/// The form of a result, with its object numbers.
#[derive(Debug, Default)]
pub(super) struct Form {
    fields: Vec<Object>,
    /// Full names of the root fields.
    names: BTreeSet<Vec<u8>>,
    order: Vec<Object>,
    resources: Dictionary,
    /// Base fonts by the names that the resources give them.
    fonts: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    appearance: Option<Object>,
    alignment: Option<Object>,
    needs_appearances: bool,
}

/// A source's part of the form.
pub(super) struct Source {
    form: Dictionary,
    roots: Vec<ObjectId>,
}

/// Decides which of a source's fields to keep, and their names: all fields, or those on `pages`.
pub(super) fn prepare(
    form: &mut Form,
    copier: &mut Copier<'_>,
    catalog: &Dictionary,
    pages: Option<&[ObjectId]>,
) -> Option<Source> {
    let document = copier.document();
    let own = document.child(catalog, b"AcroForm")?.clone();
    let mut roots: Vec<ObjectId> =
        document.array(&own, b"Fields").iter().filter_map(|field| field.as_reference().ok()).collect();
    if let Some(pages) = pages {
        let shown = shown(document, pages);
        roots.retain(|root| shown.contains(root));
        keep_shown(copier, &shown);
    }
    if roots.is_empty() {
        return None;
    }
    rename_roots(form, copier, &roots);
    copier.fonts = rename_fonts(form, copier.document(), &own);
    inherit_defaults(form, copier, &own, &roots);
    Some(Source { form: own, roots })
}

/// The fields on these pages with their ancestors.
fn shown(document: &Document, pages: &[ObjectId]) -> HashSet<ObjectId> {
    let mut shown = HashSet::new();
    for page in pages.iter().filter_map(|page| document.get_dictionary(*page).ok()) {
        for annotation in document.array(page, b"Annots") {
            let mut next = annotation.as_reference().ok();
            for _ in 0..DEPTH {
                let Some(id) = next.filter(|id| shown.insert(*id)) else { break };
                next = document.get_dictionary(id).ok().and_then(|field| reference(field, b"Parent"));
            }
        }
    }
    shown
}

fn keep_shown(copier: &mut Copier<'_>, shown: &HashSet<ObjectId>) {
    for id in shown {
        let Ok(field) = copier.document().get_dictionary(*id) else { continue };
        if !field.has(b"Kids") {
            continue;
        }
        let kids: Vec<Object> = copier.document().array(field, b"Kids").to_vec();
        let (kept, gone): (Vec<Object>, Vec<Object>) =
            kids.into_iter().partition(|kid| kid.as_reference().is_ok_and(|kid| shown.contains(&kid)));
        for kid in gone.iter().filter_map(|kid| kid.as_reference().ok()) {
            copier.drop_object(kid);
        }
        if let Some(field) = copier.edit(*id) {
            field.set("Kids", kept);
        }
    }
}

fn rename_roots(form: &mut Form, copier: &mut Copier<'_>, roots: &[ObjectId]) {
    let name = |copier: &Copier<'_>, id: ObjectId| {
        let field = copier.document().get_dictionary(id).ok()?;
        bytes(copier.document().value(field, b"T")?).map(<[u8]>::to_vec)
    };
    let own: BTreeSet<Vec<u8>> = roots.iter().filter_map(|id| name(copier, *id)).collect();
    for id in roots {
        let Some(old) = name(copier, *id).filter(|old| form.names.contains(old)) else { continue };
        let new = unique(&old, |name| form.names.contains(name) || own.contains(name));
        form.names.insert(new.clone());
        if let Some(field) = copier.edit(*id) {
            field.set("T", string(new));
        }
    }
    form.names.extend(own);
}

/// Fonts of the same name in another source may differ.
fn rename_fonts(form: &mut Form, document: &Document, own: &Dictionary) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut renamed = Vec::new();
    let fonts = document.child(own, b"DR").and_then(|resources| document.child(resources, b"Font"));
    for (name, font) in fonts.into_iter().flat_map(Dictionary::iter) {
        let base = document.dictionary(font).and_then(|font| document.name(font, b"BaseFont")).map(<[u8]>::to_vec);
        match form.fonts.get(name) {
            Some(taken) if *taken != base => {
                let new = unique(name, |name| form.fonts.contains_key(name));
                form.fonts.insert(new.clone(), base);
                renamed.push((name.clone(), new));
            }
            Some(_) => {}
            None => drop(form.fonts.insert(name.clone(), base)),
        }
    }
    renamed
}

/// The form uses the first source's defaults. Fields of other sources get copies of the defaults that they rely on.
fn inherit_defaults(form: &mut Form, copier: &mut Copier<'_>, own: &Dictionary, roots: &[ObjectId]) {
    let first = form.fields.is_empty();
    for (key, taken) in [("DA", &mut form.appearance), ("Q", &mut form.alignment)] {
        let value = copier.document().value(own, key.as_bytes()).cloned();
        if first {
            *taken = value;
        } else if let Some(value) = value.filter(|value| taken.as_ref() != Some(value)) {
            for root in roots {
                if let Some(field) = copier.edit(*root).filter(|field| !field.has(key.as_bytes())) {
                    field.set(key, value.clone());
                }
            }
        }
    }
}

impl Form {
    /// Takes a source's fields after its pages are placed.
    pub(super) fn take(&mut self, copier: &mut Copier<'_>, writer: &mut PdfWriter, source: &Source) {
        let roots = source.roots.iter().filter_map(|root| copier.reference(writer, *root));
        self.fields.extend(roots.map(Object::Reference).collect::<Vec<_>>());
        let document = copier.document();
        let needs = document.value(&source.form, b"NeedAppearances");
        self.needs_appearances |= needs.is_some_and(|needs| needs.as_bool().unwrap_or(false));
        self.take_resources(copier, writer, &source.form);
    }

    /// Takes the order of calculation after the fields are copied, since it only refers to them.
    pub(super) fn take_order(&mut self, copier: &mut Copier<'_>, writer: &mut PdfWriter, source: &Source) {
        for field in copier.document().array(&source.form, b"CO").to_vec() {
            if field.as_reference().is_ok_and(|id| copier.is_copied(id)) {
                self.order.push(copier.mapped(writer, &field));
            }
        }
    }

    fn take_resources(&mut self, copier: &mut Copier<'_>, writer: &mut PdfWriter, form: &Dictionary) {
        let Some(resources) = copier.document().child(form, b"DR").cloned() else { return };
        for (kind, _) in &resources {
            let Some(entries) = copier.document().child(&resources, kind).cloned() else { continue };
            let mut all = match self.resources.remove(kind) {
                Some(Object::Dictionary(all)) => all,
                _ => Dictionary::new(),
            };
            for (name, value) in &entries {
                let new =
                    copier.fonts.iter().find(|(old, _)| kind == b"Font" && old == name).map(|(_, new)| new.clone());
                let name = new.unwrap_or_else(|| name.clone());
                if !all.has(&name) {
                    let value = copier.mapped(writer, value);
                    all.set(name, value);
                }
            }
            self.resources.set(kind.clone(), all);
        }
    }

    pub(super) fn into_object(self) -> Option<Object> {
        if self.fields.is_empty() {
            return None;
        }
        let mut form = Dictionary::new();
        form.set("Fields", self.fields);
        if !self.resources.is_empty() {
            form.set("DR", self.resources);
        }
        if !self.order.is_empty() {
            form.set("CO", self.order);
        }
        for (key, value) in [("DA", self.appearance), ("Q", self.alignment)] {
            if let Some(value) = value {
                form.set(key, value);
            }
        }
        if self.needs_appearances {
            form.set("NeedAppearances", true);
        }
        Some(form.into())
    }
}
