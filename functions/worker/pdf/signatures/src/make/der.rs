//! Values of ASN.1 as DER.

use crate::cms::asn1::{OID, SEQUENCE, SET, put};

/// A value of these parts.
pub(super) fn value(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut der = Vec::new();
    put(&mut der, tag, &parts.concat());
    der
}

pub(super) fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    value(SEQUENCE, parts)
}

/// A set of one value.
pub(super) fn set(part: &[u8]) -> Vec<u8> {
    value(SET, &[part])
}

/// A set, in the order that DER asks for.
pub(super) fn set_of(mut parts: Vec<Vec<u8>>) -> Vec<u8> {
    parts.sort();
    value(SET, &[&parts.concat()])
}

/// A value with another tag than its own, as ASN.1 says `IMPLICIT`.
pub(super) fn tagged(tag: u8, mut der: Vec<u8>) -> Vec<u8> {
    der.first_mut().into_iter().for_each(|own| *own = tag);
    der
}

/// An object identifier from its form with dots, which must be right.
pub(super) fn oid(text: &str) -> Vec<u8> {
    let numbers: Vec<u64> = text.split('.').filter_map(|number| number.parse().ok()).collect();
    let mut body = Vec::new();
    let (first, rest) = match numbers.as_slice() {
        [first, second, rest @ ..] => (first * 40 + second, rest),
        _ => (0, &[][..]),
    };
    for number in std::iter::once(&first).chain(rest) {
        let groups = (0..10u32).rev().skip_while(|group| *group > 0 && number >> (7 * group) == 0);
        body.extend(groups.map(|group| {
            let bits = u8::try_from(number >> (7 * group) & 0x7f).unwrap_or(0);
            if group > 0 { bits | 0x80 } else { bits }
        }));
    }
    value(OID, &[&body])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cms::asn1::Value;

    #[test]
    fn identifiers_are_read_as_they_were_written() {
        for text in ["1.2.840.113549.1.7.2", "2.16.840.1.101.3.4.2.1", "1.3.101.112", "0.4.0.1862.1.1"] {
            assert_eq!(Value::only(&oid(text)).unwrap().oid().unwrap(), text);
        }
    }

    #[test]
    fn sets_are_in_order() {
        assert_eq!(set_of(vec![vec![4, 1, 9], vec![2, 1, 5]]), [0x31, 6, 2, 1, 5, 4, 1, 9]);
    }
}
