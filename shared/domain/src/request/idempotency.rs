//! The `Idempotency-Key` header, and what a repeated one means.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::account::api_key::Mode;
use crate::job::JobId;
use crate::sha256_hex;
use crate::time::Timestamp;

const MAX_CHARACTERS: usize = 255;

/// A client's key: 1 to 255 printable ASCII characters, bare or as a structured-field string (RFC 8941 § 3.3.3).
#[derive(Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

/// The header is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Idempotency-Key must be 1 to 255 printable ASCII characters, bare or in double quotes")]
pub struct InvalidIdempotencyKey;

impl IdempotencyKey {
    /// Parses a header's raw bytes. `"abc"` and `abc` are the same key.
    ///
    /// # Errors
    /// If the header is empty, longer than 255 characters, or has other than printable ASCII.
    pub fn parse(header: &[u8]) -> Result<Self, InvalidIdempotencyKey> {
        let text = std::str::from_utf8(header).map_err(|_| InvalidIdempotencyKey)?;
        if !text.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) {
            return Err(InvalidIdempotencyKey);
        }
        let text = text.trim_matches(' ');
        let key = match text.strip_prefix('"') {
            Some(quoted) => unquote(quoted)?,
            None => text.to_owned(),
        };
        if key.is_empty() || key.len() > MAX_CHARACTERS {
            return Err(InvalidIdempotencyKey);
        }
        Ok(Self(key))
    }

    /// The id of this key's record, scoped to an account and mode. The key itself is not stored.
    pub fn record_id(&self, account: &str, mode: Mode) -> String {
        format!("idem#{account}#{}#{}", mode.as_str(), sha256_hex(self.0.as_bytes()))
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdempotencyKey(..)")
    }
}

/// The text after the opening quote of a structured-field string, unescaped.
fn unquote(quoted: &str) -> Result<String, InvalidIdempotencyKey> {
    let inner = quoted.strip_suffix('"').ok_or(InvalidIdempotencyKey)?;
    let mut key = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(escaped @ ('"' | '\\')) => key.push(escaped),
                Some(_) | None => return Err(InvalidIdempotencyKey),
            },
            '"' => return Err(InvalidIdempotencyKey),
            plain => key.push(plain),
        }
    }
    Ok(key)
}

/// What is stored of a first request, to recognise its repetition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdempotencyRecord {
    /// Made by [`IdempotencyKey::record_id`].
    pub id: String,
    /// The job that the first request created.
    pub job_id: JobId,
    /// SHA-256 of the canonical request.
    pub fingerprint: String,
    /// Compared on every read, because DynamoDB deletes late.
    pub kept_until: Timestamp,
    /// Seconds since the epoch. DynamoDB deletes the record some time later.
    pub ttl: i64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<String, InvalidIdempotencyKey> {
        IdempotencyKey::parse(text.as_bytes()).map(|key| key.0)
    }

    #[test]
    fn bare_and_quoted_forms_are_the_same_key() {
        assert_eq!(parse("abc"), parse("\"abc\""));
        assert_eq!(parse("\"a\\\"b\\\\c\"").unwrap(), "a\"b\\c");
    }

    #[test]
    fn invalid_keys_are_refused() {
        let long = "x".repeat(256);
        for text in ["", "\"\"", "   ", "tab\there", "é", "\"open", "\"in\"side\"", "\"bad\\escape\"", long.as_str()] {
            assert_eq!(parse(text), Err(InvalidIdempotencyKey), "{text:?}");
        }
        assert!(IdempotencyKey::parse(b"caf\xe9").is_err());
        assert!(parse(&"x".repeat(255)).is_ok());
    }

    proptest! {
        #[test]
        fn any_printable_key_survives_quoting(key in "[ -~]{1,100}") {
            prop_assume!(!key.trim_matches(' ').is_empty());
            let quoted = format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""));
            prop_assert_eq!(parse(&quoted).unwrap(), key);
        }

        #[test]
        fn no_header_makes_the_parser_panic(header in prop::collection::vec(any::<u8>(), 0..400)) {
            if let Ok(key) = IdempotencyKey::parse(&header) {
                prop_assert!(!key.0.is_empty() && key.0.len() <= 255);
            }
        }
    }

    #[test]
    fn fuzz_the_header() {
        docmill_fuzz::fuzz("idempotency-key", &[], |bytes| {
            if let Ok(key) = IdempotencyKey::parse(bytes) {
                key.record_id("acc_1", Mode::Live);
            }
        });
    }
}
