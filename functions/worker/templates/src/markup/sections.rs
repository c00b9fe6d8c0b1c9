//! Pairs the begins and ends of sections, and decides what of the source each of them repeats.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::joined::Paragraph;
use super::read::Tagged;
use super::scan::Markup;
use super::units::{Unit, unit};
use crate::problem::{Fault, Problem, Reason};
use crate::tag::Tag;
use crate::tree;

/// Elements of a paragraph that are lost with it: it is not removed although a section's tag is its only text.
const KEPT: [&str; 6] = ["drawing", "pict", "object", "sectPr", "br", "frame"];

#[derive(Debug)]
pub(super) struct Section {
    /// The tag that begins it.
    pub(super) open: usize,
    /// What it repeats.
    pub(super) range: Range<usize>,
    /// Whether these are rows of a sheet.
    pub(super) is_rows: bool,
}

/// The sections, and the paragraphs that go with their tags.
pub(super) fn sections(
    markup: &Markup<'_>,
    paragraphs: &[Paragraph],
    found: &[Tagged],
    problems: &mut Vec<Problem>,
) -> (Vec<Section>, Vec<Range<usize>>) {
    let tags: Vec<_> = found.iter().map(|tagged| (&tagged.tag, tagged.text.as_str(), &tagged.place)).collect();
    let pairs = tree::pairs(&tags, problems);
    let own = tags_of_paragraphs(paragraphs, found);
    let bare = bare_paragraphs(markup, paragraphs, found, &own, &pairs);
    let bare_rows = RefCell::default();
    let bare_cells = paragraphs
        .iter()
        .zip(&bare)
        .filter(|(_, bare)| **bare)
        .filter_map(|(paragraph, _)| markup.ancestors(paragraph.element).find(|element| markup.local(*element) == "c"))
        .collect();
    let mut sections = Vec::new();
    let mut rows = Vec::new();
    let mut whole = vec![false; found.len()];
    let mut repeated = HashMap::new();
    for (open, close) in pairs {
        let (Some(first), Some(last)) = (found.get(open), found.get(close)) else { continue };
        let (bare, bare_cells, bare_rows) = (&bare, &bare_cells, &bare_rows);
        let ends = Ends { first, last, paragraphs, found, own: &own, bare, bare_cells, bare_rows };
        match unit(markup, &ends) {
            Ok(Unit { range, .. }) if repeats_same(&mut repeated, &range, open, close) => {
                let message = format!(
                    "The section `{}` repeats the same part of the document as the section before it.",
                    first.text
                );
                tree::report(problems, Fault::new(Reason::Misplaced, message).at(&first.text, &first.place));
            }
            Ok(Unit { range, is_blocks, is_rows, gone }) => {
                rows.extend(gone);
                for end in [open, close] {
                    if let Some(whole) = whole.get_mut(end) {
                        *whole = is_blocks;
                    }
                }
                sections.push(Section { open, range, is_rows });
            }
            Err(message) => {
                let fault = Fault::new(Reason::Misplaced, message);
                tree::report(problems, fault.at(&first.text, &first.place));
            }
        }
    }
    // A paragraph goes if all its tags are ends of sections that repeat paragraphs.
    let goes = |index: &usize| {
        bare.get(*index).copied().unwrap_or_default()
            && own.get(*index).into_iter().flatten().all(|tag| whole.get(*tag).copied().unwrap_or_default())
    };
    let cuts = (0..paragraphs.len()).filter(goes).filter_map(|index| paragraphs.get(index));
    let cuts = cuts.map(|paragraph| markup.range(paragraph.element)).chain(rows).collect();
    (sections, cuts)
}

/// Whether a section that has ended before this one begins has the same range, e.g. both the same row.
fn repeats_same(
    repeated: &mut HashMap<Range<usize>, (usize, usize)>,
    range: &Range<usize>,
    open: usize,
    close: usize,
) -> bool {
    let before = repeated.insert(range.clone(), (open, close));
    before.is_some_and(|(other_open, other_close)| !range.is_empty() && (other_close < open || close < other_open))
}

/// The two ends of a section, and what is around them.
pub(super) struct Ends<'a> {
    pub(super) first: &'a Tagged,
    pub(super) last: &'a Tagged,
    pub(super) paragraphs: &'a [Paragraph],
    found: &'a [Tagged],
    /// The tags of each paragraph.
    own: &'a [Vec<usize>],
    bare: &'a [bool],
    /// Cells of sheets with nothing but ends of sections.
    bare_cells: &'a HashSet<usize>,
    /// Rows that were looked at before.
    bare_rows: &'a RefCell<HashMap<usize, bool>>,
}

impl Ends<'_> {
    pub(super) fn elements(&self) -> Option<(usize, usize)> {
        let element = |tagged: &Tagged| Some(self.paragraphs.get(tagged.paragraph)?.element);
        Some((element(self.first)?, element(self.last)?))
    }

    /// Whether nothing but ends of sections is in the paragraph of this tag.
    pub(super) fn is_bare(&self, tagged: &Tagged) -> bool {
        self.bare.get(tagged.paragraph).copied().unwrap_or_default()
    }

    /// Whether a row of a sheet has no content but ends of sections that end in other rows.
    pub(super) fn is_bare_row(&self, markup: &Markup<'_>, row: usize) -> bool {
        *self.bare_rows.borrow_mut().entry(row).or_insert_with(|| self.has_only_ends(markup, row))
    }

    fn has_only_ends(&self, markup: &Markup<'_>, row: usize) -> bool {
        markup.inside(row).all(|(element, inner)| match inner.local() {
            "c" => inner.close.is_empty() || self.bare_cells.contains(&element),
            "f" => false,
            _ => true,
        }) && self.spans_rows(markup, row)
    }

    /// Whether no section begins and ends in this row.
    fn spans_rows(&self, markup: &Markup<'_>, row: usize) -> bool {
        let range = markup.range(row);
        let first = self.found.partition_point(|tagged| tagged.start() < range.start);
        let own = || self.found.iter().skip(first).take_while(|tagged| tagged.start() < range.end);
        !(own().any(|tagged| matches!(tagged.tag, Tag::Open(_)))
            && own().any(|tagged| matches!(tagged.tag, Tag::Close(_))))
    }

    /// Whether only begins of sections are before the first tag in its paragraph.
    pub(super) fn begins_paragraph(&self) -> bool {
        self.is_bare(self.first)
            || self
                .rest(self.first, 0..self.first.within.start, |tag| matches!(tag, Tag::Open(_)))
                .is_some_and(is_blank)
    }

    /// Whether only ends of sections are after the last tag in its paragraph.
    pub(super) fn ends_paragraph(&self) -> bool {
        let after = self.last.within.end..usize::MAX;
        self.is_bare(self.last) || self.rest(self.last, after, |tag| matches!(tag, Tag::Close(_))).is_some_and(is_blank)
    }

    /// The text in a range of a tag's paragraph, without tags of a kind. `None` if there are other tags.
    fn rest(&self, of: &Tagged, range: Range<usize>, kind: fn(&Tag) -> bool) -> Option<String> {
        let paragraph = self.paragraphs.get(of.paragraph)?;
        let inside = |tagged: &&Tagged| range.start <= tagged.within.start && tagged.within.end <= range.end;
        let own = self.own.get(of.paragraph)?.iter().filter_map(|tag| self.found.get(*tag));
        without_tags(paragraph, own.filter(inside), range.clone(), kind)
    }
}

fn is_blank(text: String) -> bool {
    text.trim().is_empty()
}

/// The text in a range of a paragraph without its tags. `None` if there are tags of another kind.
pub(super) fn without_tags<'t>(
    paragraph: &Paragraph,
    tags: impl Iterator<Item = &'t Tagged>,
    range: Range<usize>,
    kind: fn(&Tag) -> bool,
) -> Option<String> {
    let end = range.end.min(paragraph.text.len());
    let (mut rest, mut done) = (String::new(), range.start);
    let mut tags: Vec<_> = tags.collect();
    tags.sort_by_key(|tagged| tagged.within.start);
    for tagged in tags {
        if !kind(&tagged.tag) {
            return None;
        }
        rest.push_str(paragraph.text.get(done..tagged.within.start)?);
        done = tagged.within.end;
    }
    rest.push_str(paragraph.text.get(done..end)?);
    Some(rest)
}

/// The numbers of the tags of each paragraph.
fn tags_of_paragraphs(paragraphs: &[Paragraph], found: &[Tagged]) -> Vec<Vec<usize>> {
    let mut own = vec![Vec::new(); paragraphs.len()];
    for (index, tagged) in found.iter().enumerate() {
        if let Some(own) = own.get_mut(tagged.paragraph) {
            own.push(index);
        }
    }
    own
}

/// For each paragraph, whether nothing is in it but ends of sections whose other end is in another paragraph.
fn bare_paragraphs(
    markup: &Markup<'_>,
    paragraphs: &[Paragraph],
    found: &[Tagged],
    own: &[Vec<usize>],
    pairs: &[(usize, usize)],
) -> Vec<bool> {
    let mut bare: Vec<_> = own.iter().map(|own| !own.is_empty()).collect();
    for (open, close) in pairs {
        if let (Some(open), Some(close)) = (found.get(*open), found.get(*close))
            && open.paragraph == close.paragraph
            && let Some(bare) = bare.get_mut(open.paragraph)
        {
            *bare = false;
        }
    }
    let has_kept = kept_in(markup);
    for (index, paragraph) in paragraphs.iter().enumerate() {
        let Some(bare) = bare.get_mut(index).filter(|bare| **bare) else { continue };
        let own = own.get(index).into_iter().flatten().filter_map(|tag| found.get(*tag));
        let is_end = |tag: &Tag| matches!(tag, Tag::Open(_) | Tag::Close(_));
        let rest = without_tags(paragraph, own, 0..usize::MAX, is_end);
        *bare = rest.is_some_and(is_blank) && !has_kept.contains(&paragraph.element);
    }
    bare
}

/// All elements around something that must not be lost.
fn kept_in(markup: &Markup<'_>) -> HashSet<usize> {
    let mut around = HashSet::new();
    for (index, element) in markup.elements.iter().enumerate() {
        if KEPT.contains(&element.local()) {
            for ancestor in markup.ancestors(index) {
                if !around.insert(ancestor) {
                    break;
                }
            }
        }
    }
    around
}
