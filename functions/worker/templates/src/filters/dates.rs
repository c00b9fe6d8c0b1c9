//! Dates and times as a locale writes them.

use icu_calendar::{Date, Iso};
use icu_datetime::fieldsets::{T, YMD, YMDE};
use icu_datetime::options::Length;
use icu_datetime::{DateTimeFormatter, NoCalendarFormatter};
use icu_locale_core::Locale;
use icu_time::{DateTime, Time};
use jiff::Timestamp;
use jiff::civil;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde_json::Value;

use crate::problem::{Failure, Fault};
use crate::value::kind_of;

/// Longest pattern.
const PATTERN_BYTES: usize = 200;

#[derive(Debug)]
pub(super) struct Dates {
    locale: Locale,
    zone: TimeZone,
}

/// What is written of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Date,
    Time,
    Both,
}

#[derive(Clone, Copy)]
enum Style {
    Length(Length),
    /// The longest, with the day of the week.
    Full,
}

impl Dates {
    pub(super) fn new(locale: Locale, zone: &str) -> Result<Self, Failure> {
        let zone = TimeZoneDatabase::bundled()
            .get(zone)
            .map_err(|_| Failure::Options(format!("`{zone}` is not a time zone. Use e.g. `Europe/Vienna`.")))?;
        Ok(Self { locale, zone })
    }

    /// `style` is a length (`short`, `medium`, `long`, `full`), `iso`, or a pattern with `%`.
    pub(super) fn format(&self, value: &Value, style: Option<&Value>, shape: Shape) -> Result<String, Fault> {
        let moment = self.moment(value)?;
        let style = match style {
            None => Style::Length(Length::Medium),
            Some(Value::String(name)) => match name.as_str() {
                "short" => Style::Length(Length::Short),
                "medium" => Style::Length(Length::Medium),
                "long" => Style::Length(Length::Long),
                "full" => Style::Full,
                "iso" => return Ok(iso(moment, shape)),
                pattern if pattern.contains('%') && pattern.len() <= PATTERN_BYTES => return strftime(moment, pattern),
                _ => return Err(wrong_style()),
            },
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                return Err(wrong_style());
            }
        };
        self.localized(moment, style, shape)
    }

    /// A date without an offset is taken as it is; a moment with one is brought into the time zone.
    pub(super) fn moment(&self, value: &Value) -> Result<civil::DateTime, Fault> {
        let text = value.as_str().ok_or_else(|| {
            Fault::unusable(format!("A date such as `2026-11-25` is needed, but the value is {}.", kind_of(value)))
        })?;
        let text = text.trim();
        if let Ok(timestamp) = text.parse::<Timestamp>() {
            return Ok(self.zone.to_datetime(timestamp));
        }
        if let Ok(time) = text.parse::<civil::Time>()
            && !text.contains('-')
        {
            return Ok(civil::date(2000, 1, 1).to_datetime(time));
        }
        text.parse::<civil::DateTime>()
            .map_err(|_| Fault::unusable("The value is not a date as in `2026-11-25` or `2026-11-25T14:30:00Z`."))
    }

    fn localized(&self, moment: civil::DateTime, style: Style, shape: Shape) -> Result<String, Fault> {
        let (date, time) = (icu_date(moment)?, icu_time(moment)?);
        let both = DateTime { date, time };
        let length = match style {
            Style::Length(length) => length,
            Style::Full => Length::Long,
        };
        let locale = || self.locale.clone().into();
        // A macro, because each set of fields makes a formatter of its own type.
        macro_rules! formatted {
            ($formatter:ident, $fields:expr, $moment:expr) => {
                $formatter::try_new(locale(), $fields)
                    .map(|formatter| formatter.format($moment).to_string())
                    .map_err(|_| Fault::invalid("Dates can't be written in this locale."))
            };
        }
        match (shape, style) {
            (Shape::Date, Style::Length(_)) => formatted!(DateTimeFormatter, YMD::for_length(length), &both),
            (Shape::Date, Style::Full) => formatted!(DateTimeFormatter, YMDE::for_length(length), &both),
            (Shape::Both, Style::Length(_)) => {
                formatted!(DateTimeFormatter, YMD::for_length(length).with_time_hm(), &both)
            }
            (Shape::Both, Style::Full) => formatted!(DateTimeFormatter, YMDE::for_length(length).with_time_hm(), &both),
            (Shape::Time, Style::Length(Length::Long) | Style::Full) => {
                formatted!(NoCalendarFormatter, T::hms(), &time)
            }
            (Shape::Time, Style::Length(_)) => formatted!(NoCalendarFormatter, T::hm(), &time),
        }
    }
}

fn wrong_style() -> Fault {
    Fault::invalid("A date's style is `short`, `medium`, `long`, `full`, `iso`, or a pattern such as `%d.%m.%Y`.")
}

fn iso(moment: civil::DateTime, shape: Shape) -> String {
    match shape {
        Shape::Date => moment.date().to_string(),
        Shape::Time => moment.time().to_string(),
        Shape::Both => moment.to_string(),
    }
}

fn strftime(moment: civil::DateTime, pattern: &str) -> Result<String, Fault> {
    jiff::fmt::strtime::format(pattern, moment)
        .map_err(|_| Fault::invalid(format!("`{pattern}` is not a date pattern.")))
}

fn icu_date(moment: civil::DateTime) -> Result<Date<Iso>, Fault> {
    let part = |number: i8| u8::try_from(number).unwrap_or(1);
    Date::try_new_iso(moment.year().into(), part(moment.month()), part(moment.day()))
        .map_err(|_| Fault::unusable("The date is out of range."))
}

fn icu_time(moment: civil::DateTime) -> Result<Time, Fault> {
    let part = |number: i8| u8::try_from(number).unwrap_or(0);
    Time::try_new(part(moment.hour()), part(moment.minute()), part(moment.second()), 0)
        .map_err(|_| Fault::unusable("The time is out of range."))
}
