//! Times and billing periods as values. Nothing here reads a clock.

use std::fmt;
use std::time::Duration;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize, Serializer};

/// Milliseconds since the Unix epoch, UTC. Stored as a number, shown as RFC 3339 with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// A time as it is sent: RFC 3339, UTC, with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(inline, with = "String", description = "", extend("format" = "date-time"))
)]
pub struct SentTime(pub Timestamp);

impl From<Timestamp> for SentTime {
    fn from(at: Timestamp) -> Self {
        Self(at)
    }
}

impl Serialize for SentTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl Timestamp {
    /// Parses RFC 3339 with any offset. Fractions of a millisecond are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|timestamp| Self(timestamp.as_millisecond()))
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Seconds since the epoch, rounded up, as DynamoDB's TTL attributes need them.
    pub const fn as_ttl_seconds(self) -> i64 {
        self.0.div_euclid(1000) + 1
    }

    /// The time so much later, or the last one there is.
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(saturating_millis(duration)))
    }

    /// The time so much earlier, or the first one there is.
    pub fn minus(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(saturating_millis(duration)))
    }

    /// Milliseconds from `earlier` to `self`, or zero if clock skew puts `earlier` in the future.
    pub fn millis_since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// The UTC month that this moment lies in.
    pub fn period(self) -> Period {
        let date = self.to_utc();
        Period { year: date.year(), month: date.month() }
    }

    /// The UTC day as `YYYY-MM-DD`.
    pub fn day(self) -> String {
        self.to_utc().strftime("%Y-%m-%d").to_string()
    }

    /// The first moment of a UTC day, `YYYY-MM-DD`.
    pub fn of_day(text: &str) -> Option<Self> {
        let day: jiff::civil::Date = text.parse().ok()?;
        // The parser also accepts other forms of a date.
        let midnight = day.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
        Some(Self(midnight.as_millisecond())).filter(|at| at.day() == text)
    }

    /// The UTC day of the month, from 1.
    pub fn day_of_month(self) -> i8 {
        self.to_utc().day()
    }

    /// For people: `20 Nov 2026, 12:00 UTC`.
    pub fn for_people(self) -> String {
        self.to_utc().strftime("%-d %b %Y, %H:%M UTC").to_string()
    }

    /// The UTC day for people: `December 1`.
    pub fn day_for_people(self) -> String {
        self.to_utc().strftime("%B %-d").to_string()
    }

    /// The first moment after a UTC day that is written `YYYY-MM-DD`.
    pub fn end_of_day(day: &str) -> Option<Self> {
        let day = jiff::civil::Date::strptime("%Y-%m-%d", day).ok()?;
        let midnight = day.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?;
        Some(Self(midnight.timestamp().as_millisecond()))
    }

    /// The first moment of the next UTC day.
    pub fn next_day(self) -> Self {
        const DAY_MS: i64 = 86_400_000;
        Self((self.0.div_euclid(DAY_MS) + 1).saturating_mul(DAY_MS))
    }

    fn to_utc(self) -> jiff::Zoned {
        // Only hand-made values are outside jiff's range (year ±9999). They read as the epoch.
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_zoned(TimeZone::UTC)
    }
}

/// Whole milliseconds, the unit of all stored and published durations.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn saturating_millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_utc().strftime("%Y-%m-%dT%H:%M:%S%.3fZ"))
    }
}

/// A UTC month: included credits are given and lapse by the month. Written `YYYY-MM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Period {
    year: i16,
    month: i8,
}

impl Period {
    /// The first moment of the month.
    pub fn start(self) -> Timestamp {
        Self::first_of(self.year, self.month)
    }

    /// The first moment after the period.
    pub fn end(self) -> Timestamp {
        if self.month == 12 {
            Self::first_of(self.year.saturating_add(1), 1)
        } else {
            Self::first_of(self.year, self.month + 1)
        }
    }

    /// The month before.
    pub fn previous(self) -> Self {
        Timestamp(self.start().0.saturating_sub(1)).period()
    }

    /// Its number of days.
    pub fn days(self) -> u8 {
        u8::try_from(self.end().millis_since(self.start()) / 86_400_000).unwrap_or(31)
    }

    /// Both as `YYYY-MM-DD`.
    pub fn first_and_last_day(self) -> (String, String) {
        (self.start().day(), Timestamp(self.end().0.saturating_sub(1)).day())
    }

    /// For people: `November 2026`.
    pub fn for_people(self) -> String {
        self.start().to_utc().strftime("%B %Y").to_string()
    }

    fn first_of(year: i16, month: i8) -> Timestamp {
        let midnight = jiff::civil::Date::new(year, month, 1).and_then(|date| date.to_zoned(TimeZone::UTC));
        Timestamp(midnight.map(|zoned| zoned.timestamp().as_millisecond()).unwrap_or(i64::MAX))
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl std::str::FromStr for Period {
    type Err = InvalidPeriod;

    fn from_str(text: &str) -> Result<Self, InvalidPeriod> {
        let (year, month) = text.split_once('-').ok_or(InvalidPeriod)?;
        let (year, month) = (year.parse().map_err(|_| InvalidPeriod)?, month.parse().map_err(|_| InvalidPeriod)?);
        jiff::civil::Date::new(year, month, 1).map_err(|_| InvalidPeriod)?;
        Ok(Self { year, month })
    }
}

/// The text is no month.
#[derive(Debug, thiserror::Error)]
#[error("a period is written YYYY-MM")]
pub struct InvalidPeriod;

impl Serialize for Period {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_shown_as_rfc_3339_with_milliseconds() {
        assert_eq!(Timestamp(1_795_176_000_007).to_string(), "2026-11-20T12:00:00.007Z");
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn a_period_ends_where_the_next_begins() {
        let december: Period = "2026-12".parse().unwrap();
        assert_eq!(december.end().to_string(), "2027-01-01T00:00:00.000Z");
        assert_eq!(Timestamp(december.end().0 - 1).period(), december);
        assert_eq!(december.end().period().to_string(), "2027-01");
    }

    #[test]
    fn a_ttl_is_never_earlier_than_its_moment() {
        assert_eq!(Timestamp(1_500).as_ttl_seconds(), 2);
    }

    #[test]
    fn a_day_ends_at_midnight_utc() {
        let noon = Timestamp(1_795_176_000_007);
        assert_eq!((noon.day().as_str(), noon.day_of_month()), ("2026-11-20", 20));
        assert_eq!(noon.next_day().to_string(), "2026-11-21T00:00:00.000Z");
    }

    #[test]
    fn months_have_the_right_days_and_previous_month() {
        let of = |text: &str| text.parse::<Period>().unwrap();
        assert_eq!((of("2026-02").days(), of("2028-02").days(), of("2026-12").days()), (28, 29, 31));
        assert_eq!((of("2027-01").previous(), of("2026-11").previous()), (of("2026-12"), of("2026-10")));
        assert_eq!(of("2026-11").for_people(), "November 2026");
    }

    #[test]
    fn a_moment_is_written_for_people_and_a_day_ends_with_itself() {
        assert_eq!(Timestamp(1_795_176_000_007).for_people(), "20 Nov 2026, 12:00 UTC");
        assert_eq!(Timestamp::end_of_day("2026-12-31").unwrap().to_string(), "2027-01-01T00:00:00.000Z");
        for text in ["", "2026-02-30", "31.12.2026", "2026-12-31T10:00", "x"] {
            assert_eq!(Timestamp::end_of_day(text), None, "{text}");
        }
    }

    #[test]
    fn malformed_periods_are_refused() {
        for text in ["2026", "2026-13", "2026-00", "x-1", ""] {
            assert!(text.parse::<Period>().is_err(), "{text}");
        }
    }
}
