//! Decodes text from the web: a byte order mark takes precedence, then the server's declaration, then the document's.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_8859_4, UTF_8, WINDOWS_1252};

/// Only declarations in a document's first bytes count (the HTML standard's prescan).
const PRESCAN_BYTES: usize = 1024;

/// How many non-ASCII letters must look Baltic.
const BALTIC_LETTERS: usize = 8;

/// Decodes a page or a stylesheet (`@charset "…"` is read like `charset=…`).
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    let declared = content_type.and_then(|value| charset_after("charset", value.as_bytes()));
    let encoding = declared.or_else(|| in_document(bytes)).unwrap_or_else(|| guess(bytes));
    // The decoder handles byte order marks.
    encoding.decode(bytes).0.into_owned()
}

fn in_document(bytes: &[u8]) -> Option<&'static Encoding> {
    let encoding = charset_after("charset", bytes.get(..PRESCAN_BYTES).unwrap_or(bytes))?;
    // A declaration that was read as ASCII can't be in UTF-16 (the standard agrees).
    Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

/// The most likely encoding of undeclared text, judged by its letters.
fn guess(bytes: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { guess_legacy(bytes) }
}

/// The same for text that is not UTF-8.
pub fn guess_legacy(bytes: &[u8]) -> &'static Encoding {
    // Text files have no scripts that escape sequences could hide.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let guessed = detector.guess(None, Utf8Detection::Deny);
    // The detector guesses this from a single accented letter, but it was rarely used: require more letters.
    let is_short = || bytes.iter().filter(|byte| !byte.is_ascii()).take(BALTIC_LETTERS).count() < BALTIC_LETTERS;
    if guessed == ISO_8859_4 && is_short() { WINDOWS_1252 } else { guessed }
}

/// The first usable name after `word`, as in `charset=x`, `charset = "x"` and `@charset "x"`.
fn charset_after(word: &str, bytes: &[u8]) -> Option<&'static Encoding> {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    text.match_indices(word).find_map(|(at, _)| {
        let rest = text[at + word.len()..].trim_start_matches([' ', '\t', '\n', '\r', '=', '"', '\'']);
        let label = rest.split(|letter: char| !(letter.is_ascii_alphanumeric() || "-_:".contains(letter))).next()?;
        Encoding::for_label(label.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_apply_in_their_order() {
        let cases: [(&[u8], Option<&str>, &str); 11] = [
            (b"\xef\xbb\xbf\xc3\xa9", Some("text/html; charset=iso-8859-1"), "é"),
            (b"\xff\xfeA\x00", Some("text/html"), "A"),
            (b"\xe9", Some("text/html; charset=ISO-8859-1"), "é"),
            (b"\x93\xfa", Some("text/html; charset=\"shift_jis\""), "日"),
            (b"<meta charset=windows-1251>\xdf", None, "<meta charset=windows-1251>Я"),
            (b"@charset \"koi8-r\";\xf1", Some("text/css"), "@charset \"koi8-r\";Я"),
            (b"<meta charset=nonsense>\xc3\xa9", None, "<meta charset=nonsense>é"),
            (b"<meta charset=utf-16>\xc3\xa9", None, "<meta charset=utf-16>é"),
            (b"plain \xe9", None, "plain é"),
            (b"na\xefve caf\xe9", None, "naïve café"),
            (b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0", None, "Привет, мир"),
        ];
        for (bytes, content_type, expected) in cases {
            assert_eq!(decode(bytes, content_type), expected);
        }
    }

    #[test]
    fn few_accented_letters_are_western_and_many_may_be_baltic() {
        // ISO-8859-4: `š`, `ž`, `ā`, `ē`, `ī`, `ū`, `ļ`, `ņ`, `ķ`, `ģ`, `č`.
        let latvian = b"Visi cilv\xbaki piedzimst br\xefvi un vienl\xefdz\xefgi sav\xe0 pa\xb9cie\xf1\xe0 un ties\xefb\xe0s. \
            Vi\xf1i ir apvelt\xefti ar sapr\xe0tu un sirdsapzi\xf1u, un vi\xf1iem j\xe0izturas citam pret citu br\xe0l\xefbas gar\xe0.";
        assert!(decode(latvian, None).contains("brīvi un vienlīdzīgi savā pašcieņā"), "{}", decode(latvian, None));
        let french = b"Tous les \xeatres humains naissent libres et \xe9gaux en dignit\xe9 et en droits. Ils sont dou\xe9s de \
            raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternit\xe9. \xc0 bient\xf4t, na\xefve.";
        assert!(decode(french, None).contains("Tous les êtres humains naissent libres et égaux"));
    }

    #[test]
    fn fuzz_encodings() {
        docmill_fuzz::fuzz("charset", &[], |bytes| {
            let (media_type, page) = bytes.split_at(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0));
            decode(page, str::from_utf8(media_type).ok());
        });
    }
}
