//! Times of ASN.1.

use docmill_domain::time::Timestamp;

use super::asn1::{GENERALIZED_TIME, Value};

const UTC_TIME: u8 = 0x17;

/// A `UTCTime` or `GeneralizedTime` in UTC. Fractions of a second are left out.
pub(crate) fn read(value: Value<'_>) -> Option<Timestamp> {
    let text = std::str::from_utf8(value.body).ok()?.strip_suffix('Z')?;
    let text = match value.tag {
        UTC_TIME => {
            let century = if text.get(..2)?.parse::<u8>().ok()? < 50 { "20" } else { "19" };
            format!("{century}{text}")
        }
        GENERALIZED_TIME => text.split('.').next()?.to_owned(),
        _ => return None,
    };
    if text.len() != 14 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    let [year, month, day] = [part(0..4), part(4..6), part(6..8)];
    let [hour, minute, second] = [part(8..10), part(10..12), part(12..14)];
    Timestamp::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}
