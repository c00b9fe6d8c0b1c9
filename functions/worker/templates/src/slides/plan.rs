//! Which copies of slides there are, and how their parts are called.

use std::collections::{BTreeMap, HashMap, HashSet};

use docmill_package::{Memory, Package};

use super::{Deck, Group, MOST};
use crate::problem::Failure;

/// The copies of a presentation's slides.
#[derive(Debug)]
pub(crate) struct Plan<'d> {
    pub(super) deck: &'d Deck,
    /// For each group, the new names of its parts in each pass. The first pass keeps the names.
    pub(super) passes: Vec<Vec<BTreeMap<String, String>>>,
    slides: usize,
    names: Names,
}

impl<'d> Plan<'d> {
    pub(crate) fn new(deck: &'d Deck, package: &Package<Memory>) -> Self {
        let names = Names { taken: package.names().into_iter().collect(), numbers: HashMap::new() };
        let slides = deck.groups.iter().filter(|group| group.opening.is_none()).map(|group| group.slides.len()).sum();
        Self { deck, passes: vec![Vec::new(); deck.groups.len()], slides, names }
    }

    /// The next pass of a group: how the parts of its copy are called.
    pub(crate) fn pass(&mut self, number: usize, group: &Group) -> Result<&BTreeMap<String, String>, Failure> {
        self.slides += group.slides.len();
        if self.slides > MOST {
            let message = format!("The presentation would have more than {MOST} slides. Use less data, or divide it.");
            return Err(Failure::TooLarge(message));
        }
        let Some(passes) = self.passes.get_mut(number) else { return Err(unknown()) };
        let is_first = passes.is_empty();
        let named = |part: &String| (part.clone(), if is_first { part.clone() } else { self.names.fresh(part) });
        passes.push(group.parts.iter().map(named).collect());
        passes.last().ok_or_else(unknown)
    }
}

fn unknown() -> Failure {
    Failure::Corrupt("a slide is in no group".to_owned())
}

/// The names of parts.
#[derive(Debug)]
struct Names {
    taken: HashSet<String>,
    /// The last number that was given, by what is before it.
    numbers: HashMap<String, usize>,
}

impl Names {
    /// `ppt/slides/slide1.xml` becomes `ppt/slides/slide4.xml`, if there are three.
    fn fresh(&mut self, part: &str) -> String {
        let (stem, extension) = match part.rsplit_once('.') {
            Some((stem, extension)) if !extension.contains('/') => (stem, format!(".{extension}")),
            Some(_) | None => (part, String::new()),
        };
        let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = self.numbers.entry(format!("{stem}{extension}")).or_default();
        loop {
            *number += 1;
            let name = format!("{stem}{number}{extension}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}
