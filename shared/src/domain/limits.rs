//! The limits of one conversion: enforced by the worker, published in each tool's schema.

use std::time::Duration;

use serde_json::{Value, json};

use super::quota::RateLimit;
use super::request::MAX_BODY_BYTES;
use super::source::{MAX_INLINE_BYTES, MAX_SOURCES};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub source_bytes: u64,
    /// What an archive may unpack to, counted as it streams.
    pub unpacked_bytes: u64,
    pub archive_entries: u64,
    pub output_bytes: u64,
    pub pages: u32,
    pub conversion: Duration,
    pub fetch: Duration,
    pub redirects: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes: 100 << 20,
            unpacked_bytes: 1 << 30,
            archive_entries: 10_000,
            output_bytes: 500 << 20,
            pages: 2_000,
            conversion: Duration::from_secs(120),
            fetch: Duration::from_secs(30),
            redirects: 5,
        }
    }
}

impl Limits {
    /// `metadata.limits` of a tool's schema: sizes in bytes, durations in milliseconds.
    pub fn view(&self, output_retention_hours: u64) -> Value {
        json!({
            "requestBytes": MAX_BODY_BYTES,
            "inlineHtmlBytes": MAX_INLINE_BYTES,
            "sources": MAX_SOURCES,
            "sourceBytes": self.source_bytes,
            "unpackedBytes": self.unpacked_bytes,
            "archiveEntries": self.archive_entries,
            "outputBytes": self.output_bytes,
            "pages": self.pages,
            "conversionMs": millis(self.conversion),
            "fetchMs": millis(self.fetch),
            "redirects": self.redirects,
            "outputRetentionHours": output_retention_hours,
            "createsPerMinute": RateLimit::CREATE.per_minute,
            "createBurst": RateLimit::CREATE.burst,
            "readsPerMinute": RateLimit::READ.per_minute,
            "readBurst": RateLimit::READ.burst,
        })
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
