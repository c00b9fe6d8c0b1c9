//! Keys from the service's configuration. Each is derived from a long random text, as secret stores generate it.

use std::fmt;

use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};

/// Fewer characters can't be a random text of 256 bits.
const FEWEST_CHARACTERS: usize = 43;

/// A text that no key can be derived from, since it is too short to be random.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key of the configuration is missing or too short")]
pub struct BadKey;

/// The current key, and the one before while it is being replaced.
#[derive(Clone)]
pub struct KeyRing<K> {
    /// Seals and signs.
    pub current: K,
    /// Still opens and signs.
    pub previous: Option<K>,
}

impl<K> fmt::Debug for KeyRing<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyRing(..)")
    }
}

impl<K> KeyRing<K> {
    /// The current key, and then the previous one, if any.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        std::iter::once(&self.current).chain(&self.previous)
    }
}

/// 32 bytes.
struct Bytes32;

impl KeyType for Bytes32 {
    fn len(&self) -> usize {
        32
    }
}

/// 32 bytes from a secret text, for one purpose (RFC 5869).
///
/// # Errors
/// If the text is too short for a random one of 256 bits.
pub fn derive(secret: &str, purpose: &str) -> Result<[u8; 32], BadKey> {
    if secret.len() < FEWEST_CHARACTERS {
        return Err(BadKey);
    }
    let mut key = [0; 32];
    let derived = Salt::new(HKDF_SHA256, &[]).extract(secret.as_bytes());
    let filled = derived.expand(&[purpose.as_bytes()], Bytes32).and_then(|okm| okm.fill(&mut key));
    filled.map_err(|_| BadKey)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_depend_on_the_secret_and_its_purpose() {
        let secret = "x".repeat(86);
        let key = derive(&secret, "one").unwrap();
        assert_eq!(derive(&secret, "one").unwrap(), key);
        assert_ne!(derive(&secret, "two").unwrap(), key);
        assert_ne!(derive(&"y".repeat(86), "one").unwrap(), key);
        assert_eq!(derive("short", "one"), Err(BadKey));
    }
}
