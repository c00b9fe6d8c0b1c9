//! The installed fonts, and which of them replace missing ones.

pub(super) mod installed;
pub(super) mod relatives;

pub(super) use installed::InstalledFonts;
pub(super) use relatives::{Asker, Emoji, Relative, Widths, write_configuration};
