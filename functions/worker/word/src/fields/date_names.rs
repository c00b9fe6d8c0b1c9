//! Names of months and days of the week, in the language of the text around them.

use std::fmt;

use icu_calendar::{Date, Iso};
use icu_datetime::fieldsets::{E, M, MD};
use icu_datetime::{DateTimeFormatter, parts};
use icu_locale_core::Locale;
use jiff::civil::DateTime;
use writeable::{Part, PartsWrite, Writeable};

/// How much of a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Whole,
    Short,
}

/// Whether a month stands beside the number of its day: some languages write it in the genitive then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Month {
    OfDay,
    Alone,
}

/// `None` if nobody knows the language.
pub(super) fn month(moment: DateTime, language: &str, length: Length, month: Month) -> Option<String> {
    let (locale, date) = (Locale::try_from_str(language).ok()?, iso(moment)?);
    // A macro, because each set of fields makes a formatter of its own type.
    macro_rules! part {
        ($fields:expr) => {
            only(parts::MONTH, &DateTimeFormatter::try_new(locale.clone().into(), $fields).ok()?.format(&date))
        };
    }
    let beside = match (month, length) {
        (Month::OfDay, Length::Whole) => part!(MD::long()),
        (Month::OfDay, Length::Short) => part!(MD::medium()),
        (Month::Alone, _) => String::new(),
    };
    // In Chinese, beside a day, the month is a number.
    if beside.chars().any(char::is_alphabetic) {
        return Some(beside);
    }
    let alone = match length {
        Length::Whole => part!(M::long()),
        Length::Short => part!(M::medium()),
    };
    Some(alone).filter(|name| !name.is_empty())
}

/// `None` if nobody knows the language.
pub(super) fn day_of_week(moment: DateTime, language: &str, length: Length) -> Option<String> {
    let (locale, date) = (Locale::try_from_str(language).ok()?, iso(moment)?);
    let fields = match length {
        Length::Whole => E::long(),
        Length::Short => E::short(),
    };
    let name = only(parts::WEEKDAY, &DateTimeFormatter::try_new(locale.into(), fields).ok()?.format(&date));
    Some(name).filter(|name| !name.is_empty())
}

fn iso(moment: DateTime) -> Option<Date<Iso>> {
    let (month, day) = (u8::try_from(moment.month()).ok()?, u8::try_from(moment.day()).ok()?);
    Date::try_new_iso(moment.year().into(), month, day).ok()
}

/// What a formatter writes for one part of a date.
fn only(part: Part, written: &impl Writeable) -> String {
    let mut sink = Only { part, is_inside: false, text: String::new() };
    // Writing to a text does not fail.
    if written.write_to_parts(&mut sink).is_err() { String::new() } else { sink.text }
}

struct Only {
    part: Part,
    is_inside: bool,
    text: String,
}

impl fmt::Write for Only {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.is_inside {
            self.text.push_str(text);
        }
        Ok(())
    }
}

impl PartsWrite for Only {
    type SubPartsWrite = Self;

    fn with_part(&mut self, part: Part, mut write: impl FnMut(&mut Self) -> fmt::Result) -> fmt::Result {
        let before = self.is_inside;
        self.is_inside |= part == self.part;
        let written = write(self);
        self.is_inside = before;
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_language() {
        let moment = jiff::civil::date(2026, 3, 5).at(0, 0, 0, 0);
        let of_day = |language| month(moment, language, Length::Whole, Month::OfDay).unwrap();
        assert_eq!(of_day("de-DE"), "März");
        assert_eq!(of_day("fr-FR"), "mars");
        assert_eq!(of_day("ru-RU"), "марта");
        assert_eq!(of_day("pl-PL"), "marca");
        assert_eq!(of_day("es-ES"), "marzo");
        assert_eq!(of_day("zh-CN"), "三月");
        assert_eq!(month(moment, "ru-RU", Length::Whole, Month::Alone).unwrap(), "март");
        assert_eq!(month(moment, "en-US", Length::Short, Month::OfDay).unwrap(), "Mar");
        assert_eq!(day_of_week(moment, "de-DE", Length::Whole).unwrap(), "Donnerstag");
        assert_eq!(day_of_week(moment, "en-GB", Length::Short).unwrap(), "Thu");
        assert_eq!(month(moment, "not a language", Length::Whole, Month::Alone), None);
    }
}
