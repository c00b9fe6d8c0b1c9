use super::*;
use std::time::{SystemTime, UNIX_EPOCH};

use docmill_domain::user::Role;
use openidconnect::core::{CoreEdDsaPrivateSigningKey, CoreIdTokenVerifier};
use openidconnect::{IdTokenClaims, JsonWebKeyId, PrivateSigningKey};
use serde_json::json;

const ISSUER: &str = "https://issuer.example";
const CLIENT: &str = "client-1";
// Made for these tests by `openssl genpkey -algorithm ed25519`; they sign nothing else.
const OURS: &str = "MC4CAQAwBQYDK2VwBCIEIC1xTYLgFuDa1ia28b71NjuTxamAzKQKecPlC8AJ3M3B";
const ANOTHER: &str = "MC4CAQAwBQYDK2VwBCIEIEPojP+6TcHECnMR2eZPJxjegVlJFYKuirxMFeSw2k4N";

fn key(base64: &str) -> CoreEdDsaPrivateSigningKey {
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{base64}\n-----END PRIVATE KEY-----\n");
    CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, Some(JsonWebKeyId::new("key-1".into()))).unwrap()
}

fn config() -> OidcConfig {
    OidcConfig {
        issuer: ISSUER.into(),
        discovery_url: "https://issuer.example/.well-known/openid-configuration".parse().unwrap(),
        client_id: CLIENT.into(),
        client_secret: None,
        scopes: vec!["email".into()],
        groups_claim: "cognito:groups".into(),
        admin_group: "admin".into(),
    }
}

/// A valid token. Tests change one property.
struct Made {
    issuer: &'static str,
    audience: &'static str,
    nonce: &'static str,
    expires_in: i64,
    key: &'static str,
    email: Option<&'static str>,
    groups: Value,
    proved_at: Option<i64>,
}

const RIGHT: Made = Made {
    issuer: ISSUER,
    audience: CLIENT,
    nonce: "nonce-1",
    expires_in: 300,
    key: OURS,
    email: Some("Ada@Example.com"),
    groups: Value::Null,
    proved_at: None,
};

impl Made {
    fn token(&self) -> Token {
        let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap();
        let mut claims = json!({
            "iss": self.issuer, "aud": [self.audience], "nonce": self.nonce, "sub": "subject-1", "email_verified": true,
            "iat": now, "exp": now + self.expires_in, "cognito:groups": self.groups,
        });
        if let Some(at) = self.proved_at {
            claims["auth_time"] = json!(at);
        }
        if let Some(email) = self.email {
            claims["email"] = json!(email);
        }
        let claims: IdTokenClaims<Claims, CoreGenderClaim> = serde_json::from_value(claims).unwrap();
        Token::new(claims, &key(self.key), CoreJwsSigningAlgorithm::EdDsa, None, None).unwrap()
    }

    fn verdict(&self) -> Result<Option<Identity>, ClaimsVerificationError> {
        Ok(verified(&self.token())?.map(|proof| proof.identity))
    }
}

fn verified(token: &Token) -> Result<Option<Proof>, ClaimsVerificationError> {
    let keys = CoreJsonWebKeySet::new(vec![key(OURS).as_verification_key()]);
    verify(token, &config(), IssuerUrl::new(ISSUER.into()).unwrap(), keys, &Nonce::new("nonce-1".into()))
}

#[test]
fn a_valid_token_identifies_the_user() {
    let identity = RIGHT.verdict().unwrap().unwrap();
    assert_eq!((identity.issuer.as_str(), identity.subject.as_str()), (ISSUER, "subject-1"));
    assert_eq!(
        (identity.email.as_str(), identity.email_verified, identity.role),
        ("ada@example.com", true, Role::User)
    );
}

#[test]
fn a_token_has_the_time_of_the_password() {
    let at = |made: Made| verified(&made.token()).unwrap().unwrap().at;
    assert_eq!(at(RIGHT), None);
    assert_eq!(at(Made { proved_at: Some(1_700_000_000), ..RIGHT }), Some(Timestamp(1_700_000_000_000)));
}

#[test]
fn groups_make_administrators_by_their_whole_name() {
    let role = |groups: Value| Made { groups, ..RIGHT }.verdict().unwrap().unwrap().role;
    assert_eq!(role(json!(["staff", "admin"])), Role::Admin);
    assert_eq!(role(json!("admin")), Role::Admin);
    for groups in [json!(["administrators"]), json!("xadmin"), json!({"admin": true}), json!(true), json!(["Admin"])] {
        assert_eq!(role(groups), Role::User);
    }
}

#[test]
fn a_token_with_one_wrong_property_is_refused() {
    let refused = |made: Made| made.verdict().unwrap_err();
    assert!(matches!(refused(Made { expires_in: -1, ..RIGHT }), ClaimsVerificationError::Expired(_)));
    assert!(matches!(refused(Made { audience: "client-2", ..RIGHT }), ClaimsVerificationError::InvalidAudience(_)));
    assert!(matches!(refused(Made { nonce: "nonce-2", ..RIGHT }), ClaimsVerificationError::InvalidNonce(_)));
    let elsewhere = Made { issuer: "https://issuer.example.evil", ..RIGHT };
    assert!(matches!(refused(elsewhere), ClaimsVerificationError::InvalidIssuer(_)));
    assert!(matches!(refused(Made { key: ANOTHER, ..RIGHT }), ClaimsVerificationError::SignatureVerification(_)));
}

#[test]
fn a_token_that_was_changed_or_is_not_signed_is_refused() {
    let text = RIGHT.token().to_string();
    let parts: Vec<_> = text.split('.').collect();
    let changed = Made { groups: json!(["admin"]), ..RIGHT }.token().to_string();
    let forged = format!("{}.{}.{}", parts[0], changed.split('.').nth(1).unwrap(), parts[2]);
    let error = verified(&forged.parse().unwrap()).unwrap_err();
    assert!(matches!(error, ClaimsVerificationError::SignatureVerification(_)), "{error}");
    // {"alg":"none"}
    let unsigned = format!("eyJhbGciOiJub25lIn0.{}.", parts[1]);
    assert!(unsigned.parse::<Token>().is_err() || verified(&unsigned.parse().unwrap()).is_err());
}

#[test]
fn tokens_signed_with_a_shared_secret_are_refused() {
    let hmac = openidconnect::core::CoreHmacKey::new(CLIENT.as_bytes());
    let claims = RIGHT.token();
    let claims =
        claims.claims(&CoreIdTokenVerifier::new_insecure_without_verification(), &Nonce::new("nonce-1".into()));
    let token = Token::new(claims.unwrap().clone(), &hmac, CoreJwsSigningAlgorithm::HmacSha256, None, None).unwrap();
    assert!(matches!(verified(&token).unwrap_err(), ClaimsVerificationError::SignatureVerification(_)));
}

#[test]
fn a_token_without_an_address_is_refused() {
    assert_eq!(Made { email: None, ..RIGHT }.verdict().unwrap(), None);
    assert_eq!(Made { email: Some("no address"), ..RIGHT }.verdict().unwrap(), None);
}
