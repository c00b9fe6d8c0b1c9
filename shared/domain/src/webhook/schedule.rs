//! When a delivery is tried.

use std::time::Duration;

use crate::time::Timestamp;

const HOUR: u64 = 3600;
/// Seconds between the tries of a delivery. The first is at once.
const PAUSES: [u64; 9] = [5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/// Most tries of a delivery.
pub const MOST_TRIES: u32 = 10;
/// The longest time that a receiver can ask for with `Retry-After`.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(24 * HOUR);
/// Each pause is longer or shorter by up to this part, so that the deliveries of an outage don't come all at once.
const JITTER: f64 = 0.2;

/// When to try again after `tries` have failed; `None` after the last one. `random`: from 0 to 1. `retry_after`: what the receiver
/// asked for.
pub fn next_try(tries: u32, now: Timestamp, retry_after: Option<Duration>, random: f64) -> Option<Timestamp> {
    let pause = PAUSES.get(usize::try_from(tries).ok()?.checked_sub(1)?)?;
    let factor = 1.0 + JITTER * (2.0 * random.clamp(0.0, 1.0) - 1.0);
    let pause = Duration::from_secs(*pause).mul_f64(factor);
    let asked_for = retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER);
    Some(now.plus(pause.max(asked_for)))
}

/// The seconds of a `Retry-After` header (RFC 9110 § 10.2.3), which is a number or a date.
pub fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(value.trim()).ok()?;
    Some(Duration::from_millis(Timestamp(date.timestamp().as_millisecond()).millis_since(now)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp(1_795_176_000_000);

    fn pause(tries: u32, retry_after: Option<u64>, random: f64) -> Option<u64> {
        next_try(tries, NOW, retry_after.map(Duration::from_secs), random).map(|at| at.millis_since(NOW) / 1000)
    }

    #[test]
    fn ten_tries_take_about_three_days() {
        let pauses: Vec<_> = (1..MOST_TRIES).map(|tries| pause(tries, None, 0.5).unwrap()).collect();
        assert_eq!(pauses, [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
        assert_eq!(pause(MOST_TRIES, None, 0.5), None);
        assert_eq!((pause(0, None, 0.5), pause(u32::MAX, None, 0.5)), (None, None));
    }

    #[test]
    fn a_receiver_can_ask_for_more_time_but_not_for_less_or_for_days() {
        assert_eq!(pause(1, Some(60), 0.5), Some(60));
        assert_eq!(pause(2, Some(60), 0.5), Some(300));
        assert_eq!(pause(1, Some(1_000_000), 0.5), Some(86_400));
    }

    #[test]
    fn retry_after_is_a_number_or_a_date() {
        assert_eq!(retry_after(" 120 ", NOW), Some(Duration::from_secs(120)));
        assert_eq!(retry_after("Fri, 20 Nov 2026 12:01:00 GMT", NOW), Some(Duration::from_secs(60)));
        assert_eq!(retry_after("Fri, 20 Nov 2026 11:00:00 GMT", NOW), Some(Duration::ZERO));
        for text in ["", "soon", "-1", "1.5"] {
            assert_eq!(retry_after(text, NOW), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn pauses_vary_by_a_fifth(tries in 1u32..MOST_TRIES, random in 0.0f64..=1.0) {
            let middle = pause(tries, None, 0.5).unwrap();
            let varied = pause(tries, None, random).unwrap();
            prop_assert!(varied >= middle * 4 / 5 && varied <= middle * 6 / 5);
        }
    }
}
