//! Optional content: layers that a viewer can show and hide.

use std::collections::HashSet;

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::writer::PdfWriter;
use lopdf::{Dictionary, Object, ObjectId, dictionary};

use super::copy::Copier;

/// The deepest nesting of the list of layers in a viewer.
const DEPTH: usize = 32;

/// The layers of a result, with its object numbers.
#[derive(Debug, Default)]
pub(super) struct Layers {
    groups: Vec<Object>,
    order: Vec<Object>,
    off: Vec<Object>,
    locked: Vec<Object>,
    exclusive: Vec<Object>,
    usage: Vec<Object>,
}

impl Layers {
    /// Takes a source's layers: all, or those that the copied content uses.
    pub(super) fn take(&mut self, copier: &mut Copier<'_>, writer: &mut PdfWriter, catalog: &Dictionary, all: bool) {
        let Some(properties) = copier.document().child(catalog, b"OCProperties").cloned() else { return };
        let groups: Vec<ObjectId> = copier
            .document()
            .array(&properties, b"OCGs")
            .iter()
            .filter_map(|group| group.as_reference().ok())
            .filter(|group| all && copier.document().has_object(*group) || copier.is_copied(*group))
            .collect();
        let kept: HashSet<ObjectId> = groups.iter().copied().collect();
        let settings = copier.document().child(&properties, b"D").cloned().unwrap_or_default();
        let mut list = |copier: &mut Copier<'_>, key: &[u8]| {
            let list: Vec<Object> = copier.document().array(&settings, key).to_vec();
            list.iter().filter_map(|entry| filter(copier, writer, entry, &kept, 0)).collect::<Vec<_>>()
        };
        self.order.extend(list(copier, b"Order"));
        self.locked.extend(list(copier, b"Locked"));
        self.exclusive.extend(list(copier, b"RBGroups"));
        self.usage.extend(list(copier, b"AS"));
        let off = hidden(copier, &settings, &groups);
        self.off.extend(off.into_iter().filter_map(|group| copier.reference(writer, group)).map(Object::Reference));
        self.groups
            .extend(groups.into_iter().filter_map(|group| copier.reference(writer, group)).map(Object::Reference));
    }

    pub(super) fn into_object(self) -> Option<Object> {
        if self.groups.is_empty() {
            return None;
        }
        let mut settings = dictionary! { "Order" => self.order, "OFF" => self.off };
        for (key, list) in [("Locked", self.locked), ("RBGroups", self.exclusive), ("AS", self.usage)] {
            if !list.is_empty() {
                settings.set(key, list);
            }
        }
        Some(dictionary! { "OCGs" => self.groups, "D" => settings }.into())
    }
}

/// The layers that are hidden at first.
fn hidden(copier: &Copier<'_>, settings: &Dictionary, groups: &[ObjectId]) -> Vec<ObjectId> {
    let document = copier.document();
    let listed = |key: &[u8]| -> HashSet<ObjectId> {
        document.array(settings, key).iter().filter_map(|group| group.as_reference().ok()).collect()
    };
    let (on, off) = (listed(b"ON"), listed(b"OFF"));
    let off_at_first = document.name(settings, b"BaseState") == Some(b"OFF");
    let is_hidden = |group: &ObjectId| off.contains(group) || off_at_first && !on.contains(group);
    groups.iter().copied().filter(is_hidden).collect()
}

/// An entry of a list, without the layers that the result does not have.
fn filter(
    copier: &mut Copier<'_>,
    writer: &mut PdfWriter,
    entry: &Object,
    kept: &HashSet<ObjectId>,
    depth: usize,
) -> Option<Object> {
    if depth > DEPTH {
        return None;
    }
    if let Ok(id) = entry.as_reference()
        && kept.contains(&id)
    {
        return copier.reference(writer, id).map(Object::Reference);
    }
    match copier.document().resolve(entry)?.clone() {
        Object::Array(entries) => {
            let entries: Vec<Object> =
                entries.iter().filter_map(|entry| filter(copier, writer, entry, kept, depth + 1)).collect();
            let names_any = entries.iter().any(|entry| !matches!(entry, Object::String(..)));
            names_any.then_some(Object::Array(entries))
        }
        Object::Dictionary(mut usage) if usage.has(b"Event") => {
            let groups: Vec<Object> = copier.document().array(&usage, b"OCGs").to_vec();
            usage.remove(b"OCGs");
            let mut usage = copier.mapped(writer, &usage.into());
            let groups: Vec<Object> =
                groups.iter().filter_map(|group| filter(copier, writer, group, kept, depth + 1)).collect();
            usage.as_dict_mut().ok()?.set("OCGs", groups);
            Some(usage)
        }
        name @ Object::String(..) => Some(name),
        _ => None,
    }
}
