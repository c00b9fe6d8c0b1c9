//! Elements of several pages: times, sizes, durations, states, and links through long lists.

use std::time::Duration;

use docmill_domain::job::{JobStatus, Mistake, Warning};
use docmill_domain::time::Timestamp;
use maud::{Markup, html};
use url::form_urlencoded;

use crate::state::AppState;

/// A time in UTC. `page.js` shows it in the reader's time zone.
pub fn moment(at: Timestamp) -> Markup {
    html! { time datetime=(at) { (at.for_people()) } }
}

/// How long ago a time was: `2 min ago`. The title is the full time, which `page.js` shows in the reader's time zone.
pub fn ago(at: Timestamp, now: Timestamp) -> Markup {
    html! { time datetime=(at) title=(at.for_people()) data-ago { (distance(now.millis_since(at) / 1000)) } }
}

fn distance(seconds: u64) -> String {
    match seconds {
        0..45 => "just now".to_owned(),
        45..3_600 => format!("{} min ago", seconds.div_ceil(60)),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "yesterday".to_owned(),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// A message in which backticks mark code.
pub fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A time that may be missing.
pub fn moment_or(at: Option<Timestamp>, otherwise: &str) -> Markup {
    html! { @match at { Some(at) => (moment(at)), None => span.muted { (otherwise) } } }
}

/// The values separated by commas, or `otherwise` without a list.
pub fn list_or(values: Option<&[String]>, otherwise: &str) -> Markup {
    html! { @match values { Some(values) => { (values.join(", ")) }, None => span.muted { (otherwise) } } }
}

/// A size with one decimal: `1.5 MiB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["bytes", "KiB", "MiB", "GiB"];
    let mut unit = 0;
    let mut divisor = 1u64;
    while unit + 1 < UNITS.len() && count / divisor >= 1024 {
        unit += 1;
        divisor *= 1024;
    }
    if unit == 0 {
        return format!("{count} {}", if count == 1 { "byte" } else { "bytes" });
    }
    // One decimal, rounded, without floating point.
    let tenths = count.saturating_mul(10).saturating_add(divisor / 2) / divisor;
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

/// A duration of so many milliseconds: `1.5 s`.
pub fn millis(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} ms"),
        1_000..60_000 => format!("{}.{} s", count / 1000, count % 1000 / 100),
        _ => format!("{} min {} s", count / 60_000, count % 60_000 / 1000),
    }
}

/// The largest unit that is not zero: `3 days`, `5 hours`, `1 minute`.
pub fn rough(time: Duration) -> String {
    let seconds = time.as_secs();
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// A share in percent with one decimal; `None` if the whole is zero.
pub fn percent(part: u64, whole: u64) -> Option<String> {
    let tenths = part.saturating_mul(1000).saturating_add(whole / 2).checked_div(whole)?;
    Some(format!("{}.{}%", tenths / 10, tenths % 10))
}

/// A state as text with a color.
pub fn status_badge(status: JobStatus) -> Markup {
    let class = match status {
        JobStatus::Queued | JobStatus::Processing => "badge info",
        JobStatus::Completed => "badge success",
        JobStatus::Failed => "badge danger",
        JobStatus::Expired | JobStatus::Canceled | JobStatus::Deleted => "badge",
    };
    html! { span class=(class) { (status.as_str()) } }
}

/// The text of a warning. `fonts`: the page for adding a missing font.
pub fn said(warning: &Warning, fonts: &str) -> Markup {
    let Warning { code, message, detail, pages } = warning;
    html! {
        code { (code) } " " (prose(message))
        @if let Some(pages) = pages { " Pages: " (pages) "." }
        // The message says a number in words.
        @if let Some(detail) = detail.as_deref().filter(|detail| detail.parse::<u64>().is_err()) { br; span.muted { (detail) } }
        @if code == "font_substituted" { br; a href=(fonts) { "Add the font" } }
    }
}

/// The mistakes in a template, each with its place.
pub fn mistakes(details: &[Mistake]) -> Markup {
    html! {
        @if !details.is_empty() {
            ul { @for Mistake { message, place, .. } in details {
                li {
                    @if let Some(page) = place.page { "Page " (page) ": " }
                    @if let Some(line) = place.line { "Line " (line) ": " }
                    @if let Some(address) = place.address() { (address) ": " }
                    (prose(message))
                    @if !place.text.is_empty() { " “" (place.text) "”" }
                }
            } }
        }
    }
}

/// The values of a query.
pub fn query_of(path: &str) -> Vec<(String, String)> {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// The first value with this name.
pub fn value_of<'a>(query: &'a [(String, String)], name: &str) -> Option<&'a str> {
    query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
}

/// One of our paths with a query of the given values.
pub fn with_query(path: &str, values: &[(&str, Option<String>)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in values {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    match query.finish() {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

/// Links to the first and next page of a list, if they exist.
pub fn pager(state: &AppState, label: &str, first: Option<String>, next: Option<String>) -> Markup {
    html! {
        @if first.is_some() || next.is_some() {
            nav.pager aria-label=(label) {
                @if let Some(first) = first { a.button href=(state.link(&first)) { "Newest" } }
                @if let Some(next) = next { a.button href=(state.link(&next)) rel="next" { "Older" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_times_and_shares_are_short() {
        let sizes = [0, 1, 1023, 1024, 1536, 5 << 20, 3 << 30].map(bytes);
        assert_eq!(sizes, ["0 bytes", "1 byte", "1023 bytes", "1.0 KiB", "1.5 KiB", "5.0 MiB", "3.0 GiB"]);
        assert_eq!([0, 999, 1_000, 59_950, 61_000].map(millis), ["0 ms", "999 ms", "1.0 s", "59.9 s", "1 min 1 s"]);
        assert_eq!(
            [1, 59, 60, 7200, 86_400].map(Duration::from_secs).map(rough),
            ["1 second", "59 seconds", "1 minute", "2 hours", "1 day"]
        );
        assert_eq!((percent(0, 0), percent(7, 16).as_deref()), (None, Some("43.8%")));
    }

    #[test]
    fn recent_times_are_distances() {
        assert_eq!(
            [0, 44, 45, 119, 3_599, 7_300, 90_000, 200_000].map(distance),
            ["just now", "just now", "1 min ago", "2 min ago", "60 min ago", "2 h ago", "yesterday", "2 days ago"]
        );
    }

    #[test]
    fn backticks_mark_code() {
        assert_eq!(prose("Set `a<b` now.").into_string(), "Set <code>a&lt;b</code> now.");
    }

    #[test]
    fn a_query_is_read_as_it_was_written() {
        let path = with_query("/app/jobs", &[("status", Some("a&b=c".into())), ("tool", None)]);
        assert_eq!(path, "/app/jobs?status=a%26b%3Dc");
        let query = query_of(&path);
        assert_eq!((value_of(&query, "status"), value_of(&query, "tool")), (Some("a&b=c"), None));
        assert_eq!(with_query("/app/jobs", &[("status", None)]), "/app/jobs");
        assert!(query_of("/app/jobs").is_empty());
    }
}
