//! API keys.

use std::fmt;

/// An API key.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// `None` unless the text looks like a key.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_key = ["dm_live_", "dm_test_"].iter().any(|prefix| text.starts_with(prefix))
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_key.then(|| Self(text.to_owned()))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn is_test(&self) -> bool {
        self.0.starts_with("dm_test_")
    }

    /// The key for people: its kind and its last four characters.
    pub fn hint(&self) -> String {
        let (kind, secret) = self.0.split_at(8.min(self.0.len()));
        let last: String = secret.chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect();
        format!("{kind}…{last}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown_whole() {
        let key = Key::parse(" dm_live_abcdefgh1234\n").unwrap();
        assert_eq!((key.reveal(), key.hint().as_str()), ("dm_live_abcdefgh1234", "dm_live_…1234"));
        assert_eq!(format!("{key:?}"), "Key(..)");
        assert!(Key::parse("sk_live_abc").is_none() && Key::parse("dm_live_a b").is_none());
    }
}
