//! Attached files: level 3b allows any, the others none.

use docmill_pdf_core::objects::{Lookup, string, tree};
use lopdf::{Document, Object, ObjectId};

use super::verdict::{Level, Repair, Rule, Verdict};

pub(super) fn mend(document: &mut Document, verdict: &mut Verdict) {
    name_tree(document);
    let files: Vec<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| object.as_dict().is_ok_and(|file| document.child(file, b"EF").is_some()))
        .map(|(id, _)| *id)
        .collect();
    if files.is_empty() {
        return;
    }
    if verdict.level != Level::Three {
        files.iter().for_each(|_| verdict.fail(Rule::Attachment));
        return;
    }
    let catalog = document.catalog().cloned().unwrap_or_default();
    let mut associated = document.array(&catalog, b"AF").to_vec();
    for id in files {
        let mut is_changed = complete(document, id);
        if !associated.iter().any(|file| file.as_reference().is_ok_and(|file| file == id)) {
            associated.push(id.into());
            is_changed = true;
        }
        if is_changed {
            verdict.mend(Repair::AttachmentEntries);
        }
    }
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("AF", associated);
    }
}

/// Makes files in the name tree separate objects, so that others can refer to them.
fn name_tree(document: &mut Document) {
    let catalog = document.catalog().cloned().unwrap_or_default();
    let Some(mut names) = document.child(&catalog, b"Names").cloned() else { return };
    let Some(files) = document.child(&names, b"EmbeddedFiles") else { return };
    let mut pairs = Vec::new();
    for (name, file) in tree(document, files, b"Names") {
        let file = match file {
            Object::Dictionary(file) => document.add_object(file).into(),
            other => other,
        };
        pairs.extend([name, file]);
    }
    names.set("EmbeddedFiles", lopdf::dictionary! { "Names" => pairs });
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("Names", names);
    }
}

/// Adds required entries of a file. Returns whether any were missing.
fn complete(document: &mut Document, id: ObjectId) -> bool {
    let Ok(file) = document.get_dictionary(id) else { return false };
    let mut file = file.clone();
    let old = file.clone();
    let name = document.value(&file, b"UF").or_else(|| document.value(&file, b"F")).cloned();
    let name = name.unwrap_or_else(|| string(b"attachment".to_vec()));
    for key in ["F", "UF"] {
        if !file.has(key.as_bytes()) {
            file.set(key, name.clone());
        }
    }
    file.set("Type", "Filespec");
    if document.name(&file, b"AFRelationship").is_none() {
        file.set("AFRelationship", "Unspecified");
    }
    let streams: Vec<ObjectId> = document
        .child(&file, b"EF")
        .into_iter()
        .flat_map(|files| files.iter())
        .filter_map(|(_, stream)| stream.as_reference().ok())
        .collect();
    let mut is_changed = file != old;
    document.objects.insert(id, Object::Dictionary(file));
    for stream in streams {
        let Ok(stream) = document.get_object_mut(stream).and_then(Object::as_stream_mut) else { continue };
        let kind = stream.dict.get(b"Subtype").and_then(Object::as_name).ok();
        if !kind.is_some_and(is_media_type) {
            is_changed = true;
            stream.dict.set("Subtype", Object::Name(b"application/octet-stream".to_vec()));
        }
        stream.dict.set("Type", "EmbeddedFile");
    }
    is_changed
}

fn is_media_type(name: &[u8]) -> bool {
    let is_part = |part: &[u8]| {
        !part.is_empty() && part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-+._".contains(byte))
    };
    let mut parts = name.split(|byte| *byte == b'/');
    matches!((parts.next(), parts.next(), parts.next()), (Some(kind), Some(subtype), None) if is_part(kind) && is_part(subtype))
}
