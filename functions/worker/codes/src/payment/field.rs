//! What the fields of payments have in common.

use std::fmt;

use iban::{Iban, IbanLike};
use serde_json::Value;

use crate::Mistake;

/// The largest amount in cents.
const MOST_CENTS: u64 = 99_999_999_999;

/// Collects mistakes while fields are read.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Whether only Latin letters are allowed.
    pub(super) is_latin: bool,
    pub(super) mistakes: Vec<Mistake>,
}

impl Reader {
    pub(super) fn refuse(&mut self, name: &'static str, problem: &'static str) {
        self.mistakes.push(Mistake::Field { name, problem });
    }

    /// A line of text without the space around it; empty if it is missing.
    pub(super) fn optional<'a>(&mut self, name: &'static str, text: Option<&'a str>, most: usize) -> &'a str {
        let text = text.unwrap_or_default().trim();
        if text.chars().any(char::is_control) {
            self.refuse(name, "must be one line, without control characters");
        }
        if self.is_latin && !text.chars().all(|character| character.is_control() || is_latin(character)) {
            self.refuse(name, "has characters outside of the Latin script, which these payments cannot have");
        }
        if text.chars().count() > most {
            self.mistakes.push(Mistake::LongField { name, most });
        }
        text
    }

    pub(super) fn required<'a>(&mut self, name: &'static str, text: Option<&'a str>, most: usize) -> &'a str {
        let text = self.optional(name, text, most);
        if text.is_empty() {
            self.refuse(name, "is missing: a payment needs it");
        }
        text
    }

    /// An account, with its check digits. Spaces are ignored.
    pub(super) fn iban(&mut self, text: Option<&str>) -> Option<Iban> {
        let plain: String = text.unwrap_or_default().split_whitespace().collect::<String>().to_ascii_uppercase();
        if plain.is_empty() {
            self.refuse("iban", "is missing: a payment needs it");
            return None;
        }
        let iban = plain.parse::<Iban>();
        if iban.is_err() {
            self.refuse(
                "iban",
                "is no valid IBAN: its check digits, length or country are wrong. Compare it digit by digit",
            );
        }
        iban.ok()
    }

    /// An amount in cents, from a number or text.
    pub(super) fn amount(&mut self, value: Option<&Value>) -> Option<Amount> {
        let text = match value? {
            Value::Null => return None,
            Value::String(text) if text.trim().is_empty() => return None,
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => String::new(),
        };
        let amount = Amount::parse(&text);
        if amount.is_none() {
            self.refuse("amount", "must be from 0.01 to 999999999.99, with a point and at most two decimals");
        }
        amount
    }

    pub(super) fn result<T>(self, value: T) -> Result<T, Vec<Mistake>> {
        if self.mistakes.is_empty() { Ok(value) } else { Err(self.mistakes) }
    }
}

/// In cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Amount(u64);

impl Amount {
    fn parse(text: &str) -> Option<Self> {
        let (whole, cents) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > 9 || cents.len() > 2 || !digits(whole) || !digits(cents) {
            return None;
        }
        let amount = format!("{whole}{cents:0<2}").parse().ok()?;
        (1..=MOST_CENTS).contains(&amount).then_some(Self(amount))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// Basic Latin, Latin-1, Latin Extended-A, and a few more.
const fn is_latin(character: char) -> bool {
    matches!(character, '\u{20}'..='\u{7e}' | '\u{a0}'..='\u{17f}' | 'Ș' | 'ș' | 'Ț' | 'ț' | '€')
}

/// Whether a Swiss account is for payments with a QR reference only.
pub(super) fn is_qr_iban(iban: &Iban) -> bool {
    let institution = iban.electronic_str().get(4..9).and_then(|digits| digits.parse::<u32>().ok());
    institution.is_some_and(|institution| (30_000..=31_999).contains(&institution))
}
