//! Device-dependent colors: RGB and grey use the output intent; CMYK gets its own profile.

use std::cell::Cell;
use std::collections::BTreeSet;

use docmill_pdf_core::objects::{Lookup, reference, unpacked};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use super::streams::is_graphics_state;
use super::verdict::{Level, Repair, Rule, Verdict};
use super::{content, walk};

/// SWOP, the usual meaning of CMYK without a profile. This profile and the one for sRGB are compact and in the public domain
/// (CC0).
const CMYK: &[u8] = include_bytes!("cmyk.icc");
const PROFILE_BYTES: usize = 16 << 20;

pub(super) fn mend(document: &mut Document, verdict: &mut Verdict) {
    profiles(document, verdict);
    separations(document, verdict);
    let used = Cell::new(content::uses_cmyk(document));
    walk::all(document, |_, entries| note(entries, &used), |_, array| note_in(array, &used));
    if used.get() {
        calibrate(document);
        verdict.mend(Repair::ColorsCalibrated);
    }
}

fn is_cmyk(object: &Object) -> bool {
    object.as_name().is_ok_and(|name| name == b"DeviceCMYK")
}

fn note(entries: &Dictionary, used: &Cell<bool>) {
    if entries.iter().any(|(_, value)| is_cmyk(value)) {
        used.set(true);
    }
}

fn note_in(array: &[Object], used: &Cell<bool>) {
    if array.iter().any(is_cmyk) {
        used.set(true);
    }
}

/// Defines CMYK for content and replaces it in objects.
fn calibrate(document: &mut Document) {
    let stream = intended(document).unwrap_or_else(|| Stream::new(dictionary! { "N" => 4 }, CMYK.to_vec()));
    let profile = document.add_object(stream);
    let space = document.add_object(Object::Array(vec!["ICCBased".into(), profile.into()]));
    replace_in_objects(document, space);
    for id in shared_resources(document) {
        let Ok(resources) = document.get_dictionary(id) else { continue };
        let mut resources = resources.clone();
        define(document, &mut resources, space);
        document.objects.insert(id, Object::Dictionary(resources));
    }
    walk::dictionaries(document, |document, entries| {
        let is_drawn = entries.has_type(b"Page")
            || matches!(document.name(entries, b"Subtype"), Some(b"Form" | b"Type3"))
            || entries.has(b"PatternType");
        match entries.get_mut(b"Resources") {
            Ok(Object::Dictionary(resources)) => define(document, resources, space),
            Err(_) if is_drawn => {
                let mut resources = Dictionary::new();
                define(document, &mut resources, space);
                entries.set("Resources", resources);
            }
            _ => {}
        }
    });
}

fn replace(object: &mut Object, space: ObjectId) {
    if is_cmyk(object) {
        *object = space.into();
    }
}

fn replace_in_objects(document: &mut Document, space: ObjectId) {
    walk::all(
        document,
        |document, entries| {
            for key in [b"ColorSpace".as_slice(), b"CS"] {
                if let Ok(value) = entries.get_mut(key) {
                    replace(value, space);
                }
            }
            // Overprinting has a different effect with a profile.
            if is_graphics_state(document, entries) && entries.has(b"OPM") {
                entries.set("OPM", 0);
            }
        },
        |_, array| {
            let family = array.first().and_then(|family| family.as_name().ok());
            let base = match family {
                Some(b"Indexed" | b"I" | b"Pattern") => 1,
                Some(b"Separation" | b"DeviceN") => 2,
                _ => return,
            };
            if let Some(base) = array.get_mut(base) {
                replace(base, space);
            }
        },
    );
}

/// Defines CMYK for the content that uses these resources.
fn define(document: &Document, resources: &mut Dictionary, space: ObjectId) {
    let mut spaces = document.child(resources, b"ColorSpace").cloned().unwrap_or_default();
    for (_, value) in &mut spaces {
        replace(value, space);
    }
    if !spaces.has(b"DefaultCMYK") {
        spaces.set("DefaultCMYK", space);
    }
    resources.set("ColorSpace", spaces);
}

/// The profile of the document's own output intent for CMYK.
fn intended(document: &Document) -> Option<Stream> {
    let catalog = document.catalog().ok()?;
    document.array(catalog, b"OutputIntents").iter().find_map(|intent| {
        let intent = document.dictionary(intent)?;
        let profile = document.value(intent, b"DestOutputProfile")?.as_stream().ok()?;
        let data = unpacked(profile, PROFILE_BYTES)?;
        is_sound(&data, 4, 2).then(|| Stream::new(dictionary! { "N" => 4 }, data))
    })
}

/// Resources that are separate objects.
fn shared_resources(document: &Document) -> BTreeSet<ObjectId> {
    let entries = document.objects.values().filter_map(|object| match object {
        Object::Dictionary(entries) => Some(entries),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    });
    entries.filter_map(|entries| reference(entries, b"Resources")).collect()
}

/// Replaces damaged profiles and those that are too new for the level.
fn profiles(document: &mut Document, verdict: &mut Verdict) {
    let version = if verdict.level == Level::One { 2 } else { 4 };
    walk::all(
        document,
        |document, entries| {
            for (_, value) in entries.iter_mut() {
                if let Some(Object::Array(array)) = document.resolve(value)
                    && let Some(device) = replacement(document, array, version, verdict)
                {
                    *value = device;
                }
            }
        },
        |document, array| {
            for value in array {
                if let Some(Object::Array(inner)) = document.resolve(value)
                    && let Some(device) = replacement(document, inner, version, &mut Verdict::new(Level::Two))
                {
                    *value = device;
                }
            }
        },
    );
}

/// The replacement for a color space with a forbidden profile: device colors.
fn replacement(document: &Document, array: &[Object], version: u8, verdict: &mut Verdict) -> Option<Object> {
    let [family, profile] = array else { return None };
    if family.as_name().ok()? != b"ICCBased" {
        return None;
    }
    let Some(Object::Stream(profile)) = document.resolve(profile) else {
        verdict.fail(Rule::Profile);
        return None;
    };
    let channels = document.integer(&profile.dict, b"N").unwrap_or(0);
    let data = unpacked(profile, PROFILE_BYTES);
    if data.is_some_and(|data| is_sound(&data, channels, version)) {
        return None;
    }
    verdict.mend(Repair::ProfileReplaced);
    match channels {
        1 => Some("DeviceGray".into()),
        3 => Some("DeviceRGB".into()),
        4 => Some("DeviceCMYK".into()),
        _ => {
            verdict.fail(Rule::Profile);
            None
        }
    }
}

/// Whether a profile is of a kind for images and screens, has this many channels, and has at most this version.
fn is_sound(profile: &[u8], channels: i64, version: u8) -> bool {
    let field = |at: usize| profile.get(at..at + 4);
    let space = match channels {
        1 => b"GRAY",
        3 => b"RGB ",
        4 => b"CMYK",
        _ => return false,
    };
    let is_lab = channels == 3 && field(16) == Some(b"Lab ");
    field(36) == Some(b"acsp")
        && (field(16) == Some(space) || is_lab)
        && matches!(field(12), Some(b"prtr" | b"mntr" | b"scnr" | b"spac"))
        && profile.get(8).is_some_and(|major| (1..=version).contains(major))
        && field(0)
            .and_then(|size| size.try_into().ok())
            .is_some_and(|size| u32::from_be_bytes(size) as usize <= profile.len())
}

/// Spot colors of the same name must have the same definition.
fn separations(document: &mut Document, verdict: &mut Verdict) {
    if verdict.level == Level::One {
        return;
    }
    let mut known: std::collections::BTreeMap<Vec<u8>, Vec<u8>> = std::collections::BTreeMap::new();
    walk::all(
        document,
        |_, _| {},
        |document, array| {
            let [family, name, alternate, function] = array.as_slice() else { return };
            if !family.as_name().is_ok_and(|family| family == b"Separation") {
                return;
            }
            let Ok(name) = name.as_name() else { return };
            if matches!(name, b"All" | b"None") {
                return;
            }
            let mut meaning = Vec::new();
            print(document, alternate, &mut meaning, 8);
            print(document, function, &mut meaning, 8);
            if known.entry(name.to_vec()).or_insert_with(|| meaning.clone()) != &meaning {
                verdict.fail(Rule::Separation);
            }
        },
    );
}

/// Serialises an object with everything it refers to, for comparison.
fn print(document: &Document, object: &Object, bytes: &mut Vec<u8>, depth: u8) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match document.resolve(object) {
        Some(Object::Array(elements)) => {
            bytes.push(b'[');
            elements.iter().for_each(|element| print(document, element, bytes, depth));
        }
        Some(Object::Dictionary(entries)) => print_entries(document, entries, bytes, depth),
        Some(Object::Stream(stream)) => {
            print_entries(document, &stream.dict, bytes, depth);
            bytes.extend(&stream.content);
        }
        Some(other) => bytes.extend(format!("{other:?} ").into_bytes()),
        None => bytes.push(b'0'),
    }
}

fn print_entries(document: &Document, entries: &Dictionary, bytes: &mut Vec<u8>, depth: u8) {
    let mut keys: Vec<&Vec<u8>> = entries.iter().map(|(key, _)| key).collect();
    keys.sort();
    for key in keys {
        bytes.extend(key);
        if let Ok(value) = entries.get(key) {
            print(document, value, bytes, depth);
        }
    }
}
