//! Prepares signatures: an update with an empty signature is appended to a file, and nothing before it changes.
//!
//! Whoever reads the file here has no key. It leaves a gap of known size for the signature (`crate::make`).

mod field;
mod place;
mod seed;
mod store;
mod tags;
mod update;

use std::collections::BTreeMap;
use std::ops::Range;

use docmill_domain::time::Timestamp;
use lopdf::{Object, ObjectId};

pub use place::{Empty, Page, Spot};

use crate::fields::{Field, fields};
use crate::file::{Broken, File, View};
use crate::make::Dossier;
use place::Earlier;

/// Why a file can't be signed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsignable {
    /// The file can't be read without doubt.
    #[error("{0}")]
    Unreadable(&'static str),
    /// The document, or one of its signatures, does not allow it. The text is for people.
    #[error("{0}")]
    Refused(String),
}

impl Unsignable {
    fn refused(message: impl Into<String>) -> Self {
        Self::Refused(message.into())
    }
}

impl From<Broken> for Unsignable {
    fn from(Broken(why): Broken) -> Self {
        Self::Unreadable(why)
    }
}

/// What a signature allows to be changed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Certify {
    /// It approves the document, and says nothing of changes.
    #[default]
    No,
    /// It certifies the document, which must stay as it is.
    NoChanges,
    /// Forms may be filled in and signed.
    Forms,
    /// The same, and annotations may be added.
    Annotations,
}

impl Certify {
    const fn permission(self) -> Option<i64> {
        match self {
            Self::No => None,
            Self::NoChanges => Some(1),
            Self::Forms => Some(2),
            Self::Annotations => Some(3),
        }
    }
}

/// What a signature looks like.
#[derive(Debug)]
pub struct Look {
    /// The form object that is drawn.
    pub form: ObjectId,
    /// All objects of the look, numbered from [`Draft::free_number`] on.
    pub objects: BTreeMap<ObjectId, Object>,
}

/// A new field's place: a page, and the rectangle on it in the page's units.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The page.
    pub page: Page,
    /// Left, bottom, right, top. Without an area, nothing is seen.
    pub rectangle: [f32; 4],
}

/// The signature that is wanted.
#[derive(Debug)]
pub struct Wanted<'w> {
    /// Its field.
    pub spot: Spot,
    /// Where a new field is.
    pub position: Position,
    /// What it looks like. `None` shows nothing.
    pub look: Option<Look>,
    /// Whether it certifies the document.
    pub certify: Certify,
    /// Why it is signed.
    pub reason: Option<&'w str>,
    /// Where.
    pub location: Option<&'w str>,
    /// How to reach the signer.
    pub contact: Option<&'w str>,
    /// The time that the signature claims.
    pub time: Timestamp,
    /// The most bytes that the signature may have.
    pub reserved: usize,
}

/// An update with an empty signature.
#[derive(Debug)]
pub struct Prepared {
    /// What to append to the file.
    pub update: Vec<u8>,
    /// Where in the whole file the signature belongs, with its brackets: all other bytes are signed.
    pub gap: Range<usize>,
}

/// A file that is to be signed.
#[derive(Debug)]
pub struct Draft<'b> {
    view: View<'b>,
    fields: Vec<Field>,
    earlier: Earlier,
}

impl<'b> Draft<'b> {
    /// Opens a file.
    ///
    /// # Errors
    /// If the file can't be read without doubt: then what is added could mean different things to different programs.
    pub fn open(bytes: &'b [u8], password: &str) -> Result<Self, Unsignable> {
        let view = View::open(&File::new(bytes), bytes.len(), password)?;
        if view.catalog().is_none() {
            return Err(Unsignable::Unreadable("the file has no catalog"));
        }
        let fields = fields(&view);
        let earlier = Earlier::of(&view, &fields);
        Ok(Self { view, fields, earlier })
    }

    /// The number from which on objects are new.
    pub fn free_number(&self) -> u32 {
        self.view.free_number()
    }

    /// Whether the file has signatures.
    pub const fn is_signed(&self) -> bool {
        self.earlier.is_signed
    }

    /// The page at this place, counted from 0.
    ///
    /// # Errors
    /// If there is no such page.
    pub fn page(&self, index: usize) -> Result<Page, Unsignable> {
        place::page(&self.view, index)
    }

    /// The empty field of this name, or a new one. Without a name, a new one gets a name.
    ///
    /// # Errors
    /// If the field can't be signed.
    pub fn spot(&self, name: Option<&str>) -> Result<Spot, Unsignable> {
        place::spot(&self.view, &self.fields, name)
    }

    /// Makes the update.
    ///
    /// # Errors
    /// If a signature of the file does not allow this one, or the file can't be updated.
    pub fn prepare(&self, wanted: Wanted<'_>) -> Result<Prepared, Unsignable> {
        self.allow(&wanted)?;
        let appended = field::write(&self.view, &self.earlier, wanted)?;
        Ok(Prepared { update: appended.bytes, gap: appended.gap })
    }

    /// Makes an update that adds to the document's security store.
    ///
    /// # Errors
    /// If the file can't be updated.
    pub fn keep(&self, dossier: &Dossier) -> Result<Vec<u8>, Unsignable> {
        store::write(&self.view, dossier)
    }

    fn allow(&self, wanted: &Wanted<'_>) -> Result<(), Unsignable> {
        let existing = match &wanted.spot {
            Spot::New { .. } => None,
            Spot::Empty(field) => Some(field.number),
        };
        let field = self.fields.iter().find(|field| Some(field.number) == existing);
        self.earlier.allow(field.map(|field| field.name.as_str()))?;
        if let Some(field) = field {
            seed::check(&self.view, field, wanted)?;
        }
        if wanted.certify != Certify::No && self.earlier.is_signed {
            return Err(Unsignable::refused(
                "The document is signed already, and only its first signature can certify it. Leave out `certify`.",
            ));
        }
        if existing.is_none() && wanted.look.is_some() && self.earlier.is_certified() {
            return Err(Unsignable::refused(
                "The document is certified: a visible signature must be in a field that the certified document has. Name it in \
                 `field`, or leave out `appearance`.",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzz_files_that_are_signed() {
        docmill_fuzz::fuzz("signatures", &[], |bytes| {
            let Ok(draft) = Draft::open(bytes, "") else { return };
            let (Ok(spot), Ok(page)) = (draft.spot(None), draft.page(0)) else { return };
            let prepared = draft.prepare(Wanted {
                spot,
                position: Position { page, rectangle: [0.0; 4] },
                look: None,
                certify: Certify::No,
                reason: None,
                location: None,
                contact: None,
                time: Timestamp(0),
                reserved: 16,
            });
            if let Ok(Prepared { update, gap }) = prepared {
                let signed = [bytes, &update].concat();
                assert_eq!(signed.get(gap), Some(format!("<{}>", "0".repeat(32)).as_bytes()));
                assert!(Draft::open(&signed, "").is_ok_and(|again| again.is_signed()));
            }
        });
    }
}
