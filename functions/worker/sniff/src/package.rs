//! Opens packages within the limits on documents.

use std::path::Path;

use docmill_domain::job::JobErrorCode;
use docmill_engine::Failure;
use docmill_package::{Disk, Error, Limits, Package};

use super::{corrupt, unreadable};

/// Fails with `corrupt_document` or `source_too_large`.
pub(super) fn open(path: &Path, limits: Limits) -> Result<Package<Disk>, Failure> {
    Package::open(path, limits).map_err(|error| match error {
        Error::Io(error) => unreadable(error),
        Error::TooManyParts(most) => Failure::new(
            JobErrorCode::SourceTooLarge,
            format!("The document's archive has more than {most} entries. Make it smaller, or split it."),
            "the archive has too many entries",
        ),
        Error::Invalid(why) => corrupt(&why),
        Error::Broken(_) | Error::TooLarge | Error::TooManyElements => {
            let failure = corrupt("its archive is incomplete or broken");
            Failure { cause: format!("reading the archive: {error}"), ..failure }
        }
    })
}

/// Fails if the limit on unpacked bytes is reached.
pub(super) fn within_limit(package: &Package<Disk>, limits: Limits) -> Result<(), Failure> {
    if package.left() > 0 {
        return Ok(());
    }
    let mebibytes = limits.unpacked_bytes >> 20;
    Err(Failure::new(
        JobErrorCode::SourceTooLarge,
        format!("The document unpacks to more than {mebibytes} MiB. Make it smaller, or split it."),
        "the archive unpacks to too much",
    ))
}
