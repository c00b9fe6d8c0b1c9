//! Where the rows of a sheet are after sections have repeated or hidden some of them.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use crate::problem::Failure;

/// What a spreadsheet can have.
pub(super) const MOST_ROWS: u32 = 1_048_576;

/// What one pass of a section has written: a range of the filled part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    /// The tag that begins the section.
    pub(crate) section: usize,
    pub(crate) range: Range<usize>,
}

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
        let mut missing: Vec<_> =
            needed.iter().filter(|range| !written.iter().any(|row| range.contains(&row.original))).collect();
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
        let whole = self.whole(last.1.or(first.1), first.0, last.0);
        let start = self.copies(first.0, first.1).map(|(start, _)| start).or(whole.map(|(start, _)| start))?;
        let end = self.copies(last.0, last.1).map(|(_, end)| end).or(whole.map(|(_, end)| end))?;
        (start <= end).then_some((start, end))
    }

    /// The first and last row that are left of a range whose ends are gone. They cross if none is.
    fn whole(&self, from: Option<u32>, first: u32, last: u32) -> Option<(u32, u32)> {
        let inner = from.and_then(|from| {
            self.around(from).find(|pass| pass.original.0 <= first && last <= pass.original.1).map(|pass| pass.rows)
        });
        match inner {
            Some(rows) => {
                let left = || self.copies.range(first..=last).filter_map(|(_, copies)| within(copies, rows));
                Some((left().map(|(first, _)| first).min()?, left().map(|(_, last)| last).max()?))
            }
            None => Some((self.moved(first) + 1, self.moved(last))),
        }
    }

    /// Where a block of rows is: in each pass of the innermost section that repeats all of it.
    pub(super) fn blocks(&self, first: u32, last: u32) -> Vec<(u32, u32)> {
        let covers = |pass: &&RowPass| pass.original.0 <= first && last <= pass.original.1;
        let innermost = self
            .passes
            .iter()
            .filter(covers)
            .min_by_key(|pass| (pass.original.1 - pass.original.0, std::cmp::Reverse(pass.section)));
        let Some(innermost) = innermost else {
            return self.span((first, None), (last, None)).into_iter().collect();
        };
        let passes = self.passes.iter().filter(|pass| pass.section == innermost.section);
        let own = |row: u32, pass: &RowPass| match self.copies.get(&row) {
            Some(copies) => within(copies, pass.rows),
            None => None,
        };
        let block = |pass: &RowPass| Some((own(first, pass)?.0, own(last, pass)?.1));
        passes.filter_map(block).collect()
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
