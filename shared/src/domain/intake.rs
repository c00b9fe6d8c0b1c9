//! What a tool takes: its sources, and where in a request they stand.

use serde::Deserialize;

use super::source::{self, SourceKind, SourceProperty};

/// The two parts of a canonical request that a flat name can belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    Input,
    Options,
}

impl Section {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Options => "options",
        }
    }
}

/// What a tool takes.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sources {
    /// For people: "The document to convert".
    pub description: String,
    pub kinds: Vec<SourceKind>,
    #[serde(default)]
    pub properties: Vec<SourceProperty>,
    #[serde(default = "one")]
    pub least: usize,
    /// With more than one, the sources are a list.
    #[serde(default = "one")]
    pub most: usize,
    /// Files of any kind that may follow the tool's one source, for the tool to put into the result. If there are any, all
    /// sources are a list; the source alone may stand outside of one.
    #[serde(default)]
    pub attachments: usize,
    /// What files may be, by their usual extensions.
    pub formats: Vec<String>,
    /// Those of them that the tool takes as they are, if not all: the others become PDF first.
    #[serde(default)]
    pub direct: Vec<String>,
}

const fn one() -> usize {
    1
}

impl Sources {
    pub const fn are_several(&self) -> bool {
        self.most > 1
    }

    /// Whether the sources may be a list.
    pub const fn may_be_listed(&self) -> bool {
        self.are_several() || self.attachments > 0
    }

    /// The most files that one job may name.
    pub const fn most_files(&self) -> usize {
        self.most + self.attachments
    }

    pub fn accepts(&self, format: &str) -> bool {
        self.formats.iter().any(|accepted| accepted == format)
    }

    /// Whether the tool takes such a file as it is, and not as the PDF that another tool makes of it.
    pub fn takes_directly(&self, format: &str) -> bool {
        self.direct.is_empty() || self.direct.iter().any(|direct| direct == format)
    }

    /// The names that a body may give in `input` or at the top level.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let (several, listed) = (self.are_several(), self.may_be_listed());
        let kinds = self.kinds.iter().map(|kind| kind.as_str());
        let alone = kinds.chain(self.properties.iter().map(|property| property.as_str()));
        alone.filter(move |_| !several).chain(listed.then_some(source::SOURCES))
    }
}

/// Beside `jobId`, in `input` alone: the index of the result to take.
pub const JOB_OUTPUT: &str = "output";
