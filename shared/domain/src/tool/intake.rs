//! A tool's sources, and where a request names them.

use docmill_formats::{Format, Group};
use serde::{Deserialize, Deserializer};

use crate::job::source::{self, SourceKind, SourceProperty};

/// The two sections of a canonical request that a flat name can belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// The sources.
    Input,
    /// What the tool does with them.
    Options,
}

impl Section {
    /// The section's name in requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Options => "options",
        }
    }
}

/// A tool's sources.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sources {
    /// For people, e.g. "The document to convert".
    pub description: String,
    /// How a request names a source.
    pub kinds: Vec<SourceKind>,
    /// What else a request says of a source.
    #[serde(default)]
    pub properties: Vec<SourceProperty>,
    /// How many the tool needs.
    #[serde(default = "one")]
    pub least: usize,
    /// If more than one is allowed, sources are a list.
    #[serde(default = "one")]
    pub most: usize,
    /// Each source has a role by its position, such as a document and its stamp. Results of another tool have none.
    #[serde(default)]
    pub roles: bool,
    /// Files of any kind that may follow the tool's one source and become part of the result. If any are given, all sources are a
    /// list.
    #[serde(default)]
    pub attachments: usize,
    /// Attachments are of the tool's formats, and it reads them, such as sub-templates.
    #[serde(default)]
    pub opens_attachments: bool,
    /// Accepted formats. A tool's file names formats and groups of them.
    #[serde(deserialize_with = "of_groups")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::tool::tool_file::groups"))]
    pub formats: Vec<Format>,
    /// The formats that the tool reads directly, if not all: others are converted to PDF first.
    #[serde(default, deserialize_with = "of_groups")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::tool::tool_file::groups"))]
    pub direct: Vec<Format>,
}

const fn one() -> usize {
    1
}

fn of_groups<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Format>, D::Error> {
    let groups = Vec::<Group>::deserialize(deserializer)?;
    Ok(groups.into_iter().flat_map(Group::formats).collect())
}

impl Sources {
    /// Whether a job may have more than one source, attachments not counted.
    pub const fn are_several(&self) -> bool {
        self.most > 1
    }

    /// Whether one source is enough. It may stand in `input` or at the top level, without a list.
    pub const fn may_be_one(&self) -> bool {
        self.least <= 1
    }

    /// Whether the source at this place is of any kind, and not opened.
    pub const fn is_attachment(&self, index: usize) -> bool {
        self.attachments > 0 && index >= self.most && !self.opens_attachments
    }

    /// Whether several results of another tool can be the sources.
    pub const fn are_alike(&self) -> bool {
        self.are_several() && !self.roles
    }

    /// Whether the sources may be a list.
    pub const fn may_be_listed(&self) -> bool {
        self.are_several() || self.attachments > 0
    }

    /// The most files that one job may name.
    pub const fn most_files(&self) -> usize {
        self.most + self.attachments
    }

    /// Whether the tool takes this format, directly or as a PDF.
    pub fn accepts(&self, format: Format) -> bool {
        self.formats.contains(&format)
    }

    /// The usual extensions of the accepted formats.
    pub fn extensions(&self) -> Vec<&'static str> {
        self.formats.iter().map(|format| format.extension()).collect()
    }

    /// Whether the tool reads this format directly rather than as a PDF made by another tool.
    pub fn takes_directly(&self, format: Format) -> bool {
        self.direct.is_empty() || self.direct.contains(&format)
    }

    /// Names that a body may have in `input` or at the top level.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let (one, listed) = (self.may_be_one(), self.may_be_listed());
        let kinds = self.kinds.iter().map(|kind| kind.as_str());
        let alone = kinds.chain(self.properties.iter().map(|property| property.as_str()));
        alone.filter(move |_| one).chain(listed.then_some(source::SOURCES))
    }
}

/// Allowed next to `jobId`, but only in `input`: the index of the result to take.
pub const JOB_OUTPUT: &str = "output";
