//! How candidates stand in the whole document.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use super::Candidates;
use super::candidate::{Candidate, said};
use super::features::{Alike, Local, Whole};

/// Larger counts are as large.
const MANY: usize = 9;
const MOST: f32 = 99.0;
/// So many lines with leaders are a table of contents, with so many steps at most, which are so many points apart.
const ENTRIES: usize = 3;
const STEPS: usize = 5;
const STEP: f32 = 4.0;
/// Type that is larger than the text by this factor is larger for sure.
pub(super) const LARGER: f32 = 1.12;

/// A candidate with all that is known of it.
#[derive(Debug)]
pub(super) struct Known {
    pub candidate: Candidate,
    pub alike: Alike,
    pub whole: Whole,
}

impl Known {
    pub(super) fn values(&self) -> Vec<f32> {
        self.candidate.local.values().chain(self.alike.values()).chain(self.whole.values()).collect()
    }
}

/// All that is known of the candidates.
pub(super) fn known(candidates: Candidates, body: f32) -> Vec<Known> {
    let Candidates { mut found, entries, all, bold, blocks, pages, .. } = candidates;
    let is_listed = entries.len() >= ENTRIES;
    for one in &mut found {
        one.local.listed = said(is_listed && entries.contains_key(&one.name));
    }
    let pages = (pages.len() as f32).max(1.0);
    let of_group = grouped(&found, Candidate::group);
    let alike: HashMap<_, Alike> =
        of_group.into_iter().map(|(group, members)| (group, means(&members, pages))).collect();
    let document = OfDocument::new(&found, &entries, body, pages);
    let whole: Vec<Whole> = found
        .iter()
        .map(|one| Whole {
            bold_share: bold as f32 / (all as f32).max(1.0),
            density: (blocks as f32 / pages).min(MOST),
            ..document.of(one)
        })
        .collect();
    found
        .into_iter()
        .zip(whole)
        .map(|(mut candidate, whole)| {
            let alike = alike.get(&candidate.group()).copied().unwrap_or_default();
            if !is_listed {
                candidate.local.listed = -1.0;
            }
            Known { candidate, alike, whole }
        })
        .collect()
}

fn grouped<K: Eq + Hash>(found: &[Candidate], key: impl Fn(&Candidate) -> K) -> HashMap<K, Vec<&Candidate>> {
    let mut groups: HashMap<K, Vec<&Candidate>> = HashMap::new();
    found.iter().for_each(|one| groups.entry(key(one)).or_default().push(one));
    groups
}

fn means(members: &[&Candidate], pages: f32) -> Alike {
    let count = members.len() as f32;
    let mean = |of: fn(&Local) -> f32| members.iter().map(|one| of(&one.local)).sum::<f32>() / count.max(1.0);
    let below = |kind: f32| members.iter().filter(|one| one.local.below_kind == kind).count() as f32 / count.max(1.0);
    Alike {
        of_chars: mean(|local| local.chars),
        of_ends: mean(|local| local.ends),
        of_colon: mean(|local| local.colon),
        of_lower: mean(|local| local.lower),
        of_titled: mean(|local| local.titled),
        of_below_words: mean(|local| local.below_words),
        of_below_same: mean(|local| local.below_same),
        of_above_same: mean(|local| local.above_same),
        of_above_gap: mean(|local| local.above_gap),
        of_below_gap: mean(|local| local.below_gap),
        of_lines: mean(|local| local.lines),
        of_indent: mean(|local| local.indent),
        of_first: mean(|local| local.first),
        of_listed: mean(|local| local.listed),
        of_count: count.min(MOST),
        of_page: count / pages,
        of_pages: pages_of(members) / pages,
        of_below_items: below(3.0),
        of_below_tables: below(4.0),
        of_below_headings: below(1.0),
        of_below_texts: below(2.0),
    }
}

fn pages_of(members: &[&Candidate]) -> f32 {
    members.iter().map(|one| one.page).collect::<HashSet<_>>().len() as f32
}

/// What is counted once for a document.
struct OfDocument<'d> {
    body: f32,
    pages: f32,
    entries: &'d HashMap<u64, f32>,
    /// How many blocks have a style, and on how many pages.
    styles: HashMap<super::candidate::Style, (f32, f32)>,
    sizes: BTreeSet<i32>,
    /// The styles of headings by rules.
    ruled: BTreeSet<(i32, bool)>,
    names: HashMap<u64, usize>,
    steps: Vec<f32>,
    rules: f32,
    larger_share: f32,
}

impl<'d> OfDocument<'d> {
    fn new(found: &[Candidate], entries: &'d HashMap<u64, f32>, body: f32, pages: f32) -> Self {
        let rules: Vec<&Candidate> = found.iter().filter(|one| one.local.rule > 0.0).collect();
        let styles = grouped(found, |one| one.style);
        let larger = found.iter().filter(|one| one.size > body * LARGER).count();
        Self {
            body,
            pages,
            entries,
            styles: styles.into_iter().map(|(of, one)| (of, (one.len() as f32, pages_of(&one)))).collect(),
            sizes: found.iter().map(|one| one.style.size).collect(),
            ruled: rules.iter().map(|one| (one.style.size, one.style.bold)).collect(),
            names: grouped(found, |one| one.name).into_iter().map(|(of, one)| (of, one.len())).collect(),
            steps: steps(entries),
            rules: rules.len() as f32 / pages,
            larger_share: larger as f32 / pages,
        }
    }

    fn of(&self, one: &Candidate) -> Whole {
        let own = (one.style.size, one.style.bold);
        let (style, style_pages) = self.styles.get(&one.style).copied().unwrap_or_default();
        Whole {
            ratio: if self.body > 0.0 { one.size / self.body } else { 1.0 },
            style: style / self.pages,
            style_pages: style_pages / self.pages,
            larger: few(self.sizes.iter().filter(|size| **size > one.style.size).count()),
            ruled: few(self.ruled.iter().filter(|style| **style > own).count()),
            ruled_styles: few(self.ruled.len()),
            rules: self.rules,
            larger_share: self.larger_share,
            repeated: few(self.names.get(&one.name).copied().unwrap_or_default()),
            step: self.step(one.name),
            pages: self.pages.min(MOST),
            ..Whole::default()
        }
    }

    fn step(&self, name: u64) -> f32 {
        match self.entries.get(&name) {
            Some(x) if self.entries.len() >= ENTRIES => {
                let before = self.steps.iter().filter(|step| **step <= x + 0.01).count();
                before.saturating_sub(1).min(STEPS) as f32
            }
            Some(_) | None => -1.0,
        }
    }
}

/// How far the lines of a table of contents are indented.
fn steps(entries: &HashMap<u64, f32>) -> Vec<f32> {
    let mut all: Vec<f32> = entries.values().copied().collect();
    all.sort_by(f32::total_cmp);
    let mut steps: Vec<f32> = Vec::new();
    for x in all {
        if steps.last().is_none_or(|last| x > last + STEP) {
            steps.push(x);
        }
    }
    steps
}

fn few(count: usize) -> f32 {
    count.min(MANY) as f32
}
