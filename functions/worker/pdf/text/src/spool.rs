//! Values that are too many for the memory wait in files for their turn.

use std::fs::File;
use std::io::{BufReader, Read, Seek as _, SeekFrom, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use docmill_pdf_request::{ErrorCode, Failure, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// So many bytes are written at once. Values that take less never leave the memory.
const BUFFER: usize = 1 << 20;
/// Most bytes of a file, and of all files of a spool.
const FILE: u64 = 64 << 20;
const MOST: u64 = 1 << 30;
/// The bytes that say how long a value is.
const LENGTH: usize = size_of::<u32>();

/// Where files of spools may be.
#[derive(Clone, Debug)]
pub struct Scratch {
    directory: PathBuf,
    /// Most bytes of a file.
    file_bytes: u64,
}

impl Scratch {
    /// No files: values that don't fit into the buffer are an error.
    pub fn none() -> Self {
        Self { directory: PathBuf::new(), file_bytes: 0 }
    }

    /// A file must not be larger than a result may be: the process would end.
    pub fn of(request: &Request) -> Self {
        Self { directory: request.directory.clone(), file_bytes: request.limits.output_bytes.min(FILE) }
    }
}

/// A list of values that is written once, and can be read several times.
#[derive(Debug)]
pub struct Spool<T> {
    scratch: Scratch,
    files: Vec<Part>,
    /// What is not written yet.
    buffer: Vec<u8>,
    of: PhantomData<fn(T) -> T>,
}

/// A file of whole values. It has no name any more.
#[derive(Debug)]
struct Part {
    file: File,
    bytes: u64,
}

impl<T: Serialize + DeserializeOwned> Spool<T> {
    /// An empty list.
    pub fn new(scratch: Scratch) -> Self {
        Self { scratch, files: Vec::new(), buffer: Vec::new(), of: PhantomData }
    }

    /// Adds a value to the end.
    ///
    /// # Errors
    /// If a file can't be written, or grows too large.
    pub fn push(&mut self, value: &T) -> Result<(), Failure> {
        let start = self.buffer.len();
        self.buffer.extend([0; LENGTH]);
        rmp_serde::encode::write(&mut self.buffer, value)
            .map_err(|error| Failure::internal(format!("spool: {error}")))?;
        let length = u32::try_from(self.buffer.len() - start - LENGTH).map_err(|_| too_large())?;
        if let Some(place) = self.buffer.get_mut(start..start + LENGTH) {
            place.copy_from_slice(&length.to_le_bytes());
        }
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let bytes = self.buffer.len() as u64;
        let total: u64 = self.files.iter().map(|part| part.bytes).sum();
        if bytes > self.scratch.file_bytes || total + bytes > MOST {
            return Err(too_large());
        }
        if self.files.last().is_none_or(|last| last.bytes + bytes > self.scratch.file_bytes) {
            self.files.push(Part { file: unnamed(&self.scratch.directory)?, bytes: 0 });
        }
        if let Some(last) = self.files.last_mut() {
            last.file.write_all(&self.buffer).map_err(|error| failure(&error))?;
            last.bytes += bytes;
        }
        self.buffer.clear();
        Ok(())
    }

    /// Reads all values, in their order.
    ///
    /// # Errors
    /// What `each` fails with, or that a file can't be read.
    pub fn for_each(&self, mut each: impl FnMut(T) -> Result<(), Failure>) -> Result<(), Failure> {
        for Part { file, bytes } in &self.files {
            let mut start = file;
            start.seek(SeekFrom::Start(0)).map_err(|error| failure(&error))?;
            read(BufReader::with_capacity(BUFFER, file).take(*bytes), *bytes, &mut each)?;
        }
        read(self.buffer.as_slice(), self.buffer.len() as u64, &mut each)
    }
}

/// A new file that nobody else sees. An open file can be read after its name is removed.
fn unnamed(directory: &Path) -> Result<File, Failure> {
    let path = directory.join("spool");
    let file = File::options().read(true).write(true).create_new(true).open(&path).map_err(|error| failure(&error))?;
    std::fs::remove_file(&path).map_err(|error| failure(&error))?;
    Ok(file)
}

fn read<T: DeserializeOwned>(
    mut from: impl Read,
    mut left: u64,
    each: &mut impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut length, mut value) = ([0; LENGTH], Vec::new());
    while left > 0 {
        from.read_exact(&mut length).map_err(|error| failure(&error))?;
        value.resize(u32::from_le_bytes(length) as usize, 0);
        from.read_exact(&mut value).map_err(|error| failure(&error))?;
        left = left.saturating_sub((LENGTH + value.len()) as u64);
        each(rmp_serde::from_slice(&value).map_err(|error| Failure::internal(format!("spool: {error}")))?)?;
    }
    Ok(())
}

fn failure(error: &std::io::Error) -> Failure {
    Failure::internal(format!("spool: {}", error.kind()))
}

fn too_large() -> Failure {
    let message = "The document has more text than can be read at once. Select fewer pages.";
    Failure::new(ErrorCode::RenderFailed, message, "spool beyond the limit")
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn all(spool: &Spool<(usize, String)>) -> Vec<(usize, String)> {
        let mut values = Vec::new();
        let keep = |value| {
            values.push(value);
            Ok(())
        };
        spool.for_each(keep).unwrap();
        values
    }

    #[test]
    fn values_come_back_in_their_order_as_often_as_they_are_read() {
        let directory = TempDir::new().unwrap();
        let scratch = Scratch { directory: directory.path().to_owned(), file_bytes: 3 << 20 };
        let mut spool = Spool::new(scratch);
        let values: Vec<_> = (0..5_000).map(|at| (at, format!("{at}").repeat(at % 1_000))).collect();
        for value in &values {
            spool.push(value).unwrap();
        }
        assert!(spool.files.len() > 2 && !spool.buffer.is_empty(), "several files, and a rest");
        assert!(spool.files.iter().all(|part| part.bytes <= 3 << 20));
        assert_eq!((all(&spool), all(&spool)), (values.clone(), values));
        assert_eq!(directory.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn few_values_need_no_file_and_too_large_ones_are_refused() {
        let mut spool = Spool::new(Scratch::none());
        let value = (1, "word".to_owned());
        spool.push(&value).unwrap();
        assert_eq!(all(&spool), [value]);
        assert_eq!(spool.push(&(2, "x".repeat(BUFFER))).unwrap_err().code, ErrorCode::RenderFailed);
    }
}
