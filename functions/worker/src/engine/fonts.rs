//! The fonts that are there, and which of them stand in for those that are not.

pub(super) mod installed;
pub(super) mod relatives;

pub(super) use installed::InstalledFonts;
pub(super) use relatives::{Asker, Emoji, Relative, Widths, write_configuration};
