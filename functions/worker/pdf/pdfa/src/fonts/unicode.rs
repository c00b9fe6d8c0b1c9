//! The map from codes to characters.

use std::fmt::Write;

use lopdf::{Dictionary, Document, Stream};

/// Most entries in a section of the format.
const SECTION: usize = 100;

/// A CMap for one-byte codes.
pub(super) fn table(pairs: &[(u8, char)]) -> Vec<u8> {
    let mut text = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) \
         /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<00> <FF>\n\
         endcodespacerange\n",
    );
    for section in pairs.chunks(SECTION) {
        let _ = writeln!(text, "{} beginbfchar", section.len());
        for (code, character) in section {
            let _ = write!(text, "<{code:02X}> <");
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                let _ = write!(text, "{unit:04X}");
            });
            text.push_str(">\n");
        }
        text.push_str("endbfchar\n");
    }
    text.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    text.into_bytes()
}

/// Adds the characters of codes, unless the document has them.
pub(super) fn set_characters(document: &mut Document, font: &mut Dictionary, characters: &[(u8, char)]) {
    if !font.has(b"ToUnicode") && !characters.is_empty() {
        let table = document.add_object(Stream::new(Dictionary::new(), table(characters)));
        font.set("ToUnicode", table);
    }
}
