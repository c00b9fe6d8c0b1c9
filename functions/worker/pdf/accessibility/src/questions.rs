//! What only people can judge.

use serde::Serialize;

use crate::tree::Tree;
use crate::{Check, Place};

/// Most places to look at.
const PLACES: usize = 100;

/// Something to look at.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    /// What to ask.
    pub question: &'static str,
    /// Where, up to a hundred places. Empty: everywhere.
    pub places: Vec<Place>,
}

/// The questions about elements of a type.
const OF_TYPES: [(&[&str], &str); 6] = [
    (&["Figure", "Formula"], "Does each alternative text say what the figure or formula tells?"),
    (&["Hn", "H"], "Are these all headings, and does each have the right level?"),
    (&["Table"], "Are these tables of data, with the right header cells?"),
    (&["L"], "Are these lists, and are all lists tagged as such?"),
    (&["Link"], "Does each link say where it leads?"),
    (&["Note"], "Is each note read where it belongs?"),
];

/// The questions about the document as a whole.
const OF_ALL: [&str; 3] = [
    "Is the order in which the tags are read the right one?",
    "Is everything marked as decoration without a meaning?",
    "Is no information given by color or place alone, and is the contrast of text on pictures sufficient?",
];

pub(crate) fn of(check: &Check<'_>, tree: Option<&Tree<'_>>) -> Vec<Question> {
    let Some(tree) = tree else { return Vec::new() };
    let everywhere = OF_ALL.iter().map(|question| Question { question, places: Vec::new() });
    let about = OF_TYPES.iter().filter_map(|(kinds, question)| {
        let is_one = |index: &usize| {
            tree.elements.get(*index).and_then(|it| it.role.standard()).is_some_and(|kind| kinds.contains(&kind))
        };
        let found = (0..tree.elements.len()).filter(is_one).take(PLACES);
        let places: Vec<_> = found.map(|index| check.place_of(tree, index)).collect();
        (!places.is_empty()).then_some(Question { question, places })
    });
    everywhere.chain(about).collect()
}
