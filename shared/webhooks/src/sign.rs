//! Signatures by Standard Webhooks 1.0: `v1`, HMAC-SHA256 with the endpoint's secret, and `v1a`, Ed25519 with the service's key,
//! whose public half anybody can read.

use std::fmt;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_domain::sha256_hex;
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::{KeyAlgorithm, PublicKeyView, Signatures};
use standardwebhooks::{Webhook, WebhookError};

use docmill_signing::keys::{BadKey, KeyRing, derive};
use docmill_signing::seal::Secret;

const KEY_PURPOSE: &str = "docmill: signatures of webhooks";
const PUBLIC_PREFIX: &str = "whpk_";

/// A request that could not be signed.
#[derive(Debug, thiserror::Error)]
#[error("the webhook could not be signed: {0}")]
pub struct Unsigned(#[from] WebhookError);

/// The service's keys for `v1a`. While a key is being replaced, both sign.
pub struct SigningKeys(KeyRing<Ed25519KeyPair>);

impl fmt::Debug for SigningKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKeys(..)")
    }
}

impl SigningKeys {
    /// From the configuration's texts.
    ///
    /// # Errors
    /// If a text is too short.
    pub fn new(current: &str, previous: Option<&str>) -> Result<Self, BadKey> {
        Ok(Self(KeyRing { current: key_pair(current)?, previous: previous.map(key_pair).transpose()? }))
    }

    /// The public keys, for receivers: the current one first.
    pub fn public(&self) -> Vec<PublicKeyView> {
        let key = |pair: &Ed25519KeyPair| {
            let public = pair.public_key().as_ref();
            let id: String = sha256_hex(public).chars().take(16).collect();
            let public_key = format!("{PUBLIC_PREFIX}{}", STANDARD.encode(public));
            PublicKeyView { id, algorithm: KeyAlgorithm::Ed25519, public_key }
        };
        self.0.keys().map(key).collect()
    }

    fn sign<'a>(&'a self, text: &'a str) -> impl Iterator<Item = String> + 'a {
        self.0.keys().map(move |pair| format!("v1a,{}", STANDARD.encode(pair.sign(text.as_bytes()).as_ref())))
    }
}

fn key_pair(secret: &str) -> Result<Ed25519KeyPair, BadKey> {
    Ed25519KeyPair::from_seed_unchecked(&derive(secret, KEY_PURPOSE)?).map_err(|_| BadKey)
}

/// The headers of a request by Standard Webhooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headers {
    /// `webhook-id`: the event's id.
    pub id: String,
    /// Seconds since 1970.
    pub timestamp: i64,
    /// All signatures, separated by spaces.
    pub signature: String,
}

impl Headers {
    /// Signs a body with each secret and each of the service's keys, as the endpoint wishes.
    ///
    /// # Errors
    /// If a secret has another form.
    pub fn sign(
        id: &str,
        body: &str,
        secrets: &[Secret],
        keys: &SigningKeys,
        wanted: Signatures,
        now: Timestamp,
    ) -> Result<Self, Unsigned> {
        let timestamp = now.as_millis().div_euclid(1000);
        let mut signatures = Vec::new();
        if wanted.has_secret() {
            for secret in secrets {
                signatures.push(Webhook::new(secret.as_str())?.sign(id, timestamp, body.as_bytes())?);
            }
        }
        if wanted.has_public_key() {
            signatures.extend(keys.sign(&format!("{id}.{timestamp}.{body}")));
        }
        Ok(Self { id: id.to_owned(), timestamp, signature: signatures.join(" ") })
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};

    use super::*;

    const NOW: Timestamp = Timestamp(1_795_176_000_007);

    fn text(letter: &str) -> String {
        letter.repeat(86)
    }

    fn signed(keys: &SigningKeys, secrets: &[Secret], wanted: Signatures) -> Vec<String> {
        let headers = Headers::sign("evt_1", "{}", secrets, keys, wanted, NOW).unwrap();
        assert_eq!((headers.id.as_str(), headers.timestamp), ("evt_1", 1_795_176_000));
        headers.signature.split(' ').map(str::to_owned).collect()
    }

    /// Verifies with the document, as a receiver does.
    fn verifies(keys: &[PublicKeyView], key: usize, signature: &str) -> bool {
        let public = keys[key].public_key.strip_prefix("whpk_").unwrap();
        let signature = STANDARD.decode(signature.strip_prefix("v1a,").unwrap()).unwrap();
        let public = UnparsedPublicKey::new(&ED25519, STANDARD.decode(public).unwrap());
        public.verify(b"evt_1.1795176000.{}", &signature).is_ok()
    }

    #[test]
    fn each_secret_and_key_signs() {
        let keys = SigningKeys::new(&text("b"), Some(&text("a"))).unwrap();
        let secrets = [Secret::new(), Secret::new()];
        let signatures = signed(&keys, &secrets, Signatures::Both);
        for (secret, signature) in secrets.iter().zip(&signatures) {
            let expected = Webhook::new(secret.as_str()).unwrap().sign("evt_1", 1_795_176_000, b"{}").unwrap();
            assert_eq!(*signature, expected);
        }
        let public = keys.public();
        assert!(verifies(&public, 0, &signatures[2]) && verifies(&public, 1, &signatures[3]));
        assert!(!verifies(&public, 1, &signatures[2]));
        assert_eq!(signatures.len(), 4);
    }

    #[test]
    fn an_endpoint_chooses_its_signatures() {
        let keys = SigningKeys::new(&text("a"), None).unwrap();
        let secrets = [Secret::new()];
        let kinds = |wanted| {
            let kind = |signature: String| signature.split_once(',').unwrap().0.to_owned();
            signed(&keys, &secrets, wanted).into_iter().map(kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(Signatures::V1), ["v1"]);
        assert_eq!(kinds(Signatures::V1a), ["v1a"]);
        assert_eq!(kinds(Signatures::Both), ["v1", "v1a"]);
    }

    #[test]
    fn the_document_names_the_current_key_first() {
        let (old, new) = (SigningKeys::new(&text("a"), None), SigningKeys::new(&text("b"), Some(&text("a"))));
        let (old, new) = (old.unwrap().public(), new.unwrap().public());
        assert_eq!(new[1], old[0]);
        assert_ne!(new[0].id, old[0].id);
        assert!(!format!("{new:?}").contains(&text("a")));
    }
}
