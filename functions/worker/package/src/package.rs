use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use flate2::read::DeflateDecoder;
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::{CompressionMethod, DateTime, ZipArchive};

use crate::relations::{self, Relations};
use crate::{Error, Limits, types};

/// A package that is read from a file.
pub type Disk = BufReader<File>;

/// A package in memory. Clones share its bytes.
pub type Memory = Cursor<Arc<[u8]>>;

/// An open package.
#[derive(Clone, Debug)]
pub struct Package<R> {
    pub(crate) archive: ZipArchive<R>,
    limits: Limits,
    budget: Budget,
}

/// What may yet be unpacked.
#[derive(Clone, Debug)]
struct Budget {
    left: u64,
    /// Bytes of each part that have been counted.
    counted: Vec<u64>,
}

impl Budget {
    fn of(limits: Limits, parts: usize) -> Self {
        Self { left: limits.unpacked_bytes, counted: vec![0; parts] }
    }

    /// Most bytes of a part that may be read from its start.
    fn allowed(&self, index: usize) -> u64 {
        self.left.saturating_add(self.counted.get(index).copied().unwrap_or(0))
    }

    /// Counts a part that has been read up to a position. Whether that was allowed.
    fn count(&mut self, index: usize, position: u64) -> bool {
        let Some(counted) = self.counted.get_mut(index) else { return false };
        let more = position.saturating_sub(*counted);
        *counted += more;
        let is_allowed = more <= self.left;
        self.left = self.left.saturating_sub(more);
        is_allowed
    }
}

impl Package<Disk> {
    /// Opens a file.
    ///
    /// # Errors
    /// If it can't be read, is no intact archive, has too many parts, or if parts overlap or have the same name.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, Error> {
        let headers = directory_headers(File::open(path).map_err(Error::Io)?).map_err(Error::Io)?;
        Self::new(BufReader::new(File::open(path).map_err(Error::Io)?), headers, limits)
    }
}

impl Package<Memory> {
    /// Opens a package in memory.
    ///
    /// # Errors
    /// If it is no intact archive, has too many parts, or if parts overlap or have the same name.
    pub fn read(bytes: impl Into<Arc<[u8]>>, limits: Limits) -> Result<Self, Error> {
        let bytes = bytes.into();
        let headers = directory_headers(&*bytes).map_err(Error::Io)?;
        Self::new(Cursor::new(bytes), headers, limits)
    }

    /// A clone that may unpack as much as this package could at first.
    #[must_use]
    pub fn afresh(&self) -> Self {
        Self { budget: Budget::of(self.limits, self.archive.len()), ..self.clone() }
    }
}

impl<R: Read + Seek> Package<R> {
    /// `headers`: at least as many as there are parts, counted before memory is taken for them.
    fn new(reader: R, headers: usize, limits: Limits) -> Result<Self, Error> {
        if headers > Limits::MOST_PARTS {
            return Err(Error::TooManyParts(limits.parts));
        }
        // An archive with this many headers that can't be read may have been made to take memory.
        let too_many = || Error::TooManyParts(limits.parts);
        let opened = ZipArchive::new(reader);
        let mut archive = opened.map_err(|error| if headers > limits.parts { too_many() } else { error.into() })?;
        if archive.len() > limits.parts {
            return Err(too_many());
        }
        if archive.has_duplicate_names() {
            return Err(Error::Invalid("two parts of its archive have the same name".to_owned()));
        }
        if archive.has_overlapping_entries()? {
            return Err(Error::Invalid("parts of its archive overlap".to_owned()));
        }
        let budget = Budget::of(limits, archive.len());
        Ok(Self { archive, limits, budget })
    }

    /// The names of all parts, in order.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names_raw().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    /// The name of a part, by its number from 0. Empty if it is no text.
    pub fn name(&self, index: usize) -> String {
        self.archive.name_for_index(index).and_then(Result::ok).unwrap_or_default().into_owned()
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.archive.len()
    }

    /// Whether each part has the date that Office writes, the first of 1980. Most other programs write the time.
    pub fn has_dates_of_office(&mut self) -> bool {
        let first = |part: Result<ZipFile<'_, R>, ZipError>| {
            part.is_ok_and(|part| part.last_modified().is_none_or(|date| date == DateTime::default()))
        };
        (0..self.len()).all(|index| first(self.archive.by_index_raw(index)))
    }

    /// Whether there is no part.
    pub fn is_empty(&self) -> bool {
        self.archive.is_empty()
    }

    /// Whether there is a part with this name.
    pub fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(name).is_some()
    }

    /// Bytes that may yet be unpacked.
    pub const fn left(&self) -> u64 {
        self.budget.left
    }

    /// Counts bytes against the limit that a part becomes larger by, as it is read.
    pub const fn spend(&mut self, bytes: u64) {
        self.budget.left = self.budget.left.saturating_sub(bytes);
    }

    /// The bytes of a part, of which there may be so many. `None`: there is no such part.
    ///
    /// # Errors
    /// If it is damaged, or unpacks to too much.
    pub fn bytes(&mut self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let Some(index) = self.archive.index_for_name(name) else { return Ok(None) };
        let most = most.min(self.budget.allowed(index));
        let part = self.archive.by_index(index)?;
        let mut bytes = Vec::new();
        let read = part.take(most.saturating_add(1)).read_to_end(&mut bytes);
        if bytes.len() as u64 > most {
            return Err(Error::TooLarge);
        }
        self.budget.count(index, bytes.len() as u64);
        read.map_err(|error| Error::Broken(error.to_string()))?;
        Ok(Some(bytes))
    }

    /// The text of a part in UTF-8, without a byte order mark. `None`: there is no such part.
    ///
    /// # Errors
    /// If it is damaged, in another encoding, or unpacks to too much.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, Error> {
        let Some(bytes) = self.bytes(name, self.limits.part_bytes)? else { return Ok(None) };
        let text = String::from_utf8(bytes).map_err(|_| Error::Invalid("a part is not in UTF-8".to_owned()))?;
        Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
    }

    /// The same for a part that must be there.
    ///
    /// # Errors
    /// If there is no such part, as well.
    pub fn needed(&mut self, name: &str) -> Result<String, Error> {
        self.text(name)?.ok_or_else(|| Error::missing(name))
    }

    /// The text of a part in UTF-8, or in UTF-16 with a byte order mark. What is in neither becomes U+FFFD.
    ///
    /// # Errors
    /// If it is damaged, or unpacks to too much.
    pub fn decoded(&mut self, name: &str) -> Result<Option<String>, Error> {
        Ok(self.bytes(name, self.limits.part_bytes)?.map(decoded))
    }

    /// How a part refers to others. None if it doesn't. The empty name stands for the package itself.
    ///
    /// # Errors
    /// If the part with its relationships is damaged, malformed or too large.
    pub fn relations(&mut self, part: &str) -> Result<Relations, Error> {
        let source = self.decoded(&relations::part_of(part))?;
        source.map_or(Ok(Relations::default()), |source| Relations::read(part, &source))
    }

    /// A part as office programs unpack it: until its data ends, whatever size and checksum its headers have. `None` if its
    /// compression or encryption is unsupported, as it is in office programs.
    pub fn part(&mut self, index: usize) -> Option<Part<'_>> {
        let raw = self.archive.by_index_raw(index).ok().filter(|raw| !raw.encrypted())?;
        let inner: Box<dyn Read + '_> = if raw.compression() == CompressionMethod::Stored {
            Box::new(raw)
        } else if raw.compression() == CompressionMethod::Deflated {
            Box::new(DeflateDecoder::new(raw))
        } else {
            return None;
        };
        Some(Part { inner, budget: &mut self.budget, index, position: 0 })
    }

    /// The same by its name.
    pub fn part_named(&mut self, name: &str) -> Option<Part<'_>> {
        self.part(self.archive.index_for_name(name)?)
    }

    /// A small part that describes the package, as office programs read it. `None` if it is missing or can't be unpacked.
    pub(crate) fn description(&mut self, name: &str) -> Option<String> {
        let most = self.limits.part_bytes.min(Limits::DESCRIPTION.part_bytes);
        let mut bytes = Vec::new();
        self.part_named(name)?.take(most).read_to_end(&mut bytes).ok()?;
        Some(decoded(bytes))
    }

    /// The main part of an Office Open XML package, and its content type in lower case (ECMA-376, part 2).
    pub fn main_part(&mut self) -> Option<(String, String)> {
        let source = self.description(&relations::part_of(""))?;
        let main = Relations::read("", &source).ok()?.of_kind("officeDocument").map(str::to_owned)?;
        if !self.has(&main) {
            return None;
        }
        let kind = types::of(&self.description(types::PART)?, &main).ok()??;
        Some((main, kind.to_ascii_lowercase()))
    }

    /// The parts to which the main part is related in this way, such as `worksheet`.
    pub fn related(&mut self, kind: &str) -> Vec<String> {
        let Some((main, _)) = self.main_part() else { return Vec::new() };
        let Some(source) = self.description(&relations::part_of(&main)) else { return Vec::new() };
        let relations = relations::internal(&main, &source).unwrap_or_default();
        relations.into_iter().filter(|relation| relation.kind == kind).map(|relation| relation.target).collect()
    }

    /// Reads every part to its end, where its checksum is compared.
    ///
    /// # Errors
    /// If one is damaged, or if they unpack to too much.
    pub fn check(&mut self) -> Result<(), Error> {
        for index in 0..self.len() {
            let most = self.budget.allowed(index);
            let part = self.archive.by_index(index)?;
            let read = io::copy(&mut part.take(most.saturating_add(1)), &mut io::sink());
            let read = read.map_err(|error| Error::Broken(error.to_string()))?;
            if !self.budget.count(index, read) {
                return Err(Error::TooLarge);
            }
        }
        Ok(())
    }
}

/// A part while it is unpacked. Reading fails once the package's limit is reached.
pub struct Part<'a> {
    inner: Box<dyn Read + 'a>,
    budget: &'a mut Budget,
    index: usize,
    position: u64,
}

impl std::fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Part").field("index", &self.index).field("position", &self.position).finish_non_exhaustive()
    }
}

impl Read for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.position += read as u64;
        if self.budget.count(self.index, self.position) { Ok(read) } else { Err(io::Error::other(Error::TooLarge)) }
    }
}

/// XML in UTF-8, or in UTF-16 with a byte order mark. What is in neither becomes U+FFFD.
pub fn decoded(bytes: Vec<u8>) -> String {
    // Without a copy, if it can be.
    let text = match bytes.as_slice() {
        [0xfe, 0xff, ..] | [0xff, 0xfe, ..] | [0xef, 0xbb, 0xbf, ..] => Err(bytes),
        _ => String::from_utf8(bytes).map_err(|error| error.into_bytes()),
    };
    text.unwrap_or_else(|bytes| encoding_rs::UTF_8.decode(&bytes).0.into_owned())
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
