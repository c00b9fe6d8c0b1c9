//! How a template is read and filled.

use crate::problem::Failure;

/// How templates are read and filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What becomes of tags without a value.
    pub missing: Missing,
    /// What tags stand between.
    pub delimiters: Delimiters,
    /// A BCP 47 tag, e.g. `de-AT`.
    pub locale: String,
    /// A name of the time zone database, e.g. `Europe/Vienna`.
    pub time_zone: String,
    /// What a template may use.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            missing: Missing::Error,
            delimiters: Delimiters::default(),
            locale: "en-US".to_owned(),
            time_zone: "UTC".to_owned(),
            limits: Limits::default(),
        }
    }
}

/// What becomes of a tag without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is a mistake.
    Error,
    /// It writes nothing.
    Empty,
    /// The tag stays in the result.
    Keep,
}

/// What reading and filling a template may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all parts that have tags, in the template and in the result.
    pub bytes: usize,
    /// Tags filled and elements visited by one document: also bounds loops that write nothing.
    pub steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 128 << 20, steps: 5_000_000 }
    }
}

/// What begins and ends a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delimiters {
    pub(crate) open: String,
    pub(crate) close: String,
}

/// Longest delimiter.
const MOST_BYTES: usize = 16;

impl Default for Delimiters {
    fn default() -> Self {
        Self { open: "{".to_owned(), close: "}".to_owned() }
    }
}

impl Delimiters {
    /// What tags begin and end with, such as `{` and `}`.
    ///
    /// # Errors
    /// If they are empty, too long, or have spaces, letters or digits, which are in names.
    pub fn new(open: &str, close: &str) -> Result<Self, Failure> {
        let usable = |text: &str| {
            !text.is_empty()
                && text.len() <= MOST_BYTES
                && !text.contains(|c: char| c.is_alphanumeric() || c.is_whitespace() || c.is_control())
        };
        if usable(open) && usable(close) {
            Ok(Self { open: open.to_owned(), close: close.to_owned() })
        } else {
            Err(Failure::Options(format!(
                "`{open}` and `{close}` can't be delimiters. Use up to four punctuation marks for each."
            )))
        }
    }
}
