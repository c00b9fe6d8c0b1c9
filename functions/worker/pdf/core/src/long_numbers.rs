//! Numbers as their file writes them. Objects in memory keep some seven digits of a number, and coordinates of maps have more.
//!
//! What is read is remembered by what it is in memory, and written again where that is written. Two numbers that are the same in memory are
//! written as the first of them.

#![allow(clippy::wildcard_enum_match_arm, reason = "only these objects have numbers in them")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use lopdf::{Object, Writer};

/// Most numbers that are remembered, and digits of one.
const MOST: usize = 200_000;
const LONGEST: usize = 32;
/// How much of a file is searched at a time.
const PART: usize = 1 << 20;

type Numbers = HashMap<u32, Box<str>>;

thread_local! {
    /// By their bits in memory. Static, since the loader of documents and their writer know nothing of each other.
    static READ: RefCell<Numbers> = RefCell::default();
}

/// Forgets the numbers of earlier jobs.
pub fn forget() {
    READ.take();
}

/// Remembers the long numbers of a file, except those in streams that are compressed.
///
/// # Errors
/// If the file can't be read.
pub fn of_file(path: &Path) -> io::Result<()> {
    let mut file = File::open(path)?;
    let (mut buffer, mut kept) = (vec![0; PART + 2 * LONGEST], 0);
    loop {
        let room = buffer.get_mut(kept..).unwrap_or_default();
        let read = file.read(room)?;
        let part = buffer.get(..kept + read).unwrap_or_default();
        remember(part);
        if read == 0 {
            return Ok(());
        }
        // A number may lie across the border.
        let tail = part.len().saturating_sub(2 * LONGEST);
        kept = part.len() - tail;
        buffer.copy_within(tail..tail + kept, 0);
    }
}

/// Remembers the long numbers in a text of objects.
pub fn remember(bytes: &[u8]) {
    READ.with_borrow_mut(|numbers| {
        for dot in memchr::memchr_iter(b'.', bytes) {
            if numbers.len() >= MOST {
                return;
            }
            if let Some((number, text)) = long_number(bytes, dot) {
                numbers.entry(number.to_bits()).or_insert_with(|| text.into());
            }
        }
    });
}

/// The number around a decimal point, if memory does not hold all of it.
fn long_number(bytes: &[u8], dot: usize) -> Option<(f32, &str)> {
    let (before, after) = (bytes.get(..dot)?, bytes.get(dot + 1..)?);
    let whole = before.iter().rev().take(LONGEST).take_while(|byte| byte.is_ascii_digit()).count();
    let fraction = after.iter().take(LONGEST).take_while(|byte| byte.is_ascii_digit()).count();
    if whole + fraction < 8 || whole + fraction > LONGEST {
        return None;
    }
    let sign = usize::from(before.get(..dot - whole)?.ends_with(b"-"));
    let start = dot - whole - sign;
    let is_alone =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | b'[' | b']' | b'<' | b'>' | b'/' | b'%');
    if !after.get(fraction).is_some_and(is_alone)
        || !start.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(is_alone)
    {
        return None;
    }
    let text = std::str::from_utf8(bytes.get(start..=dot + fraction)?).ok()?;
    let (short, long) = (text.parse::<f32>().ok()?, text.parse::<f64>().ok()?);
    let is_whole = short.to_string().parse() == Ok(long);
    (!is_whole && short.is_finite()).then_some((short, text))
}

/// Writes an object with its numbers as they were read.
pub(crate) fn write_object(out: &mut Vec<u8>, object: &Object) -> io::Result<()> {
    READ.with_borrow(|numbers| {
        if has_any(object, numbers) { write(out, object, numbers) } else { Writer::write_object(out, object) }
    })
}

/// The nesting is bounded by the parser.
fn has_any(object: &Object, numbers: &Numbers) -> bool {
    match object {
        _ if numbers.is_empty() => false,
        Object::Real(number) => numbers.contains_key(&number.to_bits()),
        Object::Array(parts) => parts.iter().any(|part| has_any(part, numbers)),
        Object::Dictionary(dictionary) => dictionary.iter().any(|(_, value)| has_any(value, numbers)),
        _ => false,
    }
}

fn write(out: &mut Vec<u8>, object: &Object, numbers: &Numbers) -> io::Result<()> {
    match object {
        Object::Real(number) => match numbers.get(&number.to_bits()) {
            Some(text) => out.write_all(text.as_bytes()),
            None => Writer::write_object(out, object),
        },
        Object::Array(parts) => {
            out.push(b'[');
            for part in parts {
                write(out, part, numbers)?;
                out.push(b' ');
            }
            out.push(b']');
            Ok(())
        }
        Object::Dictionary(dictionary) => {
            out.extend_from_slice(b"<<");
            for (key, value) in dictionary {
                Writer::write_object(out, &Object::Name(key.clone()))?;
                out.push(b' ');
                write(out, value, numbers)?;
            }
            out.extend_from_slice(b">>");
            Ok(())
        }
        _ => Writer::write_object(out, object),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::dictionary;

    fn written(object: &Object) -> String {
        let mut out = Vec::new();
        write_object(&mut out, object).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn long_numbers_are_written_as_they_were_read() {
        forget();
        remember(b"<</GPTS[47.123456789 -8.5412345678 1.5 612.00001]/Version(1.23456789.0)/Name/1.234567891x>>");
        let read = |text: &str| Object::Real(text.parse().unwrap());
        let object = dictionary! {
            "GPTS" => vec![read("47.123456789"), read("-8.5412345678"), read("1.5"), read("612.00001")],
            "Other" => vec![read("1.23456789"), 7.into(), "A".into()],
        };
        let text = written(&object.clone().into());
        assert!(text.contains("[47.123456789 -8.5412345678 1.5 612.00001 ]"), "{text}");
        assert!(text.contains("1.2345679 7 /A"), "{text}");
        let file = format!("%PDF-1.7\n1 0 obj\n{text}\nendobj\ntrailer<</Root 1 0 R>>\n");
        let reread = lopdf::Document::load_mem(file.as_bytes()).unwrap();
        let reread = reread.get_dictionary((1, 0)).unwrap();
        assert_eq!(reread.get(b"GPTS").unwrap(), object.get(b"GPTS").unwrap());
        forget();
        assert!(written(&object.into()).contains("[47.123455 -8.541235 1.5 612.0]"));
    }

    #[test]
    fn a_number_across_two_parts_of_a_file_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for shift in 0..LONGEST * 3 {
            let mut bytes = vec![b' '; PART + shift];
            bytes.extend_from_slice(b"[595.27559055]");
            bytes.resize(2 * PART + 5, b' ');
            std::fs::write(file.path(), bytes).unwrap();
            forget();
            of_file(file.path()).unwrap();
            assert_eq!(written(&Object::Real(595.275_6)), "595.27559055", "{shift}");
        }
        forget();
    }
}
