//! The code that a program exchanges for a key.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cookie::{Cookie, CookieJar, Key};
use docmill_domain::api_key::Mode;
use docmill_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A program exchanges its code at once.
const TIME: Duration = Duration::from_secs(2 * 60);
const NAME: &str = "code";

/// What a user has granted: one key, to the program that knows the verifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Grant {
    /// The future key's id, so that a code makes one key at most.
    pub(super) key_id: String,
    pub(super) account: String,
    pub(super) name: String,
    pub(super) mode: Mode,
    pub(super) challenge: Challenge,
    pub(super) granted_at: Timestamp,
}

/// The SHA-256 digest of a verifier, in base64url without padding (RFC 7636, section 4.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Challenge(String);

impl Challenge {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digest = URL_SAFE_NO_PAD.decode(text).ok()?;
        (digest.len() == 32).then(|| Self(text.to_owned()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_of(&self, verifier: &str) -> bool {
        URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)) == self.0
    }
}

impl Grant {
    /// The grant, signed. It contains no secret.
    pub(super) fn to_code(&self, key: &Key) -> String {
        let mut jar = CookieJar::new();
        // Strings and numbers can always be serialized.
        let text = serde_json::to_vec(self).unwrap_or_default();
        jar.signed_mut(key).add(Cookie::new(NAME, URL_SAFE_NO_PAD.encode(text)));
        URL_SAFE_NO_PAD.encode(jar.get(NAME).map_or("", Cookie::value))
    }

    /// The grant of a code that we signed within the last two minutes, for the program that knows the verifier.
    pub(super) fn from_code(code: &str, verifier: &str, key: &Key, now: Timestamp) -> Option<Self> {
        let signed = String::from_utf8(URL_SAFE_NO_PAD.decode(code).ok()?).ok()?;
        let cookie = CookieJar::new().signed(key).verify(Cookie::new(NAME, signed))?;
        let grant: Self = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cookie.value()).ok()?).ok()?;
        let is_fresh = u128::from(now.millis_since(grant.granted_at)) < TIME.as_millis();
        (is_fresh && grant.challenge.is_of(verifier)).then_some(grant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERIFIER: &str = "a verifier that only the program knows";

    fn grant() -> Grant {
        Grant {
            key_id: "key_1".into(),
            account: "acc_1".into(),
            name: "docmill on a laptop".into(),
            mode: Mode::Live,
            challenge: Challenge(URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER))),
            granted_at: Timestamp(1_000_000),
        }
    }

    #[test]
    fn the_example_of_rfc_7636_is_a_challenge_of_its_verifier() {
        let challenge = Challenge::parse("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM").unwrap();
        assert!(challenge.is_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
        assert!(!challenge.is_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXK"));
        for wrong in
            ["", "short", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw/cM"]
        {
            assert_eq!(Challenge::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_code_is_for_two_minutes_one_program_and_this_service() {
        let (ours, others) = (Key::generate(), Key::generate());
        let code = grant().to_code(&ours);
        let now = grant().granted_at;
        assert_eq!(Grant::from_code(&code, VERIFIER, &ours, now.plus(TIME / 2)), Some(grant()));
        assert_eq!(Grant::from_code(&code, VERIFIER, &ours, now.plus(TIME)), None, "too late");
        assert_eq!(Grant::from_code(&code, "a guess", &ours, now), None);
        assert_eq!(Grant::from_code(&code, VERIFIER, &others, now), None, "signed by another service");
        let altered = URL_SAFE_NO_PAD.decode(&code).unwrap();
        for position in 0..altered.len() {
            let mut altered = altered.clone();
            altered[position] ^= 1;
            assert_eq!(Grant::from_code(&URL_SAFE_NO_PAD.encode(altered), VERIFIER, &ours, now), None, "{position}");
        }
    }
}
