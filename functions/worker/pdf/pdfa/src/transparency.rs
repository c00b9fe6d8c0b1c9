//! Level 1b allows no transparency. Groups without effect are removed; anything else is a broken rule.

use docmill_pdf_core::objects::Lookup;
use lopdf::{Document, Object};

use super::streams::is_graphics_state;
use super::verdict::{Level, Repair, Rule, Verdict};
use super::walk;

/// The ways of mixing colors that PDF defines.
const MODES: [&[u8]; 17] = [
    b"Normal",
    b"Compatible",
    b"Multiply",
    b"Screen",
    b"Overlay",
    b"Darken",
    b"Lighten",
    b"ColorDodge",
    b"ColorBurn",
    b"HardLight",
    b"SoftLight",
    b"Difference",
    b"Exclusion",
    b"Hue",
    b"Saturation",
    b"Color",
    b"Luminosity",
];

pub(super) fn mend(document: &mut Document, verdict: &mut Verdict) {
    let level = verdict.level;
    walk::dictionaries(document, |document, entries| {
        if is_graphics_state(document, entries) {
            let known = |mode: &Object| mode.as_name().is_ok_and(|mode| MODES.contains(&mode));
            match document.value(entries, b"BM").cloned() {
                Some(Object::Array(modes)) => {
                    let mode = modes.into_iter().find(known).unwrap_or_else(|| "Normal".into());
                    entries.set("BM", mode);
                }
                Some(mode) if !known(&mode) => entries.set("BM", "Normal"),
                _ => {}
            }
            if level == Level::One {
                graphics_state(document, entries, verdict);
            }
        }
        let is_image = document.name(entries, b"Subtype") == Some(b"Image");
        if level == Level::One && is_image && entries.has(b"SMask") {
            verdict.fail(Rule::Transparency);
        }
        let group = document.child(entries, b"Group").and_then(|group| document.name(group, b"S"));
        if level == Level::One && group == Some(b"Transparency") {
            entries.remove(b"Group");
            verdict.mend(Repair::GroupRemoved);
        }
    });
}

fn graphics_state(document: &Document, entries: &mut lopdf::Dictionary, verdict: &mut Verdict) {
    let opaque = |key: &[u8]| {
        entries.get(key).map_or(true, |opacity| document.number(opacity).is_some_and(|opacity| opacity >= 1.0))
    };
    let plain = matches!(document.name(entries, b"BM"), None | Some(b"Normal" | b"Compatible"));
    let unmasked =
        document.value(entries, b"SMask").is_none_or(|mask| mask.as_name().is_ok_and(|name| name == b"None"));
    if !(opaque(b"ca") && opaque(b"CA") && plain && unmasked) {
        verdict.fail(Rule::Transparency);
    }
}
