//! Sections of the cross-reference table: as text, as a stream, or both.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Object};

use super::Broken;
use super::syntax::{Data, Parser};

/// The most bytes that a cross-reference stream may unpack to.
const UNPACKED_BYTES: usize = 64 << 20;

/// Where an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Free,
    At { offset: usize, generation: u16 },
    Packed { container: u32, index: usize },
}

/// One section with its trailer.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) start: usize,
    /// After the trailer, or after the stream.
    pub(crate) end: usize,
    pub(crate) entries: BTreeMap<u32, Entry>,
    pub(crate) trailer: Dictionary,
    /// Where the section before it begins.
    pub(crate) previous: Option<usize>,
    /// Where the stream is that completes a table for newer readers.
    pub(crate) hybrid: Option<usize>,
}

impl Section {
    /// Reads the section that begins here.
    pub(crate) fn read(bytes: &[u8], start: usize) -> Result<Self, Broken> {
        let mut parser = Parser::new(bytes, start);
        if parser.keyword(b"xref") { Self::table(bytes, start, parser) } else { Self::stream(bytes, start) }
    }

    fn table(bytes: &[u8], start: usize, mut parser: Parser<'_>) -> Result<Self, Broken> {
        let mut entries = BTreeMap::new();
        while !parser.keyword(b"trailer") {
            let (first, count) = (parser.number()?, parser.number()?);
            for number in first..first.saturating_add(count) {
                let (offset, generation) = (parser.number()?, parser.number()?);
                let used = parser.keyword(b"n");
                if !used && !parser.keyword(b"f") {
                    return Err(Broken("a line of the cross-reference table can't be read"));
                }
                let entry = if used && offset > 0 { at(offset, generation)? } else { Entry::Free };
                insert(&mut entries, number, entry)?;
            }
        }
        let Object::Dictionary(trailer) = parser.object(0)? else { return Err(Broken("a trailer is no dictionary")) };
        let previous = offset_of(&trailer, b"Prev")?;
        let hybrid = offset_of(&trailer, b"XRefStm")?;
        let mut section = Self { start, end: parser.at, entries, trailer, previous, hybrid };
        if let Some(hybrid) = hybrid {
            section.complete(&Self::stream(bytes, hybrid)?)?;
        }
        Ok(section)
    }

    /// Adds the entries of a stream that the table hides. Both must not say different things.
    fn complete(&mut self, stream: &Self) -> Result<(), Broken> {
        for (number, entry) in &stream.entries {
            let known = self.entries.entry(*number).or_insert(*entry);
            if *known == Entry::Free {
                *known = *entry;
            }
            if *known != *entry && *entry != Entry::Free {
                return Err(Broken("a hybrid cross-reference table contradicts itself"));
            }
        }
        Ok(())
    }

    fn stream(bytes: &[u8], start: usize) -> Result<Self, Broken> {
        let mut parser = Parser::new(bytes, start);
        let read = parser.indirect(Data::Copied, &|_| None)?;
        let Object::Stream(stream) = read.object else { return Err(Broken("there is no cross-reference table")) };
        if !stream.dict.has_type(b"XRef") {
            return Err(Broken("there is no cross-reference table"));
        }
        let content = if stream.dict.has(b"Filter") {
            let unpacked = stream.decompressed_content_with_limit(UNPACKED_BYTES);
            unpacked.map_err(|_| Broken("a cross-reference stream can't be unpacked"))?
        } else {
            stream.content
        };
        let entries = rows(&stream.dict, &content)?;
        let previous = offset_of(&stream.dict, b"Prev")?;
        Ok(Self { start, end: read.end, entries, trailer: stream.dict, previous, hybrid: None })
    }
}

/// The entries of a cross-reference stream.
fn rows(dict: &Dictionary, content: &[u8]) -> Result<BTreeMap<u32, Entry>, Broken> {
    let wrong = Broken("a cross-reference stream can't be read");
    let widths = numbers(dict, b"W").ok_or(wrong)?;
    let [kind, second, third] = <[usize; 3]>::try_from(widths).map_err(|_| wrong)?;
    if kind > 8 || second > 8 || third > 8 || kind + second + third == 0 {
        return Err(wrong);
    }
    let size = dict.get(b"Size").and_then(Object::as_i64).ok().and_then(|size| usize::try_from(size).ok());
    let index = if dict.has(b"Index") { numbers(dict, b"Index").ok_or(wrong)? } else { vec![0, size.ok_or(wrong)?] };
    let mut rows = content.chunks_exact(kind + second + third);
    let mut entries = BTreeMap::new();
    for range in index.chunks(2) {
        let &[first, count] = range else { return Err(wrong) };
        for number in first..first.saturating_add(count) {
            let row = rows.next().ok_or(wrong)?;
            let (first, rest) = row.split_at(kind);
            let (second, third) = rest.split_at(second);
            let entry = match if first.is_empty() { 1 } else { big_endian(first) } {
                0 => Entry::Free,
                1 => at(big_endian(second), big_endian(third))?,
                2 => Entry::Packed {
                    container: u32::try_from(big_endian(second)).map_err(|_| wrong)?,
                    index: usize::try_from(big_endian(third)).map_err(|_| wrong)?,
                },
                _ => return Err(wrong),
            };
            insert(&mut entries, number as u64, entry)?;
        }
    }
    Ok(entries)
}

fn insert(entries: &mut BTreeMap<u32, Entry>, number: u64, entry: Entry) -> Result<(), Broken> {
    let number = u32::try_from(number).map_err(|_| Broken("an object's number is too large"))?;
    match entries.insert(number, entry) {
        None => Ok(()),
        Some(_) => Err(Broken("the cross-reference table has an object twice")),
    }
}

fn at(offset: u64, generation: u64) -> Result<Entry, Broken> {
    let offset = usize::try_from(offset).map_err(|_| Broken("an offset is too large"))?;
    let generation = u16::try_from(generation).map_err(|_| Broken("a generation is too large"))?;
    Ok(Entry::At { offset, generation })
}

fn offset_of(dict: &Dictionary, key: &[u8]) -> Result<Option<usize>, Broken> {
    let Ok(value) = dict.get(key) else { return Ok(None) };
    let offset = value.as_i64().ok().and_then(|offset| usize::try_from(offset).ok());
    offset.map(Some).ok_or(Broken("a trailer has an offset that is no number"))
}

fn numbers(dict: &Dictionary, key: &[u8]) -> Option<Vec<usize>> {
    let list = dict.get(key).and_then(Object::as_array).ok()?;
    list.iter().map(|number| usize::try_from(number.as_i64().ok()?).ok()).collect()
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
