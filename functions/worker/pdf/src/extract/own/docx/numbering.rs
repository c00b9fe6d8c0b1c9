//! Lists of a Word document: which are numbered, and by which number.

use std::collections::HashMap;

use roxmltree::Node;

use crate::extract::own::package::{attribute, child, elements};

const LEVELS: usize = 9;

#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// By the id of a list: its definition, and the starts that it changes.
    lists: HashMap<u32, (u32, HashMap<usize, u32>)>,
    definitions: HashMap<u32, [Level; LEVELS]>,
    counters: HashMap<u32, [Option<u32>; LEVELS]>,
    /// Lists whose own starts were taken.
    started: HashMap<u32, [bool; LEVELS]>,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    kind: Kind,
    start: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bullet,
    Number,
    /// Neither a number nor a bullet is shown.
    None,
}

/// How an item is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Bullet,
    Number(u32),
    None,
}

impl Numbering {
    pub(super) fn read(root: Node<'_, '_>) -> Self {
        let mut numbering = Self::default();
        for node in elements(root, "abstractNum") {
            let Some(id) = number(node, "abstractNumId") else { continue };
            let mut levels = [Level { kind: Kind::Bullet, start: 1 }; LEVELS];
            for level in elements(node, "lvl") {
                let Some(place) = index(level).and_then(|index| levels.get_mut(index)) else { continue };
                let value = |name| child(level, name).and_then(|node| attribute(node, "val"));
                let is_written = value("lvlText").is_some_and(|text| !text.is_empty());
                place.kind = match value("numFmt") {
                    Some("bullet") => Kind::Bullet,
                    Some("none") => Kind::None,
                    Some(_) | None if is_written => Kind::Number,
                    Some(_) | None => Kind::None,
                };
                place.start = value("start").and_then(|start| start.parse().ok()).unwrap_or(0);
            }
            numbering.definitions.insert(id, levels);
        }
        for node in elements(root, "num") {
            let definition = child(node, "abstractNumId").and_then(|node| number(node, "val"));
            let (Some(id), Some(definition)) = (number(node, "numId"), definition) else { continue };
            let starts = elements(node, "lvlOverride").filter_map(|level| {
                let start = child(level, "startOverride").and_then(|node| number(node, "val"))?;
                Some((index(level)?, start))
            });
            numbering.lists.insert(id, (definition, starts.collect()));
        }
        numbering
    }

    /// Counts an item, and tells how it is marked. `None`: there is no such list.
    pub(super) fn next(&mut self, list: u32, level: usize) -> Option<Marker> {
        let (definition, starts) = self.lists.get(&list)?;
        let levels = self.definitions.get(definition)?;
        let Level { kind, start } = *levels.get(level)?;
        let counters = self.counters.entry(*definition).or_default();
        let started = self.started.entry(list).or_default().get_mut(level)?;
        let own_start = starts.get(&level).filter(|_| !*started);
        *started = true;
        let counter = counters.get_mut(level)?;
        let next = match (own_start, &counter) {
            (Some(start), _) => *start,
            (None, Some(number)) => number.saturating_add(1),
            (None, None) => start,
        };
        *counter = Some(next);
        // Lower levels begin again.
        counters.iter_mut().skip(level + 1).for_each(|counter| *counter = None);
        Some(match kind {
            Kind::Bullet => Marker::Bullet,
            Kind::Number => Marker::Number(next),
            Kind::None => Marker::None,
        })
    }
}

fn number(node: Node<'_, '_>, name: &str) -> Option<u32> {
    attribute(node, name).and_then(|value| value.parse().ok())
}

fn index(node: Node<'_, '_>) -> Option<usize> {
    attribute(node, "ilvl").and_then(|value| value.parse().ok())
}
