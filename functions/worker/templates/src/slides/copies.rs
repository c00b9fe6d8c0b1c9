//! Writes the parts of copies, and takes away the slides that are not shown.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use docmill_package::markup::{Element, applied, edited, scan, value};
use docmill_package::relations::{part_of, resolved};
use docmill_package::{Changes, Memory, Package, relations, types};

use super::{Plan, presentation};
use crate::fill::too_large;
use crate::problem::Failure;

impl Plan<'_> {
    /// Brings the copies into a package. `changes` has their filled parts. `left`: bytes that may yet be written.
    pub(crate) fn settle(
        &self,
        changes: &mut Changes,
        package: &Package<Memory>,
        mut left: usize,
    ) -> Result<(), Failure> {
        let mut package = package.afresh();
        for names in self.copies() {
            for (part, name) in names {
                copy(changes, &mut package, part, name, names, &mut left)?;
            }
        }
        let removed = self.removed();
        for part in &removed {
            changes.remove(part);
            changes.remove(&part_of(part));
        }
        self.unlink(changes, &mut package, &removed)?;
        let list = package.needed(types::PART)?;
        changes.set(&package, types::PART, self.types(&list, &removed)?);
        presentation::list(self, changes, &mut package)
    }

    /// All passes after the first one of each group.
    pub(super) fn copies(&self) -> impl Iterator<Item = &BTreeMap<String, String>> {
        self.passes.iter().flat_map(|passes| passes.iter().skip(1))
    }

    /// Parts of slides that are not shown, which belong to no other slide.
    fn removed(&self) -> BTreeSet<String> {
        let groups = || self.deck.groups.iter().zip(&self.passes);
        let is_hidden = |(group, passes): &(&super::Group, &Vec<_>)| group.opening.is_some() && passes.is_empty();
        let kept: BTreeSet<_> = groups().filter(|both| !is_hidden(both)).flat_map(|(group, _)| &group.parts).collect();
        let hidden = groups().filter(is_hidden).flat_map(|(group, _)| &group.parts);
        hidden.filter(|part| !kept.contains(part)).cloned().collect()
    }

    /// Removes links to slides that are not shown from all others.
    fn unlink(
        &self,
        changes: &mut Changes,
        package: &mut Package<Memory>,
        removed: &BTreeSet<String>,
    ) -> Result<(), Failure> {
        if removed.is_empty() {
            return Ok(());
        }
        let names = self.deck.groups.iter().flat_map(|group| &group.parts);
        let copies = self.copies().flat_map(BTreeMap::values);
        let parts: BTreeSet<_> = names.chain(copies).filter(|part| !removed.contains(*part)).collect();
        for part in parts {
            let related = part_of(part);
            let Some(source) = changes.text(package, &related)? else { continue };
            let gone: Vec<_> = relations::internal(part, &source)?
                .into_iter()
                .filter(|relation| removed.contains(&relation.target))
                .map(|relation| relation.id)
                .collect();
            if gone.is_empty() {
                continue;
            }
            changes.set(package, &related, without(&source, |name| name == "Relationship", "Id", &gone)?);
            if let Some(text) = changes.text(package, part)? {
                let is_link = |name: &str| matches!(name, "hlinkClick" | "hlinkHover" | "hlinkMouseOver");
                changes.set(package, part, without(&text, is_link, "r:id", &gone)?);
            }
        }
        Ok(())
    }

    /// The list of the parts' types with copies, and without what is removed.
    fn types(&self, source: &str, removed: &BTreeSet<String>) -> Result<String, Failure> {
        let markup = scan(source)?;
        let overrides = markup.named("Override").filter_map(|(_, element)| {
            Some((value(source, element, "PartName")?.trim_start_matches('/').to_owned(), element))
        });
        let overrides: HashMap<String, &Element<'_>> = overrides.collect();
        let mut edits = Vec::new();
        for (part, element) in &overrides {
            let mut text = if removed.contains(part) {
                String::new()
            } else {
                source.get(element.range()).unwrap_or_default().to_owned()
            };
            for name in self.copies().filter_map(|names| names.get(part)) {
                text += &edited(source, element, &[("PartName", format!("/{name}"))]);
            }
            edits.push((element.range(), text));
        }
        Ok(applied(source, edits))
    }
}

/// Writes a part under a new name, with relationships to the parts of the same copy.
fn copy(
    changes: &mut Changes,
    package: &mut Package<Memory>,
    part: &str,
    name: &str,
    names: &BTreeMap<String, String>,
    left: &mut usize,
) -> Result<(), Failure> {
    if !changes.has(name) {
        let bytes = package.bytes(part, u64::MAX)?.unwrap_or_default();
        *left = left.checked_sub(bytes.len()).ok_or_else(too_large)?;
        changes.added.insert(name.to_owned(), bytes);
    }
    let Some(source) = package.text(&part_of(part))? else { return Ok(()) };
    let markup = scan(&source)?;
    let mut edits = Vec::new();
    for (_, element) in markup.named("Relationship") {
        let is_external = value(&source, element, "TargetMode").is_some_and(|mode| mode == "External");
        let target = value(&source, element, "Target").filter(|_| !is_external).map(|target| resolved(part, &target));
        if let Some(own) = target.and_then(|target| names.get(&target)) {
            edits.push((element.range(), edited(&source, element, &[("Target", format!("/{own}"))])));
        }
    }
    let text = applied(&source, edits);
    *left = left.checked_sub(text.len()).ok_or_else(too_large)?;
    changes.added.insert(part_of(name), text.into_bytes());
    Ok(())
}

/// The source without elements of a kind that name one of these relationships.
fn without(source: &str, is_kind: impl Fn(&str) -> bool, attribute: &str, ids: &[String]) -> Result<String, Failure> {
    let markup = scan(source)?;
    let is_gone = |element: &&Element<'_>| {
        is_kind(element.local()) && value(source, element, attribute).is_some_and(|id| ids.contains(&id))
    };
    let edits = markup.elements.iter().filter(is_gone).map(|element| (element.range(), String::new())).collect();
    Ok(applied(source, edits))
}
