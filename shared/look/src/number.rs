//! Numbers for people.

/// A count with thousands separators: `12,500`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut shown = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!([0, 999, 1_000, 12_500, 1_000_000].map(grouped), ["0", "999", "1,000", "12,500", "1,000,000"]);
    }
}
