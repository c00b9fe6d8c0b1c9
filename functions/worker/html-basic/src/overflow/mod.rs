//! What is longer than a page. The layout engine breaks blocks, lines and rows of tables; a cell, a row of flex or grid items, an
//! inline block and a positioned box stay in one piece, and what does not fit on the page is drawn below it. Here it comes onto pages
//! of its own, divided between lines.

mod bands;
mod matrix;
mod units;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use bands::Band;
use matrix::number;
use units::Unit;

/// What lies below a page by less is rounding.
const SLACK: f64 = 0.5;

/// A part is at least this high, in points, whatever the margins.
const LEAST_ROOM: f64 = 72.0;

/// The margins of pages, in points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margins {
    pub(super) top: f64,
    pub(super) bottom: f64,
    /// Whether the page's CSS puts text into them.
    pub(super) have_text: bool,
}

/// A page with something below it.
struct Long {
    id: ObjectId,
    height: f64,
    operations: Vec<Operation>,
    units: Vec<Unit>,
}

/// Adds pages for what is drawn below a page. Returns how many.
pub(super) fn spread(pdf: &Path, margins: Margins) -> lopdf::Result<usize> {
    let mut document = Document::load(pdf)?;
    let long = long_pages(&document)?;
    if long.is_empty() {
        return Ok(0);
    }
    let repeated = repeated(&long);
    let (mut added, mut moved) = (0, BTreeMap::new());
    for page in &long {
        if units::lowest(&page.units, &page.operations, &repeated) > page.height + SLACK {
            let parts = divide(&mut document, page, margins)?;
            added += parts.len();
            moved.insert(page.id, parts);
        }
    }
    if added > 0 {
        move_destinations(&mut document, &moved, &heights(&long));
        drop_blank_pages(&mut document, &moved);
        document.save(pdf)?;
    }
    Ok(added)
}

fn heights(pages: &[Long]) -> BTreeMap<ObjectId, f64> {
    pages.iter().map(|page| (page.id, page.height)).collect()
}

fn long_pages(document: &Document) -> lopdf::Result<Vec<Long>> {
    let mut long = Vec::new();
    for id in document.page_iter() {
        let content = document.get_page_content(id);
        if !may_be_long(&content) {
            continue;
        }
        let Some(height) = height(document, id) else { continue };
        let operations = Content::decode(&content)?.operations;
        let units = units::read(document, id, &operations, height);
        if units.iter().any(|unit| unit.is_content() && unit.bottom > height + SLACK) {
            long.push(Long { id, height, operations, units });
        }
    }
    Ok(long)
}

/// Whether text, a picture or another space may begin at a negative height. Most pages are told by this, without reading them.
fn may_be_long(content: &[u8]) -> bool {
    let mut last = [false; 2];
    content.split(|byte| byte.is_ascii_whitespace()).any(|token| {
        let is_negative_height = last[0] && matches!(token, b"Tm" | b"cm" | b"Td");
        last = [token.starts_with(b"-"), last[0]];
        is_negative_height
    })
}

fn height(document: &Document, page: ObjectId) -> Option<f64> {
    let page = document.get_dictionary(page).ok()?;
    let area = document.dereference(page.get(b"MediaBox").ok()?).ok()?.1.as_array().ok()?;
    area.get(3).and_then(number)
}

/// Text and pictures that are the same on several pages, as those with a fixed position.
fn repeated(pages: &[Long]) -> HashSet<u64> {
    let mut counts = HashMap::<u64, usize>::new();
    for page in pages {
        let below = page.units.iter().filter(|unit| unit.is_content() && unit.bottom > page.height + SLACK);
        for mark in below.map(|unit| units::mark(unit, &page.operations)).collect::<HashSet<_>>() {
            *counts.entry(mark).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(mark, _)| mark).collect()
}

/// A page for a part of a long one.
struct Part {
    page: ObjectId,
    band: Band,
    /// How far its content is moved up, in points.
    rise: f64,
}

/// Leaves the first part on a page, and adds the others after it.
fn divide(document: &mut Document, long: &Long, margins: Margins) -> lopdf::Result<Vec<Part>> {
    let room = (long.height - margins.top - margins.bottom).max(LEAST_ROOM);
    // The text of margins is drawn last.
    let in_margin = |unit: &Unit| {
        unit.bottom <= margins.top || (unit.top >= long.height - margins.bottom && unit.bottom <= long.height)
    };
    let of_margins = if margins.have_text {
        let content = long.units.iter().rposition(|unit| !in_margin(unit)).map_or(0, |last| last + 1);
        long.units.get(content).map_or(long.operations.len(), |unit| unit.operations.start)
    } else {
        long.operations.len()
    };
    let units: Vec<&Unit> = long.units.iter().filter(|unit| unit.operations.end <= of_margins).collect();
    let first = (long.height - margins.bottom).max(LEAST_ROOM);
    let bands = bands::divide(&units, first, room);
    let template = document.get_dictionary(long.id)?.clone();
    let annotations = annotations(document, &template);
    let (body, running) = long.operations.split_at(of_margins);
    let mut parts = Vec::new();
    for (number, band) in bands.iter().enumerate() {
        let rise = if number == 0 { 0.0 } else { band.top - margins.top };
        let mut operations = part(body, &units, *band, room, (long.height, rise));
        let page = if number == 0 {
            // Spaces that were set before last for what is drawn on margins.
            operations.extend(body.first().filter(|operation| operation.operator == "cm").cloned());
            operations.extend_from_slice(running);
            long.id
        } else {
            document.add_object(template.clone())
        };
        let content = Content { operations }.encode()?;
        let mut stream = Stream::new(Dictionary::new(), content);
        stream.compress()?;
        let content = document.add_object(stream);
        let here = annotations.iter().filter(|(_, below)| band.top <= *below && *below < band.bottom);
        let here: Vec<ObjectId> = here.map(|(annotation, _)| *annotation).collect();
        for annotation in &here {
            rise_annotation(document, *annotation, rise, page);
        }
        let dictionary = document.get_dictionary_mut(page)?;
        dictionary.set("Contents", content);
        dictionary.remove(b"Annots");
        if !here.is_empty() {
            dictionary.set("Annots", here.into_iter().map(Object::Reference).collect::<Vec<_>>());
        }
        if number > 0 {
            parts.push(Part { page, band: *band, rise });
        }
    }
    let new: Vec<ObjectId> = parts.iter().map(|part| part.page).collect();
    insert_after(document, long.id, &new)?;
    Ok(parts)
}

/// The operations that draw a part.
fn part(
    operations: &[Operation],
    units: &[&Unit],
    band: Band,
    room: f64,
    (height, rise): (f64, f64),
) -> Vec<Operation> {
    let mut left_out = units.iter().filter(|unit| !band.has(unit, room)).peekable();
    let mut kept = vec![Operation::new("q", Vec::new())];
    kept.push(operation("cm", &[1.0, 0.0, 0.0, 1.0, 0.0, rise]));
    /// Wider than any page.
    const FAR: f64 = 100_000.0;
    let (top, bottom) = (height - band.top.max(-FAR), height - band.bottom.min(FAR));
    kept.push(operation("re", &[-FAR, bottom, 2.0 * FAR, top - bottom]));
    kept.extend(["W", "n"].map(|operator| Operation::new(operator, Vec::new())));
    for (index, operation) in operations.iter().enumerate() {
        while left_out.peek().is_some_and(|unit| unit.operations.end <= index) {
            left_out.next();
        }
        if left_out.peek().is_none_or(|unit| index < unit.operations.start) {
            kept.push(operation.clone());
        }
    }
    kept.push(Operation::new("Q", Vec::new()));
    kept
}

/// A number as PDFs have it.
#[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
fn real(number: f64) -> Object {
    Object::Real(number as f32)
}

fn operation(operator: &str, numbers: &[f64]) -> Operation {
    Operation::new(operator, numbers.iter().copied().map(real).collect())
}

/// A page's annotations, with the distance of their middle from the top of the page.
fn annotations(document: &Document, page: &Dictionary) -> Vec<(ObjectId, f64)> {
    let list = page.get(b"Annots").and_then(|list| document.dereference(list)).and_then(|(_, list)| list.as_array());
    let ids = list.into_iter().flatten().filter_map(|annotation| annotation.as_reference().ok());
    let height =
        page.get(b"MediaBox").and_then(|area| document.dereference(area)).and_then(|(_, area)| area.as_array());
    let height = height.ok().and_then(|area| area.get(3)).and_then(number).unwrap_or_default();
    let middle = |id: ObjectId| {
        let area = document.get_dictionary(id).and_then(|annotation| annotation.get(b"Rect"));
        let area = area.and_then(Object::as_array).ok()?;
        let [low, high] = [1, 3].map(|index| area.get(index).and_then(number));
        Some((id, height - f64::midpoint(low?, high?)))
    };
    ids.filter_map(middle).collect()
}

fn rise_annotation(document: &mut Document, annotation: ObjectId, rise: f64, page: ObjectId) {
    let Ok(annotation) = document.get_dictionary_mut(annotation) else { return };
    if annotation.has(b"P") {
        annotation.set("P", page);
    }
    let Ok(area) = annotation.get_mut(b"Rect").and_then(Object::as_array_mut) else { return };
    for side in area.iter_mut().skip(1).step_by(2) {
        *side = number(side).map_or(side.clone(), |height| real(height + rise));
    }
}

/// Inserts pages after another one.
fn insert_after(document: &mut Document, page: ObjectId, new: &[ObjectId]) -> lopdf::Result<()> {
    let parent = document.get_dictionary(page)?.get(b"Parent")?.as_reference()?;
    let kids = document.get_dictionary_mut(parent)?.get_mut(b"Kids")?.as_array_mut()?;
    let place = kids.iter().position(|kid| kid.as_reference().ok() == Some(page)).map_or(kids.len(), |place| place + 1);
    kids.splice(place..place, new.iter().copied().map(Object::Reference));
    let mut ancestor = Some(parent);
    while let Some(id) = ancestor {
        let pages = document.get_dictionary_mut(id)?;
        let count = pages.get(b"Count")?.as_i64()?;
        pages.set("Count", count + i64::try_from(new.len()).unwrap_or(0));
        ancestor = pages.get(b"Parent").and_then(Object::as_reference).ok();
    }
    Ok(())
}

/// Lets links and bookmarks lead to the parts of pages that their goals are on now.
fn move_destinations(
    document: &mut Document,
    moved: &BTreeMap<ObjectId, Vec<Part>>,
    heights: &BTreeMap<ObjectId, f64>,
) {
    for object in document.objects.values_mut() {
        move_destination(object, moved, heights);
    }
}

fn move_destination(object: &mut Object, moved: &BTreeMap<ObjectId, Vec<Part>>, heights: &BTreeMap<ObjectId, f64>) {
    match object {
        Object::Array(items) => {
            if let [Object::Reference(page), Object::Name(kind), _, goal, ..] = items.as_mut_slice()
                && kind == b"XYZ"
                && let (Some(parts), Some(height), Some(at)) = (moved.get(page), heights.get(page), number(goal))
            {
                let below = height - at;
                if let Some(part) = parts.iter().find(|part| part.band.top <= below && below < part.band.bottom) {
                    *page = part.page;
                    *goal = real(at + part.rise);
                }
                return;
            }
            items.iter_mut().for_each(|item| move_destination(item, moved, heights));
        }
        Object::Dictionary(entries) => {
            entries.iter_mut().for_each(|(_, entry)| move_destination(entry, moved, heights));
        }
        Object::Stream(_)
        | Object::Null
        | Object::Boolean(_)
        | Object::Integer(_)
        | Object::Real(_)
        | Object::Name(_)
        | Object::String(..)
        | Object::Reference(_) => {}
    }
}

/// Removes pages on which nothing is drawn and that a long page follows: it was moved to a page of its own, and would have had the
/// room here.
fn drop_blank_pages(document: &mut Document, moved: &BTreeMap<ObjectId, Vec<Part>>) {
    let pages: Vec<(u32, ObjectId)> = document.get_pages().into_iter().collect();
    let blank = |page: ObjectId| {
        let content = Content::decode(&document.get_page_content(page));
        content.is_ok_and(|content| units::read(document, page, &content.operations, 0.0).is_empty())
    };
    let pairs = pages.iter().zip(pages.iter().skip(1));
    let left = pairs.filter(|((_, page), (_, next))| moved.contains_key(next) && blank(*page));
    let numbers: Vec<u32> = left.map(|((number, _), _)| *number).collect();
    document.delete_pages(&numbers);
}
