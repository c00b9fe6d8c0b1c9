//! Office documents as packages, and the trees of their parts in XML.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use docmill_package::{Disk, Error, Limits, Relations};
use docmill_pdf_core::xml::{self, Fault};
use docmill_pdf_request::{ErrorCode, Failure};
pub(super) use docmill_word::tree::{attribute, child, elements, is, path, switch};
use roxmltree::Document;

/// How a compound file begins: encrypted documents are packed into one.
const COMPOUND: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/// Most nodes of a tree.
const NODES: u32 = 4_000_000;

/// A package whose damaged parts are left out.
pub(super) struct Package(docmill_package::Package<Disk>);

impl Package {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let mut start = [0; COMPOUND.len()];
        let mut file = File::open(path).map_err(|error| Failure::io(&error))?;
        if file.read_exact(&mut start).is_ok() && start == COMPOUND {
            return Err(encrypted());
        }
        docmill_package::Package::open(path, Limits::CHECKED).map(Self).map_err(failure)
    }

    pub(super) fn has(&self, part: &str) -> bool {
        self.0.has(part)
    }

    pub(super) fn is_encrypted(&mut self) -> bool {
        self.0.is_encrypted()
    }

    /// The bytes of a part. `None`: there is none, or it is damaged.
    pub(super) fn bytes(&mut self, part: &str, most: u64) -> Result<Option<Vec<u8>>, Failure> {
        whole(self.0.bytes(part, most))
    }

    /// The text of a part in XML.
    pub(super) fn text(&mut self, part: &str) -> Result<Option<String>, Failure> {
        whole(self.0.decoded(part))
    }

    /// The text of a part that documents of this kind must have.
    pub(super) fn required(&mut self, part: &str) -> Result<String, Failure> {
        self.text(part)?.ok_or_else(|| damaged("a part is missing or damaged"))
    }

    /// How a part refers to others, by their ids. Empty if it doesn't.
    pub(super) fn relations(&mut self, part: &str) -> Result<Relations, Failure> {
        self.0.relations(part).map(Some).or_else(|error| whole(Err(error))).map(Option::unwrap_or_default)
    }
}

/// A part that is damaged is like one that is missing.
fn whole<T>(read: Result<Option<T>, Error>) -> Result<Option<T>, Failure> {
    match read {
        Err(Error::Broken(_)) => Ok(None),
        read => read.map_err(failure),
    }
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Io(error) => Failure::io(&error),
        Error::TooManyParts(_) => too_large("too many parts"),
        Error::TooLarge => too_large("a part unpacks to too much"),
        Error::TooManyElements => too_large("a part beyond the limit"),
        Error::Broken(_) => damaged("its archive is broken"),
        Error::Invalid(why) => damaged(&why),
    }
}

pub(super) fn tree(text: &str) -> Result<Document<'_>, Failure> {
    xml::parse(text, NODES).map_err(|fault| match fault {
        Fault::TooLarge => too_large("a tree beyond the limit"),
        Fault::Doctype | Fault::Malformed { .. } => damaged("a part is not well-formed"),
    })
}

pub(super) fn damaged(cause: &str) -> Failure {
    let message = "The document is damaged. Save it again in the program that it comes from, and retry.";
    Failure::new(ErrorCode::CorruptDocument, message, cause)
}

pub(super) fn encrypted() -> Failure {
    let message = "The document is protected. Save it without a password, and retry.";
    Failure::new(ErrorCode::PasswordRequired, message, "an encrypted document")
}

pub(super) fn too_large(cause: &str) -> Failure {
    let message = "The document has too much content to read at once. Split it.";
    Failure::new(ErrorCode::RenderFailed, message, cause)
}

/// The title of an office document, from its properties.
pub(super) fn core_title(package: &mut Package) -> Result<Option<String>, Failure> {
    let part = package.relations("")?.of_kind("core-properties").unwrap_or("docProps/core.xml").to_owned();
    let Some(text) = package.text(&part)? else { return Ok(None) };
    let Ok(tree) = tree(&text) else { return Ok(None) };
    Ok(child(tree.root_element(), "title").and_then(|title| title.text()).map(str::to_owned))
}

/// The main part of an Office Open XML document.
pub(super) fn main_part(package: &mut Package, usual: &str) -> Result<String, Failure> {
    let part = package.relations("")?.of_kind("officeDocument").unwrap_or(usual).to_owned();
    if package.has(&part) { Ok(part) } else { Err(damaged("no main part")) }
}
