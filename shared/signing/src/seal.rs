//! Signing secrets of endpoints, encrypted with AES-256-GCM: tables and their backups only hold sealed ones. The account and the
//! endpoint are part of the seal, so that a sealed secret is of no use in another item.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::keys::{BadKey, KeyRing, derive};
use docmill_domain::hex;
use docmill_domain::webhook::EndpointId;

const PREFIX: &str = "whsec_";
const SECRET_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;
const KEY_PURPOSE: &str = "docmill: secrets of webhook endpoints";
const ID_PURPOSE: &str = "docmill: id of the key for secrets of webhook endpoints";

/// An endpoint's signing secret as its account sees it: `whsec_` and base64.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A random secret of 32 bytes.
    pub fn new() -> Self {
        Self(format!("{PREFIX}{}", STANDARD.encode(rand::random::<[u8; SECRET_BYTES]>())))
    }

    /// A secret that a customer chose, as Standard Webhooks describes it: 24 to 64 bytes.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        (24..=64).contains(&bytes.len()).then(|| Self(text.to_owned()))
    }

    /// The text, to sign with or to show to its owner once.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Secret {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// A sealed secret that no key of the service opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a sealed secret can't be opened")]
pub struct Unsealable;

/// Encrypts secrets. Its id is in front of what it sealed.
pub struct SealingKey {
    id: String,
    key: RandomizedNonceKey,
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealingKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A key of the environment that can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {error}")]
pub struct BadSetting {
    /// The environment variable.
    pub name: &'static str,
    /// What is wrong with its value.
    pub error: BadKey,
}

impl KeyRing<SealingKey> {
    /// The keys that seal secrets: `WEBHOOK_KEY`, and `WEBHOOK_KEY_PREVIOUS` while it is being replaced.
    ///
    /// # Errors
    /// If one of them is missing or too short.
    pub fn of_function() -> Result<Self, BadSetting> {
        let setting = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self::for_secrets(&setting("WEBHOOK_KEY").unwrap_or_default(), setting("WEBHOOK_KEY_PREVIOUS").as_deref())
            .map_err(|error| BadSetting { name: "WEBHOOK_KEY", error })
    }

    /// From the configuration's texts. What the previous key sealed is still opened.
    ///
    /// # Errors
    /// If a text is too short.
    pub fn for_secrets(current: &str, previous: Option<&str>) -> Result<Self, BadKey> {
        Ok(Self { current: SealingKey::new(current)?, previous: previous.map(SealingKey::new).transpose()? })
    }

    /// A text of the form `keyid.base64`.
    ///
    /// # Errors
    /// If the cipher fails.
    pub fn seal(&self, secret: &Secret, account: &str, endpoint: &EndpointId) -> Result<String, Unsealable> {
        self.seal_text(secret.as_str(), account, endpoint)
    }

    /// The same for another text that may be a secret, such as a URL.
    ///
    /// # Errors
    /// If the cipher fails.
    pub fn seal_text(&self, text: &str, account: &str, endpoint: &EndpointId) -> Result<String, Unsealable> {
        self.current.seal(text, account, endpoint)
    }

    /// The secret that was sealed for this endpoint of this account.
    ///
    /// # Errors
    /// If neither key sealed it, or it was sealed for another endpoint or changed since.
    pub fn open(&self, sealed: &str, account: &str, endpoint: &EndpointId) -> Result<Secret, Unsealable> {
        self.open_text(sealed, account, endpoint).map(Secret)
    }

    /// The same for another text.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub fn open_text(&self, sealed: &str, account: &str, endpoint: &EndpointId) -> Result<String, Unsealable> {
        let (id, sealed) = sealed.split_once('.').ok_or(Unsealable)?;
        let key = self.keys().find(|key| key.id == id).ok_or(Unsealable)?;
        key.open(sealed, account, endpoint)
    }
}

impl SealingKey {
    fn new(secret: &str) -> Result<Self, BadKey> {
        let key = RandomizedNonceKey::new(&AES_256_GCM, &derive(secret, KEY_PURPOSE)?).map_err(|_| BadKey)?;
        let id = hex(&derive(secret, ID_PURPOSE)?).chars().take(8).collect();
        Ok(Self { id, key })
    }

    fn seal(&self, text: &str, account: &str, endpoint: &EndpointId) -> Result<String, Unsealable> {
        let mut text = text.as_bytes().to_vec();
        let nonce = self.key.seal_in_place_append_tag(owner(account, endpoint), &mut text).map_err(|_| Unsealable)?;
        let sealed = [nonce.as_ref().as_slice(), &text].concat();
        Ok(format!("{}.{}", self.id, STANDARD.encode(sealed)))
    }

    fn open(&self, sealed: &str, account: &str, endpoint: &EndpointId) -> Result<String, Unsealable> {
        let mut sealed = STANDARD.decode(sealed).map_err(|_| Unsealable)?;
        let (nonce, text) = sealed.split_at_mut_checked(NONCE_BYTES).ok_or(Unsealable)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Unsealable)?;
        let text = self.key.open_in_place(nonce, owner(account, endpoint), text).map_err(|_| Unsealable)?;
        String::from_utf8(text.to_vec()).map_err(|_| Unsealable)
    }
}

fn owner(account: &str, endpoint: &EndpointId) -> Aad<Vec<u8>> {
    Aad::from(format!("{account}/{endpoint}").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(current: char, previous: Option<char>) -> KeyRing<SealingKey> {
        let text = |letter: char| letter.to_string().repeat(86);
        KeyRing::for_secrets(&text(current), previous.map(text).as_deref()).unwrap()
    }

    #[test]
    fn a_sealed_secret_opens_only_where_it_belongs() {
        let (ring, secret, endpoint) = (ring('a', None), Secret::new(), EndpointId::new());
        let sealed = ring.seal(&secret, "acme", &endpoint).unwrap();
        assert!(!sealed.contains(secret.as_str()) && !sealed.contains("whsec_"));
        assert_ne!(ring.seal(&secret, "acme", &endpoint).unwrap(), sealed, "no nonce is used twice");
        assert_eq!(ring.open(&sealed, "acme", &endpoint), Ok(secret));
        assert_eq!(ring.open(&sealed, "other", &endpoint), Err(Unsealable));
        assert_eq!(ring.open(&sealed, "acme", &EndpointId::new()), Err(Unsealable));
    }

    #[test]
    fn a_replaced_key_still_opens_what_it_sealed() {
        let (secret, endpoint) = (Secret::new(), EndpointId::new());
        let sealed = ring('a', None).seal(&secret, "acme", &endpoint).unwrap();
        assert_eq!(ring('b', Some('a')).open(&sealed, "acme", &endpoint), Ok(secret));
        assert_eq!(ring('b', None).open(&sealed, "acme", &endpoint), Err(Unsealable));
    }

    #[test]
    fn a_customers_secret_has_the_standards_form() {
        assert!(Secret::parse(Secret::new().as_str()).is_some());
        for wrong in [
            "",
            "whsec_",
            "whsec_AAAA",
            &format!("whsec_{}", "A".repeat(88)),
            Secret::new().as_str().trim_start_matches("whsec_"),
        ] {
            assert!(Secret::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn damaged_secrets_are_refused() {
        let (ring, endpoint) = (ring('a', None), EndpointId::new());
        let sealed = ring.seal(&Secret::new(), "acme", &endpoint).unwrap();
        let (id, text) = sealed.split_once('.').unwrap();
        for damaged in ["", "x", id, &format!("{id}."), &format!("{id}.AAAA"), &format!("{id}.{}", text.to_lowercase())]
        {
            assert_eq!(ring.open(damaged, "acme", &endpoint), Err(Unsealable), "{damaged}");
        }
    }
}
