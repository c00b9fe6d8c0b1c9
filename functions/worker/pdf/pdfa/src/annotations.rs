//! Annotations: only certain kinds, visible and printed, each with an appearance.

use std::collections::HashSet;

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_request::Failure;
use docmill_pdf_structure::assembly::links::widget_appearance;
use docmill_pdf_structure::fields::inherited;
use docmill_pdf_structure::{field_text, flatten};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use super::verdict::{Level, Repair, Rule, Verdict};

/// Allowed by every level.
const KINDS: [&[u8]; 13] = [
    b"Text",
    b"Link",
    b"FreeText",
    b"Line",
    b"Square",
    b"Circle",
    b"Highlight",
    b"Underline",
    b"Squiggly",
    b"StrikeOut",
    b"Stamp",
    b"Ink",
    b"Popup",
];
const LATER_KINDS: [&[u8]; 5] = [b"Polygon", b"PolyLine", b"Caret", b"Watermark", b"Redact"];
/// Flags: invisible, hidden, not viewed, and toggled by the mouse.
const INVISIBLE: i64 = 1;
const HIDDEN: i64 = 1 << 1 | 1 << 5;
const TOGGLED: i64 = 1 << 8;
const PRINTED: i64 = 1 << 2;

pub(super) fn mend(
    document: &mut Document,
    pages: &[ObjectId],
    fonts: &Fonts,
    verdict: &mut Verdict,
) -> Result<(), Failure> {
    make_objects(document, pages);
    let mut seen = HashSet::new();
    let missing = flatten::without_appearance(document, pages);
    field_text::write(document, &missing, fonts)?;
    for page in pages {
        let Ok(entries) = document.get_dictionary(*page) else { continue };
        let annotations: Vec<Object> = document.array(entries, b"Annots").to_vec();
        if annotations.is_empty() {
            continue;
        }
        let kept: Vec<Object> = annotations
            .into_iter()
            .filter(|annotation| {
                annotation.as_reference().is_ok_and(|id| {
                    seen.insert(id);
                    one(document, id, verdict)
                })
            })
            .collect();
        if let Ok(page) = document.get_dictionary_mut(*page) {
            page.set("Annots", kept);
        }
    }
    // Fields that are not on any page.
    let is_field = |object: &Object| {
        object.as_dict().is_ok_and(|field| {
            let is_hidden = document.integer(field, b"F").is_some_and(|flags| flags & HIDDEN != 0);
            document.name(field, b"Subtype") == Some(b"Widget") && !field.has(b"AP") && !is_hidden
        })
    };
    let fields = document.objects.iter().filter(|(id, object)| !seen.contains(id) && is_field(object));
    let fields: Vec<ObjectId> = fields.map(|(id, _)| *id).collect();
    for field in fields {
        one(document, field, verdict);
    }
    Ok(())
}

/// Makes direct annotations separate objects.
fn make_objects(document: &mut Document, pages: &[ObjectId]) {
    for page in pages {
        let Ok(entries) = document.get_dictionary(*page) else { continue };
        let annotations: Vec<Object> = document.array(entries, b"Annots").to_vec();
        if annotations.iter().all(|annotation| annotation.as_reference().is_ok()) {
            continue;
        }
        let annotations: Vec<Object> = annotations
            .into_iter()
            .filter_map(|annotation| match annotation {
                Object::Dictionary(annotation) => Some(document.add_object(annotation).into()),
                Object::Reference(_) => Some(annotation),
                _ => None,
            })
            .collect();
        if let Ok(page) = document.get_dictionary_mut(*page) {
            page.set("Annots", annotations);
        }
    }
}

/// Repairs an annotation. Returns false if it must be removed.
fn one(document: &mut Document, id: ObjectId, verdict: &mut Verdict) -> bool {
    let Ok(annotation) = document.get_dictionary(id) else { return false };
    let mut annotation = annotation.clone();
    let kind = document.name(&annotation, b"Subtype").unwrap_or_default().to_vec();
    let flags = document.integer(&annotation, b"F").unwrap_or(0);
    if flags & HIDDEN != 0 {
        verdict.mend(Repair::HiddenAnnotationRemoved);
        return false;
    }
    let level = verdict.level;
    let allowed = KINDS.contains(&kind.as_slice())
        || matches!(kind.as_slice(), b"Widget" | b"PrinterMark")
        || level != Level::One && LATER_KINDS.contains(&kind.as_slice())
        || level == Level::Three && kind == b"FileAttachment";
    if !allowed {
        verdict.fail(Rule::AnnotationKind);
        return true;
    }
    if document.child(&annotation, b"EF").is_some() {
        verdict.fail(Rule::Attachment);
    }
    let wanted = (flags | PRINTED) & !(INVISIBLE | TOGGLED);
    if wanted != flags || !annotation.has(b"F") {
        annotation.set("F", wanted);
        verdict.mend(Repair::AnnotationChanged);
    }
    let opacity = annotation.get(b"CA").ok().and_then(|opacity| document.number(opacity)).unwrap_or(1.0);
    if level == Level::One && opacity < 1.0 {
        verdict.fail(Rule::Transparency);
    }
    let is_button = kind == b"Widget"
        && inherited(document, &annotation, b"FT").and_then(|kind| kind.as_name().ok()) == Some(b"Btn");
    appearance(document, &mut annotation, &kind, is_button, verdict);
    document.objects.insert(id, Object::Dictionary(annotation));
    true
}

/// One appearance: for a button by state, for all others a form.
fn appearance(
    document: &mut Document,
    annotation: &mut Dictionary,
    kind: &[u8],
    is_button: bool,
    verdict: &mut Verdict,
) {
    let form = widget_appearance(document, annotation);
    let normal = document.child(annotation, b"AP").and_then(|appearances| appearances.get(b"N").ok()).cloned();
    let states = normal.as_ref().and_then(|normal| document.resolve(normal)).and_then(|normal| normal.as_dict().ok());
    if is_button && let Some(states) = states {
        if states.iter().all(|(_, state)| document.resolve(state).is_some_and(|state| state.as_stream().is_ok())) {
            if let Some(normal) = normal {
                annotation.set("AP", dictionary! { "N" => normal });
            }
            return;
        }
        let sound: Dictionary = states
            .iter()
            .filter(|(_, state)| document.resolve(state).is_some_and(|state| state.as_stream().is_ok()))
            .map(|(name, state)| (name.clone(), state.clone()))
            .collect();
        annotation.set("AP", dictionary! { "N" => sound });
        return;
    }
    match form {
        Some(form) => {
            let normal: Object = if is_button {
                annotation.set("AS", "Off");
                dictionary! { "Off" => form }.into()
            } else {
                form.into()
            };
            annotation.set("AP", dictionary! { "N" => normal });
        }
        // A field that shows nothing, such as a signature field, often has no size.
        None if kind == b"Widget" && !is_button => {
            let bounds = vec![0.into(), 0.into(), 1.into(), 1.into()];
            let head = dictionary! {
                "Type" => "XObject", "Subtype" => "Form", "BBox" => bounds, "Resources" => Dictionary::new(),
            };
            let form = document.add_object(Stream::new(head, Vec::new()));
            annotation.set("AP", dictionary! { "N" => form });
            verdict.mend(Repair::AnnotationChanged);
        }
        None if matches!(kind, b"Link" | b"Popup") || is_empty(document, annotation) => {
            annotation.remove(b"AP");
        }
        None => verdict.fail(Rule::Appearance),
    }
}

fn is_empty(document: &Document, annotation: &Dictionary) -> bool {
    let corners: Vec<f32> =
        document.array(annotation, b"Rect").iter().filter_map(|number| document.number(number)).collect();
    matches!(corners[..], [left, bottom, right, top] if left == right && bottom == top)
}
