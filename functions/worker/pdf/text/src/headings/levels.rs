//! The levels of headings.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::LazyLock;

use super::candidate::{ROMAN, Style, said};
use super::features::{Alike, Among, Local, Whole};
use super::forest::Forest;
use super::whole::Known;

/// The levels that trees tell.
const LEVELS: usize = 5;
/// So many sections are numbered at least where numbers decide.
const NUMBERED: usize = 3;
/// Deeper numbers are no depths of sections.
const DEEPEST: u8 = 5;

static FOREST: LazyLock<Option<Forest>> = LazyLock::new(|| {
    let names = [Local::NAMES, Alike::NAMES, Whole::NAMES, Among::NAMES].concat();
    Forest::parse(include_str!("levels.trees"), &names)
});

/// The level of each heading of a document, from 0. Those that look alike and are numbered alike have the same.
pub(super) fn of(headings: &[&Known], has_title: bool) -> Vec<u8> {
    let among = Among::all(headings, has_title);
    let Some(forest) = FOREST.as_ref() else { return vec![0; headings.len()] };
    let mut sums: HashMap<(Style, u32, bool), [f32; LEVELS]> = HashMap::new();
    for (one, among) in headings.iter().zip(&among) {
        let values: Vec<f32> = one.values().into_iter().chain(among.values()).collect();
        let sum = sums.entry(alike(one)).or_default();
        for (total, share) in sum.iter_mut().zip(shares(forest.sums::<LEVELS>(&values))) {
            *total += share;
        }
    }
    let levels: Vec<u8> = headings.iter().map(|one| sums.get(&alike(one)).map_or(0, best)).collect();
    by_numbers(headings, &levels).unwrap_or(levels)
}

/// The levels of a document whose sections are numbered in several depths: these decide, also for what looks like them.
fn by_numbers(headings: &[&Known], levels: &[u8]) -> Option<Vec<u8>> {
    let decimal = |one: &Known| (1..=DEEPEST).find(|depth| f32::from(*depth) == one.candidate.local.number);
    let highest = headings.iter().filter_map(|one| decimal(one)).min()?;
    // Roman numbers are above 1.1.
    let is_above = |one: &Known| highest > 1 && one.candidate.local.number == ROMAN;
    let below = |one: &Known| if is_above(one) { Some(highest - 1) } else { decimal(one) };
    let numbered: Vec<(u8, Style, u8)> = headings
        .iter()
        .zip(levels)
        .filter_map(|(one, level)| Some((below(one)?, one.candidate.style, *level)))
        .collect();
    let (first, ..) = numbered.iter().min_by_key(|(below, ..)| *below)?;
    if numbered.len() < NUMBERED || numbered.iter().all(|(below, ..)| below == first) {
        return None;
    }
    let top = most(numbered.iter().filter(|(below, ..)| below == first).map(|(.., level)| *level))?;
    let of = |below: u8| top + below - first;
    let of_style =
        |own: Style| most(numbered.iter().filter(|(_, style, _)| *style == own).map(|(below, ..)| of(*below)));
    let level = |(one, level): (&&Known, &u8)| match below(one) {
        Some(below) => of(below),
        None => of_style(one.candidate.style).unwrap_or(*level),
    };
    Some(headings.iter().zip(levels).map(level).collect())
}

/// The most frequent one, or the lowest of these.
fn most(levels: impl Iterator<Item = u8>) -> Option<u8> {
    let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
    levels.for_each(|level| *counts.entry(level).or_default() += 1);
    counts.into_iter().max_by_key(|(level, count)| (*count, std::cmp::Reverse(*level))).map(|(level, _)| level)
}

fn alike(one: &Known) -> (Style, u32, bool) {
    (one.candidate.style, depth(one).to_bits(), one.candidate.local.number > f32::from(DEEPEST))
}

/// What adds up to 1.
fn shares(sums: [f32; LEVELS]) -> [f32; LEVELS] {
    let most = sums.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let powers = sums.map(|sum| (sum - most).exp());
    let total: f32 = powers.iter().sum();
    powers.map(|power| power / total)
}

fn best(sums: &[f32; LEVELS]) -> u8 {
    let mut best = (0, f32::NEG_INFINITY);
    for (level, sum) in (0..).zip(sums) {
        if *sum > best.1 {
            best = (level, *sum);
        }
    }
    best.0
}

/// How deep its number is; 0 without one.
fn depth(one: &Known) -> f32 {
    let number = one.candidate.local.number;
    if number <= f32::from(DEEPEST) { number } else { 0.0 }
}

fn style(one: &Known) -> (i32, bool) {
    (one.candidate.style.size, one.candidate.style.bold)
}

/// The shares of styles that are higher: larger ones, and bold ones of the same size.
fn higher(types: &BTreeMap<(i32, bool), f32>, own: (i32, bool)) -> impl Iterator<Item = f32> {
    types.range((Bound::Excluded(own), Bound::Unbounded)).map(|(_, share)| *share)
}

impl Among {
    fn all(headings: &[&Known], has_title: bool) -> Vec<Self> {
        let depths = || headings.iter().map(|one| depth(one)).filter(|depth| *depth > 0.0);
        let count = (headings.len() as f32).max(1.0);
        let mut of_style: HashMap<Style, f32> = HashMap::new();
        let mut of_type: BTreeMap<(i32, bool), f32> = BTreeMap::new();
        for one in headings {
            *of_style.entry(one.candidate.style).or_default() += 1.0 / count;
            *of_type.entry(style(one)).or_default() += 1.0 / count;
        }
        let of_document = Self {
            styles: of_type.len() as f32,
            min_depth: depths().reduce(f32::min).unwrap_or(0.0),
            max_depth: depths().reduce(f32::max).unwrap_or(0.0),
            numbered_share: depths().count() as f32 / count,
            has_title: said(has_title),
            ..Self::default()
        };
        let mut seen: Vec<(i32, bool)> = Vec::new();
        let mut all = Vec::new();
        for (at, one) in headings.iter().enumerate() {
            let own = style(one);
            if !seen.contains(&own) {
                seen.push(own);
            }
            let before = at.checked_sub(1).and_then(|at| headings.get(at));
            let after = headings.get(at + 1);
            let size = one.candidate.size;
            let differs = |other: &&&Known| (other.candidate.size - size) / size.max(1.0);
            all.push(Self {
                size_rank: higher(&of_type, own).count() as f32,
                size_share: higher(&of_type, own).sum(),
                depth: depth(one),
                is_first: said(at == 0),
                prev_size: before.as_ref().map_or(0.0, differs),
                next_size: after.as_ref().map_or(0.0, differs),
                prev_depth: before.map_or(0.0, |before| depth(before) - depth(one)),
                prev_same: said(before.is_some_and(|before| before.candidate.style == one.candidate.style)),
                count: of_style.get(&one.candidate.style).copied().unwrap_or_default(),
                first_style: said(seen.first() == Some(&own)),
                first_rank: seen.iter().position(|style| *style == own).unwrap_or(0) as f32,
                below_is_heading: said(after.is_some() && one.candidate.local.below_kind == 1.0),
                ..of_document
            });
        }
        all
    }
}

#[cfg(test)]
pub(super) fn is_known() -> bool {
    FOREST.is_some()
}
