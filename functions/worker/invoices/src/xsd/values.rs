//! Simple types: which texts are values of them.

use std::borrow::Cow;

use super::times;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    Text,
    Normalized,
    Token,
    Boolean,
    Decimal,
    Date,
    Time,
    DateTime,
    Base64,
    Uri,
    Language,
}

impl Builtin {
    /// By its name in XSD.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::Text,
            "normalizedString" => Self::Normalized,
            "token" => Self::Token,
            "boolean" => Self::Boolean,
            "decimal" => Self::Decimal,
            "date" => Self::Date,
            "time" => Self::Time,
            "dateTime" => Self::DateTime,
            "base64Binary" => Self::Base64,
            "anyURI" => Self::Uri,
            "language" => Self::Language,
            _ => return None,
        })
    }

    /// What a value is, for people.
    const fn described(self) -> &'static str {
        match self {
            Self::Text | Self::Normalized | Self::Token => "text",
            Self::Boolean => "true or false",
            Self::Decimal => "a number",
            Self::Date => "a date like 2026-11-29",
            Self::Time => "a time like 12:30:00",
            Self::DateTime => "a date and time like 2026-11-29T12:30:00",
            Self::Base64 => "base 64",
            Self::Uri => "an address",
            Self::Language => "a language",
        }
    }

    /// Whether a text is a value, once its spaces are in order.
    fn has(self, text: &str) -> bool {
        match self {
            // Addresses may have any characters, which are then escaped.
            Self::Text | Self::Normalized | Self::Token | Self::Uri => true,
            Self::Boolean => matches!(text, "true" | "false" | "1" | "0"),
            Self::Decimal => is_decimal(text),
            Self::Date => times::is_date(text),
            Self::Time => times::is_time(text),
            Self::DateTime => times::is_date_time(text),
            Self::Base64 => is_base64(text),
            Self::Language => is_language(text),
        }
    }
}

/// A type of texts.
#[derive(Clone, Debug)]
pub(super) struct Simple {
    pub(super) base: Builtin,
    /// Empty if all values are allowed.
    pub(super) one_of: Vec<String>,
    pub(super) least: Option<usize>,
    pub(super) most: Option<usize>,
}

impl Simple {
    pub(super) const fn of(base: Builtin) -> Self {
        Self { base, one_of: Vec::new(), least: None, most: None }
    }

    /// A text with its spaces as the type has them.
    pub(super) fn spaced<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.base {
            Builtin::Text => Cow::Borrowed(text),
            Builtin::Normalized => Cow::Owned(text.replace(['\t', '\n', '\r'], " ")),
            Builtin::Token
            | Builtin::Boolean
            | Builtin::Decimal
            | Builtin::Date
            | Builtin::Time
            | Builtin::DateTime
            | Builtin::Base64
            | Builtin::Uri
            | Builtin::Language => collapsed(text),
        }
    }

    /// What the text should be instead, if it is no value.
    pub(super) fn fault(&self, text: &str) -> Option<String> {
        let text = self.spaced(text);
        if !self.base.has(&text) {
            return Some(self.base.described().to_owned());
        }
        if !self.one_of.is_empty() && !self.one_of.iter().any(|value| *value == *text) {
            return Some(format!("one of {}", self.one_of.join(", ")));
        }
        if self.least.is_none() && self.most.is_none() {
            return None;
        }
        let length = text.chars().count();
        if let Some(least) = self.least.filter(|least| length < *least) {
            return Some(format!("at least {least} characters long"));
        }
        let most = self.most.filter(|most| length > *most)?;
        Some(format!("at most {most} characters long"))
    }
}

/// A text without spaces around it, and with one between its words.
fn collapsed(text: &str) -> Cow<'_, str> {
    if text.contains(is_space) {
        Cow::Owned(text.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
    } else {
        Cow::Borrowed(text)
    }
}

/// White space of XML.
pub(super) const fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && are_digits(part) && !(whole.is_empty() && part.is_empty())
}

fn is_language(text: &str) -> bool {
    text.split('-').enumerate().all(|(place, part)| {
        let fits = |byte: u8| byte.is_ascii_alphabetic() || (place > 0 && byte.is_ascii_digit());
        (1..=8).contains(&part.len()) && part.bytes().all(fits)
    })
}

/// Groups of four characters, the last one of which may be padded. The bits that padding leaves over are zero.
fn is_base64(text: &str) -> bool {
    let mut characters = text.bytes().filter(|byte| *byte != b' ');
    let length = characters.clone().count();
    let padding = text.bytes().rev().filter(|byte| *byte != b' ').take_while(|byte| *byte == b'=').count();
    let Some(digits) = length.checked_sub(padding) else { return false };
    if length % 4 != 0 || padding > 2 {
        return false;
    }
    let mut last = 0;
    for byte in characters.by_ref().take(digits) {
        let Some(value) = six_bits(byte) else { return false };
        last = value;
    }
    match padding {
        1 => last & 0b11 == 0,
        2 => last & 0b1111 == 0,
        _ => true,
    }
}

const fn six_bits(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_from_other_texts() {
        let has = |base: Builtin, text: &str| Simple::of(base).fault(text).is_none();
        for text in ["1", "-1.50", "+.5", "5.", " 12 ", "007"] {
            assert!(has(Builtin::Decimal, text), "{text}");
        }
        for text in ["", ".", "-", "1e3", "1,5", "1 5", "INF", "--1", "1.2.3"] {
            assert!(!has(Builtin::Decimal, text), "{text}");
        }
        for text in ["", "AAAA", "AA==", "AAA=", "AA AA\n AAAA", "+/+/"] {
            assert!(has(Builtin::Base64, text), "{text}");
        }
        for text in ["A", "AAA", "AB==", "AAB=", "A===", "====", "AA=A", "AAAA=", "ÄAAA"] {
            assert!(!has(Builtin::Base64, text), "{text}");
        }
        assert!(has(Builtin::Boolean, " true ") && !has(Builtin::Boolean, "TRUE"));
        assert!(has(Builtin::Language, "de-DE") && !has(Builtin::Language, "de_DE") && !has(Builtin::Language, ""));
    }

    #[test]
    fn facets_narrow_a_type() {
        let unit = Simple { least: Some(1), most: Some(3), ..Simple::of(Builtin::Token) };
        assert_eq!(unit.fault("KGM"), None);
        assert_eq!(unit.fault(" "), Some("at least 1 characters long".to_owned()));
        assert_eq!(unit.fault("LONG"), Some("at most 3 characters long".to_owned()));
        let side = Simple { one_of: vec!["a".to_owned(), "b".to_owned()], ..Simple::of(Builtin::Token) };
        assert_eq!((side.fault(" a "), side.fault("c")), (None, Some("one of a, b".to_owned())));
    }
}
