//! ZIP packages: their declared type, and limited reading of their parts.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use docmill_domain::job::JobErrorCode;
use flate2::read::DeflateDecoder;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::xml::{self, Doctypes, Fault, Next};
use super::{corrupt, unreadable};
use crate::failure::Failure;

/// Largest part that describes a package.
const DESCRIPTION_BYTES: u64 = 16 << 20;

/// Most entries to list: more would use too much memory.
const LISTED_ENTRIES: usize = 100_000;

/// Limits on a package's content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) entries: u64,
    pub(super) unpacked_bytes: u64,
}

/// A ZIP archive with a limit on everything that is unpacked from it.
pub(super) struct Package {
    archive: ZipArchive<BufReader<File>>,
    bounds: Bounds,
    left: Cell<u64>,
}

/// A part while it is unpacked. Reading fails once the package's limit is reached.
///
/// It is unpacked until its data ends: size and checksum in headers are ignored.
pub(super) struct Part<'a> {
    inner: Box<dyn Read + 'a>,
    left: &'a Cell<u64>,
}

impl Read for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        match self.left.get().checked_sub(read as u64) {
            Some(left) => {
                self.left.set(left);
                Ok(read)
            }
            None => {
                self.left.set(0);
                Err(io::Error::other("the package unpacks to too much"))
            }
        }
    }
}

impl Package {
    /// Opens an archive whose entries are limited in number, distinct, and do not overlap. Fails with `corrupt_document` or
    /// `source_too_large`.
    pub(super) fn open(path: &Path, bounds: Bounds) -> Result<Self, Failure> {
        if directory_headers(File::open(path).map_err(unreadable)?).map_err(unreadable)? > LISTED_ENTRIES {
            return Err(too_many_entries(bounds));
        }
        let file = BufReader::new(File::open(path).map_err(unreadable)?);
        let mut archive = ZipArchive::new(file).map_err(broken)?;
        if archive.len() as u64 > bounds.entries {
            return Err(too_many_entries(bounds));
        }
        // Readers may disagree on entries with the same name, and overlapping entries make zip bombs.
        if archive.has_duplicate_names() {
            return Err(corrupt("two entries of its archive have the same name"));
        }
        if archive.has_overlapping_entries().map_err(broken)? {
            return Err(corrupt("entries of its archive overlap"));
        }
        Ok(Self { archive, bounds, left: Cell::new(bounds.unpacked_bytes) })
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.archive.file_names_raw().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.archive.index_for_name(name).is_some()
    }

    /// The number of entries. Parts are numbered from 0.
    pub(super) fn len(&self) -> usize {
        self.archive.len()
    }

    pub(super) fn name(&self, index: usize) -> String {
        self.archive.name_for_index(index).and_then(Result::ok).unwrap_or_default().into_owned()
    }

    /// `None` if its compression or encryption is unsupported, as it is in office programs.
    pub(super) fn part(&mut self, index: usize) -> Option<Part<'_>> {
        let raw = self.archive.by_index_raw(index).ok().filter(|raw| !raw.encrypted())?;
        let inner: Box<dyn Read + '_> = if raw.compression() == CompressionMethod::Stored {
            Box::new(raw)
        } else if raw.compression() == CompressionMethod::Deflated {
            Box::new(DeflateDecoder::new(raw))
        } else {
            return None;
        };
        Some(Part { inner, left: &self.left })
    }

    pub(super) fn part_named(&mut self, name: &str) -> Option<Part<'_>> {
        self.part(self.archive.index_for_name(name)?)
    }

    /// Fails if the limit on unpacked bytes is reached.
    pub(super) fn within_budget(&self) -> Result<(), Failure> {
        if self.left.get() > 0 {
            return Ok(());
        }
        let mebibytes = self.bounds.unpacked_bytes >> 20;
        Err(Failure::new(
            JobErrorCode::SourceTooLarge,
            format!("The document unpacks to more than {mebibytes} MiB. Make it smaller, or split it."),
            "the archive unpacks to too much",
        ))
    }

    /// A small part as text. `None` if it is missing or can't be unpacked.
    fn text(&mut self, name: &str) -> Option<String> {
        let mut text = Vec::new();
        self.part_named(name)?.take(DESCRIPTION_BYTES).read_to_end(&mut text).ok()?;
        String::from_utf8(text).ok()
    }

    /// The attributes of an element in a small XML part.
    fn attributes<const N: usize>(&mut self, part: &str, element: &str, wanted: [&str; N]) -> Vec<[Option<String>; N]> {
        let mut found = Vec::new();
        let Some(part) = self.part_named(part) else { return found };
        let reader = part.take(DESCRIPTION_BYTES);
        let scanned = xml::scan(reader, Doctypes::Ignored, |start| {
            if start.local_name().as_ref() == element {
                found.push(wanted.map(|name| xml::attribute(start, name)));
            }
            Next::Continue
        });
        match scanned {
            Ok(()) => found,
            // The content of such a part is unreliable.
            Err(Fault::Malformed(_) | Fault::Doctype) => Vec::new(),
        }
    }

    /// The main part of an OOXML package and its lower-case content type (ECMA-376 part 2: relationships, then types).
    pub(super) fn ooxml_main(&mut self) -> Option<(String, String)> {
        let relationships = self.attributes("_rels/.rels", "Relationship", ["Type", "Target"]);
        let target = relationships
            .into_iter()
            .find_map(|[kind, target]| kind.filter(|kind| kind.ends_with("/officeDocument")).and(target))?;
        let part = target.trim_start_matches("./").trim_start_matches('/').to_owned();
        if !self.contains(&part) {
            return None;
        }
        let overrides = self.attributes("[Content_Types].xml", "Override", ["PartName", "ContentType"]);
        let override_type = overrides.into_iter().find_map(|[name, content_type]| {
            name.filter(|name| name.trim_start_matches('/').eq_ignore_ascii_case(&part)).and(content_type)
        });
        let content_type = override_type.or_else(|| {
            let (_, extension) = part.rsplit_once('.')?;
            let defaults = self.attributes("[Content_Types].xml", "Default", ["Extension", "ContentType"]);
            defaults.into_iter().find_map(|[name, content_type]| {
                name.filter(|name| name.eq_ignore_ascii_case(extension)).and(content_type)
            })
        })?;
        Some((part, content_type.to_ascii_lowercase()))
    }

    /// The parts to which an OOXML package's main part is related in this way, by the end of the relation's type.
    pub(super) fn related(&mut self, kind: &str) -> Vec<String> {
        let Some((main, _)) = self.ooxml_main() else { return Vec::new() };
        let (folder, name) = main.rsplit_once('/').unwrap_or(("", &main));
        let relationships =
            self.attributes(&join(folder, &format!("_rels/{name}.rels")), "Relationship", ["Type", "Target"]);
        let is_related = |of: &Option<String>| of.as_ref().is_some_and(|of| of.ends_with(kind));
        let targets = relationships.into_iter().filter_map(|[of, target]| target.filter(|_| is_related(&of)));
        targets
            .map(|target| match target.strip_prefix('/') {
                Some(absolute) => absolute.to_owned(),
                None => join(folder, target.trim_start_matches("./")),
            })
            .collect()
    }

    /// The media type of an OpenDocument package or EPUB: its `mimetype` part, or the manifest's type of the root.
    pub(super) fn media_type(&mut self) -> Option<String> {
        if let Some(text) = self.text("mimetype") {
            return Some(text.trim().to_owned());
        }
        let entries = self.attributes("META-INF/manifest.xml", "file-entry", ["full-path", "media-type"]);
        entries.into_iter().find_map(|[path, media_type]| path.filter(|path| path == "/").and(media_type))
    }

    /// Whether an OpenDocument package's manifest names encrypted parts.
    pub(super) fn is_encrypted_odf(&mut self) -> bool {
        !self.attributes("META-INF/manifest.xml", "encryption-data", []).is_empty()
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// An upper bound for the number of central directory headers, by their signatures. Nested archives add some.
fn directory_headers(mut file: impl Read) -> io::Result<usize> {
    const SIGNATURE: &[u8] = b"PK\x01\x02";
    let (mut chunk, mut kept, mut count) = (vec![0; 1 << 16], 0, 0);
    loop {
        let read = file.read(chunk.get_mut(kept..).unwrap_or_default())?;
        let filled = chunk.get(..kept + read).unwrap_or_default();
        count += memchr::memmem::find_iter(filled, SIGNATURE).count();
        if read == 0 {
            return Ok(count);
        }
        // A signature may continue in the next chunk.
        kept = filled.len().min(SIGNATURE.len() - 1);
        let end = filled.len();
        chunk.copy_within(end - kept..end, 0);
    }
}

fn too_many_entries(bounds: Bounds) -> Failure {
    Failure::new(
        JobErrorCode::SourceTooLarge,
        format!("The document's archive has more than {} entries. Make it smaller, or split it.", bounds.entries),
        "the archive has too many entries",
    )
}

fn broken(error: ZipError) -> Failure {
    let failure = corrupt("its archive is incomplete or broken");
    Failure { cause: format!("reading the archive: {error}"), ..failure }
}
