//! The lines of tagged words.

use super::super::order::{self, Line};
use super::super::words::Word;

/// A word that is so much higher than the one before it, in ems, begins a column.
const COLUMN_STEP: f32 = 1.0;

/// The lines of a part, column by column: its words are in the order of the content.
pub(super) fn lines(words: Vec<Word>) -> Vec<Line> {
    let is_below = |above: &Word, word: &Word| above.area.y0 - word.area.y1 < word.size * COLUMN_STEP;
    let columns: Vec<Vec<Word>> = words.chunk_by(is_below).map(<[Word]>::to_vec).collect();
    columns.into_iter().flat_map(order::lines).collect()
}
