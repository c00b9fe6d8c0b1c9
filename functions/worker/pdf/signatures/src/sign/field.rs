//! The objects of a signature: its dictionary, its field, and what form, page and catalog say of them.

use lopdf::{Dictionary, Object, Stream, StringFormat, dictionary, text_string};

use super::place::Earlier;
use super::update::{Appended, Blank, Update};
use super::{Spot, Unsignable, Wanted, tags};
use crate::file::View;

/// Flags of a widget: it is printed, and can't be moved.
const PRINTED_AND_LOCKED: i64 = 4 + 128;
/// Flags of a form: it has signatures, and only updates keep them.
const SIGNED_AND_APPENDED: i64 = 1 + 2;
/// What a screen reader says of the field.
const SPOKEN: &str = "Signature";

/// Writes the update of a file with this signature.
pub(super) fn write(view: &View<'_>, earlier: &Earlier, wanted: Wanted<'_>) -> Result<Appended, Unsignable> {
    let root = view.revision.root().ok_or(Unsignable::Unreadable("the file has no catalog"))?.0;
    let mut update = Update::new(view);
    let look = wanted.look.as_ref().map(|look| look.form);
    let Wanted { spot, position, look: drawn, .. } = &wanted;
    if let Some(drawn) = drawn {
        update.adopt(drawn.objects.clone());
    }
    let seal = update.number();
    let look = look.map(|form| dictionary! { "N" => form });
    let locks = match spot {
        Spot::Empty(field) => {
            let mut own = update.dictionary(field.number)?;
            let lock = view.dictionary(&own, b"Lock");
            own.set("V", (seal, 0));
            update.put(field.number, own);
            if let Some(look) = look {
                let mut widget = update.dictionary(field.widget)?;
                widget.set("AP", look);
                update.put(field.widget, widget);
            }
            lock
        }
        Spot::New { name } => {
            let widget = update.number();
            let mut field = dictionary! {
                "Type" => "Annot", "Subtype" => "Widget", "FT" => "Sig", "T" => text_string(name), "TU" => text_string(SPOKEN),
                "F" => PRINTED_AND_LOCKED, "Rect" => position.rectangle.map(Object::Real).to_vec(),
                "P" => update.reference(position.page.number), "V" => (seal, 0),
            };
            // PDF/A-1 asks for a look of every field, even one that nobody sees.
            let look = look.unwrap_or_else(|| dictionary! { "N" => (update.add(nothing()), 0) });
            field.set("AP", look);
            // Tags of a signed document must stay: what its signatures allow does not include them.
            if !earlier.is_signed {
                tags::add(view, &mut update, root, (widget, position.page.number), &mut field)?;
            }
            update.put(widget, field);
            update.push(position.page.number, b"Annots", widget)?;
            add_to_form(view, &mut update, root, widget)?;
            None
        }
    };
    flag_form(view, &mut update, root)?;
    if wanted.certify.permission().is_some() {
        let mut catalog = update.dictionary(root)?;
        let mut permissions = view.dictionary(&catalog, b"Perms").unwrap_or_default();
        permissions.set("DocMDP", (seal, 0));
        catalog.set("Perms", permissions);
        update.put(root, catalog);
    }
    let references = references(&update, root, &wanted, locks);
    let blank = Blank { number: seal, dict: seal_dictionary(&wanted, references), reserved: wanted.reserved };
    update.write(blank)
}

/// A look that draws nothing.
fn nothing() -> Stream {
    let head = dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(); 4] };
    Stream::new(head, Vec::new())
}

/// The signature dictionary without what depends on its place.
fn seal_dictionary(wanted: &Wanted<'_>, references: Vec<Object>) -> Dictionary {
    let mut seal = dictionary! {
        "Type" => "Sig", "Filter" => "Adobe.PPKLite", "SubFilter" => "ETSI.CAdES.detached", "M" => date(wanted),
    };
    let texts = [("Reason", wanted.reason), ("Location", wanted.location), ("ContactInfo", wanted.contact)];
    for (key, text) in texts {
        if let Some(text) = text {
            seal.set(key, text_string(text));
        }
    }
    if !references.is_empty() {
        seal.set("Reference", references);
    }
    seal
}

/// The claimed time: `D:20261129150000Z`.
fn date(wanted: &Wanted<'_>) -> Object {
    let digits: String = wanted.time.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
    Object::String(format!("D:{digits}Z").into_bytes(), StringFormat::Literal)
}

/// What a signature protects: the document if it certifies, and the fields that its own field locks.
fn references(update: &Update<'_, '_>, root: u32, wanted: &Wanted<'_>, lock: Option<Dictionary>) -> Vec<Object> {
    let reference = |method: &str, mut parameters: Dictionary| {
        parameters.set("Type", "TransformParams");
        parameters.set("V", Object::Name(b"1.2".to_vec()));
        dictionary! {
            "Type" => "SigRef", "TransformMethod" => method, "TransformParams" => parameters, "Data" => update.reference(root),
        }
    };
    let certified = wanted.certify.permission().map(|permission| {
        let mut reference = reference("DocMDP", dictionary! { "P" => permission });
        reference.remove(b"Data");
        reference
    });
    let locked = lock.map(|lock| {
        let kept = [b"Action".as_slice(), b"Fields", b"P"];
        let parameters = kept.into_iter().filter_map(|key| Some((key.to_vec(), lock.get(key).ok()?.clone())));
        reference("FieldMDP", Dictionary::from_iter(parameters))
    });
    certified.into_iter().chain(locked).map(Object::from).collect()
}

/// The form's object and whether it is part of the catalog.
fn form(view: &View<'_>, update: &Update<'_, '_>, root: u32) -> Result<(Option<u32>, Dictionary), Unsignable> {
    let catalog = update.dictionary(root)?;
    match catalog.get(b"AcroForm").and_then(Object::as_reference).ok() {
        Some(id) => Ok((Some(id.0), update.dictionary(id.0)?)),
        None => Ok((None, view.dictionary(&catalog, b"AcroForm").unwrap_or_default())),
    }
}

fn put_form(update: &mut Update<'_, '_>, root: u32, own: Option<u32>, form: Dictionary) -> Result<(), Unsignable> {
    match own {
        Some(number) => update.put(number, form),
        None => {
            let mut catalog = update.dictionary(root)?;
            catalog.set("AcroForm", form);
            update.put(root, catalog);
        }
    }
    Ok(())
}

fn add_to_form(view: &View<'_>, update: &mut Update<'_, '_>, root: u32, field: u32) -> Result<(), Unsignable> {
    let (own, mut form) = form(view, update, root)?;
    if let Ok(id) = form.get(b"Fields").and_then(Object::as_reference) {
        let mut fields = match update.object(id.0) {
            Some(Object::Array(fields)) => fields,
            _ => Vec::new(),
        };
        fields.push((field, 0).into());
        update.put(id.0, fields);
        return Ok(());
    }
    let mut fields = view.array(&form, b"Fields");
    fields.push((field, 0).into());
    form.set("Fields", fields);
    put_form(update, root, own, form)
}

fn flag_form(view: &View<'_>, update: &mut Update<'_, '_>, root: u32) -> Result<(), Unsignable> {
    let (own, mut form) = form(view, update, root)?;
    let flags = view.value(&form, b"SigFlags").and_then(|flags| flags.as_i64().ok()).unwrap_or(0);
    if flags & SIGNED_AND_APPENDED == SIGNED_AND_APPENDED {
        return Ok(());
    }
    form.set("SigFlags", flags | SIGNED_AND_APPENDED);
    put_form(update, root, own, form)
}
