//! Which blocks are headings, and of which level. Small trees decide, which `tests/extract/headings.py` trained on strangers' tagged PDFs.
//!
//! Rules (`styles.rs`) have found headings before: trees correct them, by what the whole document is like. What tags or bookmarks call a
//! heading is one, and the title of the metadata is that of the text (`outline.rs`, `title.rs`).

mod candidate;
mod features;
mod forest;
mod levels;
mod outline;
mod title;
mod whole;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::blocks::{Block, Content, PageBlocks, area_of};
use super::order::Line;
use super::styles;
use candidate::{Candidate, PageOf};
use features::{Alike, Local, Whole};
use forest::Forest;
pub(super) use outline::Outline;
use whole::Known;

/// From this sum of the trees on, a block is a heading.
const HEADING: f32 = -0.62;

/// The lowest level.
const DEEPEST: u8 = 6;

/// A few words are above nothing: documents with fewer bytes of text have the headings that rules find.
const LEAST: usize = 200;

static FOREST: LazyLock<Option<Forest>> = LazyLock::new(|| {
    let names = [Local::NAMES, Alike::NAMES, Whole::NAMES].concat();
    Forest::parse(include_str!("headings.trees"), &names)
});

/// What may be a heading in the pages so far.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    found: Vec<Candidate>,
    /// What is too long for them on the first page, and may be the title.
    long: Vec<Candidate>,
    /// The lines of tables of contents: their titles, and how far they are indented.
    entries: HashMap<u64, f32>,
    /// The bytes of text, and of bold text.
    all: usize,
    bold: usize,
    blocks: usize,
    /// The numbers of the pages.
    pages: Vec<u32>,
}

/// Which blocks are headings.
#[derive(Debug, Default)]
pub(super) struct Headings {
    /// By page and block, with their level.
    levels: HashMap<(usize, usize), u8>,
    /// The others that rules call headings.
    others: HashSet<(usize, usize)>,
}

impl Candidates {
    /// Adds the page that follows.
    pub(super) fn add(&mut self, page: &PageBlocks) {
        let of = PageOf::new(page, self.pages.len(), self.pages.is_empty());
        for block in &of.blocks {
            let Some(lines) = candidate::text_of(&block.1.content) else { continue };
            for line in lines {
                self.line(line);
            }
        }
        self.blocks += of.blocks.len();
        self.found.extend(of.candidates());
        if self.pages.is_empty() {
            self.long.extend(of.long());
        }
        self.pages.push(page.number);
    }

    fn line(&mut self, line: &Line) {
        let length: usize = line.words.iter().map(|word| word.text.len()).sum();
        self.all += length;
        if line.all(|word| word.font.bold) {
            self.bold += length;
        }
        let text = line.text();
        if styles::is_entry(&text) {
            self.entries.entry(candidate::title_of_entry(&text)).or_insert(line.area.x0);
        }
    }

    /// Which of them are headings. `body`: the size of the text.
    pub(super) fn headings(mut self, body: f32, outline: &Outline) -> Headings {
        let Some(forest) = FOREST.as_ref().filter(|_| self.all >= LEAST) else { return Headings::default() };
        let (pages, long) = (self.pages.clone(), std::mem::take(&mut self.long));
        let known = whole::known(self, body);
        let outlined = outline.of(&known, &pages);
        let all: Vec<&Candidate> = known.iter().map(|one| &one.candidate).chain(&long).collect();
        let title = title::of(&all, body, outline.title).map(Candidate::place);
        let mut headings = Headings::default();
        headings.levels.extend(title.map(|place| (place, 1)));
        let mut accepted = Vec::new();
        for (at, one) in known.iter().enumerate() {
            let place = one.candidate.place();
            if Some(place) == title {
                continue;
            }
            if outlined.levels.contains_key(&at) || forest.sums::<1>(&one.values())[0] > HEADING {
                accepted.push((at, one));
            } else if one.candidate.local.rule > 0.0 {
                headings.others.insert(place);
            }
        }
        let levels = outlined.levels(&accepted).unwrap_or_else(|| {
            let accepted: Vec<&Known> = accepted.iter().map(|(_, one)| *one).collect();
            levels::of(&accepted, title.is_some())
        });
        // Below a title, no level is left out.
        let first = if title.is_some() { levels.iter().min().map_or(1, |least| 2 - i16::from(*least)) } else { 1 };
        for ((_, one), level) in accepted.iter().zip(levels) {
            let level = u8::try_from(i16::from(level) + first).unwrap_or(DEEPEST).clamp(1, DEEPEST);
            headings.levels.insert(one.candidate.place(), level);
        }
        headings
    }
}

impl Headings {
    /// Makes these blocks headings, and no others. `at`: which page it is, from 0.
    pub(super) fn apply(&self, page: &mut PageBlocks, at: usize) {
        for (number, block) in page.blocks.iter_mut().enumerate() {
            if block.tagged.is_some() {
                continue;
            }
            if let Some(level) = self.levels.get(&(at, number)) {
                raise(block, *level);
            } else if self.others.contains(&(at, number))
                && let Content::Heading { lines, .. } = &mut block.content
            {
                block.content = Content::Paragraph { lines: std::mem::take(lines) };
            }
        }
    }
}

fn raise(block: &mut Block, of: u8) {
    match &mut block.content {
        Content::Heading { level, .. } => *level = of,
        Content::Paragraph { lines } => block.content = Content::Heading { level: of, lines: std::mem::take(lines) },
        Content::Item { lines, marker, .. } => {
            let mut lines = std::mem::take(lines);
            if let Some((first, marker)) = lines.first_mut().zip(marker.take()) {
                first.area = first.area.union(&marker.area);
                first.words.insert(0, *marker);
            }
            block.area = area_of(&lines).unwrap_or(block.area);
            block.content = Content::Heading { level: of, lines };
        }
        Content::Code { .. } | Content::Table(_) | Content::Aside { .. } | Content::Running { .. } => {}
    }
}

#[cfg(test)]
mod tests;
