//! Slides that repeat: `{:items}` anywhere on a slide makes a copy of the slide for each entry of a list.
//!
//! A deck knows its slides and the parts that belong to each. While it is filled, `plan` names the parts of copies. Then `copies`
//! writes them, and `presentation` brings them into the lists of the presentation.

mod copies;
mod plan;
mod presentation;

use std::collections::{BTreeSet, HashMap};

use docmill_package::markup::{scan, value};
use docmill_package::{Memory, Package, relations};

use crate::problem::{Failure, Fault, Problem, Reason};
use crate::tag::{Opening, Tag};
use crate::tree::{self, Part};

pub(crate) use plan::Plan;

const PRESENTATION: &str = "ppt/presentation.xml";
/// Most slides of a presentation with copies.
const MOST: usize = 1000;
/// Kinds of parts that slides share. All others belong to one slide.
const SHARED: [&str; 10] = [
    "audio",
    "handoutMaster",
    "image",
    "media",
    "notesMaster",
    "slide",
    "slideLayout",
    "slideMaster",
    "theme",
    "video",
];

/// A slide in the list of its presentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    part: String,
    /// Its number in the list.
    id: String,
    /// Its relationship to the presentation.
    relation: String,
    /// The section of the presentation that has it.
    section: Option<usize>,
}

/// Slides that follow each other and repeat together, or one that does not repeat.
#[derive(Debug)]
pub(crate) struct Group {
    slides: Vec<Listed>,
    opening: Option<Opening>,
    /// The tags that repeat them, for mistakes: the parts and their tags' numbers.
    tags: Vec<(String, usize)>,
    /// The parts that belong to them.
    parts: BTreeSet<String>,
}

/// A presentation with slides that repeat.
#[derive(Debug)]
pub(crate) struct Deck {
    pub(crate) groups: Vec<Group>,
}

impl Group {
    pub(crate) fn opening(&self) -> Option<&Opening> {
        self.opening.as_ref()
    }
}

/// The slides of a presentation, in order.
pub(crate) fn listed(package: &mut Package<Memory>) -> Result<Vec<Listed>, Failure> {
    let (Some(source), Some(related)) = (package.text(PRESENTATION)?, package.text(&relations::part_of(PRESENTATION))?)
    else {
        return Ok(Vec::new());
    };
    let related = relations::internal(PRESENTATION, &related)?;
    let targets: HashMap<_, _> = related.into_iter().map(|relation| (relation.id, relation.target)).collect();
    let markup = scan(&source)?;
    let mut sections = HashMap::new();
    let mut slides = Vec::new();
    for (index, element) in markup.named("sldId") {
        let Some(id) = value(&source, element, "id") else { continue };
        if let Some(relation) = value(&source, element, "r:id") {
            let Some(part) = targets.get(&relation).cloned() else { continue };
            slides.push(Listed { part, id, relation, section: None });
        } else if let Some(section) = markup.ancestors(index).find(|around| markup.local(*around) == "section") {
            sections.insert(id, section);
        }
    }
    for slide in &mut slides {
        slide.section = sections.get(&slide.id).copied();
    }
    Ok(slides)
}

/// The number of a slide, from 1. A presentation without a list has only the names of its parts.
pub(crate) fn number(slides: &[Listed], part: &str) -> Option<u32> {
    let named = || part.strip_prefix("ppt/slides/slide")?.strip_suffix(".xml")?.parse().ok();
    match slides.iter().position(|slide| slide.part == part) {
        Some(place) => u32::try_from(place + 1).ok(),
        None => named(),
    }
}

impl Deck {
    /// `None` if no slide repeats.
    pub(crate) fn read(
        package: &mut Package<Memory>,
        slides: Vec<Listed>,
        parts: &[Part],
        problems: &mut Vec<Problem>,
    ) -> Result<Option<Self>, Failure> {
        let tags: Vec<_> = slides.iter().map(|slide| slide_tag(parts, &slide.part, problems)).collect();
        if tags.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut groups: Vec<Group> = Vec::new();
        for (slide, tag) in slides.into_iter().zip(tags) {
            let own = owned(package, &slide.part)?;
            let opening = tag.map(|(_, opening)| opening.clone());
            let together = groups.last_mut().filter(|group| {
                opening.is_some()
                    && group.opening == opening
                    && group.slides.last().is_some_and(|last| last.section == slide.section)
            });
            let tags = tag.map(|(number, _)| (slide.part.clone(), number)).into_iter().collect();
            match together {
                Some(group) => {
                    group.slides.push(slide);
                    group.tags.extend(tags);
                    group.parts.extend(own);
                }
                None => groups.push(Group { slides: vec![slide], opening, tags, parts: own }),
            }
        }
        Ok(Some(Self { groups }))
    }

    /// The number of the group that repeats this part.
    pub(crate) fn repeated(&self, part: &str) -> Option<usize> {
        self.groups.iter().position(|group| group.opening.is_some() && group.parts.contains(part))
    }

    /// Reports what is wrong with the data of a group's tags.
    pub(crate) fn report(&self, parts: &[Part], group: usize, fault: &Fault, problems: &mut Vec<Problem>) {
        for (part, tag) in self.groups.get(group).into_iter().flat_map(|group| &group.tags) {
            let written = parts.iter().find(|own| own.name == *part).and_then(|own| own.tags.get(*tag));
            if let Some(written) = written {
                tree::report(problems, fault.clone().at(&written.text, &written.place));
            }
        }
    }
}

/// The tag that repeats a slide, with its number. More of them are mistakes.
fn slide_tag<'p>(parts: &'p [Part], slide: &str, problems: &mut Vec<Problem>) -> Option<(usize, &'p Opening)> {
    let part = parts.iter().find(|part| part.name == slide)?;
    let mut tags = part.tags.iter().enumerate().filter_map(|(number, written)| {
        let Tag::Slide(opening) = &written.tag else { return None };
        Some((number, opening, written))
    });
    let (number, opening, first) = tags.next()?;
    for (_, _, further) in tags {
        let message = format!("The slide is repeated by `{}` already. A slide has one such tag.", first.text);
        tree::report(problems, Fault::new(Reason::Misplaced, message).at(&further.text, &further.place));
    }
    Some((number, opening))
}

/// A slide with the parts that belong to it, such as its notes and charts.
fn owned(package: &mut Package<Memory>, slide: &str) -> Result<BTreeSet<String>, Failure> {
    let mut owned = BTreeSet::new();
    let mut waiting = vec![slide.to_owned()];
    while let Some(part) = waiting.pop() {
        if !package.has(&part) || !owned.insert(part.clone()) {
            continue;
        }
        if let Some(source) = package.text(&relations::part_of(&part))? {
            let related = relations::internal(&part, &source)?;
            waiting.extend(related.into_iter().filter(|to| !SHARED.contains(&to.kind.as_str())).map(|to| to.target));
        }
    }
    Ok(owned)
}
