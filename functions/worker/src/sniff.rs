//! What a file really is.

/// stub
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format { Docx }
