//! Opens templates that are packages.

use docmill_package::{Error, Limits, Memory, Package};

use crate::problem::{Failure, too_many};

/// Most parts of a template.
const MOST_PARTS: usize = 10_000;

/// Opens a template of which so many bytes may be unpacked.
pub(crate) fn open(bytes: Vec<u8>, most: usize) -> Result<Package<Memory>, Failure> {
    Ok(Package::read(bytes, Limits::of(MOST_PARTS, u64::try_from(most).unwrap_or(u64::MAX)))?)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::TooManyParts(most) => Self::TooLarge(format!("The template has more than {most} parts.")),
            Error::TooLarge => Self::TooLarge("The template is too large when it is unpacked.".to_owned()),
            Error::TooManyElements => too_many("XML elements"),
            Error::Io(_) | Error::Broken(_) | Error::Invalid(_) => Self::Corrupt(error.to_string()),
        }
    }
}
