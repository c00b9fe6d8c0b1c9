//! Joins the text of lines: words are joined, hyphens at line ends removed, emphasis and links marked.

use std::rc::Rc;

use super::order::Line;
use super::words::{Word, is_cjk};
use crate::pdfium::Font;

/// A run of text in one style.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Span {
    pub text: String,
    pub bold: bool,
    pub italic: bool,
    pub code: bool,
    pub link: Option<Rc<str>>,
}

/// The lines' text as spans, trimmed.
pub(super) fn spans(lines: &[Line]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for line in lines {
        for (index, word) in line.words.iter().enumerate() {
            let separator = separator(&mut spans, word, index == 0);
            let (head, tail) = word.text.split_at(word.tail.as_ref().map_or(word.text.len(), |(at, _)| *at));
            push(&mut spans, separator, span(head, &word.font, word));
            if let Some((_, font)) = &word.tail {
                push(&mut spans, "", span(tail, font, word));
            }
        }
    }
    spans
}

fn span(text: &str, font: &Font, word: &Word) -> Span {
    let text = text.to_owned();
    Span { text, bold: font.bold, italic: font.italic, code: font.fixed, link: word.link.clone() }
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
    if !new_line {
        return " ";
    }
    // A hyphenated word continues in lower case. `well-known` broken at its own hyphen can't be told apart from that.
    let mut before = last.text.chars().rev().skip(1);
    if matches!(end, '-' | '\u{ad}' | '\u{2010}')
        && before.next().is_some_and(char::is_lowercase)
        && start.is_lowercase()
    {
        last.text.pop();
        return "";
    }
    if end == '-' { "" } else { " " }
}

fn same_kind(a: &Span, b: &Span) -> bool {
    (a.bold, a.italic, a.code, &a.link) == (b.bold, b.italic, b.code, &b.link)
}
