//! The folders of this command.

use std::path::PathBuf;

use crate::failure::{Failure, Outcome};

/// A folder of this command, from the XDG variable or below the home directory.
fn folder(variable: &str, below_home: &str) -> Outcome<PathBuf> {
    let given = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
    let base = given.or_else(|| home().map(|home| home.join(below_home)));
    base.map(|base| base.join("docmill")).ok_or_else(|| Failure::machine(format!("Set HOME or {variable}.")))
}

/// Settings and, without a keyring, keys.
pub fn settings_folder() -> Outcome<PathBuf> {
    folder("XDG_CONFIG_HOME", ".config")
}

/// Journals.
pub fn state_folder() -> Outcome<PathBuf> {
    folder("XDG_STATE_HOME", ".local/state")
}
