//! Objects of a file without a table of them, or with a wrong one.

use std::sync::OnceLock;

use docmill_pdf_core::objects::{self, Lookup};
use docmill_pdf_request::{ErrorCode, Failure};
use lopdf::{Document, Object, ObjectId, ObjectStream, dictionary};
use regex::bytes::Regex;

/// The most bytes that one object stream may unpack to.
const UNPACKED_BYTES: usize = 32 << 20;
/// The most objects that are looked for.
const MOST_OBJECTS: u32 = 900_000;

/// An entry of the catalog that is added.
const MARK: &str = "DocmillAdded";

/// Whether the file ends before its end.
pub(super) fn is_cut(bytes: &[u8]) -> bool {
    memchr::memmem::rfind(bytes, b"startxref").is_none()
}

/// Gives a header to a file that has lost its own.
pub(super) fn add_header(bytes: &mut Vec<u8>) {
    /// Readers look for it here.
    const WITHIN: usize = 1024;
    if memchr::memmem::find(bytes.get(..WITHIN).unwrap_or(bytes), b"%PDF-").is_none() {
        bytes.splice(0..0, *b"%PDF-1.7\n");
    }
}

/// Gives an end to a stream that the file ends in.
pub(super) fn end_stream(bytes: &mut Vec<u8>) {
    // `endstream` has `stream` in it.
    let last = memchr::memmem::rfind(bytes, b"stream");
    if last.is_some_and(|at| bytes.get(..at).is_some_and(|before| !before.ends_with(b"end"))) {
        bytes.extend_from_slice(b"\nendstream\nendobj");
    }
}

/// Adds a catalog without pages to a file that has lost its trailer: objects are only found with one. False if that would not help.
pub(super) fn add_catalog(bytes: &mut Vec<u8>) -> bool {
    if memchr::memmem::find(bytes, b"/Encrypt").is_some() {
        return false;
    }
    let number = highest_number(bytes) + 1;
    let tree = number + 1;
    let added = format!(
        "\n{number} 0 obj\n<</Type/Catalog/Pages {tree} 0 R/{MARK} true>>\nendobj\n\
         {tree} 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\ntrailer\n<</Root {number} 0 R>>\nstartxref\n0\n%%EOF\n"
    );
    bytes.extend_from_slice(added.as_bytes());
    true
}

/// The highest number of an object that the file has, within what is looked for.
fn highest_number(bytes: &[u8]) -> u32 {
    static OBJECT: OnceLock<Option<Regex>> = OnceLock::new();
    let Some(object) = OBJECT.get_or_init(|| Regex::new(r"(?-u)(\d{1,7})\s+\d{1,5}\s+(?:obj|R)\b").ok()) else {
        return 0;
    };
    let numbers = object.captures_iter(bytes).filter_map(|found| std::str::from_utf8(&found[1]).ok()?.parse().ok());
    numbers.filter(|number| *number < MOST_OBJECTS).max().unwrap_or(0)
}

/// Unpacks the streams that hold objects, and goes by the document's own catalog if it is there.
pub(super) fn with_catalog(mut document: Document) -> Result<Document, Failure> {
    let packed: Vec<ObjectId> = document
        .objects
        .iter()
        // A newer object replaces an older one.
        .rev()
        .filter(|(_, object)| object.as_stream().is_ok_and(|stream| stream.dict.has_type(b"ObjStm")))
        .map(|(id, _)| *id)
        .collect();
    for id in packed {
        let Some(Object::Stream(mut stream)) = document.objects.remove(&id) else { continue };
        let Some(plain) = objects::unpacked(&stream, UNPACKED_BYTES) else { continue };
        stream.set_plain_content(plain);
        let Ok(unpacked) = ObjectStream::new_with_limit(&stream, Some(UNPACKED_BYTES)) else { continue };
        for (id, object) in unpacked.objects {
            document.max_id = document.max_id.max(id.0);
            document.objects.entry(id).or_insert(object);
        }
    }
    document.objects.retain(|_, object| !object.as_stream().is_ok_and(|stream| stream.dict.has_type(b"XRef")));
    let own = document.objects.iter().rev().find(|(_, object)| {
        object.as_dict().is_ok_and(|catalog| catalog.has_type(b"Catalog") && !catalog.has(MARK.as_bytes()))
    });
    if let Some(id) = own.map(|(id, _)| *id) {
        document.trailer.set("Root", id);
    }
    if document.catalog().is_err() {
        let message = "This PDF is damaged and could not be repaired.";
        return Err(Failure::new(ErrorCode::CorruptDocument, message, "rebuilding: no catalog"));
    }
    if let Ok(catalog) = document.catalog_mut() {
        catalog.remove(MARK.as_bytes());
    }
    // Readers look for the page tree here, even if it is lost.
    let has_tree = document.catalog().is_ok_and(|catalog| {
        catalog.get(b"Pages").is_ok_and(|tree| document.resolve(tree).is_some_and(|tree| tree.as_dict().is_ok()))
    });
    if !has_tree {
        let tree = document.add_object(dictionary! { "Type" => "Pages", "Kids" => Vec::<Object>::new(), "Count" => 0 });
        if let Ok(catalog) = document.catalog_mut() {
            catalog.set("Pages", tree);
        }
    }
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_is_cut_off_gets_an_end() {
        let ended = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            end_stream(&mut bytes);
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(ended(b"7 0 obj\n<<>>\nstream\nBT (a"), "7 0 obj\n<<>>\nstream\nBT (a\nendstream\nendobj");
        assert_eq!(ended(b"<<>>\nstream\nendstream\nendobj\n"), "<<>>\nstream\nendstream\nendobj\n");
    }

    #[test]
    fn a_file_without_a_header_gets_one() {
        let headed = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            add_header(&mut bytes);
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(headed(b"1 0 obj\n"), "%PDF-1.7\n1 0 obj\n");
        assert_eq!(headed(b"junk\n%PDF-1.4\n"), "junk\n%PDF-1.4\n");
    }

    #[test]
    fn a_catalog_gets_a_free_number_unless_the_file_is_encrypted() {
        let mut bytes = b"1 0 obj\n[7 0 R]\nendobj".to_vec();
        assert!(add_catalog(&mut bytes));
        assert!(String::from_utf8(bytes).unwrap().contains("8 0 obj\n<</Type/Catalog/Pages 9 0 R"));
        assert!(!add_catalog(&mut b"trailer <</Encrypt 2 0 R>>".to_vec()));
    }
}
