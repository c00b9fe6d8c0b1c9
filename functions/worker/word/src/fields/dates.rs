//! Dates in the pictures of fields, such as `d MMMM yyyy`.

use jiff::civil::DateTime;

use super::compute::{Left, language};
use super::date_names::{Length, Month, day_of_week, month};
use super::find::Field;

/// What fields of dates may show.
#[derive(Debug)]
pub(super) struct Dates {
    pub(super) now: DateTime,
    /// When the document was saved last.
    pub(super) saved: Option<DateTime>,
    /// Of text that names none.
    pub(super) language: Option<String>,
}

impl Dates {
    pub(super) fn written(&self, field: &Field<'_, '_>) -> Result<String, Left> {
        let moment = if field.instruction.kind == "SAVEDATE" { self.saved.ok_or(Left::Unknown)? } else { self.now };
        let picture = field.instruction.after('@').ok_or(Left::Unknown)?;
        let language = language(field).or(self.language.as_deref()).unwrap_or("en");
        written(moment, picture, language).ok_or(Left::Unknown)
    }
}

/// A moment as the picture says (ECMA-376-1, 17.16.4.1). `None`: it has names, of a language that nobody knows.
fn written(moment: DateTime, picture: &str, language: &str) -> Option<String> {
    let beside = if has_day(picture) { Month::OfDay } else { Month::Alone };
    let mut text = String::new();
    let mut rest = picture;
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            let (quoted, after) = rest.get(1..)?.split_once('\'')?;
            text.push_str(quoted);
            rest = after;
            continue;
        }
        if rest.get(..5).is_some_and(|mark| mark.eq_ignore_ascii_case("am/pm")) {
            text.push_str(if moment.hour() < 12 { "AM" } else { "PM" });
            rest = rest.get(5..)?;
            continue;
        }
        let length = rest.chars().take_while(|letter| *letter == first).count();
        let twelve = (moment.hour() + 11) % 12 + 1;
        let numbers = |number: i16| if length == 1 { number.to_string() } else { format!("{number:02}") };
        let part = match (first, length) {
            ('M', 4..) => month(moment, language, Length::Whole, beside)?,
            ('M', 3) => month(moment, language, Length::Short, beside)?,
            ('d' | 'D', 4..) => day_of_week(moment, language, Length::Whole)?,
            ('d' | 'D', 3) => day_of_week(moment, language, Length::Short)?,
            ('M', _) => numbers(moment.month().into()),
            ('d' | 'D', _) => numbers(moment.day().into()),
            ('y' | 'Y', 1 | 2) => moment.strftime("%y").to_string(),
            ('y' | 'Y', _) => moment.year().to_string(),
            ('H', _) => numbers(moment.hour().into()),
            ('h', _) => numbers(twelve.into()),
            ('m', _) => numbers(moment.minute().into()),
            ('s' | 'S', _) => numbers(moment.second().into()),
            (other, _) if other.is_alphabetic() => return None,
            (other, length) => other.to_string().repeat(length),
        };
        text.push_str(&part);
        rest = rest.get(first.len_utf8() * length..)?;
    }
    Some(text)
}

/// Whether a picture has the number of the day.
fn has_day(picture: &str) -> bool {
    let is_day = |letter: char| matches!(letter, 'd' | 'D');
    let unquoted: String = picture.split('\'').step_by(2).collect();
    unquoted.split(|letter| !is_day(letter)).any(|days| matches!(days.len(), 1 | 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_filled_as_word_does() {
        let moment = jiff::civil::date(2026, 3, 5).at(15, 4, 9, 0);
        let date = |picture: &str| written(moment, picture, "en-US").unwrap();
        assert_eq!(date("dd.MM.yyyy"), "05.03.2026");
        assert_eq!(date("dddd, MMMM d, yy"), "Thursday, March 5, 26");
        assert_eq!(date("h:mm am/pm 'o''clock'"), "3:04 PM oclock");
        assert_eq!(date("HH:mm:ss"), "15:04:09");
        assert_eq!(written(moment, "gg", "en-US"), None);
    }

    #[test]
    fn names_are_in_the_language_of_the_text() {
        let moment = jiff::civil::date(2026, 3, 5).at(15, 4, 9, 0);
        let date = |picture: &str, language: &str| written(moment, picture, language);
        assert_eq!(date("d. MMMM yyyy", "de-DE").unwrap(), "5. März 2026");
        assert_eq!(date("dd MMMM yyyy 'г.'", "ru-RU").unwrap(), "05 марта 2026 г.");
        assert_eq!(date("MMMM yyyy", "ru-RU").unwrap(), "март 2026");
        assert_eq!(date("dddd d MMMM", "fr-FR").unwrap(), "jeudi 5 mars");
        assert_eq!(date("d.M.yyyy", "no language").unwrap(), "5.3.2026");
        assert_eq!(date("d. MMMM yyyy", "no language"), None);
    }
}
