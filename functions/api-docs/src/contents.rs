//! The table of contents: groups of pages, and the entries in them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Guides,
    Tools,
    Reference,
    Errors,
    About,
}

impl Group {
    pub const ALL: [Self; 5] = [Self::Guides, Self::Tools, Self::Reference, Self::Errors, Self::About];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Guides => "Guides",
            Self::Tools => "Tool reference",
            Self::Reference => "API reference",
            Self::Errors => "Error codes",
            Self::About => "About this service",
        }
    }

    /// The path of the group's list, and the prefix of its pages' paths.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Guides | Self::About => "/docs",
            Self::Tools => "/docs/tools",
            Self::Reference => "/docs/api",
            Self::Errors => "/docs/errors",
        }
    }

    /// Whether its path is a page of its own.
    pub const fn has_list(self) -> bool {
        matches!(self, Self::Tools | Self::Reference | Self::Errors)
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
    /// The heading above it in the navigation.
    pub heading: &'static str,
}
