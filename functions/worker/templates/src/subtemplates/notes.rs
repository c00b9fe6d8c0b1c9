//! Footnotes and endnotes of a document that is included.

use docmill_package::markup::{attribute, scan, value};

use super::stretch::{Names, Stretch};
use super::styles;
use crate::problem::Failure;

/// A kind of notes.
#[derive(Debug)]
pub(super) struct Kind {
    /// Of the part and its relationship.
    pub(super) part: &'static str,
    note: &'static str,
    reference: &'static str,
}

pub(super) const FOOTNOTES: Kind = Kind { part: "footnotes", note: "footnote", reference: "footnoteReference" };
pub(super) const ENDNOTES: Kind = Kind { part: "endnotes", note: "endnote", reference: "endnoteReference" };

/// The notes of a document to which its body refers.
pub(super) struct Notes<'k> {
    pub(super) kind: &'k Kind,
    /// The part's name and text, if it has any.
    part: Option<(String, String)>,
    used: Vec<String>,
}

/// Notes for the including document.
pub(super) struct Copy {
    pub(super) xml: String,
    /// The part from which they come.
    pub(super) part: String,
    pub(super) source: String,
    /// The relationships that they name there.
    pub(super) relations: Vec<String>,
}

impl<'k> Notes<'k> {
    pub(super) fn read(kind: &'k Kind, part: Option<(String, String)>, body: &Stretch<'_>) -> Result<Self, Failure> {
        let used = body.values(&[kind.reference], "w:id");
        Ok(Self { kind, part: part.filter(|_| !used.is_empty()), used })
    }

    /// Reads something of each used note.
    fn each(&self, read: impl Fn(&Stretch<'_>) -> Vec<String>) -> Result<Vec<String>, Failure> {
        let Some((_, source)) = &self.part else { return Ok(Vec::new()) };
        let markup = scan(source)?;
        let notes = markup.named(self.kind.note).filter(|(_, note)| self.is_used(source, note));
        Ok(notes.flat_map(|(_, note)| read(&Stretch { source, markup: &markup, range: note.range() })).collect())
    }

    fn is_used(&self, source: &str, note: &docmill_package::markup::Element<'_>) -> bool {
        value(source, note, "w:id").is_some_and(|id| self.used.contains(&id))
    }

    pub(super) fn styles(&self) -> Result<Vec<String>, Failure> {
        self.each(styles::used)
    }

    pub(super) fn lists(&self) -> Result<Vec<String>, Failure> {
        self.each(|note| note.values(&["numId"], "w:val"))
    }

    /// Renumbers the used notes. `None` if no note is used.
    pub(super) fn chosen(&self, own: &str, names: &mut Names) -> Result<Option<Copy>, Failure> {
        let Some((part, source)) = &self.part else { return Ok(None) };
        let mut next = 1;
        if !own.is_empty() {
            let markup = scan(own)?;
            let numbers = markup.named(self.kind.note).filter_map(|(_, note)| value(own, note, "w:id")?.parse().ok());
            next = numbers.max().unwrap_or(0_i64).max(0).saturating_add(1);
        }
        let markup = scan(source)?;
        let (mut xml, mut relations) = (String::new(), Vec::new());
        let all: Vec<_> = markup.named(self.kind.note).map(|(_, note)| note).collect();
        // The lines above notes are those of the including document, if it has any.
        let lines = all.iter().filter(|note| own.is_empty() && value(source, note, "w:type").is_some());
        for line in lines {
            xml += source.get(line.range()).unwrap_or_default();
        }
        for note in all.into_iter().filter(|note| self.is_used(source, note)) {
            let stretch = Stretch { source, markup: &markup, range: note.range() };
            let (Some(id), Some(place)) = (value(source, note, "w:id"), attribute(source, note.open.clone(), "w:id"))
            else {
                continue;
            };
            let map = if self.kind.part == FOOTNOTES.part { &mut names.footnotes } else { &mut names.endnotes };
            map.insert(id, next.to_string());
            relations.extend(stretch.relations());
            // The number is in the note's own tag, before everything that is renamed.
            let renamed = stretch.renamed(names);
            let place = place.start - note.open.start..place.end - note.open.start;
            xml += &docmill_package::markup::applied(&renamed, vec![(place, next.to_string())]);
            next += 1;
        }
        Ok(Some(Copy { xml, part: part.clone(), source: source.clone(), relations }))
    }
}
