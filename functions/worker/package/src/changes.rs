use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{Read, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::{Error, Package};

/// What becomes of a package's parts. Others stay as they are.
#[derive(Debug, Default)]
pub struct Changes {
    /// New texts of parts, by name.
    pub texts: HashMap<String, String>,
    /// Names of parts to leave out.
    pub removed: HashSet<String>,
    /// New parts, by name.
    pub added: BTreeMap<String, Vec<u8>>,
}

/// How changed parts are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As they were.
    AsBefore,
    /// Not at all: for a program that reads them next.
    Stored,
}

impl Changes {
    /// Whether a part has changed, or is new.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.texts.contains_key(name) || self.added.contains_key(name)
    }

    /// A part's text as it has become so far. `None`: there is no such part.
    ///
    /// # Errors
    /// If it can't be read from the package.
    pub fn text<R: Read + Seek>(&self, package: &mut Package<R>, name: &str) -> Result<Option<String>, Error> {
        if let Some(text) = self.texts.get(name) {
            return Ok(Some(text.clone()));
        }
        if let Some(bytes) = self.added.get(name) {
            return Ok(Some(String::from_utf8_lossy(bytes).into_owned()));
        }
        if self.removed.contains(name) { Ok(None) } else { package.text(name) }
    }

    /// The same for a part that must be there.
    ///
    /// # Errors
    /// If there is no such part, as well.
    pub fn needed<R: Read + Seek>(&self, package: &mut Package<R>, name: &str) -> Result<String, Error> {
        self.text(package, name)?.ok_or_else(|| Error::missing(name))
    }

    /// Writes a text in place of a part, or a new part.
    pub fn set<R: Read + Seek>(&mut self, package: &Package<R>, name: &str, text: String) {
        if let Some(bytes) = self.added.get_mut(name) {
            *bytes = text.into_bytes();
        } else if package.has(name) && !self.removed.contains(name) {
            self.texts.insert(name.to_owned(), text);
        } else {
            self.added.insert(name.to_owned(), text.into_bytes());
        }
    }

    /// Leaves a part out.
    pub fn remove(&mut self, name: &str) {
        self.texts.remove(name);
        self.removed.insert(name.to_owned());
    }
}

impl<R: Read + Seek> Package<R> {
    /// Writes the package with some parts changed. What has not changed is copied as it is compressed, byte for byte.
    ///
    /// # Errors
    /// If a part is damaged, or if the target can't be written.
    pub fn write<W: Write + Seek>(&mut self, mut changes: Changes, packing: Packing, target: W) -> Result<W, Error> {
        let mut writer = ZipWriter::new(target);
        for index in 0..self.archive.len() {
            let part = self.archive.by_index_raw(index)?;
            let name = part.name()?.into_owned();
            if changes.removed.contains(&name) {
                continue;
            }
            let Some(text) = changes.texts.remove(&name) else {
                writer.raw_copy_file(part)?;
                continue;
            };
            let is_stored = packing == Packing::Stored || part.compression() == CompressionMethod::Stored;
            let method = if is_stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
            let mut options = SimpleFileOptions::default().compression_method(method);
            if let Some(modified) = part.last_modified() {
                options = options.last_modified_time(modified);
            }
            drop(part);
            writer.start_file(name, options)?;
            writer.write_all(text.as_bytes()).map_err(Error::Io)?;
        }
        for (name, bytes) in changes.added {
            writer.start_file(name, SimpleFileOptions::default())?;
            writer.write_all(&bytes).map_err(Error::Io)?;
        }
        Ok(writer.finish()?)
    }
}
