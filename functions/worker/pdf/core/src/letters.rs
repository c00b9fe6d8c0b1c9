//! Finds letters in pages of which pdfium knows no characters: it leaves out those that no font draws.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use std::collections::{BTreeMap, BTreeSet};

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId};

use super::character_map::entries;
use super::content;
use super::objects::{Lookup, unpacked};

/// Most pages of a document, and most fonts of a page, that are looked at.
const PAGES: usize = 20;
const FONTS: usize = 8;
/// Most unpacked bytes of a page's content, and of a font's map.
const CONTENT_BYTES: usize = 4 << 20;
const MAP_BYTES: usize = 1 << 20;

/// Those of these pages whose own content shows letters or digits, by the maps of its fonts. The first page is 1. Forms are not
/// looked at.
pub fn pages_with_letters(document: &Document, pages: &[u32]) -> Vec<u32> {
    let all = document.get_pages();
    let has_letters = |number: &u32| all.get(number).is_some_and(|id| has_letters(document, *id));
    pages.iter().copied().take(PAGES).filter(has_letters).collect()
}

fn has_letters(document: &Document, id: ObjectId) -> bool {
    let page = document.get_dictionary(id).ok();
    let Some(content) = page.and_then(|page| content::of_page(document, page, CONTENT_BYTES)) else { return false };
    let (Ok(content), Ok(fonts)) = (Content::decode(&content), document.get_page_fonts(id)) else { return false };
    shown(&content)
        .iter()
        .take(FONTS)
        .any(|(name, strings)| fonts.get(*name).is_some_and(|font| are_letters(document, font, strings)))
}

/// The strings that content shows, by the names of their fonts.
fn shown(content: &Content) -> BTreeMap<&[u8], Vec<&[u8]>> {
    let mut shown: BTreeMap<&[u8], Vec<&[u8]>> = BTreeMap::new();
    let mut font = None;
    for Operation { operator, operands } in &content.operations {
        match operator.as_str() {
            "Tf" => font = operands.first().and_then(|name| name.as_name().ok()),
            "Tj" | "TJ" | "'" | "\"" => {
                if let Some(font) = font {
                    shown.entry(font).or_default().extend(operands.iter().flat_map(strings));
                }
            }
            _ => {}
        }
    }
    shown
}

fn strings(operand: &Object) -> Vec<&[u8]> {
    match operand {
        Object::String(bytes, _) => vec![bytes],
        Object::Array(parts) => parts.iter().filter_map(|part| part.as_str().ok()).collect(),
        _ => Vec::new(),
    }
}

/// Without a map, the codes of a simple font are taken for ASCII, and those of others for nothing.
fn are_letters(document: &Document, font: &Dictionary, strings: &[&[u8]]) -> bool {
    let is_wide = document.name(font, b"Subtype") == Some(b"Type0");
    let codes: BTreeSet<u16> = strings.iter().flat_map(|bytes| codes(bytes, is_wide)).collect();
    match document.value(font, b"ToUnicode").and_then(|map| unpacked(map.as_stream().ok()?, MAP_BYTES)) {
        Some(map) => entries(&map).iter().any(|(code, text)| codes.contains(code) && is_letter(text)),
        None => !is_wide && codes.iter().any(|code| u8::try_from(*code).is_ok_and(|byte| byte.is_ascii_alphanumeric())),
    }
}

fn codes(bytes: &[u8], is_wide: bool) -> Vec<u16> {
    if is_wide {
        bytes.as_chunks().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect()
    } else {
        bytes.iter().map(|byte| u16::from(*byte)).collect()
    }
}

/// Whether UTF-16 has a letter or a digit.
fn is_letter(text: &[u8]) -> bool {
    char::decode_utf16(codes(text, true)).flatten().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use lopdf::{Stream, dictionary};

    use super::*;

    /// A document of a page that shows this string in a font with this map.
    fn document(string: &str, map: &str) -> Document {
        let mut document = Document::new();
        let content = format!("BT /F 9 Tf 9 9 Td {string} Tj ET").into_bytes();
        let content = document.add_object(Stream::new(Dictionary::new(), content));
        let map = document.add_object(Stream::new(Dictionary::new(), map.as_bytes().to_vec()));
        let font =
            dictionary! { "Type" => "Font", "Subtype" => "Type0", "Encoding" => "Identity-H", "ToUnicode" => map };
        let resources = dictionary! { "Font" => dictionary! { "F" => font } };
        let page =
            document.add_object(dictionary! { "Type" => "Page", "Contents" => content, "Resources" => resources });
        let pages = dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 };
        let pages = document.add_object(pages);
        let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", root);
        document
    }

    #[test]
    fn letters_are_told_from_spaces_by_the_map() {
        let map = "2 beginbfchar <0041> <D807DF04> <0003> <0020> endbfchar";
        for (string, expected) in [("<0041>", vec![1]), ("<00030041>", vec![1]), ("<00030003>", Vec::new())] {
            assert_eq!(pages_with_letters(&document(string, map), &[1, 2]), expected, "{string}");
        }
    }

    #[test]
    fn a_map_of_all_codes_is_read_within_bounds() {
        let map = "1 beginbfrange <00000000> <FFFFFFFF> <0020> endbfrange ".repeat(1000);
        assert_eq!(pages_with_letters(&document("<0041>", &map), &[1]), [1]);
    }
}
