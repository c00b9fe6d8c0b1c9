//! Where the rows of a sheet are after sections have repeated or hidden some of them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::fill::Pass;
use crate::problem::Failure;

/// What a spreadsheet can have.
pub(super) const MOST_ROWS: u32 = 1_048_576;

/// Most rows and passes to look at for ranges.
const MOST_LOOKS: usize = 50_000_000;

/// A row of the filled sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    /// Its number in the template.
    pub(super) original: u32,
    /// Where it begins in the filled part.
    pub(super) at: usize,
}

/// A row without cells that stands in for rows that are all hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StandIn {
    /// Where it belongs in the filled part; none for the end.
    pub(super) at: Option<usize>,
    pub(super) number: u32,
}

#[derive(Debug, Default)]
pub(super) struct Rows {
    /// New numbers of all rows of the filled sheet, in order.
    pub(super) numbers: Vec<u32>,
    pub(super) stand_ins: Vec<StandIn>,
    /// For each row of the template that is not blank: its new numbers.
    copies: BTreeMap<u32, Vec<u32>>,
    /// For each of them: the last new row at or before it.
    ends: BTreeMap<u32, u32>,
    /// Passes of sections that repeat rows; those around come first.
    passes: Vec<RowPass>,
    /// For each new row in a pass, the innermost one.
    innermost: BTreeMap<u32, usize>,
    sections: Vec<Section>,
    /// Rows of the template of which there are any.
    left: Vec<u32>,
    /// Rows and passes looked at for ranges.
    looks: Cell<usize>,
}

/// A section that repeats rows. Those around come first.
#[derive(Debug)]
struct Section {
    around: Option<usize>,
    /// First and last row in the template, in all passes.
    original: (u32, u32),
    /// First and last new row of each pass.
    passes: Vec<(u32, u32)>,
}

#[derive(Debug)]
struct RowPass {
    section: usize,
    around: Option<usize>,
    /// First and last new row.
    rows: (u32, u32),
    /// First and last row in the template of its section, in all passes.
    original: (u32, u32),
}

impl Rows {
    /// `existing` are the template's rows that are not blank, in order. `needed` are ranges of which one row must be left.
    pub(super) fn new(
        existing: &[u32],
        written: &[Written],
        passes: &[Pass],
        needed: &[RangeInclusive<u32>],
    ) -> Result<Self, Failure> {
        let mut rows = Self { copies: existing.iter().map(|row| (*row, Vec::new())).collect(), ..Self::default() };
        rows.left = written.iter().map(|row| row.original).collect();
        rows.left.sort_unstable();
        rows.left.dedup();
        let is_gone =
            |range: &&RangeInclusive<u32>| rows.left_from(*range.start()).first().is_none_or(|row| row > range.end());
        let mut missing: Vec<_> = needed.iter().filter(is_gone).collect();
        missing.sort_by_key(|range| *range.start());
        let mut missing = missing.into_iter().peekable();
        let mut last = (0, 0);
        for row in written {
            while let Some(range) = missing.next_if(|range| *range.start() < row.original) {
                last = rows.stand_in(existing, last, *range.start(), Some(row.at))?;
            }
            last = rows.number(existing, last, row.original)?;
            rows.numbers.push(last.1);
        }
        for range in missing {
            last = rows.stand_in(existing, last, *range.start(), None)?;
        }
        rows.note_ends(existing);
        rows.note_passes(written, passes);
        Ok(rows)
    }

    fn stand_in(
        &mut self,
        existing: &[u32],
        last: (u32, u32),
        row: u32,
        at: Option<usize>,
    ) -> Result<(u32, u32), Failure> {
        let last = self.number(existing, last, row)?;
        self.stand_ins.push(StandIn { at, number: last.1 });
        Ok(last)
    }

    /// Gives the next row its number. `last` is the row before it: its number in the template and its new one.
    fn number(&mut self, existing: &[u32], last: (u32, u32), original: u32) -> Result<(u32, u32), Failure> {
        let number = last.1.saturating_add(1).saturating_add(blank_between(existing, last.0, original));
        if number > MOST_ROWS {
            return Err(Failure::TooLarge(format!("A sheet would have more than {MOST_ROWS} rows. Use less data.")));
        }
        self.copies.entry(original).or_default().push(number);
        Ok((original, number))
    }

    fn note_ends(&mut self, existing: &[u32]) {
        let mut before = (0, 0);
        for row in existing {
            let blank = blank_between(existing, before.0, *row);
            let copy = self.copies.get(row).and_then(|copies| copies.last()).copied();
            before = (*row, copy.unwrap_or(before.1 + blank));
            self.ends.insert(before.0, before.1);
        }
    }

    fn note_passes(&mut self, written: &[Written], passes: &[Pass]) {
        let mut ordered: Vec<_> = passes.iter().collect();
        ordered.sort_by_key(|pass| (pass.range.start, std::cmp::Reverse(pass.range.end), pass.section));
        let mut open: Vec<(usize, usize)> = Vec::new();
        for pass in ordered {
            let first = written.partition_point(|row| row.at < pass.range.start);
            let end = written.partition_point(|row| row.at < pass.range.end);
            let (Some(own), Some(numbers)) = (written.get(first..end), self.numbers.get(first..end)) else { continue };
            let (Some(top), Some(bottom)) = (numbers.first(), numbers.last()) else { continue };
            let originals = || own.iter().map(|row| row.original);
            let (Some(lowest), Some(highest)) = (originals().min(), originals().max()) else { continue };
            while open.pop_if(|(_, end)| *end <= pass.range.start).is_some() {}
            let around = open.last().map(|(index, _)| *index);
            open.push((self.passes.len(), pass.range.end));
            for number in numbers {
                self.innermost.insert(*number, self.passes.len());
            }
            let (rows, original) = ((*top, *bottom), (lowest, highest));
            self.passes.push(RowPass { section: pass.section, around, rows, original });
        }
        let mut originals: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
        for pass in &self.passes {
            let all = originals.entry(pass.section).or_insert(pass.original);
            *all = (all.0.min(pass.original.0), all.1.max(pass.original.1));
        }
        for pass in &mut self.passes {
            pass.original = originals.get(&pass.section).copied().unwrap_or(pass.original);
        }
        self.note_sections(originals);
    }

    fn note_sections(&mut self, originals: BTreeMap<usize, (u32, u32)>) {
        let mut ordered: Vec<_> = originals.into_iter().collect();
        ordered.sort_by_key(|(section, (first, last))| (*first, std::cmp::Reverse(*last), *section));
        let (mut open, mut places) = (Vec::new(), BTreeMap::new());
        for (place, (section, original)) in ordered.into_iter().enumerate() {
            while open.pop_if(|(_, end)| *end < original.1).is_some() {}
            self.sections.push(Section { around: open.last().map(|(place, _)| *place), original, passes: Vec::new() });
            open.push((place, original.1));
            places.insert(section, place);
        }
        for pass in &self.passes {
            let section = places.get(&pass.section).and_then(|place| self.sections.get_mut(*place));
            if let Some(section) = section {
                section.passes.push(pass.rows);
            }
        }
    }

    /// The innermost section that repeats all of these rows.
    fn section_around(&self, first: u32, last: u32) -> Option<&Section> {
        let begun = self.sections.partition_point(|section| section.original.0 <= first);
        let innermost = begun.checked_sub(1).and_then(|place| self.sections.get(place));
        std::iter::successors(innermost, |section| self.sections.get(section.around?))
            .find(|section| last <= section.original.1)
    }

    /// Whether so many more rows may be looked at.
    fn looks(&self, rows: usize) -> bool {
        self.looks.set(self.looks.get().saturating_add(rows));
        self.looks.get() <= MOST_LOOKS
    }

    /// Fails if the ranges of the sheet were too much work.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.looks.get() <= MOST_LOOKS {
            return Ok(());
        }
        let message =
            "The formulas, links and formats of a sheet name too many repeated rows. Use less data, or divide it.";
        Err(Failure::TooLarge(message.to_owned()))
    }

    /// Whether any row has another number than in the template, is gone, or is there without cells.
    pub(super) fn have_moved(&self) -> bool {
        !self.stand_ins.is_empty() || self.copies.iter().any(|(row, copies)| copies.as_slice() != [*row])
    }

    /// The passes around a new row, innermost first.
    fn around(&self, row: u32) -> impl Iterator<Item = &RowPass> {
        let innermost = self.innermost.get(&row).and_then(|index| self.passes.get(*index));
        std::iter::successors(innermost, |pass| self.passes.get(pass.around?))
    }

    /// Where a row is that was blank in the template.
    fn moved(&self, row: u32) -> u32 {
        let before = self.ends.range(..=row).next_back();
        before.map_or(row, |(existing, end)| end + (row - existing)).min(MOST_ROWS)
    }

    /// The first and last copy of a row as a formula in the new row `from` sees them: its own pass only.
    fn copies(&self, row: u32, from: Option<u32>) -> Option<(u32, u32)> {
        let Some(all) = self.copies.get(&row) else {
            let moved = self.moved(row);
            return Some((moved, moved));
        };
        for pass in from.into_iter().flat_map(|from| self.around(from)) {
            if (pass.original.0..=pass.original.1).contains(&row) {
                return within(all, pass.rows);
            }
            // The row above means the one before, as in a running total.
            if row + 1 == pass.original.0 {
                return Some((pass.rows.0 - 1, pass.rows.0 - 1)).filter(|(row, _)| *row > 0);
            }
        }
        within(all, (0, u32::MAX))
    }

    /// Where a reference to a row points.
    pub(super) fn row(&self, row: u32, from: Option<u32>) -> Option<u32> {
        self.copies(row, from).map(|(first, _)| first)
    }

    /// Where a reference to rows points: from the first copy of the first one to the last copy of the last one.
    pub(super) fn span(&self, first: (u32, Option<u32>), last: (u32, Option<u32>)) -> Option<(u32, u32)> {
        let start = self.copies(first.0, first.1).map(|(start, _)| start);
        let end = self.copies(last.0, last.1).map(|(_, end)| end);
        let (start, end) = match (start, end) {
            (Some(start), Some(end)) => (start, end),
            (start, end) => {
                let whole = self.whole(last.1.or(first.1), first.0, last.0);
                (start.or(whole.map(|(start, _)| start))?, end.or(whole.map(|(_, end)| end))?)
            }
        };
        (start <= end).then_some((start, end))
    }

    /// The first and last row that are left of a range whose ends are gone. They cross if none is.
    fn whole(&self, from: Option<u32>, first: u32, last: u32) -> Option<(u32, u32)> {
        let inner = from.and_then(|from| {
            self.around(from).find(|pass| pass.original.0 <= first && last <= pass.original.1).map(|pass| pass.rows)
        });
        match inner {
            Some(pass) => Some((self.first_left(first, last, pass)?, self.last_left(first, last, pass)?)),
            None => Some((self.moved(first) + 1, self.moved(last))),
        }
    }

    /// The first row of a pass that a range still has.
    fn first_left(&self, first: u32, last: u32, pass: (u32, u32)) -> Option<u32> {
        let (mut found, mut end) = (None, last);
        for row in self.left_from(first) {
            if *row > end || !self.looks(1) {
                break;
            }
            if let Some((start, _)) = self.copies.get(row).and_then(|copies| within(copies, pass)) {
                found = Some(found.map_or(start, |found: u32| found.min(start)));
                // Only rows that repeat with this one may be before it.
                end = end.min(self.repeated_with(*row, first, last).1);
            }
        }
        found
    }

    fn last_left(&self, first: u32, last: u32, pass: (u32, u32)) -> Option<u32> {
        let (mut found, mut start) = (None, first);
        for row in self.left.iter().take(self.left.partition_point(|row| *row <= last)).rev() {
            if *row < start || !self.looks(1) {
                break;
            }
            if let Some((_, end)) = self.copies.get(row).and_then(|copies| within(copies, pass)) {
                found = Some(found.map_or(end, |found: u32| found.max(end)));
                start = start.max(self.repeated_with(*row, first, last).0);
            }
        }
        found
    }

    fn left_from(&self, first: u32) -> &[u32] {
        self.left.get(self.left.partition_point(|row| *row < first)..).unwrap_or_default()
    }

    /// The rows of the largest section around this one that doesn't repeat the whole range.
    fn repeated_with(&self, row: u32, first: u32, last: u32) -> (u32, u32) {
        let innermost = self.section_around(row, row);
        std::iter::successors(innermost, |section| self.sections.get(section.around?))
            .map(|section| section.original)
            .take_while(|original| first < original.0 || original.1 < last)
            .last()
            .unwrap_or((row, row))
    }

    /// Where a block of rows is: in each pass of the innermost section that repeats all of it.
    pub(super) fn blocks(&self, first: u32, last: u32) -> Vec<(u32, u32)> {
        let Some(section) = self.section_around(first, last) else {
            return self.span((first, None), (last, None)).into_iter().collect();
        };
        if !self.looks(section.passes.len()) {
            return Vec::new();
        }
        let own = |row: u32, pass: (u32, u32)| self.copies.get(&row).and_then(|copies| within(copies, pass));
        let block = |pass: &(u32, u32)| Some((own(first, *pass)?.0, own(last, *pass)?.1));
        section.passes.iter().filter_map(block).collect()
    }
}

/// Rows of the template between two others that are blank, so that nothing is written for them.
fn blank_between(existing: &[u32], above: u32, below: u32) -> u32 {
    let Some(between) = below.checked_sub(above + 1) else { return 0 };
    let first = existing.partition_point(|row| *row <= above);
    let end = existing.partition_point(|row| *row < below);
    between.saturating_sub(u32::try_from(end.saturating_sub(first)).unwrap_or(u32::MAX))
}

/// The first and last of some ordered numbers that are in a range.
fn within(numbers: &[u32], (first, last): (u32, u32)) -> Option<(u32, u32)> {
    let start = numbers.partition_point(|number| *number < first);
    let end = numbers.partition_point(|number| *number <= last);
    let inside = numbers.get(start..end)?;
    Some((*inside.first()?, *inside.last()?))
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    /// A row of output takes ten bytes here.
    fn rows(
        existing: &[u32],
        written: &[u32],
        passes: &[(usize, Range<usize>)],
        needed: &[RangeInclusive<u32>],
    ) -> Rows {
        let written: Vec<_> =
            written.iter().enumerate().map(|(index, row)| Written { original: *row, at: index * 10 }).collect();
        let passes: Vec<_> = passes
            .iter()
            .map(|(section, rows)| Pass { section: *section, range: rows.start * 10..rows.end * 10 })
            .collect();
        Rows::new(existing, &written, &passes, needed).unwrap()
    }

    #[test]
    fn rows_below_a_repeated_one_move_and_blank_rows_stay_between() {
        // Row 3 repeats three times; 4 is blank, 5 has a total.
        let rows = rows(&[1, 3, 5], &[1, 3, 3, 3, 5], &[(0, 1..2), (0, 2..3), (0, 3..4)], &[]);
        assert_eq!(rows.numbers, [1, 3, 4, 5, 7]);
        assert_eq!((rows.row(5, None), rows.row(2, None), rows.row(100, None)), (Some(7), Some(2), Some(102)));
        assert_eq!(rows.span((3, None), (3, None)), Some((3, 5)));
        assert_eq!((rows.row(3, Some(4)), rows.row(3, None), rows.row(1, Some(4))), (Some(4), Some(3), Some(1)));
        assert_eq!(rows.blocks(3, 3), [(3, 3), (4, 4), (5, 5)]);
        assert_eq!(rows.blocks(1, 5), [(1, 7)]);
    }

    #[test]
    fn a_formula_in_a_group_sees_its_own_group() {
        // Rows 1 to 3 are a group, row 2 an item: a group of two items, and one without.
        let passes = [(0, 0..4), (1, 1..2), (1, 2..3), (0, 4..6)];
        let rows = rows(&[1, 2, 3], &[1, 2, 2, 3, 1, 3], &passes, &[]);
        assert_eq!(rows.numbers, [1, 2, 3, 4, 5, 6]);
        assert_eq!(rows.span((2, Some(4)), (2, Some(4))), Some((2, 3)));
        assert_eq!(rows.span((2, Some(6)), (2, Some(6))), None);
        assert_eq!((rows.row(1, Some(3)), rows.row(1, Some(6)), rows.row(3, None)), (Some(2), Some(5), Some(4)));
    }

    #[test]
    fn a_range_whose_ends_are_hidden_has_what_is_left_between() {
        // Rows 1 to 6 are a group; 3 and 4 repeat in it, and each pass shows one of them. 2 and 5 are hidden.
        let passes = [(0, 0..4), (1, 1..2), (1, 2..3)];
        let rows = rows(&[1, 2, 3, 4, 5, 6], &[1, 4, 3, 6], &passes, &[]);
        assert_eq!(rows.span((2, Some(1)), (5, Some(1))), Some((2, 3)));
        assert_eq!(
            (rows.span((2, Some(1)), (2, Some(1))), rows.span((2, Some(1)), (6, Some(1)))),
            (None, Some((2, 4)))
        );
        assert_eq!(rows.blocks(3, 4), []);
        assert_eq!((rows.blocks(4, 4), rows.blocks(1, 6)), (vec![(2, 2)], vec![(1, 4)]));
    }

    #[test]
    fn the_row_above_a_section_is_the_row_before_each_of_its_passes() {
        let rows = rows(&[1, 2], &[1, 2, 2], &[(0, 1..2), (0, 2..3)], &[]);
        assert_eq!((rows.row(1, Some(2)), rows.row(1, Some(3)), rows.row(1, None)), (Some(1), Some(2), Some(1)));
    }

    #[test]
    fn what_is_hidden_is_gone_unless_a_row_is_needed() {
        let hidden = rows(&[1, 2, 3], &[1, 3], &[], &[]);
        assert_eq!((hidden.row(2, None), hidden.row(3, None)), (None, Some(2)));
        assert_eq!((hidden.span((1, None), (2, None)), hidden.span((2, None), (2, None))), (Some((1, 1)), None));
        let kept = rows(&[1, 2, 3], &[1, 3], &[], &[2..=2]);
        assert_eq!(kept.stand_ins, [StandIn { at: Some(10), number: 2 }]);
        assert_eq!((kept.row(2, None), kept.row(3, None)), (Some(2), Some(3)));
    }
}
