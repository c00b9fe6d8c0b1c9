//! Plain text is converted to UTF-8 before LibreOffice reads it, because LibreOffice treats all older encodings as Western and
//! UTF-16 without a mark as little-endian.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use docmill_domain::job::Warning;
use docmill_engine::Encoding;
use docmill_sniff::charset;
use encoding_rs_io::DecodeReaderBytesBuilder;

/// How much text is used to guess the encoding.
const SAMPLE_BYTES: u64 = 1 << 20;

/// Writes the text in UTF-8 to `target`. Warns if the encoding is a guess. Blocks.
pub(super) fn to_utf8(source: &Path, encoding: Encoding, target: &Path) -> io::Result<Option<Warning>> {
    let mut head = Vec::new();
    File::open(source)?.take(SAMPLE_BYTES).read_to_end(&mut head)?;
    let (encoding, is_guess) = match encoding {
        Encoding::Utf8 => (encoding_rs::UTF_8, false),
        Encoding::Utf16Le => (encoding_rs::UTF_16LE, !head.starts_with(b"\xFF\xFE")),
        Encoding::Utf16Be => (encoding_rs::UTF_16BE, !head.starts_with(b"\xFE\xFF")),
        Encoding::Legacy => (charset::guess_legacy(&head), true),
    };
    let mut text = DecodeReaderBytesBuilder::new().encoding(Some(encoding)).strip_bom(true).build(File::open(source)?);
    let mut target = BufWriter::new(File::create(target)?);
    io::copy(&mut text, &mut target)?;
    target.flush()?;
    Ok(is_guess.then(|| warning(encoding.name())))
}

fn warning(encoding: &str) -> Warning {
    let message = format!("The text does not declare its encoding. It was read as {encoding}.");
    Warning::new("encoding_guessed", message).with_detail(encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(bytes: &[u8], encoding: Encoding) -> (String, Option<String>) {
        let directory = tempfile::tempdir().unwrap();
        let (source, target) = (directory.path().join("source"), directory.path().join("target"));
        std::fs::write(&source, bytes).unwrap();
        let warning = to_utf8(&source, encoding, &target).unwrap();
        (std::fs::read_to_string(&target).unwrap(), warning.and_then(|warning| warning.detail))
    }

    #[test]
    fn texts_of_every_encoding_become_utf_8() {
        let russian = "Привет, мир! Это простой текст.";
        let guessed = |name: &str| Some(name.to_owned());
        let cyrillic = encoding_rs::WINDOWS_1251.encode(russian).0;
        assert_eq!(converted(&cyrillic, Encoding::Legacy), (russian.to_owned(), guessed("windows-1251")));
        let japanese = "これは日本語の文章です。";
        let shift_jis = encoding_rs::SHIFT_JIS.encode(japanese).0;
        assert_eq!(converted(&shift_jis, Encoding::Legacy), (japanese.to_owned(), guessed("Shift_JIS")));
        assert_eq!(converted(b"na\xEFve caf\xE9", Encoding::Legacy).0, "naïve café");
        let big: Vec<u8> = russian.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(converted(&big, Encoding::Utf16Be), (russian.to_owned(), guessed("UTF-16BE")));
        let marked = [b"\xFF\xFE".to_vec(), russian.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat();
        assert_eq!(converted(&marked, Encoding::Utf16Le), (russian.to_owned(), None));
    }
}
