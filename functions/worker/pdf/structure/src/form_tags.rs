//! Tags of pages that become forms, which other pages draw: elements then have the content of the forms.

use std::collections::HashMap;

use docmill_pdf_core::objects::{Lookup, reference};
use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

/// What a page became.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) form: ObjectId,
    /// The page that draws it.
    pub(super) sheet: ObjectId,
}

/// Has the elements of a document follow its pages.
pub(super) fn follow(document: &mut Document, places: &HashMap<ObjectId, Place>) {
    let changed: Vec<(ObjectId, Dictionary)> = document
        .objects
        .iter()
        .filter_map(|(id, object)| Some((*id, moved(document, object.as_dict().ok()?, places)?)))
        .collect();
    for (id, element) in changed {
        document.objects.insert(id, element.into());
    }
    for (page, place) in places {
        let key = document.get_dictionary(*page).ok().and_then(|page| document.integer(page, b"StructParents"));
        if let Some(key) = key
            && let Ok(form) = document.get_object_mut(place.form).and_then(Object::as_stream_mut)
        {
            form.dict.set("StructParents", key);
        }
    }
}

/// An element whose pages became forms. `None` if nothing changes, or if this is no element.
fn moved(document: &Document, entries: &Dictionary, places: &HashMap<ObjectId, Place>) -> Option<Dictionary> {
    if !entries.has(b"S") || !entries.has(b"P") {
        return None;
    }
    let page = reference(entries, b"Pg");
    let kids: Vec<Object> =
        document.listed(entries, b"K").iter().map(|kid| moved_kid(document, kid, page, places)).collect();
    let sheet = page.and_then(|page| places.get(&page)).map(|place| place.sheet);
    if sheet.is_none() && kids.iter().eq(document.listed(entries, b"K")) {
        return None;
    }
    let mut element = entries.clone();
    if let Some(sheet) = sheet {
        element.set("Pg", sheet);
    }
    if !kids.is_empty() {
        element.set("K", kids);
    }
    Some(element)
}

fn moved_kid(document: &Document, kid: &Object, page: Option<ObjectId>, places: &HashMap<ObjectId, Place>) -> Object {
    let place = |page: Option<ObjectId>| places.get(&page?).copied();
    match document.resolve(kid) {
        Some(Object::Integer(mark)) => place(page).map_or_else(
            || kid.clone(),
            |Place { form, sheet }| {
                dictionary! { "Type" => "MCR", "Pg" => sheet, "Stm" => form, "MCID" => *mark }.into()
            },
        ),
        Some(Object::Dictionary(content)) if content.has(b"MCID") || content.has(b"Obj") => {
            let Some(Place { form, sheet }) = place(reference(content, b"Pg").or(page)) else { return kid.clone() };
            let mut content = content.clone();
            content.set("Pg", sheet);
            if content.has(b"MCID") && !content.has(b"Stm") {
                content.set("Stm", form);
            }
            content.into()
        }
        Some(_) | None => kid.clone(),
    }
}
