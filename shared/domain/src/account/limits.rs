//! The limits of a job and of an account's use. They are enforced by the API and in the worker, and published in each tool's
//! schema.
//!
//! A function's environment sets the maximum. Settings of the service, a plan or a key can only lower it. A job keeps the limits
//! that applied when it was created.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::account::api_key::Mode;
use crate::account::quota::RateLimit;
use crate::time::millis;

/// Largest body of a request as JSON. Forms with files may be larger.
pub const MAX_BODY_BYTES: usize = 1 << 20;
/// Inline content of one request, for all sources together.
pub const MAX_INLINE_BYTES: usize = 512 << 10;
/// Most sources of one job.
const MAX_SOURCES: u64 = 100;

/// What a job and its account may use at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Sources of one job.
    pub sources: u64,
    /// For all sources together.
    pub source_bytes: u64,
    /// The unpacked size of an archive, counted while streaming.
    pub unpacked_bytes: u64,
    /// Files in an archive, such as an office document.
    pub archive_entries: u64,
    /// For all files of the result together.
    pub output_bytes: u64,
    /// Pages of the result, or of what is made on the way to it.
    pub pages: u32,
    /// Time for all steps of a job together, without fetching and storing.
    pub conversion: Duration,
    /// Time for fetching one file.
    pub fetch: Duration,
    /// Redirects that are followed for one file.
    pub redirects: u32,
    /// Jobs of the account that are processed at the same time, for each queue.
    pub running_jobs: u64,
    /// Requests of the account that wait for a job at the same time.
    pub waits: u64,
    /// Size of the uploads that the account may announce per UTC day.
    pub daily_upload_bytes: u64,
    /// How long the account's failed jobs may be processed per UTC day and still be refunded.
    pub daily_refunded: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sources: MAX_SOURCES,
            source_bytes: 100 << 20,
            unpacked_bytes: 1 << 30,
            archive_entries: 10_000,
            output_bytes: 500 << 20,
            pages: 2_000,
            conversion: Duration::from_secs(120),
            fetch: Duration::from_secs(30),
            redirects: 5,
            running_jobs: 15,
            waits: 10,
            daily_upload_bytes: 50 << 30,
            daily_refunded: Duration::from_secs(3600),
        }
    }
}

/// A limit that settings can lower, by its published name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum Limit {
    /// [`Limits::sources`].
    Sources,
    /// [`Limits::source_bytes`].
    SourceBytes,
    /// [`Limits::unpacked_bytes`].
    UnpackedBytes,
    /// [`Limits::archive_entries`].
    ArchiveEntries,
    /// [`Limits::output_bytes`].
    OutputBytes,
    /// [`Limits::pages`].
    Pages,
    /// [`Limits::conversion`], in milliseconds.
    ConversionMs,
    /// [`Limits::fetch`], in milliseconds.
    FetchMs,
    /// [`Limits::redirects`].
    Redirects,
    /// [`Limits::running_jobs`].
    RunningJobs,
    /// [`Limits::waits`].
    Waits,
    /// [`Limits::daily_upload_bytes`].
    DailyUploadBytes,
    /// [`Limits::daily_refunded`], in milliseconds.
    DailyRefundedMs,
}

/// Stored settings name a limit that this version does not have.
#[derive(Debug, thiserror::Error)]
#[error("there is no limit {0:?}")]
pub struct UnknownLimit(String);

impl Limit {
    /// In the order in which they are published.
    pub const ALL: [Self; 13] = [
        Self::Sources,
        Self::SourceBytes,
        Self::UnpackedBytes,
        Self::ArchiveEntries,
        Self::OutputBytes,
        Self::Pages,
        Self::ConversionMs,
        Self::FetchMs,
        Self::Redirects,
        Self::RunningJobs,
        Self::Waits,
        Self::DailyUploadBytes,
        Self::DailyRefundedMs,
    ];

    /// The published name, with its unit.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sources => "sources",
            Self::SourceBytes => "sourceBytes",
            Self::UnpackedBytes => "unpackedBytes",
            Self::ArchiveEntries => "archiveEntries",
            Self::OutputBytes => "outputBytes",
            Self::Pages => "pages",
            Self::ConversionMs => "conversionMs",
            Self::FetchMs => "fetchMs",
            Self::Redirects => "redirects",
            Self::RunningJobs => "runningJobs",
            Self::Waits => "waits",
            Self::DailyUploadBytes => "dailyUploadBytes",
            Self::DailyRefundedMs => "dailyRefundedMs",
        }
    }
}

impl From<Limit> for &'static str {
    fn from(limit: Limit) -> Self {
        limit.as_str()
    }
}

impl TryFrom<String> for Limit {
    type Error = UnknownLimit;

    fn try_from(name: String) -> Result<Self, UnknownLimit> {
        Self::ALL.into_iter().find(|limit| limit.as_str() == name).ok_or(UnknownLimit(name))
    }
}

/// Settings that lower limits. Limits that are not named stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ceilings(BTreeMap<Limit, u64>);

impl Ceilings {
    /// Whether no limit is lowered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In the limit's unit; `None` if it is not lowered.
    pub fn get(&self, limit: Limit) -> Option<u64> {
        self.0.get(&limit).copied()
    }

    /// `None` removes the limit.
    pub fn set(&mut self, limit: Limit, most: Option<u64>) {
        match most {
            Some(most) => self.0.insert(limit, most),
            None => self.0.remove(&limit),
        };
    }

    /// Combines both: the lower limit applies.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (&limit, &most) in &other.0 {
            let lower = self.get(limit).map_or(most, |own| own.min(most));
            self.0.insert(limit, lower);
        }
        self
    }
}

/// Size of the uploads that an account may announce with test keys per UTC day.
const TEST_DAILY_UPLOAD_BYTES: u64 = 1 << 30;

impl Limits {
    /// The daily budget for uploads in this mode.
    pub fn daily_uploads(&self, mode: Mode) -> u64 {
        match mode {
            Mode::Live => self.daily_upload_bytes,
            Mode::Test => self.daily_upload_bytes.min(TEST_DAILY_UPLOAD_BYTES),
        }
    }

    /// Lowers the limits that are above their ceilings, and raises none.
    #[must_use]
    pub fn narrowed_by(mut self, ceilings: &Ceilings) -> Self {
        for (&limit, &most) in &ceilings.0 {
            self.set(limit, most.min(self.get(limit)));
        }
        self
    }

    /// In the unit of the limit's name.
    pub fn get(&self, limit: Limit) -> u64 {
        match limit {
            Limit::Sources => self.sources,
            Limit::SourceBytes => self.source_bytes,
            Limit::UnpackedBytes => self.unpacked_bytes,
            Limit::ArchiveEntries => self.archive_entries,
            Limit::OutputBytes => self.output_bytes,
            Limit::Pages => u64::from(self.pages),
            Limit::ConversionMs => millis(self.conversion),
            Limit::FetchMs => millis(self.fetch),
            Limit::Redirects => u64::from(self.redirects),
            Limit::RunningJobs => self.running_jobs,
            Limit::Waits => self.waits,
            Limit::DailyUploadBytes => self.daily_upload_bytes,
            Limit::DailyRefundedMs => millis(self.daily_refunded),
        }
    }

    fn set(&mut self, limit: Limit, value: u64) {
        match limit {
            Limit::Sources => self.sources = value,
            Limit::SourceBytes => self.source_bytes = value,
            Limit::UnpackedBytes => self.unpacked_bytes = value,
            Limit::ArchiveEntries => self.archive_entries = value,
            Limit::OutputBytes => self.output_bytes = value,
            Limit::Pages => self.pages = u32::try_from(value).unwrap_or(u32::MAX),
            Limit::ConversionMs => self.conversion = Duration::from_millis(value),
            Limit::FetchMs => self.fetch = Duration::from_millis(value),
            Limit::Redirects => self.redirects = u32::try_from(value).unwrap_or(u32::MAX),
            Limit::RunningJobs => self.running_jobs = value,
            Limit::Waits => self.waits = value,
            Limit::DailyUploadBytes => self.daily_upload_bytes = value,
            Limit::DailyRefundedMs => self.daily_refunded = Duration::from_millis(value),
        }
    }

    /// `metadata.limits` of a tool's schema for a key with these rates: sizes in bytes, durations in milliseconds.
    pub fn view(&self, create: RateLimit, read: RateLimit, output_retention_hours: u64) -> Map<String, Value> {
        let fixed = [("requestBytes", json!(MAX_BODY_BYTES)), ("inlineHtmlBytes", json!(MAX_INLINE_BYTES))];
        let settings = Limit::ALL.map(|limit| (limit.as_str(), json!(self.get(limit))));
        let others = [
            ("outputRetentionHours", json!(output_retention_hours)),
            ("createsPerMinute", json!(create.per_minute)),
            ("createBurst", json!(create.burst)),
            ("readsPerMinute", json!(read.per_minute)),
            ("readBurst", json!(read.burst)),
        ];
        fixed.into_iter().chain(settings).chain(others).map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ceilings() -> impl Strategy<Value = Ceilings> {
        prop::collection::btree_map(prop::sample::select(&Limit::ALL[..]), 1..u64::from(u32::MAX), 0..9)
            .prop_map(Ceilings)
    }

    proptest! {
        #[test]
        fn settings_only_lower_limits(service in ceilings(), plan in ceilings(), key in ceilings()) {
            let widest = Limits::default();
            let one_by_one = widest.clone().narrowed_by(&service).narrowed_by(&plan).narrowed_by(&key);
            let together = service.clone().and(&plan).and(&key);
            prop_assert_eq!(&widest.clone().narrowed_by(&together), &one_by_one);
            for limit in Limit::ALL {
                let lowest = [&service, &plan, &key].into_iter().filter_map(|set| set.get(limit)).min();
                let expected = lowest.map_or(widest.get(limit), |lowest| lowest.min(widest.get(limit)));
                prop_assert_eq!(one_by_one.get(limit), expected, "{}", limit.as_str());
            }
        }
    }

    #[test]
    fn settings_are_stored_under_the_published_names() {
        let mut ceilings = Ceilings::default();
        ceilings.set(Limit::Pages, Some(10));
        ceilings.set(Limit::SourceBytes, Some(1 << 20));
        let stored = json!({"sourceBytes": 1_048_576, "pages": 10});
        assert_eq!(serde_json::to_value(&ceilings).unwrap(), stored);
        assert!(serde_json::from_value::<Ceilings>(json!({"glitter": 1})).is_err());

        let published = Limits::default().narrowed_by(&ceilings).view(RateLimit::CREATE, RateLimit::READ, 24);
        assert_eq!((&published["pages"], &published["sourceBytes"]), (&json!(10), &json!(1_048_576)));
        ceilings.set(Limit::Pages, None);
        ceilings.set(Limit::SourceBytes, None);
        assert!(ceilings.is_empty());
    }
}
