//! The two ends of a section, and the paragraphs that they are in.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use docmill_package::markup::Markup;

use super::joined::Paragraph;
use super::reading::Tagged;
use crate::tag::Tag;

/// The two ends of a section, and what is around them.
pub(super) struct Ends<'a> {
    pub(super) first: &'a Tagged,
    pub(super) last: &'a Tagged,
    pub(super) paragraphs: &'a [Paragraph],
    pub(super) found: &'a [Tagged],
    /// The tags of each paragraph.
    pub(super) own: &'a [Vec<usize>],
    pub(super) bare: &'a [bool],
    /// Cells of sheets with nothing but ends of sections.
    pub(super) bare_cells: &'a HashSet<usize>,
    /// Rows that were looked at before.
    pub(super) bare_rows: &'a RefCell<HashMap<usize, bool>>,
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

pub(super) fn is_blank(text: String) -> bool {
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
