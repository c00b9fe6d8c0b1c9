//! Deflated data, however damaged.

use flate2::{Decompress, FlushDecompress, Status};

use super::Condition;

/// How much the result grows at a time.
const PART: usize = 64 << 10;

/// What data inflates to. `None` if that is more than `most` bytes.
pub(super) fn inflate(packed: &[u8], most: usize) -> Option<(Vec<u8>, Condition)> {
    if packed.is_empty() {
        return Some((Vec::new(), Condition::Sound));
    }
    let (bytes, ended) = run(packed, true, most)?;
    if ended {
        return Some((bytes, Condition::Sound));
    }
    // The data may follow an end of line that belongs to the keyword `stream`.
    let blank = packed.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let head = [0, blank].into_iter().find(|start| has_head(packed.get(*start..).unwrap_or_default()));
    // A head may be wrong, or missing.
    let starts = head.map_or([2, 0], |head| [head + 2; 2]);
    let mut best = (bytes, false);
    for start in starts {
        let (bytes, ended) = run(packed.get(start..).unwrap_or_default(), false, most)?;
        if (ended, bytes.len()) > (best.1, best.0.len()) {
            best = (bytes, ended);
        }
    }
    let (bytes, ended) = best;
    Some((bytes, if ended { Condition::Whole } else { Condition::Cut }))
}

/// Whether data begins as zlib's does.
fn has_head(packed: &[u8]) -> bool {
    let [method, flags, ..] = *packed else { return false };
    method & 0x0f == 8 && method >> 4 <= 7 && u16::from_be_bytes([method, flags]) % 31 == 0
}

/// Inflates as far as possible, and says whether the data came to its end. `None` beyond `most` bytes.
fn run(packed: &[u8], has_head: bool, most: usize) -> Option<(Vec<u8>, bool)> {
    let mut inflater = Decompress::new(has_head);
    let mut bytes = Vec::with_capacity(packed.len().saturating_mul(2).min(most).min(PART));
    loop {
        if bytes.len() > most {
            return None;
        }
        if bytes.len() == bytes.capacity() {
            bytes.reserve(bytes.len().clamp(PART, 16 * PART).min(most - bytes.len() + 1));
        }
        let taken = usize::try_from(inflater.total_in()).ok()?;
        let before = bytes.len();
        let rest = packed.get(taken..).unwrap_or_default();
        match inflater.decompress_vec(rest, &mut bytes, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return (bytes.len() <= most).then_some((bytes, true)),
            Ok(Status::Ok | Status::BufError) => {
                let is_stuck = bytes.len() == before && usize::try_from(inflater.total_in()).ok()? == taken;
                if is_stuck && bytes.len() < bytes.capacity() {
                    return Some((bytes, false));
                }
            }
            Err(_) => return (bytes.len() <= most).then_some((bytes, false)),
        }
    }
}
