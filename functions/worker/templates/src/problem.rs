//! What a template's designer must change, and where.

pub use docmill_domain::job::{Mistake as Problem, Place, Reason};
use docmill_domain::nearest::nearest;
use serde::{Deserialize, Serialize};

/// Longest quotation of a paragraph.
const QUOTED_CHARACTERS: usize = 160;

/// Why there is no result.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// The file is damaged, or is something else.
    #[error("the template can't be read: {0}")]
    Corrupt(String),
    /// The template, or what it would become, is larger than the limits.
    #[error("{0}")]
    TooLarge(String),
    /// All mistakes that were found.
    #[error("the template has {} mistakes", .0.len())]
    Template(Vec<Problem>),
    /// The options name an unknown locale or time zone, or unusable delimiters.
    #[error("{0}")]
    Options(String),
}

impl Failure {
    /// With the part of the archive in which it is.
    pub(crate) fn in_part(self, part: &str) -> Self {
        match self {
            Self::Corrupt(why) => Self::Corrupt(format!("{why} (in `{part}`)")),
            Self::TooLarge(message) => Self::TooLarge(format!("{message} (In `{part}`.)")),
            other @ (Self::Template(_) | Self::Options(_)) => other,
        }
    }
}

/// A part with more than is read.
pub(crate) fn too_many(what: &str) -> Failure {
    Failure::TooLarge(format!("A part of the document has too many {what}. Use a smaller template, or less data."))
}

/// A paragraph's text, or its beginning.
pub(crate) fn quote(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(QUOTED_CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// What is wrong with a tag, before its place is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) reason: Reason,
    pub(crate) message: String,
    pub(crate) suggestion: Option<String>,
}

impl Fault {
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), suggestion: None }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Reason::InvalidTag, message)
    }

    pub(crate) fn unusable(message: impl Into<String>) -> Self {
        Self::new(Reason::UnusableValue, message)
    }

    /// An unknown name, with the known one that is most similar to it.
    pub(crate) fn unknown<'a>(reason: Reason, what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let suggestion = nearest(name, known).map(str::to_owned);
        let message = match &suggestion {
            Some(suggestion) => format!("{what} `{name}`. Did you mean `{suggestion}`?"),
            None => format!("{what} `{name}`."),
        };
        Self { reason, message, suggestion }
    }

    pub(crate) fn at(self, tag: &str, place: &Place) -> Problem {
        Problem {
            reason: self.reason,
            message: self.message,
            tag: tag.to_owned(),
            place: place.clone(),
            suggestion: self.suggestion,
        }
    }
}
