//! Makes a PDF smaller: pictures get the resolution and encoding that they need, fonts are reduced to the glyphs in use, equal
//! objects are stored once, and what no page shows is removed. Forms, links, outlines and the tags of pages are untouched.
//! Fonts are reduced in a crate of their own. It decides nothing about quality: tools say what is wanted.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod bilevel;
mod colors;
mod fit;
mod lost_pages;
mod recode;
mod scan;
mod unify;
mod unused;

pub use colors::{Colors, Conversion, Converted};
pub use scan::placements;
pub use unify::unify;

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use docmill_pdf_core::deferred_pictures::DeferredPictures;
use docmill_pdf_core::filters::{self, Condition, Unpacked};
use docmill_pdf_core::memory_budget::MemoryBudget;
use docmill_pdf_core::objects::reference;
use docmill_pdf_core::pages::PageTree;
use docmill_pdf_core::picture::{self, Reason};
use docmill_pdf_request::{Limits, PictureLimits};
use docmill_pdf_structure::metadata::remove_thumbnails;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

/// A new encoding must save a tenth. Otherwise the old one is kept.
const SAVING: usize = 10;
/// Threads that work on pictures.
const THREADS: usize = 4;
/// The part of the allowed memory that pictures being worked on may take.
const MEMORY_SHARE: u64 = 4;
/// Memory for a pixel that is being worked on.
const PIXEL_BYTES: u64 = 4;
/// How deep in a page the metadata of its parts is: in its resources, their property lists, and each of these.
const NESTED: u8 = 3;
/// Longer metadata is compressed. Programs that search the plain file for it do not find it then.
const PLAIN_METADATA: usize = 16 << 10;
/// The most bytes that a stream may unpack to when it is compressed again.
const UNPACKED_BYTES: usize = 64 << 20;

/// The quality that may be lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Dots per inch, and the quality of JPEG from 1 to 100. `None`: pictures keep every pixel.
    pub pictures: Option<(f32, u8)>,
}

/// What was done with a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// It has fewer pixels.
    Resampled,
    /// It has the same pixels, less exactly.
    Encoded,
    /// It is exactly the same.
    Repacked,
}

impl Done {
    /// In reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Resampled => "resampled",
            Self::Encoded => "encoded",
            Self::Repacked => "repacked",
        }
    }
}

/// A picture that was looked at.
#[derive(Debug)]
pub struct Handled {
    /// Its object.
    pub id: ObjectId,
    /// The pages that show it, counted from 0.
    pub pages: Vec<u32>,
    /// In pixels, before. 0 if they are not known.
    pub width: u32,
    /// As for `width`.
    pub height: u32,
    /// The size of its stream, as it was.
    pub bytes_before: usize,
    /// As it is now.
    pub bytes_after: usize,
    /// How it became smaller, or why it did not.
    pub done: Result<Done, Reason>,
}

/// Makes the pictures of the pages smaller.
pub fn pictures(
    document: &mut Document,
    held: &DeferredPictures,
    pages: &[ObjectId],
    quality: &Quality,
    limits: &Limits,
) -> Vec<Handled> {
    change_pictures(document, held, pages, limits, &|document, stream, placed, is_mask| {
        recode::recode(document, stream, placed, is_mask, quality, limits.pixels)
    })
}

/// Brings the pictures of the pages within these limits, and removes the metadata of photographs. Returns whether any has changed.
///
/// # Errors
/// If a held picture can't be read.
pub fn fit_pictures(
    document: &mut Document,
    held: &DeferredPictures,
    pages: &[ObjectId],
    most: PictureLimits,
    limits: &Limits,
) -> io::Result<bool> {
    let handled = change_pictures(document, held, pages, limits, &|document, stream, placed, is_mask| {
        fit::fit(document, stream, placed, is_mask, most, limits.pixels)
    });
    Ok(fit::remove_metadata(document, held)? || handled.iter().any(|picture| picture.done.is_ok()))
}

/// Whether a new encoding of a picture saves enough.
fn is_worth(new: &Stream, old: &Stream) -> bool {
    new.content.len() < old.content.len() / SAVING * (SAVING - 1)
}

/// Another form of a picture, if there is a better one. The numbers are its size on the page in points. The last argument is
/// whether it is a mask.
type Change<'c> = &'c (dyn Fn(&Document, &Stream, (f32, f32), bool) -> Result<(Stream, Done), Reason> + Sync);

/// A picture to look at.
struct Task {
    id: ObjectId,
    placed: (f32, f32),
    is_mask: bool,
    /// The picture that a mask belongs to.
    owner: ObjectId,
}

fn change_pictures(
    document: &mut Document,
    held: &DeferredPictures,
    pages: &[ObjectId],
    limits: &Limits,
    change: Change<'_>,
) -> Vec<Handled> {
    let placements = scan::placements(document, pages);
    let mut work: Vec<Task> = Vec::new();
    for (id, size) in &placements.sizes {
        work.push(Task { id: *id, placed: *size, is_mask: false, owner: *id });
        let stream = document.get_object(*id).and_then(Object::as_stream);
        for key in [b"SMask".as_slice(), b"Mask"] {
            if let Some(mask) = stream.as_ref().ok().and_then(|stream| reference(&stream.dict, key))
                && document.get_object(mask).is_ok_and(|mask| mask.as_stream().is_ok())
            {
                work.push(Task { id: mask, placed: *size, is_mask: true, owner: *id });
            }
        }
    }
    // A mask of several pictures is as large as the largest of them.
    work.sort_by(|a, b| {
        let by_size = b.placed.0.total_cmp(&a.placed.0).then(b.placed.1.total_cmp(&a.placed.1));
        a.id.cmp(&b.id).then(by_size).then(a.owner.cmp(&b.owner))
    });
    work.dedup_by_key(|task| task.id);
    let changed = change_all(document, held, &work, limits, change);
    let handled = changed.into_iter().map(|(task, result, (width, height), bytes)| {
        let (done, bytes_after) = match result {
            Ok((stream, done)) => {
                let bytes = stream.content.len();
                document.objects.insert(task.id, Object::Stream(stream));
                (Ok(done), bytes)
            }
            Err(reason) => (Err(reason), bytes),
        };
        let pages = placements.pages.get(&task.owner).cloned().unwrap_or_default();
        Handled { id: task.id, pages, width, height, bytes_before: bytes, bytes_after, done }
    });
    let mut handled: Vec<Handled> = handled.collect();
    handled.sort_by_key(|picture| (picture.pages.first().copied(), picture.id));
    handled
}

/// What became of a picture, its size in pixels, and its bytes before.
type Changed<'w> = (&'w Task, Result<(Stream, Done), Reason>, (u32, u32), usize);

fn change_all<'w>(
    document: &Document,
    held: &DeferredPictures,
    work: &'w [Task],
    limits: &Limits,
    change: Change<'_>,
) -> Vec<Changed<'w>> {
    let budget = MemoryBudget::new(limits.memory_bytes / MEMORY_SHARE);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let run = || {
        while let Some(task) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Ok(stream) = document.get_object(task.id).and_then(Object::as_stream) else { continue };
            let stored = held.length(stream);
            let (size, result) = match picture::size(document, &stream.dict, limits.pixels) {
                Ok((width, height)) => {
                    let bytes = u64::from(width) * u64::from(height) * PIXEL_BYTES + stored as u64;
                    budget.take(bytes);
                    // A picture that can't be read now fails the job when it is written.
                    let whole = held.whole(stream).map_err(|_| Reason::Unreadable);
                    let result = whole.and_then(|stream| change(document, &stream, task.placed, task.is_mask));
                    budget.give_back(bytes);
                    ((width, height), result)
                }
                Err(reason) => ((0, 0), Err(reason)),
            };
            done.lock().unwrap_or_else(PoisonError::into_inner).push((task, result, size, stored));
        }
    };
    thread::scope(|scope| {
        let helpers = thread::available_parallelism().map_or(1, usize::from).min(THREADS).min(work.len());
        for _ in 1..helpers {
            // Without a helper, this thread does it all.
            drop(thread::Builder::new().spawn_scoped(scope, run));
        }
        run();
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Cuts embedded fonts to the glyphs that are shown. Returns whether any has changed.
pub fn fonts(document: &mut Document) -> bool {
    docmill_pdf_fonts::subset(document) > 0
}

/// Removes deleted pages that something still refers to, and resources that no content names. Returns whether there were any.
pub fn remove_unseen(document: &mut Document, tree: &PageTree) -> bool {
    let lost = lost_pages::remove(document);
    unused::remove(document, tree) || lost > 0
}

/// Removes what no reader shows: private data of programs, thumbnails, and the metadata of parts. The document's own
/// metadata is kept unless its removal was requested.
pub fn remove_baggage(document: &mut Document, metadata: bool) {
    let root = document.trailer.get(b"Root").and_then(Object::as_reference).ok();
    let is_metadata = |object: &Object| object.as_stream().is_ok_and(|stream| stream.dict.has_type(b"Metadata"));
    let packets: HashSet<ObjectId> =
        document.objects.iter().filter(|(_, object)| is_metadata(object)).map(|(id, _)| *id).collect();
    for (id, object) in &mut document.objects {
        let dict = if let Object::Stream(stream) = object { Some(&mut stream.dict) } else { object.as_dict_mut().ok() };
        let Some(dict) = dict else { continue };
        // `LastModified` belongs to `PieceInfo`.
        for key in [b"PieceInfo".as_slice(), b"Thumb", b"SpiderInfo", b"LastModified"] {
            dict.remove(key);
        }
        let is_root = Some(*id) == root;
        // A property list of marked content may have a key of this name that is no stream.
        if (metadata || !is_root) && reference(dict, b"Metadata").is_some() {
            dict.remove(b"Metadata");
        }
        let inner = dict.iter_mut().filter_map(|(_, value)| value.as_dict_mut().ok());
        inner.for_each(|dict| remove_packets(dict, &packets, NESTED));
    }
    if metadata {
        document.trailer.remove(b"Info");
    } else {
        remove_thumbnails(document);
    }
}

/// Programs put metadata into the property lists of a page's resources too.
fn remove_packets(dict: &mut Dictionary, packets: &HashSet<ObjectId>, deeper: u8) {
    if reference(dict, b"Metadata").is_some_and(|id| packets.contains(&id)) {
        dict.remove(b"Metadata");
    }
    if let Some(deeper) = deeper.checked_sub(1) {
        let inner = dict.iter_mut().filter_map(|(_, value)| value.as_dict_mut().ok());
        inner.for_each(|dict| remove_packets(dict, packets, deeper));
    }
}

/// Short metadata is readable in the file itself, and PDF/A-1 has no other.
fn stays_plain(packet: &[u8]) -> bool {
    packet.len() < PLAIN_METADATA || memchr::memmem::find(packet, b"pdfaid").is_some()
}

/// Compresses streams that were compressed badly, or not at all. Pictures are left alone, as are streams that can't be unpacked to their
/// end, of which viewers may show more.
pub fn repack(document: &mut Document) {
    for object in document.objects.values_mut() {
        let Object::Stream(stream) = object else { continue };
        let is_picture = stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image");
        let is_plain = stream.dict.has_type(b"Metadata") && stays_plain(&stream.content);
        if is_picture || !stream.allows_compression || is_plain || stream.dict.has(b"F") {
            continue;
        }
        let Ok(Unpacked { bytes, condition }) = filters::unpack(stream, UNPACKED_BYTES) else { continue };
        if condition == Condition::Cut {
            continue;
        }
        let mut encoder = ZlibEncoder::new(Vec::with_capacity(stream.content.len()), Compression::best());
        let Ok(packed) = encoder.write_all(&bytes).and_then(|()| encoder.finish()) else { continue };
        if packed.len() < stream.content.len() || condition == Condition::Whole {
            stream.content = packed;
            stream.dict.set("Filter", Object::Name(b"FlateDecode".to_vec()));
            stream.dict.remove(b"DecodeParms");
        }
    }
}
