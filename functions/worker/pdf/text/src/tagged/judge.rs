//! Whether tags are sound. Many programs tag each line as a paragraph, all text as one kind, or only a part of it. Then pages are read by
//! what they look like.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::pdfium::{Rect, Tag};

use super::super::PageContent;
use super::super::order::{self, Line};
use super::super::words::Word;
use super::lines::lines;
use super::{Node, Part, Role, Structure};

/// The least share of a page's characters that its structure has.
const COVERED: f32 = 0.95;
/// The largest share of marked content that several elements claim.
const CLAIMED_TWICE: f32 = 0.02;
/// The least share of words that are in the same order by structure and by place.
const IN_ORDER: f32 = 0.5;
/// The largest share of paragraphs that go on in the next one.
const BROKEN: f32 = 0.2;
/// The largest share of characters that are in headings.
const HEADINGS: f32 = 0.5;
/// The least share of a document's characters that are on sound pages.
const SOUND: f32 = 0.5;
/// The share of a page's height at the top and bottom where headers and footers are.
const MARGIN: f32 = 0.12;

/// What the tags of a document tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    pub has_headings: bool,
    pub has_lists: bool,
}

/// Which pages are read by their structure.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// In the order of reading. Empty: none is.
    sound: Vec<bool>,
    pub traits: Traits,
}

impl Verdict {
    pub(crate) fn is_sound(&self, page: usize) -> bool {
        self.sound.get(page).copied().unwrap_or(false)
    }
}

/// What is known of the tags of a document's pages.
#[derive(Debug, Default)]
pub(crate) struct Census {
    sound: Vec<bool>,
    characters: usize,
    on_sound_pages: usize,
    in_headings: usize,
    headings: usize,
    items: usize,
    tables: usize,
    paragraphs: usize,
    /// Paragraphs that go on in the next one.
    broken: usize,
}

impl Census {
    pub(crate) fn add(&mut self, page: &PageContent) {
        let characters = page.words.iter().map(length).sum::<usize>();
        self.characters += characters;
        let structure = page.structure.as_ref().filter(|structure| is_sound(page, structure));
        self.sound.push(structure.is_some());
        if let Some(structure) = structure {
            self.on_sound_pages += characters;
            self.nodes(page, structure);
        }
    }

    fn nodes(&mut self, page: &PageContent, structure: &Structure) {
        let mut parts: HashMap<Part, Vec<Word>> = HashMap::new();
        for word in &page.words {
            if let Tag::Part(part) = word.tag {
                parts.entry(part).or_default().push(word.clone());
            }
        }
        let mut above: Option<Vec<Line>> = None;
        for node in &structure.nodes {
            let (role, part) = match node {
                Node::Table { .. } => {
                    self.tables += 1;
                    above = None;
                    continue;
                }
                Node::Label { .. } => continue,
                Node::Text { role, part, .. } => (*role, *part),
            };
            let lines = lines(parts.remove(&part).unwrap_or_default());
            let Some(first) = lines.first() else { continue };
            match role {
                Role::Heading(_) | Role::Title => {
                    self.headings += 1;
                    self.in_headings += lines.iter().flat_map(|line| &line.words).map(length).sum::<usize>();
                }
                Role::Item(_) => self.items += 1,
                Role::Paragraph => {
                    self.paragraphs += 1;
                    self.broken += usize::from(above.as_ref().is_some_and(|above| goes_on(above, first)));
                }
                Role::Caption | Role::Note | Role::Code | Role::Formula | Role::Table => {}
            }
            above = (role == Role::Paragraph).then_some(lines);
        }
    }

    pub(crate) fn verdict(self) -> Verdict {
        let traits = Traits { has_headings: self.headings > 0, has_lists: self.items > 0 };
        let tells = self.headings + self.items + self.tables > 0;
        let is_sound = tells
            && self.on_sound_pages as f32 >= self.characters as f32 * SOUND
            && self.in_headings as f32 <= self.on_sound_pages as f32 * HEADINGS
            && self.broken as f32 <= self.paragraphs as f32 * BROKEN;
        Verdict { sound: if is_sound { self.sound } else { Vec::new() }, traits }
    }
}

fn length(word: &Word) -> usize {
    word.text.chars().count()
}

pub(super) fn is_margin(area: &Rect, height: f32) -> bool {
    area.y1 < height * MARGIN || area.y0 > height * (1.0 - MARGIN)
}

/// Whether a paragraph of one line goes on in a line right below it.
fn goes_on(above: &[Line], below: &Line) -> bool {
    let [above] = above else { return false };
    let (Some(last), Some(first)) = (above.words.last(), below.words.first()) else { return false };
    let gap = below.area.y0 - above.area.y1;
    let is_near = (-below.size()..below.size() * 0.75).contains(&gap);
    is_near && !last.text.ends_with(['.', '!', '?', ':']) && first.text.starts_with(char::is_lowercase)
}

/// Whether the structure of a page can be true.
fn is_sound(page: &PageContent, structure: &Structure) -> bool {
    let height = if page.angle.is_multiple_of(180) { page.height } else { page.width };
    let parts: Vec<Part> = structure.nodes.iter().flat_map(Node::parts).collect();
    let known: HashSet<&Part> = parts.iter().collect();
    let (mut covered, mut others) = (0, 0);
    for word in &page.words {
        match &word.tag {
            Tag::Part(part) if known.contains(part) => covered += length(word),
            Tag::Artifact if is_margin(&word.area, height) => {}
            Tag::None if word.is_bullet() => {}
            Tag::Part(_) | Tag::Artifact | Tag::None => others += length(word),
        }
    }
    covered > 0
        && covered as f32 >= (covered + others) as f32 * COVERED
        && structure.claimed_twice as f32 <= parts.len() as f32 * CLAIMED_TWICE
        && structure.nodes.iter().all(is_whole)
        // Browsers tag code in a sentence as a block of its own, and blocks of code as paragraphs.
        && page.words.iter().all(|word| !word.font.fixed)
        && in_order(page, structure) >= IN_ORDER
}

/// Whether all rows of a table are as wide: browsers leave empty cells out, and then nobody knows where the others belong.
fn is_whole(node: &Node) -> bool {
    let Node::Table { rows, .. } = node else { return true };
    let mut reaching: Vec<(u16, usize)> = Vec::new();
    let mut width = None;
    rows.iter().all(|row| {
        let above: usize = reaching.iter().map(|(_, columns)| columns).sum();
        let own: usize = row.iter().map(|cell| usize::from(cell.columns)).sum();
        reaching.extend(row.iter().map(|cell| (cell.rows, usize::from(cell.columns))));
        reaching.iter_mut().for_each(|(rows, _)| *rows = rows.saturating_sub(1));
        reaching.retain(|(rows, _)| *rows > 0);
        *width.get_or_insert(above + own) == above + own
    })
}

/// The share of words that come in the same order by structure and by place.
fn in_order(page: &PageContent, structure: &Structure) -> f32 {
    let nodes = structure.nodes.iter().zip(0usize..);
    let ranks: HashMap<Part, usize> =
        nodes.flat_map(|(node, rank)| node.parts().into_iter().map(move |part| (part, rank))).collect();
    let placed = order::blocks(page.words.clone(), &page.ruling.rules).into_iter().flat_map(order::lines);
    let words = placed.flat_map(|line| line.words);
    let ranks: Vec<usize> = words
        .filter_map(|word| match word.tag {
            Tag::Part(part) => ranks.get(&part).copied(),
            Tag::None | Tag::Artifact => None,
        })
        .collect();
    longest_rise(&ranks) as f32 / ranks.len().max(1) as f32
}

/// The length of the longest subsequence that does not fall.
fn longest_rise(ranks: &[usize]) -> usize {
    // The least rank with which a subsequence of each length ends.
    let mut ends: Vec<usize> = Vec::new();
    for rank in ranks {
        let at = ends.partition_point(|end| end <= rank);
        match ends.get_mut(at) {
            Some(end) => *end = *rank,
            None => ends.push(*rank),
        }
    }
    ends.len()
}

#[cfg(test)]
mod tests {
    use super::super::Cell;
    use super::*;
    use crate::tests::{line, written};

    const TEXT: &str = "Some words of a sentence that runs on over lines.";

    fn node(role: Role, part: Part) -> Node {
        Node::Text { role, of: part, part }
    }

    /// A page whose lines are parts of their own, in this order.
    fn page(roles: &[Role], texts: &[&str], order: &[Part]) -> PageContent {
        let lines: Vec<_> =
            texts.iter().zip(0u8..).map(|(text, at)| line(text, 150.0 + f32::from(at) * 12.0, 10.0)).collect();
        let mut page = written(1, &lines);
        for word in &mut page.words {
            word.tag = Tag::Part(((word.area.y0 - 149.0) / 12.0) as Part);
        }
        let nodes = order.iter().map(|part| node(roles[*part as usize], *part)).collect();
        page.structure = Some(Structure { nodes, claimed_twice: 0 });
        page
    }

    fn is_read(page: &PageContent) -> bool {
        let mut census = Census::default();
        census.add(page);
        census.verdict().is_sound(0)
    }

    #[test]
    fn tags_that_tell_headings_and_have_all_text_are_sound() {
        let roles = [Role::Heading(1), Role::Paragraph, Role::Paragraph];
        let texts = ["Results", TEXT, TEXT];
        assert!(is_read(&page(&roles, &texts, &[0, 1, 2])));
        assert!(!is_read(&page(&[Role::Paragraph; 3], &texts, &[0, 1, 2])), "all of it is a paragraph");
        assert!(!is_read(&page(&roles, &texts, &[0, 1])), "a part is in no element");
        assert!(!is_read(&page(&[Role::Heading(1); 3], &texts, &[0, 1, 2])), "all of it is a heading");
        let mut twice = page(&roles, &texts, &[0, 1, 2]);
        twice.structure.as_mut().unwrap().claimed_twice = 2;
        assert!(!is_read(&twice));
    }

    #[test]
    fn a_paragraph_for_each_line_is_not_sound() {
        let texts = ["Results", "Some words of a sentence that", "runs on over lines and", "ends here"];
        let roles = [Role::Heading(1), Role::Paragraph, Role::Paragraph, Role::Paragraph];
        assert!(!is_read(&page(&roles, &texts, &[0, 1, 2, 3])));
    }

    #[test]
    fn an_order_from_bottom_to_top_is_not_sound() {
        let mut roles = [Role::Paragraph; 6];
        roles[0] = Role::Heading(1);
        assert!(!is_read(&page(&roles, &["Results", TEXT, TEXT, TEXT, TEXT, TEXT], &[5, 4, 3, 2, 1, 0])));
        assert_eq!(longest_rise(&[0, 0, 3, 1, 1, 2, 9, 4]), 6);
    }

    #[test]
    fn rows_of_a_table_are_as_wide() {
        let table = |rows: &[&[(u16, u16)]]| Node::Table {
            of: 1,
            rows: rows
                .iter()
                .map(|row| {
                    row.iter().map(|(rows, columns)| Cell { part: 1, header: false, rows: *rows, columns: *columns })
                })
                .map(Iterator::collect)
                .collect(),
        };
        assert!(is_whole(&table(&[&[(2, 1), (1, 2)], &[(1, 1), (1, 1)], &[(1, 3)]])));
        assert!(!is_whole(&table(&[&[(1, 1), (1, 1)], &[(1, 1)]])), "a cell is missing");
    }
}
