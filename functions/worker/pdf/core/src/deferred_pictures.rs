//! Large pictures that stay in their file until they are needed: a document of scans may not fit into memory at once.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use std::borrow::Cow;
use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use lopdf::xref::XrefEntry;
use lopdf::{Document, Object, ObjectId, Stream};

use super::objects;

/// Smaller pictures are kept in memory.
const HELD_BYTES: usize = 64 << 10;
/// How far from the start of its object a stream's data may begin.
const HEAD_BYTES: usize = 64 << 10;

thread_local! {
    /// The pictures that were left out of the document being loaded. Static, since the loader's filter is a plain function.
    static LEFT_OUT: RefCell<Vec<ObjectId>> = const { RefCell::new(Vec::new()) };
}

/// The file with the data of pictures. Such a stream is empty and records the position and length of its data.
#[derive(Debug)]
pub struct DeferredPictures(Option<File>);

impl DeferredPictures {
    /// For a document that is in memory completely.
    pub const NOTHING: Self = Self(None);

    /// The length of a stream in memory or in the file.
    pub fn length(&self, stream: &Stream) -> usize {
        let stated = || stream.dict.get(b"Length").and_then(Object::as_i64).ok();
        let length = if self.0.is_some() && stream.start_position.is_some() { stated() } else { None };
        length.and_then(|length| usize::try_from(length).ok()).unwrap_or(stream.content.len())
    }

    /// The stream with its content.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn whole<'s>(&self, stream: &'s Stream) -> io::Result<Cow<'s, Stream>> {
        let (Some(file), Some(start)) = (&self.0, stream.start_position) else { return Ok(Cow::Borrowed(stream)) };
        let mut content = vec![0; self.length(stream)];
        file.read_exact_at(&mut content, start as u64)?;
        let mut whole = Stream::new(stream.dict.clone(), content);
        whole.allows_compression = stream.allows_compression;
        Ok(Cow::Owned(whole))
    }

    /// An object with all its content, if it is a stream.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn filled(&self, object: Object) -> io::Result<Object> {
        let whole = match object.as_stream() {
            Ok(stream) => match self.whole(stream)? {
                Cow::Owned(whole) => Some(whole.into()),
                Cow::Borrowed(_) => None,
            },
            Err(_) => None,
        };
        Ok(whole.unwrap_or(object))
    }
}

/// Forgets pictures of earlier documents.
pub fn begin() {
    LEFT_OUT.take();
}

/// Removes the content of a large picture. The document's [`DeferredPictures`] restores it.
pub fn leave_out(id: ObjectId, object: &mut Object) {
    let Object::Stream(stream) = object else { return };
    let is_picture = stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image");
    if is_picture && stream.content.len() >= HELD_BYTES {
        stream.dict.set("Length", objects::count(stream.content.len()));
        stream.content = Vec::new();
        LEFT_OUT.with_borrow_mut(|ids| ids.push(id));
    }
}

/// Finds the data of removed pictures in the file at `path`, which was just loaded.
///
/// # Errors
/// If the file can't be read.
pub fn find(document: &mut Document, path: &Path) -> io::Result<DeferredPictures> {
    // The loader sets this position too. From here on, only held streams have one, even after documents are merged.
    for stream in document.objects.values_mut().filter_map(|object| object.as_stream_mut().ok()) {
        stream.start_position = None;
    }
    let ids = LEFT_OUT.take();
    if ids.is_empty() {
        return Ok(DeferredPictures::NOTHING);
    }
    let file = File::open(path)?;
    for id in ids {
        let Some(&XrefEntry::Normal { offset, .. }) = document.reference_table.get(id.0) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let Ok(stream) = document.get_object_mut(id).and_then(Object::as_stream_mut) else { continue };
        let length = stream.dict.get(b"Length").and_then(Object::as_i64).unwrap_or(0);
        let start = data(&file, u64::from(offset), length.unsigned_abs())?.ok_or(io::ErrorKind::InvalidData)?;
        stream.start_position = Some(usize::try_from(start).map_err(io::Error::other)?);
    }
    Ok(DeferredPictures(Some(file)))
}

/// Where the data of the stream object at `offset` begins: `endstream` follows after `length` bytes.
fn data(file: &File, offset: u64, length: u64) -> io::Result<Option<u64>> {
    let head = read(file, offset, HEAD_BYTES)?;
    for keyword in memchr::memmem::find_iter(&head, b"stream") {
        let after = head.get(keyword + 6..).unwrap_or_default();
        // Data starts after the first end of line, even if it begins with white space.
        let Some(line) = after.iter().position(|byte| !matches!(byte, b'\t' | 0x0c | b' ')) else { continue };
        let line = match after.get(line..) {
            Some([b'\r', b'\n', ..]) => line + 2,
            Some([b'\r' | b'\n', ..]) => line + 1,
            Some(_) | None => continue,
        };
        let start = offset + (keyword + 6 + line) as u64;
        if read(file, start + length, 12)?.trim_ascii_start().starts_with(b"endstream") {
            return Ok(Some(start));
        }
    }
    Ok(None)
}

/// At most `most` bytes; fewer at the end of the file.
fn read(file: &File, offset: u64, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; most];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset + filled as u64)? {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn data_is_found_after_its_keyword() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        // The word is in the dictionary too, and the data begins with line ends.
        file.write_all(b"junk 1 0 obj\n<</Title (a stream\n)/Length 5>>stream\r\n\n\rabc\nendstream").unwrap();
        let start = data(file.as_file(), 5, 5).unwrap().unwrap();
        assert_eq!(read(file.as_file(), start, 5).unwrap(), b"\n\rabc");
        assert_eq!(data(file.as_file(), 5, 4).unwrap(), None);
    }
}
