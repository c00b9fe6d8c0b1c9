//! Archives of parts. What has no tags is copied as it is compressed, byte for byte.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{Cursor, Read, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::problem::Failure;

/// The part that lists the types of all others in Office's packages.
pub(crate) const TYPES: &str = "[Content_Types].xml";
/// Most parts of a document.
const MOST_PARTS: usize = 10_000;

#[derive(Clone, Debug)]
pub(crate) struct Package {
    archive: ZipArchive<Cursor<Vec<u8>>>,
}

impl Package {
    /// Fails if parts overlap or have the same name, or if there are too many.
    pub(crate) fn open(bytes: Vec<u8>) -> Result<Self, Failure> {
        // Each part has a header in the directory: counted before memory is taken for them.
        if memchr::memmem::find_iter(&bytes, b"PK\x01\x02").take(MOST_PARTS + 1).count() > MOST_PARTS {
            return Err(Failure::TooLarge(format!("The template has more than {MOST_PARTS} parts.")));
        }
        let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
        if archive.has_duplicate_names() {
            return Err(Failure::Corrupt("two parts of its archive have the same name".to_owned()));
        }
        if archive.has_overlapping_entries().map_err(broken)? {
            return Err(Failure::Corrupt("parts of its archive overlap".to_owned()));
        }
        Ok(Self { archive })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.archive.file_names_raw().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(name).is_some()
    }

    /// A part's text. `left` is what may yet be unpacked.
    pub(crate) fn text(&mut self, name: &str, left: &mut usize) -> Result<String, Failure> {
        let bytes = self.bytes(name, left)?;
        let text = String::from_utf8(bytes).map_err(|_| Failure::Corrupt("a part is not in UTF-8".to_owned()))?;
        Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
    }

    /// A part. `left` is what may yet be unpacked.
    pub(crate) fn bytes(&mut self, name: &str, left: &mut usize) -> Result<Vec<u8>, Failure> {
        let part = self.archive.by_name(name).map_err(broken)?;
        let mut bytes = Vec::new();
        let limit = u64::try_from(*left).unwrap_or(u64::MAX);
        part.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| broken(error.into()))?;
        *left = left
            .checked_sub(bytes.len())
            .ok_or_else(|| Failure::TooLarge("The template is too large when it is unpacked.".to_owned()))?;
        Ok(bytes)
    }

    /// The archive with some parts changed.
    pub(crate) fn with(&self, mut changes: Changes) -> Result<Vec<u8>, Failure> {
        let mut source = self.archive.clone();
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for index in 0..source.len() {
            let part = source.by_index_raw(index).map_err(broken)?;
            let name = part.name().map_err(broken)?.into_owned();
            if changes.removed.contains(&name) {
                continue;
            }
            let Some(text) = changes.texts.remove(&name) else {
                writer.raw_copy_file(part).map_err(broken)?;
                continue;
            };
            let stored = part.compression() == CompressionMethod::Stored;
            let method = if stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
            let mut options = SimpleFileOptions::default().compression_method(method);
            if let Some(modified) = part.last_modified() {
                options = options.last_modified_time(modified);
            }
            drop(part);
            writer.start_file(name, options).map_err(broken)?;
            writer.write_all(text.as_bytes()).map_err(|error| broken(error.into()))?;
        }
        for (name, bytes) in changes.added {
            writer.start_file(name, SimpleFileOptions::default()).map_err(broken)?;
            writer.write_all(&bytes).map_err(|error| broken(error.into()))?;
        }
        Ok(writer.finish().map_err(broken)?.into_inner())
    }
}

/// What becomes of an archive's parts. Others stay as they are.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) texts: HashMap<String, String>,
    pub(crate) removed: HashSet<String>,
    /// New parts.
    pub(crate) added: BTreeMap<String, Vec<u8>>,
}

impl Changes {
    /// Whether a part has changed, or is new.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.texts.contains_key(name) || self.added.contains_key(name)
    }

    /// A part's text as it has become so far. `left` is what may yet be unpacked.
    pub(crate) fn text(&self, package: &mut Package, name: &str, left: &mut usize) -> Result<Option<String>, Failure> {
        if let Some(text) = self.texts.get(name) {
            return Ok(Some(text.clone()));
        }
        if let Some(bytes) = self.added.get(name) {
            return Ok(Some(String::from_utf8_lossy(bytes).into_owned()));
        }
        if package.has(name) && !self.removed.contains(name) { package.text(name, left).map(Some) } else { Ok(None) }
    }

    /// Writes a text in place of a part, or a new part.
    pub(crate) fn set(&mut self, package: &Package, name: &str, text: String) {
        if let Some(bytes) = self.added.get_mut(name) {
            *bytes = text.into_bytes();
        } else if package.has(name) && !self.removed.contains(name) {
            self.texts.insert(name.to_owned(), text);
        } else {
            self.added.insert(name.to_owned(), text.into_bytes());
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.texts.remove(name);
        self.removed.insert(name.to_owned());
    }
}

fn broken(error: ZipError) -> Failure {
    Failure::Corrupt(format!("its archive is broken: {error}"))
}
