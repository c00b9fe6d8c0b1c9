//! Opens a source: sound files directly, others after qpdf has repaired or decrypted them.

use std::cell::Cell;
use std::path::Path;

use docmill_pdf_core::deferred_pictures::{self, DeferredPictures};
use docmill_pdf_core::filters;
use docmill_pdf_core::long_numbers;
use docmill_pdf_core::objects::{self, Lookup};
use docmill_pdf_request::{ErrorCode, Failure, Limits, Request, Source, Warning};
use lopdf::xref::XrefEntry;
use lopdf::{DecompressError, Dictionary, Document, LoadOptions, Object, ObjectId};

use super::direct_pages;
use super::metadata;
use docmill_pdf_core::Libraries;

/// The most bytes that one object stream may unpack to. Usual ones hold a few MiB.
const UNPACKED_BYTES: usize = 32 << 20;
/// A document's objects may use this fraction of the memory limit. The rest is for the result.
const SHARE: u64 = 2;
/// Overhead in bytes of each object and of each dictionary entry.
const OBJECT_BYTES: u64 = 150;

thread_local! {
    /// Remaining bytes for objects. Static, since the loader's filter is a plain function. Loading stops below zero.
    static BUDGET: Cell<i64> = const { Cell::new(0) };
}

/// A document to work on.
#[derive(Debug)]
pub struct Opened {
    /// Its objects.
    pub document: Document,
    /// Data of pictures that stays in the source's file.
    pub held: DeferredPictures,
    /// Warnings about what the result loses: protection, damage that was repaired.
    pub warnings: Vec<Warning>,
}

impl Opened {
    /// Replaces damaged streams by what can be read of them, for results that everybody must read alike.
    pub fn with_sound_streams(mut self) -> Self {
        filters::mend(&mut self.document);
        self
    }

    /// Takes back the claim to be PDF/A: the document is about to be changed.
    pub fn without_claim(mut self) -> Self {
        let mut statement = metadata::statement(&self.document);
        if statement.pdfa().is_none() {
            return self;
        }
        statement.claim_pdfa(None);
        metadata::restate(&mut self.document, &statement);
        self.warnings.extend(statement.lost());
        let message = "The document said that it is PDF/A. The result has changed, and does not say so. Convert it with \
            pdf-to-pdfa as the last step.";
        self.warnings.push(Warning::new("conformance_removed", message));
        self
    }
}

/// Whether to keep the data of large pictures in memory or in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pictures {
    InMemory,
    InTheFile,
}

/// Opens the source at this position.
///
/// # Errors
/// If the source is no PDF, is damaged beyond repair, or needs another password.
pub fn open(libraries: &Libraries, request: &Request, position: usize) -> Result<Opened, Failure> {
    open_with(libraries, request, position, Pictures::InMemory)
}

/// Opens the source at this position, and leaves the data of its large pictures in its file.
///
/// # Errors
/// If the source is no PDF, is damaged beyond repair, or needs another password.
pub fn open_deferring(libraries: &Libraries, request: &Request, position: usize) -> Result<Opened, Failure> {
    open_with(libraries, request, position, Pictures::InTheFile)
}

fn open_with(libraries: &Libraries, request: &Request, position: usize, pictures: Pictures) -> Result<Opened, Failure> {
    let source = source(request, position)?;
    let mut warnings = Vec::new();
    let (document, held) = match load(&source.path, &request.limits, pictures) {
        Ok((document, held)) if is_sound(&document) => (document, held),
        Err(error) if is_too_large(&error) => return Err(too_large()),
        Ok(_) | Err(_) => repair(libraries, request, position, pictures, &mut warnings)?,
    };
    Ok(Opened { document, held, warnings })
}

fn source(request: &Request, position: usize) -> Result<&Source, Failure> {
    request.sources.get(position).ok_or_else(|| Failure::internal(format!("no source {position}")))
}

/// Has qpdf rewrite the file, and loads what it wrote.
fn repair(
    libraries: &Libraries,
    request: &Request,
    position: usize,
    pictures: Pictures,
    warnings: &mut Vec<Warning>,
) -> Result<(Document, DeferredPictures), Failure> {
    let source = source(request, position)?;
    let rewritten = request.directory.join(format!("source-{position}.pdf"));
    let report = libraries.qpdf()?.normalize(&source.path, source.password.as_deref(), &rewritten)?;
    // The open file can still be read after it is removed.
    let document = load(&rewritten, &request.limits, pictures);
    std::fs::remove_file(&rewritten).map_err(|error| Failure::io(&error))?;
    let mut document = document.map_err(|error| if is_too_large(&error) { too_large() } else { corrupt(&error) })?;
    let is_lifted = direct_pages::lift(&mut document.0);
    if report.repaired || is_lifted {
        warnings.push(Warning::new("repaired", "The PDF is damaged and has been repaired. Check the result."));
    }
    if Document::load_metadata(&source.path).is_ok_and(|metadata| metadata.encrypted) {
        warnings.push(Warning::new(
            "encryption_removed",
            "A source was protected, and the result is not. Use protect-pdf to protect it again.",
        ));
    }
    Ok(document)
}

/// Whether to search the file for objects and to ignore its cross-reference table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    Yes,
    No,
}

/// Loads a file without protection, to repair it.
pub(crate) fn load_again(path: &Path, limits: &Limits, search: Search) -> Result<Document, Failure> {
    let options = LoadOptions { force_reconstruct: search == Search::Yes, ..LoadOptions::default() };
    match load_by(path, limits, Pictures::InMemory, options) {
        Ok(document) if document.was_encrypted() || document.trailer.has(b"Encrypt") => {
            Err(corrupt(&lopdf::Error::Unimplemented("damaged and encrypted")))
        }
        loaded => loaded.map_err(|error| if is_too_large(&error) { too_large() } else { corrupt(&error) }),
    }
}

/// Loads a file within the limits, as it is.
fn load(path: &Path, limits: &Limits, pictures: Pictures) -> lopdf::Result<(Document, DeferredPictures)> {
    let mut document = load_by(path, limits, pictures, LoadOptions::default())?;
    filters::resolve(&mut document);
    let held = deferred_pictures::find(&mut document, path)?;
    Ok((document, held))
}

fn load_by(path: &Path, limits: &Limits, pictures: Pictures, options: LoadOptions) -> lopdf::Result<Document> {
    let budget = i64::try_from(limits.memory_bytes / SHARE).unwrap_or(i64::MAX);
    let file = std::fs::metadata(path)?.len();
    BUDGET.set(budget.saturating_sub(i64::try_from(file).unwrap_or(i64::MAX)));
    let filter = match pictures {
        Pictures::InMemory => charge,
        Pictures::InTheFile => charge_what_stays,
    };
    deferred_pictures::begin();
    let options = LoadOptions { filter: Some(filter), max_decompressed_size: Some(UNPACKED_BYTES), ..options };
    if BUDGET.get() < 0 {
        return Err(DecompressError::MemoryLimitExceeded { limit: UNPACKED_BYTES }.into());
    }
    let document = Document::load_with_options(path, options)?;
    long_numbers::of_file(path)?;
    if BUDGET.get() < 0 {
        return Err(DecompressError::MemoryLimitExceeded { limit: UNPACKED_BYTES }.into());
    }
    Ok(document)
}

fn charge_what_stays(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    deferred_pictures::leave_out(id, object);
    charge(id, object)
}

/// Counts an object's memory, and drops the object if no memory is left. The loader uses the return value for objects in object
/// streams, and the changed object for all others.
fn charge(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    if let Ok(container) = object.as_stream()
        && container.dict.has_type(b"ObjStm")
        && let Some(packed) = objects::unpacked(container, UNPACKED_BYTES)
    {
        long_numbers::remember(&packed);
    }
    let left = BUDGET.get().saturating_sub(i64::try_from(size(object)).unwrap_or(i64::MAX));
    BUDGET.set(left);
    (left >= 0).then(|| (id, if object.as_stream().is_ok() { Object::Null } else { object.clone() }))
}

/// The nesting is bounded by the parser.
fn size(object: &Object) -> u64 {
    OBJECT_BYTES
        + match object {
            Object::Array(elements) => elements.iter().map(size).sum(),
            Object::Dictionary(dictionary) => dictionary_size(dictionary),
            Object::Stream(stream) => dictionary_size(&stream.dict) + stream.content.len() as u64,
            Object::String(bytes, _) | Object::Name(bytes) => bytes.len() as u64,
            _ => 0,
        }
}

fn dictionary_size(dictionary: &Dictionary) -> u64 {
    dictionary.iter().map(|(_, value)| OBJECT_BYTES / 2 + size(value)).sum()
}

/// Whether the file is not encrypted, needed no repair, and contains every object and page that it lists.
fn is_sound(document: &Document) -> bool {
    let there = |number: u32, generation: u16| document.objects.contains_key(&(number, generation));
    document.xref_recovery.is_none()
        && !document.trailer.has(b"Encrypt")
        && !document.was_encrypted()
        && document.reference_table.entries.iter().all(|(number, entry)| match *entry {
            XrefEntry::Normal { generation, .. } => there(*number, generation),
            XrefEntry::Compressed { .. } => there(*number, 0),
            XrefEntry::Free | XrefEntry::UnusableFree => true,
        })
        && has_its_pages(document)
}

/// Whether the file contains the page tree and everything that it lists. If a cross-reference table names itself as the previous
/// one, the loader misses the real previous one without an error.
fn has_its_pages(document: &Document) -> bool {
    let there = |object: &Object| object.as_reference().is_ok_and(|id| document.objects.contains_key(&id));
    document.catalog().is_ok_and(|catalog| catalog.get(b"Pages").is_ok_and(there))
        && document
            .objects
            .values()
            .filter_map(|object| object.as_dict().ok())
            .all(|node| !is_node(node) || document.array(node, b"Kids").iter().all(there))
}

/// Whether it is an inner node of a page tree. Fields of forms have kids too, but no count.
fn is_node(dictionary: &Dictionary) -> bool {
    let is_like_one = dictionary.has(b"Kids") && dictionary.has(b"Count");
    dictionary.has_type(b"Pages") || is_like_one && !dictionary.has_type(b"Page")
}

fn is_too_large(error: &lopdf::Error) -> bool {
    matches!(error, lopdf::Error::Decompress(DecompressError::MemoryLimitExceeded { .. }))
}

fn too_large() -> Failure {
    Failure::new(
        ErrorCode::RenderFailed,
        "This PDF needs more memory than a job has. Send it in smaller parts.",
        "objects beyond the memory allowed",
    )
}

fn corrupt(error: &lopdf::Error) -> Failure {
    Failure::new(
        ErrorCode::CorruptDocument,
        "This PDF is damaged and could not be repaired.",
        format!("lopdf after qpdf: {}", kind(error)),
    )
}

/// Only the kind of an error, since its text may quote the document.
pub fn kind(error: &lopdf::Error) -> String {
    let text = format!("{error:?}");
    text.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_owned()
}
