//! Annotations: links, fields and others.

use docmill_pdf_core::objects::{Lookup, decode};
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space::visible_box;
use lopdf::{Dictionary, Document, Object};

use crate::rules::Rule;
use crate::tree::Tree;
use crate::{Check, Place};

const HIDDEN: i64 = 2;
/// Most levels of fields above a widget.
const LEVELS: usize = 32;

pub(crate) fn check(check: &mut Check<'_>, tree: Option<&Tree<'_>>) {
    for (index, id) in check.pages.iter().enumerate() {
        let Ok(page) = check.document.get_dictionary(*id) else { continue };
        let number = u32::try_from(index + 1).ok();
        let listed = check.document.array(page, b"Annots");
        let is_by_tags = check.document.name(page, b"Tabs") == Some(b"S");
        if !listed.is_empty() && !is_by_tags {
            check.findings.add(Rule::TabOrder, Place { page: number, ..Place::default() });
        }
        for annotation in listed.iter().filter_map(|annotation| check.document.dictionary(annotation)) {
            let area = check.document.value(annotation, b"Rect");
            let corners = area.and_then(|area| check.area(*id, area));
            for rule in broken(check, tree, page, annotation) {
                check.findings.add(rule, Place { page: number, corners, ..Place::default() });
            }
        }
    }
}

fn broken(check: &Check<'_>, tree: Option<&Tree<'_>>, page: &Dictionary, annotation: &Dictionary) -> Vec<Rule> {
    let document = check.document;
    let key = document.integer(annotation, b"StructParent");
    let element = tree.zip(key).and_then(|(tree, key)| tree.elements.get(tree.of_object(document, key)?));
    let kind = document.name(annotation, b"Subtype").unwrap_or_default();
    let contents = text(document, annotation, b"Contents");
    let mut found = Vec::new();
    let mut find = |is: bool, rule: Rule| found.extend(is.then_some(rule));
    let has_language =
        check.has_language || annotation.has(b"Lang") || element.is_some_and(|it| it.entries.has(b"Lang"));
    find(contents.is_some() && !has_language, Rule::ContentsLanguage);
    let name = if kind == b"Widget" { field_name(document, annotation) } else { None };
    find(name.is_some() && !has_language, Rule::FieldNameLanguage);
    if is_unseen(document, page, annotation) {
        return found;
    }
    let tag = element.and_then(|element| element.role.standard());
    let is_told = |text: Option<String>| text.is_some_and(|text| !text.is_empty());
    let has_alternative = element.is_some_and(|element| element.has_text(document, b"Alt"));
    match kind {
        b"Widget" => {
            find(!is_told(name) && !has_alternative, Rule::FieldName);
            find(tag != Some("Form"), Rule::FieldTag);
            return found;
        }
        b"Link" => {
            find(tag != Some("Link"), Rule::LinkTag);
            find(!is_told(contents.clone()), Rule::LinkText);
        }
        b"PrinterMark" => find(element.is_some(), Rule::PrinterMark),
        _ => find(tag != Some("Annot"), Rule::AnnotationTag),
    }
    find(kind == b"TrapNet", Rule::TrapNet);
    find(!is_told(contents) && !has_alternative, Rule::AnnotationText);
    found
}

/// Whether nobody sees it: it is hidden, or beside the page.
fn is_unseen(document: &Document, page: &Dictionary, annotation: &Dictionary) -> bool {
    let flags = document.integer(annotation, b"F").unwrap_or(0);
    flags & HIDDEN != 0 || is_outside(document, visible_box(document, page), annotation)
}

/// Also if it has no size and lies on the edge.
fn is_outside(document: &Document, page: Rectangle, annotation: &Dictionary) -> bool {
    let corners: Vec<f32> =
        document.array(annotation, b"Rect").iter().filter_map(|number| document.number(number)).collect();
    let [x1, y1, x2, y2] = corners[..] else { return false };
    x1.max(x2) <= page.left || x1.min(x2) >= page.right || y1.max(y2) <= page.bottom || y1.min(y2) >= page.top
}

fn text(document: &Document, entries: &Dictionary, key: &[u8]) -> Option<String> {
    document.value(entries, key).and_then(decode)
}

/// The name that is read out: of the field, or of one above it.
fn field_name(document: &Document, widget: &Dictionary) -> Option<String> {
    let mut at = widget;
    for _ in 0..LEVELS {
        // A widget without a name of its own is only the look of the field above it.
        if at.has(b"T") {
            return text(document, at, b"TU");
        }
        at = document.child(at, b"Parent")?;
    }
    None
}

impl Check<'_> {
    /// A rectangle of a page as it is shown.
    pub(crate) fn area(&self, page: lopdf::ObjectId, area: &Object) -> Option<[f32; 4]> {
        let page = self.document.get_dictionary(page).ok()?;
        let space = docmill_pdf_core::space::PageSpace::of(self.document, page);
        let shown = space.to_shown().apply_to(Rectangle::parse(self.document, area)?);
        let (_, height) = space.size();
        Some([shown.left, height - shown.top, shown.right, height - shown.bottom].map(rounded))
    }
}

/// To hundredths of a point.
fn rounded(number: f32) -> f32 {
    (number * 100.0).round() / 100.0
}
