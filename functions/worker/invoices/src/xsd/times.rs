//! Dates and times as XSD 1.0 writes them.

pub(super) fn is_date(text: &str) -> bool {
    let mut cursor = Cursor(text);
    cursor.date().is_some() && cursor.zone().is_some() && cursor.0.is_empty()
}

pub(super) fn is_time(text: &str) -> bool {
    let mut cursor = Cursor(text);
    cursor.time().is_some() && cursor.zone().is_some() && cursor.0.is_empty()
}

pub(super) fn is_date_time(text: &str) -> bool {
    let mut cursor = Cursor(text);
    let fits =
        cursor.date().and_then(|()| cursor.literal('T')).and_then(|()| cursor.time()).and_then(|()| cursor.zone());
    fits.is_some() && cursor.0.is_empty()
}

/// What is left of a text.
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn literal(&mut self, character: char) -> Option<()> {
        self.0 = self.0.strip_prefix(character)?;
        Some(())
    }

    /// Two digits, up to a limit.
    fn two(&mut self, most: u32) -> Option<u32> {
        let (digits, rest) = self.0.split_at_checked(2)?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.0 = rest;
        digits.parse().ok().filter(|number| *number <= most)
    }

    fn date(&mut self) -> Option<()> {
        self.0 = self.0.strip_prefix('-').unwrap_or(self.0);
        let end = self.0.find(|character: char| !character.is_ascii_digit())?;
        let (digits, rest) = self.0.split_at(end);
        // Four digits or more, and no year 0. A year of more than four has no zeros before it.
        if digits.len() < 4 || (digits.len() > 4 && digits.starts_with('0')) || digits.bytes().all(|byte| byte == b'0')
        {
            return None;
        }
        // Leap years repeat after 400, which divides 10,000.
        let year: u32 = digits.get(digits.len() - 4..)?.parse().ok()?;
        self.0 = rest;
        self.literal('-')?;
        let month = self.two(12).filter(|month| *month > 0)?;
        self.literal('-')?;
        let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => 31,
        };
        self.two(days).filter(|day| *day > 0)?;
        Some(())
    }

    fn time(&mut self) -> Option<()> {
        let hour = self.two(24)?;
        self.literal(':')?;
        let minute = self.two(59)?;
        self.literal(':')?;
        let second = self.two(59)?;
        let mut part = "";
        if let Some(rest) = self.0.strip_prefix('.') {
            let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
            (part, self.0) = rest.split_at(end);
            if part.is_empty() {
                return None;
            }
        }
        let is_midnight = minute == 0 && second == 0 && part.bytes().all(|byte| byte == b'0');
        (hour < 24 || is_midnight).then_some(())
    }

    /// A time zone, or none.
    fn zone(&mut self) -> Option<()> {
        if let Some(rest) = self.0.strip_prefix('Z') {
            self.0 = rest;
        } else if let Some(rest) = self.0.strip_prefix(['+', '-']) {
            self.0 = rest;
            let hour = self.two(14)?;
            self.literal(':')?;
            let minute = self.two(59)?;
            return (hour < 14 || minute == 0).then_some(());
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_checked_by_the_calendar() {
        for text in [
            "2026-11-29",
            "2024-02-29",
            "2000-02-29Z",
            "2026-11-29+01:00",
            "12026-01-01",
            "-0044-03-15",
            "2026-01-01-14:00",
        ] {
            assert!(is_date(text), "{text}");
        }
        for text in [
            "",
            "20261129",
            "2026-1-1",
            "2023-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-01-32",
            "0000-01-01",
            "02026-01-01",
            "2026-11-29T00:00:00",
            "2026-11-29 ",
            "2026-01-01+14:30",
            "2026-01-01+1:00",
            "99-01-01",
            "2026-01-ä",
        ] {
            assert!(!is_date(text), "{text}");
        }
        for text in ["12:30:00", "23:59:59.999", "24:00:00", "00:00:00Z", "12:00:00-05:30"] {
            assert!(is_time(text), "{text}");
        }
        for text in ["12:30", "24:00:01", "25:00:00", "12:60:00", "12:30:60", "12:30:00."] {
            assert!(!is_time(text), "{text}");
        }
        assert!(is_date_time("2026-11-29T12:30:00.5Z"));
        assert!(!is_date_time("2026-11-29") && !is_date_time("2026-11-29 12:30:00"));
    }
}
