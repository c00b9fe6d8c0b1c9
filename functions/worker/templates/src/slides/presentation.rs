//! The lists of a presentation: its slides, the slides of sections and those of custom shows.

use std::ops::Range;

use docmill_package::markup::{applied, edited, scan, value};
use docmill_package::relations::part_of;
use docmill_package::{Changes, Memory, Package};

use super::{Listed, PRESENTATION, Plan};
use crate::problem::Failure;

/// The numbers that slides may have (ECMA-376, `ST_SlideId`).
const IDS: Range<u32> = 256..1 << 31;

/// A slide that is shown: one of the template, or a copy.
struct Shown<'p> {
    slide: &'p Listed,
    id: String,
    relation: String,
    /// The part of a copy.
    copy: Option<&'p str>,
}

/// Brings copies into the lists, and takes slides that are not shown out of them.
pub(super) fn list(plan: &Plan<'_>, changes: &mut Changes, package: &mut Package<Memory>) -> Result<(), Failure> {
    let shown = shown(plan);
    let related = part_of(PRESENTATION);
    let relations = package.needed(&related)?;
    changes.set(package, &related, with_relations(&relations, &shown)?);
    let source = package.needed(PRESENTATION)?;
    changes.set(package, PRESENTATION, with_slides(&source, &shown)?);
    Ok(())
}

/// The slides that are shown, in order. Those of a group follow each other for each entry. For each group apart.
fn shown<'p>(plan: &'p Plan<'_>) -> Vec<Vec<Shown<'p>>> {
    let all = plan.deck.groups.iter().flat_map(|group| &group.slides);
    let numbers = all.filter_map(|slide| slide.id.parse().ok()).filter(|id| IDS.contains(id));
    let mut last = numbers.fold(IDS.start, u32::max);
    let mut copies = 0;
    let mut groups = Vec::new();
    for (group, passes) in plan.deck.groups.iter().zip(&plan.passes) {
        let own = |slide| Shown { slide, id: slide.id.clone(), relation: slide.relation.clone(), copy: None };
        let mut shown = Vec::new();
        if group.opening.is_none() || !passes.is_empty() {
            shown.extend(group.slides.iter().map(own));
        }
        for names in passes.iter().skip(1) {
            for slide in &group.slides {
                (last, copies) = (last + 1, copies + 1);
                let relation = format!("docmillSlide{copies}");
                shown.push(Shown {
                    slide,
                    id: last.to_string(),
                    relation,
                    copy: names.get(&slide.part).map(String::as_str),
                });
            }
        }
        groups.push(shown);
    }
    groups
}

fn with_relations(source: &str, groups: &[Vec<Shown<'_>>]) -> Result<String, Failure> {
    let markup = scan(source)?;
    let mut edits = Vec::new();
    for (_, element) in markup.named("Relationship") {
        let is_slide = value(source, element, "Type").is_some_and(|kind| kind.ends_with("/slide"));
        let Some(id) = value(source, element, "Id").filter(|_| is_slide) else { continue };
        let own = groups.iter().flatten().filter(|shown| shown.slide.relation == id);
        let own = own.map(|shown| match shown.copy {
            Some(part) => edited(source, element, &[("Id", shown.relation.clone()), ("Target", format!("/{part}"))]),
            None => source.get(element.range()).unwrap_or_default().to_owned(),
        });
        edits.push((element.range(), own.collect::<String>()));
    }
    Ok(applied(source, edits))
}

fn with_slides(source: &str, groups: &[Vec<Shown<'_>>]) -> Result<String, Failure> {
    let markup = scan(source)?;
    let mut edits = Vec::new();
    for element in &markup.elements {
        let attribute = |name| value(source, element, name);
        let text = match element.local() {
            "sldId" => {
                let Some(id) = attribute("id") else { continue };
                // Its group follows the first of its slides.
                let group = groups.iter().find(|group| group.iter().any(|shown| shown.slide.id == id));
                let first = group.and_then(|group| group.first()).filter(|first| first.slide.id == id);
                let own = group.filter(|_| first.is_some()).into_iter().flatten();
                own.map(|shown| edited(source, element, &[("id", shown.id.clone()), ("r:id", shown.relation.clone())]))
                    .collect()
            }
            // Of a custom show, in its own order.
            "sld" => {
                let Some(relation) = attribute("r:id") else { continue };
                let own = groups.iter().flatten().filter(|shown| shown.slide.relation == relation);
                own.map(|shown| edited(source, element, &[("r:id", shown.relation.clone())])).collect::<String>()
            }
            _ => continue,
        };
        edits.push((element.range(), text));
    }
    Ok(applied(source, edits))
}
