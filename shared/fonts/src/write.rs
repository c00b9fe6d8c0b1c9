//! Writes a font file: sorted tables with new checksums. Faces of a collection share identical tables.

use std::collections::{BTreeMap, HashMap};

use read_fonts::tables::compute_checksum;

use crate::{FontError, MOST_BYTES};

/// A face's tables by tag, which is their order in a file.
pub(crate) type Tables<'a> = BTreeMap<&'static str, &'a [u8]>;

const DIRECTORY_BYTES: usize = 12;
const RECORD_BYTES: usize = 16;
/// The position of the whole file's checksum in `head`, and the value that the file's sum must have.
const ADJUSTMENT: std::ops::Range<usize> = 8..12;
const SUM_OF_FILE: u32 = 0xB1B0_AFBA;

pub(crate) fn file(faces: &[Tables<'_>]) -> Result<Vec<u8>, FontError> {
    let header = match faces {
        [] => return Err(FontError::Damaged),
        [_] => Vec::new(),
        several => collection_header(several)?,
    };
    let directories: usize = faces.iter().map(directory_bytes).sum();
    let mut file = header;
    let mut position = file.len();
    file.resize(position + directories, 0);
    let mut written = HashMap::new();
    for tables in faces {
        let directory = directory(tables, &mut file, &mut written)?;
        let end = position + directory.len();
        file.get_mut(position..end).ok_or(FontError::Damaged)?.copy_from_slice(&directory);
        position = end;
    }
    if let [tables] = faces {
        adjust(&mut file, tables);
    }
    Ok(file)
}

fn directory_bytes(tables: &Tables<'_>) -> usize {
    DIRECTORY_BYTES + RECORD_BYTES * tables.len()
}

fn collection_header(faces: &[Tables<'_>]) -> Result<Vec<u8>, FontError> {
    let mut header = b"ttcf\0\x01\0\0".to_vec();
    header.extend(number(faces.len())?);
    let mut position = header.len() + 4 * faces.len();
    for tables in faces {
        header.extend(number(position)?);
        position += directory_bytes(tables);
    }
    Ok(header)
}

/// A face's table directory. Tables that are not in the file yet are appended.
fn directory<'a>(
    tables: &Tables<'a>,
    file: &mut Vec<u8>,
    written: &mut HashMap<&'a [u8], usize>,
) -> Result<Vec<u8>, FontError> {
    let kind: [u8; 4] = if tables.contains_key("glyf") { [0, 1, 0, 0] } else { *b"OTTO" };
    let count = u16::try_from(tables.len()).map_err(|_| FontError::Damaged)?;
    let power = count.checked_ilog2().unwrap_or(0);
    let range = 16u16 << power;
    let mut directory = kind.to_vec();
    for field in [count, range, u16::try_from(power).unwrap_or(0), (16 * count).saturating_sub(range)] {
        directory.extend(field.to_be_bytes());
    }
    for (tag, table) in tables {
        let offset = match written.get(table) {
            Some(offset) => *offset,
            None => {
                let offset = append(file, tag, table)?;
                written.insert(table, offset);
                offset
            }
        };
        let end = offset + table.len();
        let checksum = compute_checksum(file.get(offset..end).unwrap_or_default());
        directory.extend_from_slice(tag.as_bytes());
        directory.extend(checksum.to_be_bytes());
        directory.extend(number(offset)?);
        directory.extend(number(table.len())?);
    }
    Ok(directory)
}

fn append(file: &mut Vec<u8>, tag: &str, table: &[u8]) -> Result<usize, FontError> {
    let offset = file.len();
    // Several entries may name parts of the same table.
    if offset + table.len() > MOST_BYTES {
        return Err(FontError::TooLarge);
    }
    file.extend_from_slice(table);
    if tag == "head"
        && let Some(adjustment) = file.get_mut(offset..).and_then(|head| head.get_mut(ADJUSTMENT))
    {
        adjustment.fill(0);
    }
    file.resize(file.len().next_multiple_of(4), 0);
    Ok(offset)
}

/// Sets the checksum of the whole file. Collections have none.
fn adjust(file: &mut [u8], tables: &Tables<'_>) {
    let sum = SUM_OF_FILE.wrapping_sub(compute_checksum(file));
    let before = tables.range(..="head").map(|(_, table)| table.len());
    let lengths: Vec<_> = before.collect();
    let Some((_, others)) = lengths.split_last().filter(|_| tables.contains_key("head")) else { return };
    let start = directory_bytes(tables) + others.iter().map(|length| length.next_multiple_of(4)).sum::<usize>();
    if let Some(adjustment) = file.get_mut(start..).and_then(|head| head.get_mut(ADJUSTMENT)) {
        adjustment.copy_from_slice(&sum.to_be_bytes());
    }
}

fn number(value: usize) -> Result<[u8; 4], FontError> {
    u32::try_from(value).map(u32::to_be_bytes).map_err(|_| FontError::TooLarge)
}
