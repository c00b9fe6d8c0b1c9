//! Bounds for the texts of a job, which keep its item small.

/// The text, or its first `most` bytes and an ellipsis.
pub(super) fn cut_to(most: usize, text: impl Into<String>) -> String {
    let mut text = text.into();
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}
