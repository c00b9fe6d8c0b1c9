//! The domain: pure functions on values.

pub mod account;
pub mod api_key;
pub mod audit;
pub mod breach;
pub mod catalogue;
pub mod credits;
pub mod event;
pub mod font;
pub mod idempotency;
pub mod intake;
pub mod job;
pub mod limits;
mod nearest;
pub mod offer;
pub mod outcome;
pub mod queue;
pub mod quota;
pub mod request;
pub mod schema;
pub mod signature;
pub mod source;
pub mod statistics;
pub mod steps;
pub mod time;
pub mod tool;
mod unknown;
pub mod upload;
pub mod user;
mod validation;

use sha2::{Digest, Sha256};

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 in lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
