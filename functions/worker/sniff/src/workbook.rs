//! The text of a workbook's cells. Cells share strings, so that a small file can show any amount of text.

use std::io::Read;
use std::path::Path;

use docmill_domain::job::JobErrorCode;
use docmill_engine::Failure;
use docmill_package::{Disk, Limits, Package};

use super::package;
use super::xml::{self, Doctypes, Next, Piece};

/// Most text of all cells, in bytes: the pages that a result may have hold a quarter of it. LibreOffice needs seconds for as much.
const TEXT_BYTES: u64 = 64 << 20;

/// Fails with `source_too_large` if the shared strings, or the cells that show them, unpack to too much text.
pub(super) fn check(path: &Path, limits: Limits) -> Result<(), Failure> {
    let mut package = package::open(path, limits)?;
    let most = TEXT_BYTES.min(limits.unpacked_bytes);
    let Some(strings) = package.related("sharedStrings").into_iter().next() else { return Ok(()) };
    let lengths = shared_strings(&mut package, &strings, most)?;
    let mut shown = 0;
    for sheet in package.related("worksheet") {
        shown += text_of_cells(&mut package, &sheet, &lengths, most - shown)?;
    }
    Ok(())
}

/// The length of each string in bytes.
fn shared_strings(package: &mut Package<Disk>, part: &str, most: u64) -> Result<Vec<u32>, Failure> {
    let mut lengths: Vec<u32> = Vec::new();
    let Some(part) = package.part_named(part) else { return Ok(lengths) };
    let mut part = part.take(most + 1);
    // Text that is not well-formed shows nothing.
    let _ = xml::scan_pieces(&mut part, Doctypes::None, |piece| {
        match (piece, lengths.last_mut()) {
            (Piece::Start(start), _) if start.local_name().as_ref() == "si" => lengths.push(0),
            (Piece::Text(text), Some(length)) => {
                *length = length.saturating_add(u32::try_from(text.len()).unwrap_or(u32::MAX));
            }
            (Piece::Start(_), _) | (Piece::Text(_), None) => {}
        }
        Next::Continue
    });
    if part.limit() == 0 { Err(too_much(most)) } else { Ok(lengths) }
}

/// The bytes of shared strings that a sheet's cells show.
fn text_of_cells(package: &mut Package<Disk>, part: &str, lengths: &[u32], left: u64) -> Result<u64, Failure> {
    let Some(part) = package.part_named(part) else { return Ok(0) };
    let (mut shown, mut is_shared, mut is_value) = (0, false, false);
    // It was checked that sheets are well-formed.
    let _ = xml::scan_pieces(part, Doctypes::None, |piece| {
        match piece {
            Piece::Start(start) => {
                is_value = start.local_name().as_ref() == "v";
                if start.local_name().as_ref() == "c" {
                    is_shared = xml::attribute(start, "t").is_some_and(|kind| kind == "s");
                }
            }
            Piece::Text(index) if is_shared && is_value => {
                let length = index.trim().parse().ok().and_then(|index: usize| lengths.get(index));
                shown += u64::from(length.copied().unwrap_or(0));
            }
            Piece::Text(_) => {}
        }
        if shown > left { Next::Stop } else { Next::Continue }
    });
    if shown > left { Err(too_much(TEXT_BYTES)) } else { Ok(shown) }
}

fn too_much(most: u64) -> Failure {
    let mebibytes = most >> 20;
    Failure::new(
        JobErrorCode::SourceTooLarge,
        format!("The text of the workbook's cells unpacks to more than {mebibytes} MiB. Make it smaller, or split it."),
        "the strings of a workbook unpack to too much",
    )
}
