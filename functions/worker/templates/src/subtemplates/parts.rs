//! Copies the parts that a Word document shows, such as pictures and charts, into a folder of another package.

use std::collections::HashSet;

use docmill_package::markup::{Element, applied, attribute, scan, value};
use docmill_package::relations::resolved;
use docmill_package::{Memory, Package, relations, types};

use crate::package;
use crate::problem::Failure;

pub(super) const TYPE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// The package from which parts are copied.
pub(super) struct Parts {
    package: Package<Memory>,
    types: String,
    copied: HashSet<String>,
    added: Vec<(String, Vec<u8>)>,
    /// The types of what was copied.
    declared: String,
}

impl Parts {
    pub(super) fn open(bytes: Vec<u8>, most: usize) -> Result<Self, Failure> {
        let mut package = package::open(bytes, most)?;
        let types = package.needed(types::PART)?;
        Ok(Self { package, types, copied: HashSet::new(), added: Vec::new(), declared: String::new() })
    }

    pub(super) fn needed(&mut self, part: &str) -> Result<String, Failure> {
        Ok(self.package.needed(part)?)
    }

    /// The part with this kind of relationship to another one: its name and text.
    pub(super) fn related(&mut self, part: &str, kind: &str) -> Result<Option<(String, String)>, Failure> {
        let related = self.package.relations(part)?;
        let Some(target) = related.of_kind(kind) else { return Ok(None) };
        Ok(self.package.text(target)?.map(|text| (target.to_owned(), text)))
    }

    /// The relationships of a part with these names, as another document has them; copies the parts to which they lead.
    pub(super) fn copied(
        &mut self,
        part: &str,
        ids: &[String],
        prefix: &str,
        number: usize,
    ) -> Result<String, Failure> {
        let Some(source) = self.package.text(&relations::part_of(part))? else { return Ok(String::new()) };
        let markup = scan(&source)?;
        let mut entries = String::new();
        for (_, element) in markup.named("Relationship") {
            let Some(id) = value(&source, element, "Id").filter(|id| ids.contains(id)) else { continue };
            let raw = source.get(element.range()).unwrap_or_default();
            let shift =
                |range: std::ops::Range<usize>| range.start - element.open.start..range.end - element.open.start;
            let mut edits = Vec::new();
            if let Some(place) = attribute(&source, element.open.clone(), "Id") {
                edits.push((shift(place), format!("{prefix}{}", quick_xml::escape::escape(id.as_str()))));
            }
            if let (Some(target), Some(place)) =
                (internal(part, &source, element), attribute(&source, element.open.clone(), "Target"))
            {
                let copy = format!("/{}", folder(number) + &target);
                edits.push((shift(place), quick_xml::escape::escape(copy.as_str()).into_owned()));
                self.copy(target, number)?;
            }
            entries += &applied(raw, edits);
        }
        Ok(entries)
    }

    /// Copies a part, and all that it refers to. Its own relationships stay as they are: the folder has the package's structure.
    fn copy(&mut self, part: String, number: usize) -> Result<(), Failure> {
        let mut waiting = vec![part];
        while let Some(part) = waiting.pop() {
            if !self.package.has(&part) || !self.copied.insert(part.clone()) {
                continue;
            }
            let Some(bytes) = self.package.bytes(&part, u64::MAX)? else { continue };
            let name = folder(number) + &part;
            if let Some(kind) = types::of(&self.types, &part)? {
                self.declared += &types::of_part(&name, &kind);
            }
            self.added.push((name, bytes));
            let related = relations::part_of(&part);
            let Some(source) = self.package.text(&related)? else { continue };
            let markup = scan(&source)?;
            let mut edits = Vec::new();
            for (_, element) in markup.named("Relationship") {
                let Some(target) = internal(&part, &source, element) else { continue };
                if let Some(place) = attribute(&source, element.open.clone(), "Target")
                    && source.get(place.clone()).is_some_and(|target| target.starts_with('/'))
                {
                    edits.push((place.start..place.start, format!("/{}", folder(number).trim_end_matches('/'))));
                }
                waiting.push(target);
            }
            self.added.push((folder(number) + &related, applied(&source, edits).into_bytes()));
        }
        Ok(())
    }

    /// The copied parts, the entries of their types, and the bytes that may yet be unpacked.
    pub(super) fn finish(self) -> (Vec<(String, Vec<u8>)>, String, usize) {
        (self.added, self.declared, usize::try_from(self.package.left()).unwrap_or(usize::MAX))
    }
}

fn folder(number: usize) -> String {
    format!("word/sub{number}/")
}

/// The part to which a relationship leads; `None` if that is not in the package.
fn internal(part: &str, source: &str, element: &Element<'_>) -> Option<String> {
    let is_external = value(source, element, "TargetMode").is_some_and(|mode| mode == "External");
    if is_external { None } else { Some(resolved(part, &value(source, element, "Target")?)) }
}
