//! Headers and footers: which of them pages share, and the sections of pages that follow from them and from the pages' sizes.

use std::collections::{BTreeMap, HashMap};

use docmill_pdf_extract::model::{Block, Document, Role};

use crate::geometry::{Bodies, Sheet};

/// Stands for the page's number in a pattern.
pub(crate) const NUMBER: char = '\u{1}';
/// Most sections that running lines may make, whatever the number of pages, and the share of pages that begin one. Lines that differ on
/// each page still fit into sections of three pages: a first, an odd and an even one.
const FEW: usize = 4;
const SHARE: usize = 4;

/// A header or a footer, with `NUMBER` in place of the page's number.
#[derive(Clone, Debug)]
pub(crate) struct Line<'d> {
    pub block: &'d Block,
    pub pattern: String,
}

/// The header and the footer of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pair<'d> {
    pub header: Option<Line<'d>>,
    pub footer: Option<Line<'d>>,
}

/// Pages that follow each other, with the same size and the same headers and footers.
#[derive(Debug)]
pub(crate) struct Section<'d> {
    /// The number of its first page in the source.
    pub page: u32,
    pub sheet: Sheet,
    /// Of its first page, if they differ.
    pub first: Option<Pair<'d>>,
    /// Of odd pages, and of all if even ones have no others.
    pub odd: Pair<'d>,
    pub even: Option<Pair<'d>>,
    /// The number that its first page shows, if it begins another count.
    pub number: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct Sections<'d> {
    /// At least one.
    pub all: Vec<Section<'d>>,
    /// Lines that are in no section, since each is on its own page only.
    pub loose: Vec<&'d Block>,
}

impl Sections<'_> {
    pub(crate) fn has_even(&self) -> bool {
        self.all.iter().any(|section| section.even.is_some())
    }

    pub(crate) fn has_running(&self) -> bool {
        let has = |pair: &Pair<'_>| pair.header.is_some() || pair.footer.is_some();
        self.all.iter().any(|section| {
            has(&section.odd) || section.even.as_ref().is_some_and(has) || section.first.as_ref().is_some_and(has)
        })
    }
}

/// A page with its lines, and the number that it shows.
struct Shown<'d> {
    page: u32,
    number: i64,
    size: (f64, f64),
    pair: Pair<'d>,
    /// Further lines in its margins.
    others: Vec<&'d Block>,
}

pub(crate) fn sections<'d>(document: &'d Document, bodies: &Bodies) -> Sections<'d> {
    let pages = shown(document);
    let mut open: Vec<Open<'d>> = Vec::new();
    for page in &pages {
        let taken = open.last_mut().is_some_and(|last| last.takes(page));
        if !taken {
            open.push(Open::of(page));
        }
    }
    let mut loose: Vec<&Block> = pages.iter().flat_map(|page| page.others.iter().copied()).collect();
    let sizes = pages.chunk_by(|a, b| a.size == b.size).count();
    if open.len() > sizes + FEW.max(pages.len() / SHARE) {
        (open, loose) = by_size(&pages);
    }
    let ends = open.iter().skip(1).map(|next| next.page).chain([u32::MAX]);
    let mut all: Vec<Section<'_>> =
        open.iter().zip(ends).map(|(open, end)| open.section(&pages, bodies, end)).collect();
    if all.is_empty() {
        let sheet = Sheet::of(595.3, 841.9, &[]);
        let (odd, first, even, number) = (Pair::default(), None, None, None);
        all.push(Section { page: 0, sheet, first, odd, even, number });
    }
    Sections { all, loose }
}

/// The pages with their lines. Numbers are those that most pages show.
fn shown(document: &Document) -> Vec<Shown<'_>> {
    let mut lines: HashMap<u32, Vec<&Block>> = HashMap::new();
    for block in document.blocks.iter().filter(|block| matches!(block.role, Role::Header | Role::Footer)) {
        if let Some(place) = block.places.first() {
            lines.entry(place.page).or_default().push(block);
        }
    }
    // How far the shown numbers are from the pages' own.
    let mut offsets: BTreeMap<i64, usize> = BTreeMap::new();
    for (index, page) in (1_i64..).zip(&document.pages) {
        let texts = lines.get(&page.number).into_iter().flatten().map(|block| block.text.as_str());
        for number in texts.flat_map(numbers).filter_map(|(_, number)| number.parse::<i64>().ok()) {
            *offsets.entry(number - index).or_default() += 1;
        }
    }
    let most = offsets.iter().max_by_key(|(offset, count)| (**count, -offset.abs()));
    let offset = most.filter(|(offset, count)| **count > 1 || **offset == 0).map_or(0, |(offset, _)| *offset);
    let page = |(index, page): (i64, &docmill_pdf_extract::model::Page)| {
        let (number, mut pair, mut others) = (index + offset, Pair::default(), Vec::new());
        for block in lines.get(&page.number).into_iter().flatten().copied() {
            let slot = if block.role == Role::Header { &mut pair.header } else { &mut pair.footer };
            if slot.is_some() {
                others.push(block);
            } else {
                *slot = Some(Line { block, pattern: pattern(&block.text, number) });
            }
        }
        Shown { page: page.number, number, size: (page.width, page.height), pair, others }
    };
    (1_i64..).zip(&document.pages).map(page).collect()
}

/// The places and digits of the whole numbers in a text.
fn numbers(text: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(is_part)).map(|start| at + start) {
        let word = text.get(start..).unwrap_or_default();
        let word = word.get(..word.find(|c| !is_part(c)).unwrap_or(word.len())).unwrap_or_default();
        if word.len() < 6 && word.bytes().all(|byte| byte.is_ascii_digit()) {
            found.push((start, word));
        }
        at = start + word.len();
    }
    found
}

/// A text with `NUMBER` in place of this number, once.
fn pattern(text: &str, number: i64) -> String {
    let found = numbers(text).into_iter().find(|(_, digits)| digits.parse() == Ok(number));
    match found {
        Some((at, digits)) => {
            let (before, rest) = text.split_at(at);
            format!("{before}{NUMBER}{}", rest.get(digits.len()..).unwrap_or_default())
        }
        None => text.to_owned(),
    }
}

/// A section that is being found.
struct Open<'d> {
    page: u32,
    number: i64,
    size: (f64, f64),
    first: Pair<'d>,
    /// Of the pages after the first one.
    odd: Pair<'d>,
    even: Pair<'d>,
    pages: usize,
    /// Whether the shown number differs from what would follow.
    counts: bool,
}

impl<'d> Open<'d> {
    fn of(page: &Shown<'d>) -> Self {
        Self {
            page: page.page,
            number: page.number,
            size: page.size,
            first: page.pair.clone(),
            odd: Pair::default(),
            even: Pair::default(),
            pages: 1,
            counts: true,
        }
    }

    fn takes(&mut self, page: &Shown<'d>) -> bool {
        let slot = if page.number.rem_euclid(2) == 1 { &mut self.odd } else { &mut self.even };
        if self.size != page.size || !slot.agrees(&page.pair) {
            return false;
        }
        slot.fill(&page.pair);
        self.pages += 1;
        true
    }

    fn section(&self, pages: &[Shown<'_>], bodies: &Bodies, end: u32) -> Section<'d> {
        let (width, height) = self.size;
        let at = pages.iter().position(|page| page.page == self.page).unwrap_or(0);
        let own = pages.iter().skip(at).take_while(|page| page.page < end || page.page == self.page).take(self.pages);
        let areas: Vec<_> =
            own.filter_map(|page| bodies.get(page.page)).filter(|body| !body.is_empty).map(|body| body.area).collect();
        let sheet = Sheet::of(width, height, &areas);
        let (mut odd, mut even) = (self.odd.clone(), self.even.clone());
        let own = if self.number.rem_euclid(2) == 1 { &mut odd } else { &mut even };
        let first = if self.pages == 1 || own.agrees(&self.first) && own.is_within(&self.first) {
            own.fill(&self.first);
            None
        } else {
            Some(self.first.clone())
        };
        let is_one = odd.agrees(&even);
        if is_one {
            odd.fill(&even);
        }
        let number = u32::try_from(self.number).ok().filter(|number| self.counts && *number as usize != at + 1);
        Section { page: self.page, sheet, first, odd, even: (!is_one).then_some(even), number }
    }
}

impl<'d> Pair<'d> {
    fn slots(&self) -> [&Option<Line<'d>>; 2] {
        [&self.header, &self.footer]
    }

    /// Whether none of its lines differs from that of another page.
    fn agrees(&self, other: &Self) -> bool {
        self.slots().iter().zip(other.slots()).all(|(own, other)| match (own, other) {
            (Some(own), Some(other)) => own.pattern == other.pattern,
            (None, _) | (_, None) => true,
        })
    }

    /// Whether another page has each of its lines.
    fn is_within(&self, other: &Self) -> bool {
        self.slots().iter().zip(other.slots()).all(|(own, other)| own.is_none() || other.is_some())
    }

    /// Takes the lines that are missing here.
    fn fill(&mut self, other: &Self) {
        self.header = self.header.take().or_else(|| other.header.clone());
        self.footer = self.footer.take().or_else(|| other.footer.clone());
    }
}

/// Sections by the sizes of pages only, with the lines that most of their pages have, and all other lines.
fn by_size<'d>(pages: &[Shown<'d>]) -> (Vec<Open<'d>>, Vec<&'d Block>) {
    let mut loose: Vec<&Block> = pages.iter().flat_map(|page| page.others.iter().copied()).collect();
    let mut open = Vec::new();
    for run in pages.chunk_by(|a, b| a.size == b.size) {
        let Some(first) = run.first() else { continue };
        let header = most(run.iter().filter_map(|page| page.pair.header.as_ref()));
        let footer = most(run.iter().filter_map(|page| page.pair.footer.as_ref()));
        let common = Pair { header, footer };
        for page in run {
            for (line, shared) in page.pair.slots().into_iter().zip(common.slots()) {
                if let Some(line) = line
                    && shared.as_ref().is_none_or(|shared| shared.pattern != line.pattern)
                {
                    loose.push(line.block);
                }
            }
        }
        let (odd, even) = (common.clone(), common.clone());
        open.push(Open { first: common, odd, even, pages: run.len(), ..Open::of(first) });
    }
    (open, loose)
}

/// The line that most pages have, if at least two have it.
fn most<'l, 'd: 'l>(lines: impl Iterator<Item = &'l Line<'d>>) -> Option<Line<'d>> {
    let mut counts: BTreeMap<&str, (usize, &Line<'d>)> = BTreeMap::new();
    for line in lines {
        counts.entry(&line.pattern).or_insert((0, line)).0 += 1;
    }
    let most = counts.into_values().max_by_key(|(count, _)| *count)?;
    (most.0 > 1).then(|| most.1.clone())
}

#[cfg(test)]
mod tests {
    use docmill_pdf_extract::model::{Id, Page, Place, Reason, TextSource};

    use super::*;

    fn document(pages: &[(&str, &str)]) -> Document {
        let mut document = Document::default();
        for (number, (header, footer)) in (1..).zip(pages) {
            let page = Page {
                number,
                width: 600.0,
                height: 800.0,
                rotation: 0,
                source: TextSource::Text,
                confidence: 1.0,
                needs_model: Vec::new(),
            };
            document.pages.push(page);
            for (role, text) in [(Role::Header, header), (Role::Footer, footer)] {
                if !text.is_empty() {
                    document.blocks.push(Block {
                        id: Id::block(document.blocks.len() + 1),
                        role,
                        places: vec![Place { page: number, corners: [50.0, 20.0, 500.0, 30.0] }],
                        text: (*text).to_owned(),
                        spans: Vec::new(),
                        language: None,
                        confidence: 1.0,
                        reason: Reason::Position,
                        look: None,
                        words: Vec::new(),
                    });
                }
            }
        }
        document
    }

    fn patterns(pages: &[(&str, &str)]) -> (Vec<[Option<String>; 4]>, usize) {
        let document = document(pages);
        let found = sections(&document, &Bodies::of(&document));
        let pattern = |line: &Option<Line<'_>>| line.as_ref().map(|line| line.pattern.replace(NUMBER, "#"));
        let of = |section: &Section<'_>| {
            let first = section.first.as_ref().map(|first| pattern(&first.footer).unwrap_or_default());
            let even = section.even.as_ref().and_then(|even| pattern(&even.header));
            [first, pattern(&section.odd.header), even, pattern(&section.odd.footer)]
        };
        (found.all.iter().map(of).collect(), found.loose.len())
    }

    #[test]
    fn pages_share_what_repeats_with_their_numbers_as_fields() {
        let some = |text: &str| Some(text.to_owned());
        let (found, loose) =
            patterns(&[("Report", "Page 1 of 3"), ("Report", "Page 2 of 3"), ("Report", "Page 3 of 3")]);
        assert_eq!((found, loose), (vec![[None, some("Report"), None, some("Page # of 3")]], 0));
        // A title page, then different lines on odd and even pages, whose numbers begin elsewhere.
        let (found, loose) = patterns(&[("", ""), ("Left", "8"), ("Right", "9"), ("Left", "10"), ("Right", "11")]);
        assert_eq!((found, loose), (vec![[some(""), some("Right"), some("Left"), some("#")]], 0));
    }

    #[test]
    fn chapters_make_sections_and_lines_of_single_pages_are_loose() {
        let (found, _) = patterns(&[("A", "1"), ("A", "2"), ("A", "3"), ("B", "4"), ("B", "5"), ("B", "6")]);
        assert_eq!(found.len(), 2);
        let words: Vec<String> = (0..20).map(|at| format!("word{}", char::from(b'a' + at))).collect();
        let pages: Vec<(&str, &str)> = words.iter().map(|word| (word.as_str(), "Dictionary")).collect();
        let (found, loose) = patterns(&pages);
        assert_eq!((found.len(), loose), (1, 20));
        assert_eq!(found[0][3].as_deref(), Some("Dictionary"));
    }
}
