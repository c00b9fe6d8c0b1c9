//! The lines of a stored document, from any byte on, without reading the whole document.

use docmill_aws::files::Files;
use docmill_domain::limits::MAX_BODY_BYTES;

use crate::Obstacle;

/// Longer than any line.
const PART: u64 = 2 * MAX_BODY_BYTES as u64;

pub(crate) struct Lines {
    key: String,
    part: Vec<u8>,
    /// Where the part begins in the document.
    start: u64,
}

impl Lines {
    pub(crate) fn new(key: String) -> Self {
        Self { key, part: Vec::new(), start: 0 }
    }

    /// The line that begins at this byte, and where the next one begins.
    pub(crate) async fn at(&mut self, files: &Files, byte: u64) -> Result<(&[u8], u64), Obstacle> {
        if self.find(byte).is_none() {
            self.part = files.get_part(&self.key, byte, PART).await?;
            self.start = byte;
        }
        let line = match self.find(byte) {
            Some(line) => line,
            // The last line may have no end.
            None if (self.part.len() as u64) < PART => 0..self.part.len(),
            None => return Err(Obstacle::Items(format!("the line at byte {byte} is too long"))),
        };
        let next = self.start + line.end as u64 + 1;
        Ok((self.part.get(line).unwrap_or_default(), next))
    }

    /// The line in the part that was read, if it is there as a whole.
    fn find(&self, byte: u64) -> Option<std::ops::Range<usize>> {
        let from = usize::try_from(byte.checked_sub(self.start)?).ok()?;
        let length = self.part.get(from..)?.iter().position(|byte| *byte == b'\n')?;
        Some(from..from + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_where_it_begins() {
        let lines = Lines { key: String::new(), part: b"one\n\ntwo\nthr".to_vec(), start: 100 };
        assert_eq!(lines.find(100), Some(0..3));
        assert_eq!(lines.find(104), Some(4..4));
        assert_eq!(lines.find(105), Some(5..8));
        for missing in [99, 109, 112, 113] {
            assert_eq!(lines.find(missing), None, "{missing}");
        }
    }
}
