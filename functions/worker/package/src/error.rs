use std::io;

use zip::result::ZipError;

/// Why a package or one of its parts can't be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file can't be opened or read.
    #[error("reading the package: {0}")]
    Io(io::Error),
    /// The archive, or a part of it, is damaged, encrypted or compressed in an unknown way.
    #[error("its archive is broken: {0}")]
    Broken(String),
    /// With the most that are allowed.
    #[error("its archive has more than {0} parts")]
    TooManyParts(usize),
    /// A part, or all parts together, unpack to more than is allowed.
    #[error("it unpacks to too much")]
    TooLarge,
    /// A part with more markup than is read.
    #[error("a part has too many XML elements")]
    TooManyElements,
    /// The archive is intact, but no package that all programs read alike: parts share a name or overlap, one is missing, or its XML is
    /// malformed.
    #[error("{0}")]
    Invalid(String),
}

impl Error {
    pub(crate) fn missing(part: &str) -> Self {
        Self::Invalid(format!("it has no part {part}"))
    }
}

impl From<ZipError> for Error {
    fn from(error: ZipError) -> Self {
        Self::Broken(error.to_string())
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Io(error) => error,
            Error::Broken(_)
            | Error::TooManyParts(_)
            | Error::TooLarge
            | Error::TooManyElements
            | Error::Invalid(_) => Self::other(error),
        }
    }
}
