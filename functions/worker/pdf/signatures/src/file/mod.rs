//! A PDF file as its revisions: what a reader saw of it when it ended at a certain byte.

mod section;
mod syntax;
mod tiling;
mod view;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use lopdf::{Dictionary, Object, ObjectId};

pub(crate) use section::{Entry, Section};
pub(crate) use syntax::{hexadecimal, is_white};
pub(crate) use view::{View, dict_of};

/// The most sections of a file.
const MOST_SECTIONS: usize = 10_000;
/// Where `startxref` is: in the last bytes of a revision.
const TAIL: usize = 2048;

/// Why a file can't be read without doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Broken(pub(crate) &'static str);

/// A file's bytes, with the sections that were read.
#[derive(Debug)]
pub(crate) struct File<'b> {
    pub(crate) bytes: &'b [u8],
    sections: RefCell<HashMap<usize, Rc<Section>>>,
}

/// The sections of a revision, the newest first, and where each object is.
#[derive(Debug)]
pub(crate) struct Revision {
    /// Its length in bytes.
    pub(crate) end: usize,
    pub(crate) sections: Vec<Rc<Section>>,
    pub(crate) entries: HashMap<u32, Entry>,
}

impl Revision {
    pub(crate) fn trailer(&self) -> Option<&Dictionary> {
        self.sections.first().map(|section| &section.trailer)
    }

    /// The catalog's number.
    pub(crate) fn root(&self) -> Option<ObjectId> {
        self.trailer()?.get(b"Root").and_then(Object::as_reference).ok()
    }
}

impl<'b> File<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, sections: RefCell::default() }
    }

    /// The revision that ends here, as its own table shows it.
    pub(crate) fn revision(&self, end: usize) -> Result<Revision, Broken> {
        let bytes = self.bytes.get(..end).ok_or(Broken("the file is shorter than its signature says"))?;
        let mut next = Some(start_of_table(bytes)?);
        let mut sections: Vec<Rc<Section>> = Vec::new();
        let mut seen = HashSet::new();
        while let Some(start) = next {
            if !seen.insert(start) {
                return Err(Broken("the cross-reference tables lead in a circle"));
            }
            if sections.len() >= MOST_SECTIONS {
                return Err(Broken("the file has too many cross-reference tables"));
            }
            let section = self.section(bytes, start)?;
            next = section.previous;
            sections.push(section);
        }
        let mut entries = HashMap::new();
        for section in sections.iter().rev() {
            entries.extend(section.entries.iter().map(|(number, entry)| (*number, *entry)));
        }
        Ok(Revision { end, sections, entries })
    }

    fn section(&self, bytes: &[u8], start: usize) -> Result<Rc<Section>, Broken> {
        if let Some(section) = self.sections.borrow().get(&start)
            && section.end <= bytes.len()
        {
            return Ok(Rc::clone(section));
        }
        let section = Rc::new(Section::read(bytes, start)?);
        self.sections.borrow_mut().insert(start, Rc::clone(&section));
        Ok(section)
    }

    /// What is wrong with the bytes after a revision, if they are anything but well-formed updates of it.
    pub(crate) fn odd_updates(&self, old: &Revision, new: &Revision) -> Option<Broken> {
        tiling::check(self.bytes, old, new).err()
    }
}

/// What `startxref` says. Nothing but white space may follow after `%%EOF`.
fn start_of_table(bytes: &[u8]) -> Result<usize, Broken> {
    let from = bytes.len().saturating_sub(TAIL);
    let tail = bytes.get(from..).unwrap_or_default();
    let found = memchr::memmem::rfind(tail, b"startxref").ok_or(Broken("the table's place is missing at the end"))?;
    let (start, end) = tiling::ending(bytes, from + found)?;
    if bytes.get(end..).unwrap_or_default().iter().all(|byte| is_white(*byte)) {
        Ok(start)
    } else {
        Err(Broken("the file goes on after its end"))
    }
}
