//! Bookmarks, which name headings, their pages and their levels.

use std::collections::{BTreeSet, HashMap, HashSet};

use docmill_pdf_core::pdfium::Bookmark;

use super::candidate::{Style, letters_hash};
use super::whole::Known;

/// Fewer bookmarks that name text of the document say nothing of its headings: some only lead to pages.
const LEAST: usize = 3;
/// The least share of bookmarks on the pages read that name text there.
const SHARE: f32 = 0.5;

/// What the document's own data name: its title, and its headings by bookmarks.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The hash of its letters.
    pub(super) title: Option<u64>,
    /// The levels of each heading, by its letters and page, from 1.
    levels: HashMap<(u64, u32), Vec<u8>>,
}

/// The levels, from 0, that bookmarks give to headings.
#[derive(Debug, Default)]
pub(super) struct Outlined {
    /// By the number of the candidate.
    pub levels: HashMap<usize, u8>,
    /// Of those that look alike.
    by_style: HashMap<Style, u8>,
}

impl Outline {
    pub(crate) fn new(title: &str, bookmarks: &[Bookmark]) -> Self {
        let mut outline = Self { title: letters_hash(title), ..Self::default() };
        for bookmark in bookmarks {
            if let (Some(page), Some(name)) = (bookmark.page, letters_hash(&bookmark.title)) {
                outline.levels.entry((name, page + 1)).or_default().push(bookmark.level);
            }
        }
        outline
    }

    /// What it says of the headings on these pages. Nothing, if it rarely names their text.
    pub(super) fn of(&self, known: &[Known], pages: &[u32]) -> Outlined {
        let read: HashSet<&u32> = pages.iter().collect();
        let mut waiting = self.levels.clone();
        waiting.retain(|(_, page), _| read.contains(page));
        let all: usize = waiting.values().map(Vec::len).sum();
        let mut found: Vec<(usize, u8)> = Vec::new();
        for (at, one) in known.iter().enumerate() {
            let Some(page) = pages.get(one.candidate.page) else { continue };
            let Some(levels) = waiting.get_mut(&(one.candidate.name, *page)) else { continue };
            if !levels.is_empty() && one.candidate.local.entry == 0.0 {
                found.push((at, levels.remove(0)));
            }
        }
        if found.len() < LEAST || (found.len() as f32) < all as f32 * SHARE {
            return Outlined::default();
        }
        Outlined::new(&found, known)
    }
}

impl Outlined {
    fn new(found: &[(usize, u8)], known: &[Known]) -> Self {
        let ranks: BTreeSet<u8> = found.iter().map(|(_, level)| *level).collect();
        let rank = |level: u8| ranks.range(..level).count().try_into().unwrap_or(u8::MAX);
        let levels: HashMap<usize, u8> = found.iter().map(|(at, level)| (*at, rank(*level))).collect();
        let mut counts: HashMap<Style, HashMap<u8, usize>> = HashMap::new();
        for (at, level) in &levels {
            if let Some(one) = known.get(*at) {
                *counts.entry(one.candidate.style).or_default().entry(*level).or_default() += 1;
            }
        }
        let most = |levels: HashMap<u8, usize>| levels.into_iter().max_by_key(|(level, count)| (*count, *level));
        let by_style =
            counts.into_iter().filter_map(|(style, levels)| most(levels).map(|(level, _)| (style, level))).collect();
        Self { levels, by_style }
    }

    /// The level of each of these headings, from 0, with their numbers among the candidates. `None`: bookmarks say nothing.
    pub(super) fn levels(&self, headings: &[(usize, &Known)]) -> Option<Vec<u8>> {
        let level = |(at, one): &(usize, &Known)| self.levels.get(at).copied().unwrap_or_else(|| self.level(one));
        (!self.levels.is_empty()).then(|| headings.iter().map(level).collect())
    }

    /// The level of a heading that no bookmark names: that of what looks alike, or else one below those in higher type.
    fn level(&self, of: &Known) -> u8 {
        let own = of.candidate.style;
        let higher = |style: &Style| (style.size, style.bold) > (own.size, own.bold);
        self.by_style.get(&own).copied().unwrap_or_else(|| {
            self.by_style.iter().filter(|(style, _)| higher(style)).map(|(_, level)| level + 1).max().unwrap_or(0)
        })
    }
}
