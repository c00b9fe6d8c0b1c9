//! A stretch of a document that is included, and the names that it gets in the other one.

use std::collections::HashMap;
use std::ops::Range;

use docmill_package::markup::{Element, Markup, applied, attribute, value};

/// Attributes that name a relationship.
const RELATED: [&str; 9] = ["r:id", "r:embed", "r:link", "r:pict", "r:dm", "r:lo", "r:qs", "r:cs", "o:relid"];
/// What belongs to the pages and comments of the other document.
const LEFT_OUT: [&str; 4] = ["sectPr", "commentRangeStart", "commentRangeEnd", "commentReference"];

/// New names for what a document refers to.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) styles: HashMap<String, String>,
    pub(super) lists: HashMap<String, String>,
    pub(super) footnotes: HashMap<String, String>,
    pub(super) endnotes: HashMap<String, String>,
    /// What relationships' names begin with.
    pub(super) relation: String,
}

/// A stretch of a part that is brought, such as the body or a note.
pub(super) struct Stretch<'s> {
    pub(super) source: &'s str,
    pub(super) markup: &'s Markup<'s>,
    pub(super) range: Range<usize>,
}

impl<'s> Stretch<'s> {
    pub(super) fn elements(&self) -> impl Iterator<Item = &'s Element<'s>> {
        let (first, end) = (self.range.start, self.range.end);
        let elements = &self.markup.elements;
        let start = elements.partition_point(|element| element.open.start < first);
        elements.iter().skip(start).take_while(move |element| element.open.start < end)
    }

    /// The values of attributes, by the elements that have them.
    pub(super) fn values(&self, elements: &[&str], name: &str) -> Vec<String> {
        let named = self.elements().filter(|element| elements.contains(&element.local()));
        named.filter_map(|element| value(self.source, element, name)).collect()
    }

    /// The relationships that it names.
    pub(super) fn relations(&self) -> Vec<String> {
        let of = |element: &'s Element<'s>| RELATED.iter().map(move |name| (element, *name));
        let all = self.elements().filter(|element| self.may_be_related(element)).flat_map(of);
        all.filter_map(|(element, name)| value(self.source, element, name)).filter(|id| !id.is_empty()).collect()
    }

    fn may_be_related(&self, element: &Element<'_>) -> bool {
        let tag = self.source.get(element.open.clone()).unwrap_or_default();
        tag.contains(" r:") || tag.contains(" o:relid")
    }

    /// Its XML with the new names.
    pub(super) fn renamed(&self, names: &Names) -> String {
        let mut edits = Vec::new();
        for element in self.elements() {
            if LEFT_OUT.contains(&element.local()) {
                edits.push((element.range(), String::new()));
                continue;
            }
            let (map, name) = match element.local() {
                "pStyle" | "rStyle" | "tblStyle" | "basedOn" | "link" | "next" => (&names.styles, "w:val"),
                "numId" => (&names.lists, "w:val"),
                "footnoteReference" => (&names.footnotes, "w:id"),
                "endnoteReference" => (&names.endnotes, "w:id"),
                _ => {
                    if self.may_be_related(element) {
                        for name in RELATED {
                            let place = attribute(self.source, element.open.clone(), name);
                            edits.extend(place.filter(|place| !place.is_empty()).map(|place| {
                                let old = self.source.get(place.clone()).unwrap_or_default();
                                (place, format!("{}{old}", names.relation))
                            }));
                        }
                    }
                    continue;
                }
            };
            let new = value(self.source, element, name).and_then(|old| map.get(&old));
            if let (Some(new), Some(place)) = (new, attribute(self.source, element.open.clone(), name)) {
                edits.push((place, new.clone()));
            }
        }
        let start = self.range.start;
        let inside = |(range, _): &(Range<usize>, String)| range.start >= start && range.end <= self.range.end;
        let shifted =
            edits.into_iter().filter(inside).map(|(range, new)| (range.start - start..range.end - start, new));
        applied(self.source.get(self.range.clone()).unwrap_or_default(), shifted.collect())
    }
}
