//! Changes of fields that the signed revision has.

use lopdf::{Dictionary, Object};

use super::roles::{Role, reference};
use super::{Judge, changed_keys};
use crate::fields::Field;
use crate::file::{View, dict_of};
use crate::report::ChangeKind;

/// What filling in may change.
const FILLED_KEYS: &[&[u8]] = &[b"AP", b"AS", b"I", b"M", b"V"];
/// The most bytes of a look that are searched.
const LOOK_BYTES: usize = 4 << 20;

/// What changed of a field.
#[derive(Debug, Default)]
pub(super) struct Filled {
    look: bool,
    other: bool,
    shared: bool,
}

impl Judge<'_, '_> {
    /// A field or one of its annotations.
    pub(super) fn field(&mut self, index: usize, before: Object, after: Option<Object>) {
        let (before, after) = (dict_of(before), after.and_then(dict_of));
        let filled = self.filled.entry(index).or_default();
        let (Some(before), Some(after)) = (before, after) else {
            filled.other = true;
            return;
        };
        for key in changed_keys(&before, &after) {
            filled.other |= !FILLED_KEYS.contains(&key.as_slice());
            filled.look |= key == b"AP" || key == b"AS";
        }
    }

    /// A look that was written over.
    pub(super) fn appearance(&mut self, index: usize, number: u32) {
        let own = |from: u32| matches!(self.roles.of_object(from), Role::Field(other) | Role::Appearance(other) if other == index);
        let shared = !self.only_from(number, own);
        let filled = self.filled.entry(index).or_default();
        filled.look = true;
        filled.shared |= shared;
    }

    /// Judges what was gathered of each field.
    pub(super) fn filled_fields(&mut self) {
        let mut filled: Vec<_> = std::mem::take(&mut self.filled).into_iter().collect();
        filled.sort_by_key(|(index, _)| *index);
        let fields = std::mem::take(&mut self.roles.fields);
        for (index, filled) in filled {
            if let Some(field) = fields.get(index) {
                self.filled_field(field, &filled);
            }
        }
    }

    fn filled_field(&mut self, field: &Field, filled: &Filled) {
        let name = Some(field.name.clone());
        let after = self.of.new.object(field.number).and_then(dict_of).unwrap_or_default();
        if filled.shared {
            let sentence = "The look of a field, which other parts use, too, was changed.";
            return self.forbid(ChangeKind::FieldChanged, name, sentence);
        }
        if filled.other {
            return self.forbid(ChangeKind::FieldChanged, name, "A field was changed, and not only filled in.");
        }
        if self.of.restrictions.locks.iter().any(|lock| lock.covers(&field.name)) {
            return self.forbid(ChangeKind::FieldChanged, name, "A field was changed that the signature locks.");
        }
        if field.is_signature() {
            return self.signature_field(field, &after);
        }
        if self.permission() == Some(1) {
            return self.forbid(
                ChangeKind::FormFilled,
                name,
                "A field was filled in, which the signer does not allow.",
            );
        }
        let (old, new) = (self.of.old.value(&field.dict, b"V"), self.of.new.value(&after, b"V"));
        if old == new && filled.look {
            let sentence = "A field shows something else, and its value is the same.";
            return self.doubt(ChangeKind::FieldChanged, name, sentence);
        }
        if !is_empty(old.as_ref()) {
            let sentence = "A field that was filled in when the document was signed now has another value.";
            return self.doubt(ChangeKind::FormFilled, name, sentence);
        }
        if field.kind != b"Btn" && field.widgets.iter().any(|widget| shows_something(self.of.old, *widget)) {
            let sentence =
                "A field without a value showed something when the document was signed, and now shows something else.";
            return self.doubt(ChangeKind::FormFilled, name, sentence);
        }
        self.allow(ChangeKind::FormFilled, name);
    }

    fn signature_field(&mut self, field: &Field, after: &Dictionary) {
        let name = Some(field.name.clone());
        if self.of.old.dictionary(&field.dict, b"V").is_some() {
            return self.forbid(
                ChangeKind::SignatureChanged,
                name,
                "A signature was replaced, or now looks different.",
            );
        }
        // The signed document has the place for it, so nothing is covered that the signer did not agree to.
        if after.has(b"V") {
            self.signed_or_added(after, name, 0.0);
        } else {
            self.doubt(ChangeKind::FieldChanged, name, "An empty signature field now looks different.");
        }
    }
}

fn is_empty(value: Option<&Object>) -> bool {
    match value {
        None | Some(Object::Null) => true,
        Some(Object::String(text, _)) => text.is_empty() || text == b"\xfe\xff",
        Some(Object::Name(name)) => name == b"Off",
        Some(Object::Array(items)) => items.is_empty(),
        Some(_) => false,
    }
}

/// Whether an annotation's look draws text or a picture.
fn shows_something(view: &View<'_>, widget: u32) -> bool {
    let look = || {
        let dict = view.object(widget).and_then(dict_of)?;
        let looks = view.dictionary(&dict, b"AP")?;
        view.whole(reference(&looks, b"N")?)
    };
    let Some(Object::Stream(look)) = look() else { return false };
    let content =
        if look.dict.has(b"Filter") { look.decompressed_content_with_limit(LOOK_BYTES) } else { Ok(look.content) };
    // What can't be read may show anything.
    let Ok(content) = content else { return true };
    [b"Tj".as_slice(), b"TJ", b" Do", b"EI"].iter().any(|word| memchr::memmem::find(&content, word).is_some())
}
