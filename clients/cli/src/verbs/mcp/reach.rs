//! Which files an assistant may read and write.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::failure::{Doing, Outcome};

/// The folders that an assistant may use, or all of them. Hidden files and folders, which hold keys and settings, are out of
/// reach, unless one is named itself.
#[derive(Clone, Debug)]
pub(super) struct Reach(Vec<PathBuf>);

impl Reach {
    /// # Errors
    /// If a folder does not exist.
    pub(super) fn of(folders: &[PathBuf]) -> Outcome<Self> {
        folders.iter().map(|folder| folder.canonicalize().doing(folder.display())).collect::<Outcome<_>>().map(Self)
    }

    /// Whether a file that exists, or is to be made, is within reach. Links count as what they lead to.
    ///
    /// # Errors
    /// If it is not. For the assistant.
    pub(super) fn allow(&self, path: &Path) -> Result<(), String> {
        let refused = |why: &str| Err(format!("{} {why}", path.display()));
        let Some(real) = real(path) else { return refused("can't be found.") };
        let below = if self.0.is_empty() {
            real.as_path()
        } else {
            let Some(below) = self.0.iter().find_map(|folder| real.strip_prefix(folder).ok()) else {
                return refused("is in no folder that you may use (`docmill mcp --folder`).");
            };
            below
        };
        if below.components().any(|part| matches!(part, Component::Normal(name) if is_hidden(name))) {
            return refused("is hidden, or in a hidden folder: start `docmill mcp` with `--folder` to use it.");
        }
        Ok(())
    }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// The path without links: of the nearest folder that exists, and what is still to be made in it.
fn real(path: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(path).ok()?;
    let (existing, folder) = whole.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)))?;
    let rest = whole.strip_prefix(existing).ok()?;
    rest.components().all(|part| matches!(part, Component::Normal(_))).then(|| folder.join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_and_files_of_other_folders_are_out_of_reach() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in ["papers", ".ssh", "other"] {
            std::fs::create_dir(at(folder)).unwrap();
        }
        for file in ["papers/a.pdf", ".ssh/id", "other/b.pdf"] {
            std::fs::write(at(file), "x").unwrap();
        }
        std::os::unix::fs::symlink(at(".ssh/id"), at("papers/link.pdf")).unwrap();
        let papers = Reach::of(&[at("papers")]).unwrap();
        for (path, is_allowed) in [
            ("papers/a.pdf", true),
            ("papers/new/folder/result.pdf", true),
            ("papers/.hidden.pdf", false),
            ("papers/link.pdf", false),
            ("papers/../other/b.pdf", false),
            ("papers/new/../../other/c.pdf", false),
            ("other/b.pdf", false),
        ] {
            assert_eq!(papers.allow(&at(path)).is_ok(), is_allowed, "{path}");
        }
        let ssh = Reach::of(&[at(".ssh")]).unwrap();
        assert!(ssh.allow(&at(".ssh/id")).is_ok());
        assert!(Reach::of(&[at("nowhere")]).is_err());
    }

    #[test]
    fn without_folders_all_but_hidden_files_are_within_reach() {
        let all = Reach::of(&[]).unwrap();
        let folder = tempfile::Builder::new().prefix("docmill").tempdir().unwrap();
        assert!(all.allow(&folder.path().join("a.pdf")).is_ok());
        std::fs::create_dir(folder.path().join(".ssh")).unwrap();
        assert!(all.allow(&folder.path().join(".ssh/id")).is_err());
        assert!(all.allow(&folder.path().join(".env")).is_err());
    }
}
