//! Installed fonts, substitutes for missing ones, and fonts of accounts.

pub(super) mod installed;
mod own;
pub(super) mod substitutes;

pub(super) use installed::InstalledFonts;
pub(super) use own::UPLOAD_HINT;
pub use own::{NO_FONTS, OwnFonts};
pub(super) use substitutes::{Asker, Emoji, Relative, Widths, write_configuration};
