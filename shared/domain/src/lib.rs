//! The domain: pure functions on values. It reads no clock, environment or network, and knows neither AWS nor HTTP.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod account;
pub mod audit;
pub mod batch;
pub mod breach;
pub mod endpoint_id;
pub mod event;
pub mod font;
pub mod job;
pub mod link;
pub mod nearest;
pub mod page_range;
pub mod paper;
pub mod request;
pub mod request_log;
#[cfg(feature = "schema")]
pub mod sent;
pub mod spreadsheet;
pub mod template;
pub mod time;
pub mod tool;
pub mod upload;
pub mod usage;
pub mod webhook;

use sha2::{Digest, Sha256};

pub use account::{api_key, credits, limits, offer, quota, user};
pub use job::{outcome, queue, source, statistics};
pub use request::{idempotency, steps};
pub use tool::{catalogue, intake, schema};

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 in lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// `1 page`, `2 pages`.
pub fn counted(count: u64, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}
