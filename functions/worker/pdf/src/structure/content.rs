//! What a page's content draws.

use lopdf::content::Content;
use lopdf::{Dictionary, Document, Object};

use super::impose::unpacked;
use super::objects::Lookup;

/// Most content bytes that are read. Pages with more are not blank.
const LOOKED_AT: usize = 4 << 20;

/// Whether a page draws nothing: no text, lines, areas or pictures. White counts as drawn.
pub(crate) fn is_blank(document: &Document, page: &Dictionary) -> bool {
    if !document.array(page, b"Annots").is_empty() {
        return false;
    }
    let streams: Vec<&Object> = match page.get(b"Contents").ok().and_then(|contents| document.resolve(contents)) {
        Some(Object::Array(streams)) => streams.iter().collect(),
        Some(stream) => vec![stream],
        None => Vec::new(),
    };
    let mut content = Vec::new();
    for stream in streams.into_iter().filter_map(|stream| document.resolve(stream)?.as_stream().ok()) {
        let room = LOOKED_AT.saturating_sub(content.len());
        let Ok(more) = unpacked(stream, room) else { return false };
        content.extend(more);
        content.push(b'\n');
    }
    Content::decode(&content).is_ok_and(|content| {
        !content.operations.iter().any(|operation| match operation.operator.as_str() {
            "Tj" | "'" | "\"" | "TJ" => operation.operands.iter().any(shows),
            operator => {
                matches!(operator, "S" | "s" | "f" | "F" | "f*" | "B" | "B*" | "b" | "b*" | "sh" | "Do" | "BI" | "EI")
            }
        })
    })
}

/// Whether a string has anything but spaces.
fn shows(text: &Object) -> bool {
    match text {
        Object::String(bytes, _) => bytes.iter().any(|byte| !matches!(byte, b' ' | 0)),
        Object::Array(parts) => parts.iter().any(shows),
        _ => false,
    }
}
