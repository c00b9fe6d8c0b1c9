//! The document's catalogue: metadata, actions and settings.

use std::collections::HashSet;

use docmill_pdf_core::objects::{Lookup, text};
use docmill_pdf_request::Warning;
use docmill_pdf_structure::metadata::{self, Schema};
use lopdf::{Document, Object, ObjectId, Stream, dictionary};

use super::verdict::{Level, Repair, Rule, Verdict};
use super::{invoice, walk};

const SRGB: &[u8] = include_bytes!("srgb.icc");
/// The allowed kinds of actions.
const ACTIONS: [&[u8]; 7] = [b"GoTo", b"GoToR", b"GoToE", b"Thread", b"URI", b"Named", b"SubmitForm"];
const NAMED: [&[u8]; 4] = [b"NextPage", b"PrevPage", b"FirstPage", b"LastPage"];
/// The smallest and largest side of a page, in units.
const SIDES: std::ops::RangeInclusive<f32> = 3.0..=14_400.0;

pub(super) fn mend(document: &mut Document, verdict: &mut Verdict) {
    remove_entries(document, verdict);
    actions(document, verdict);
    layers(document, verdict);
    sizes(document, verdict);
    signatures(document, verdict);
}

fn remove_entries(document: &mut Document, verdict: &mut Verdict) {
    let mut names = document.catalog().ok().and_then(|catalog| document.child(catalog, b"Names")).cloned();
    if let Some(names) = &mut names {
        if names.remove(b"JavaScript").is_some() {
            verdict.mend(Repair::ScriptRemoved);
        }
        for key in [b"AlternatePresentations".as_slice(), b"Renditions"] {
            names.remove(key);
        }
        if verdict.level == Level::One {
            // Attached files are handled where they are defined.
            names.remove(b"AlternateImages");
        }
    }
    let mut form = document.catalog().ok().and_then(|catalog| document.child(catalog, b"AcroForm")).cloned();
    if let Some(form) = &mut form {
        for key in [b"XFA".as_slice(), b"NeedAppearances"] {
            if form.remove(key).is_some() {
                verdict.mend(Repair::FormEntries);
            }
        }
    }
    let Ok(catalog) = document.catalog_mut() else { return };
    for key in [b"Requirements".as_slice(), b"Perms", b"NeedsRendering", b"Legal", b"Version", b"Extensions"] {
        if catalog.remove(key).is_some() {
            verdict.mend(Repair::CatalogEntries);
        }
    }
    if let Some(names) = names {
        catalog.set("Names", names);
    }
    if let Some(form) = form {
        catalog.set("AcroForm", form);
    }
    walk::dictionaries(document, |_, entries| {
        for key in [b"PresSteps".as_slice(), b"PieceInfo"] {
            entries.remove(key);
        }
        if entries.has_type(b"Page") {
            entries.remove(b"OutputIntents");
        }
    });
}

/// Removes automatic actions and forbidden ones.
fn actions(document: &mut Document, verdict: &mut Verdict) {
    walk::dictionaries(document, |document, entries| {
        let runs_itself = entries.get(b"AA").is_ok_and(|actions| document.dictionary(actions).is_some());
        if runs_itself {
            entries.remove(b"AA");
            verdict.mend(Repair::ActionRemoved);
        }
        let is_widget = document.name(entries, b"Subtype") == Some(b"Widget") || entries.has(b"FT");
        if is_widget && entries.remove(b"A").is_some() {
            verdict.mend(Repair::ActionRemoved);
        }
        for key in [b"A".as_slice(), b"OpenAction", b"Next"] {
            if entries.get(key).is_ok_and(|action| is_forbidden(document, action)) {
                entries.remove(key);
                verdict.mend(Repair::ActionRemoved);
            }
        }
    });
}

fn is_forbidden(document: &Document, action: &Object) -> bool {
    let action = document.resolve(action);
    if let Some(Object::Array(actions)) = action {
        return actions.iter().any(|action| {
            document.dictionary(action).is_some_and(|action| document.name(action, b"S").is_some())
                && is_forbidden(document, action)
        });
    }
    let Some(action) = action.and_then(|action| action.as_dict().ok()) else { return false };
    match document.name(action, b"S") {
        Some(b"Named") => !document.name(action, b"N").is_some_and(|name| NAMED.contains(&name)),
        Some(kind) => !ACTIONS.contains(&kind),
        // Attributes of tags use the same key.
        None => false,
    }
}

fn layers(document: &mut Document, verdict: &mut Verdict) {
    let Some(mut properties) =
        document.catalog().ok().and_then(|catalog| document.child(catalog, b"OCProperties")).cloned()
    else {
        return;
    };
    let groups = document.array(&properties, b"OCGs").to_vec();
    let mut settings = vec![document.child(&properties, b"D").cloned().unwrap_or_default()];
    settings.extend(
        document.array(&properties, b"Configs").iter().filter_map(|settings| document.dictionary(settings)).cloned(),
    );
    for (number, settings) in settings.iter_mut().enumerate() {
        // Names must be unique.
        settings.set("Name", text(&format!("Layers {}", number + 1)));
        if settings.remove(b"AS").is_some() {
            verdict.mend(Repair::LayerEntries);
        }
        if settings.has(b"Order") {
            let mut order = document.array(settings, b"Order").to_vec();
            let mut listed = HashSet::new();
            note(document, &order, &mut listed, 8);
            let is_missing = |group: &&Object| group.as_reference().is_ok_and(|id| !listed.contains(&id));
            let missing: Vec<Object> = groups.iter().filter(is_missing).cloned().collect();
            order.extend(missing);
            settings.set("Order", order);
        }
    }
    verdict.mend(Repair::LayerEntries);
    let mut settings = settings.into_iter();
    if let Some(first) = settings.next() {
        properties.set("D", first);
    }
    let others: Vec<Object> = settings.map(Object::Dictionary).collect();
    if others.is_empty() {
        properties.remove(b"Configs");
    } else {
        properties.set("Configs", others);
    }
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("OCProperties", properties);
    }
}

/// Records the layers in an order, including nested ones.
fn note(document: &Document, order: &[Object], listed: &mut HashSet<ObjectId>, depth: u8) {
    for entry in order {
        listed.extend(entry.as_reference());
        let nested = document.resolve(entry).and_then(|entry| entry.as_array().ok());
        if let Some(nested) = nested.filter(|_| depth > 0) {
            note(document, nested, listed, depth - 1);
        }
    }
}

fn sizes(document: &Document, verdict: &mut Verdict) {
    for page in
        document.objects.values().filter_map(|object| object.as_dict().ok()).filter(|page| page.has_type(b"Page"))
    {
        for key in [b"MediaBox".as_slice(), b"CropBox", b"BleedBox", b"TrimBox", b"ArtBox"] {
            let corners: Vec<f32> = document.array(page, key).iter().filter_map(|n| document.number(n)).collect();
            let [left, bottom, right, top] = corners[..] else { continue };
            if !SIDES.contains(&(right - left).abs()) || !SIDES.contains(&(top - bottom).abs()) {
                verdict.fail(Rule::Limits);
            }
        }
    }
}

/// A changed document has no valid signatures. The fields and their appearance stay.
fn signatures(document: &mut Document, verdict: &mut Verdict) {
    let signed: Vec<ObjectId> = document
        .objects
        .iter()
        .filter_map(|(id, object)| {
            let field = object.as_dict().ok()?;
            let value = document.child(field, b"V")?;
            (value.has(b"ByteRange") || value.has_type(b"Sig")).then_some(*id)
        })
        .collect();
    for id in signed {
        if let Ok(field) = document.get_dictionary_mut(id) {
            field.remove(b"V");
            verdict.mend(Repair::SignatureRemoved);
        }
    }
}

/// Adds the output intent and metadata, and the claim of conformance if it is justified. `schema` is added to the metadata.
/// Returns warnings about lost metadata.
pub fn claim(document: &mut Document, verdict: &Verdict, schema: Option<Schema>) -> Vec<Warning> {
    let profile = document.add_object(Stream::new(dictionary! { "N" => 3 }, SRGB.to_vec()));
    let intent = dictionary! {
        "Type" => "OutputIntent", "S" => "GTS_PDFA1", "OutputConditionIdentifier" => text("sRGB"),
        "Info" => text("sRGB IEC61966-2.1"), "DestOutputProfile" => profile,
    };
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("OutputIntents", vec![Object::Dictionary(intent)]);
    }
    let mut information = metadata::read(document);
    for key in ["CreationDate", "ModDate"] {
        // Both places must agree.
        if let Some(date) = information.remove(key).and_then(|date| metadata::complete_date(&date)) {
            information.insert(key.to_owned(), date);
        }
    }
    information.retain(|key, value| match key.as_str() {
        "Trapped" => matches!(value.as_str(), "True" | "False" | "Unknown"),
        _ => !value.trim_matches('\0').is_empty(),
    });
    let mut statement = metadata::statement(document);
    let mut warnings: Vec<Warning> = statement.lost().into_iter().collect();
    statement.claim_pdfa(verdict.conforms().then_some(verdict.level.part()));
    if statement.pdfua().is_some() && verdict.has_removed_annotations() {
        statement.renounce_pdfua();
        warnings.push(Warning::new(
            "conformance_removed",
            "The document said that it is PDF/UA. Annotations were removed, so the result does not say so.",
        ));
    }
    if let Some(schema) = schema {
        statement.schemas.retain(|other| other.prefix != schema.prefix && !invoice::is_namespace(&other.namespace));
        statement.schemas.push(schema);
    }
    remove_packets(document);
    metadata::write(document, &information, &statement);
    warnings
}

/// Metadata of the document's parts may be invalid. Property lists of content have this key too.
fn remove_packets(document: &mut Document) {
    walk::dictionaries(document, |document, entries| {
        if document.value(entries, b"Metadata").is_some_and(|packet| packet.as_stream().is_ok()) {
            entries.remove(b"Metadata");
        }
    });
}
