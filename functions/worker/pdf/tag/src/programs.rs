//! Font programs that are not what the document says.

use docmill_pdf_core::objects::{Lookup, reference, unpacked};
use lopdf::{Document, Object, ObjectId};

/// Most unpacked bytes of a font program.
const FILE_BYTES: usize = 64 << 20;

/// Corrects the kind of CFF programs that are said to be OpenType: readers that believe it find no font.
pub(super) fn name_kinds(document: &mut Document) {
    let wrong: Vec<(ObjectId, &str)> = document.objects.values().filter_map(|object| wrong(document, object)).collect();
    for (id, kind) in wrong {
        if let Ok(Object::Stream(stream)) = document.get_object_mut(id) {
            stream.dict.set("Subtype", Object::Name(kind.as_bytes().to_vec()));
        }
    }
}

/// The program of a font, and its kind, if the document says another one.
fn wrong(document: &Document, font: &Object) -> Option<(ObjectId, &'static str)> {
    let Object::Dictionary(font) = font else { return None };
    let kind = match document.name(font, b"Subtype")? {
        b"Type1" | b"MMType1" => "Type1C",
        b"CIDFontType0" => "CIDFontType0C",
        _ => return None,
    };
    let id = reference(document.child(font, b"FontDescriptor")?, b"FontFile3")?;
    let stream = document.get_object(id).ok()?.as_stream().ok()?;
    let is_said = document.name(&stream.dict, b"Subtype") == Some(b"OpenType");
    // Tables begin with another version.
    (is_said && unpacked(stream, FILE_BYTES)?.starts_with(&[1, 0])).then_some((id, kind))
}

#[cfg(test)]
mod tests {
    use lopdf::{Stream, dictionary};

    use super::*;

    #[test]
    fn bare_programs_are_not_called_tables() {
        let mut document = Document::new();
        let mut kind = |data: &[u8], font: &str| {
            let file = document.add_object(Stream::new(dictionary! { "Subtype" => "OpenType" }, data.to_vec()));
            let descriptor = document.add_object(dictionary! { "FontFile3" => file });
            document.add_object(dictionary! { "Subtype" => font, "FontDescriptor" => descriptor });
            name_kinds(&mut document);
            let stream = document.get_object(file).unwrap().as_stream().unwrap();
            String::from_utf8_lossy(stream.dict.get(b"Subtype").unwrap().as_name().unwrap()).into_owned()
        };
        assert_eq!(kind(&[1, 0, 4, 2], "CIDFontType0"), "CIDFontType0C");
        assert_eq!(kind(&[1, 0, 4, 2], "Type1"), "Type1C");
        assert_eq!(kind(b"OTTO", "Type1"), "OpenType");
    }
}
