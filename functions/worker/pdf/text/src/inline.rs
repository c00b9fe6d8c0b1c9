//! Joins the text of lines: words are joined, hyphens at line ends removed, emphasis and links marked.

use std::rc::Rc;

use docmill_pdf_core::pdfium::Font;

use super::order::Line;
use super::scripts::is_cjk;
use super::words::{Raised, Word, is_raised};

/// A run of text in one style.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Span {
    /// Plain, with no line ends.
    pub text: String,
    /// Heavier than the text around it.
    pub bold: bool,
    /// Slanted.
    pub italic: bool,
    /// In type of one width.
    pub code: bool,
    /// Raised.
    pub superscript: bool,
    /// Where it leads.
    pub link: Option<Rc<str>>,
}

/// The lines' text as spans, trimmed. Raised characters are in the spans of those around them.
pub(super) fn spans(lines: &[Line]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for span in runs(lines) {
        push(&mut spans, "", Span { superscript: false, ..span });
    }
    spans
}

/// The same with raised characters in spans of their own.
pub fn runs(lines: &[Line]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for line in lines {
        let size = line.size();
        for (index, word) in line.words.iter().enumerate() {
            let mut separator = separator(&mut spans, word, index == 0);
            for span in parts(word, is_raised(&word.area, word.size, &line.area, size)) {
                push(&mut spans, std::mem::take(&mut separator), span);
            }
        }
    }
    spans
}

/// The parts of a word in one style each. `raised`: all of it is.
fn parts(word: &Word, raised: bool) -> impl Iterator<Item = Span> {
    let tail = word.tail.as_ref().map_or(word.text.len(), |(at, _)| *at);
    let (from, to) = match word.raised {
        None if raised => (0, word.text.len()),
        None => (0, 0),
        Some(Raised::Start(end)) => (0, end),
        Some(Raised::End(start)) => (start, word.text.len()),
    };
    let mut cuts = [0, tail, from, to, word.text.len()];
    cuts.sort_unstable();
    cuts.into_iter().zip(cuts.into_iter().skip(1)).filter_map(move |(start, end)| {
        let text = word.text.get(start..end).filter(|text| !text.is_empty())?;
        let font = word.tail.as_ref().filter(|_| start >= tail).map_or(&word.font, |(_, font)| font);
        let superscript = (from..to).contains(&start);
        let Font { bold, italic, fixed: code, .. } = **font;
        Some(Span { text: text.to_owned(), bold, italic, code, superscript, link: word.link.clone() })
    })
}

fn push(spans: &mut Vec<Span>, separator: &str, span: Span) {
    if let Some(last) = spans.last_mut() {
        last.text.push_str(separator);
        if same_kind(last, &span) {
            last.text.push_str(&span.text);
            return;
        }
    }
    spans.push(span);
}

/// The lines' plain text.
pub(super) fn text(lines: &[Line]) -> String {
    spans(lines).into_iter().map(|span| span.text).collect()
}

/// The separator between the text so far and the next word.
fn separator(spans: &mut [Span], word: &Word, new_line: bool) -> &'static str {
    let Some(last) = spans.last_mut() else { return "" };
    let (Some(end), Some(start)) = (last.text.chars().last(), word.text.chars().next()) else { return "" };
    if is_cjk(end) && is_cjk(start) {
        return "";
    }
    if new_line { between_lines(&mut last.text, start) } else { " " }
}

/// Ends a line, so that the text of the next one can follow it.
pub fn separate(line: &mut String, next: &str) {
    if let (false, Some(start)) = (line.is_empty(), next.chars().next()) {
        let separator = between_lines(line, start);
        line.push_str(separator);
    }
}

/// The separator between a line and the next one, which starts with this character.
fn between_lines(line: &mut String, start: char) -> &'static str {
    let end = line.chars().last().unwrap_or_default();
    // Lines are broken there without a space.
    if is_cjk(end) || is_cjk(start) {
        return "";
    }
    // A hyphenated word continues in lower case. `well-known` broken at its own hyphen can't be told apart from that.
    let mut before = line.chars().rev().skip(1);
    if matches!(end, '-' | '\u{ad}' | '\u{2010}')
        && before.next().is_some_and(char::is_lowercase)
        && start.is_lowercase()
    {
        line.pop();
        return "";
    }
    if end == '-' { "" } else { " " }
}

fn same_kind(a: &Span, b: &Span) -> bool {
    (a.bold, a.italic, a.code, a.superscript, &a.link) == (b.bold, b.italic, b.code, b.superscript, &b.link)
}

#[cfg(test)]
mod tests {
    use super::super::order;
    use super::*;

    #[test]
    fn raised_characters_are_spans_of_their_own() {
        let mut word = Word::at("land12,", 10.0, 100.0, 12.0, false);
        word.raised = Some(Raised::End(4));
        let alone = Word::at("3", 80.0, 99.0, 6.0, false);
        let words = vec![word, alone, Word::at("rivers", 100.0, 100.0, 12.0, false)];
        let lines = order::lines(words);
        let texts = |spans: Vec<Span>| spans.into_iter().map(|span| (span.text, span.superscript)).collect::<Vec<_>>();
        let expected = [("land", false), ("12, 3 ", true), ("rivers", false)];
        assert_eq!(texts(runs(&lines)), expected.map(|(text, raised)| (text.to_owned(), raised)));
        assert_eq!(texts(spans(&lines)), [("land12, 3 rivers".to_owned(), false)]);
    }
}
