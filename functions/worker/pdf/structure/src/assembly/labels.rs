//! Page labels: what a viewer calls each page, such as `iv` or `A-3`.

use docmill_pdf_core::objects::{Lookup, count, tree};
use lopdf::{Dictionary, Document, Object};

/// The label of one page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    /// `D`, `r`, `R`, `a`, `A`, or no number at all.
    style: Option<Vec<u8>>,
    prefix: Option<Object>,
    number: i64,
}

impl Label {
    fn decimal(number: i64) -> Self {
        Self { style: Some(b"D".to_vec()), prefix: None, number }
    }

    const fn empty() -> Self {
        Self { style: None, prefix: None, number: 1 }
    }

    fn follows(&self, before: &Self) -> bool {
        self.style == before.style
            && self.prefix == before.prefix
            && (self.style.is_none() || before.number.checked_add(1) == Some(self.number))
    }

    fn to_object(&self) -> Object {
        let mut label = Dictionary::new();
        if let Some(style) = &self.style {
            label.set("S", Object::Name(style.clone()));
            if self.number != 1 {
                label.set("St", self.number);
            }
        }
        if let Some(prefix) = &self.prefix {
            label.set("P", prefix.clone());
        }
        label.into()
    }
}

/// The labels of a result's pages.
#[derive(Debug, Default)]
pub(super) struct Labels {
    labels: Vec<Label>,
    /// Some source has labels.
    any: bool,
}

impl Labels {
    /// Labels an empty page.
    pub(super) fn push_empty(&mut self) {
        self.labels.push(Label::empty());
    }

    /// Takes the labels of these pages of a source. Those of a source without labels are numbered.
    pub(super) fn take(&mut self, pages: impl Iterator<Item = usize>, labels: Option<&[Label]>) {
        self.any |= labels.is_some();
        for (position, page) in pages.enumerate() {
            let own = labels.and_then(|labels| labels.get(page)).cloned();
            self.labels.push(own.unwrap_or_else(|| Label::decimal(count(position) + 1)));
        }
    }

    /// `None` if no source has labels.
    pub(super) fn into_object(self) -> Option<Dictionary> {
        self.any.then(|| to_tree(&self.labels))
    }
}

/// A label for each page, if the document has labels.
pub(super) fn read(document: &Document, catalog: &Dictionary, pages: usize) -> Option<Vec<Label>> {
    let mut ranges: Vec<(i64, &Dictionary)> = Vec::new();
    let pairs = tree(document, document.child(catalog, b"PageLabels")?, b"Nums");
    for (start, range) in &pairs {
        if let (Ok(start), Some(range)) = (start.as_i64(), document.dictionary(range)) {
            ranges.push((start, range));
        }
    }
    ranges.sort_by_key(|(start, _)| *start);
    let mut labels = Vec::with_capacity(pages);
    let mut current: Option<(i64, &Dictionary)> = None;
    let mut ranges = ranges.into_iter().peekable();
    for page in 0..count(pages) {
        while let Some(next) = ranges.next_if(|(start, _)| *start <= page) {
            current = Some(next);
        }
        labels.push(
            current.map_or_else(|| Label::decimal(page + 1), |(start, range)| label(document, range, page - start)),
        );
    }
    Some(labels)
}

fn label(document: &Document, range: &Dictionary, offset: i64) -> Label {
    let first = document.integer(range, b"St").filter(|first| (1..=i64::from(u32::MAX)).contains(first)).unwrap_or(1);
    Label {
        style: document.name(range, b"S").map(<[u8]>::to_vec),
        prefix: document.value(range, b"P").filter(|prefix| prefix.as_str().is_ok()).cloned(),
        number: first.saturating_add(offset.max(0)),
    }
}

/// The number tree for these labels, one for each page.
fn to_tree(labels: &[Label]) -> Dictionary {
    let mut nums = Vec::new();
    let mut before = None;
    for (page, label) in (0_i64..).zip(labels) {
        if !before.is_some_and(|before| label.follows(before)) {
            nums.push(page.into());
            nums.push(label.to_object());
        }
        before = Some(label);
    }
    let mut tree = Dictionary::new();
    tree.set("Nums", nums);
    tree
}
