//! Lines on the grid of a page with East Asian text (ECMA-376-1, 17.6.5).
//!
//! Seen in where Word breaks pages: a line takes as many lines of the grid as its letters need, by the height that their font says; and a
//! spacing of several lines is that many lines of the grid, or what the letters need, if that is more. LibreOffice takes the height of the
//! font that stands in, which is higher, and multiplies what it needs.

use super::edit::{tag_at, value};
use super::lines::{Line, SINGLE};
use super::paragraph_styles::Properties;

/// What a grid of lines begins with. LibreOffice also writes the type `default`, which has no grid.
const LINES: [&str; 2] = ["<w:docGrid w:type=\"lines", "<w:docGrid w:type=\"snapToChars\""];

/// The grid of a document's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    /// The distance of its lines, in twentieths of a point, if that of all pages is the same.
    pitch: Option<i64>,
}

impl Grid {
    /// `None` if lines stand freely.
    pub(super) fn of(document: &str) -> Option<Self> {
        let tags =
            LINES.iter().flat_map(|grid| document.match_indices(grid)).filter_map(|(at, _)| tag_at(document, at));
        let mut pitches = tags.map(|tag| value(&tag, "w:linePitch")?.parse().ok().filter(|pitch| *pitch > 0));
        let first = pitches.next()?;
        Some(Self { pitch: first.filter(|_| pitches.all(|pitch| pitch == first)) })
    }

    /// The height of a line in Word. `letters`: the height of its letters, in twentieths of a point.
    pub(super) fn line(self, letters: i64, complete: &Properties) -> Option<Line> {
        let pitch = self.pitch?;
        let needed = up_to(letters, pitch)?;
        let height = match (complete.line_rule.as_deref(), complete.line) {
            (None | Some("auto"), line) => needed.max(pitch.saturating_mul(line.unwrap_or(SINGLE)) / SINGLE),
            (Some("atLeast"), line) => needed.max(up_to(line.unwrap_or_default(), pitch)?),
            (Some(_), _) => return None,
        };
        Some(Line { height, rule: "exact" })
    }
}

/// The next multiple, which is one at least.
fn up_to(height: i64, pitch: i64) -> Option<i64> {
    let lines = height.checked_add(pitch)?.checked_sub(1)?.checked_div(pitch)?;
    lines.max(1).checked_mul(pitch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_one_pitch() {
        let grid = |kind: &str, pitch: &str| format!("<w:docGrid w:type=\"{kind}\" w:linePitch=\"{pitch}\"/>");
        assert_eq!(Grid::of(&grid("lines", "312")), Some(Grid { pitch: Some(312) }));
        assert_eq!(Grid::of(&grid("linesAndChars", "360")), Some(Grid { pitch: Some(360) }));
        assert_eq!(Grid::of(&[grid("lines", "312"), grid("lines", "360")].concat()), Some(Grid { pitch: None }));
        assert_eq!(Grid::of(&grid("lines", "0")), Some(Grid { pitch: None }));
        assert_eq!(Grid::of(&grid("default", "312")), None);
        assert_eq!(Grid::of("<w:docGrid w:linePitch=\"360\"/>"), None);
    }

    #[test]
    fn lines_are_multiples_of_the_grid() {
        let grid = Grid { pitch: Some(312) };
        let height = |letters, line: Option<i64>, rule: Option<&str>| {
            let complete = Properties { line, line_rule: rule.map(str::to_owned), ..Properties::default() };
            grid.line(letters, &complete).map(|line| line.height)
        };
        assert_eq!(height(312, None, None), Some(312));
        assert_eq!(height(313, None, None), Some(624));
        assert_eq!(height(320, Some(720), Some("auto")), Some(936), "three lines, not three times two");
        assert_eq!(height(700, Some(360), None), Some(936), "what the letters need is more");
        assert_eq!(height(210, Some(400), Some("atLeast")), Some(624));
        assert_eq!(height(210, Some(400), Some("exact")), None);
        assert_eq!(Grid { pitch: None }.line(312, &Properties::default()), None);
    }
}
