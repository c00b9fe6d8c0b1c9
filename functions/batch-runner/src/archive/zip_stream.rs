//! A ZIP that is written from beginning to end, and taken away piece by piece.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use docmill_domain::job::Output;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

/// Longer entries need fields that some old readers don't know.
const LONG: u64 = 4_000_000_000;

/// Text is compressed well, and everything else, which is compressed already, fast. Entries are not stored as they are: readers that
/// don't look at the end first accept these only if their sizes come before them.
const PLAIN: [&str; 9] = ["html", "txt", "md", "csv", "json", "xml", "svg", "rtf", "eml"];

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn with<T>(&self, use_it: impl FnOnce(&mut Vec<u8>) -> T) -> io::Result<T> {
        self.0.lock().map(|mut bytes| use_it(&mut bytes)).map_err(|_| io::Error::other("an earlier write has panicked"))
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|buffer| buffer.extend_from_slice(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) struct ZipStream {
    zip: ZipWriter<StreamWriter<Buffer>>,
    buffer: Buffer,
}

impl ZipStream {
    pub(super) fn new() -> Self {
        let buffer = Buffer::default();
        Self { zip: ZipWriter::new_stream(buffer.clone()), buffer }
    }

    /// Begins an entry. Times are fixed, so that equal results have equal archives.
    pub(super) fn begin(&mut self, name: &str, output: &Output) -> Result<(), ZipError> {
        let level = if PLAIN.contains(&output.format.as_str()) { 6 } else { 1 };
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        self.zip.start_file(name, options.compression_level(Some(level)).large_file(output.bytes > LONG))
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.zip.write_all(bytes)
    }

    /// What was written since it was last taken, if that is so much.
    pub(super) fn take(&mut self, at_least: usize) -> io::Result<Option<Vec<u8>>> {
        self.buffer.with(|buffer| (buffer.len() >= at_least).then(|| std::mem::take(buffer)))
    }

    /// The rest.
    pub(super) fn finish(self) -> Result<Vec<u8>, ZipError> {
        self.zip.finish()?;
        Ok(self.buffer.with(std::mem::take)?)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::*;

    fn output(format: &str, bytes: usize) -> Output {
        serde_json::from_value(serde_json::json!({
            "format": format, "contentType": "x/y", "bytes": bytes, "sha256": "00", "filename": format!("a.{format}"),
        }))
        .unwrap()
    }

    #[test]
    fn what_is_taken_piece_by_piece_is_a_zip() {
        let mut zip = ZipStream::new();
        let text = "word ".repeat(20_000);
        let mut state = 1_u32;
        let noise = (0..200_000).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        });
        let noise: Vec<u8> = noise.collect();
        let mut taken = Vec::new();
        zip.begin("a.txt", &output("txt", text.len())).unwrap();
        zip.write(text.as_bytes()).unwrap();
        zip.begin("ü.pdf", &output("pdf", noise.len())).unwrap();
        for piece in noise.chunks(50_000) {
            zip.write(piece).unwrap();
            taken.extend(zip.take(60_000).unwrap().unwrap_or_default());
        }
        assert!(taken.len() > 60_000, "it is not kept until the end");
        taken.extend(zip.finish().unwrap());
        let mut read = zip::ZipArchive::new(Cursor::new(taken)).unwrap();
        let mut content = Vec::new();
        read.by_name("a.txt").unwrap().read_to_end(&mut content).unwrap();
        assert_eq!(content, text.as_bytes());
        assert!(read.by_name("a.txt").unwrap().compressed_size() < 2000);
        let mut content = Vec::new();
        let mut entry = read.by_name("ü.pdf").unwrap();
        entry.read_to_end(&mut content).unwrap();
        assert_eq!(content, noise);
        assert!(entry.compressed_size() < 220_000, "{}", entry.compressed_size());
    }
}
