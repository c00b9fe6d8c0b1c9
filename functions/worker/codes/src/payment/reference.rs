//! References that a creditor's software recognizes.

/// A creditor reference (ISO 11649), `RF` and two check digits first. Spaces are ignored.
pub(super) fn creditor(text: &str) -> Option<String> {
    let plain: String = text.split_whitespace().collect::<String>().to_ascii_uppercase();
    let valid = (5..=25).contains(&plain.len())
        && plain.starts_with("RF")
        && plain.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && remainder(&plain) == Some(1);
    valid.then_some(plain)
}

/// Of the number that the text becomes with its first four characters at the end, and `10` to `35` for letters.
fn remainder(text: &str) -> Option<u32> {
    let (head, body) = text.split_at_checked(4)?;
    body.chars().chain(head.chars()).try_fold(0, |remainder, character| {
        let value = character.to_digit(36)?;
        let shift = if value < 10 { 10 } else { 100 };
        Some((remainder * shift + value) % 97)
    })
}

/// A Swiss QR reference: 27 digits, the last of which is the check digit. Leading zeros may be missing.
pub(super) fn swiss(text: &str) -> Option<String> {
    let plain: String = text.split_whitespace().collect();
    if plain.is_empty() || plain.len() > 27 || !plain.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let full = format!("{plain:0>27}");
    let (body, check) = full.split_at_checked(26)?;
    (recursive_check_digit(body) == check.parse().ok() && full.bytes().any(|byte| byte != b'0')).then_some(full)
}

/// "Modulo 10, recursive": each step is a line of this table, shifted by what came before.
fn recursive_check_digit(body: &str) -> Option<u32> {
    const LINE: [u32; 10] = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5];
    let carry = body.chars().try_fold(0, |carry, digit| {
        let column = usize::try_from((carry + digit.to_digit(10)?) % 10).ok()?;
        LINE.get(column).copied()
    })?;
    Some((10 - carry) % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of the standards.
    #[test]
    fn check_digits_of_references_are_verified() {
        assert_eq!(creditor("RF18 5390 0754 7034").as_deref(), Some("RF18539007547034"));
        assert_eq!(creditor("RF18 5390 0754 7035"), None);
        assert_eq!(creditor("RF18"), None);
        assert_eq!(swiss("21 00000 00003 13947 14300 09017").as_deref(), Some("210000000003139471430009017"));
        assert_eq!(swiss("21 00000 00003 13947 14300 09018"), None);
        assert_eq!(swiss("0"), None);
        assert_eq!(creditor("RFä8539007547034"), None);
    }
}
