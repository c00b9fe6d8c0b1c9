//! Invisible and unsearchable content: attachments, scripts, hidden layers and annotations, previews, private data of programs.
//! All of it is removed before anything else.

use std::collections::HashSet;

use docmill_pdf_core::image;
use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_request::Failure;
use docmill_pdf_structure::{metadata, visible};
use lopdf::{Dictionary, Document, Object, ObjectId};

use super::needle::Needles;
use super::strings;

/// Flags of an annotation that is not shown: invisible, hidden, and hidden on the screen.
const UNSEEN: i64 = 1 << 1 | 1 << 5;
/// Annotations that carry files, sounds, films and models.
const CARRIERS: [&[u8]; 6] = [b"FileAttachment", b"Sound", b"Movie", b"Screen", b"RichMedia", b"3D"];
/// Catalogue entries of the whole document that are not needed to show it.
const OF_CATALOG: [&[u8]; 11] = [
    b"AA",
    b"AF",
    b"Collection",
    b"DPartRoot",
    b"DSS",
    b"Legal",
    b"Perms",
    b"PieceInfo",
    b"Requirements",
    b"SpiderInfo",
    b"Threads",
];
/// Entries of any object.
const OF_OBJECTS: [&[u8]; 9] =
    [b"PieceInfo", b"LastModified", b"Thumb", b"AA", b"AF", b"Alternates", b"OPI", b"Associated", b"UserProperties"];
/// What metadata may unpack to.
const METADATA_BYTES: usize = 4 << 20;

/// What was removed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Removed {
    /// Embedded files.
    pub attachments: usize,
    /// JavaScript and other actions.
    pub scripts: usize,
    /// Hidden ones.
    pub annotations: usize,
    /// Whether hidden layers were removed.
    pub layers: bool,
}

/// Removes all of it. Metadata with a match is removed in any case.
pub(super) fn remove(
    document: &mut Document,
    pages: &[ObjectId],
    needles: &Needles,
    all_metadata: bool,
) -> Result<Removed, Failure> {
    let mut removed = Removed { layers: has_hidden_layers(document), ..Removed::default() };
    visible::flatten_layers(document, pages)?;
    names(document, &mut removed);
    annotations(document, pages, &mut removed);
    if all_metadata {
        metadata::remove_all(document);
    } else {
        some_metadata(document, needles);
    }
    let signatures: HashSet<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| object.as_dict().is_ok_and(|value| value.has(b"ByteRange") && value.has(b"Contents")))
        .map(|(id, _)| *id)
        .collect();
    // A broken signature still names the signer.
    document.objects.retain(|id, _| !signatures.contains(id));
    for object in document.objects.values_mut() {
        match object {
            Object::Dictionary(dictionary) => scripts(dictionary, &mut removed),
            Object::Stream(stream) => {
                scripts(&mut stream.dict, &mut removed);
                picture(stream);
            }
            _ => {}
        }
    }
    if let Ok(catalog) = document.catalog_mut() {
        for key in OF_CATALOG {
            catalog.remove(key);
        }
    }
    let form = document.catalog().ok().and_then(|catalog| catalog.get(b"AcroForm").cloned().ok());
    if let Some(form) = form {
        change(document, &form, b"AcroForm", |form| {
            form.remove(b"XFA");
        });
    }
    Ok(removed)
}

fn has_hidden_layers(document: &Document) -> bool {
    document.catalog().is_ok_and(|catalog| catalog.has(b"OCProperties"))
}

/// Changes a dictionary of the catalogue, whether direct or not.
fn change(document: &mut Document, entry: &Object, key: &[u8], change: impl FnOnce(&mut Dictionary)) {
    let dictionary = match entry {
        Object::Reference(id) => document.get_dictionary_mut(*id),
        _ => document.catalog_mut().and_then(|catalog| catalog.get_mut(key).and_then(Object::as_dict_mut)),
    };
    if let Ok(dictionary) = dictionary {
        change(dictionary);
    }
}

fn names(document: &mut Document, removed: &mut Removed) {
    let Some(entry) = document.catalog().ok().and_then(|catalog| catalog.get(b"Names").cloned().ok()) else { return };
    let count = |key: &[u8]| {
        let root = document.dictionary(&entry).and_then(|names| document.child(names, key));
        root.map_or(0, |root| docmill_pdf_core::objects::tree(document, root, b"Names").len())
    };
    removed.attachments += count(b"EmbeddedFiles");
    removed.scripts += count(b"JavaScript");
    change(document, &entry, b"Names", |names| {
        let others: Vec<Vec<u8>> = names.iter().map(|(key, _)| key.clone()).filter(|key| key != b"Dests").collect();
        for key in others {
            names.remove(&key);
        }
    });
    // Others may refer to the files themselves.
    for object in document.objects.values_mut() {
        if let Object::Dictionary(file) = object
            && file.has(b"EF")
        {
            file.remove(b"EF");
            file.remove(b"RF");
        }
    }
}

fn annotations(document: &mut Document, pages: &[ObjectId], removed: &mut Removed) {
    for page in pages {
        let Ok(dictionary) = document.get_dictionary(*page) else { continue };
        let mut gone = Vec::new();
        let mut stay = Vec::new();
        for entry in document.array(dictionary, b"Annots") {
            let annotation = document.dictionary(entry);
            let kind = annotation.and_then(|annotation| document.name(annotation, b"Subtype")).unwrap_or_default();
            let flags = annotation.and_then(|annotation| document.integer(annotation, b"F")).unwrap_or(0);
            removed.attachments += usize::from(kind == b"FileAttachment");
            if annotation.is_none() || CARRIERS.contains(&kind) || flags & UNSEEN != 0 && kind != b"Popup" {
                gone.push(entry.as_reference());
            } else {
                stay.push(entry.clone());
            }
        }
        if gone.is_empty() {
            continue;
        }
        removed.annotations += gone.len();
        for id in gone.into_iter().flatten() {
            super::annotations::delete(document, id);
        }
        if let Ok(page) = document.get_dictionary_mut(*page) {
            page.set("Annots", stay);
        }
    }
}

fn some_metadata(document: &mut Document, needles: &Needles) {
    let mentions: HashSet<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| {
            object.as_stream().is_ok_and(|stream| {
                stream.dict.has_type(b"Metadata")
                    && unpacked(stream, METADATA_BYTES).is_none_or(|text| strings::text_has(&text, needles))
            })
        })
        .map(|(id, _)| *id)
        .collect();
    document.objects.retain(|id, _| !mentions.contains(id));
}

fn scripts(dictionary: &mut Dictionary, removed: &mut Removed) {
    for key in OF_OBJECTS {
        dictionary.remove(key);
    }
    let is_script = |action: &Dictionary| {
        matches!(
            action.get(b"S").and_then(Object::as_name),
            Ok(b"JavaScript" | b"Rendition" | b"ImportData" | b"Launch")
        )
    };
    let in_place = |value: &Object| value.as_dict().is_ok_and(is_script);
    for key in [b"A".as_slice(), b"OpenAction", b"Next"] {
        if dictionary.get(key).is_ok_and(in_place) {
            dictionary.remove(key);
            removed.scripts += 1;
        }
    }
    if is_script(dictionary) {
        removed.scripts += 1;
        *dictionary = Dictionary::new();
    }
}

fn picture(stream: &mut lopdf::Stream) {
    let filter = match stream.dict.get(b"Filter") {
        Ok(Object::Array(filters)) => match filters.as_slice() {
            [only] => only.as_name(),
            _ => return,
        },
        Ok(filter) => filter.as_name(),
        Err(_) => return,
    };
    let plain = match filter {
        Ok(b"DCTDecode") => image::metadata::jpeg(&stream.content),
        Ok(b"JPXDecode") => image::metadata::jpeg2000(&stream.content),
        Ok(_) | Err(_) => None,
    };
    if let Some(plain) = plain {
        stream.set_content(plain);
    }
}
