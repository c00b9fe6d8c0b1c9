//! Plain text: whether a file is text, its encoding, and its columns.

use std::io::{self, Read};

use docmill_engine::Encoding;

/// In UTF-16, this many bytes of text contain a space or line break.
const LONGEST_LINE: usize = 256;

/// A text has at most one unusual control character in this many bytes, as in database exports. Random bytes have ten.
const STRAY: usize = 100;

/// Reads a whole text. `None` if it contains zeros, or too many control characters that are unusual in text.
pub(super) fn encoding(mut reader: impl Read) -> io::Result<Option<Encoding>> {
    let mut buffer = vec![0; 1 << 16];
    let mut filled = fill(&mut reader, &mut buffer)?;
    let head = buffer.get(..filled).unwrap_or_default();
    let mut scan = match begins(head) {
        Some(scan) => scan,
        None => return Ok(None),
    };
    let (mut strays, mut length) = (0, 0);
    while filled > 0 {
        match scan.strays(buffer.get(..filled).unwrap_or_default()) {
            Some(more) => strays += more,
            None => return Ok(None),
        }
        length += filled;
        filled = fill(&mut reader, &mut buffer)?;
    }
    Ok((strays <= length / STRAY).then(|| scan.encoding()))
}

/// The beginning of a text, decoded as well as possible.
pub(super) fn decode(head: &[u8], encoding: Encoding) -> String {
    let encoding = match encoding {
        Encoding::Utf8 => encoding_rs::UTF_8,
        Encoding::Utf16Le => encoding_rs::UTF_16LE,
        Encoding::Utf16Be => encoding_rs::UTF_16BE,
        Encoding::Legacy => encoding_rs::WINDOWS_1252,
    };
    encoding.decode(head).0.into_owned()
}

/// The separator of columns, if the first lines agree on one. Prose often has one comma per line, so two are required.
pub(super) fn delimiter(head: &str) -> Option<char> {
    let lines: Vec<&str> = head.lines().filter(|line| !line.trim().is_empty()).take(20).collect();
    // The last line may be cut off.
    let lines = lines.split_last().map(|(_, rest)| rest).filter(|rest| rest.len() >= 2)?;
    [('\t', 1), (',', 2), (';', 2)].into_iter().find_map(|(delimiter, least)| {
        let mut counts = lines.iter().map(|line| unquoted(line, delimiter));
        let first = counts.next()?;
        (first >= least && counts.all(|count| count == first)).then_some(delimiter)
    })
}

fn unquoted(line: &str, delimiter: char) -> usize {
    let mut quoted = false;
    let mut count = 0;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            _ if character == delimiter && !quoted => count += 1,
            _ => {}
        }
    }
    count
}

/// Fills the buffer as far as possible, so that chunks have an even size for UTF-16.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest)? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

enum Scan {
    Utf16 {
        little: bool,
    },
    /// With the first bytes of a character that continues in the next chunk.
    Bytes {
        utf8: bool,
        carry: Vec<u8>,
    },
}

/// `None` for UTF-32, which is not used in practice, and for zeros that UTF-16 would not have there.
fn begins(head: &[u8]) -> Option<Scan> {
    if head.starts_with(b"\xFF\xFE\0\0") || head.starts_with(b"\0\0\xFE\xFF") {
        return None;
    }
    if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") {
        return Some(Scan::Utf16 { little: head.starts_with(b"\xFF\xFE") });
    }
    let zeros = |parity: usize| head.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    // UTF-16 without a mark shows by its zeros, which all have the same parity: every other byte in Western text, or only spaces
    // and line ends in others.
    match (zeros(0), zeros(1)) {
        (0, 0) => Some(Scan::Bytes { utf8: true, carry: Vec::new() }),
        (0, odd) if odd * LONGEST_LINE > head.len() => Some(Scan::Utf16 { little: true }),
        (even, 0) if even * LONGEST_LINE > head.len() => Some(Scan::Utf16 { little: false }),
        _ => None,
    }
}

impl Scan {
    /// How many stray control characters the chunk has. None if it is no text.
    fn strays(&mut self, chunk: &[u8]) -> Option<usize> {
        match self {
            Self::Utf16 { little } => {
                let (units, rest) = chunk.as_chunks::<2>();
                let from_bytes = if *little { u16::from_le_bytes } else { u16::from_be_bytes };
                let units = units.iter().map(|unit| from_bytes(*unit));
                let is_unit = |unit: u16| unit != 0 && unit < 0xfffe;
                (rest.is_empty() && units.clone().all(is_unit))
                    .then(|| units.filter(|unit| u8::try_from(*unit).is_ok_and(is_stray)).count())
            }
            Self::Bytes { utf8, carry } => {
                if *utf8 {
                    *utf8 = continues_utf8(carry, chunk);
                }
                (!chunk.contains(&0)).then(|| chunk.iter().filter(|byte| is_stray(**byte)).count())
            }
        }
    }

    fn encoding(self) -> Encoding {
        match self {
            Self::Utf16 { little: true } => Encoding::Utf16Le,
            Self::Utf16 { little: false } => Encoding::Utf16Be,
            Self::Bytes { utf8: true, carry } if carry.is_empty() => Encoding::Utf8,
            Self::Bytes { .. } => Encoding::Legacy,
        }
    }
}

/// Whether `carry` followed by `chunk` is UTF-8. Leaves an incomplete last character in `carry`.
fn continues_utf8(carry: &mut Vec<u8>, chunk: &[u8]) -> bool {
    let joined =
        if carry.is_empty() { std::borrow::Cow::Borrowed(chunk) } else { [carry.as_slice(), chunk].concat().into() };
    match std::str::from_utf8(&joined) {
        Ok(_) => {
            carry.clear();
            true
        }
        Err(error) => {
            let rest = joined.get(error.valid_up_to()..).unwrap_or_default().to_vec();
            *carry = rest;
            error.error_len().is_none()
        }
    }
}

/// Control characters other than the usual ones: white space, form feeds, backspaces, terminal escapes, DOS's end of file, and
/// deletions, which XML allows.
fn is_stray(byte: u8) -> bool {
    !matches!(byte, 8..=13 | 26 | 27 | 32..)
}
