//! Fields in texts: the page's number, the date, and numbers that go on across documents.

use std::collections::HashMap;

use docmill_domain::time::Timestamp;
use docmill_pdf_request::Failure;
use jiff::tz::TimeZoneDatabase;

use super::options::{Bates, DateStyle, FieldStyle};
use super::refuse;

/// What the fields of a stamp show.
pub(super) struct Fields {
    pages: String,
    date: String,
    bates: Bates,
}

impl Fields {
    pub(super) fn new(style: &FieldStyle, now: Timestamp, pages: usize, path: &str) -> Result<Self, Failure> {
        Ok(Self { pages: pages.to_string(), date: date(&style.date, now, path)?, bates: style.bates.clone() })
    }

    /// The text for each of these pages, counted from 0. Bates numbers count these pages only.
    pub(super) fn fill(&self, text: &str, chosen: &[u32]) -> Vec<String> {
        let text = text.replace("{pages}", &self.pages).replace("{date}", &self.date);
        let filled = |(index, page): (u64, &u32)| {
            let text = text.replace("{page}", &(page + 1).to_string());
            if text.contains("{bates}") { text.replace("{bates}", &self.bates.number(index)) } else { text }
        };
        (0..).zip(chosen).map(filled).collect()
    }
}

impl Bates {
    fn number(&self, index: u64) -> String {
        let Self { prefix, suffix, digits, start } = self;
        format!("{prefix}{:0digits$}{suffix}", start.saturating_add(index))
    }
}

fn date(style: &DateStyle, now: Timestamp, path: &str) -> Result<String, Failure> {
    let zone = TimeZoneDatabase::bundled()
        .get(&style.time_zone)
        .map_err(|_| refuse(format!("`{path}date.timeZone` is no time zone. Use e.g. `Europe/Vienna`.")))?;
    let now = jiff::Timestamp::from_millisecond(now.as_millis()).unwrap_or_default().to_zoned(zone);
    jiff::fmt::strtime::format(&style.format, &now)
        .map_err(|_| refuse(format!("`{path}date.format` is no pattern of dates. Use e.g. `%d.%m.%Y`.")))
}

/// The different texts among these, and for each of these the place of its own.
pub(super) fn distinct(texts: Vec<String>) -> (Vec<String>, Vec<usize>) {
    let (mut distinct, mut places) = (Vec::new(), HashMap::new());
    let indices = texts
        .into_iter()
        .map(|text| {
            *places.entry(text.clone()).or_insert_with(|| {
                distinct.push(text);
                distinct.len() - 1
            })
        })
        .collect();
    (distinct, indices)
}
