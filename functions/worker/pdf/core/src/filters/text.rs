//! Bytes written as text.

use super::Condition;

/// `ASCII85Decode`, up to a character that doesn't belong to it.
pub(super) fn base85(text: &[u8], most: usize) -> (Vec<u8>, Condition) {
    let mut bytes = Vec::with_capacity((text.len() / 5 * 4).min(most));
    let mut condition = Condition::Sound;
    let mut group: Vec<u8> = Vec::with_capacity(5);
    // Some writers put the sign of PostScript before it.
    let text = text.trim_ascii_start();
    for &character in text.strip_prefix(b"<~").unwrap_or(text) {
        match character {
            b'~' => break,
            b'z' if group.is_empty() => bytes.extend([0; 4]),
            b'!'..=b'u' => {
                group.push(character - b'!');
                if group.len() == 5 {
                    bytes.extend(value(&group).to_be_bytes());
                    group.clear();
                }
            }
            other if other.is_ascii_whitespace() || other == 0 => {}
            _ => {
                condition = Condition::Cut;
                break;
            }
        }
        if bytes.len() > most {
            break;
        }
    }
    if group.len() > 1 {
        let count = group.len() - 1;
        group.resize(5, 84);
        bytes.extend(value(&group).to_be_bytes().into_iter().take(count));
    }
    (bytes, condition)
}

fn value(group: &[u8]) -> u32 {
    group.iter().fold(0_u32, |value, digit| value.wrapping_mul(85).wrapping_add(u32::from(*digit)))
}

/// `ASCIIHexDecode`. Characters that don't belong to it are left out.
pub(super) fn hexadecimal(text: &[u8], most: usize) -> (Vec<u8>, Condition) {
    let mut bytes = Vec::with_capacity((text.len() / 2).min(most));
    let mut condition = Condition::Sound;
    let mut high = None;
    for &character in text {
        let digit = match character {
            b'0'..=b'9' => character - b'0',
            b'a'..=b'f' => character - b'a' + 10,
            b'A'..=b'F' => character - b'A' + 10,
            b'>' => break,
            other if other.is_ascii_whitespace() || other == 0 => continue,
            _ => {
                condition = Condition::Cut;
                continue;
            }
        };
        match high.take() {
            Some(high) => bytes.push(high << 4 | digit),
            None => high = Some(digit),
        }
        if bytes.len() > most {
            break;
        }
    }
    bytes.extend(high.map(|high| high << 4));
    (bytes, condition)
}
