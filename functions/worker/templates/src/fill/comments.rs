//! Copies of comments on text that sections repeat.

use std::collections::BTreeMap;

use docmill_package::markup::{applied, attribute, scan};

use super::{Filler, Writing};
use crate::comments::{DOCUMENT, marks};
use crate::data::Scope;
use crate::problem::{Failure, Fault, Reason};
use crate::tree;

impl Filler<'_> {
    /// Gives what a pass of a section has written, from `start` on, comments of its own.
    pub(crate) fn copy_comments(
        &mut self,
        writing: &mut Writing<'_>,
        start: usize,
        scope: &Scope<'_>,
    ) -> Result<(), Failure> {
        let Some(comments) = self.comments.filter(|_| writing.part.name == DOCUMENT) else { return Ok(()) };
        let marks = marks(&writing.text, start);
        let mut fresh = BTreeMap::new();
        for mark in marks.iter().filter(|mark| mark.is_reference) {
            let Some(part) = comments.alone.get(&mark.number) else { continue };
            let number = comments.free.saturating_add(self.copies.count);
            self.copies.count += 1;
            let filled = self.fill(part, scope)?;
            if let (false, Some(tag)) = (filled.links.is_empty() && filled.pictures.is_empty(), part.tags.first()) {
                let message = "A comment on repeated text can't have links or pictures from data.";
                tree::report(&mut self.problems, Fault::new(Reason::Misplaced, message).at(&tag.text, &tag.place));
            }
            let markup = scan(&filled.text)?;
            let Some((_, comment)) = markup.named("comment").next() else { continue };
            let edits = attribute(&filled.text, comment.open.clone(), "w:id").map(|place| (place, number.to_string()));
            let copy = applied(&filled.text, edits.into_iter().collect());
            let end = copy.rfind("</").unwrap_or(copy.len());
            let copy = copy.get(comment.open.start..end).unwrap_or_default();
            self.spend(copy.len())?;
            self.copies.text.push_str(copy);
            fresh.insert(mark.number, number);
        }
        let edits = marks.into_iter().filter_map(|mark| Some((mark.place, fresh.get(&mark.number)?.to_string())));
        let edits: Vec<_> = edits.collect();
        if !edits.is_empty() {
            writing.text = applied(&writing.text, edits);
        }
        Ok(())
    }
}
