//! The file that is signed, as bytes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use docmill_confine::scratch;
use docmill_engine::Failure;
use docmill_pdf_signatures::make::Algorithm;

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;
/// The largest gap.
const MOST_GAP: u64 = 1 << 20;

/// A copy of the file, and the digest of all its bytes but the gap.
pub(crate) struct Copied {
    pub(crate) file: File,
    pub(crate) digest: Vec<u8>,
}

/// Copies the file that a child has written, so that the child can't change it any more, and digests it.
pub(crate) fn copy(from: &Path, to: &Path, gap: &Range<u64>, algorithm: Algorithm) -> Result<Copied, Failure> {
    let copied = || -> io::Result<Option<Copied>> {
        let mut from = scratch::open_written(from)?;
        let bytes = from.metadata()?.len();
        if gap.start >= gap.end || gap.end > bytes || gap.end - gap.start > MOST_GAP {
            return Ok(None);
        }
        let mut to = File::options().read(true).write(true).create_new(true).open(to)?;
        let mut digest = algorithm.digest();
        piece(&mut from, &mut to, gap.start, |part| digest.update(part))?;
        let mut is_empty = true;
        let (mut at, last) = (gap.start, gap.end - 1);
        piece(&mut from, &mut to, gap.end - gap.start, |part| {
            for byte in part {
                let expected = if at == gap.start {
                    b'<'
                } else if at == last {
                    b'>'
                } else {
                    b'0'
                };
                is_empty &= *byte == expected;
                at += 1;
            }
        })?;
        piece(&mut from, &mut to, bytes - gap.end, |part| digest.update(part))?;
        Ok(is_empty.then(|| Copied { file: to, digest: digest.finish().as_ref().to_vec() }))
    };
    let copied = copied().map_err(|error| Failure::internal(format!("copying what is signed: {}", error.kind())))?;
    copied.ok_or_else(|| Failure::internal("a prepared file has no gap where it says"))
}

/// Copies this many bytes.
fn piece(from: &mut File, to: &mut File, bytes: u64, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let mut left = bytes;
    let mut buffer = vec![0; PIECE];
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
        let part = buffer.get_mut(..most).unwrap_or_default();
        from.read_exact(part)?;
        each(part);
        to.write_all(part)?;
        left -= most as u64;
    }
    Ok(())
}

/// Writes the signature into the gap.
pub(crate) fn write(file: &mut File, at: u64, filled: &[u8]) -> Result<(), Failure> {
    let mut written = || {
        file.seek(SeekFrom::Start(at))?;
        file.write_all(filled)?;
        file.flush()
    };
    written().map_err(|error: io::Error| Failure::internal(format!("writing a signature: {}", error.kind())))
}
