//! What the check of a source has found out about it.

/// Facts about a file that its engine needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The document is encrypted. It may still open with a well-known default password. If loading fails, this means that the
    /// password is missing or wrong.
    pub encrypted: bool,
    /// Whether the document is known to have macros.
    pub has_macros: bool,
    /// Whether somebody has signed the document.
    pub signed: bool,
    /// For plain text, CSV and TSV.
    pub encoding: Option<Encoding>,
}

/// The encoding of a text, as far as its bytes show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Includes ASCII. May begin with a byte order mark.
    Utf8,
    /// With a byte order mark that says so.
    Utf16Le,
    /// With a byte order mark that says so.
    Utf16Be,
    /// Some older eight-bit or multi-byte encoding.
    Legacy,
}
