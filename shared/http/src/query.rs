//! Reads query parameters.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use docmill_domain::breach::Breach;

/// For `take`: the parameter does not exist.
pub const UNKNOWN: &str = "is not a parameter of this endpoint";
/// The most characters of an unknown parameter's name that an error shows.
const MAX_SHOWN_CHARS: usize = 60;

/// Gives each parameter's name and value to `take`, which may refuse it with a message. Refuses repeated parameters itself.
///
/// # Errors
/// All breaches.
pub fn read_each(
    query: &[(String, String)],
    mut take: impl FnMut(&str, &str) -> Result<(), String>,
) -> Result<(), Vec<Breach>> {
    let mut breaches = Vec::new();
    for (position, (name, value)) in query.iter().enumerate() {
        let is_repeated = query.iter().take(position).any(|(earlier, _)| earlier == name);
        let taken = if is_repeated { Err("must be given only once".to_owned()) } else { take(name, value) };
        if let Err(message) = taken {
            let shown: String = name.chars().take(MAX_SHOWN_CHARS).collect();
            breaches.push(Breach::new(format!("?{shown}"), message));
        }
    }
    if breaches.is_empty() { Ok(()) } else { Err(breaches) }
}

/// The value as a whole number in this range.
///
/// # Errors
/// What must be given.
pub fn whole_number<N: FromStr + PartialOrd + Display>(value: &str, range: RangeInclusive<N>) -> Result<N, String> {
    let number = value.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("must be a whole number from {} to {}", range.start(), range.end()))
}

/// The member of `all` with this name.
///
/// # Errors
/// What must be given.
pub fn one_of<T: Copy, const N: usize>(value: &str, all: [T; N], name: fn(T) -> &'static str) -> Result<T, String> {
    let found = all.into_iter().find(|each| name(*each) == value);
    found.ok_or_else(|| format!("must be one of {}", all.map(name).join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_breach_is_reported_in_order() {
        let query = [("limit", "0"), ("kind", "x"), ("limit", "5"), ("lmit", "5")];
        let query = query.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let read = read_each(&query, |name, value| match name {
            "limit" => whole_number(value, 1..=100).map(drop),
            "kind" => one_of(value, ["a", "b"], |kind| kind).map(drop),
            _ => Err(UNKNOWN.to_owned()),
        });
        let breaches = read.unwrap_err();
        let told: Vec<_> = breaches.iter().map(|breach| (breach.path.as_str(), breach.message.as_str())).collect();
        let expected = [
            ("?limit", "must be a whole number from 1 to 100"),
            ("?kind", "must be one of a, b"),
            ("?limit", "must be given only once"),
            ("?lmit", UNKNOWN),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_long_name_is_cut() {
        let breaches = read_each(&[("é".repeat(1000), String::new())], |_, _| Err(UNKNOWN.to_owned())).unwrap_err();
        assert_eq!(breaches[0].path, format!("?{}", "é".repeat(MAX_SHOWN_CHARS)));
    }

    #[test]
    fn parameters_without_a_breach_are_read() {
        assert_eq!(read_each(&[], |_, _| Err(String::new())), Ok(()));
        assert_eq!(whole_number("100", 1..=100), Ok(100));
        assert_eq!(one_of("b", ["a", "b"], |kind| kind), Ok("b"));
    }
}
