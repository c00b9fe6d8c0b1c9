//! Running lines of a page that may be the only one, so that nothing repeats: told by the space around them, their type and their wording.

use docmill_pdf_core::pdfium::Tag;

use super::PageContent;
use super::columns::median;
use super::markers::marker;
use super::order::{self, Line};
use super::styles::Styles;
use super::wording;
use super::words::Raised;

/// The share of a page's height at the top and bottom where they can be.
const EDGE: f32 = 0.125;
/// The most lines of a head or foot, and how many of them one edge can have, such as a title above a page's number.
const LINES: usize = 3;
const PARTS: usize = 2;
/// How far the text is at least, in ems of its type: from lines that are worded as heads and feet, those in other type, and others.
const WORDED: f32 = 0.5;
const APART: f32 = 0.8;
const ALIKE: f32 = 1.25;
/// They are not larger than the text by more than this factor, but pages' numbers by the second, and smaller type differs by the
/// third.
const AS_LARGE: f32 = 1.03;
const LARGER: f32 = 1.3;
const SMALLER: f32 = 0.93;
/// The space around them is larger by this factor than that between most lines of the page, which may be far apart.
const SPACED: f32 = 1.6;
/// The page has that many lines with so many words: forms and covers have titles at their edges.
const TEXT_LINES: usize = 8;
const TEXT_WORDS: usize = 5;
/// What follows lines in the type of the text has so many words, or is a heading: lines of addresses stand apart from each other.
const NEXT_WORDS: usize = 3;
/// Longer ones that end like a sentence are text.
const SENTENCE: usize = 4;
/// Words further apart, in ems, are different parts of a line; heads have few of these.
const PART_GAP: f32 = 1.0;
const MOST_PARTS: usize = 3;

/// Takes these lines from a page's words.
pub(super) fn take(page: &mut PageContent, styles: &Styles) -> Vec<Line> {
    let lines = order::lines(page.words.clone());
    let is_text = |line: &&Line| line.words.len() >= TEXT_WORDS && !page.ruling.has_row(&line.area);
    if lines.iter().filter(is_text).count() < TEXT_LINES {
        return Vec::new();
    }
    let top: Vec<&Line> = lines.iter().collect();
    let bottom: Vec<&Line> = lines.iter().rev().collect();
    let edge = Edge { page, styles, usual: usual(&lines) };
    let mut found: Vec<Line> = [top, bottom].iter().flat_map(|lines| edge.running(lines)).cloned().collect();
    found.sort_by(|a, b| a.area.y0.total_cmp(&b.area.y0));
    // The others stay in content order.
    page.words.retain(|word| !found.iter().any(|line| line.area.contains(word.area.center())));
    found
}

/// The space between most lines.
fn usual(lines: &[Line]) -> f32 {
    let steps = lines.windows(2).filter_map(|pair| if let [a, b] = pair { Some(space(a, b)) } else { None });
    median(steps.collect())
}

/// The space between two lines, of which either may be above.
fn space(a: &Line, b: &Line) -> f32 {
    (b.area.y0 - a.area.y1).max(a.area.y0 - b.area.y1)
}

struct Edge<'e> {
    page: &'e PageContent,
    styles: &'e Styles,
    usual: f32,
}

impl Edge<'_> {
    /// The running lines among these, of which the first is the outermost.
    fn running<'l>(&self, lines: &[&'l Line]) -> Vec<&'l Line> {
        let mut count = 0;
        for _ in 0..PARTS {
            count += lines.get(count..).map_or(0, |rest| self.part(rest));
        }
        lines.iter().take(count).copied().collect()
    }

    /// How many of the outermost lines are a head or foot of their own.
    fn part(&self, lines: &[&Line]) -> usize {
        let mut needed = 0.0_f32;
        for (at, pair) in lines.windows(2).take(LINES).enumerate() {
            let [line, next] = pair else { return 0 };
            let Some(gap) = self.gap(line) else { return 0 };
            needed = needed.max(gap);
            let is_apart = space(line, next) >= (needed * self.styles.body).max(self.usual * SPACED);
            if is_apart && (needed < ALIKE || next.words.len() >= NEXT_WORDS || self.styles.is_heading(next)) {
                return at + 1;
            }
        }
        0
    }

    /// How far the text is at least from a line that may be running, in ems.
    fn gap(&self, line: &Line) -> Option<f32> {
        let middle = line.area.center().1 / self.page.height;
        let is_edge = middle.min(1.0 - middle) < EDGE;
        let body = self.styles.body;
        if !is_edge || self.page.ruling.has_row(&line.area) || self.is_tagged(line) || line.size() > body * LARGER {
            return None;
        }
        let is_as_large = line.size() <= body * AS_LARGE;
        if is_as_large && (wording::is_running(line, body * AS_LARGE, true) || wording::is_printed(line)) {
            return Some(if self.styles.is_heading(line) { ALIKE } else { WORDED });
        }
        // Larger type beside a number is a heading.
        if wording::is_page(line) {
            return Some(ALIKE);
        }
        // At the end of a page, a number does not belong to a section, and a name is not a footnote.
        let is_foot = middle > 0.5 && wording::is_title(line);
        if !is_as_large || self.styles.is_heading(line) || is_text(line) || wording::is_numbered(line) && !is_foot {
            return None;
        }
        let is_other = line.size() < body * SMALLER || line.all(|word| word.font.italic);
        Some(if is_other { APART } else { ALIKE })
    }

    /// Whether the document says that it is text.
    fn is_tagged(&self, line: &Line) -> bool {
        self.page.structure.is_some() && line.words.iter().any(|word| matches!(word.tag, Tag::Part(_)))
    }
}

/// Whether a line reads like one of a text, a list, a caption or a table.
fn is_text(line: &Line) -> bool {
    let text = line.text();
    let is_long = line.words.len() > wording::MOST_WORDS;
    let is_sentence = text.ends_with(['.', ',', ';', ':', '?', '!', '-', '。', '，']) && line.words.len() > SENTENCE;
    let goes_on =
        text.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_lowercase) && !wording::is_address(&text);
    let parts = line.words.windows(2).filter(|pair| match pair {
        [a, b] => (b.area.x0 - a.area.x1).max(a.area.x0 - b.area.x1) > a.size * PART_GAP,
        _ => false,
    });
    let is_table = parts.count() >= MOST_PARTS;
    let is_note = line.words.first().is_some_and(|word| matches!(word.raised, Some(Raised::Start(_))));
    is_long || is_sentence || goes_on || is_table || is_note || marker(line).is_some() || wording::is_caption(line)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, line, written};
    use super::*;

    const TEXT: &str = "some words of a sentence that runs on over its lines";

    /// A page with twelve lines of text from 120 to 285 points, and these.
    fn taken(others: &[Written]) -> Vec<String> {
        let text = (0..12u8).map(|at| line(TEXT, 120.0 + f32::from(at) * 15.0, 11.0));
        let mut page = written(1, &text.chain(others.iter().cloned()).collect::<Vec<_>>());
        let before: Vec<String> = page.words.iter().map(|word| word.text.clone()).collect();
        let lines = take(&mut page, &Styles { body: 11.0, leading: 1.3 });
        let others: Vec<&str> = page.words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(others.len() + lines.iter().map(|line| line.words.len()).sum::<usize>(), before.len());
        let first: Vec<&str> = before.iter().take(TEXT.split(' ').count() * 12).map(String::as_str).collect();
        assert!(others.starts_with(&first), "in content order");
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn lines_apart_from_the_text_are_running() {
        let head = |top: f32| line("Annual Report of the Society", top, 11.0);
        assert_eq!(taken(&[head(80.0)]), ["Annual Report of the Society"]);
        assert!(taken(&[head(101.0)]).is_empty(), "near the text");
        assert!(taken(&[head(60.0), line("2026-05-25", 90.0, 11.0)]).is_empty(), "an address");
        // Smaller type needs less space, and so does a page's number.
        assert_eq!(taken(&[line("Annual Report", 95.0, 9.0), line("17", 760.0, 11.0)]), ["Annual Report", "17"]);
        // The foot has two lines, and one of its own above them.
        let foot = [
            line("Department of Works", 720.0, 9.0),
            line("Downtown Branch", 750.0, 9.0),
            line("Second Floor", 760.0, 9.0),
        ];
        assert_eq!(taken(&foot), ["Department of Works", "Downtown Branch", "Second Floor"]);
    }

    #[test]
    fn text_at_the_edge_stays() {
        for text in [
            "that ends a paragraph of the page before",
            "The rest of a sentence.",
            "It ends here, on the next page.",
            "3. Wash the apples",
            "2.1 Surveys and Data",
            "Table 5 Results of the survey",
            "• apples and pears",
        ] {
            assert!(taken(&[line(text, 80.0, 11.0)]).is_empty(), "{text}");
        }
        assert!(taken(&[("Results".to_owned(), 80.0, 11.0, true)]).is_empty(), "a heading");
        assert!(taken(&[line("Great News", 80.0, 16.0)]).is_empty(), "a title");
        assert!(taken(&[line("3 see Smith", 760.0, 9.0)]).is_empty(), "a footnote");
    }

    #[test]
    fn feet_may_begin_with_a_number_and_pages_numbers_be_larger() {
        assert_eq!(taken(&[line("58 Annual Technical Conference", 760.0, 9.0)]), ["58 Annual Technical Conference"]);
        assert_eq!(taken(&[line("Page 2 of 6", 760.0, 13.0)]), ["Page 2 of 6"]);
        assert!(taken(&[line("Great Society | 41", 60.0, 13.0)]).is_empty());
    }

    #[test]
    fn lines_that_are_all_far_apart_are_text() {
        let lines: Vec<Written> = (0..12u8).map(|at| line(TEXT, 120.0 + f32::from(at) * 30.0, 11.0)).collect();
        let mut page = written(1, &[vec![line("References", 90.0, 11.0)], lines].concat());
        assert!(take(&mut page, &Styles { body: 11.0, leading: 1.3 }).is_empty());
    }

    #[test]
    fn pages_without_running_text_keep_their_edges() {
        let mut page =
            written(1, &[line("Invoice 17", 40.0, 11.0), line("Apples", 200.0, 11.0), line("Thank you", 760.0, 9.0)]);
        assert!(take(&mut page, &Styles { body: 11.0, leading: 1.3 }).is_empty());
        assert_eq!(page.words.len(), 5);
    }
}
