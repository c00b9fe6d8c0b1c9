//! Reading plain text: LibreOffice must be told what a document in a format of its own says itself.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::sniff::Encoding;

/// How much of a file its separator is guessed from.
const SAMPLE_BYTES: u64 = 64 * 1024;

/// What separates the fields of a file whose name doesn't say.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// LibreOffice's name and number (`rtl_TextEncoding`) of an encoding. An unknown older one is taken for the one that most
/// such files are in, and in which every byte means something.
const fn charset(encoding: Encoding) -> (&'static str, u16) {
    match encoding {
        Encoding::Utf8 => ("UTF8", 76),
        Encoding::Utf16Le | Encoding::Utf16Be => ("UNICODE", 65535),
        Encoding::Legacy => ("MS_1252", 1),
    }
}

/// The import filter of plain text: name and options.
pub(super) fn text_filter(encoding: Encoding) -> (&'static str, String) {
    ("Text (encoded)", format!("{},LF,,,", charset(encoding).0))
}

/// The import filter of separated values.
pub(super) fn table_filter(separator: u8, encoding: Encoding) -> (&'static str, String) {
    // Separator, quotation mark, character set, first line, columns, language (English), quoted fields are text,
    // numbers and dates are recognised.
    ("Text - txt - csv (StarCalc)", format!("{separator},34,{},1,,1033,true,true", charset(encoding).1))
}

/// The separator that stands most often outside quotation marks in the first lines.
pub(super) fn guess_separator(path: &Path) -> io::Result<u8> {
    let mut sample = Vec::new();
    File::open(path)?.take(SAMPLE_BYTES).read_to_end(&mut sample)?;
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut quoted = false;
    for byte in sample {
        quoted ^= byte == b'"';
        if let Some(index) = SEPARATORS.iter().position(|separator| !quoted && *separator == byte) {
            counts[index] += 1;
        }
    }
    // The first of equals wins, so that a file of one column has the separator of its name.
    let (best, _) = counts.iter().enumerate().rev().max_by_key(|(_, count)| **count).unwrap_or((0, &0));
    Ok(SEPARATORS[best])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(content: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        file
    }

    #[test]
    fn the_separator_is_guessed_outside_quotation_marks() {
        let guess = |content: &str| guess_separator(file(content.as_bytes()).path()).unwrap();
        assert_eq!(guess("a,b\n1,2\n"), b',');
        assert_eq!(guess("a;b\n\"1,2,3,4\";5\n"), b';');
        assert_eq!(guess("one column\n"), b',');
        assert_eq!(guess("a|b|c"), b'|');
    }

    #[test]
    fn the_character_set_is_told() {
        assert_eq!(table_filter(b'\t', Encoding::Utf8).1, "9,34,76,1,,1033,true,true");
        assert_eq!(table_filter(b',', Encoding::Utf16Le).1, "44,34,65535,1,,1033,true,true");
        assert_eq!(text_filter(Encoding::Legacy).1, "MS_1252,LF,,,");
    }

    #[test]
    fn fuzz_tables() {
        docmill_fuzz::fuzz("tables", &[], |bytes| {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("table.csv");
            std::fs::write(&path, bytes).unwrap();
            guess_separator(&path).unwrap();
        });
    }
}
