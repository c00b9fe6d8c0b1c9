//! Changes to a part, within what a workbook may take.

use std::cell::Cell;
use std::ops::Range;

use docmill_package::markup::applied;

use crate::problem::Failure;

/// Bytes that may yet be written.
#[derive(Debug)]
pub(super) struct Budget {
    left: Cell<usize>,
    /// What is said when nothing is left.
    message: &'static str,
}

impl Budget {
    pub(super) fn new(bytes: usize, message: &'static str) -> Self {
        Self { left: Cell::new(bytes), message }
    }

    pub(super) fn left(&self) -> usize {
        self.left.get()
    }

    pub(super) fn take(&self, bytes: usize) -> Result<(), Failure> {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.ok_or_else(|| Failure::TooLarge(self.message.to_owned()))?);
        Ok(())
    }
}

#[derive(Debug)]
pub(super) struct Edits<'b> {
    list: Vec<(Range<usize>, String)>,
    pub(super) budget: &'b Budget,
}

impl<'b> Edits<'b> {
    pub(super) fn new(budget: &'b Budget) -> Self {
        Self { list: Vec::new(), budget }
    }

    pub(super) fn replace(&mut self, range: Range<usize>, text: String) -> Result<(), Failure> {
        self.budget.take(text.len())?;
        self.list.push((range, text));
        Ok(())
    }

    pub(super) fn insert(&mut self, at: usize, text: String) -> Result<(), Failure> {
        self.replace(at..at, text)
    }

    pub(super) fn remove(&mut self, range: Range<usize>) {
        self.list.push((range, String::new()));
    }

    /// What is removed, without anything in its place.
    pub(super) fn removed(&self) -> impl Iterator<Item = &Range<usize>> {
        self.list.iter().filter(|(range, text)| text.is_empty() && !range.is_empty()).map(|(range, _)| range)
    }

    pub(super) fn applied(self, source: &str) -> String {
        applied(source, self.list)
    }
}
