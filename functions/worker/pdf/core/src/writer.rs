//! Writes a PDF file object by object, so that documents need not fit into memory.
//!
//! Objects are packed into compressed object streams. The same objects in the same order give the same bytes: no clock or
//! randomness is used, and the file's `/ID` is a digest of its content.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use docmill_pdf_request::{ErrorCode, Failure, Limits};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, StringFormat, dictionary};
use sha2::{Digest, Sha256};

use super::deferred_pictures::DeferredPictures;
use super::long_numbers;
use super::numbering::number_from;
use super::objects;

/// Most objects in an object stream, and their bytes: readers unpack a whole stream for each object.
const PACKED_OBJECTS: usize = 200;
const PACKED_BYTES: usize = 128 << 10;
/// Streams shorter than this hardly gain from compression.
const COMPRESSED_FROM: usize = 64;

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It would be larger than `limit` bytes.
    #[error("more than {limit} bytes")]
    TooLarge {
        /// In bytes.
        limit: u64,
    },
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => Failure::io(&error),
            WriteError::TooLarge { limit } => Self::new(
                ErrorCode::RenderFailed,
                format!("The result is larger than {} MiB, which is the limit. Select fewer pages.", limit >> 20),
                "result beyond the limit",
            ),
        }
    }
}

/// Writes all objects of a document one by one, each freed once it is written.
///
/// # Errors
/// If the file can't be written, or would be too large.
pub fn write_document(
    mut document: Document,
    held: &DeferredPictures,
    limits: &Limits,
    path: &Path,
) -> Result<(), Failure> {
    number_from(&mut document, 1);
    let root = document.trailer.get(b"Root").and_then(Object::as_reference);
    let root = root.map_err(|_| Failure::internal("a document without a root after it was opened"))?;
    let info = document.trailer.get(b"Info").and_then(Object::as_reference).ok();
    let mut writer = PdfWriter::create(path, limits.output_bytes)?;
    // The objects are numbered from 1 without gaps. The writer's own come after them.
    for _ in &document.objects {
        writer.reserve();
    }
    for (id, object) in document.objects {
        let object = held.filled(object).map_err(|error| Failure::io(&error))?;
        writer.put(id, object)?;
    }
    writer.finish(root, info)?;
    Ok(())
}

/// The position of an object.
#[derive(Clone, Copy, Debug)]
enum Place {
    Nowhere,
    At(u64),
    Packed { container: u32, index: u16 },
}

/// Writes a PDF object by object, as far as a limit allows.
#[derive(Debug)]
pub struct PdfWriter {
    file: BufWriter<File>,
    digest: Sha256,
    position: u64,
    limit: u64,
    /// By object number.
    places: Vec<Place>,
    packed: Vec<(u32, usize)>,
    packed_bytes: Vec<u8>,
    body: Vec<u8>,
}

impl PdfWriter {
    /// Begins a file of at most `limit` bytes.
    ///
    /// # Errors
    /// If the file can't be made.
    pub fn create(path: &Path, limit: u64) -> Result<Self, WriteError> {
        let mut writer = Self {
            file: BufWriter::with_capacity(256 << 10, File::create(path)?),
            digest: Sha256::new(),
            position: 0,
            limit,
            places: vec![Place::Nowhere],
            packed: Vec::new(),
            packed_bytes: Vec::new(),
            body: Vec::new(),
        };
        writer.write(b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")?;
        Ok(writer)
    }

    /// A number for an object that is written later.
    pub fn reserve(&mut self) -> ObjectId {
        // Documents have far fewer objects.
        let number = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.places.push(Place::Nowhere);
        (number, 0)
    }

    /// Notes where an object is, for the cross references.
    fn note(&mut self, number: u32, at: Place) {
        if let Some(place) = self.places.get_mut(number as usize) {
            *place = at;
        }
    }

    /// Writes the object of an id that was reserved.
    ///
    /// # Errors
    /// As for [`Self::finish`].
    pub fn put(&mut self, id: ObjectId, object: Object) -> Result<(), WriteError> {
        match object {
            Object::Stream(stream) => self.put_stream(id, stream),
            other => self.pack(id, &other),
        }
    }

    /// Writes an object under a new id.
    ///
    /// # Errors
    /// As for [`Self::finish`].
    pub fn add(&mut self, object: impl Into<Object>) -> Result<ObjectId, WriteError> {
        let id = self.reserve();
        self.put(id, object.into())?;
        Ok(id)
    }

    /// Ends the file. Returns its size in bytes.
    ///
    /// # Errors
    /// If the file can't be written, or would be too large.
    pub fn finish(mut self, root: ObjectId, info: Option<ObjectId>) -> Result<u64, WriteError> {
        self.flush_packed()?;
        let digest = self.digest.clone().finalize();
        let id = Object::String(digest.iter().copied().take(16).collect(), StringFormat::Hexadecimal);
        let own = self.reserve();
        let start = self.position;
        self.note(own.0, Place::At(start));
        let mut trailer = dictionary! {
            "Type" => "XRef", "Size" => objects::count(self.places.len()), "Root" => root,
            "ID" => vec![id.clone(), id], "W" => vec![1.into(), 5.into(), 2.into()],
        };
        if let Some(info) = info {
            trailer.set("Info", info);
        }
        let table = self.cross_references();
        self.write_stream(own, trailer, &table, true)?;
        self.write(format!("startxref\n{start}\n%%EOF\n").as_bytes())?;
        self.file.flush()?;
        Ok(self.position)
    }

    fn cross_references(&self) -> Vec<u8> {
        let mut table = Vec::with_capacity(self.places.len() * 8);
        for place in &self.places {
            let (kind, second, third) = match *place {
                Place::Nowhere => (0, 0, u16::MAX),
                Place::At(offset) => (1, offset, 0),
                Place::Packed { container, index } => (2, u64::from(container), index),
            };
            table.push(kind);
            table.extend(second.to_be_bytes().into_iter().skip(3));
            table.extend(third.to_be_bytes());
        }
        table
    }

    fn pack(&mut self, id: ObjectId, object: &Object) -> Result<(), WriteError> {
        self.packed.push((id.0, self.packed_bytes.len()));
        long_numbers::write_object(&mut self.packed_bytes, object)?;
        self.packed_bytes.push(b'\n');
        if self.packed.len() >= PACKED_OBJECTS || self.packed_bytes.len() >= PACKED_BYTES {
            self.flush_packed()?;
        }
        Ok(())
    }

    fn flush_packed(&mut self) -> Result<(), WriteError> {
        if self.packed.is_empty() {
            return Ok(());
        }
        let container = self.reserve();
        let (mut content, mut count) = (Vec::new(), 0_i64);
        // There are at most `PACKED_OBJECTS`.
        for (index, (number, offset)) in (0..).zip(std::mem::take(&mut self.packed)) {
            write!(content, "{number} {offset} ")?;
            self.note(number, Place::Packed { container: container.0, index });
            count += 1;
        }
        let head = dictionary! {
            "Type" => "ObjStm", "N" => count, "First" => objects::count(content.len()),
        };
        content.extend_from_slice(&self.packed_bytes);
        self.packed_bytes.clear();
        self.write_stream(container, head, &content, true)
    }

    /// Compresses uncompressed data, except metadata, which other programs must find as text.
    fn put_stream(&mut self, id: ObjectId, stream: Stream) -> Result<(), WriteError> {
        let plain = !stream.dict.has(b"Filter") && !stream.dict.has(b"F");
        let compress = plain && stream.content.len() >= COMPRESSED_FROM && !stream.dict.has_type(b"Metadata");
        self.write_stream(id, stream.dict, &stream.content, compress)
    }

    fn write_stream(
        &mut self,
        id: ObjectId,
        mut head: Dictionary,
        content: &[u8],
        compress: bool,
    ) -> Result<(), WriteError> {
        let mut compressed = Vec::new();
        if compress {
            let mut encoder = ZlibEncoder::new(&mut compressed, Compression::default());
            encoder.write_all(content)?;
            encoder.finish()?;
            head.set("Filter", "FlateDecode");
            head.remove(b"DecodeParms");
        }
        let content = if compress { &compressed } else { content };
        head.set("Length", objects::count(content.len()));
        self.note(id.0, Place::At(self.position));
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        writeln!(body, "{} 0 obj", id.0)?;
        long_numbers::write_object(&mut body, &Object::Dictionary(head))?;
        body.extend_from_slice(b"\nstream\n");
        self.write(&body)?;
        self.write(content)?;
        self.body = body;
        self.write(b"\nendstream\nendobj\n")
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.position += bytes.len() as u64;
        if self.position > self.limit {
            return Err(WriteError::TooLarge { limit: self.limit });
        }
        self.digest.update(bytes);
        Ok(self.file.write_all(bytes)?)
    }
}
