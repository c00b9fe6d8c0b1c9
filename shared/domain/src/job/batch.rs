//! The batch that a job belongs to. The ids of a batch's jobs follow from its own.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use super::JobId;
use crate::time::Timestamp;

const PREFIX: &str = "bat_";

/// `bat_` and a UUIDv7, so that ids are sorted by time.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(inline, with = "String", description = "", extend("pattern" = "^bat_[0-9a-f]{32}$"))
)]
pub struct BatchId(Uuid);

impl BatchId {
    /// An id that no batch has: reading it costs as much as reading a real one.
    pub const NONE: Self = Self(Uuid::nil());

    /// The id of a batch that is being created.
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// `None` unless the text is exactly an id.
    pub fn parse(text: &str) -> Option<Self> {
        let id = Self(Uuid::try_parse(text.strip_prefix(PREFIX)?).ok()?);
        (id.to_string() == text).then_some(id)
    }

    /// The id of the job of an item. It is always the same, so that an item becomes one job whoever creates it, and however often
    /// that is tried.
    pub fn job(self, created_at: Timestamp, index: u32) -> JobId {
        let digest = Sha256::digest(format!("{self} {index}"));
        let mut random = [0; 10];
        random.iter_mut().zip(digest).for_each(|(byte, digest)| *byte = digest);
        let millis = u64::try_from(created_at.as_millis()).unwrap_or(0);
        JobId::from(Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }
}

/// The place of a job in its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchPlace {
    /// The batch.
    pub id: BatchId,
    /// The place of the job's item, from 0.
    pub index: u32,
}

impl Default for BatchId {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for BatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0.simple())
    }
}

impl fmt::Debug for BatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for BatchId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BatchId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a batch's id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written() {
        let id = BatchId::new();
        assert_eq!(BatchId::parse(&id.to_string()), Some(id));
        let text = id.to_string();
        for wrong in ["", "bat_", &text[4..], &text[..35], &text.to_uppercase(), &format!("{text}0"), "bat_../x"] {
            assert_eq!(BatchId::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_item_has_one_job_id() {
        let (batch, at) = (BatchId::new(), Timestamp(1_795_176_000_007));
        let job = batch.job(at, 7);
        assert_eq!(batch.job(at, 7), job);
        assert_eq!(job.made_at(), Some(at));
        let ids: std::collections::HashSet<_> = (0..10_000).map(|index| batch.job(at, index)).collect();
        assert_eq!(ids.len(), 10_000);
        assert_ne!(BatchId::new().job(at, 7), job);
    }
}
