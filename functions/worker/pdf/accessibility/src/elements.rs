//! What elements must be and have: types, nesting, alternative texts, headings, notes, languages.

use std::collections::HashSet;

use docmill_pdf_core::objects::Lookup;
use lopdf::ObjectId;

use crate::language;
use crate::roles::Role;
use crate::rules::Rule;
use crate::tables::{self, Grid};
use crate::tree::{Element, Kid, Tree};
use crate::{Check, Place};

/// Types that must be directly in one of these others.
const PARENTS: [(&str, &[&str], Rule); 9] = [
    ("TR", &["Table", "THead", "TBody", "TFoot"], Rule::RowParent),
    ("THead", &["Table"], Rule::HeadParent),
    ("TBody", &["Table"], Rule::BodyParent),
    ("TFoot", &["Table"], Rule::FootParent),
    ("TH", &["TR"], Rule::HeaderCellParent),
    ("TD", &["TR"], Rule::CellParent),
    ("LI", &["L"], Rule::ItemParent),
    ("LBody", &["LI"], Rule::ItemBodyParent),
    ("TOCI", &["TOC"], Rule::ContentsEntryParent),
];

/// Types that may only hold these others.
const KIDS: [(&str, &[&str], Rule); 8] = [
    ("Table", &["TR", "THead", "TBody", "TFoot", "Caption"], Rule::TableKids),
    ("TR", &["TH", "TD"], Rule::RowKids),
    ("THead", &["TR"], Rule::HeadKids),
    ("TBody", &["TR"], Rule::BodyKids),
    ("TFoot", &["TR"], Rule::FootKids),
    ("L", &["L", "LI", "Caption"], Rule::ListKids),
    ("LI", &["Lbl", "LBody"], Rule::ItemKids),
    ("TOC", &["TOC", "TOCI", "Caption"], Rule::ContentsKids),
];

/// Texts of an element whose language must be known.
const TEXTS: [(&[u8], Rule); 3] = [
    (b"ActualText", Rule::ActualTextLanguage),
    (b"Alt", Rule::AlternativeTextLanguage),
    (b"E", Rule::ExpansionLanguage),
];

/// Elements with more below them, or more marked content, have no measured box.
const MOST_BELOW: usize = 2_000;
const MOST_MARKS: usize = 2_000;

/// What is known of the elements before.
#[derive(Default)]
struct Before {
    heading: u32,
    has_plain: bool,
    has_numbered: bool,
    notes: HashSet<String>,
}

pub(crate) fn check(check: &mut Check<'_>, tree: &Tree<'_>) {
    let mut before = Before::default();
    for (index, element) in tree.elements.iter().enumerate() {
        let kids = tree.kid_types(index);
        let mut found = Vec::new();
        of_type(element, check, &mut found);
        if let Some(kind) = element.role.standard() {
            nesting(tree.parent_type(index), kind, &kids, &mut found);
            found.extend(lacking(check, element, kind));
            match kind {
                "Table" => {
                    found.extend(tables::parts(&kids));
                    match Grid::of(check.document, tree, index) {
                        Err(rule) => found.push(rule),
                        Ok(grid) => {
                            for (cell, rule) in grid.without_header(check.document, tree) {
                                check.report(tree, cell, rule);
                            }
                        }
                    }
                }
                "Hn" => {
                    let level = element.role.level().unwrap_or(1);
                    found.extend((level > before.heading + 1).then_some(Rule::HeadingSkipped));
                    before.heading = level;
                    before.has_numbered = true;
                    found.extend(before.has_plain.then_some(Rule::NumberedWithHeading));
                }
                "H" => {
                    before.has_plain = true;
                    found.extend(before.has_numbered.then_some(Rule::HeadingWithNumbered));
                }
                "Note" => found.extend(note(check, element, &mut before.notes)),
                "Form" => found.extend((!is_one_field(check, element)).then_some(Rule::FormKids)),
                _ => {}
            }
        }
        let headings = kids.iter().filter(|kind| **kind == "H").count();
        found.extend((headings > 1).then_some(Rule::TwoHeadings));
        for rule in found {
            check.report(tree, index, rule);
        }
    }
}

fn of_type(element: &Element<'_>, check: &Check<'_>, found: &mut Vec<Rule>) {
    match element.role {
        Role::Standard { remapped, .. } => found.extend(remapped.then_some(Rule::StandardRemapped)),
        Role::Unknown => found.push(Rule::UnknownType),
        Role::Circular(_) => found.push(Rule::CircularMapping),
    }
    found.extend((!element.entries.has(b"P")).then_some(Rule::ParentMissing));
    if let Some(language) = check.document.value(element.entries, b"Lang") {
        found.extend((!language::is_known(language)).then_some(Rule::LanguageForm));
    }
    if !element.has_language && !check.has_language {
        found.extend(TEXTS.iter().filter(|(key, _)| element.entries.has(key)).map(|(_, rule)| *rule));
    }
}

fn nesting(parent: Option<&str>, kind: &str, kids: &[&str], found: &mut Vec<Rule>) {
    let misplaced = PARENTS
        .iter()
        .filter(|(child, allowed, _)| *child == kind && !parent.is_some_and(|parent| allowed.contains(&parent)));
    found.extend(misplaced.map(|(_, _, rule)| *rule));
    let wrong =
        KIDS.iter().filter(|(holder, allowed, _)| *holder == kind && kids.iter().any(|kid| !allowed.contains(kid)));
    found.extend(wrong.map(|(_, _, rule)| *rule));
    let late_caption = kids.iter().skip(1).any(|kid| *kid == "Caption");
    found.extend((kind == "L" && late_caption).then_some(Rule::ListCaption));
    found.extend((kind == "TOC" && late_caption).then_some(Rule::ContentsCaption));
}

/// An alternative text that is missing.
fn lacking(check: &Check<'_>, element: &Element<'_>, kind: &str) -> Option<Rule> {
    let rule = match kind {
        "Figure" => Rule::FigureText,
        "Formula" => Rule::FormulaText,
        _ => return None,
    };
    let is_told = element.has_text(check.document, b"Alt") || element.text(check.document, b"ActualText").is_some();
    (!is_told).then_some(rule)
}

fn note(check: &Check<'_>, element: &Element<'_>, before: &mut HashSet<String>) -> Option<Rule> {
    match element.text(check.document, b"ID").filter(|id| !id.is_empty()) {
        None => Some(Rule::NoteId),
        Some(id) => (!before.insert(id)).then_some(Rule::NoteIdTwice),
    }
}

/// Whether a Form has a role of its own, or is about a single field.
fn is_one_field(check: &Check<'_>, element: &Element<'_>) -> bool {
    if tables::attribute(check.document, element.entries, b"PrintField", b"Role").is_some() {
        return true;
    }
    match element.kids.as_slice() {
        [Kid::Object(Some(id))] => is_widget(check, *id),
        _ => false,
    }
}

fn is_widget(check: &Check<'_>, id: ObjectId) -> bool {
    check.document.get_dictionary(id).is_ok_and(|entries| check.document.name(entries, b"Subtype") == Some(b"Widget"))
}

impl Check<'_> {
    /// Adds a finding about an element. Its place is only looked for if it is told: that takes time with the number of elements.
    fn report(&mut self, tree: &Tree<'_>, index: usize, rule: Rule) {
        if self.findings.has_room(rule) {
            let place = self.place_of(tree, index);
            self.findings.add(rule, place);
        } else {
            self.findings.count(rule);
        }
    }

    /// Where an element is.
    pub(crate) fn place_of(&self, tree: &Tree<'_>, index: usize) -> Place {
        let Some(element) = tree.elements.get(index) else { return Place::default() };
        let mut place = Place { element: Some(tree.path(index)), ..Place::default() };
        if let Some(page) = element.page.or_else(|| first_page(tree, index)) {
            place.page = self.number_of(page);
            place.corners = tables::attribute(self.document, element.entries, b"Layout", b"BBox")
                .and_then(|declared| self.area(page, declared));
            if place.corners.is_none() {
                place.marks = marks(tree, index, page);
            }
            if place.corners.is_none() && place.marks.is_empty() {
                place.corners = self.area_of_objects(element, page);
            }
        }
        place
    }

    /// The box around an element's annotations.
    fn area_of_objects(&self, element: &Element<'_>, page: ObjectId) -> Option<[f32; 4]> {
        let objects = element.kids.iter().filter_map(|kid| match kid {
            Kid::Object(id) => *id,
            Kid::Element(_) | Kid::Content(_) => None,
        });
        let boxes = objects.filter_map(|id| {
            let entries = self.document.get_dictionary(id).ok()?;
            self.area(page, self.document.value(entries, b"Rect")?)
        });
        boxes.reduce(|[l, t, r, b], [left, top, right, bottom]| [l.min(left), t.min(top), r.max(right), b.max(bottom)])
    }
}

/// An element and those below it.
fn branch<'t, 'd>(tree: &'t Tree<'d>, index: usize) -> impl Iterator<Item = &'t Element<'d>> {
    // Descendants follow their ancestor.
    let below = tree.elements.iter().skip(index + 1).take_while(move |element| element.parent >= Some(index));
    tree.elements.get(index).into_iter().chain(below)
}

/// The page of the first descendant that names one.
fn first_page(tree: &Tree<'_>, index: usize) -> Option<ObjectId> {
    branch(tree, index).map(|element| element.page).find(Option::is_some).flatten()
}

/// The marked content of an element on a page. None if there is so much of it that its box would say nothing.
fn marks(tree: &Tree<'_>, index: usize, page: ObjectId) -> Vec<u32> {
    let mut marks = Vec::new();
    for (count, element) in branch(tree, index).enumerate() {
        marks.extend(element.kids.iter().filter_map(|kid| match kid {
            Kid::Content(Some(marked)) if marked.page == page => Some(marked.number),
            Kid::Content(_) | Kid::Element(_) | Kid::Object(_) => None,
        }));
        if count >= MOST_BELOW || marks.len() > MOST_MARKS {
            return Vec::new();
        }
    }
    marks
}
