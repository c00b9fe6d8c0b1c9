//! API keys: their form, the check that needs no read, and what is stored.

use std::fmt;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::sha256_hex;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH: usize = 30;
const CHECKSUM_LENGTH: usize = 6;

/// Live keys spend credits. Test keys don't, create a limited number of jobs a day, and mark their output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
#[expect(missing_docs, reason = "the type says how they differ")]
pub enum Mode {
    Live,
    Test,
}

impl Mode {
    /// As requests, responses and tables have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }

    /// The prefix of keys of this mode. Secret scanners know these prefixes: never change them.
    pub const fn key_prefix(self) -> &'static str {
        match self {
            Self::Live => "dm_live_",
            Self::Test => "dm_test_",
        }
    }
}

/// A well-formed key in plain text: prefix, 30 random base62 characters (178 bits), 6 of their CRC32.
///
/// The checksum detects typing errors without a read, and lets secret scanners find leaked keys.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key that nobody has yet, from the system's random numbers.
    pub fn generate(mode: Mode) -> Self {
        let mut rng = rand::rng();
        let random: String =
            (0..RANDOM_LENGTH).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())])).collect();
        let body = format!("{}{random}", mode.key_prefix());
        let checksum = checksum(&body);
        Self(body + &checksum)
    }

    /// `None` unless the text has the form and checksum of our keys.
    pub fn parse(text: &str) -> Option<Self> {
        let mode = [Mode::Live, Mode::Test].into_iter().find(|mode| text.starts_with(mode.key_prefix()))?;
        let secret = &text[mode.key_prefix().len()..];
        let well_formed =
            secret.len() == RANDOM_LENGTH + CHECKSUM_LENGTH && secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !well_formed {
            return None;
        }
        let (body, check) = text.split_at(text.len() - CHECKSUM_LENGTH);
        (checksum(body) == check).then(|| Self(text.to_owned()))
    }

    /// What the key is stored under.
    pub fn hash(&self) -> KeyHash {
        KeyHash(sha256_hex(self.0.as_bytes()))
    }

    /// The last four characters, which identify the key in lists.
    pub fn last4(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }

    /// The key in plain text: only for showing it once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

/// SHA-256 of a key in hexadecimal: the only form that is stored. No salt is needed, since a key has more than 128 random bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyHash(String);

impl KeyHash {
    /// The hash under which the dashboard's key of an account is stored. It is not a digest, so no real key can have it.
    pub fn of_dashboard(account: &str, mode: Mode) -> Self {
        Self(format!("dashboard#{account}#{}", mode.as_str()))
    }

    /// 64 hexadecimal digits, or what [`Self::of_dashboard`] makes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// CRC32 (ISO-HDLC) of the prefix and the random part, as six base62 digits.
fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes()) as usize;
    let mut digits = [0u8; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[rest % ALPHABET.len()];
        rest /= ALPHABET.len();
    }
    digits.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_generated_key_has_the_documented_form_and_parses() {
        for mode in [Mode::Live, Mode::Test] {
            let key = ApiKey::generate(mode);
            assert!(key.reveal().starts_with(mode.key_prefix()));
            assert_eq!(key.reveal().len(), "dm_live_".len() + 36);
            assert_eq!(ApiKey::parse(key.reveal()), Some(key));
        }
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        // Scanners implement this checksum: never change it.
        assert_eq!(checksum("dm_live_000000000000000000000000000000"), "2HqJpG");
    }

    #[test]
    fn a_key_never_shows_itself() {
        assert_eq!(format!("{:?}", ApiKey::generate(Mode::Live)), "ApiKey(..)");
    }

    proptest! {
        #[test]
        fn one_wrong_character_is_noticed(position in 8usize..44, replacement in "[0-9A-Za-z]") {
            let key = ApiKey::generate(Mode::Live);
            let mut typo = key.reveal().to_owned();
            typo.replace_range(position..=position, &replacement);
            prop_assume!(typo != key.reveal());
            prop_assert_eq!(ApiKey::parse(&typo), None);
        }

        #[test]
        fn nothing_a_client_sends_makes_the_parser_panic(text in "\\PC*") {
            prop_assert_eq!(ApiKey::parse(&text).is_some(), false);
        }
    }

    #[test]
    fn fuzz_keys() {
        docmill_fuzz::fuzz("api-key", &[], |bytes| {
            let text = String::from_utf8_lossy(bytes);
            if let Some(key) = ApiKey::parse(&text) {
                assert_eq!((key.reveal(), key.last4().len()), (text.as_ref(), 4));
            }
        });
    }
}
