//! Receipts: statements that are signed with Ed25519 over their canonical JSON, and checked without the service.

use std::fmt;

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_domain::sha256_hex;
use serde_json::{Value, json};

use crate::canonical::{NotCanonical, canonical};
use crate::keys::{BadKey, derive};
use crate::seal::BadSetting;

const KEY_PURPOSE: &str = "docmill: signatures of receipts";
const ALGORITHM: &str = "ed25519";
const PUBLIC_KEY_BYTES: usize = 32;

/// The service's key for receipts, and the public halves of those before it: a receipt is checked long after its key was replaced.
pub struct ReceiptKeys {
    pair: Ed25519KeyPair,
    retired: Vec<Vec<u8>>,
}

impl fmt::Debug for ReceiptKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReceiptKeys(..)")
    }
}

impl ReceiptKeys {
    /// From the configuration: `RECEIPT_KEY`, and the public keys before it in `RECEIPT_KEYS_RETIRED`.
    ///
    /// # Errors
    /// If a key is missing or not valid.
    pub fn of_function() -> Result<Self, BadSetting> {
        let setting = |name: &str| std::env::var(name).unwrap_or_default();
        Self::new(&setting("RECEIPT_KEY"), &setting("RECEIPT_KEYS_RETIRED"))
            .map_err(|error| BadSetting { name: "RECEIPT_KEY", error })
    }

    /// `retired`: public keys as the document has them, separated by commas.
    ///
    /// # Errors
    /// If the secret or a public key is not valid.
    pub fn new(secret: &str, retired: &str) -> Result<Self, BadKey> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&derive(secret, KEY_PURPOSE)?).map_err(|_| BadKey)?;
        let texts = retired.split(',').map(str::trim).filter(|text| !text.is_empty());
        let retired = texts.map(public_key).collect::<Option<_>>().ok_or(BadKey)?;
        Ok(Self { pair, retired })
    }

    /// The public keys, the current one first. Shape: `{"keys": [{"id", "algorithm", "publicKey"}]}`.
    pub fn document(&self) -> Value {
        let keys = std::iter::once(self.pair.public_key().as_ref()).chain(self.retired.iter().map(Vec::as_slice));
        let key =
            |public: &[u8]| json!({"id": id(public), "algorithm": ALGORITHM, "publicKey": STANDARD.encode(public)});
        json!({"keys": keys.map(key).collect::<Vec<_>>()})
    }

    /// The receipt: `{"statement", "signature": {"keyId", "algorithm", "value"}}`.
    ///
    /// # Errors
    /// If the statement has no canonical form.
    pub fn sign(&self, statement: Value) -> Result<Value, NotCanonical> {
        let signature = self.pair.sign(canonical(&statement)?.as_bytes());
        let signature = json!({
            "keyId": id(self.pair.public_key().as_ref()), "algorithm": ALGORITHM, "value": STANDARD.encode(signature.as_ref()),
        });
        Ok(json!({"statement": statement, "signature": signature}))
    }
}

fn id(public: &[u8]) -> String {
    sha256_hex(public).chars().take(16).collect()
}

fn public_key(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok().filter(|key| key.len() == PUBLIC_KEY_BYTES)
}

/// Why a receipt proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unverified {
    /// It does not have the shape of a receipt.
    #[error("it is not a receipt")]
    Malformed,
    /// Nobody vouches for the key that signed it.
    #[error("the key {0} is not among the keys")]
    UnknownKey(String),
    /// The statement was changed, or somebody else signed it.
    #[error("the signature does not match the statement")]
    Mismatch,
}

/// The statement of a receipt that one of these keys has signed.
///
/// # Errors
/// If none of them has signed it as it is.
pub fn verify<'a>(receipt: &'a Value, keys: &Value) -> Result<&'a Value, Unverified> {
    let (statement, signature) = (&receipt["statement"], &receipt["signature"]);
    let (Some(key_id), Some(value)) = (signature["keyId"].as_str(), signature["value"].as_str()) else {
        return Err(Unverified::Malformed);
    };
    let value = STANDARD.decode(value).map_err(|_| Unverified::Malformed)?;
    let text = canonical(statement).map_err(|NotCanonical| Unverified::Malformed)?;
    // The id is computed from the key: the document may call it something else.
    let listed = keys["keys"].as_array().into_iter().flatten();
    let mut listed = listed.filter_map(|key| public_key(key["publicKey"].as_str()?));
    let key = listed.find(|key| id(key) == key_id).ok_or_else(|| Unverified::UnknownKey(key_id.to_owned()))?;
    let verified = UnparsedPublicKey::new(&ED25519, key).verify(text.as_bytes(), &value);
    verified.map(|()| statement).map_err(|_| Unverified::Mismatch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(letter: &str) -> String {
        letter.repeat(86)
    }

    fn signed(keys: &ReceiptKeys) -> Value {
        keys.sign(json!({"type": "docmill.receipt.v1", "credits": {"refunded": 0, "charged": 3}})).unwrap()
    }

    #[test]
    fn a_receipt_is_proven_by_the_published_key() {
        let keys = ReceiptKeys::new(&secret("a"), "").unwrap();
        let receipt = signed(&keys);
        assert_eq!(verify(&receipt, &keys.document()).unwrap()["credits"]["charged"], 3);
        // A copy may have its members in another order.
        let copy = json!({"signature": receipt["signature"], "statement":
            {"credits": {"charged": 3, "refunded": 0}, "type": "docmill.receipt.v1"}});
        assert!(verify(&copy, &keys.document()).is_ok());
    }

    #[test]
    fn what_was_changed_is_found() {
        let keys = ReceiptKeys::new(&secret("a"), "").unwrap();
        let (receipt, document) = (signed(&keys), keys.document());
        let with = |pointer: &str, value: Value| {
            let mut changed = receipt.clone();
            *changed.pointer_mut(pointer).unwrap() = value;
            verify(&changed, &document).unwrap_err()
        };
        assert_eq!(with("/statement/credits/charged", json!(2)), Unverified::Mismatch);
        assert_eq!(with("/statement/credits", json!({})), Unverified::Mismatch);
        assert_eq!(with("/statement/credits/charged", json!(3.0)), Unverified::Malformed);
        assert_eq!(with("/signature/value", json!("AAAA")), Unverified::Mismatch);
        assert_eq!(with("/signature/keyId", json!("0")), Unverified::UnknownKey("0".into()));
        assert_eq!(with("/signature", json!(null)), Unverified::Malformed);
        assert_eq!(verify(&json!({}), &document), Err(Unverified::Malformed));
    }

    #[test]
    fn another_key_under_the_same_id_proves_nothing() {
        let keys = ReceiptKeys::new(&secret("a"), "").unwrap();
        let (receipt, mut forged) = (signed(&keys), ReceiptKeys::new(&secret("b"), "").unwrap().document());
        forged["keys"][0]["id"] = receipt["signature"]["keyId"].clone();
        assert!(matches!(verify(&receipt, &forged), Err(Unverified::UnknownKey(_))));
        assert!(matches!(verify(&receipt, &json!({})), Err(Unverified::UnknownKey(_))));
    }

    #[test]
    fn receipts_of_a_replaced_key_stay_good() {
        let old = ReceiptKeys::new(&secret("a"), "").unwrap();
        let public = old.document()["keys"][0]["publicKey"].as_str().unwrap().to_owned();
        let new = ReceiptKeys::new(&secret("b"), &format!(" {public},")).unwrap();
        assert_eq!(new.document()["keys"][1], old.document()["keys"][0]);
        assert!(verify(&signed(&old), &new.document()).is_ok());
        assert!(verify(&signed(&new), &new.document()).is_ok());
        assert!(verify(&signed(&new), &old.document()).is_err());
        assert!(!new.document().to_string().contains(&secret("b")));
        for wrong in ["x", "AAAA", &public[1..]] {
            assert_eq!(ReceiptKeys::new(&secret("b"), wrong).unwrap_err(), BadKey, "{wrong}");
        }
    }
}
