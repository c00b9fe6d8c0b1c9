//! Texts in tags about removed content.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::objects::Lookup;
use lopdf::{Dictionary, Document, Object, ObjectId};

/// Entries with texts: replacement text, description, and expansion of an abbreviation.
pub(super) const WORDS: [&[u8]; 3] = [b"ActualText", b"Alt", b"E"];
/// Deeper elements count as changed.
const DEPTH: usize = 100;

/// The changed content of a page.
#[derive(Debug, Default)]
pub(super) struct Touched {
    pub(super) marks: HashSet<i64>,
    pub(super) all: bool,
}

/// Removes the texts of all elements with changed content. Returns whether there was an alternative text, which its element needs.
pub(super) fn forget(document: &mut Document, pages: &HashMap<ObjectId, Touched>) -> bool {
    let root = document.catalog().ok().and_then(|catalog| catalog.get(b"StructTreeRoot").cloned().ok());
    let Some(root) = root else { return false };
    let mut walk = Walk { document, pages, seen: HashSet::new(), changed: HashSet::new() };
    walk.touches(&root, None, 0);
    let changed = walk.changed;
    let mut had_text = false;
    for id in changed {
        if let Ok(element) = document.get_dictionary_mut(id) {
            had_text |= element.has(b"Alt");
            for key in WORDS {
                element.remove(key);
            }
            // Its title may quote the content too.
            element.remove(b"T");
        }
    }
    had_text
}

struct Walk<'d> {
    document: &'d Document,
    pages: &'d HashMap<ObjectId, Touched>,
    seen: HashSet<ObjectId>,
    changed: HashSet<ObjectId>,
}

impl Walk<'_> {
    /// Whether an element or a piece of content has changed content.
    fn touches(&mut self, element: &Object, page: Option<ObjectId>, depth: usize) -> bool {
        if depth > DEPTH {
            return true;
        }
        let id = element.as_reference().ok();
        if id.is_some_and(|id| !self.seen.insert(id)) {
            return false;
        }
        let document = self.document;
        let touched = match document.resolve(element) {
            Some(Object::Integer(mark)) => {
                let touched = page.and_then(|page| self.pages.get(&page));
                touched.is_some_and(|touched| touched.all || touched.marks.contains(mark))
            }
            Some(Object::Dictionary(dictionary)) => self.dictionary_touches(dictionary, page, depth),
            // All are checked, even after a changed one.
            Some(Object::Array(kids)) => kids.iter().filter(|kid| self.touches(kid, page, depth + 1)).count() > 0,
            _ => false,
        };
        if touched {
            self.changed.extend(id);
        }
        touched
    }

    fn dictionary_touches(&mut self, dictionary: &Dictionary, page: Option<ObjectId>, depth: usize) -> bool {
        let own = dictionary.get(b"Pg").and_then(Object::as_reference).ok();
        let page = own.or(page);
        // A removed annotation or picture.
        if let Ok(object) = dictionary.get(b"Obj") {
            return self.document.resolve(object).is_none();
        }
        if dictionary.has(b"Stm") {
            return page
                .and_then(|page| self.pages.get(&page))
                .is_some_and(|touched| touched.all || !touched.marks.is_empty());
        }
        if let Ok(mark) = dictionary.get(b"MCID") {
            return self.touches(mark, page, depth + 1);
        }
        match dictionary.get(b"K") {
            Ok(kids) => self.touches(kids, page, depth + 1),
            Err(_) => false,
        }
    }
}
