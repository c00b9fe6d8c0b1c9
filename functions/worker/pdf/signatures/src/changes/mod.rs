//! What is different between a signed revision and the final document, and whether that was allowed.
//!
//! Objects whose entries in the table are the same are the same bytes. Each other object is judged by its role in the signed
//! revision. What has no role that may change is a change that is not allowed.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

mod field;
mod form;
mod roles;

use std::collections::{BTreeSet, HashMap, HashSet};

use lopdf::{Dictionary, Object};

use crate::fields::numbers;
use crate::file::{Entry, File, View, dict_of, is_white};
use crate::report::{Change, ChangeKind};
use crate::seal::Restrictions;
use field::Filled;
use roles::{Role, Roles};

/// The signed revision and the final one.
pub(crate) struct Comparison<'c, 'b> {
    pub(crate) file: &'c File<'b>,
    pub(crate) old: &'c View<'b>,
    pub(crate) new: &'c View<'b>,
    pub(crate) restrictions: &'c Restrictions,
}

impl Comparison<'_, '_> {
    /// All differences; none if nothing follows after the signed revision.
    pub(crate) fn changes(&self) -> Vec<Change> {
        let after = self.file.bytes.get(self.old.revision.end..).unwrap_or_default();
        if after.iter().all(|byte| is_white(*byte)) {
            return Vec::new();
        }
        let mut judge = Judge::new(self);
        if let Some(broken) = self.file.odd_updates(&self.old.revision, &self.new.revision) {
            let sentence = format!("The data after the signed part is not a proper update: {broken}.");
            judge.forbid(ChangeKind::UnknownData, None, sentence);
        }
        judge.trailer();
        judge.objects();
        judge.finish()
    }
}

struct Judge<'c, 'b> {
    of: &'c Comparison<'c, 'b>,
    roles: Roles,
    /// For each object that is different, those of the signed revision that refer to it.
    referrers: HashMap<u32, Vec<u32>>,
    /// What changed of each field of the signed revision.
    filled: HashMap<usize, Filled>,
    /// Annotations of new signature fields.
    new_widgets: HashSet<u32>,
    changes: Vec<Change>,
}

/// The referrer of what the trailer names.
const TRAILER: u32 = 0;

impl<'c, 'b> Judge<'c, 'b> {
    fn new(of: &'c Comparison<'c, 'b>) -> Self {
        let roles = Roles::of(of.old);
        Self {
            of,
            roles,
            referrers: HashMap::new(),
            filled: HashMap::new(),
            new_widgets: HashSet::new(),
            changes: Vec::new(),
        }
    }

    fn push(&mut self, change: Change) {
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }

    fn allow(&mut self, kind: ChangeKind, of: Option<String>) {
        self.push(Change { kind, allowed: true, of, sentence: None, is_unclear: false });
    }

    fn forbid(&mut self, kind: ChangeKind, of: Option<String>, sentence: impl Into<String>) {
        self.push(Change { kind, allowed: false, of, sentence: Some(sentence.into()), is_unclear: false });
    }

    /// A change that may be right, and may deceive.
    fn doubt(&mut self, kind: ChangeKind, of: Option<String>, sentence: impl Into<String>) {
        self.push(Change { kind, allowed: false, of, sentence: Some(sentence.into()), is_unclear: true });
    }

    /// What the signer allows: 1 nothing, 2 forms, 3 annotations; `None` if it does not say.
    const fn permission(&self) -> Option<u8> {
        self.of.restrictions.permission
    }

    fn trailer(&mut self) {
        let (Some(old), Some(new)) = (self.of.old.revision.trailer(), self.of.new.revision.trailer()) else { return };
        if old.get(b"Root").ok() != new.get(b"Root").ok() {
            let sentence = "Another document was put in the place of the signed one.";
            self.forbid(ChangeKind::CatalogChanged, None, sentence);
        }
        if old.get(b"Encrypt").ok() != new.get(b"Encrypt").ok() {
            self.forbid(ChangeKind::EncryptionChanged, None, "The protection was changed.");
        }
        if old.get(b"Info").ok() != new.get(b"Info").ok() {
            self.allow(ChangeKind::MetadataChanged, None);
        }
    }

    /// Judges each object that is different.
    fn objects(&mut self) {
        let different = self.different();
        self.find_referrers(&different);
        // The form first: it says which annotations belong to new signatures.
        let form_first =
            |number: &u32| !matches!(self.roles.of_object(*number), Role::Catalog | Role::Form | Role::Fields);
        let mut ordered: Vec<u32> = different.into_iter().collect();
        ordered.sort_by_key(|number| (form_first(number), *number));
        for number in ordered {
            self.object(number);
        }
    }

    /// The numbers of objects that are not the same in both revisions.
    fn different(&mut self) -> BTreeSet<u32> {
        let (old, new) = (&self.of.old.revision.entries, &self.of.new.revision.entries);
        let moved = |number: &u32| {
            let (before, after) = (self.of.old.entry(*number), self.of.new.entry(*number));
            let container = match before {
                Entry::Packed { container, .. } => Some(container),
                Entry::Free | Entry::At { .. } => None,
            };
            before != after || container.is_some_and(|other| self.of.old.entry(other) != self.of.new.entry(other))
        };
        let moved: BTreeSet<u32> = old.keys().chain(new.keys()).copied().filter(moved).collect();
        let mut different = BTreeSet::new();
        for number in moved {
            let (before, after) = (self.of.old.whole(number), self.of.new.whole(number));
            if before.is_none() && self.of.old.entry(number) == Entry::Free && after.is_none() {
                continue;
            }
            if before.is_some() && same(before.as_ref(), after.as_ref()) {
                continue;
            }
            if self.lies_in_signed_part(number) {
                let sentence = "Parts that the signer did not see were in the file already, and were made visible.";
                self.forbid(ChangeKind::ObjectChanged, Some(format!("object {number}")), sentence);
            }
            different.insert(number);
        }
        different
    }

    /// Whether an object that is new lies in the signed bytes, where no table of the signed revision showed it.
    fn lies_in_signed_part(&self, number: u32) -> bool {
        let entry = match self.of.new.entry(number) {
            Entry::Packed { container, .. } => self.of.new.entry(container),
            other @ (Entry::Free | Entry::At { .. }) => other,
        };
        matches!(entry, Entry::At { offset, .. } if offset < self.of.old.revision.end)
    }

    fn find_referrers(&mut self, different: &BTreeSet<u32>) {
        let mut note = |from: u32, object: &Object| {
            each_reference(object, &mut |number| {
                if different.contains(&number) {
                    self.referrers.entry(number).or_default().push(from);
                }
            });
        };
        for number in self.of.old.revision.entries.keys() {
            if let Some(object) = self.of.old.object(*number) {
                let is_table = |dict: &Dictionary| dict.has_type(b"XRef");
                let from =
                    if object.as_stream().is_ok_and(|stream| is_table(&stream.dict)) { TRAILER } else { *number };
                note(from, &object);
            }
        }
        if let Some(trailer) = self.of.old.revision.trailer() {
            note(TRAILER, &Object::Dictionary(trailer.clone()));
        }
    }

    fn referrers(&self, number: u32) -> &[u32] {
        self.referrers.get(&number).map_or(&[], Vec::as_slice)
    }

    /// Whether only these refer to an object.
    fn only_from(&self, number: u32, allowed: impl Fn(u32) -> bool) -> bool {
        self.referrers(number).iter().all(|from| allowed(*from))
    }

    fn object(&mut self, number: u32) {
        let before = self.of.old.whole(number);
        let after = self.of.new.whole(number);
        if self.referrers(number).is_empty() && !self.roles.is_known(number) {
            // It was not shown. An object that shows it now is judged on its own.
            return;
        }
        let Some(before) = before else {
            let sentence = "Something that the signed document named, but did not contain, was added.";
            return self.forbid(ChangeKind::ObjectChanged, Some(format!("object {number}")), sentence);
        };
        match self.roles.of_object(number) {
            Role::Catalog => self.catalog(before, after),
            Role::Form => self.form(before, after),
            Role::Fields => self.fields(&before, after.as_ref()),
            Role::Resources => self.resources(&before, after.as_ref()),
            Role::Field(index) => self.field(index, before, after),
            Role::Appearance(index) => self.appearance(index, number),
            Role::Information if self.only_from(number, |from| from == TRAILER) => {
                self.allow(ChangeKind::MetadataChanged, None);
            }
            Role::Metadata if self.only_from(number, |from| self.roles.of_object(from) == Role::Catalog) => {
                self.allow(ChangeKind::MetadataChanged, None);
            }
            Role::Validation if self.only_from(number, |from| self.roles.validates(from)) => {
                self.allow(ChangeKind::DssAdded, None);
            }
            Role::Page(page) => self.page(page, before, after),
            Role::Annotations(page) => self.annotation_list(page, &before, after.as_ref()),
            Role::Annotation(page) => self.annotation(page),
            Role::PageTree => {
                self.forbid(ChangeKind::PagesChanged, None, "Pages were added, removed or put in another order.");
            }
            Role::Content(page) => self.content(page),
            Role::Signature => {
                self.forbid(ChangeKind::SignatureChanged, None, "A signature was replaced.");
            }
            Role::Other | Role::Information | Role::Metadata | Role::Validation => {
                let sentence = "A part that pages or the document use was changed.";
                self.forbid(ChangeKind::ContentChanged, Some(format!("object {number}")), sentence);
            }
        }
    }

    fn catalog(&mut self, before: Object, after: Option<Object>) {
        let (Some(before), Some(after)) = (dict_of(before), after.and_then(dict_of)) else {
            return self.forbid(ChangeKind::CatalogChanged, None, "The document's root was removed.");
        };
        for key in changed_keys(&before, &after) {
            match key.as_slice() {
                b"AcroForm" => {
                    let old = self.of.old.dictionary(&before, b"AcroForm").unwrap_or_default();
                    match self.of.new.dictionary(&after, b"AcroForm") {
                        Some(new) => self.form_dictionaries(&old, &new),
                        None => self.forbid(ChangeKind::FormChanged, None, "The form was removed."),
                    }
                }
                b"DSS" if after.has(b"DSS") => self.allow(ChangeKind::DssAdded, None),
                b"Metadata" if after.has(b"Metadata") => self.allow(ChangeKind::MetadataChanged, None),
                b"Extensions" | b"Version" => self.allow(ChangeKind::CatalogChanged, Some(lossy(&key))),
                key => {
                    let sentence = "A property of the whole document was changed.";
                    self.forbid(ChangeKind::CatalogChanged, Some(lossy(key)), sentence);
                }
            }
        }
    }

    fn page(&mut self, page: usize, before: Object, after: Option<Object>) {
        let (Some(before), Some(after)) = (dict_of(before), after.and_then(dict_of)) else { return self.content(page) };
        for key in changed_keys(&before, &after) {
            if key == b"Annots" {
                let old = self.of.old.array(&before, b"Annots");
                let new = self.of.new.array(&after, b"Annots");
                self.annotation_list(page, &Object::Array(old), Some(&Object::Array(new)));
            } else {
                self.content(page);
            }
        }
    }

    fn content(&mut self, page: usize) {
        let sentence = "The content of a page was changed.";
        self.forbid(ChangeKind::ContentChanged, Some(format!("page {}", page + 1)), sentence);
    }

    /// Annotations may only be added, and only those of new signatures are no change of their own.
    fn annotation_list(&mut self, page: usize, before: &Object, after: Option<&Object>) {
        let (Ok(old), Some(Ok(new))) = (before.as_array(), after.map(Object::as_array)) else {
            return self.annotation(page);
        };
        let known = numbers(old);
        let is_kept = old.iter().all(|item| new.contains(item));
        let is_known = |item: &Object| match item.as_reference() {
            Ok(id) => known.contains(&id.0) || self.new_widgets.contains(&id.0),
            Err(_) => old.contains(item),
        };
        if !is_kept || !new.iter().all(is_known) {
            self.annotation(page);
        }
    }

    fn annotation(&mut self, page: usize) {
        let of = Some(format!("page {}", page + 1));
        match self.permission() {
            Some(3) => {
                // A comment, as the signer allows, or a picture over the price.
                let sentence =
                    "Annotations were added or changed, as the signer allows. They can cover what was signed.";
                let kind = ChangeKind::AnnotationsChanged;
                self.push(Change { kind, allowed: true, of, sentence: Some(sentence.to_owned()), is_unclear: true });
            }
            None => {
                let sentence = "Annotations were added, changed or removed. They can cover what was signed.";
                self.doubt(ChangeKind::AnnotationsChanged, of, sentence);
            }
            Some(_) => {
                let sentence = "Annotations were added, changed or removed, which the signer does not allow.";
                self.forbid(ChangeKind::AnnotationsChanged, of, sentence);
            }
        }
    }

    fn finish(mut self) -> Vec<Change> {
        self.filled_fields();
        self.changes.sort_by_key(|change| change.kind);
        self.changes
    }
}

/// Whether two objects say the same. Streams are compared with their data, and without how they are stored.
fn same(before: Option<&Object>, after: Option<&Object>) -> bool {
    match (before, after) {
        (Some(Object::Stream(before)), Some(Object::Stream(after))) => {
            let plain = |dict: &Dictionary| {
                let mut dict = dict.clone();
                dict.remove(b"Length");
                dict
            };
            let is_table = |dict: &Dictionary| dict.has_type(b"XRef") || dict.has_type(b"ObjStm");
            (is_table(&before.dict) && is_table(&after.dict))
                || (before.content == after.content && plain(&before.dict) == plain(&after.dict))
        }
        (before, after) => before == after,
    }
}

/// The keys whose values are not the same, in order.
fn changed_keys(before: &Dictionary, after: &Dictionary) -> BTreeSet<Vec<u8>> {
    let keys = before.iter().chain(after.iter()).map(|(key, _)| key);
    keys.filter(|key| before.get(key).ok() != after.get(key).ok()).cloned().collect()
}

/// Calls `each` with the number of each object that this one refers to.
pub(crate) fn each_reference(object: &Object, each: &mut dyn FnMut(u32)) {
    match object {
        Object::Reference(id) => each(id.0),
        Object::Array(items) => items.iter().for_each(|item| each_reference(item, each)),
        Object::Dictionary(dict) => dict.iter().for_each(|(_, value)| each_reference(value, each)),
        Object::Stream(stream) => stream.dict.iter().for_each(|(_, value)| each_reference(value, each)),
        _ => {}
    }
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}
