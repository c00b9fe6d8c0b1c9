//! How many paths lead to a document's form fields: fields may share their kids, so that a small file can have billions.

use std::path::Path;

use super::objects::{File, Object};

/// Most paths, far more than forms have fields.
const MOST: usize = 100_000;
/// How deeply pdfium follows kids.
const DEPTH: u8 = 32;

/// Whether more paths lead to the fields of this file than can be followed. A file that qpdf can't read has none.
pub(crate) fn are_too_many(path: &Path, password: Option<&str>) -> bool {
    File::open(path, password).is_some_and(|file| paths(&file) >= MOST)
}

/// The paths to all fields, counted up to `MOST`.
fn paths(file: &File) -> usize {
    let mut left = MOST;
    if let Some(form) = file.root().child(c"/AcroForm") {
        form.for_each(c"/Fields", &mut |field| walk(field, DEPTH, &mut left));
    }
    MOST - left
}

/// Counts a field and those below it. False when too many were counted.
fn walk(field: &Object<'_>, depth: u8, left: &mut usize) -> bool {
    *left = left.saturating_sub(1);
    if *left == 0 || depth == 0 {
        return *left > 0;
    }
    let mut is_first = true;
    field.for_each(c"/Kids", &mut |kid| {
        // Kids without names and kids are widgets, which pdfium does not follow.
        let is_widget = is_first && !kid.has(c"/T") && !kid.has(c"/Kids");
        is_first = false;
        !is_widget && walk(kid, depth - 1, left)
    });
    *left > 0
}

#[cfg(test)]
mod tests {
    use lopdf::{Document, Object, dictionary};

    use super::*;

    /// A form of `levels` levels, each of which has the one below as many times as `kids` says.
    fn are_too_many_of(levels: usize, kids: usize) -> bool {
        let mut document = Document::with_version("1.7");
        let mut field = document
            .add_object(dictionary! { "FT" => Object::Name(b"Tx".to_vec()), "T" => Object::string_literal("a") });
        for _ in 0..levels {
            let kids = vec![Object::Reference(field); kids];
            field = document.add_object(dictionary! { "T" => Object::string_literal("a"), "Kids" => kids });
        }
        let form = dictionary! { "Fields" => vec![Object::Reference(field)] };
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "AcroForm" => form });
        document.trailer.set("Root", catalog);
        let file = tempfile::NamedTempFile::new().unwrap();
        document.save(file.path()).unwrap();
        are_too_many(file.path(), None)
    }

    #[test]
    fn paths_of_fields_are_counted_up_to_a_limit() {
        assert!(!are_too_many_of(3, 2));
        assert!(!are_too_many_of(1, MOST - 100), "a long list");
        assert!(!are_too_many_of(60, 1), "deeper than pdfium follows");
        assert!(are_too_many_of(25, 2), "33 million paths");
        assert!(!are_too_many(Path::new("/nowhere/at/all.pdf"), Some("\0")));
    }
}
