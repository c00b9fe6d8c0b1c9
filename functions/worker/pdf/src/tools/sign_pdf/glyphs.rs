//! Lists the glyphs of the fonts of a look, as PDF/A-1 asks for (`CIDSet`).

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

/// Lists them in all fonts of the look. They were embedded for it, with glyphs that are numbered without gaps.
pub(super) fn list(document: &mut Document) {
    let fonts: Vec<(ObjectId, u16)> = document.objects.values().filter_map(described).collect();
    for (descriptor, last) in fonts {
        let set = document.add_object(Stream::new(Dictionary::new(), bits(last)));
        if let Ok(descriptor) = document.get_dictionary_mut(descriptor) {
            descriptor.set("CIDSet", set);
        }
    }
}

/// The descriptor of a font with numbered glyphs, and its last one.
fn described(object: &Object) -> Option<(ObjectId, u16)> {
    let font = object.as_dict().ok()?;
    let subtype = font.get(b"Subtype").and_then(Object::as_name).ok()?;
    if !subtype.starts_with(b"CIDFontType") {
        return None;
    }
    Some((
        font.get(b"FontDescriptor").and_then(Object::as_reference).ok()?,
        last(font.get(b"W").and_then(Object::as_array).ok()?),
    ))
}

/// The last glyph with a width: after a first one stands a list of widths, or a last one and the width of all.
fn last(widths: &[Object]) -> u16 {
    let (mut last, mut rest) = (0, widths);
    loop {
        let (first, end, after) = match rest {
            [first, Object::Array(widths), after @ ..] => {
                (first, i64::try_from(widths.len()).unwrap_or(0) - 1 + first.as_i64().unwrap_or(0), after)
            }
            [first, end, _, after @ ..] => (first, end.as_i64().unwrap_or(0), after),
            _ => return last,
        };
        last = last.max(u16::try_from(end).unwrap_or(0)).max(u16::try_from(first.as_i64().unwrap_or(0)).unwrap_or(0));
        rest = after;
    }
}

/// A bit for each glyph, from the highest of the first byte on.
fn bits(last: u16) -> Vec<u8> {
    let count = usize::from(last) + 1;
    let mut bits = vec![0xff; count / 8];
    if count % 8 > 0 {
        bits.push(0xff << (8 - count % 8));
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_glyph_is_found_in_both_forms_of_widths() {
        let list = |numbers: &[i64]| Object::Array(numbers.iter().map(|number| Object::Integer(*number)).collect());
        assert_eq!(last(&[0.into(), list(&[500, 600, 700])]), 2);
        assert_eq!(last(&[0.into(), list(&[500]), 1.into(), 9.into(), 600.into(), 10.into(), list(&[1, 2])]), 11);
        assert_eq!((last(&[]), bits(0), bits(7), bits(10)), (0, vec![0x80], vec![0xff], vec![0xff, 0xe0]));
    }
}
