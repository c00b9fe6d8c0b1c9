//! Numbers as a workbook shows them, by the codes of its formats.

use jiff::civil::{DateTime, Weekday, date};
use jiff::{Span, ToSpan};

/// What a code is made of.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Literal(String),
    /// `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    /// The least digits of the exponent.
    Exponent(usize),
    /// Letters of a date or time, such as `yyyy`.
    Date(char, usize),
    /// `[h]`: all hours, not only those of the day.
    Elapsed(char),
    HalfDay,
    General,
    Text,
    Fraction,
}

#[derive(Debug, Default)]
struct Section {
    tokens: Vec<Token>,
    condition: Option<(String, f64)>,
}

/// The text of a number. `from_1904`: days are counted from there.
pub(super) fn show(value: f64, code: &str, from_1904: bool) -> String {
    let sections: Vec<_> = split(code).iter().map(|section| parse(section)).collect();
    let Some((section, is_absolute)) = chosen(&sections, value) else { return general(value) };
    let tokens = section.tokens.as_slice();
    let shown = if is_absolute { value.abs() } else { value };
    let is_date = |token: &Token| matches!(token, Token::Date(..) | Token::Elapsed(_) | Token::HalfDay);
    if tokens.iter().any(is_date) {
        return date_text(value, tokens, from_1904).unwrap_or_else(|| general(value));
    }
    if tokens.contains(&Token::Fraction) || tokens.is_empty() && code.is_empty() {
        return general(value);
    }
    if tokens.iter().any(|token| matches!(token, Token::General | Token::Text)) {
        let text = |token: &Token| match token {
            Token::Literal(text) => text.clone(),
            Token::General | Token::Text => general(shown),
            Token::Percent => "%".to_owned(),
            Token::Digit(_)
            | Token::Point
            | Token::Comma
            | Token::Exponent(_)
            | Token::Date(..)
            | Token::Elapsed(_)
            | Token::HalfDay
            | Token::Fraction => String::new(),
        };
        return tokens.iter().map(text).collect();
    }
    number_text(shown, tokens)
}

/// The section for a value, and whether it shows values without their sign.
fn chosen(sections: &[Section], value: f64) -> Option<(&Section, bool)> {
    if sections.iter().any(|section| section.condition.is_some()) {
        let holds =
            |section: &&Section| section.condition.as_ref().is_none_or(|(sign, than)| compare(value, sign, *than));
        return sections.iter().find(holds).map(|section| (section, false));
    }
    match sections {
        [] => None,
        [all] => Some((all, false)),
        [positive, negative] => Some(if value < 0.0 { (negative, true) } else { (positive, false) }),
        [positive, negative, zero, ..] => Some(if value < 0.0 {
            (negative, true)
        } else if value == 0.0 {
            (zero, false)
        } else {
            (positive, false)
        }),
    }
}

fn compare(value: f64, sign: &str, than: f64) -> bool {
    match sign {
        "<" => value < than,
        "<=" => value <= than,
        ">" => value > than,
        ">=" => value >= than,
        "=" => value == than,
        "<>" => value != than,
        _ => false,
    }
}

/// The sections of a code, between semicolons that are not quoted.
fn split(code: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for character in code.chars() {
        if character == ';' && !quoted && !escaped {
            sections.push(String::new());
            continue;
        }
        if character == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = character == '\\' && !escaped;
        if let Some(last) = sections.last_mut() {
            last.push(character);
        }
    }
    sections
}

fn parse(code: &str) -> Section {
    let mut section = Section::default();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        let lower = rest.to_ascii_lowercase();
        let (token, length) = match first {
            '"' => {
                let text = after.split('"').next().unwrap_or_default();
                (Some(Token::Literal(text.to_owned())), text.len() + 2)
            }
            '\\' | '_' | '*' => {
                let next = after.chars().next();
                let text = match (first, next) {
                    ('\\', Some(next)) => next.to_string(),
                    ('_', Some(_)) => " ".to_owned(),
                    _ => String::new(),
                };
                (Some(Token::Literal(text)), 1 + next.map_or(0, char::len_utf8))
            }
            '[' => {
                let inner = after.split(']').next().unwrap_or_default();
                (bracketed(inner, &mut section), inner.len() + 2)
            }
            '0' | '#' | '?' => (Some(Token::Digit(first)), 1),
            '.' => (Some(Token::Point), 1),
            ',' => (Some(Token::Comma), 1),
            '%' => (Some(Token::Percent), 1),
            '@' => (Some(Token::Text), 1),
            '/' if is_fraction(&section.tokens, after) => (Some(Token::Fraction), 1),
            _ if lower.starts_with("general") => (Some(Token::General), 7),
            _ if lower.starts_with("am/pm") => (Some(Token::HalfDay), 5),
            _ if lower.starts_with("a/p") => (Some(Token::HalfDay), 3),
            'E' | 'e' if after.starts_with(['+', '-']) => {
                let digits = after.chars().skip(1).take_while(|digit| *digit == '0').count();
                (Some(Token::Exponent(digits)), 2 + digits)
            }
            'y' | 'm' | 'd' | 'h' | 's' | 'Y' | 'M' | 'D' | 'H' | 'S' => {
                let letter = first.to_ascii_lowercase();
                let count = lower.chars().take_while(|other| *other == letter).count();
                (Some(Token::Date(letter, count)), count)
            }
            _ => (Some(Token::Literal(first.to_string())), first.len_utf8()),
        };
        section.tokens.extend(token);
        rest = rest.get(length..).unwrap_or_default();
    }
    section
}

/// `# ?/?`: digits, and not a date such as `d/m`, stand around it.
fn is_fraction(before: &[Token], after: &str) -> bool {
    matches!(before.last(), Some(Token::Digit(_))) && after.starts_with(['0', '#', '?', '1', '2', '4', '8'])
}

/// A currency, a condition, or elapsed time. Colors and languages say nothing.
fn bracketed(inner: &str, section: &mut Section) -> Option<Token> {
    if let Some(currency) = inner.strip_prefix('$') {
        let sign = currency.split('-').next().unwrap_or_default();
        return (!sign.is_empty()).then(|| Token::Literal(sign.to_owned()));
    }
    let lower = inner.to_ascii_lowercase();
    let letter = lower.chars().next()?;
    if matches!(letter, 'h' | 'm' | 's') && lower.chars().all(|other| other == letter) {
        return Some(Token::Elapsed(letter));
    }
    if matches!(letter, '<' | '>' | '=') {
        let end = inner.find(|character| !matches!(character, '<' | '>' | '=')).unwrap_or(inner.len());
        let (sign, than) = inner.split_at(end);
        section.condition = than.trim().parse().ok().map(|than| (sign.to_owned(), than));
    }
    None
}

/// Up to eleven characters, as without a format.
pub(super) fn general(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-9..1e11).contains(&size) {
        return scientific(value, 5, true, 2);
    }
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    let digits = size.log10().floor().clamp(-9.0, 11.0) as i32;
    let decimals = usize::try_from((9 - digits).clamp(0, 15)).unwrap_or(0);
    without_zeros(&format!("{value:.decimals$}")).to_owned()
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

fn scientific(value: f64, decimals: usize, is_short: bool, digits: usize) -> String {
    let written = format!("{value:.decimals$e}");
    let Some((mantissa, exponent)) = written.split_once('e') else { return written };
    let mantissa = if is_short { without_zeros(mantissa) } else { mantissa };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{mantissa}E{sign}{exponent:0>digits$}")
}

fn number_text(value: f64, tokens: &[Token]) -> String {
    let point = tokens.iter().position(|token| *token == Token::Point).unwrap_or(tokens.len());
    let is_digit = |token: &&Token| matches!(token, Token::Digit(_));
    let last_digit = tokens.iter().rposition(|token| matches!(token, Token::Digit(_)));
    let (whole, part) = tokens.split_at(point);
    let decimals: Vec<_> = part.iter().filter(is_digit).collect();
    let least = decimals.iter().rposition(|token| **token == Token::Digit('0')).map_or(0, |at| at + 1);
    let percent = tokens.iter().filter(|token| **token == Token::Percent).count();
    let is_scaling = |at: usize| last_digit.is_some_and(|last| at > last);
    let commas = tokens.iter().enumerate().filter(|(_, token)| **token == Token::Comma);
    let (scaling, grouping): (Vec<_>, Vec<_>) = commas.map(|(at, _)| at).partition(|at| is_scaling(*at));
    let scale =
        100_f64.powi(i32::try_from(percent).unwrap_or(0)) / 1_000_f64.powi(i32::try_from(scaling.len()).unwrap_or(0));
    let value = value * scale;
    if let Some(digits) =
        tokens.iter().find_map(|token| if let Token::Exponent(digits) = token { Some(*digits) } else { None })
    {
        return scientific(value, decimals.len(), false, digits.max(1));
    }
    let places = decimals.len().min(30);
    let written = format!("{:.places$}", value.abs());
    let (integer, fraction) = written.split_once('.').unwrap_or((&written, ""));
    let optional = fraction.len().min(least);
    let kept = fraction.get(optional..).map_or(0, |optional| optional.trim_end_matches('0').len());
    let fraction = fraction.get(..optional + kept).unwrap_or_default();
    let zeros = whole.iter().filter(|token| **token == Token::Digit('0')).count();
    let integer = integer.trim_start_matches('0');
    let mut digits: Vec<char> = format!("{integer:0>zeros$}").chars().collect();
    let slots = whole.iter().filter(is_digit).count();
    let is_plain = grouping.is_empty();
    let mut text = String::new();
    if value < 0.0 && (integer.chars().chain(fraction.chars()).any(|digit| digit != '0')) {
        text.push('-');
    }
    let mut seen = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Literal(literal) => text.push_str(literal),
            Token::Percent => text.push('%'),
            Token::Digit(_) if at < point => {
                seen += 1;
                // The first place shows all that the others have no room for.
                let room = slots - seen;
                let count = digits.len().saturating_sub(room);
                let taken: String = if is_plain || seen > 1 {
                    digits.drain(..count).collect()
                } else {
                    grouped(&digits.drain(..).collect::<String>())
                };
                text.push_str(&taken);
            }
            Token::Point => {
                if !fraction.is_empty() {
                    text.push('.');
                    text.push_str(fraction);
                }
            }
            Token::Digit(_)
            | Token::Comma
            | Token::Exponent(_)
            | Token::Date(..)
            | Token::Elapsed(_)
            | Token::HalfDay
            | Token::General
            | Token::Text
            | Token::Fraction => {}
        }
    }
    text.trim().to_owned()
}

fn grouped(digits: &str) -> String {
    let mut whole = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            whole.push(',');
        }
        whole.push(digit);
    }
    whole
}

fn date_text(value: f64, tokens: &[Token], from_1904: bool) -> Option<String> {
    let moment = moment(value, from_1904)?;
    let has_half = tokens.contains(&Token::HalfDay);
    let seconds = (value * 86_400.0).round();
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Literal(literal) => text.push_str(literal),
            Token::Date('m', 1 | 2) if is_minutes(tokens, at) => text += &padded(moment.minute(), token),
            Token::Date('y', 1 | 2) => text += &format!("{:02}", moment.year().rem_euclid(100)),
            Token::Date('y', _) => text += &moment.year().to_string(),
            Token::Date('m', 3) => text += month(moment.month()).get(..3).unwrap_or_default(),
            Token::Date('m', 4) => text += month(moment.month()),
            Token::Date('m', 5) => text += month(moment.month()).get(..1).unwrap_or_default(),
            Token::Date('m', _) => text += &padded(moment.month(), token),
            Token::Date('d', 3) => text += weekday(moment.weekday()).get(..3).unwrap_or_default(),
            Token::Date('d', 4..) => text += weekday(moment.weekday()),
            Token::Date('d', _) => text += &padded(moment.day(), token),
            Token::Date('h', _) if has_half => text += &padded((moment.hour() + 11) % 12 + 1, token),
            Token::Date('h', _) => text += &padded(moment.hour(), token),
            Token::Date('s', _) => text += &padded(moment.second(), token),
            Token::Date(..) => {}
            Token::Elapsed('h') => text += &format!("{}", (seconds / 3_600.0).floor()),
            Token::Elapsed('m') => text += &format!("{}", (seconds / 60.0).floor()),
            Token::Elapsed(_) => text += &format!("{seconds}"),
            Token::HalfDay => text += if moment.hour() < 12 { "AM" } else { "PM" },
            Token::Comma => text.push(','),
            // Parts of seconds.
            Token::Point if matches!(tokens.get(at + 1), Some(Token::Digit('0'))) => {}
            Token::Point => text.push('.'),
            Token::Digit(_) | Token::Percent | Token::Exponent(_) | Token::General | Token::Text | Token::Fraction => {}
        }
    }
    Some(text.trim().to_owned())
}

/// The moment of a number of days.
fn moment(value: f64, from_1904: bool) -> Option<DateTime> {
    if !(0.0..2_958_466.0).contains(&value) {
        return None;
    }
    // The first workbooks took 1900 for a leap year.
    let start = match from_1904 {
        true => date(1904, 1, 1),
        false if value < 60.0 => date(1899, 12, 31),
        false => date(1899, 12, 30),
    };
    #[expect(clippy::cast_possible_truncation, reason = "in the range of days")]
    let days: Span = (value.floor() as i64).days();
    #[expect(clippy::cast_possible_truncation, reason = "at most a day")]
    let seconds: Span = (((value - value.floor()) * 86_400.0).round() as i64).seconds();
    start.at(0, 0, 0, 0).checked_add(days).ok()?.checked_add(seconds).ok()
}

/// `m` is minutes after hours and before seconds.
fn is_minutes(tokens: &[Token], at: usize) -> bool {
    let unit = |token: &Token| match token {
        Token::Date(letter, _) | Token::Elapsed(letter) => Some(*letter),
        Token::Literal(_)
        | Token::Digit(_)
        | Token::Point
        | Token::Comma
        | Token::Percent
        | Token::Exponent(_)
        | Token::HalfDay
        | Token::General
        | Token::Text
        | Token::Fraction => None,
    };
    tokens.iter().take(at).rev().find_map(unit) == Some('h') || tokens.iter().skip(at + 1).find_map(unit) == Some('s')
}

fn padded(number: i8, token: &Token) -> String {
    if matches!(token, Token::Date(_, 1)) { number.to_string() } else { format!("{number:02}") }
}

fn month(number: i8) -> &'static str {
    const NAMES: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    usize::try_from(number - 1).ok().and_then(|at| NAMES.get(at)).copied().unwrap_or_default()
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

/// The code of a format that workbooks don't write down. Dates of the reader's locale are shown as in ISO 8601.
pub(super) fn built_in(id: u32) -> &'static str {
    match id {
        1 => "0",
        2 => "0.00",
        3 => "#,##0",
        4 => "#,##0.00",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        14 => "yyyy-mm-dd",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 => "h:mm",
        21 => "h:mm:ss",
        22 => "yyyy-mm-dd h:mm",
        37 | 38 => "#,##0;(#,##0)",
        39 | 40 => "#,##0.00;(#,##0.00)",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mm:ss",
        48 => "##0.0E+0",
        _ => "General",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_by_their_codes() {
        let cases = [
            (1234.5, "General", "1234.5"),
            (0.1 + 0.2, "General", "0.3"),
            (1e15, "General", "1E+15"),
            (-0.0, "General", "0"),
            (1234.567, "0.00", "1234.57"),
            (1234567.0, "#,##0", "1,234,567"),
            (-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"),
            (-2.0, "0", "-2"),
            (0.256, "0.0%", "25.6%"),
            (0.5, "#.##", ".5"),
            (3.0, "0.##", "3"),
            (1234.5, "[$\u{20ac}-407] #,##0.00", "\u{20ac} 1,234.50"),
            (1234.5, "\"USD \"#,##0.0_)", "USD 1,234.5"),
            (1_500_000.0, "0.0,,\"M\"", "1.5M"),
            (5551234.0, "000-0000", "555-1234"),
            (7.0, "00000", "00007"),
            (12345.0, "0.00E+00", "1.23E+04"),
            (0.0, "0;-0;\"none\"", "none"),
            (150.0, "[>100]\"high\";\"low\"", "high"),
            (50.0, "[>100]\"high\";\"low\"", "low"),
            (1.5, "# ?/?", "1.5"),
        ];
        for (value, code, shown) in cases {
            assert_eq!(show(value, code, false), shown, "{value} by {code}");
        }
    }

    #[test]
    fn dates_are_shown_by_their_codes() {
        let cases = [
            (46_053.0, "yyyy-mm-dd", "2026-01-31"),
            (46_053.75, "d/m/yy h:mm", "31/1/26 18:00"),
            (46_053.75, "dddd, mmmm d h:mm AM/PM", "Saturday, January 31 6:00 PM"),
            (46_053.0, "[$-407]d. mmm yyyy", "31. Jan 2026"),
            (1.5, "[h]:mm:ss", "36:00:00"),
            (0.000_694_444_4, "mm:ss", "01:00"),
            (1.0, "yyyy-mm-dd", "1900-01-01"),
            (61.0, "yyyy-mm-dd", "1900-03-01"),
            (-1.0, "yyyy-mm-dd", "-1"),
            (1e300, "yyyy", "1E+300"),
        ];
        for (value, code, shown) in cases {
            assert_eq!(show(value, code, false), shown, "{value} by {code}");
        }
        assert_eq!(show(0.0, "yyyy-mm-dd", true), "1904-01-01");
        for id in 0..60 {
            assert!(!show(46_053.75, built_in(id), false).is_empty());
        }
    }
}
