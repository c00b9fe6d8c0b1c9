//! Text in runs of one style, while it is collected.

use std::mem;
use std::rc::Rc;

use crate::model::Span;

/// Has no characters that nobody sees: control characters and optional hyphens are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    spans: Vec<Span>,
    /// Keys of the footnotes whose marks are in it.
    pub(super) notes: Vec<Rc<str>>,
}

/// A text of one style. Its own text is empty.
pub(super) type Style = Span;

impl Text {
    pub(super) fn plain(text: &str) -> Self {
        let mut whole = Self::default();
        whole.push(text, &Style::default());
        whole
    }

    /// Adds text with its spaces as they are.
    pub(super) fn push(&mut self, text: &str, style: &Style) {
        let shown = text.chars().filter(|character| matches!(character, '\n' | '\t') || is_shown(*character));
        self.extend(shown, style);
    }

    /// Adds text with its spaces as HTML shows them: any number of them is one.
    pub(super) fn push_collapsed(&mut self, text: &str, style: &Style) {
        let mut follows_space = self.last().is_none_or(|last| matches!(last, ' ' | '\n'));
        let shown = text.chars().filter_map(|character| {
            if matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}') {
                return (!mem::replace(&mut follows_space, true)).then_some(' ');
            }
            let shown = is_shown(character);
            follows_space &= !shown;
            shown.then_some(character)
        });
        let shown: String = shown.collect();
        self.extend(shown.chars(), style);
    }

    /// Whether it is empty, or at the beginning of a line.
    pub(super) fn ends_line(&self) -> bool {
        self.last().is_none_or(|last| last == '\n')
    }

    /// Starts a new line.
    pub(super) fn line_break(&mut self) {
        self.trim_end();
        self.extend(['\n'].into_iter(), &Style::default());
    }

    /// Starts a new line after one that may be empty.
    pub(super) fn line_break_kept(&mut self) {
        self.extend(['\n'].into_iter(), &Style::default());
    }

    pub(super) fn append(&mut self, other: Self) {
        for span in other.spans {
            let style = Style { text: String::new(), ..span.clone() };
            self.extend(span.text.chars(), &style);
        }
        self.notes.extend(other.notes);
    }

    fn extend(&mut self, characters: impl Iterator<Item = char>, style: &Style) {
        let mut characters = characters.peekable();
        if characters.peek().is_none() {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if is_same_style(last, style) => last.text.extend(characters),
            Some(_) | None => {
                let text = characters.collect();
                self.spans.push(Span { text, ..style.clone() });
            }
        }
    }

    fn last(&self) -> Option<char> {
        self.spans.last().and_then(|span| span.text.chars().next_back())
    }

    pub(super) fn is_blank(&self) -> bool {
        self.spans.iter().all(|span| span.text.trim().is_empty())
    }

    pub(super) fn to_plain(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    pub(super) fn spans(&self) -> &[Span] {
        &self.spans
    }

    fn trim_end(&mut self) {
        while let Some(last) = self.spans.last_mut() {
            last.text.truncate(last.text.trim_end().len());
            if !last.text.is_empty() {
                return;
            }
            self.spans.pop();
        }
    }

    fn trim_start(&mut self) {
        let blank = self.spans.iter().take_while(|span| span.text.trim().is_empty()).count();
        self.spans.drain(..blank);
        if let Some(first) = self.spans.first_mut() {
            let spaces = first.text.len() - first.text.trim_start().len();
            first.text.drain(..spaces);
        }
    }

    /// Without spaces around it.
    pub(super) fn trimmed(mut self) -> Self {
        self.trim_end();
        self.trim_start();
        self
    }

    /// Without blank lines around it, as code is.
    pub(super) fn trimmed_lines(mut self) -> Self {
        self.trim_end();
        while let Some(first) = self.spans.first_mut() {
            let blank =
                first.text.split_inclusive('\n').take_while(|line| line.trim().is_empty() && line.ends_with('\n'));
            let blank: usize = blank.map(str::len).sum();
            first.text.drain(..blank);
            if !first.text.is_empty() {
                break;
            }
            self.spans.remove(0);
        }
        self
    }

    /// On one line.
    pub(super) fn in_one_line(mut self) -> Self {
        for span in &mut self.spans {
            span.text = span.text.replace(['\n', '\t'], " ");
        }
        self
    }

    /// The plain text, and its spans if one is not plain.
    pub(super) fn into_parts(self) -> (String, Vec<Span>) {
        let plain = self.to_plain();
        let spans = if self.spans.iter().all(Span::is_plain) { Vec::new() } else { self.spans };
        (plain, spans)
    }
}

fn is_shown(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{ad}' | '\u{feff}')
}

fn is_same_style(a: &Span, b: &Style) -> bool {
    (a.bold, a.italic, a.code, a.superscript, a.subscript, &a.link)
        == (b.bold, b.italic, b.code, b.superscript, b.subscript, &b.link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_collapse_over_runs() {
        let bold = Style { bold: true, ..Style::default() };
        let mut text = Text::default();
        text.push_collapsed(" \n a ", &Style::default());
        text.push_collapsed(" b\u{ad}c\u{0} ", &bold);
        text.line_break();
        text.push_collapsed("  d ", &bold);
        let (plain, spans) = text.trimmed().into_parts();
        assert_eq!(plain, "a bc\nd");
        let runs: Vec<_> = spans.iter().map(|span| (span.text.as_str(), span.bold)).collect();
        assert_eq!(runs, [("a ", false), ("bc", true), ("\n", false), ("d", true)]);
        assert_eq!(Text::plain("\n\n  x\n y \n").trimmed_lines().into_parts(), ("  x\n y".to_owned(), Vec::new()));
    }
}
