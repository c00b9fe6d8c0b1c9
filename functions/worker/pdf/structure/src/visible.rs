//! Flattens layers: keeps what viewers show by default, and removes the rest.

use std::collections::HashSet;

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::operations;
use docmill_pdf_request::{ErrorCode, Failure};
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use super::impose::unpacked;

/// What one content stream may unpack to.
const CONTENT_BYTES: usize = 64 << 20;

/// Operators that draw.
const PAINTS: [&str; 17] =
    ["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "Do", "sh", "BI", "EI", "Tj", "TJ", "'", "\""];

/// Removes the content of hidden layers, and the layers.
///
/// # Errors
/// If content can't be read, or is too large.
pub fn flatten_layers(document: &mut Document, pages: &[ObjectId]) -> Result<(), Failure> {
    let Some(properties) = document.catalog().ok().and_then(|catalog| document.child(catalog, b"OCProperties")) else {
        return Ok(());
    };
    let hidden = hidden(document, properties);
    if !hidden.is_empty() {
        for page in pages {
            strip_page(document, *page, &hidden)?;
        }
        strip_forms(document, &hidden)?;
    }
    for object in document.objects.values_mut() {
        match object {
            Object::Dictionary(dictionary) => drop(dictionary.remove(b"OC")),
            Object::Stream(stream) => drop(stream.dict.remove(b"OC")),
            _ => {}
        }
    }
    if let Ok(catalog) = document.catalog_mut() {
        catalog.remove(b"OCProperties");
    }
    Ok(())
}

/// The layers that are off at first.
fn hidden(document: &Document, properties: &Dictionary) -> HashSet<ObjectId> {
    let settings = document.child(properties, b"D").cloned().unwrap_or_default();
    let listed = |dictionary: &Dictionary, key: &[u8]| -> HashSet<ObjectId> {
        document.array(dictionary, key).iter().filter_map(|group| group.as_reference().ok()).collect()
    };
    if document.name(&settings, b"BaseState") == Some(b"OFF") {
        let on = listed(&settings, b"ON");
        return listed(properties, b"OCGs").difference(&on).copied().collect();
    }
    listed(&settings, b"OFF")
}

/// Whether this layer or combination of layers is hidden.
fn is_hidden(document: &Document, layer: &Object, hidden: &HashSet<ObjectId>) -> bool {
    if layer.as_reference().is_ok_and(|id| hidden.contains(&id)) {
        return true;
    }
    let Some(dictionary) = document.dictionary(layer) else { return false };
    let groups: Vec<ObjectId> = match dictionary.get(b"OCGs") {
        Ok(Object::Reference(id)) if document.dictionary(&Object::Reference(*id)).is_some() => vec![*id],
        Ok(_) => document.array(dictionary, b"OCGs").iter().filter_map(|group| group.as_reference().ok()).collect(),
        Err(_) => return false,
    };
    let off = groups.iter().filter(|group| hidden.contains(group)).count();
    let visible = match document.name(dictionary, b"P").unwrap_or(b"AnyOn") {
        b"AllOn" => off == 0,
        b"AnyOff" => off > 0,
        b"AllOff" => off == groups.len(),
        _ => groups.is_empty() || off < groups.len(),
    };
    !visible
}

fn strip_page(document: &mut Document, id: ObjectId, hidden: &HashSet<ObjectId>) -> Result<(), Failure> {
    let Ok(page) = document.get_dictionary(id) else { return Ok(()) };
    let annotations = document.array(page, b"Annots");
    let seen = |annotation: &&Object| {
        let layer = document.dictionary(annotation).and_then(|annotation| annotation.get(b"OC").ok());
        layer.is_none_or(|layer| !is_hidden(document, layer, hidden))
    };
    let kept: Option<Vec<Object>> =
        (!annotations.is_empty()).then(|| annotations.iter().filter(seen).cloned().collect());
    let names =
        document.child(page, b"Resources").map_or_else(HashSet::new, |resources| names(document, resources, hidden));
    let mut content = Vec::new();
    if !names.is_empty() {
        for stream in document.get_page_contents(id) {
            if let Ok(stream) = document.get_object(stream).and_then(Object::as_stream) {
                content.extend(unpacked(stream, CONTENT_BYTES.saturating_sub(content.len()))?);
                content.push(b'\n');
            }
        }
    }
    let stripped = if names.is_empty() { None } else { strip(&content, &names)? };
    let stripped = stripped.map(|content| document.add_object(Stream::new(Dictionary::new(), content)));
    if let Ok(page) = document.get_dictionary_mut(id) {
        if let Some(kept) = kept {
            page.set("Annots", kept);
        }
        if let Some(stripped) = stripped {
            page.set("Contents", stripped);
        }
    }
    Ok(())
}

/// Empties objects that belong to hidden layers, and removes hidden parts from the others.
fn strip_forms(document: &mut Document, hidden: &HashSet<ObjectId>) -> Result<(), Failure> {
    let ids: Vec<ObjectId> =
        document.objects.iter().filter(|(_, object)| object.as_stream().is_ok()).map(|(id, _)| *id).collect();
    for id in ids {
        let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else { continue };
        if stream.dict.get(b"OC").is_ok_and(|layer| is_hidden(document, layer, hidden)) {
            let head = dictionary! {
                "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 0.into(), 0.into()],
            };
            document.objects.insert(id, Stream::new(head, Vec::new()).into());
            continue;
        }
        let names = document
            .child(&stream.dict, b"Resources")
            .map_or_else(HashSet::new, |resources| names(document, resources, hidden));
        if names.is_empty() || document.name(&stream.dict, b"Subtype") != Some(b"Form") {
            continue;
        }
        let content = unpacked(stream, CONTENT_BYTES)?;
        if let Some(stripped) = strip(&content, &names)?
            && let Ok(stream) = document.get_object_mut(id).and_then(Object::as_stream_mut)
        {
            stream.dict.remove(b"Filter");
            stream.dict.remove(b"DecodeParms");
            stream.set_content(stripped);
        }
    }
    Ok(())
}

/// The names of hidden layers in the resources.
fn names(document: &Document, resources: &Dictionary, hidden: &HashSet<ObjectId>) -> HashSet<Vec<u8>> {
    let properties = document.child(resources, b"Properties").into_iter().flat_map(Dictionary::iter);
    properties.filter(|(_, layer)| is_hidden(document, layer, hidden)).map(|(name, _)| name.clone()).collect()
}

/// The content without the drawings of hidden layers. State that later content may need stays. `None` if nothing is hidden.
fn strip(content: &[u8], names: &HashSet<Vec<u8>>) -> Result<Option<Vec<u8>>, Failure> {
    let content = operations::decode(content).ok_or_else(unreadable)?;
    let mut marks: Vec<bool> = Vec::new();
    let mut changed = false;
    let mut operations = Vec::with_capacity(content.operations.len());
    for operation in content.operations {
        match operation.operator.as_str() {
            "BDC" => {
                let operand = |index: usize| operation.operands.get(index).and_then(|operand| operand.as_name().ok());
                marks.push(operand(0) == Some(b"OC") && operand(1).is_some_and(|name| names.contains(name)));
            }
            "BMC" => marks.push(false),
            "EMC" => drop(marks.pop()),
            operator if marks.contains(&true) && PAINTS.contains(&operator) => {
                changed = true;
                operations.extend(silent(operator));
                continue;
            }
            _ => {}
        }
        operations.push(operation);
    }
    let encoded = changed.then(|| Content { operations }.encode()).transpose();
    encoded.map_err(|_| unreadable())
}

/// Without the layers, a viewer would show hidden content.
fn unreadable() -> Failure {
    Failure::new(
        ErrorCode::CorruptDocument,
        "A page with hidden layers is damaged. Open the PDF in the program that made it and save it again.",
        "content that can't be read",
    )
}

/// The replacement of a drawing operation: it only ends the path or starts the next line.
fn silent(operator: &str) -> Option<Operation> {
    match operator {
        "S" | "s" | "f" | "F" | "f*" | "B" | "B*" | "b" | "b*" => Some(Operation::new("n", Vec::new())),
        "'" | "\"" => Some(Operation::new("T*", Vec::new())),
        _ => None,
    }
}
