//! Removes invisible text, such as that of an earlier OCR.

use std::collections::HashSet;

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::operations;
use docmill_pdf_request::Failure;
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::impose::unpacked;

/// Most unpacked bytes of a content stream.
const CONTENT_BYTES: usize = 64 << 20;
/// The text rendering mode in which nothing is drawn.
const INVISIBLE: i64 = 3;
/// Most nested graphics states.
const STATES: usize = 1000;

/// Removes the invisible text of these pages and their forms. Other pages that draw the same forms lose it too.
///
/// # Errors
/// If content can't be read, or is too large.
pub fn remove_text(document: &mut Document, pages: &[ObjectId]) -> Result<(), Failure> {
    let mut forms = HashSet::new();
    for id in pages {
        let Ok(page) = document.get_dictionary(*id) else { continue };
        find_forms(document, page, &mut forms);
        let mut content = Vec::new();
        for stream in document.get_page_contents(*id) {
            if let Ok(stream) = document.get_object(stream).and_then(Object::as_stream) {
                content.extend(unpacked(stream, CONTENT_BYTES.saturating_sub(content.len()))?);
                content.push(b'\n');
            }
        }
        if let Some(Stripped { content, .. }) = strip(&content) {
            let stream = document.add_object(Stream::new(Dictionary::new(), content));
            if let Ok(page) = document.get_dictionary_mut(*id) {
                page.set("Contents", stream);
            }
        }
    }
    for id in forms {
        let Ok(form) = document.get_object(id).and_then(Object::as_stream) else { continue };
        let Some(Stripped { content, draws }) = strip(&unpacked(form, CONTENT_BYTES)?) else { continue };
        if let Ok(form) = document.get_object_mut(id).and_then(Object::as_stream_mut) {
            form.dict.remove(b"Filter");
            form.dict.remove(b"DecodeParms");
            if !draws {
                // Its fonts are no longer needed.
                form.dict.remove(b"Resources");
            }
            form.set_content(if draws { content } else { Vec::new() });
        }
    }
    Ok(())
}

/// All forms that a page or form may draw, each visited once.
fn find_forms(document: &Document, owner: &Dictionary, found: &mut HashSet<ObjectId>) {
    let mut owners = vec![owner];
    while let Some(owner) = owners.pop() {
        let objects = document.child(owner, b"Resources").and_then(|resources| document.child(resources, b"XObject"));
        for (_, object) in objects.into_iter().flat_map(Dictionary::iter) {
            let Ok(id) = object.as_reference() else { continue };
            let form = document.dictionary(object).filter(|form| document.name(form, b"Subtype") == Some(b"Form"));
            if let Some(form) = form
                && found.insert(id)
            {
                owners.push(form);
            }
        }
    }
}

struct Stripped {
    content: Vec<u8>,
    /// Whether the rest may draw anything.
    draws: bool,
}

/// The content without its invisible text. `None` if it has no such text or can't be read.
fn strip(content: &[u8]) -> Option<Stripped> {
    let content = operations::decode(content)?;
    let (mut mode, mut states) = (0, Vec::new());
    let mut changed = false;
    let mut operations = Vec::with_capacity(content.operations.len());
    let mut draws = false;
    for operation in content.operations {
        match operation.operator.as_str() {
            "q" if states.len() < STATES => states.push(mode),
            "Q" => mode = states.pop().unwrap_or(mode),
            "Tr" => mode = operation.operands.first().and_then(|mode| mode.as_i64().ok()).unwrap_or(0),
            "Tj" | "TJ" if mode == INVISIBLE => {
                changed = true;
                continue;
            }
            "'" | "\"" if mode == INVISIBLE => {
                changed = true;
                operations.push(Operation::new("T*", Vec::new()));
                continue;
            }
            "Do" | "Tj" | "TJ" | "'" | "\"" | "BI" | "EI" | "sh" | "S" | "s" | "f" | "F" | "f*" | "B" | "B*" | "b"
            | "b*" => draws = true,
            _ => {}
        }
        operations.push(operation);
    }
    let content = changed.then(|| Content { operations }.encode().ok())??;
    Some(Stripped { content, draws })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(content: &str) -> Option<(String, bool)> {
        strip(content.as_bytes()).map(|Stripped { content, draws }| (String::from_utf8(content).unwrap(), draws))
    }

    #[test]
    fn invisible_text_is_removed_and_the_rest_stays() {
        let (content, draws) =
            stripped("q /Im Do Q BT 3 Tr /F 9 Tf (gone) Tj 0 Tr (stays) Tj 3 Tr q 0 Tr (too) Tj Q (gone) ' ET")
                .unwrap();
        assert!(
            draws && content.contains("stays") && content.contains("too") && content.contains("/Im Do"),
            "{content}"
        );
        assert!(!content.contains("gone"), "{content}");
    }

    #[test]
    fn content_without_invisible_text_is_unchanged() {
        assert_eq!(stripped("BT /F 9 Tf (here) Tj ET"), None);
        let (_, draws) = stripped("BT 3 Tr /F 9 Tf [(go) 1 (ne)] TJ ET").unwrap();
        assert!(!draws);
    }
}
