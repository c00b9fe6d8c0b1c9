//! Maps from a font's codes to characters: `ToUnicode`.

use std::fmt::Write as _;

use super::tokens::{self, Token, Tokens};

/// Further ranges and entries are left out from so many on.
const ENTRIES: usize = 0x1_0000;

/// Most entries in a section of the format.
const SECTION: usize = 100;

/// A map for codes of one or two bytes.
pub fn table(pairs: &[(u16, &str)], code_bytes: usize) -> Vec<u8> {
    let digits = code_bytes * 2;
    let mut map = format!(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) \
         /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<{}> <{}>\n\
         endcodespacerange\n",
        "00".repeat(code_bytes),
        "FF".repeat(code_bytes)
    );
    for section in pairs.chunks(SECTION) {
        let _ = writeln!(map, "{} beginbfchar", section.len());
        for (code, text) in section {
            let _ = writeln!(map, "<{code:0digits$X}> <{}>", utf16(text));
        }
        map.push_str("endbfchar\n");
    }
    map.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    map.into_bytes()
}

/// Text as the hexadecimal digits of UTF-16.
pub fn utf16(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("{unit:04X}")).collect()
}

/// The codes of a map with their characters, in UTF-16.
pub fn entries(map: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut found: Vec<(u16, Vec<u8>)> = Vec::new();
    let code = |raw: &[u8]| tokens::hex(raw).iter().fold(0u16, |code, byte| code << 8 | u16::from(*byte));
    let mut strings: Vec<&[u8]> = Vec::new();
    // Other sections, such as that of the code space, have strings too.
    let (mut is_mapping, mut is_range, mut list) = (false, false, None);
    for token in Tokens::new(map) {
        match token {
            Token::Operator(b"beginbfchar" | b"beginbfrange") => {
                (is_mapping, is_range) = (true, token == Token::Operator(b"beginbfrange"));
                strings.clear();
            }
            Token::Hex(raw) if is_mapping => strings.push(raw),
            // A list of characters for a range begins or ends.
            Token::Other => match (strings.as_slice(), list.take()) {
                ([from, _], None) => list = Some(code(from)),
                (_, None) => strings.clear(),
                (strings_of_list, Some(first)) => {
                    let texts = strings_of_list.iter().skip(2).map(|raw| tokens::hex(raw));
                    found.extend((first..=u16::MAX).zip(texts));
                    strings.clear();
                }
            },
            Token::Operator(_) => (is_mapping, strings) = (false, Vec::new()),
            Token::Hex(_) | Token::Number(_) | Token::Name(_) | Token::Literal(_) => {}
        }
        if list.is_some() || found.len() >= ENTRIES {
            continue;
        }
        match strings.as_slice() {
            [from, text] if !is_range => {
                found.push((code(from), tokens::hex(text)));
                strings.clear();
            }
            [from, to, text] if is_range => {
                let text = tokens::hex(text);
                for (step, code) in (0..=u16::MAX).zip(code(from)..=code(to)) {
                    let mut text = text.clone();
                    if let Some([high, low]) = text.last_chunk_mut::<2>() {
                        let unit = u16::from_be_bytes([*high, *low]).wrapping_add(step);
                        [*high, *low] = unit.to_be_bytes();
                    }
                    found.push((code, text));
                }
                strings.clear();
            }
            _ => {}
        }
    }
    found
}
