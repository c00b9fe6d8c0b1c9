//! Maps from a font's codes to characters: `ToUnicode`.

use super::tokens::{self, Token, Tokens};

/// Further ranges and entries are left out from so many on.
const ENTRIES: usize = 0x1_0000;

/// The codes of a map with their characters, in UTF-16.
pub(crate) fn entries(map: &[u8]) -> Vec<(u16, Vec<u8>)> {
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
            Token::Other if strings.len() == 2 && list.is_none() => list = Some(code(strings[0])),
            Token::Other => {
                if let Some(first) = list.take() {
                    found.extend((first..=u16::MAX).zip(strings.iter().skip(2).map(|raw| tokens::hex(raw))));
                }
                strings.clear();
            }
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
                for (step, code) in (code(from)..=code(to)).enumerate() {
                    let mut text = text.clone();
                    if let Some([high, low]) = text.last_chunk_mut::<2>() {
                        let unit = u16::from_be_bytes([*high, *low]).wrapping_add(step as u16);
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
