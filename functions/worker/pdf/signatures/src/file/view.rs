//! The objects of a revision.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use lopdf::encryption::decrypt_object;
use lopdf::{Dictionary, Document, EncryptionState, Object, ObjectId};

use super::section::Entry;
use super::syntax::{Data, Parser};
use super::{Broken, File, Revision};

/// The most bytes that all object streams together may unpack to.
const UNPACKED_BYTES: usize = 256 << 20;
/// The longest chain of references that lead to references.
const MOST_HOPS: usize = 8;

/// What decrypts a file.
type Key = Rc<EncryptionState>;

/// An object stream: its unpacked content, and the numbers and places of its objects.
#[derive(Debug)]
struct Container {
    content: Vec<u8>,
    objects: Vec<(u32, usize)>,
}

/// A revision, whose objects are read when they are asked for.
#[derive(Debug)]
pub(crate) struct View<'b> {
    bytes: &'b [u8],
    pub(crate) revision: Revision,
    key: Option<Key>,
    containers: RefCell<HashMap<u32, Option<Rc<Container>>>>,
    unpacked: Cell<usize>,
}

impl<'b> View<'b> {
    /// The revision of the file that ends here.
    pub(crate) fn open(file: &File<'b>, end: usize, password: &str) -> Result<Self, Broken> {
        let revision = file.revision(end)?;
        let bytes = file.bytes.get(..end).unwrap_or_default();
        let mut view = Self { bytes, revision, key: None, containers: RefCell::default(), unpacked: Cell::new(0) };
        view.key = view.find_key(password)?;
        Ok(view)
    }

    /// What decrypts the file. `None` if it is not encrypted.
    fn find_key(&self, password: &str) -> Result<Option<Key>, Broken> {
        let Some(trailer) = self.revision.trailer() else { return Ok(None) };
        let Ok(encryption) = trailer.get(b"Encrypt") else { return Ok(None) };
        let mut document = Document::new();
        document.trailer = trailer.clone();
        if let Ok(id) = encryption.as_reference() {
            let object = self.read(id.0, Data::LeftOut).ok_or(Broken("the file's encryption can't be read"))?;
            document.objects.insert(id, object);
        }
        let state = EncryptionState::decode(&document, password);
        state.map(|state| Some(Rc::new(state))).map_err(|_| Broken("the file's encryption can't be removed"))
    }

    /// The bytes of the revision.
    pub(crate) const fn bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// What encrypts the file, if it is encrypted.
    pub(crate) fn key(&self) -> Option<&EncryptionState> {
        self.key.as_deref()
    }

    /// The number from which on no object is known.
    pub(crate) fn free_number(&self) -> u32 {
        let size = self.revision.trailer().and_then(|trailer| trailer.get(b"Size").ok()?.as_i64().ok());
        let size = size.and_then(|size| u32::try_from(size).ok()).unwrap_or(1);
        let last = self.revision.entries.keys().max().copied().unwrap_or(0);
        size.max(last.saturating_add(1)).max(1)
    }

    pub(crate) fn entry(&self, number: u32) -> Entry {
        self.revision.entries.get(&number).copied().unwrap_or(Entry::Free)
    }

    /// An object, without the data of a stream. `None` if it is missing or can't be read.
    pub(crate) fn object(&self, number: u32) -> Option<Object> {
        self.read(number, Data::LeftOut)
    }

    /// An object with all its data.
    pub(crate) fn whole(&self, number: u32) -> Option<Object> {
        self.read(number, Data::Copied)
    }

    /// The object that a value is or refers to.
    pub(crate) fn resolve(&self, value: &Object) -> Option<Object> {
        let mut value = value.clone();
        for _ in 0..MOST_HOPS {
            let Object::Reference(id) = value else { return Some(value) };
            value = self.referred(id)?;
        }
        None
    }

    fn referred(&self, id: ObjectId) -> Option<Object> {
        match self.entry(id.0) {
            Entry::At { generation, .. } if generation != id.1 => None,
            Entry::Packed { .. } if id.1 != 0 => None,
            Entry::Free | Entry::At { .. } | Entry::Packed { .. } => self.object(id.0),
        }
    }

    /// A dictionary's entry, with references followed.
    pub(crate) fn value(&self, dictionary: &Dictionary, key: &[u8]) -> Option<Object> {
        self.resolve(dictionary.get(key).ok()?)
    }

    pub(crate) fn dictionary(&self, dictionary: &Dictionary, key: &[u8]) -> Option<Dictionary> {
        dict_of(self.value(dictionary, key)?)
    }

    pub(crate) fn array(&self, dictionary: &Dictionary, key: &[u8]) -> Vec<Object> {
        match self.value(dictionary, key) {
            Some(Object::Array(items)) => items,
            _ => Vec::new(),
        }
    }

    pub(crate) fn catalog(&self) -> Option<Dictionary> {
        dict_of(self.resolve(&Object::Reference(self.revision.root()?))?)
    }

    /// The bytes that an object that is not packed takes in the file.
    pub(crate) fn extent(&self, number: u32) -> Option<std::ops::Range<usize>> {
        let Entry::At { offset, .. } = self.entry(number) else { return None };
        let read = Parser::new(self.bytes, offset).indirect(Data::LeftOut, &|id| self.length(id)).ok()?;
        Some(offset..read.end)
    }

    fn length(&self, id: ObjectId) -> Option<usize> {
        let Entry::At { offset, .. } = self.entry(id.0) else {
            let object = self.packed(id.0)?;
            return usize::try_from(object.as_i64().ok()?).ok();
        };
        // A length is a number, so it has no stream with a length of its own.
        let read = Parser::new(self.bytes, offset).indirect(Data::LeftOut, &|_| None).ok()?;
        usize::try_from(read.object.as_i64().ok()?).ok()
    }

    fn read(&self, number: u32, data: Data) -> Option<Object> {
        match self.entry(number) {
            Entry::Free => None,
            Entry::Packed { .. } => self.packed(number),
            Entry::At { offset, generation } => {
                let read = Parser::new(self.bytes, offset).indirect(data, &|id| self.length(id)).ok()?;
                if read.id != (number, generation) {
                    return None;
                }
                let mut object = read.object;
                let is_table = object.as_stream().is_ok_and(|stream| stream.dict.has_type(b"XRef"));
                if let Some(key) = self.key.as_ref().filter(|_| !is_table) {
                    let done = decrypt_object(key, read.id, &mut object);
                    // Without its data, a stream can't be decrypted; its dictionary is.
                    if done.is_err() && data == Data::Copied {
                        return None;
                    }
                }
                Some(object)
            }
        }
    }

    fn packed(&self, number: u32) -> Option<Object> {
        let Entry::Packed { container, index } = self.entry(number) else { return None };
        let container = self.container(container)?;
        let (found, at) = container.objects.get(index)?;
        if *found != number {
            return None;
        }
        Parser::new(&container.content, *at).object(0).ok()
    }

    fn container(&self, number: u32) -> Option<Rc<Container>> {
        if let Some(known) = self.containers.borrow().get(&number) {
            return known.clone();
        }
        let container = self.unpack(number).map(Rc::new);
        self.containers.borrow_mut().insert(number, container.clone());
        container
    }

    fn unpack(&self, number: u32) -> Option<Container> {
        // Object streams are never packed themselves.
        let Entry::At { .. } = self.entry(number) else { return None };
        let Object::Stream(stream) = self.read(number, Data::Copied)? else { return None };
        let left = UNPACKED_BYTES.checked_sub(self.unpacked.get())?;
        let content = if stream.dict.has(b"Filter") {
            stream.decompressed_content_with_limit(left).ok()?
        } else {
            stream.content
        };
        self.unpacked.set(self.unpacked.get().saturating_add(content.len()));
        let whole = |key: &[u8]| usize::try_from(stream.dict.get(key).and_then(Object::as_i64).ok()?).ok();
        let (count, first) = (whole(b"N")?, whole(b"First")?);
        let mut head = Parser::new(content.get(..first)?, 0);
        let mut objects = Vec::new();
        for _ in 0..count {
            let number = u32::try_from(head.number().ok()?).ok()?;
            let offset = usize::try_from(head.number().ok()?).ok()?;
            objects.push((number, first.checked_add(offset)?));
        }
        Some(Container { content, objects })
    }
}

/// The dictionary that an object is or has.
pub(crate) fn dict_of(object: Object) -> Option<Dictionary> {
    match object {
        Object::Dictionary(dictionary) => Some(dictionary),
        Object::Stream(stream) => Some(stream.dict),
        _ => None,
    }
}
