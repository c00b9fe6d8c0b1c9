//! Dates in PDF and XMP.

/// A date with a zone, in the form that can be expressed in PDF and XMP alike. `None` if it is incomplete.
pub fn complete_date(date: &str) -> Option<String> {
    let iso = iso_date(date)?;
    let (moment, zone) = iso.split_at(19);
    let digits: String = moment.chars().filter(char::is_ascii_digit).collect();
    let zone = match zone.split_once(':') {
        Some((hours, minutes)) => format!("{hours}'{minutes}'"),
        None => "+00'00'".to_owned(),
    };
    Some(format!("D:{digits}{zone}"))
}

/// `D:20261121093000+01'00'` as `2026-11-21T09:30:00+01:00`.
pub(super) fn iso_date(date: &str) -> Option<String> {
    let digits = date.strip_prefix("D:").unwrap_or(date);
    let number = digits.get(..14).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))?;
    let part = |from: usize, to: usize| number.get(from..to);
    let zone = digits.get(14..).unwrap_or_default().replace('\'', "");
    let zone = match zone.as_bytes() {
        [sign @ (b'+' | b'-'), hours @ ..] if hours.len() == 4 && hours.iter().all(u8::is_ascii_digit) => {
            format!("{}{}:{}", *sign as char, zone.get(1..3)?, zone.get(3..5)?)
        }
        [b'Z', ..] => "Z".to_owned(),
        _ => String::new(),
    };
    Some(format!(
        "{}-{}-{}T{}:{}:{}{zone}",
        part(0, 4)?,
        part(4, 6)?,
        part(6, 8)?,
        part(8, 10)?,
        part(10, 12)?,
        part(12, 14)?
    ))
}
