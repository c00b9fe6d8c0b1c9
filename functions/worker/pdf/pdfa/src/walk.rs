//! Visits and changes all dictionaries of a document, including nested ones.

use lopdf::{Dictionary, Document, Object, ObjectId};

/// Deeper than any valid object.
const DEPTH: u8 = 32;

/// Calls `change` with every dictionary and array. An object can't be looked up while it is being changed.
pub(super) fn all(
    document: &mut Document,
    mut dictionary: impl FnMut(&Document, &mut Dictionary),
    mut array: impl FnMut(&Document, &mut Vec<Object>),
) {
    let ids: Vec<ObjectId> = document.objects.keys().copied().collect();
    for id in ids {
        let Some(object) = document.objects.get_mut(&id) else { continue };
        let mut object = std::mem::replace(object, Object::Null);
        walk(document, &mut object, DEPTH, &mut dictionary, &mut array);
        document.objects.insert(id, object);
    }
}

/// The same, only for dictionaries.
pub(super) fn dictionaries(document: &mut Document, change: impl FnMut(&Document, &mut Dictionary)) {
    all(document, change, |_, _| {});
}

fn walk(
    document: &Document,
    object: &mut Object,
    depth: u8,
    dictionary: &mut impl FnMut(&Document, &mut Dictionary),
    array: &mut impl FnMut(&Document, &mut Vec<Object>),
) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let entries = match object {
        Object::Dictionary(entries) => entries,
        Object::Stream(stream) => &mut stream.dict,
        Object::Array(elements) => {
            array(document, elements);
            elements.iter_mut().for_each(|element| walk(document, element, depth, dictionary, array));
            return;
        }
        _ => return,
    };
    dictionary(document, entries);
    for (_, value) in entries.iter_mut() {
        walk(document, value, depth, dictionary, array);
    }
}
