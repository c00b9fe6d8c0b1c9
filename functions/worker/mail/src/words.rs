//! Encoded words in headers (RFC 2047), put right before they are parsed.
//!
//! Many programs split a text into words without regard to its characters, so that a character lies in two words, or leave the
//! padding of base64 out. Each word decoded by itself loses such characters. Neighbours of one charset are joined here, as other
//! readers of mail do. Headers that are neither words nor UTF-8 are decoded here too.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use memchr::memmem;

/// Takes base64 with and without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Longest word that is looked at. Proper ones have 75 bytes.
const MOST_BYTES: usize = 8192;

/// A word with its charset and the bytes of its text.
struct Word<'a> {
    charset: &'a [u8],
    bytes: Vec<u8>,
}

/// The message with joined words in the headers at its beginning. Its body is left alone.
pub(super) fn in_headers(message: &[u8]) -> Cow<'_, [u8]> {
    let end = [b"\n\n".as_slice(), b"\n\r\n"].into_iter().filter_map(|blank| memmem::find(message, blank)).min();
    let (headers, rest) = message.split_at(end.unwrap_or(message.len()));
    let readable = readable(headers);
    match joined(readable.as_deref().unwrap_or(headers)).or(readable) {
        Some(mut headers) => {
            headers.extend_from_slice(rest);
            Cow::Owned(headers)
        }
        None => Cow::Borrowed(message),
    }
}

/// Headers in UTF-8, if they have other bytes: some programs write their system's charset without saying so. All are decoded with the
/// encoding that is most likely.
fn readable(headers: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(headers).is_err().then(|| super::guess(headers).into_bytes())
}

/// An id with what its encoded words say; `None` if it has none. Ids have no blanks.
pub(super) fn in_id(text: &[u8]) -> Option<String> {
    memmem::find(text, b"=?")?;
    let text: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let (mut id, mut rest) = (Vec::with_capacity(text.len()), text.as_slice());
    while let [first, after @ ..] = rest {
        rest = if let Some((word, after)) = word_at(rest) {
            id.extend(word.bytes);
            after
        } else {
            id.push(*first);
            after
        };
    }
    Some(String::from_utf8_lossy(&id).into_owned())
}

/// The bytes of base64 whose padding is missing, of which the parser loses the last ones; `None` if none is missing.
pub(super) fn from_unpadded(text: &[u8]) -> Option<Vec<u8>> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let digits: Vec<u8> = text.iter().copied().filter(is_digit).collect();
    let padding = memchr::memchr_iter(b'=', text).count();
    let lacks = !(digits.len() + padding).is_multiple_of(4);
    lacks.then(|| from_base64(&digits)).flatten().filter(|bytes| !bytes.is_empty())
}

/// The text with each run of words of one charset as one word; `None` if it has no words.
fn joined(text: &[u8]) -> Option<Vec<u8>> {
    memmem::find(text, b"=?")?;
    let mut out = Vec::with_capacity(text.len());
    let mut last: Option<Word<'_>> = None;
    let mut rest = text;
    // Blanks between two words are no part of the text.
    let mut blanks: &[u8] = &[];
    while !rest.is_empty() {
        if let Some((word, after)) = word_at(rest) {
            match &mut last {
                Some(before) if before.charset.eq_ignore_ascii_case(word.charset) => before.bytes.extend(word.bytes),
                _ => {
                    write(&mut out, last.take());
                    out.extend_from_slice(blanks);
                    last = Some(word);
                }
            }
            let length = after.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            (blanks, rest) = after.split_at_checked(length).unwrap_or((&[], after));
        } else {
            write(&mut out, last.take());
            out.extend_from_slice(blanks);
            blanks = &[];
            let length = memmem::find(rest.get(1..).unwrap_or_default(), b"=?").map_or(rest.len(), |at| at + 1);
            let (plain, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            out.extend_from_slice(plain);
            rest = after;
        }
    }
    write(&mut out, last);
    out.extend_from_slice(blanks);
    Some(out)
}

fn write(out: &mut Vec<u8>, word: Option<Word<'_>>) {
    let Some(Word { charset, bytes }) = word else { return };
    out.extend_from_slice(b"=?");
    out.extend_from_slice(charset);
    out.extend_from_slice(b"?B?");
    out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
    out.extend_from_slice(b"?=");
}

/// The word that the text begins with, and what follows it.
fn word_at(text: &[u8]) -> Option<(Word<'_>, &[u8])> {
    let text = text.get(..text.len().min(MOST_BYTES)).zip(Some(text));
    let (near, whole) = text?;
    let inside = near.strip_prefix(b"=?")?;
    let (charset, inside) = split(inside, b'?')?;
    let (encoding, inside) = split(inside, b'?')?;
    let end = memmem::find(inside, b"?=")?;
    let encoded = inside.get(..end)?;
    let is_plain = |byte: &u8| byte.is_ascii_graphic();
    if charset.is_empty() || !charset.iter().all(is_plain) || !encoded.iter().all(is_plain) {
        return None;
    }
    let bytes = match encoding {
        b"B" | b"b" => from_base64(encoded)?,
        b"Q" | b"q" => from_quoted(encoded),
        _ => return None,
    };
    // A language may follow the charset.
    let charset = charset.split(|byte| *byte == b'*').next()?;
    let length = b"=????=".len() + split(near.strip_prefix(b"=?")?, b'?')?.0.len() + encoding.len() + encoded.len();
    Some((Word { charset, bytes }, whole.get(length..)?))
}

fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(at, text)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

fn from_base64(encoded: &[u8]) -> Option<Vec<u8>> {
    // A single digit of a group has no byte.
    let digits = encoded.iter().take_while(|byte| **byte != b'=').count();
    let whole = if digits % 4 == 1 { digits - 1 } else { digits };
    LENIENT.decode(encoded.get(..whole)?).ok()
}

fn from_quoted(encoded: &[u8]) -> Vec<u8> {
    let digit = |at: usize| encoded.get(at).and_then(|digit| char::from(*digit).to_digit(16));
    let (mut bytes, mut at) = (Vec::with_capacity(encoded.len()), 0);
    while let Some(byte) = encoded.get(at) {
        let quoted = digit(at + 1).zip(digit(at + 2)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        match (byte, quoted) {
            (b'=', Some(byte)) => {
                bytes.push(byte);
                at += 3;
                continue;
            }
            (b'_', _) => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
        at += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(header: &str) -> String {
        let message = format!("Subject: {header}\r\n\r\nbody =?utf-8?B?eA?= =?utf-8?B?eA==?=\r\n");
        let put_right = in_headers(message.as_bytes());
        assert!(put_right.ends_with(b"body =?utf-8?B?eA?= =?utf-8?B?eA==?=\r\n"), "the body stays as it is");
        let parsed = mail_parser::MessageParser::default().parse(put_right.as_ref()).unwrap();
        parsed.subject().unwrap_or_default().to_owned()
    }

    /// The expected texts are those of `email.header` of Python.
    #[test]
    fn characters_that_lie_in_two_words_are_whole() {
        for (header, expected) in [
            (
                "=?utf-8?B?5Liq5Lq66YKu566xOuWFs+S6juaYn+acn+S4ieS8muiuruaWh+S7tumZhOS7tuU=?=\r\n =?utf-8?B?kI3lkozkuLvpopg=?=",
                "个人邮箱:关于星期三会议文件附件名和主题",
            ),
            ("=?gb2312?B?u9jAobPJuaa1xL/Nu6c?=\r\n\t=?GB2312?b?tcTTxbvdQUQ?=", "回馈成功的客户的优惠AD"),
            ("=?utf-8?Q?caf=C3?= =?UTF-8?Q?=A9_au_lait?=", "café au lait"),
            ("=?utf-8?Q?=C3?= =?utf-8?B?qSE?=", "é!"),
            ("=?utf-8?Q?a?= =?iso-8859-1?Q?=E9?=", "aé"),
            ("Re: =?utf-8?Q?a?= b =?utf-8?Q?c?=", "Re: a b c"),
            ("=?utf-8*en?Q?a_b?=", "a b"),
            ("=?x?Z?no?= plain", "=?x?Z?no?= plain"),
            ("a =? b", "a =? b"),
        ] {
            assert_eq!(subject(header), expected, "{header}");
        }
    }

    #[test]
    fn headers_in_another_charset_are_readable() {
        let message = b"Subject: Gr\xfc\xdfe aus K\xf6ln =?utf-8?Q?=C3=BC?=\r\n\r\n\xfc";
        let put_right = in_headers(message);
        assert!(put_right.ends_with(b"\r\n\r\n\xfc"), "the body stays as it is");
        let parsed = mail_parser::MessageParser::default().parse(put_right.as_ref()).unwrap();
        assert_eq!(parsed.subject(), Some("Gr\u{fc}\u{df}e aus K\u{f6}ln \u{fc}"));
    }

    #[test]
    fn a_message_without_words_is_not_copied() {
        assert!(matches!(in_headers(b"Subject: plain\n\n=?utf-8?B?eA==?="), Cow::Borrowed(_)));
        assert!(matches!(in_headers(b""), Cow::Borrowed(_)));
    }

    #[test]
    fn ids_in_words_are_whole() {
        assert_eq!(in_id(b" <=?us-ascii?Q?ab?=\r\n =?us-ascii?Q?c@d?=>"), Some("<abc@d>".to_owned()));
        assert_eq!(in_id(b" <abc@d>"), None);
    }

    #[test]
    fn bytes_without_padding_are_whole() {
        assert_eq!(from_unpadded(b"YQ"), Some(b"a".to_vec()));
        assert_eq!(from_unpadded(b"YW\r\nI\r\n"), Some(b"ab".to_vec()));
        for complete in ["", "YQ==", "YWI=", "YWJj"] {
            assert_eq!(from_unpadded(complete.as_bytes()), None, "{complete}");
        }
    }

    #[test]
    fn fuzz_encoded_words() {
        docmill_fuzz::fuzz("mail-words", &["seeds/mail"], |bytes| {
            in_headers(bytes);
            in_id(bytes);
            from_unpadded(bytes);
        });
    }
}
