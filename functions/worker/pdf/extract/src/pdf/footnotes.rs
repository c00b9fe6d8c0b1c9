//! Footnotes: small type below the text that begins with a mark, and where the text has that mark.

use super::blocks::Draft;
use crate::model::{Footnote, Id, Reason, Role};

/// A mark has fewer characters.
const MARK: usize = 4;

/// Finds the footnotes of a page, whose first block has the number `first`.
pub(super) fn find(drafts: &mut [Draft], body: f32, first: usize) -> Vec<Footnote> {
    let marks: Vec<(usize, String)> = drafts.iter().enumerate().flat_map(|(at, draft)| marks(at, draft)).collect();
    // Nothing but small type follows.
    let others = drafts.iter().rposition(|draft| !draft.is_margin() && draft.size > 0.0 && !draft.is_small(body));
    let mut notes = Vec::new();
    for (at, draft) in drafts.iter_mut().enumerate().skip(others.map_or(0, |others| others + 1)) {
        let Some(Mark { text: mark, is_raised, is_in_text }) = mark(draft).filter(|_| draft.size > 0.0) else {
            continue;
        };
        let from = marks.iter().find(|(place, known)| *place < at && *known == mark).map(|(place, _)| *place);
        if from.is_none() && !is_raised {
            continue;
        }
        if is_in_text {
            strip(draft, &mark);
        }
        draft.role = Role::Footnote { mark: mark.clone() };
        draft.reason = Reason::Marker;
        draft.confidence = if from.is_some() { 0.95 } else { 0.7 };
        notes.push(Footnote { mark, from: from.map(|at| Id::block(first + at)), block: Id::block(first + at) });
    }
    notes
}

/// The raised marks in a block's text.
fn marks(at: usize, draft: &Draft) -> impl Iterator<Item = (usize, String)> {
    let raised = draft.spans.iter().enumerate().filter(|(index, span)| *index > 0 && span.superscript);
    let marks = raised.flat_map(|(_, span)| span.text.split([',', ' '])).map(str::trim);
    marks.filter(|mark| !mark.is_empty()).map(move |mark| (at, mark.to_owned()))
}

struct Mark {
    text: String,
    is_raised: bool,
    is_in_text: bool,
}

/// The mark with which a block begins.
fn mark(draft: &Draft) -> Option<Mark> {
    match &draft.role {
        Role::Item { number: Some(number), .. } => {
            Some(Mark { text: number.to_string(), is_raised: false, is_in_text: false })
        }
        Role::Paragraph => {
            let raised = draft.spans.first().filter(|span| span.superscript).map(|span| span.text.trim());
            let text = match raised {
                Some(raised) => raised,
                None => draft.text.split_whitespace().next()?,
            };
            let is_mark = |c: char| c.is_ascii_digit() || matches!(c, '*' | '†' | '‡' | '§' | '¶' | '#' | 'a'..='z');
            let is_short = (1..MARK).contains(&text.chars().count()) && text.chars().all(is_mark);
            is_short.then(|| Mark { text: text.to_owned(), is_raised: raised.is_some(), is_in_text: true })
        }
        Role::Item { number: None, .. }
        | Role::Title
        | Role::Heading { .. }
        | Role::Table { .. }
        | Role::Figure { .. }
        | Role::Caption { .. }
        | Role::Header
        | Role::Footer
        | Role::Footnote { .. }
        | Role::Code
        | Role::Formula
        | Role::FormField { .. } => None,
    }
}

/// Removes the mark from the start of the text.
fn strip(draft: &mut Draft, mark: &str) {
    if let Some(rest) = draft.text.strip_prefix(mark) {
        draft.text = rest.trim_start().to_owned();
    }
    let mut left = mark.len();
    while let Some(span) = draft.spans.first_mut() {
        let rest = span.text.get(left.min(span.text.len())..).unwrap_or_default().trim_start().to_owned();
        left -= left.min(span.text.len());
        span.text = rest;
        if !span.text.is_empty() {
            break;
        }
        draft.spans.remove(0);
    }
    if draft.spans.iter().all(super::super::model::Span::is_plain) {
        draft.spans.clear();
    }
}
