//! A page's content, and what it draws.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use lopdf::content::Content;
use lopdf::{Dictionary, Document, Object, Stream};

use super::objects::{Lookup, unpacked};

/// Most content bytes that are read. Pages with more are not blank.
const LOOKED_AT: usize = 4 << 20;

/// A page's content in one piece, of at most so many bytes. `None` if it has more, or a part can't be read.
pub fn of_page(document: &Document, page: &Dictionary, most: usize) -> Option<Vec<u8>> {
    let parts: Vec<&Stream> = match document.value(page, b"Contents") {
        Some(Object::Stream(stream)) => vec![stream],
        Some(Object::Array(parts)) => {
            parts.iter().filter_map(|part| document.resolve(part)?.as_stream().ok()).collect()
        }
        _ => Vec::new(),
    };
    let mut content = Vec::new();
    for part in parts {
        content.extend(unpacked(part, most.saturating_sub(content.len()))?);
        content.push(b'\n');
        if content.len() > most {
            return None;
        }
    }
    Some(content)
}

/// Whether a page draws nothing: no text, lines, areas or pictures. White counts as drawn.
pub fn is_blank(document: &Document, page: &Dictionary) -> bool {
    if !document.array(page, b"Annots").is_empty() {
        return false;
    }
    let Some(content) = of_page(document, page, LOOKED_AT) else { return false };
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
