//! Rewrites what the decoder does not know: palettes, and bytes that begin with their last bit, as some fax programs write them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Cursor;
use std::ops::Range;

use tiff::decoder::Decoder;
use tiff::tags::{ByteOrder, IfdPointer, Tag};
use tiff::{TiffError, TiffResult};

const PALETTE: u16 = 3;
const GREY: u16 = 1;
const LAST_BIT_FIRST: u16 = 2;
/// These have bytes of their own: old and new JPEG.
const JPEG: [u16; 2] = [6, 7];

/// A file that the decoder reads.
pub(super) struct Rewritten<'d> {
    pub(super) data: Cow<'d, [u8]>,
    /// Numbers of the frames whose grey levels are indices of a palette.
    pub(super) palettes: BTreeSet<usize>,
}

pub(super) fn rewrite(data: &[u8], most: usize) -> TiffResult<Rewritten<'_>> {
    let mut decoder = Decoder::new(Cursor::new(data))?;
    let (mut palettes, mut interpretations, mut reversed) = (BTreeSet::new(), Vec::new(), Vec::new());
    for number in 0..most {
        let mut entry = |tag| decoder.find_tag_unsigned::<u16>(tag).ok().flatten();
        let (interpretation, compression) = (entry(Tag::PhotometricInterpretation), entry(Tag::Compression));
        let is_reversed = entry(Tag::FillOrder) == Some(LAST_BIT_FIRST);
        if interpretation == Some(PALETTE) {
            palettes.insert(number);
            interpretations.extend(decoder.ifd_pointer());
        }
        if is_reversed && compression.is_none_or(|number| !JPEG.contains(&number)) {
            reversed.extend(chunks(&mut decoder)?);
        }
        if !decoder.more_images() {
            break;
        }
        decoder.next_image()?;
    }
    let mut data = Cow::Borrowed(data);
    for directory in interpretations {
        let place = interpretation(&data, directory, decoder.byte_order()).ok_or(TiffError::IntSizeError)?;
        let grey = match decoder.byte_order() {
            ByteOrder::LittleEndian => GREY.to_le_bytes(),
            ByteOrder::BigEndian => GREY.to_be_bytes(),
        };
        if let Some(bytes) = data.to_mut().get_mut(place) {
            bytes.copy_from_slice(&grey);
        }
    }
    for range in joined(reversed) {
        if let Some(bytes) = data.to_mut().get_mut(range) {
            bytes.iter_mut().for_each(|byte| *byte = byte.reverse_bits());
        }
    }
    Ok(Rewritten { data, palettes })
}

/// Where the strips or tiles of a frame are.
fn chunks(decoder: &mut Decoder<Cursor<&[u8]>>) -> TiffResult<Vec<Range<usize>>> {
    let mut numbers = |one, other| match decoder.find_tag_unsigned_vec::<u64>(one)? {
        Some(numbers) => Ok(numbers),
        None => decoder.find_tag_unsigned_vec(other).map(Option::unwrap_or_default),
    };
    let starts = numbers(Tag::StripOffsets, Tag::TileOffsets)?;
    let lengths: Vec<u64> = numbers(Tag::StripByteCounts, Tag::TileByteCounts)?;
    let range = |(start, length): (u64, u64)| {
        Ok::<_, TiffError>(usize::try_from(start)?..usize::try_from(start.saturating_add(length))?)
    };
    starts.into_iter().zip(lengths).map(range).collect()
}

/// Every byte once, also where ranges overlap.
fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            Some(_) | None => joined.push(range),
        }
    }
    joined
}

/// Where a directory has its color interpretation. Its entries have 12 bytes, or 20 in a BigTIFF.
fn interpretation(data: &[u8], IfdPointer(directory): IfdPointer, order: ByteOrder) -> Option<Range<usize>> {
    let number = |place: usize| {
        let bytes = data.get(place..place.checked_add(2)?)?.try_into().ok()?;
        Some(match order {
            ByteOrder::LittleEndian => u16::from_le_bytes(bytes),
            ByteOrder::BigEndian => u16::from_be_bytes(bytes),
        })
    };
    let is_big = number(2)? == 43;
    let (count, entry, value) = if is_big { (8, 20, 12) } else { (2, 12, 8) };
    let entries = usize::try_from(directory).ok()?.checked_add(count)?;
    let places = (0..usize::from(u16::MAX)).map(|index| entries + index * entry);
    let mut places = places.take_while(|place| *place < data.len());
    let place = places.find(|place| number(*place) == Some(Tag::PhotometricInterpretation.to_u16()))? + value;
    (place + 2 <= data.len()).then_some(place..place + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_are_joined() {
        assert_eq!(joined(vec![5..9, 0..3, 2..4, 9..10, 6..7]), [0..4, 5..10]);
    }

    #[test]
    fn fuzz_directories_of_tiff() {
        docmill_fuzz::fuzz("tiff", &[], |data| {
            let kept = rewrite(data, 20).map_or(data.len(), |rewritten| rewritten.data.len());
            assert_eq!(kept, data.len());
        });
    }
}
