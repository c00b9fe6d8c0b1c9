//! The table of contents: groups of pages, and the entries in them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Guides,
    Tools,
    Reference,
    Errors,
}

impl Group {
    pub const ALL: [Self; 4] = [Self::Guides, Self::Tools, Self::Reference, Self::Errors];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Guides => "Guides",
            Self::Tools => "Tools",
            Self::Reference => "API reference",
            Self::Errors => "Error codes",
        }
    }

    /// The path of the group's list, and the prefix of its pages' paths.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Guides => "/docs",
            Self::Tools => "/docs/tools",
            Self::Reference => "/docs/api",
            Self::Errors => "/docs/errors",
        }
    }

    /// Whether the navigation only lists its pages while one of them is open.
    pub const fn is_folded(self) -> bool {
        matches!(self, Self::Reference | Self::Errors)
    }

    /// Whether its titles are shown as code.
    pub const fn is_code(self) -> bool {
        matches!(self, Self::Errors)
    }
}

/// A page in the navigation.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: String,
    pub title: String,
    pub group: Group,
}
