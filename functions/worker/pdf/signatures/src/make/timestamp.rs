//! Time stamps of signatures, asked of an authority (RFC 3161).

use docmill_domain::time::Timestamp;

use super::der::{oid, sequence, value};
use crate::cms::asn1::{BOOLEAN, INTEGER, OCTETS, SEQUENCE, Value, to_der};
use crate::cms::keys::Hash;
use crate::cms::stamp::Stamp;

const VERSION: [u8; 3] = [2, 1, 1];
const NONCE_BYTES: usize = 8;

/// A question to an authority.
#[derive(Debug)]
pub struct Question {
    /// What is sent, as `application/timestamp-query`.
    pub der: Vec<u8>,
    nonce: Vec<u8>,
    signature: Vec<u8>,
}

/// A time stamp of a signature.
#[derive(Clone, Debug)]
pub struct Token {
    /// As it goes into the signature.
    pub der: Vec<u8>,
    /// When it was made.
    pub time: Timestamp,
}

/// Why an answer is no time stamp of the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadStamp {
    /// It is no answer to such a question.
    #[error("its answer can't be read")]
    Unreadable,
    /// The authority has refused.
    #[error("it has refused the request")]
    Refused,
    /// It answers another question.
    #[error("its time stamp is of something else")]
    OfAnother,
    /// Its signature is wrong, weak, or of a certificate that is not for time stamps.
    #[error("the signature of its time stamp can't be verified")]
    NotIntact,
}

impl Question {
    /// A question for a time stamp of this signature. `None` if there are no random numbers.
    pub fn new(signature: &[u8]) -> Option<Self> {
        let mut nonce = [0; NONCE_BYTES];
        aws_lc_rs::rand::fill(&mut nonce).ok()?;
        // A positive number that needs all of its bytes.
        if let Some(first) = nonce.first_mut() {
            *first = *first & 0x7f | 0x40;
        }
        let algorithm = sequence(&[&oid(Hash::Sha256.oid()), &[5, 0]]);
        let imprint = sequence(&[&algorithm, &value(OCTETS, &[&Hash::Sha256.digest(&[signature])])]);
        let with_certificate = value(BOOLEAN, &[&[0xff]]);
        let der = sequence(&[&VERSION, &imprint, &value(INTEGER, &[&nonce]), &with_certificate]);
        Some(Self { der, nonce: nonce.to_vec(), signature: signature.to_vec() })
    }

    /// The time stamp in an answer.
    ///
    /// # Errors
    /// If the answer is not a time stamp of the signature, made for this question, whose own signature is right.
    pub fn accept(&self, answer: &[u8]) -> Result<Token, BadStamp> {
        let answer = to_der(answer).ok_or(BadStamp::Unreadable)?;
        let read = || {
            let mut parts = Value::only(&answer)?.with(SEQUENCE)?.values();
            let status = parts.typed(SEQUENCE)?.values().typed(INTEGER)?.body;
            Some((status, parts.next()))
        };
        let (status, token) = read().ok_or(BadStamp::Unreadable)?;
        // Granted, or granted with changes.
        let ([0 | 1], Some(token)) = (status, token) else { return Err(BadStamp::Refused) };
        let stamp = Stamp::read(token.whole).ok_or(BadStamp::Unreadable)?;
        let signature: &[&[u8]] = &[&self.signature];
        if stamp.nonce != Some(&self.nonce) || !stamp.is_of(signature) {
            return Err(BadStamp::OfAnother);
        }
        let checked = stamp.check(signature, &[], &[]);
        if !checked.is_intact {
            return Err(BadStamp::NotIntact);
        }
        Ok(Token { der: token.whole.to_vec(), time: checked.time })
    }
}
