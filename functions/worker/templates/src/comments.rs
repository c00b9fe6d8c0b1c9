//! Comments on text that sections repeat. Each copy of the text gets a copy of its comment, which is filled with the same entry:
//! two references to one comment make a file that Word can't open.

use std::collections::BTreeMap;
use std::ops::Range;

use docmill_package::markup::{applied, attribute, scan};
use memchr::memmem;

use crate::markup::{self, Dialect, Origin};
use crate::options::Delimiters;
use crate::problem::{Failure, Problem};
use crate::tree::{Node, Part};

/// The part that has the text, and the one that has the comments.
pub(crate) const DOCUMENT: &str = "word/document.xml";
pub(crate) const COMMENTS: &str = "word/comments.xml";

/// Comments on repeated text, taken out of their part.
#[derive(Debug)]
pub(crate) struct Comments {
    /// By number: the part with this comment alone.
    pub(crate) alone: BTreeMap<u32, Part>,
    /// Numbers from this one on are free.
    pub(crate) free: u32,
}

/// Comments that were made for copies of text.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    pub(crate) text: String,
    pub(crate) count: u32,
}

impl Comments {
    /// Takes the comments on repeated text out of `source`, the comments' part. `None` if there are none. Returns the rest, too.
    pub(crate) fn read(
        document: &Part,
        source: &str,
        delimiters: &Delimiters,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<(Self, String)>, Failure> {
        let repeated = repeated(document);
        if repeated.is_empty() {
            return Ok(None);
        }
        let markup = scan(source)?;
        let comments: Vec<_> = markup
            .named("comment")
            .map(|(_, comment)| (number(source, comment.open.clone()), comment.range()))
            .collect();
        let without = |keeps: &dyn Fn(Option<u32>) -> bool| {
            let others = comments.iter().filter(|(number, _)| !keeps(*number));
            applied(source, others.map(|(_, range)| (range.clone(), String::new())).collect())
        };
        let mut alone = BTreeMap::new();
        for id in comments.iter().filter_map(|(number, _)| *number).filter(|number| repeated.contains(number)) {
            let text = without(&|number| number == Some(id));
            let origin = Origin { part: COMMENTS, sheet: None, slide: None, links: None };
            let part = markup::read(&origin, text.clone(), Dialect::Runs, delimiters, problems)?;
            alone.insert(id, part.unwrap_or_else(|| Part::untagged(COMMENTS.to_owned(), text)));
        }
        let rest = without(&|number| number.is_none_or(|number| !alone.contains_key(&number)));
        let last = comments.iter().filter_map(|(number, _)| *number).max().unwrap_or_default();
        Ok(Some((Self { alone, free: last.saturating_add(1) }, rest)))
    }

    /// The document without ranges whose comment stands in a section and went with it.
    pub(crate) fn without_lost_ranges(&self, text: &str) -> String {
        let lost = marks(text, 0).into_iter().filter(|mark| self.alone.contains_key(&mark.number));
        applied(text, lost.map(|mark| (mark.element, String::new())).collect())
    }
}

impl Copies {
    /// The comments' part with the copies at its end.
    pub(crate) fn added_to(&self, part: &str) -> String {
        match part.rfind("</") {
            Some(end) if !self.text.is_empty() => {
                let (before, after) = part.split_at_checked(end).unwrap_or((part, ""));
                format!("{before}{}{after}", self.text)
            }
            Some(_) | None => part.to_owned(),
        }
    }
}

/// Where text names a comment.
pub(crate) struct Mark {
    pub(crate) number: u32,
    /// Of the number.
    pub(crate) place: Range<usize>,
    element: Range<usize>,
    /// Not only an end of the comment's range.
    pub(crate) is_reference: bool,
}

/// The elements that name comments, from `start` on.
pub(crate) fn marks(text: &str, start: usize) -> Vec<Mark> {
    let from = text.get(start..).unwrap_or_default();
    let begins = memmem::find_iter(from.as_bytes(), b"<w:comment").map(|at| start + at);
    let mark = |begin: usize| {
        let element = text.get(begin..)?;
        let end = begin + element.find('>')? + 1;
        let name = element.strip_prefix("<w:")?.split([' ', '/', '>']).next()?;
        if !matches!(name, "commentRangeStart" | "commentRangeEnd" | "commentReference") {
            return None;
        }
        let place = attribute(text, begin..end, "w:id")?;
        let number = text.get(place.clone())?.parse().ok()?;
        Some(Mark { number, place, element: begin..end, is_reference: name == "commentReference" })
    };
    begins.filter_map(mark).collect()
}

fn number(source: &str, open: Range<usize>) -> Option<u32> {
    source.get(attribute(source, open, "w:id")?)?.parse().ok()
}

/// The numbers of comments whose references lie in sections.
fn repeated(document: &Part) -> Vec<u32> {
    let mut found = Vec::new();
    let mut inside: Vec<&Node> = document.nodes.iter().filter(|node| matches!(node, Node::Section { .. })).collect();
    while let Some(node) = inside.pop() {
        match node {
            Node::Section { body, .. } => inside.extend(body),
            Node::Source(range) => {
                let text = document.source.get(range.clone()).unwrap_or_default();
                found.extend(marks(text, 0).into_iter().filter(|mark| mark.is_reference).map(|mark| mark.number));
            }
            Node::Insert(_) | Node::Write(_) => {}
        }
    }
    found
}
