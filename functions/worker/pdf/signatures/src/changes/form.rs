//! Changes of the form as a whole, and new fields.

use lopdf::{Dictionary, Object};

use super::{Judge, changed_keys, lossy};
use crate::fields::numbers;
use crate::file::{View, dict_of};
use crate::report::ChangeKind;

/// What a new signature field may have.
const OWN_KEYS: &[&[u8]] = &[
    b"AP",
    b"AS",
    b"BS",
    b"Border",
    b"DA",
    b"F",
    b"FT",
    b"Ff",
    b"H",
    b"Kids",
    b"Lock",
    b"M",
    b"MK",
    b"NM",
    b"P",
    b"Parent",
    b"Rect",
    b"SV",
    b"StructParent",
    b"Subtype",
    b"T",
    b"TU",
    b"Type",
    b"V",
];
/// A visible signature that is larger than this, in square points, covers much of a page.
const LARGEST: f32 = 100_000.0;

impl Judge<'_, '_> {
    pub(super) fn form(&mut self, before: Object, after: Option<Object>) {
        match (dict_of(before), after.and_then(dict_of)) {
            (Some(before), Some(after)) => self.form_dictionaries(&before, &after),
            _ => self.forbid(ChangeKind::FormChanged, None, "The form was removed."),
        }
    }

    pub(super) fn form_dictionaries(&mut self, before: &Dictionary, after: &Dictionary) {
        for key in changed_keys(before, after) {
            match key.as_slice() {
                b"Fields" => {
                    let old = self.of.old.array(before, b"Fields");
                    let new = self.of.new.array(after, b"Fields");
                    self.fields(&Object::Array(old), Some(&Object::Array(new)));
                }
                b"DR" => {
                    let old = self.of.old.value(before, b"DR").unwrap_or_else(|| Dictionary::new().into());
                    let new = self.of.new.value(after, b"DR");
                    self.resources(&old, new.as_ref());
                }
                b"SigFlags" => {}
                // A form that says nothing of fonts has no text fields yet.
                b"DA" if !before.has(b"DA") => {}
                key => {
                    let sentence = "A property of the form was changed.";
                    self.forbid(ChangeKind::FormChanged, Some(lossy(key)), sentence);
                }
            }
        }
    }

    /// Fields may be added at the end, and only those of signatures.
    pub(super) fn fields(&mut self, before: &Object, after: Option<&Object>) {
        let (Ok(old), Some(Ok(new))) = (before.as_array(), after.map(Object::as_array)) else {
            return self.forbid(ChangeKind::FormChanged, None, "Fields of the form were removed.");
        };
        if !new.starts_with(old) {
            return self.forbid(
                ChangeKind::FormChanged,
                None,
                "Fields of the form were removed or put in another order.",
            );
        }
        for added in new.iter().skip(old.len()) {
            match added.as_reference() {
                Ok(id) => self.new_field(id.0),
                Err(_) => self.forbid(ChangeKind::FieldAdded, None, "A field was added that is not for a signature."),
            }
        }
    }

    fn new_field(&mut self, number: u32) {
        let new = self.of.new;
        let dict = new.object(number).and_then(dict_of).unwrap_or_default();
        let name = crate::fields::text(new, &dict, b"T");
        let kids = numbers(&new.array(&dict, b"Kids"));
        let widgets: Vec<Dictionary> = kids.iter().filter_map(|kid| new.object(*kid).and_then(dict_of)).collect();
        let is_signature = new.value(&dict, b"FT").is_some_and(|kind| kind.as_name().is_ok_and(|kind| kind == b"Sig"));
        let is_plain = |dict: &Dictionary| dict.iter().all(|(key, _)| OWN_KEYS.contains(&key.as_slice()));
        let are_new = kids.iter().chain([&number]).all(|own| self.of.old.object(*own).is_none());
        let all_plain = is_plain(&dict) && widgets.iter().all(is_plain) && widgets.iter().all(|kid| !kid.has(b"T"));
        if !is_signature || !all_plain || !are_new {
            return self.forbid(ChangeKind::FieldAdded, name, "A field was added that is not for a signature.");
        }
        self.new_widgets.extend(kids);
        self.new_widgets.insert(number);
        let area = widgets.iter().chain([&dict]).map(|widget| area(new, widget)).fold(0.0, f32::max);
        self.signed_or_added(&dict, name, area);
    }

    /// A signature in a field that was added or that was empty. `area`: how much a new field shows, in square points.
    pub(super) fn signed_or_added(&mut self, dict: &Dictionary, name: Option<String>, area: f32) {
        let value = self.of.new.dictionary(dict, b"V");
        let kind = match &value {
            None => ChangeKind::FieldAdded,
            Some(value) if is_time_stamp(self.of.new, value) => ChangeKind::TimestampAdded,
            Some(_) => ChangeKind::SignatureAdded,
        };
        if self.permission() == Some(1) && kind != ChangeKind::TimestampAdded {
            return self.forbid(
                kind,
                name,
                "A signature or a field for one was added, which the signer does not allow.",
            );
        }
        if kind == ChangeKind::SignatureAdded && value.is_some_and(|value| !value.has(b"ByteRange")) {
            return self.forbid(kind, name, "A signature was added that signs nothing.");
        }
        let covers = area > LARGEST || (area > 0.0 && self.of.restrictions.certified.is_some());
        if covers {
            let sentence = "A visible signature was added where the signed document has no field for it. It can cover what was signed.";
            return self.doubt(kind, name, sentence);
        }
        self.allow(kind, name);
    }

    /// Fonts and the like may be added for appearances.
    pub(super) fn resources(&mut self, before: &Object, after: Option<&Object>) {
        let is_kept = || {
            let (old, new) = (before.as_dict().ok()?, after?.as_dict().ok()?);
            Some(old.iter().all(|(key, value)| {
                let kept = new.get(key).is_ok_and(|other| other == value);
                let (old, new) =
                    (self.of.old.resolve(value), new.get(key).ok().and_then(|new| self.of.new.resolve(new)));
                let parts = old
                    .as_ref()
                    .and_then(|old| old.as_dict().ok())
                    .zip(new.as_ref().and_then(|new| new.as_dict().ok()));
                kept || parts
                    .is_some_and(|(old, new)| old.iter().all(|(name, part)| new.get(name).is_ok_and(|new| new == part)))
            }))
        };
        if is_kept() != Some(true) {
            self.forbid(ChangeKind::FormChanged, Some("DR".to_owned()), "Fonts of the form were replaced.");
        }
    }
}

fn is_time_stamp(view: &View<'_>, value: &Dictionary) -> bool {
    view.value(value, b"SubFilter").is_some_and(|name| name.as_name().is_ok_and(|name| name == b"ETSI.RFC3161"))
}

/// The area of an annotation. One without a place, or with a strange one, is judged by the largest.
fn area(view: &View<'_>, widget: &Dictionary) -> f32 {
    if !widget.has(b"Rect") {
        return 0.0;
    }
    let sides: Vec<f32> = view.array(widget, b"Rect").iter().filter_map(|side| side.as_float().ok()).collect();
    match sides.as_slice() {
        [left, bottom, right, top] => ((right - left) * (top - bottom)).abs(),
        _ => f32::MAX,
    }
}
