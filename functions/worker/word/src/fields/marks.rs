//! Places whose pages the layout is to tell, and the numbers of these pages.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::story::{Begins, Section};

/// Bookmarks of ours begin with this.
const PREFIX: &str = "docmill";
/// Ids of bookmarks that no document has.
const FIRST_ID: usize = 1_800_000_000;

/// Where the layout has put the marks.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// How many pages there are.
    pub pages: u32,
    /// The page of each mark, from 0.
    pub marks: HashMap<String, u32>,
}

/// The places that were asked for so far.
#[derive(Debug)]
pub(super) struct Marks<'l> {
    layout: Option<&'l Layout>,
    places: RefCell<BTreeSet<usize>>,
    /// Whether the layout is needed, for a mark or for its pages.
    is_needed: RefCell<bool>,
}

impl<'l> Marks<'l> {
    pub(super) const fn new(layout: Option<&'l Layout>) -> Self {
        Self { layout, places: RefCell::new(BTreeSet::new()), is_needed: RefCell::new(false) }
    }

    /// The page of a place in the source, from 0. `None` if it is not known, or not yet.
    pub(super) fn page(&self, place: usize) -> Option<u32> {
        self.is_needed.replace(true);
        self.places.borrow_mut().insert(place);
        self.layout?.marks.get(&name(place)).copied()
    }

    pub(super) fn pages(&self) -> Option<u32> {
        self.is_needed.replace(true);
        self.layout.map(|layout| layout.pages)
    }

    pub(super) const fn is_laid_out(&self) -> bool {
        self.layout.is_some()
    }

    pub(super) fn are_needed(&self) -> bool {
        *self.is_needed.borrow()
    }

    /// The bookmarks to insert, with their places.
    pub(super) fn bookmarks(&self, prefix: &str) -> Vec<(usize, String)> {
        let mark = |place: usize| {
            let (id, name) = (FIRST_ID + place, name(place));
            format!(
                "<{prefix}bookmarkStart {prefix}id=\"{id}\" {prefix}name=\"{name}\"/><{prefix}bookmarkEnd {prefix}id=\"{id}\"/>"
            )
        };
        self.places.borrow().iter().map(|place| (*place, mark(*place))).collect()
    }

    /// The number of the page of a place in a section, counted as its sections say.
    pub(super) fn number(&self, place: usize, section: usize, sections: &[Section]) -> Option<u32> {
        // Both are asked for before either is known.
        let (page, first) = (self.page(place), self.first(section, sections));
        let (first, number) = first?;
        Some(number.saturating_add(page?.saturating_sub(first)))
    }

    /// A section's first page, and the number of that.
    fn first(&self, section: usize, sections: &[Section]) -> Option<(u32, u32)> {
        let mut before: Option<(u32, u32)> = None;
        let sections = sections.get(..=section)?;
        let pages: Vec<_> = sections.iter().map(|section| section.start.and_then(|start| self.page(start))).collect();
        for (section, page) in sections.iter().zip(pages) {
            let page = page.or(before.map(|(page, _)| page))?;
            let goes_on = before.map_or(1, |(first, number)| number.saturating_add(page.saturating_sub(first)));
            let number = section.first_number.unwrap_or(match section.begins {
                Begins::Odd if goes_on.is_multiple_of(2) => goes_on.saturating_add(1),
                Begins::Even if !goes_on.is_multiple_of(2) => goes_on.saturating_add(1),
                Begins::Next | Begins::Same | Begins::Even | Begins::Odd => goes_on,
            });
            before = Some((page, number));
        }
        before
    }

    /// How many pages a section has.
    pub(super) fn pages_of_section(&self, section: usize, sections: &[Section]) -> Option<u32> {
        let first = self.page(sections.get(section)?.start?);
        let next = sections.get(section + 1);
        let after = next.and_then(|next| self.page(next.start?));
        let first = first?;
        let end = match next {
            Some(next) => {
                let page = after?;
                if next.begins == Begins::Same { page.saturating_add(1) } else { page }
            }
            None => self.pages()?,
        };
        Some(end.saturating_sub(first).max(1))
    }
}

fn name(place: usize) -> String {
    format!("{PREFIX}{place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(start: usize, first_number: Option<u32>, begins: Begins) -> Section {
        Section { start: Some(start), first_number, begins, ..Section::default() }
    }

    #[test]
    fn pages_are_counted_as_sections_say() {
        let marks = [(10, 0), (20, 2), (30, 2), (40, 5), (45, 6), (50, 7)];
        let marks = marks.map(|(place, page)| (name(place), page)).into_iter().collect();
        let layout = Layout { pages: 8, marks };
        let marks = Marks::new(Some(&layout));
        let sections = [
            section(10, None, Begins::Next),
            section(20, Some(1), Begins::Next),
            section(30, None, Begins::Same),
            section(40, None, Begins::Odd),
            section(50, None, Begins::Next),
        ];
        let numbers = [(10, 0), (20, 1), (30, 2), (40, 3), (45, 3), (50, 4)];
        let numbers = numbers.map(|(place, section)| marks.number(place, section, &sections).unwrap());
        assert_eq!(numbers, [1, 1, 1, 5, 6, 7]);
        let pages = [0, 1, 2, 3, 4].map(|section| marks.pages_of_section(section, &sections).unwrap());
        assert_eq!(pages, [2, 1, 3, 2, 1]);
        assert_eq!(marks.number(60, 4, &sections), None);
        assert_eq!(marks.bookmarks("w:").len(), 7);
    }
}
