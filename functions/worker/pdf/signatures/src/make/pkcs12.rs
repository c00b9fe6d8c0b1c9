//! PKCS#12 files (RFC 7292): keys with their certificates, under a password.
//!
//! Keys are stretched as often as the file says, so there is a budget: a file must not keep a worker busy for long.

use aws_lc_rs::cipher::{AES_128, AES_192, AES_256, DecryptionContext, PaddedBlockDecryptingKey, UnboundCipherKey};
use aws_lc_rs::iv::FixedLength;
use aws_lc_rs::{hmac, pbkdf2};
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockModeDecrypt as _, InnerIvInit as _, KeyInit as _};

use super::key::BadKey;
use crate::cms::asn1::{INTEGER, OCTETS, SEQUENCE, Value, Values, to_der};
use crate::cms::keys::{Algorithm, Hash};
use crate::cms::signed::DATA;

/// The most rounds of all that a file asks for: about two seconds.
const MOST_ROUNDS: u32 = 3_000_000;
/// The most keys and certificates.
const MOST_BAGS: usize = 50;

const ENCRYPTED: &str = "1.2.840.113549.1.7.6";
const KEY: &str = "1.2.840.113549.1.12.10.1.1";
const SHROUDED_KEY: &str = "1.2.840.113549.1.12.10.1.2";
const CERTIFICATE: &str = "1.2.840.113549.1.12.10.1.3";
const X509: &str = "1.2.840.113549.1.9.22.1";
const PBES2: &str = "1.2.840.113549.1.5.13";
const PBKDF2: &str = "1.2.840.113549.1.5.12";

/// What a file has.
#[derive(Default)]
pub(super) struct Contents {
    /// As PKCS#8.
    pub(super) keys: Vec<Vec<u8>>,
    pub(super) certificates: Vec<Vec<u8>>,
}

/// What a derived key is for (RFC 7292, B.3).
#[derive(Clone, Copy)]
enum Purpose {
    Encryption = 1,
    Vector = 2,
    Integrity = 3,
}

/// Opens a file.
pub(super) fn open(file: &[u8], password: &str) -> Result<Contents, BadKey> {
    let der = to_der(file).ok_or(BadKey::Unreadable("it is no ASN.1"))?;
    let mut opener = Opener { password, wide: wide(password), left: MOST_ROUNDS, contents: Contents::default() };
    opener.file(&der)?;
    Ok(opener.contents)
}

struct Opener<'p> {
    password: &'p str,
    /// The password as the older algorithms take it.
    wide: Vec<u8>,
    left: u32,
    contents: Contents,
}

/// UTF-16 with an end.
fn wide(password: &str) -> Vec<u8> {
    password.encode_utf16().chain([0]).flat_map(u16::to_be_bytes).collect()
}

fn malformed<T>(found: Option<T>) -> Result<T, BadKey> {
    found.ok_or(BadKey::Unreadable("it is damaged, or another kind of file"))
}

const UNKNOWN: BadKey = BadKey::Unreadable("it is encrypted in a way that is not supported");

impl Opener<'_> {
    fn file(&mut self, der: &[u8]) -> Result<(), BadKey> {
        let read = || {
            let mut parts = Value::only(der)?.with(SEQUENCE)?.values();
            parts.typed(INTEGER)?;
            let mut info = parts.typed(SEQUENCE)?.values();
            let kind = info.next()?.oid()?;
            let safe = Value::only(info.typed(0xa0)?.body)?.with(OCTETS)?.body;
            Some((kind, safe, parts.optional(SEQUENCE)))
        };
        let (kind, safe, mac) = malformed(read())?;
        if kind != DATA {
            return Err(BadKey::Unreadable("it is protected by a public key"));
        }
        if let Some(mac) = mac {
            self.check(mac, safe)?;
        }
        let safe = malformed(to_der(safe))?;
        for info in malformed(Value::only(&safe).and_then(|list| list.with(SEQUENCE)))?.values() {
            self.safe(info)?;
        }
        Ok(())
    }

    /// Compares the code of the whole, which tells whether the password is right.
    fn check(&mut self, mac: Value<'_>, safe: &[u8]) -> Result<(), BadKey> {
        let mut parts = mac.values();
        let mut read = || {
            let mut digest = parts.typed(SEQUENCE)?.values();
            let algorithm = Algorithm::read(digest.next()?)?;
            let code = digest.typed(OCTETS)?.body;
            let salt = parts.typed(OCTETS)?.body;
            Some((algorithm.oid, code, salt, parts.next().map_or(Some(1), number)?))
        };
        let (algorithm, code, salt, rounds) = malformed(read())?;
        let hash = Hash::of(&algorithm).ok_or(UNKNOWN)?;
        self.spend(rounds)?;
        let algorithm = match hash {
            Hash::Sha1 => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            Hash::Sha224 => hmac::HMAC_SHA224,
            Hash::Sha256 => hmac::HMAC_SHA256,
            Hash::Sha384 => hmac::HMAC_SHA384,
            Hash::Sha512 => hmac::HMAC_SHA512,
        };
        let is_right = |wide: &[u8]| {
            let key = derive(hash, Purpose::Integrity, (wide, salt, rounds), hash.digest(&[]).len());
            hmac::verify(&hmac::Key::new(algorithm, &key), safe, code).is_ok()
        };
        if is_right(&self.wide) {
            return Ok(());
        }
        // No password is written in two ways.
        if self.password.is_empty() && is_right(&[]) {
            self.wide = Vec::new();
            return Ok(());
        }
        Err(BadKey::WrongPassword)
    }

    fn spend(&mut self, rounds: u32) -> Result<(), BadKey> {
        let left = self.left.checked_sub(rounds);
        self.left = left.ok_or(BadKey::Unreadable("its password is stretched too often"))?;
        Ok(())
    }

    /// Reads one of the parts, of which some are encrypted.
    fn safe(&mut self, info: Value<'_>) -> Result<(), BadKey> {
        let mut parts = malformed(info.with(SEQUENCE))?.values();
        let kind = malformed(parts.next().and_then(Value::oid))?;
        let content = malformed(parts.typed(0xa0).and_then(|content| Value::only(content.body)))?;
        match kind.as_str() {
            DATA => self.bags(malformed(content.with(OCTETS))?.body),
            ENCRYPTED => {
                let read = || {
                    let mut data = content.with(SEQUENCE)?.values();
                    data.typed(INTEGER)?;
                    let mut content = data.typed(SEQUENCE)?.values();
                    content.next()?;
                    let algorithm = Algorithm::read(content.next()?)?;
                    Some((algorithm, octets(content.next()?)?))
                };
                let (algorithm, encrypted) = malformed(read())?;
                let plain = self.decrypt(&algorithm, encrypted)?;
                self.bags(&plain)
            }
            _ => Err(UNKNOWN),
        }
    }

    fn bags(&mut self, content: &[u8]) -> Result<(), BadKey> {
        let der = malformed(to_der(content))?;
        for bag in malformed(Value::only(&der).and_then(|list| list.with(SEQUENCE)))?.values() {
            let mut parts = malformed(bag.with(SEQUENCE))?.values();
            let kind = malformed(parts.next().and_then(Value::oid))?;
            let value = malformed(parts.typed(0xa0).and_then(|value| Value::only(value.body)))?;
            match kind.as_str() {
                KEY => self.contents.keys.push(value.whole.to_vec()),
                SHROUDED_KEY => {
                    let read = || {
                        let mut parts = value.with(SEQUENCE)?.values();
                        Some((Algorithm::read(parts.next()?)?, parts.typed(OCTETS)?.body.to_vec()))
                    };
                    let (algorithm, encrypted) = malformed(read())?;
                    let key = self.decrypt(&algorithm, encrypted)?;
                    self.contents.keys.push(key);
                }
                CERTIFICATE => {
                    let mut parts = value.values();
                    let kind = malformed(parts.next().and_then(Value::oid))?;
                    let der = parts.typed(0xa0).and_then(|der| Some(Value::only(der.body)?.with(OCTETS)?.body));
                    if kind == X509 {
                        self.contents.certificates.push(malformed(der)?.to_vec());
                    }
                }
                // Revocation lists, secrets and the like.
                _ => {}
            }
            if self.contents.keys.len() + self.contents.certificates.len() > MOST_BAGS {
                return Err(BadKey::Unreadable("it has too many certificates"));
            }
        }
        Ok(())
    }

    fn decrypt(&mut self, algorithm: &Algorithm<'_>, encrypted: Vec<u8>) -> Result<Vec<u8>, BadKey> {
        let parameters = malformed(algorithm.parameters.and_then(|value| value.with(SEQUENCE)))?;
        if algorithm.oid == PBES2 {
            return self.decrypt_new(parameters, encrypted);
        }
        let mut parts = parameters.values();
        let mut read = || Some((parts.typed(OCTETS)?.body, number(parts.next()?)?));
        let (salt, rounds) = malformed(read())?;
        self.spend(rounds.saturating_mul(2))?;
        let part = |purpose, length| derive(Hash::Sha1, purpose, (&self.wide, salt, rounds), length);
        let vector = part(Purpose::Vector, 8);
        let plain = match algorithm.oid.as_str() {
            "1.2.840.113549.1.12.1.3" => des::TdesEde3::new_from_slice(&part(Purpose::Encryption, 24))
                .ok()
                .and_then(|cipher| unpad(cipher, &vector, encrypted)),
            "1.2.840.113549.1.12.1.5" => rc2(&part(Purpose::Encryption, 16), &vector, encrypted),
            "1.2.840.113549.1.12.1.6" => rc2(&part(Purpose::Encryption, 5), &vector, encrypted),
            _ => return Err(UNKNOWN),
        };
        plain.ok_or(BadKey::WrongPassword)
    }

    /// Decrypts by PBES2: PBKDF2 and AES.
    fn decrypt_new(&mut self, parameters: Value<'_>, mut encrypted: Vec<u8>) -> Result<Vec<u8>, BadKey> {
        let mut parts = parameters.values();
        let mut read = || Some((Algorithm::read(parts.next()?)?, Algorithm::read(parts.next()?)?));
        let (derivation, cipher) = malformed(read())?;
        if derivation.oid != PBKDF2 {
            return Err(UNKNOWN);
        }
        let mut parts = malformed(derivation.parameters)?.values();
        let mut read = || Some((parts.typed(OCTETS)?.body, number(parts.typed(INTEGER)?)?));
        let (salt, rounds) = malformed(read())?;
        parts.optional(INTEGER);
        let function = parts.next().and_then(Algorithm::read).map(|function| function.oid);
        let function = match function.as_deref() {
            None | Some("1.2.840.113549.2.7") => pbkdf2::PBKDF2_HMAC_SHA1,
            Some("1.2.840.113549.2.9") => pbkdf2::PBKDF2_HMAC_SHA256,
            Some("1.2.840.113549.2.10") => pbkdf2::PBKDF2_HMAC_SHA384,
            Some("1.2.840.113549.2.11") => pbkdf2::PBKDF2_HMAC_SHA512,
            Some(_) => return Err(UNKNOWN),
        };
        let (cipher_of, length) = match cipher.oid.as_str() {
            "2.16.840.1.101.3.4.1.2" => (&AES_128, 16),
            "2.16.840.1.101.3.4.1.22" => (&AES_192, 24),
            "2.16.840.1.101.3.4.1.42" => (&AES_256, 32),
            _ => return Err(UNKNOWN),
        };
        let vector = malformed(cipher.parameters.and_then(|vector| vector.with(OCTETS)))?.body;
        let vector = malformed(FixedLength::<16>::try_from(vector).ok())?;
        self.spend(rounds)?;
        let rounds = malformed(std::num::NonZeroU32::new(rounds))?;
        let mut key = vec![0; length];
        pbkdf2::derive(function, rounds, salt, self.password.as_bytes(), &mut key);
        let decrypt = || {
            let key = PaddedBlockDecryptingKey::cbc_pkcs7(UnboundCipherKey::new(cipher_of, &key).ok()?).ok()?;
            Some(key.decrypt(&mut encrypted, DecryptionContext::Iv128(vector)).ok()?.to_vec())
        };
        decrypt().ok_or(BadKey::WrongPassword)
    }
}

fn rc2(key: &[u8], vector: &[u8], encrypted: Vec<u8>) -> Option<Vec<u8>> {
    unpad(rc2::Rc2::new_with_eff_key_len(key, key.len() * 8), vector, encrypted)
}

fn unpad<C>(cipher: C, vector: &[u8], mut encrypted: Vec<u8>) -> Option<Vec<u8>>
where
    C: cbc::cipher::BlockCipherDecrypt,
{
    let decryptor = cbc::Decryptor::<C>::inner_iv_slice_init(cipher, vector).ok()?;
    Some(decryptor.decrypt_padded::<Pkcs7>(&mut encrypted).ok()?.to_vec())
}

/// The bytes of an implicit octet string, which may be in parts.
fn octets(value: Value<'_>) -> Option<Vec<u8>> {
    match value.tag {
        0x80 => Some(value.body.to_vec()),
        0xa0 => Some(Values(value.body).flat_map(|part| part.body.iter().copied()).collect()),
        _ => None,
    }
}

/// A count of rounds.
fn number(value: Value<'_>) -> Option<u32> {
    let digits = value.with(INTEGER)?.body;
    let is_sound = digits.len() <= 5 && digits.first().is_some_and(|first| first & 0x80 == 0);
    let number = digits.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    u32::try_from(number).ok().filter(|_| is_sound)
}

/// A key of a password and a salt (RFC 7292, B.2).
fn derive(hash: Hash, purpose: Purpose, (password, salt, rounds): (&[u8], &[u8], u32), length: usize) -> Vec<u8> {
    let block = match hash {
        Hash::Sha1 | Hash::Sha224 | Hash::Sha256 => 64,
        Hash::Sha384 | Hash::Sha512 => 128,
    };
    let diversifier = vec![purpose as u8; block];
    let filled =
        |text: &[u8]| -> Vec<u8> { text.iter().copied().cycle().take(text.len().div_ceil(block) * block).collect() };
    let mut input = [filled(salt), filled(password)].concat();
    let mut key = Vec::with_capacity(length);
    loop {
        let mut digest = hash.digest(&[&diversifier, &input]);
        for _ in 1..rounds {
            digest = hash.digest(&[&digest]);
        }
        key.extend_from_slice(&digest);
        if key.len() >= length {
            key.truncate(length);
            return key;
        }
        let repeated: Vec<u8> = digest.iter().copied().cycle().take(block).collect();
        for part in input.chunks_mut(block) {
            let mut carry = 1;
            for (byte, other) in part.iter_mut().zip(&repeated).rev() {
                let sum = u16::from(*byte) + u16::from(*other) + carry;
                *byte = sum.to_be_bytes()[1];
                carry = sum >> 8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzz_pkcs12() {
        docmill_fuzz::fuzz("pkcs12", &[], |bytes| {
            if let Ok(contents) = open(bytes, "secret") {
                assert!(contents.keys.len() + contents.certificates.len() <= MOST_BAGS);
            }
        });
    }
}
