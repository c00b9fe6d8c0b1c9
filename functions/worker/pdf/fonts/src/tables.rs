//! Data in fonts about codes that no content shows: names, characters and drawn glyphs. In order of first use, they may spell
//! removed words.

use docmill_pdf_core::character_map::entries;
use docmill_pdf_core::objects::{Lookup, unpacked};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::uses::{self, Codes};

/// Most unpacked bytes of a map.
const MAP_BYTES: usize = 16 << 20;
/// Entries of one block of a map.
const BLOCK: usize = 100;

/// Removes the entries of unused codes from all fonts. Fonts with unknown use are unchanged.
pub fn forget_unused(document: &mut Document) {
    let Some(uses) = uses::find(document) else { return };
    for (id, codes) in uses.shown.iter().filter(|(id, _)| !uses.open.contains(id)) {
        let Ok(font) = document.get_dictionary(*id).cloned() else { continue };
        let is_wide = match document.name(&font, b"Subtype") {
            Some(b"Type0") if document.name(&font, b"Encoding") == Some(b"Identity-H") => true,
            Some(b"Type1" | b"MMType1" | b"TrueType" | b"Type3") => false,
            _ => continue,
        };
        if !is_wide {
            forget_names(document, *id, &font, codes);
        }
        let map = document.value(&font, b"ToUnicode").and_then(|map| unpacked(map.as_stream().ok()?, MAP_BYTES));
        if let Some(map) = map {
            let new = document.add_object(Stream::new(Dictionary::new(), reduced(&map, codes, is_wide)));
            if let Ok(font) = document.get_dictionary_mut(*id) {
                font.set("ToUnicode", new);
            }
        }
    }
}

/// Leaves the names of used codes, and drawn glyphs of these names.
fn forget_names(document: &mut Document, id: ObjectId, font: &Dictionary, codes: &Codes) {
    let Some(encoding) = document.child(font, b"Encoding").cloned() else { return };
    let (mut left, mut used, mut code) = (Vec::new(), Vec::new(), 0u16);
    for entry in document.array(&encoding, b"Differences") {
        match document.resolve(entry) {
            Some(Object::Integer(first)) => code = u16::try_from(*first).unwrap_or(u16::MAX),
            Some(Object::Name(name)) => {
                if codes.contains(code) {
                    left.extend([Object::Integer(code.into()), Object::Name(name.clone())]);
                    used.push(name.clone());
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    let glyphs = document.child(font, b"CharProcs").map(|glyphs| {
        let kept = glyphs.iter().filter(|(name, _)| used.contains(name));
        kept.map(|(name, glyph)| (name.clone(), glyph.clone())).collect::<Dictionary>()
    });
    let mut encoding = encoding;
    if encoding.has(b"Differences") {
        encoding.set("Differences", left);
    }
    if let Ok(font) = document.get_dictionary_mut(id) {
        font.set("Encoding", encoding);
        if let Some(glyphs) = glyphs {
            font.set("CharProcs", glyphs);
        }
    }
}

/// A map from codes to characters with only the used codes.
fn reduced(map: &[u8], codes: &Codes, is_wide: bool) -> Vec<u8> {
    let used: Vec<_> = entries(map).into_iter().filter(|(code, _)| codes.contains(*code)).collect();
    written(&used, is_wide)
}

/// Whether a `ToUnicode` map has only codes and their characters, in the form that [`forget_unused`] gives them.
pub fn is_plain_map(map: &[u8]) -> bool {
    let entries = entries(map);
    [true, false].into_iter().any(|is_wide| written(&entries, is_wide) == map)
}

fn written(entries: &[(u16, Vec<u8>)], is_wide: bool) -> Vec<u8> {
    let (zero, most) = if is_wide { ("0000", "FFFF") } else { ("00", "FF") };
    let mut new = format!(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
         1 begincodespacerange\n<{zero}> <{most}>\nendcodespacerange\n"
    );
    for block in entries.chunks(BLOCK) {
        new.push_str(&format!("{} beginbfchar\n", block.len()));
        for (code, text) in block {
            let text: String = text.iter().map(|byte| format!("{byte:02X}")).collect();
            let code = if is_wide { format!("{code:04X}") } else { format!("{code:02X}") };
            new.push_str(&format!("<{code}> <{text}>\n"));
        }
        new.push_str("endbfchar\n");
    }
    new.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    new.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_keeps_the_codes_that_are_used() {
        let map = b"2 beginbfchar <01> <0041> <02> <00660069> endbfchar 2 beginbfrange <03> <05> <0061> <06> <07> [<0078> <0079>] \
endbfrange";
        let all = entries(map);
        assert_eq!(all.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(
            (all[1].1.as_slice(), all[4].1.as_slice(), all[6].1.as_slice()),
            (&b"\0f\0i"[..], &b"\0c"[..], &b"\0y"[..])
        );
        let mut codes = Codes::default();
        [2, 5].into_iter().for_each(|code| codes.insert(code));
        let left = reduced(map, &codes, false);
        assert_eq!(entries(&left), [(2, b"\0f\0i".to_vec()), (5, b"\0c".to_vec())]);
        assert!(is_plain_map(&left) && !is_plain_map(map) && !is_plain_map(&[b"% a name\n", &left[..]].concat()));
    }
}
