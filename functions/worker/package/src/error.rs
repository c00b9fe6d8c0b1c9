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
    /// Readers disagree on which of them counts.
    #[error("two parts of its archive have the same name")]
    SameNames,
    /// As in a ZIP bomb.
    #[error("parts of its archive overlap")]
    Overlapping,
    /// With the most that are allowed.
    #[error("its archive has more than {0} parts")]
    TooManyParts(usize),
    /// A part, or all parts together, unpack to more than is allowed.
    #[error("it unpacks to too much")]
    TooLarge,
    /// A part with more markup than is read.
    #[error("a part has too many XML elements")]
    TooManyElements,
    /// A part that must be there.
    #[error("it has no part {0}")]
    Missing(String),
    /// A part of text in another encoding.
    #[error("a part is not in UTF-8")]
    NotUtf8,
    /// Not well-formed, or with a document type.
    #[error("its XML is malformed: {0}")]
    Malformed(String),
    /// Well-formed XML without an element that it must have.
    #[error("{0}")]
    Incomplete(String),
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
            | Error::SameNames
            | Error::Overlapping
            | Error::TooManyParts(_)
            | Error::TooLarge
            | Error::TooManyElements
            | Error::Missing(_)
            | Error::NotUtf8
            | Error::Malformed(_)
            | Error::Incomplete(_) => Self::other(error),
        }
    }
}
