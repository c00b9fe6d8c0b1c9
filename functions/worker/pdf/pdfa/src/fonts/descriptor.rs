//! Font descriptors.

use docmill_pdf_core::objects::Lookup;
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

use super::truetype::Face;

const SYMBOLIC: i64 = 1 << 2;
const PLAIN: i64 = 1 << 5;

pub(super) fn flags(document: &Document, font: &Dictionary) -> i64 {
    document.child(font, b"FontDescriptor").and_then(|descriptor| document.integer(descriptor, b"Flags")).unwrap_or(0)
}

pub(super) const fn is_symbolic(flags: i64) -> bool {
    flags & SYMBOLIC != 0
}

pub(super) const fn is_plain(flags: i64) -> bool {
    flags & PLAIN != 0
}

/// A descriptor for a new font file, based on the old one if there is one.
pub(super) fn with_file(
    document: &mut Document,
    font: &Dictionary,
    name: &str,
    key: &str,
    file: ObjectId,
    face: Option<&Face<'_>>,
) -> ObjectId {
    let mut descriptor = document.child(font, b"FontDescriptor").cloned().unwrap_or_default();
    for old in [b"FontFile".as_slice(), b"FontFile2", b"FontFile3", b"CharSet", b"CIDSet", b"MissingWidth"] {
        descriptor.remove(old);
    }
    let flags = document.integer(&descriptor, b"Flags").unwrap_or(0);
    descriptor.set("Type", "FontDescriptor");
    descriptor.set("FontName", name);
    descriptor.set("Flags", (flags | SYMBOLIC) & !PLAIN);
    descriptor.set(key, file);
    if let Some((bounds, ascent, descent)) = face.and_then(Face::metrics) {
        let usual = dictionary! {
            "FontBBox" => bounds.map(real).to_vec(),
            "Ascent" => real(ascent), "Descent" => real(descent),
            "CapHeight" => real(ascent), "ItalicAngle" => 0, "StemV" => 80,
        };
        for (key, value) in usual {
            if !descriptor.has(&key) {
                descriptor.set(key, value);
            }
        }
    }
    document.add_object(descriptor)
}

/// A number as PDFs have it.
#[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
fn real(number: f64) -> Object {
    Object::Real(number as f32)
}

/// A name without the prefix of a subset.
pub(super) fn plain_name(name: &[u8]) -> String {
    let tagged = name.split_first_chunk::<6>().filter(|(tag, _)| tag.iter().all(u8::is_ascii_uppercase));
    let own = tagged.and_then(|(_, rest)| rest.strip_prefix(b"+"));
    String::from_utf8_lossy(own.unwrap_or(name)).into_owned()
}
