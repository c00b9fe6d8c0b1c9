//! The type that a document's text is set in, and by which headings differ from it.

use std::collections::HashMap;

use super::PageContent;
use super::order::{self, Line};

/// Text that is larger by this factor is a heading, and so is bold text that is larger by the second.
const LARGER: f32 = 1.12;
const BOLDER: f32 = 1.04;
/// A longer line is text, even if all of it is bold.
const HEADING_CHARACTERS: usize = 90;
/// So many dots lead from a text to its page.
const LEADER: usize = 4;
/// Lines with as many words, none far from the next, are running text.
const RUNNING_WORDS: usize = 5;
/// How far apart lines of text are if nothing tells, in ems, and at most.
const LEADING: f32 = 1.25;
const MOST_LEADING: f32 = 1.75;

pub(super) struct Styles {
    pub body: f32,
    /// How far apart the middles of a paragraph's lines are, in ems.
    pub leading: f32,
}

/// What is counted of a document's lines, page by page, to know its styles.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Characters by size, in running text and in all.
    running: HashMap<i32, usize>,
    all: HashMap<i32, usize>,
    /// How far apart lines of running text are, in ems.
    steps: Vec<f32>,
}

impl Counts {
    pub(super) fn add(&mut self, page: &PageContent) {
        let mut above: Option<Line> = None;
        for line in order::lines(page.words.clone()) {
            let size = key(line.size());
            let length = line.text().chars().count();
            *self.all.entry(size).or_default() += length;
            let is_running = is_running(&line);
            if is_running {
                *self.running.entry(size).or_default() += length;
            }
            if let Some(above) = above.filter(|above| is_running && key(above.size()) == size) {
                self.steps.push((line.area.center().1 - above.area.center().1) / line.size().max(1.0));
            }
            above = is_running.then_some(line);
        }
    }

    pub(super) fn styles(self) -> Styles {
        let Self { running, all, mut steps } = self;
        let few = running.values().sum::<usize>() * 20 < all.values().sum::<usize>();
        let body = most(&running).filter(|_| !few).or_else(|| most(&all)).unwrap_or(0);
        steps.sort_by(f32::total_cmp);
        // Steps between paragraphs are larger.
        let leading = steps.get(steps.len() / 3).copied().filter(|step| (1.0..MOST_LEADING).contains(step));
        Styles { body: body as f32 / 2.0, leading: leading.unwrap_or(LEADING) }
    }
}

/// The size, in half points, of most characters.
pub(super) fn most(sizes: &HashMap<i32, usize>) -> Option<i32> {
    sizes.iter().max_by_key(|(size, count)| (**count, **size)).map(|(size, _)| *size)
}

impl Styles {
    /// Whether a line may be a heading.
    pub(super) fn is_heading(&self, line: &Line) -> bool {
        let size = line.size();
        let text = line.text();
        if text.chars().count() < 2 && !text.chars().any(super::is_cjk) || !text.chars().any(char::is_alphabetic) {
            return false;
        }
        if is_entry(&text) {
            return false;
        }
        if self.is_larger(line) {
            return true;
        }
        let is_bold = line.all(|word| word.font.bold) && text.chars().count() < HEADING_CHARACTERS;
        let is_sentence = text.ends_with(['.', ',', ';', ':', '。', '，']) || size < self.body * 0.95;
        let is_alone = size > self.body * BOLDER && text.chars().count() < HEADING_CHARACTERS;
        (is_bold || is_alone) && !is_sentence
    }

    /// Whether its type alone makes it a heading.
    pub(super) fn is_larger(&self, line: &Line) -> bool {
        line.size() > self.body * LARGER
    }
}

fn is_running(line: &Line) -> bool {
    let gaps = line.words.windows(2).filter_map(|pair| {
        let [a, b] = pair else { return None };
        Some((b.area.x0 - a.area.x1).max(a.area.x0 - b.area.x1) / a.size.max(1.0))
    });
    let length = line.words.iter().map(|word| word.text.chars().count()).sum::<usize>();
    (line.words.len() >= RUNNING_WORDS
        || length >= 20 && line.words.iter().any(|word| word.text.chars().any(super::is_cjk)))
        && gaps.into_iter().all(|gap| gap < 1.0)
}

/// Whether a text is an entry of a table of contents: dots lead to its page.
pub(super) fn is_entry(text: &str) -> bool {
    let text = text.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
    let dots = text.chars().rev().take_while(|c| matches!(c, '.' | '…' | '·' | '_' | ' '));
    dots.filter(|c| *c != ' ').map(|c| if c == '…' { 3 } else { 1 }).sum::<usize>() >= LEADER
}

/// Half points.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
pub(super) fn key(size: f32) -> i32 {
    (size * 2.0).round() as i32
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, line, written};
    use super::*;

    /// Lines of one text and size, `step` points apart.
    fn lines(text: &str, count: u8, top: f32, size: f32, step: f32) -> Vec<Written> {
        (0..count).map(|at| line(text, top + f32::from(at) * step, size)).collect()
    }

    fn styles(pages: &[Vec<Written>]) -> Styles {
        let mut counts = Counts::default();
        pages.iter().for_each(|lines| counts.add(&written(1, lines)));
        counts.styles()
    }

    #[test]
    fn the_body_is_the_type_of_running_text() {
        let text = lines("Some words of a sentence that runs on over lines", 5, 50.0, 11.0, 16.5);
        let cells = lines("1,234.56", 40, 200.0, 8.0, 12.0);
        let styles = styles(&[[text, cells].concat()]);
        assert_eq!((styles.body, styles.leading), (11.0, 1.5));
    }

    #[test]
    fn a_trifle_of_running_text_is_not_the_body() {
        let labels = lines("Amount due", 70, 50.0, 12.0, 16.0);
        let small = lines("all of it in very fine print", 1, 20.0, 7.0, 9.0);
        let styles = styles(&[[labels, small].concat()]);
        assert_eq!((styles.body, styles.leading), (12.0, LEADING));
    }

    #[test]
    fn headings_differ_from_the_body() {
        let styles = styles(&[lines("Some words of a sentence that runs on over lines", 9, 50.0, 10.0, 12.5)]);
        let is_heading = |text: &str, size: f32, bold: bool| {
            let words = written(1, &[(text.to_owned(), 20.0, size, bold)]).words;
            styles.is_heading(&order::lines(words).remove(0))
        };
        let long = ["a long line of words"; 5].join(" ");
        assert!(is_heading("Results", 12.0, false) && is_heading(&long, 12.0, false));
        assert!(is_heading("Results", 10.0, true) && !is_heading("Results", 10.0, false));
        // A little larger, and alone on its line.
        assert!(is_heading("Results", 10.5, false) && !is_heading(&long, 10.5, false));
        // Sentences, small type, and numbers.
        assert!(!is_heading("Mind the gap.", 10.0, true) && !is_heading(&long, 10.0, true));
        assert!(!is_heading("1. RESULTS ........ 12", 14.0, true) && !is_heading("Results…… 4", 10.0, true));
        assert!(!is_heading("Results", 8.0, true) && !is_heading("1,234", 20.0, false));
    }
}
