//! Keys in PKCS#12 files. `fixtures/keys/make.py` makes them.

use docmill_domain::time::Timestamp;
use docmill_pdf_signatures::make::{Algorithm, BadKey, SigningKey};

/// The password of all.
pub(crate) const PASSWORD: &str = "secret";

pub(crate) fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/keys/{name}.p12", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

pub(crate) fn key(name: &str) -> SigningKey {
    SigningKey::from_pkcs12(&file(name), PASSWORD).unwrap()
}

fn refused(name: &str) -> BadKey {
    SigningKey::from_pkcs12(&file(name), PASSWORD).unwrap_err()
}

#[test]
fn keys_of_each_kind_are_read_with_their_chain() {
    for (name, algorithm, certificates) in [
        ("rsa", Algorithm::RsaSha256, 3),
        ("p256", Algorithm::EcdsaSha256, 3),
        ("p384", Algorithm::EcdsaSha384, 3),
        ("p521", Algorithm::EcdsaSha512, 3),
        ("triple-des", Algorithm::RsaSha256, 3),
        ("rc2", Algorithm::RsaSha256, 1),
    ] {
        let key = key(name);
        assert_eq!((key.algorithm(), key.certificates().len()), (algorithm, certificates), "{name}");
        assert!(key.check(Timestamp::parse("2026-01-01T00:00:00Z").unwrap()).is_ok(), "{name}");
    }
}

#[test]
fn what_is_wrong_with_a_key_is_said() {
    assert_eq!(SigningKey::from_pkcs12(&file("rsa"), "other").unwrap_err(), BadKey::WrongPassword);
    assert_eq!(SigningKey::from_pkcs12(&file("rc2"), "").unwrap_err(), BadKey::WrongPassword);
    assert_eq!((refused("no-key"), refused("no-certificate")), (BadKey::Unsupported, BadKey::NoCertificate));
    assert_eq!((refused("k256"), refused("small")), (BadKey::Unsupported, BadKey::Unsupported));
    assert!(matches!(SigningKey::from_pkcs12(b"nothing", PASSWORD), Err(BadKey::Unreadable(_))));
    let now = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let ended = BadKey::OutOfBounds { from: "2024-01-01".to_owned(), to: "2025-01-01".to_owned() };
    assert_eq!(key("expired").check(now), Err(ended));
    assert_eq!(key("encrypts").check(now), Err(BadKey::OtherUse));
}

#[test]
fn a_password_that_is_stretched_too_often_is_refused_at_once() {
    let started = std::time::Instant::now();
    assert!(matches!(refused("often"), BadKey::Unreadable(why) if why.contains("too often")));
    assert!(started.elapsed().as_secs() < 60);
}
