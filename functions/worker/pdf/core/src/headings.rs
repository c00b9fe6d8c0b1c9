//! Levels of headings.

/// The deepest level that has a type of its own (ISO 32000-1, 14.8.4.3.2).
const DEEPEST: u32 = 6;

/// Levels the headings of a document, in the order of reading: PDF/UA-1 (7.4.2) allows none more than one level below the one before.
#[derive(Debug, Default)]
pub struct HeadingLevels(Vec<u32>);

impl HeadingLevels {
    /// The level of the next heading, whose own level may skip others.
    pub fn next(&mut self, own: u32) -> u32 {
        while self.0.last().is_some_and(|last| *last >= own) {
            self.0.pop();
        }
        self.0.push(own);
        u32::try_from(self.0.len()).unwrap_or(DEEPEST).min(DEEPEST)
    }

    /// The own level of the last heading.
    pub fn last(&self) -> Option<u32> {
        self.0.last().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_level_is_skipped() {
        let mut levels = HeadingLevels::default();
        assert_eq!([2, 4, 4, 3, 1, 6, 9].map(|own| levels.next(own)), [1, 2, 2, 2, 1, 2, 3]);
        assert_eq!(levels.last(), Some(9));
    }
}
