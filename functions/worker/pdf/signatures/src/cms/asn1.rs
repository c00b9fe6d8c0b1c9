//! ASN.1: BER made into DER, and DER read value by value.

/// The deepest nesting.
const DEEPEST: u32 = 40;

const OCTET_STRING: u8 = 0x04;
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;
pub(crate) const BOOLEAN: u8 = 0x01;
pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const OID: u8 = 0x06;
pub(crate) const OCTETS: u8 = OCTET_STRING;
pub(crate) const GENERALIZED_TIME: u8 = 0x18;

/// A value: its tag, what it contains, and all of its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'d> {
    pub(crate) tag: u8,
    pub(crate) body: &'d [u8],
    pub(crate) whole: &'d [u8],
}

impl<'d> Value<'d> {
    /// The only value in these bytes.
    pub(crate) fn only(der: &'d [u8]) -> Option<Self> {
        let mut values = Values(der);
        let value = values.next()?;
        values.0.is_empty().then_some(value)
    }

    pub(crate) const fn values(self) -> Values<'d> {
        Values(self.body)
    }

    pub(crate) fn with(self, tag: u8) -> Option<Self> {
        (self.tag == tag).then_some(self)
    }

    /// An object identifier, with dots.
    pub(crate) fn oid(self) -> Option<String> {
        let mut numbers = Vec::new();
        let mut number = 0u64;
        for byte in self.with(OID)?.body {
            number = number.checked_mul(128)? | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                numbers.push(number);
                number = 0;
            }
        }
        let (first, rest) = numbers.split_first()?;
        let head = (*first / 40).min(2);
        let mut text = format!("{head}.{}", first - head * 40);
        for number in rest {
            text.push('.');
            text.push_str(&number.to_string());
        }
        Some(text)
    }
}

/// Values that follow each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<'d>(pub(crate) &'d [u8]);

impl<'d> Values<'d> {
    /// The next value with this tag.
    pub(crate) fn typed(&mut self, tag: u8) -> Option<Value<'d>> {
        self.next()?.with(tag)
    }

    /// The next value, if it has this tag.
    pub(crate) fn optional(&mut self, tag: u8) -> Option<Value<'d>> {
        if self.0.first() == Some(&tag) { self.next() } else { None }
    }
}

impl<'d> Iterator for Values<'d> {
    type Item = Value<'d>;

    /// `None` at the end, and at what is not DER.
    fn next(&mut self) -> Option<Value<'d>> {
        let (tag, length, head) = header(self.0)?;
        let end = head.checked_add(length?)?;
        let value = Value { tag, body: self.0.get(head..end)?, whole: self.0.get(..end)? };
        self.0 = self.0.get(end..)?;
        Some(value)
    }
}

/// A value's tag, its length (`None` if it is indefinite) and the length of both. Tags of several bytes do not occur.
fn header(bytes: &[u8]) -> Option<(u8, Option<usize>, usize)> {
    let (tag, first) = (*bytes.first()?, *bytes.get(1)?);
    if tag & 0x1f == 0x1f {
        return None;
    }
    match first {
        0..=0x7f => Some((tag, Some(usize::from(first)), 2)),
        0x80 => Some((tag, None, 2)),
        _ => {
            let count = usize::from(first & 0x7f);
            let digits = bytes.get(2..count.checked_add(2)?).filter(|_| count <= 8)?;
            let length = digits.iter().fold(0u64, |length, byte| length << 8 | u64::from(*byte));
            Some((tag, Some(usize::try_from(length).ok()?), 2 + count))
        }
    }
}

/// The first value as DER: lengths are definite and short, and strings in parts are joined. DER stays as it is.
///
/// What follows after the value is ignored: signatures are padded.
pub(crate) fn to_der(ber: &[u8]) -> Option<Vec<u8>> {
    let mut der = Vec::with_capacity(ber.len());
    convert(ber, &mut der, 0)?;
    Some(der)
}

/// Converts one value. Returns the bytes that it took.
fn convert(ber: &[u8], der: &mut Vec<u8>, depth: u32) -> Option<usize> {
    if depth > DEEPEST {
        return None;
    }
    let (tag, length, head) = header(ber)?;
    if tag & 0x20 == 0 {
        let end = head.checked_add(length?)?;
        put(der, tag, ber.get(head..end)?);
        return Some(end);
    }
    let mut content = Vec::new();
    let mut at = head;
    let end = length.map(|length| head.checked_add(length)).map_or(Some(None), |end| end.map(Some))?;
    let limit = end.unwrap_or(ber.len());
    let body = ber.get(..limit)?;
    loop {
        let rest = body.get(at..)?;
        match end {
            Some(end) if at >= end => break,
            None if rest.starts_with(&[0, 0]) => {
                at += 2;
                break;
            }
            Some(_) | None => at += convert(rest, &mut content, depth + 1)?,
        }
    }
    if tag == OCTET_STRING | 0x20 {
        let parts: Vec<u8> = Values(&content).flat_map(|part| part.body.iter().copied()).collect();
        put(der, OCTET_STRING, &parts);
    } else {
        put(der, tag, &content);
    }
    Some(at)
}

/// Writes a value.
pub(crate) fn put(der: &mut Vec<u8>, tag: u8, body: &[u8]) {
    der.push(tag);
    match u8::try_from(body.len()) {
        Ok(length @ 0..=0x7f) => der.push(length),
        _ => {
            let length = (body.len() as u64).to_be_bytes();
            let zeros = length.iter().take_while(|byte| **byte == 0).count();
            let digits = length.get(zeros..).unwrap_or_default();
            // Eight at most.
            der.push(0x80 | u8::try_from(digits.len()).unwrap_or(0));
            der.extend(digits);
        }
    }
    der.extend_from_slice(body);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ber_becomes_der_and_der_stays() {
        let ber = [0x30, 0x80, 0x24, 0x80, 0x04, 1, 7, 0x04, 0x81, 1, 8, 0, 0, 0x02, 1, 5, 0, 0, 0, 0, 0];
        let der = [0x30, 7, 0x04, 2, 7, 8, 0x02, 1, 5];
        assert_eq!(to_der(&ber).unwrap(), der);
        assert_eq!(to_der(&der).unwrap(), der);
        assert_eq!(Value { tag: OID, body: &[0x2a, 0x86, 0x48], whole: &[] }.oid().unwrap(), "1.2.840");
        assert!(to_der(&[0x30, 0x80].repeat(100)).is_none() && to_der(&[0x30, 5, 1]).is_none());
    }

    #[test]
    fn fuzz_asn1() {
        docmill_fuzz::fuzz("asn1", &[], |bytes| {
            if let Some(der) = to_der(bytes) {
                assert_eq!(to_der(&der).as_deref(), Some(der.as_slice()));
                assert!(Value::only(&der).is_some());
            }
        });
    }
}
