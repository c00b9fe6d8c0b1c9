//! Copies referenced objects from a source to the result, each once, with new numbers.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use docmill_pdf_core::deferred_pictures::DeferredPictures;
use docmill_pdf_core::objects::{Lookup, bytes, string};
use docmill_pdf_core::writer::{PdfWriter, WriteError};
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat};

/// Longer strings are written in hexadecimal, because the writer takes quadratic time for parentheses in literal ones.
const LITERAL_BYTES: usize = 512;

pub(super) struct Copier<'a> {
    document: &'a mut Document,
    held: &'a DeferredPictures,
    /// The document is needed again, so copying must not empty it.
    keep: bool,
    ids: HashMap<ObjectId, ObjectId>,
    /// Objects with another form in the result.
    edited: HashMap<ObjectId, Object>,
    /// Objects that are left out of the result.
    gone: HashSet<ObjectId>,
    queue: VecDeque<ObjectId>,
    /// Keys of the structure's parent tree, and their new values.
    keys: BTreeMap<i64, i64>,
    next_key: i64,
    /// Named destinations and their new names.
    pub(super) names: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Renamed fonts of the form's resources.
    pub(super) fonts: Vec<(Vec<u8>, Vec<u8>)>,
    /// A suffix for identifiers of structure elements that earlier sources may use too.
    pub(super) element_suffix: Option<Vec<u8>>,
    /// Renamed types of structure elements.
    pub(super) roles: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Only some pages are copied. Links to elements would copy those of the other pages, too.
    pub(super) only_parts: bool,
}

impl<'a> Copier<'a> {
    pub(super) fn new(document: &'a mut Document, held: &'a DeferredPictures, keep: bool, next_key: i64) -> Self {
        Self {
            document,
            held,
            keep,
            ids: HashMap::new(),
            edited: HashMap::new(),
            gone: HashSet::new(),
            queue: VecDeque::new(),
            keys: BTreeMap::new(),
            next_key,
            names: BTreeMap::new(),
            fonts: Vec::new(),
            element_suffix: None,
            roles: BTreeMap::new(),
            only_parts: false,
        }
    }

    pub(super) fn document(&self) -> &Document {
        self.document
    }

    /// The number of a source's object in the result.
    pub(super) fn place(&mut self, source: ObjectId, result: ObjectId) {
        self.ids.insert(source, result);
    }

    pub(super) fn drop_object(&mut self, id: ObjectId) {
        self.gone.insert(id);
    }

    pub(super) fn is_copied(&self, id: ObjectId) -> bool {
        self.ids.contains_key(&id)
    }

    /// A copy of a dictionary that can be changed before anything refers to it.
    pub(super) fn edit(&mut self, id: ObjectId) -> Option<&mut Dictionary> {
        if !self.edited.contains_key(&id) {
            let object = self.document.get_dictionary(id).ok()?.clone();
            self.edited.insert(id, object.into());
        }
        self.edited.get_mut(&id)?.as_dict_mut().ok()
    }

    pub(super) fn keys(&self) -> &BTreeMap<i64, i64> {
        &self.keys
    }

    pub(super) fn next_key(&self) -> i64 {
        self.next_key
    }

    /// The number of an object in the result. `None` if the result does not have it.
    pub(super) fn reference(&mut self, writer: &mut PdfWriter, id: ObjectId) -> Option<ObjectId> {
        if self.gone.contains(&id) {
            return None;
        }
        if let Some(id) = self.ids.get(&id) {
            return Some(*id);
        }
        if !self.edited.contains_key(&id) && !self.document.has_object(id) {
            return None;
        }
        let new = writer.reserve();
        self.ids.insert(id, new);
        self.queue.push_back(id);
        Some(new)
    }

    /// A copy of an object with the result's object numbers.
    pub(super) fn mapped(&mut self, writer: &mut PdfWriter, object: &Object) -> Object {
        let mut object = object.clone();
        self.rewrite(writer, &mut object);
        object
    }

    pub(super) fn rewrite(&mut self, writer: &mut PdfWriter, object: &mut Object) {
        match object {
            Object::Reference(id) => {
                *object = self.reference(writer, *id).map_or(Object::Null, Object::Reference);
            }
            Object::Array(elements) => elements.iter_mut().for_each(|element| self.rewrite(writer, element)),
            Object::Dictionary(dictionary) => self.rewrite_dictionary(writer, dictionary),
            Object::Stream(stream) => {
                stream.dict.remove(b"Length");
                self.rewrite_dictionary(writer, &mut stream.dict);
            }
            Object::String(bytes, format) if bytes.len() > LITERAL_BYTES => *format = StringFormat::Hexadecimal,
            _ => {}
        }
    }

    pub(super) fn rewrite_dictionary(&mut self, writer: &mut PdfWriter, dictionary: &mut Dictionary) {
        for key in [b"StructParents".as_slice(), b"StructParent"] {
            if let Ok(Object::Integer(key)) = dictionary.get_mut(key) {
                *key = self.key(*key);
            }
        }
        if self.only_parts {
            self.remove_element_destinations(dictionary);
        }
        self.rename_destinations(dictionary);
        remove_signature(dictionary);
        if !self.fonts.is_empty() {
            self.rename_fonts(dictionary);
        }
        if self.element_suffix.is_some() || !self.roles.is_empty() {
            self.rename_elements(dictionary);
        }
        for (_, value) in dictionary.iter_mut() {
            self.rewrite(writer, value);
        }
        // An entry without a value is the same as a missing entry.
        dictionary.as_hashmap_mut().retain(|_, value| !value.is_null());
    }

    fn key(&mut self, old: i64) -> i64 {
        let next_key = &mut self.next_key;
        *self.keys.entry(old).or_insert_with(|| {
            *next_key += 1;
            *next_key - 1
        })
    }

    /// The result has one tree of names, with strings as keys.
    fn rename_destinations(&self, dictionary: &mut Dictionary) {
        if self.names.is_empty() {
            return;
        }
        let goes = dictionary.get(b"S").is_ok_and(|kind| kind.as_name().is_ok_and(|kind| kind == b"GoTo"));
        for key in [b"Dest".as_slice(), b"D"] {
            if (key == b"Dest" || goes)
                && let Ok(target) = dictionary.get_mut(key)
                && let Some(new) = bytes(target).and_then(|name| self.names.get(name))
            {
                *target = string(new.clone());
            }
        }
    }

    /// Structure destinations (ISO 32000-2, 12.3.2.3): an action has them beside the one to the page.
    fn remove_element_destinations(&self, dictionary: &mut Dictionary) {
        let leads_to_element = |target: &Object| {
            let place = self.document.resolve(target).and_then(|target| target.as_array().ok());
            let first = place.and_then(|place| self.document.dictionary(place.first()?));
            first.is_some_and(|first| first.has(b"S") && first.has(b"P"))
        };
        for key in [b"SD".as_slice(), b"D", b"Dest"] {
            if dictionary.get(key).is_ok_and(leads_to_element) {
                dictionary.remove(key);
            }
        }
    }

    fn rename_fonts(&self, dictionary: &mut Dictionary) {
        if let Ok(Object::String(appearance, _)) = dictionary.get_mut(b"DA") {
            *appearance = rename_font(appearance, &self.fonts);
        }
    }

    fn rename_elements(&self, dictionary: &mut Dictionary) {
        if let Some(suffix) = &self.element_suffix {
            if dictionary.has_type(b"StructElem")
                && let Ok(Object::String(id, _)) = dictionary.get_mut(b"ID")
            {
                id.extend_from_slice(suffix);
            }
            if let Ok(Object::Array(headers)) = dictionary.get_mut(b"Headers") {
                for header in headers {
                    if let Object::String(id, _) = header {
                        id.extend_from_slice(suffix);
                    }
                }
            }
        }
        if dictionary.has_type(b"StructElem")
            && let Ok(Object::Name(role)) = dictionary.get_mut(b"S")
            && let Some(new) = self.roles.get(role)
        {
            role.clone_from(new);
        }
    }

    /// Writes all referenced objects.
    pub(super) fn drain(&mut self, writer: &mut PdfWriter) -> Result<(), WriteError> {
        while let Some(id) = self.queue.pop_front() {
            let Some(result) = self.ids.get(&id).copied() else { continue };
            let mut object = self.held.filled(self.take(id))?;
            self.rewrite(writer, &mut object);
            writer.put(result, object)?;
        }
        Ok(())
    }

    fn take(&mut self, id: ObjectId) -> Object {
        if let Some(edited) = self.edited.remove(&id) {
            return edited;
        }
        let object =
            if self.keep { self.document.objects.get(&id).cloned() } else { self.document.objects.remove(&id) };
        object.unwrap_or(Object::Null)
    }
}

/// A changed document is not what somebody signed: the field stays, with what it shows, and can be signed again.
fn remove_signature(dictionary: &mut Dictionary) {
    if dictionary.get(b"FT").is_ok_and(|kind| kind.as_name().is_ok_and(|kind| kind == b"Sig")) {
        dictionary.remove(b"V");
    }
}

/// `/F1 12 Tf 0 g` with the font's new name.
fn rename_font(appearance: &[u8], renamed: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let words: Vec<Vec<u8>> = appearance
        .split(u8::is_ascii_whitespace)
        .map(|word| {
            let new = word.strip_prefix(b"/").and_then(|name| renamed.iter().find(|(old, _)| old == name));
            new.map_or_else(|| word.to_vec(), |(_, new)| [b"/", new.as_slice()].concat())
        })
        .collect();
    words.join(&b' ')
}
