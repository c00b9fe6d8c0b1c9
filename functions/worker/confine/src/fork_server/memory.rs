//! How a conversion uses memory, learned once from a child that converts the documents of the warm-up.
//!
//! A forked child pays a page fault for each page that it writes or maps. Handling these faults together before the document
//! arrives costs a fraction. Doing so for all memory, instead of what a conversion uses, costs more than it saves.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use serde::{Deserialize, Serialize};

/// A run of pages that a conversion uses in the same way. All children of a helper have the same addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) length: usize,
    pub(crate) usage: Usage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Usage {
    Read,
    /// Written to, and therefore copied.
    Written,
}

/// With a file's page, the kernel also maps surrounding pages that are in memory, within such a block. One page per block is
/// enough.
const MAPPED_AROUND_BYTES: usize = 64 << 10;

/// Bits of an entry in `/proc/PID/pagemap`.
const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const OF_FILE: u64 = 1 << 61;
const EXCLUSIVE: u64 = 1 << 56;
const ENTRY_BYTES: usize = size_of::<u64>();

/// How this recently forked process has used memory.
pub(crate) fn used_by_this_process() -> io::Result<Vec<Span>> {
    let mut used = Vec::new();
    each_mapping(|mapping, pages| {
        let page_bytes = rustix::param::page_size();
        for (number, page) in pages.iter().enumerate() {
            if let Some(usage) = mapping.usage(*page) {
                add(&mut used, Span { start: mapping.start + number * page_bytes, length: page_bytes, usage });
            }
        }
    })?;
    Ok(used)
}

/// Address and length of this process's memory that equals files and can be read from them again.
pub(crate) fn unchanged_mappings() -> io::Result<Vec<(usize, usize)>> {
    let mut unchanged = Vec::new();
    each_mapping(|mapping, pages| {
        let as_in_file = |page: &u64| page & (PRESENT | SWAPPED) == 0 || page & OF_FILE != 0;
        if !mapping.writable && pages.iter().all(as_in_file) {
            unchanged.push((mapping.start, mapping.end - mapping.start));
        }
    })?;
    Ok(unchanged)
}

/// Visits this process's private mappings, each with the page map's entries of its pages.
fn each_mapping(mut look: impl FnMut(&Mapping, &[u64])) -> io::Result<()> {
    let mut page_map = BufReader::new(File::open("/proc/self/pagemap")?);
    // Read first, since allocations in between would change the mappings.
    let maps = std::fs::read("/proc/self/maps")?;
    let mut pages = Vec::new();
    for mapping in maps.lines().map_while(Result::ok).filter_map(|line| Mapping::parse(&line)) {
        let page_bytes = rustix::param::page_size();
        page_map.seek(SeekFrom::Start((mapping.start / page_bytes * ENTRY_BYTES) as u64))?;
        pages.clear();
        for _ in (mapping.start..mapping.end).step_by(page_bytes) {
            let mut entry = [0; ENTRY_BYTES];
            page_map.read_exact(&mut entry)?;
            pages.push(u64::from_ne_bytes(entry));
        }
        look(&mapping, &pages);
    }
    Ok(())
}

/// Extends the last run by the following page, or starts a new run.
fn add(spans: &mut Vec<Span>, page: Span) {
    match (spans.last_mut(), page.usage) {
        (Some(last), Usage::Read) if last.usage == page.usage && around(last.start) == around(page.start) => {}
        (Some(last), Usage::Written) if last.usage == page.usage && last.start + last.length == page.start => {
            last.length += page.length;
        }
        (Some(_) | None, Usage::Read | Usage::Written) => spans.push(page),
    }
}

const fn around(address: usize) -> usize {
    address / MAPPED_AROUND_BYTES
}

/// A line of `/proc/PID/maps`.
struct Mapping {
    start: usize,
    end: usize,
    writable: bool,
}

impl Mapping {
    /// `None` for unreadable and shared mappings, and for the kernel's own pages (`[vvar]`, `[vdso]` and similar).
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let rights = fields.next()?;
        if !rights.starts_with('r') || !rights.ends_with('p') || line.contains("[v") {
            return None;
        }
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        Some(Self { start, end, writable: rights.starts_with("rw") })
    }

    /// The meaning of a page's entry. A page that is still shared with the parent was not written and is already mapped.
    fn usage(&self, entry: u64) -> Option<Usage> {
        let has = |bit| entry & bit != 0;
        match (has(PRESENT), has(OF_FILE)) {
            (true, true) => Some(Usage::Read),
            (true, false) if self.writable && has(EXCLUSIVE) => Some(Usage::Written),
            (true | false, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_were_copied_are_written_and_pages_of_files_are_read() {
        let writable = Mapping::parse("7f0000000000-7f0000002000 rw-p 00000000 00:00 0 [heap]").unwrap();
        assert_eq!((writable.start, writable.end), (0x7f00_0000_0000, 0x7f00_0000_2000));
        assert_eq!(writable.usage(PRESENT | EXCLUSIVE), Some(Usage::Written));
        assert_eq!(writable.usage(PRESENT), None, "still shared with the parent");
        assert_eq!(writable.usage(EXCLUSIVE), None);
        let code = Mapping::parse("00400000-00401000 r-xp 00000000 08:01 1 /bin/x").unwrap();
        assert_eq!(code.usage(PRESENT | OF_FILE), Some(Usage::Read));
        assert_eq!(code.usage(PRESENT | EXCLUSIVE), None, "relocated by the parent, and not writable");
        assert!(Mapping::parse("7f0000000000-7f0000001000 ---p 00000000 00:00 0").is_none());
        assert!(Mapping::parse("7ffe00000000-7ffe00001000 r--p 00000000 00:00 0 [vvar]").is_none());
    }

    #[test]
    fn written_neighbours_are_one_run_and_one_page_of_a_file_stands_for_those_around_it() {
        let page = |start, usage| Span { start, length: 4096, usage };
        let mut spans = Vec::new();
        for (start, usage) in [
            (0, Usage::Written),
            (4096, Usage::Written),
            (12288, Usage::Written),
            (16384, Usage::Read),
            (40960, Usage::Read),
            (65536, Usage::Read),
        ] {
            add(&mut spans, page(start, usage));
        }
        let lengths = spans.iter().map(|span| (span.start, span.length)).collect::<Vec<_>>();
        assert_eq!(lengths, [(0, 8192), (12288, 4096), (16384, 4096), (65536, 4096)]);
    }

    #[test]
    fn what_this_process_wrote_is_found_and_its_code_is_as_in_the_file() {
        let mut written = vec![0_u8; 1 << 20];
        written.fill(7);
        let address = std::hint::black_box(&written).as_ptr().addr() + (1 << 19);
        let code = (used_by_this_process as fn() -> io::Result<Vec<Span>>) as usize;
        let (used, unchanged) = (used_by_this_process().unwrap(), unchanged_mappings().unwrap());
        let holds = |start: usize, length: usize, address| (start..start + length).contains(&address);
        let wrote = |span: &Span| span.usage == Usage::Written && holds(span.start, span.length, address);
        assert!(used.iter().any(wrote));
        assert!(unchanged.iter().any(|(start, length)| holds(*start, *length, code)));
        assert!(!unchanged.iter().any(|(start, length)| holds(*start, *length, address)));
    }
}
