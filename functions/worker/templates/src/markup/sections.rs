//! Pairs the begins and ends of sections, and decides what of the source each of them repeats.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use docmill_package::markup::Markup;

use super::ends::{Ends, is_blank, without_tags};
use super::joined::Paragraph;
use super::reading::Tagged;
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
