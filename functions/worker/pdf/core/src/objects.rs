//! Reads a document's objects. Missing objects, wrong types and dangling references give `None`.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use std::collections::{BTreeMap, HashSet};

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, StringFormat};

use crate::filters;

/// Deeper than any valid tree, so that circular ones end.
pub const DEPTH: usize = 64;
/// The most entries of one tree, far more than documents have.
pub(crate) const ENTRIES: usize = 500_000;

/// Looks values up through references.
pub trait Lookup {
    /// The object that a reference leads to, or the object itself. `None` for `null`, and for references to nothing.
    fn resolve<'a>(&'a self, object: &'a Object) -> Option<&'a Object>;

    /// A member of a dictionary, resolved.
    fn value<'a>(&'a self, dictionary: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
        self.resolve(dictionary.get(key).ok()?)
    }

    /// A dictionary, or a stream's.
    fn dictionary<'a>(&'a self, object: &'a Object) -> Option<&'a Dictionary> {
        let object = self.resolve(object)?;
        object.as_dict().ok().or_else(|| object.as_stream().ok().map(|stream| &stream.dict))
    }

    /// A member that is a dictionary.
    fn child<'a>(&'a self, dictionary: &'a Dictionary, key: &[u8]) -> Option<&'a Dictionary> {
        self.dictionary(dictionary.get(key).ok()?)
    }

    /// The elements. Empty if there is no array.
    fn array<'a>(&'a self, dictionary: &'a Dictionary, key: &[u8]) -> &'a [Object] {
        self.value(dictionary, key).and_then(|object| object.as_array().ok()).map_or(&[], Vec::as_slice)
    }

    /// The elements of a list, of which one may stand without an array. References stay as they are.
    fn listed<'a>(&'a self, dictionary: &'a Dictionary, key: &[u8]) -> &'a [Object] {
        let Ok(own) = dictionary.get(key) else { return &[] };
        match self.resolve(own) {
            Some(Object::Array(elements)) => elements,
            Some(_) => std::slice::from_ref(own),
            None => &[],
        }
    }

    /// A member that is a name, without its slash.
    fn name<'a>(&'a self, dictionary: &'a Dictionary, key: &[u8]) -> Option<&'a [u8]> {
        self.value(dictionary, key)?.as_name().ok()
    }

    /// A member that is a whole number.
    fn integer(&self, dictionary: &Dictionary, key: &[u8]) -> Option<i64> {
        self.value(dictionary, key)?.as_i64().ok()
    }

    /// An object that is a number, whole or not.
    fn number(&self, object: &Object) -> Option<f32> {
        self.resolve(object)?.as_float().ok().filter(|number| number.is_finite())
    }
}

impl Lookup for Document {
    fn resolve<'a>(&'a self, object: &'a Object) -> Option<&'a Object> {
        self.dereference(object).ok().map(|(_, object)| object).filter(|object| !object.is_null())
    }
}

/// Everything that an object refers to. The parser bounds how deeply objects are nested.
pub fn references(object: &Object, found: &mut Vec<ObjectId>) {
    match object {
        Object::Reference(id) => found.push(*id),
        Object::Array(parts) => parts.iter().for_each(|part| references(part, found)),
        Object::Dictionary(dictionary) => dictionary.iter().for_each(|(_, value)| references(value, found)),
        Object::Stream(stream) => stream.dict.iter().for_each(|(_, value)| references(value, found)),
        _ => {}
    }
}

/// Renumbers references for another file.
pub fn renumber(object: &mut Object, ids: &BTreeMap<ObjectId, ObjectId>) {
    match object {
        Object::Reference(id) => *id = ids.get(id).copied().unwrap_or(*id),
        Object::Array(parts) => parts.iter_mut().for_each(|part| renumber(part, ids)),
        Object::Dictionary(dictionary) => dictionary.iter_mut().for_each(|(_, value)| renumber(value, ids)),
        Object::Stream(stream) => stream.dict.iter_mut().for_each(|(_, value)| renumber(value, ids)),
        _ => {}
    }
}

/// A stream's bytes, unpacked as [`filters`] does: at most `most` of them. `None` if they are in another file.
pub fn unpacked(stream: &Stream, most: usize) -> Option<Vec<u8>> {
    if stream.dict.has(b"F") {
        return None;
    }
    if !stream.dict.has(b"Filter") {
        return Some(stream.content.clone());
    }
    filters::unpack(stream, most).ok().map(|unpacked| unpacked.bytes.into_owned())
}

/// The bytes of a string or a name.
pub fn bytes(object: &Object) -> Option<&[u8]> {
    match object {
        Object::String(bytes, _) | Object::Name(bytes) => Some(bytes),
        _ => None,
    }
}

/// A count as PDFs have it.
pub fn count(items: usize) -> i64 {
    i64::try_from(items).unwrap_or(i64::MAX)
}

/// A string of these bytes, as a literal.
pub fn string(bytes: impl Into<Vec<u8>>) -> Object {
    Object::String(bytes.into(), StringFormat::Literal)
}

/// A text string, as ASCII or UTF-16.
pub fn text(text: &str) -> Object {
    lopdf::text_string(text)
}

/// The text of a text string.
pub fn decode(object: &Object) -> Option<String> {
    lopdf::decode_text_string(object).ok()
}

/// The pairs of a name tree (`leaf` is `Names`) or a number tree (`Nums`), in order.
pub fn tree(document: &Document, root: &Dictionary, leaf: &[u8]) -> Vec<(Object, Object)> {
    let mut pairs = Vec::new();
    let mut seen = HashSet::new();
    let mut stack = vec![(root, 0)];
    while let Some((node, depth)) = stack.pop() {
        for [key, value] in document.array(node, leaf).as_chunks().0 {
            if let Some(key) = document.resolve(key) {
                pairs.push((key.clone(), value.clone()));
            }
        }
        if depth >= DEPTH || pairs.len() >= ENTRIES {
            continue;
        }
        for kid in document.array(node, b"Kids").iter().rev() {
            let new = kid.as_reference().map_or(true, |id| seen.insert(id));
            if new && let Some(kid) = document.dictionary(kid) {
                stack.push((kid, depth + 1));
            }
        }
    }
    pairs.truncate(ENTRIES);
    pairs
}

/// An entry's reference, if it is one.
pub fn reference(dictionary: &Dictionary, key: &[u8]) -> Option<ObjectId> {
    dictionary.get(key).ok()?.as_reference().ok()
}
