//! What form fields show, apart from the text around them.

use docmill_pdf_core::pdfium::Widget;
use docmill_pdf_text::{Line, Word};

/// Parts lines where fields begin and end: each part is text, or what one field shows.
pub(super) fn part(lines: &[Line], fields: &[Widget]) -> Vec<(Option<usize>, Vec<Line>)> {
    let field = |word: &Word| fields.iter().position(|field| field.area.contains(word.place.center()));
    let mut parts: Vec<(Option<usize>, Vec<Line>)> = Vec::new();
    for line in lines {
        for words in line.words.chunk_by(|a, b| field(a) == field(b)) {
            let Some(area) = words.iter().map(|word| word.area).reduce(|a, b| a.union(&b)) else { continue };
            let of = words.first().and_then(field);
            let line = Line { area, words: words.to_vec(), rtl: line.rtl };
            match parts.last_mut() {
                Some((before, lines)) if *before == of => lines.push(line),
                Some(_) | None => parts.push((of, vec![line])),
            }
        }
    }
    parts
}
