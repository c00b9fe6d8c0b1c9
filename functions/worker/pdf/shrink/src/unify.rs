//! Stores equal objects once.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use docmill_pdf_core::deferred_pictures::DeferredPictures;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use sha2::{Digest, Sha256};

/// Objects are equal once what they refer to is: forms in forms take a round for each level.
const ROUNDS: usize = 8;
/// Dictionaries of these types only say how something looks. Equal ones of other types are still two pages, fields or layers.
const LOOKS: [&[u8]; 8] =
    [b"ExtGState", b"Font", b"FontDescriptor", b"Pattern", b"Halftone", b"Encoding", b"Group", b"Mask"];

type Hash = [u8; 32];

/// Stores equal streams once, and equal dictionaries that only say how something looks.
///
/// # Errors
/// If a held picture can't be read.
pub fn unify(document: &mut Document, held: &DeferredPictures) -> io::Result<()> {
    let mut contents = Contents { held, hashes: HashMap::new(), lengths: lengths(document, held) };
    for _ in 0..ROUNDS {
        let same = equal(document, &mut contents)?;
        if same.is_empty() {
            break;
        }
        document.traverse_objects(|object| {
            if let Object::Reference(id) = object
                && let Some(to) = same.get(id)
            {
                *id = *to;
            }
        });
        document.objects.retain(|id, _| !same.contains_key(id));
    }
    Ok(())
}

/// How many streams there are of each length.
fn lengths(document: &Document, held: &DeferredPictures) -> HashMap<usize, u32> {
    let mut lengths = HashMap::new();
    for stream in document.objects.values().filter_map(|object| object.as_stream().ok()) {
        *lengths.entry(held.length(stream)).or_default() += 1;
    }
    lengths
}

/// Each object that an earlier one is equal to, and that one.
fn equal(document: &Document, contents: &mut Contents<'_>) -> io::Result<BTreeMap<ObjectId, ObjectId>> {
    let (mut first, mut same) = (HashMap::new(), BTreeMap::new());
    let resources = resources(document);
    for (id, object) in &document.objects {
        let is_look = |dict: &Dictionary| {
            let is_resource = resources.contains(id) && !dict.has(b"Type");
            is_resource || LOOKS.iter().any(|kind| dict.has_type(kind))
        };
        let hash = if let Object::Stream(stream) = object {
            contents.hash(*id, stream)?
        } else {
            object.as_dict().ok().filter(|dict| is_look(dict)).and_then(|dict| hash(dict, &[]))
        };
        let Some(hash) = hash else { continue };
        match first.entry(hash) {
            Entry::Occupied(entry) => {
                same.insert(*id, *entry.get());
            }
            Entry::Vacant(entry) => {
                entry.insert(*id);
            }
        }
    }
    Ok(same)
}

/// Resource dictionaries, and the dictionaries of each kind of resource in them: they have no type of their own.
fn resources(document: &Document) -> HashSet<ObjectId> {
    let mut found = HashSet::new();
    for object in document.objects.values() {
        let dict = object.as_stream().map(|stream| &stream.dict).or_else(|_| object.as_dict());
        let Ok(named) = dict.and_then(|dict| dict.get(b"Resources")) else { continue };
        found.extend(named.as_reference().ok());
        if let Ok((_, Object::Dictionary(kinds))) = document.dereference(named) {
            found.extend(kinds.iter().filter_map(|(_, kind)| kind.as_reference().ok()));
        }
    }
    found
}

/// The contents of streams, each of which is read once.
struct Contents<'a> {
    held: &'a DeferredPictures,
    hashes: HashMap<ObjectId, Hash>,
    lengths: HashMap<usize, u32>,
}

impl Contents<'_> {
    /// Nothing for streams that are like no other, or that tags tell apart.
    fn hash(&mut self, id: ObjectId, stream: &Stream) -> io::Result<Option<Hash>> {
        let is_tagged = stream.dict.has(b"StructParent") || stream.dict.has(b"StructParents");
        // Only streams of one length can be equal: most need not be read.
        if is_tagged || self.lengths.get(&self.held.length(stream)) == Some(&1) {
            return Ok(None);
        }
        let content = match self.hashes.entry(id) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(entry) => *entry.insert(Sha256::digest(&self.held.whole(stream)?.content).into()),
        };
        Ok(hash(&stream.dict, &content))
    }
}

/// `None` for what can't be written.
fn hash(dict: &Dictionary, content: &[u8]) -> Option<Hash> {
    let mut head = Vec::new();
    lopdf::Writer::write_object(&mut head, &Object::Dictionary(dict.clone())).ok()?;
    let mut digest = Sha256::new();
    digest.update(&head);
    digest.update(b"\0");
    digest.update(content);
    Some(digest.finalize().into())
}

#[cfg(test)]
mod tests {
    use lopdf::dictionary;

    use super::*;

    fn form(content: &str, resources: Dictionary) -> Stream {
        Stream::new(dictionary! { "Subtype" => "Form", "Resources" => resources }, content.into())
    }

    fn shown(document: &mut Document, alpha: i64) -> ObjectId {
        let state = document.add_object(dictionary! { "Type" => "ExtGState", "ca" => alpha });
        let states = document.add_object(dictionary! { "G" => state });
        let inner = document.add_object(form("0 0 9 9 re f", dictionary! { "ExtGState" => states }));
        document.add_object(form("/X Do", dictionary! { "XObject" => dictionary! { "X" => inner } }))
    }

    #[test]
    fn equal_forms_in_equal_forms_are_stored_once() {
        let mut document = Document::new();
        let [one, other, different] = [1, 1, 0].map(|alpha| shown(&mut document, alpha));
        let page = document.add_object(dictionary! { "A" => one, "B" => other, "C" => different });
        document.trailer.set("Root", page);
        unify(&mut document, &DeferredPictures::NOTHING).unwrap();
        let page = document.get_dictionary(page).unwrap();
        let at = |key: &[u8]| page.get(key).and_then(Object::as_reference).unwrap();
        assert_eq!(at(b"A"), at(b"B"));
        assert_ne!(at(b"A"), at(b"C"));
        assert_eq!(document.objects.len(), 1 + 2 * 4);
    }

    #[test]
    fn equal_pages_layers_and_tagged_forms_stay_apart() {
        let mut document = Document::new();
        for _ in 0..2 {
            document.add_object(dictionary! { "Type" => "OCG", "Name" => "Layer" });
            document.add_object(dictionary! { "Type" => "Page" });
            let mut tagged = form("0 0 9 9 re f", Dictionary::new());
            tagged.dict.set("StructParents", 1);
            document.add_object(tagged);
        }
        unify(&mut document, &DeferredPictures::NOTHING).unwrap();
        assert_eq!(document.objects.len(), 6);
    }
}
