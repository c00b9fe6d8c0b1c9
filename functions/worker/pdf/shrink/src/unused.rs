//! Resources that no content names: pictures of pages that were changed, fonts of templates.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use std::collections::{HashMap, HashSet};
use std::ptr;

use docmill_pdf_core::content;
use docmill_pdf_core::objects::{Lookup, reference, references, unpacked};
use docmill_pdf_core::pages::PageTree;
use docmill_pdf_core::tokens::{self, Token, Tokens};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

/// Kinds of resources that content names.
const KINDS: [&[u8]; 7] = [b"XObject", b"ExtGState", b"Pattern", b"Shading", b"Properties", b"ColorSpace", b"Font"];
/// The most bytes that the content of one page or form may unpack to.
const CONTENT_BYTES: usize = 64 << 20;

type Names = HashSet<Vec<u8>>;

/// Removes resources that are reached by no other way than by a name that no content uses. Returns whether there were any.
/// The pages must have their own resources.
pub(super) fn remove(document: &mut Document, tree: &PageTree) -> bool {
    // Pages have what they inherited.
    for id in &tree.nodes {
        if let Ok(node) = document.get_dictionary_mut(*id) {
            node.remove(b"Resources");
        }
    }
    let Some((reached, owners)) = Walk::new(document, &tree.pages).all() else { return false };
    let mut done = HashSet::new();
    let mut any = false;
    for owner in owners {
        any |= forget(document, owner, &reached, &mut done);
    }
    any
}

struct Walk<'d> {
    document: &'d Document,
    pages: HashSet<ObjectId>,
    reached: HashSet<ObjectId>,
    wanted: Vec<ObjectId>,
    /// Whose resources are reached by names only.
    owners: Vec<ObjectId>,
    /// The resources of the owners, by their place.
    resources: HashMap<*const Dictionary, &'d Dictionary>,
    /// Names in content that has no resources of its own, and uses those of whatever draws it.
    loose: Names,
}

impl<'d> Walk<'d> {
    fn new(document: &'d Document, pages: &[ObjectId]) -> Self {
        let mut wanted = Vec::new();
        document.trailer.iter().for_each(|(_, value)| references(value, &mut wanted));
        Self {
            document,
            pages: pages.iter().copied().collect(),
            reached: HashSet::new(),
            wanted,
            owners: Vec::new(),
            resources: HashMap::new(),
            loose: Names::new(),
        }
    }

    /// Everything that is reached, and the owners of resources. `None` if content without own resources can't be read.
    fn all(mut self) -> Option<(HashSet<ObjectId>, Vec<ObjectId>)> {
        let mut followed = (0, 0);
        loop {
            while let Some(id) = self.wanted.pop() {
                if self.reached.insert(id)
                    && let Some(object) = self.document.objects.get(&id)
                {
                    self.visit(id, object)?;
                }
            }
            let found = (self.loose.len(), self.resources.len());
            if found == followed || self.loose.is_empty() {
                return Some((self.reached, self.owners));
            }
            followed = found;
            let loose = std::mem::take(&mut self.loose);
            for resources in self.resources.values().copied().collect::<Vec<_>>() {
                self.follow(resources, &loose);
            }
            self.loose = loose;
        }
    }

    fn visit(&mut self, id: ObjectId, object: &'d Object) -> Option<()> {
        let (dictionary, names) = match object {
            Object::Stream(stream) if is_content(self.document, stream) => {
                (&stream.dict, unpacked(stream, CONTENT_BYTES).map(|content| names(&content)))
            }
            Object::Dictionary(page) if self.pages.contains(&id) => {
                (page, content::of_page(self.document, page, CONTENT_BYTES).map(|content| names(&content)))
            }
            Object::Dictionary(font) if self.document.name(font, b"Subtype") == Some(b"Type3") => {
                (font, self.names_of_glyphs(font))
            }
            other => {
                references(other, &mut self.wanted);
                return Some(());
            }
        };
        for (key, value) in dictionary {
            if key != b"Resources" {
                references(value, &mut self.wanted);
            }
        }
        match (self.document.child(dictionary, b"Resources"), names) {
            (Some(resources), Some(names)) => {
                self.owners.push(id);
                if self.resources.insert(ptr::from_ref(resources), resources).is_none() {
                    self.follow_unnamed(resources);
                }
                self.follow(resources, &names);
            }
            (Some(_), None) => references(dictionary.get(b"Resources").ok()?, &mut self.wanted),
            (None, names) => self.loose.extend(names?),
        }
        Some(())
    }

    /// Follows what needs no name.
    fn follow_unnamed(&mut self, resources: &'d Dictionary) {
        for (key, value) in resources {
            let Some(entries) = self.document.dictionary(value).filter(|_| KINDS.contains(&key.as_slice())) else {
                references(value, &mut self.wanted);
                continue;
            };
            for (name, entry) in entries {
                let is_default = key == b"ColorSpace" && name.starts_with(b"Default");
                if is_default || entry.as_reference().is_err() {
                    references(entry, &mut self.wanted);
                }
            }
        }
    }

    fn follow(&mut self, resources: &'d Dictionary, names: &Names) {
        for entries in KINDS.iter().filter_map(|kind| self.document.child(resources, kind)) {
            let named = names.iter().filter_map(|name| entries.get(name).ok());
            self.wanted.extend(named.filter_map(|entry| entry.as_reference().ok()));
        }
    }

    fn names_of_glyphs(&self, font: &Dictionary) -> Option<Names> {
        let mut all = Names::new();
        for (_, glyph) in self.document.child(font, b"CharProcs").into_iter().flatten() {
            if let Some(Object::Stream(glyph)) = self.document.resolve(glyph) {
                all.extend(names(&unpacked(glyph, CONTENT_BYTES)?));
            }
        }
        Some(all)
    }
}

fn is_content(document: &Document, stream: &Stream) -> bool {
    let dictionary = &stream.dict;
    match document.name(dictionary, b"Subtype") {
        Some(b"Image") => false,
        Some(b"Form") => true,
        _ => dictionary.has(b"PatternType") || dictionary.has(b"BBox") || dictionary.has(b"Resources"),
    }
}

/// Everything that looks like a name, also in strings and in the data of pictures: readers may take damaged content differently.
fn names(content: &[u8]) -> Names {
    let at = memchr::memchr_iter(b'/', content).filter_map(|at| content.get(at..));
    let names = at.filter_map(|rest| match Tokens::new(rest).next() {
        Some(Token::Name(raw)) => Some(tokens::name(raw).into_owned()),
        _ => None,
    });
    names.collect()
}

/// Removes entries of an owner's resources that lead to what nothing reaches. Returns whether there were any.
fn forget(document: &mut Document, owner: ObjectId, reached: &HashSet<ObjectId>, done: &mut HashSet<ObjectId>) -> bool {
    let place = match document.objects.get(&owner) {
        Some(Object::Dictionary(dictionary)) => reference(dictionary, b"Resources"),
        Some(Object::Stream(stream)) => reference(&stream.dict, b"Resources"),
        _ => return false,
    };
    if !done.insert(place.unwrap_or(owner)) {
        return false;
    }
    let mut shared = Vec::new();
    let mut any = false;
    if let Some(resources) = resources_at(document, owner, place) {
        for kind in KINDS {
            match resources.get_mut(kind) {
                Ok(Object::Dictionary(entries)) => any |= retain(entries, reached),
                Ok(Object::Reference(id)) => shared.push(*id),
                _ => {}
            }
        }
    }
    for id in shared {
        if done.insert(id)
            && let Ok(entries) = document.get_dictionary_mut(id)
        {
            any |= retain(entries, reached);
        }
    }
    any
}

fn resources_at(document: &mut Document, owner: ObjectId, place: Option<ObjectId>) -> Option<&mut Dictionary> {
    if let Some(place) = place {
        return document.get_dictionary_mut(place).ok();
    }
    let dictionary = match document.objects.get_mut(&owner)? {
        Object::Dictionary(dictionary) => dictionary,
        Object::Stream(stream) => &mut stream.dict,
        _ => return None,
    };
    dictionary.get_mut(b"Resources").ok()?.as_dict_mut().ok()
}

fn retain(entries: &mut Dictionary, reached: &HashSet<ObjectId>) -> bool {
    let is_unused = |value: &Object| value.as_reference().is_ok_and(|id| !reached.contains(&id));
    let unused: Vec<Vec<u8>> =
        entries.iter().filter(|(_, value)| is_unused(value)).map(|(name, _)| name.clone()).collect();
    unused.iter().for_each(|name| drop(entries.remove(name)));
    !unused.is_empty()
}
