/// What is read of one package.
///
/// There is no limit on the ratio of compression: deflate can't exceed 1:1032, and parts may not overlap, so that a package's size
/// bounds what it unpacks to, beside `unpacked_bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most parts.
    pub parts: usize,
    /// Most bytes of all parts together when they are unpacked. Each counts once, however often it is read.
    pub unpacked_bytes: u64,
    /// Most bytes of one part that is read whole.
    pub part_bytes: u64,
}

impl Limits {
    /// Most parts of any package: the list of more would use too much memory.
    pub const MOST_PARTS: usize = 100_000;

    /// For documents that were checked against their account's limits before, and for results.
    pub const CHECKED: Self = Self { parts: Self::MOST_PARTS, unpacked_bytes: 1 << 30, part_bytes: 128 << 20 };

    /// For the parts that describe a package before its limits are known.
    pub const DESCRIPTION: Self = Self { parts: Self::MOST_PARTS, unpacked_bytes: 64 << 20, part_bytes: 16 << 20 };

    /// For documents of a user: `parts` is the account's limit, or the usual one.
    #[must_use]
    pub const fn of(parts: usize, unpacked_bytes: u64) -> Self {
        Self { parts, unpacked_bytes, part_bytes: unpacked_bytes }
    }
}
