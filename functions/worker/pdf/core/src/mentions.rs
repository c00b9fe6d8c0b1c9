//! Searches files for words that tell whether it is worth reading them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use memchr::memmem;

/// How much of a file is searched at a time, and how long a text that is searched may be, in bytes.
const PART: usize = 256 << 10;
const TEXT: usize = 32;

/// Whether a file has one of these texts, each of at most 32 bytes. It is never in memory as a whole.
///
/// # Errors
/// If the file can't be read.
pub fn mentions(file: &File, texts: &[&[u8]]) -> io::Result<bool> {
    let mut buffer = vec![0; PART + TEXT];
    let mut position = 0;
    loop {
        // Parts overlap, so that a text is whole in one of them.
        let part = match file.read_at(&mut buffer, position)? {
            0 => return Ok(false),
            read => buffer.get(..read).unwrap_or_default(),
        };
        if texts.iter().any(|text| memmem::find(part, text).is_some()) {
            return Ok(true);
        }
        position += part.len().saturating_sub(TEXT).max(1) as u64;
        if part.len() <= TEXT {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn texts_are_found_where_two_parts_meet() {
        for before in [0, 1, PART - 5, PART + TEXT - 1, PART + TEXT, 3 * PART] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&vec![b'/'; before]).unwrap();
            file.write_all(b"/ByteRang").unwrap();
            assert!(!mentions(&file, &[b"/ByteRange"]).unwrap(), "{before}");
            file.write_all(b"e [").unwrap();
            assert!(mentions(&file, &[b"/Other", b"/ByteRange"]).unwrap(), "{before}");
        }
    }
}
